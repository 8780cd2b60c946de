"""What a league's history says of tournaments. Their snapshots are plain text by design, read without their models."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.selectors.history import HistorySubject, register_subject

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
    "to": _("goes on to"),
    "method": _("method"),
    "seed": _("seed"),
    "tournament": _("tournament"),
    "user": _("user"),
    "stage_rules": _("rules of stages"),
}
"""What parts of the snapshots are called."""

STATES: Mapping[str, str | Promise] = {
    "preparing": _("Entries open"),
    "running": _("Under way"),
    "finished": _("Finished"),
}

TITLES: tuple[tuple[str, str | Promise, str | Promise], ...] = (
    ("tournament", _("Tournament"), _("Tournaments")),
    ("entry", pgettext_lazy("tournament", "Entry"), pgettext_lazy("tournament", "Entries")),
    ("director", _("Director"), _("Directors")),
    ("decision", _("Decision"), _("Decisions")),
    ("stagesession", _("Session of a stage"), _("Sessions of a stage")),
)


def register() -> None:
    """Let the history of a league tell of its tournaments."""
    for key, title, titles in TITLES:
        register_subject(HistorySubject(key, title, titles, labels=LABELS, values={"state": STATES}))
