from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from accounts.messages.evenings import day_words, one_line, seat_words
from accounts.models import NoticeKind
from scoring.messages.numbers import in_language

Facts = Mapping[str, Any]


def notice_words(kind: str, facts: Facts) -> str:
    return one_line(WORDS[NoticeKind(kind)](facts))


def _evening(facts: Facts) -> dict[str, Any]:
    title = in_language({"ja": facts["title"], "en": facts.get("title_en", "")}) or _("Session %(number)s") % {
        "number": facts["number"]
    }
    return {**facts, "evening": title, "day": day_words(date.fromisoformat(facts["date"]), facts["time"])}


def _announced(facts: Facts) -> str:
    evening = _evening(facts)
    if facts.get("off"):
        return _("%(evening)s, %(day)s: cancelled.") % evening
    if facts.get("moved"):
        return _("%(evening)s: moved to %(day)s.") % evening
    if facts["venue"]:
        return _("Coming up: %(evening)s on %(day)s, %(venue)s.") % evening
    return _("Coming up: %(evening)s on %(day)s.") % evening


def _seat(facts: Facts) -> str:
    if facts.get("off"):
        return _("%(evening)s, %(day)s: your seat was cancelled.") % _evening(facts)
    return _("Your seat for %(evening)s, %(day)s: %(place)s") % {
        **_evening(facts),
        "place": seat_words([tuple(place) for place in facts["places"]]),
    }


def _confirm(facts: Facts) -> str:
    return _("%(evening)s, round %(round)s, table %(table)s: is the result correct?") % _evening(facts)


def _disputed(facts: Facts) -> str:
    return _("%(evening)s, round %(round)s, table %(table)s: the result was disputed.") % _evening(facts)


def _corrected(facts: Facts) -> str:
    if facts["voided"]:
        return _("%(evening)s, round %(round)s, table %(table)s: the result was voided.") % _evening(facts)
    return _("%(evening)s, round %(round)s, table %(table)s: the result was corrected.") % _evening(facts)


def _promoted(facts: Facts) -> str:
    said = {name: in_language(facts[name]) for name in ("tournament", "to")}
    if not said["to"]:
        return _("%(tournament)s: your withdrawal is recorded.") % said
    if facts.get("won"):
        return _("%(tournament)s: %(to)s! Congratulations.") % said
    if facts.get("up"):
        return _("%(tournament)s: you move up to %(to)s, as someone withdrew.") % said
    return _("%(tournament)s: you have advanced to %(to)s.") % said


def _place(facts: Facts) -> str:
    said = {**facts, "tournament": in_language(facts["tournament"])}
    if facts["place"] == "entered":
        return _("%(tournament)s: you have a spot.") % said
    if facts["place"] == "waiting":
        return (
            _("%(tournament)s: your registration was accepted. You are number %(position)s on the waiting list.") % said
        )
    if facts["place"] == "no_show":
        return _("%(tournament)s: you did not check in, so your spot went to someone else.") % said
    return _("%(tournament)s: your registration was refused.") % said


def _taken_off(facts: Facts) -> str:
    return _("%(tournament)s: the organisers removed you from the list.") % {
        "tournament": in_language(facts["tournament"])
    }


WORDS: Mapping[NoticeKind, Callable[[Facts], str]] = {
    NoticeKind.ANNOUNCED: _announced,
    NoticeKind.SEAT: _seat,
    NoticeKind.PROMOTED: _promoted,
    NoticeKind.PLACE: _place,
    NoticeKind.TAKEN_OFF: _taken_off,
    NoticeKind.CONFIRM: _confirm,
    NoticeKind.DISPUTED: _disputed,
    NoticeKind.CORRECTED: _corrected,
}
