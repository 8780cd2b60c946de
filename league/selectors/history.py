"""The history of a league as people read it: what was done to which thing, and what is different since."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model, QuerySet
from django.template.defaultfilters import date as date_format
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.messages import TIEBREAKS
from league.messages.sources import source_words
from league.models import (
    Adjustment,
    Hanchan,
    HeldResult,
    League,
    Membership,
    Photo,
    Player,
    Revision,
    Ruleset,
    Session,
    SessionPoints,
    TableLink,
)
from league.selectors.rulebook import RuleChange, differences

SUBJECTS: Mapping[str, tuple[type[Model] | None, str | Promise]] = {
    "hanchan": (Hanchan, _("Hanchan")),
    "session": (Session, _("Session")),
    "player": (Player, _("Player")),
    "adjustment": (Adjustment, _("Adjustment")),
    "sessionpoints": (SessionPoints, _("Points without hanchan")),
    "ruleset": (Ruleset, _("Rules")),
    "league": (League, _("Settings")),
    "membership": (Membership, _("Member")),
    "tablelink": (TableLink, _("Table link")),
    "heldresult": (HeldResult, _("Held result")),
    "photo": (Photo, _("Photo")),
    # What the app above writes: its models are not known here, its snapshots are plain text by design.
    "tournament": (None, _("Tournament")),
    "entry": (None, pgettext_lazy("tournament", "Entry")),
    "decision": (None, _("Decision")),
    "stagesession": (None, _("Session of a stage")),
}

LABELS: Mapping[str, str | Promise] = {
    "aliases": _("other names"),
    "rules": _("rules"),
    "user": _("user"),
    "raw": _("raw score"),
    "name": _("name"),
    "seats": _("seats"),
    "into": _("merged into"),
    "player": _("player"),
}
"""What a part of a snapshot is called where the model has no field of the name."""

TOURNAMENT_LABELS: Mapping[str, str | Promise] = {
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
}
"""What parts of the snapshots of tournaments are called."""

TOURNAMENT_STATES: Mapping[str, str | Promise] = {
    "preparing": _("Entries open"),
    "running": _("Under way"),
    "finished": _("Finished"),
}

SILENT: Mapping[str, frozenset[str]] = {
    "hanchan": frozenset({"ruleset_version", "seats", "incidents"}),
    "adjustment": frozenset({"player", "name", "reason"}),
    "session": frozenset({"plan"}),
    "sessionpoints": frozenset({"player", "name"}),
    "photo": frozenset({"digest", "hanchan", "size"}),
    "tablelink": frozenset({"session", "table"}),
    "heldresult": frozenset({"typed"}),
}
"""Parts of a snapshot that are numbers of rows, or stand elsewhere in the line."""


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One line of the history."""

    when: datetime
    who: str
    source: str
    action: str
    what: str
    name: str
    reason: str
    changes: tuple[RuleChange, ...]
    link: str
    is_withdrawal: bool


WITHDRAWALS = frozenset({Revision.Action.VOIDED, Revision.Action.WITHDRAWN})


def revisions_of(league: League, *, subject: str = "", action: str = "") -> QuerySet[Revision]:
    """Return the league's history, the latest first, narrowed down by what it is about and what was done."""
    revisions = league.revisions.all()
    if subject:
        revisions = revisions.filter(subject=subject)
    return revisions.filter(action=action) if action else revisions


def newest_revision(league: League) -> int:
    """Return the number of the league's last change; it grows with every change. One query."""
    return league.revisions.order_by("-pk").values_list("pk", flat=True).first() or 0


def history_lines(league: League, revisions: Iterable[Revision]) -> list[HistoryLine]:
    """Return revisions of a league in words. Up to four queries for what the things are called today."""
    revisions = list(revisions)
    names = _names(revisions)
    return [_line(league, revision, names) for revision in revisions]


def _names(revisions: Iterable[Revision]) -> dict[tuple[str, int], str]:
    """Return what the things are called today; those that are gone keep the name in their snapshot."""
    wanted: dict[str, set[int]] = {}
    for revision in revisions:
        wanted.setdefault(revision.subject, set()).add(revision.subject_id)
    names: dict[tuple[str, int], str] = {}
    for subject, model in (("session", Session), ("player", Player), ("ruleset", Ruleset)):
        found = model.objects.in_bulk(wanted.get(subject, ())) if subject in wanted else {}
        names |= {(subject, pk): str(thing) for pk, thing in found.items()}
    games = Hanchan.objects.select_related("session").in_bulk(wanted.get("hanchan", ()))
    return names | {("hanchan", pk): _hanchan_name(game) for pk, game in games.items()}


