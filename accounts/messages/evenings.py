from collections.abc import Sequence
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from league.core.spelling import shown
from league.models import League
from league.models.plans import EVERY_ROUND
from scoring.messages.numbers import WINDS

Place = tuple[int, int, int]
"""Round, table and seat."""


def league_words(league: League) -> str:
    return one_line(league.name if get_language() == "ja" else league.name_en or league.name)


def one_line(text: str) -> str:
    return shown(" ".join(text.split()))


def seat_words(places: Sequence[Place]) -> str:
    """Return the seat, such as 2卓 東, or one per round if they differ."""
    return pgettext("between groups", "; ").join(_seat(*place) for place in sorted(places))


def _seat(round_number: int, table: int, seat: int) -> str:
    wind = WINDS[seat] if seat < len(WINDS) else _("sits out first")
    place = _("Table %(table)s, %(seat)s") % {"table": table, "seat": wind}
    if round_number == EVERY_ROUND:
        return place
    return _("Round %(round)s: %(place)s") % {"round": round_number, "place": place}


def day_words(day: date, clock: str = "") -> str:
    """Return a day with its start time: 11月21日(金) 19:00, Fri 21 Nov, 19:00."""
    said = date_format(day, pgettext("date format", "D j M Y"))
    return _("%(day)s, %(time)s") % {"day": said, "time": clock} if clock else said
