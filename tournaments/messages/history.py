"""History lines of tournaments. Snapshots are plain text, readable without models."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.core.spelling import shown
from league.selectors.history import HistorySubject, register_subject
from tournaments.models import HallDisplay, Registration, RegistrationTerms

TAKEN_OFF = "taken_off"
"""Snapshot key for the primary key of a removed player, stored next to the name."""

LABELS: Mapping[str, str | Promise] = {
    "state": _("state"),
    "key": _("key"),
    "name_en": _("name in English"),
    "note": _("note"),
    "format": _("format"),
    "entries": _("entries"),
    "seeds": _("seeds"),
    "stage": _("stage"),
    "block": _("block"),
    "blocks": _("blocks"),
    "number": _("number"),
    "session": _("session"),
    "table": _("table"),
    "date": _("date"),
    "players": _("players"),
    "proposal": _("proposal"),
    "to": _("advances to"),
    "method": _("method"),
    "seed": _("seed"),
    "tournament": _("tournament"),
    "user": _("user"),
    "stage_rules": _("stage rules"),
    "strict_entry": _("all scores are entered"),
    "shows_chances": _("chances are shown"),
    "player": _("player"),
    "unranked": _("without a rank"),
    "disqualified": _("disqualified"),
    "place": pgettext_lazy("registration", "spot"),
    "position": _("place on the waiting list"),
    "is_there": _("checked in"),
    "places": pgettext_lazy("registration", "spots"),
    "audience": _("who can register"),
    "needs_approval": _("an organiser approves each"),
    "opens_at": pgettext_lazy("registration", "from"),
    "closes_at": pgettext_lazy("registration", "until"),
    "check_in_from": _("check-in from"),
    "check_in_until": _("check-in until"),
    "addresses": _("addresses"),
    "scene": pgettext_lazy("wall", "scene"),
    "message": pgettext_lazy("wall", "message"),
    "language": pgettext_lazy("wall", "language"),
    "minutes": _("minutes"),
    "started_at": _("started at"),
    "used": _("seconds elapsed"),
    "round": _("round"),
    "answer": pgettext_lazy("call", "reply"),
}
"""Labels of the keys in snapshots."""

STATES: Mapping[str, str | Promise] = {
    "preparing": _("Entries open"),
    "running": _("In progress"),
    "finished": _("Finished"),
    **dict(Registration.State.choices),
}

PLACES: Mapping[str, str | Promise] = {
    "entered": pgettext_lazy("registration", "plays"),
    "waiting": _("on the waiting list"),
    "no_show": _("did not come"),
}

VALUES: Mapping[str, Mapping[str, str | Promise]] = {
    "state": STATES,
    "place": PLACES,
    "audience": dict(RegistrationTerms.Audience.choices),
    "addresses": {"renewed": _("recreated")},
    "scene": dict(HallDisplay.Scene.choices),
    "answer": {"coming": pgettext_lazy("call", "coming"), "done": pgettext_lazy("call", "done")},
}

TITLES: tuple[tuple[str, str | Promise, str | Promise], ...] = (
    ("tournament", _("Tournament"), _("Tournaments")),
    ("entry", pgettext_lazy("tournament", "Entry"), pgettext_lazy("tournament", "Entries")),
    ("director", _("Director"), _("Directors")),
    ("decision", _("Decision"), _("Decisions")),
    ("registration", _("Registration"), _("Registrations")),
    ("registrationterms", _("Registration terms"), _("Registration terms")),
    ("stagesession", _("Stage session"), _("Stage sessions")),
    ("halldisplay", pgettext_lazy("history", "Hall display"), pgettext_lazy("history", "Hall displays")),
    ("tablecall", _("Referee call"), _("Referee calls")),
)

IN_HALL: Mapping[str, str | Promise] = {
    "minutes": pgettext_lazy("history", "Timer"),
    "round": _("Table that is ready"),
}
"""Titles of hall changes, by the snapshot key that identifies them."""


REGISTRATION: Mapping[tuple[str, str], str | Promise] = {
    ("place", "entered"): _("%(player)s got a spot"),
    ("place", "waiting"): _("%(player)s joined the waiting list"),
    ("place", "no_show"): _("%(player)s did not come"),
    ("state", "asked"): _("%(player)s asked to register"),
    ("state", "standing"): _("%(player)s was registered"),
    ("state", "withdrawn"): _("%(player)s withdrew the registration"),
    ("state", "refused"): _("%(player)s was not accepted"),
}
"""What happened to a registration, by key and value of the later snapshot; places say more than states."""


def registration_sentence(before: Any, after: Any) -> str:
    if not isinstance(after, dict) or not isinstance(after.get("player"), str):
        return ""
    known = before if isinstance(before, dict) else {}
    changed = [key for key in after if after[key] != known.get(key)]
    found = [text for (key, value), text in REGISTRATION.items() if key in changed and after[key] == value]
    return str(found[0]) % {"player": shown(after["player"])} if found else ""


def register() -> None:
    for key, title, titles in TITLES:
        subject = HistorySubject(key, title, titles, labels=LABELS, values=VALUES, silent=frozenset({TAKEN_OFF}))
        if key == "halldisplay":
            subject = replace(subject, titles_by_part=IN_HALL)
        elif key == "registration":
            subject = replace(subject, sentence=registration_sentence)
        register_subject(subject)