def _hanchan_name(hanchan: Hanchan) -> str:
    place = {"session": hanchan.session, "round": hanchan.round, "table": hanchan.table}
    return gettext("%(session)s, round %(round)s, table %(table)s") % place


def _line(league: League, revision: Revision, names: Mapping[tuple[str, int], str]) -> HistoryLine:
    model, what = SUBJECTS.get(revision.subject, (None, revision.subject))
    snapshot = revision.after if isinstance(revision.after, dict) else revision.before
    known = snapshot if isinstance(snapshot, dict) else {}
    name = names.get((revision.subject, revision.subject_id)) or _own_name(revision.subject, known)
    return HistoryLine(
        when=revision.at,
        who=revision.by_name or source_words(revision.source),
        source=revision.source,
        action=revision.get_action_display(),
        what=str(what),
        name=str(name),
        reason=_reason(revision) or str(known.get("reason", "")),
        changes=_changes(revision, model),
        link=_link(league, revision),
        is_withdrawal=revision.action in WITHDRAWALS,
    )


def _own_name(subject: str, known: Mapping[str, Any]) -> str:
    """Return what a thing is called by its own snapshot."""
    if subject == "tablelink":
        return gettext("%(session)s, table %(table)s") % {"session": known.get("session"), "table": known.get("table")}
    return str(known.get("name") or known.get("user") or "")


UNDONE = "undo"
"""The reason that a quick undo leaves in the history; pages say it in words."""


def _reason(revision: Revision) -> str:
    return gettext("Undone right after saving") if revision.reason == UNDONE else revision.reason


PAGES = {
    "hanchan": ("league:hanchan", True),
    "session": ("league:session", True),
    "player": (settings.PLAYER_PAGE, True),
    "adjustment": ("league:adjustments", False),
    "sessionpoints": ("league:sessions", False),
    "ruleset": ("league:rules", False),
    "league": ("league:settings", False),
}


def _link(league: League, revision: Revision) -> str:
    name, is_own = PAGES.get(revision.subject, ("", False))
    return reverse(name, args=[league.slug, *([revision.subject_id] if is_own else [])]) if name else ""


def _changes(revision: Revision, model: type[Model] | None) -> tuple[RuleChange, ...]:
    before, after = revision.before, revision.after
    if revision.subject == "ruleset":
        return differences(before, after) if isinstance(before, dict) and isinstance(after, dict) else ()
    if revision.action in {Revision.Action.MERGED, Revision.Action.SEPARATED}:
        return _moved(after if isinstance(after, dict) else before)
    old, new = (side if isinstance(side, dict) else {} for side in (before, after))
    is_only_state = revision.subject == "hanchan" and not (old and new)
    plain = () if is_only_state else _field_changes(revision.subject, model, old, new)
    return (*_seat_changes(old, new), *plain, *_plan_changes(old, new))


