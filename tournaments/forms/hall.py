import re
from dataclasses import asdict, replace
from typing import Any, ClassVar
from uuid import UUID, uuid4

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.entry import check_sum, read_scores
from league.core.limits import MAX_RAW_SCORE, MAX_ROUND
from league.core.numbers import half_width, small_number
from league.forms.entry.form import Sending
from league.forms.entry.sentences import score_sentence, sum_sentence
from scoring.messages.numbers import WINDS
from tournaments.core.ticking import MOST_COUNTERS, MOST_HANDS, Situation, after_hand, every_hand, filled, sticks_after
from tournaments.models import HallDisplay, Tick
from tournaments.models.hall import MOST_MINUTES
from tournaments.selectors.hall import TickerTable

USUAL_MINUTES = 60


class ProjectorForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = HallDisplay
        fields = ("scene", "message", "language")
        widgets: ClassVar[dict[str, Any]] = {"scene": forms.RadioSelect}
        help_texts: ClassVar[dict[str, Any]] = {
            "message": gettext_lazy("One short line shown above everything. Leave blank for none.")
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if len(self.instance.tournament.format.stages) == 1:
            scene: Any = self.fields["scene"]
            scene.choices = [each for each in scene.choices if each[0] != HallDisplay.Scene.BRACKET]


class TimerForm(forms.Form):
    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes"),
        min_value=1,
        max_value=MOST_MINUTES,
        initial=USUAL_MINUTES,
        error_messages={"invalid": gettext_lazy("Enter whole minutes, such as 60.")},
    )


RIICHI = re.compile(r"riichi-([0-3])")
CHANGE = "change"
"""The button that corrects dealer, honba and sticks without a hand."""


class TickerError(Exception):
    """Invalid ticker input; the message names the fault and its remedy."""


def round_of(data: QueryDict) -> int | None:
    number = small_number(data.get("round", ""), 0, digits=len(str(MAX_ROUND)))
    return number if 1 <= number <= MAX_ROUND else None


def read_tick(data: QueryDict, table: TickerTable) -> Tick:
    """Return the input of a ticker form as an unsaved tick. Raise TickerError."""
    seats = _seats(data, [player.pk for player in table.players])
    number = table.number
    said: dict[str, Any]
    pressed = data.get("do", "")
    if slip := data.get("takes_back"):
        said = {"takes_back": _key(slip)}
        if said["takes_back"] is None:
            raise TickerError(_("This page is out of date. Reload it."))
    elif (found := RIICHI.fullmatch(pressed)) and int(found[1]) < table.rules.players:
        said = {"seats": seats, **asdict(table.situation.turned(int(found[1])))}
    else:
        changes = pressed == CHANGE
        number = _number(data, table.number if changes else table.number + 1)
        said = {"seats": seats, **asdict(_situation(data, table, changes=changes))}
    place = {"session": table.session, "table": table.table, "round": table.round}
    sending = Sending.read(data)
    at, key = sending.entered_at or timezone.now(), sending.client_key or uuid4()
    return Tick(**place, number=number, **said, at=at, client_key=key)


def _number(data: QueryDict, otherwise: int) -> int:
    found = _count(data, "number", MOST_HANDS, _("Hands played"))
    return otherwise if found is None else found


def _key(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _seats(data: QueryDict, planned: list[int]) -> tuple[int, ...]:
    sent = [small_number(data.get(f"player_{seat}", ""), 0) for seat in range(len(planned))]
    if not any(sent):
        return tuple(planned)
    if sorted(sent) != sorted(planned):
        raise TickerError(_("Every player has one seat. Choose each player once."))
    return tuple(sent)


def _situation(data: QueryDict, table: TickerTable, *, changes: bool) -> Situation:
    before, rules = table.situation, table.rules
    asked = _count(data, "sticks", MOST_COUNTERS, _("Sticks on the table"))
    scores = _scores(data, table, before.sticks if asked is None else asked)
    if all(score is None for score in scores) and changes:
        scores = before.scores
    if sum(score is None for score in scores) > 1:
        raise TickerError(_("Enter three of the scores; the fourth is filled in automatically."))
    sticks = sticks_after(before, scores, rules) if asked is None else asked
    full = filled(scores, sticks or 0, rules)
    check = check_sum(full, sticks or 0, rules.start)
    if sticks is None or not check.adds_up:
        raise TickerError(sum_sentence(check))
    if any(abs(score) > MAX_RAW_SCORE for score in full):
        raise TickerError(_("A score is impossibly high. Check for typing errors."))
    after = replace(before, scores=full, sticks=sticks) if changes else after_hand(before, full, sticks, rules)
    hand, honba = data.get("hand", ""), _count(data, "honba", MOST_COUNTERS, _("Honba"))
    if hand and hand not in every_hand(rules.players):
        raise TickerError(_("This hand does not exist. Choose one from the list."))
    declared = {small_number(text, rules.players, digits=1) for text in data.getlist("riichi")}
    riichi = tuple(sorted(seat for seat in declared if seat < rules.players))
    if len(riichi) > sticks:
        raise TickerError(_("More players have declared riichi than there are sticks on the table. Check the sticks."))
    return replace(after, hand=hand or after.hand, honba=after.honba if honba is None else honba, riichi=riichi)


def _scores(data: QueryDict, table: TickerTable, sticks: int) -> tuple[int | None, ...]:
    texts = [data.get(f"raw_{seat}", "") for seat in range(table.rules.players)]
    read = read_scores(texts, sticks, table.rules.start, fills=False)
    for seat, error in read.errors.items():
        raise TickerError(score_sentence(error, str(WINDS[seat])))
    return read.raw


def _count(data: QueryDict, name: str, most: int, what: str) -> int | None:
    text = half_width(data.get(name, "")).strip()
    if not text:
        return None
    number = small_number(text, most + 1, digits=len(str(most)))
    if number > most:
        message = _("%(what)s: “%(text)s” is not a whole number from 0 to %(most)s.")
        raise TickerError(message % {"what": what, "text": text[:20], "most": most})
    return number
