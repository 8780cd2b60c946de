"""History lines of tournaments. Snapshots are plain text, readable without models."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.core.spelling import shown
from league.selectors.history import register_subject, subject_for
from tournaments import models

TAKEN_OFF = "taken_off"
"""Snapshot key for the primary key of a removed player, stored next to the name."""

LABELS: Mapping[str, str | Promise] = {
    "key": _("key"),
    "format": _("format"),
    "entries": _("entries"),
    "seeds": _("seeds"),
    "blocks": _("blocks"),
    "session": _("session"),
    "table": _("table"),
    "date": _("date"),
    "players": _("players"),
    "proposal": _("proposal"),
    "to": _("advances to"),
    "method": _("method"),
    "seed": _("seed"),
    "tournament": _("tournament"),
    "unranked": _("without a rank"),
    "disqualified": _("disqualified"),
    "place": pgettext_lazy("registration", "spot"),
    "position": _("place on the waiting list"),
    "is_there": _("checked in"),
    "addresses": _("addresses"),
    "minutes": _("minutes"),
    "used": _("seconds elapsed"),
    "round": _("round"),
    "answer": pgettext_lazy("call", "reply"),
}
"""Labels of the keys in snapshots that are not fields, or are called otherwise."""

PLACES: Mapping[str, str | Promise] = {
    "entered": pgettext_lazy("registration", "plays"),
    "waiting": _("on the waiting list"),
    "no_show": _("did not come"),
}

VALUES: Mapping[str, Mapping[str, str | Promise]] = {
    "place": PLACES,
    "addresses": {"renewed": _("recreated")},
    "answer": {"coming": pgettext_lazy("call", "coming"), "done": pgettext_lazy("call", "done")},
}

IN_HALL: Mapping[str, str | Promise] = {"minutes": pgettext_lazy("history", "Timer"), "round": _("Table that is ready")}
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
    options: dict[str, Any] = {"labels": LABELS, "values": VALUES, "silent": frozenset({TAKEN_OFF})}
    own: dict[type[Model], dict[str, Any]] = {
        models.Tournament: {},
        models.Entry: {"title": pgettext_lazy("tournament", "Entry")},
        models.Director: {},
        models.Decision: {},
        models.Registration: {"sentence": registration_sentence},
        models.RegistrationTerms: {},
        models.StageSession: {},
        models.HallDisplay: {"titles_by_part": IN_HALL},
        models.TableCall: {},
    }
    for model, special in own.items():
        register_subject(subject_for(model, **options, **special))