def _field_changes(
    subject: str, model: type[Model] | None, old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[RuleChange, ...]:
    silent = SILENT.get(subject, frozenset())
    keys = [key for key in {**old, **new} if key not in silent and old.get(key) != new.get(key)]
    first, second = (old, new) if new else ({}, old)
    lines = [
        RuleChange(_label(key, model), _text(key, first.get(key), model), _text(key, second.get(key), model))
        for key in keys
    ]
    return tuple(line for line in lines if line.before != line.after)


def _moved(snapshot: Any) -> tuple[RuleChange, ...]:
    if not isinstance(snapshot, dict):
        return ()
    seats = len(snapshot.get("seats", ()))
    return (
        RuleChange(gettext("hanchan"), "", str(seats)),
        RuleChange(_label("into", None), "", snapshot.get("name", "")),
    )


def _seat_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[RuleChange, ...]:
    """Return the seats of a hanchan, or only those that changed."""
    pairs = list(zip(_padded(old), _padded(new), strict=True))
    if not (old.get("seats") and new.get("seats")):
        return tuple(
            RuleChange(str(seat.get("name", "")), "", _raw(seat))
            for first, second in pairs
            if (seat := second or first)
        )
    present = [(first, second) for first, second in pairs if first and second]
    typed = [(first, second) for first, second in present if _typed(first) != _typed(second)]
    if typed:
        return tuple(RuleChange(_seat_label(first, second), _raw(first), _raw(second)) for first, second in typed)
    # Nobody typed anything else: other rules gave other points.
    return tuple(
        RuleChange(_seat_label(first, second), _points(first["points"]), _points(second["points"]))
        for first, second in present
        if isinstance(first.get("points"), int)
        and isinstance(second.get("points"), int)
        and first["points"] != second["points"]
    )


def _plan_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[RuleChange, ...]:
    """Return who was and who is to sit at each table of a session for which that changed."""
    first, second = _planned(old), _planned(new)
    places = [place for place in {**first, **second} if first.get(place) != second.get(place)]
    return tuple(
        RuleChange(_plan_label(place), *(_listed(side.get(place) or []) for side in (first, second)))
        for place in sorted(places, key=_plan_order)
    )


def _planned(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    plan = snapshot.get("plan")
    return plan if isinstance(plan, dict) else {}


def _plan_order(place: str) -> tuple[int, ...]:
    return tuple(int(part) for part in place.split("/") if part.isdecimal())


def _plan_label(place: str) -> str:
    number, _, table = place.partition("/")
    if number == "0":
        return gettext("Planned at table %(table)s") % {"table": table}
    return gettext("Planned in round %(round)s at table %(table)s") % {"round": number, "table": table}


def _padded(snapshot: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    seats = list(snapshot.get("seats") or ())
    if any(not isinstance(seat, dict) for seat in seats):
        seats = []
    return seats + [{}] * (4 - len(seats))


def _typed(seat: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(seat.get(name) for name in ("player", "raw", "chips", "chombo", "deposits"))


def _seat_label(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    if first.get("name") == second.get("name"):
        return str(second.get("name"))
    return gettext("%(before)s → %(after)s") % {"before": first.get("name"), "after": second.get("name")}


def _raw(seat: Mapping[str, Any]) -> str:
    raw = seat.get("raw")
    if not isinstance(raw, int):
        return ""
    sign = pgettext("negative sign", "−") if raw < 0 else ""
    extras = [
        text % {"count": seat[name]}
        for name, text in (("chips", gettext("chips %(count)s")), ("chombo", gettext("chombo %(count)s")))
        if seat.get(name)
    ]
    return " · ".join([f"{sign}{abs(raw):,}", *extras])


def _label(key: str, model: type[Model] | None) -> str:
    if key in LABELS:
        return str(LABELS[key])
    try:
        field = model._meta.get_field(key) if model else None
    except FieldDoesNotExist:
        return key
    return str(field.verbose_name if field else TOURNAMENT_LABELS.get(key, key))  # type: ignore[union-attr]


def _text(key: str, value: Any, model: type[Model] | None) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if key == "tiebreak" and isinstance(value, list):
        return pgettext("between steps", " → ").join(str(TIEBREAKS.get(name, name)) for name in value)
    if isinstance(value, (list, dict)):
        return _listed(value)
    if key == "points" and isinstance(value, int):
        return _points(value)
    return _choice(key, value, model)


MOMENTS = {"expires_at", "revoked_at"}


def _listed(value: list[Any] | dict[str, Any]) -> str:
    """Return a list, or what stands under each name, in one line; lists inside one another too."""
    if isinstance(value, list):
        return pgettext("between names", ", ").join(map(_part, value))
    parts = (gettext("%(name)s: %(value)s") % {"name": name, "value": _part(each)} for name, each in value.items())
    return pgettext("between groups", "; ").join(parts)


def _part(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return _listed(value)
    return "—" if value is None else str(value)


def _points(value: int) -> str:
    whole, rest = divmod(abs(value), 1000)
    sign = pgettext("negative sign", "−") if value < 0 else "+"
    return f"{sign}{whole}.{f'{rest:03}'.rstrip('0') or '0'}"


def _choice(key: str, value: Any, model: type[Model] | None) -> str:
    if key in MOMENTS and (moment := parse_datetime(str(value))):
        return date_format(timezone.localtime(moment), pgettext("date format", "j M Y, H:i"))
    if model is None and key == "state":
        return str(TOURNAMENT_STATES.get(value, value))
    try:
        choices = dict(model._meta.get_field(key).flatchoices) if model else {}  # type: ignore[union-attr]
    except (FieldDoesNotExist, AttributeError):
        choices = {}
    return str(choices.get(value, value))
