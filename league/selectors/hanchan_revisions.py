from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from league.core.kept_states import readable_state
from league.models import Hanchan, Incident, Player, Revision, RulesetVersion
from league.selectors.former import hide_former
from league.selectors.games import Snapshot

SEAT_FACTS = ("raw", "chips", "chombo", "deposits")


@dataclass(frozen=True, slots=True)
class StoredIncident:
    """An incident from a snapshot. `player`: primary key; `who`: displayed name."""

    kind: str
    player: int
    note: str
    detail: Mapping[str, Any]
    who: str = ""

    @property
    def label(self) -> str:
        return str(dict(Incident.Kind.choices).get(self.kind, self.kind))


@dataclass(frozen=True, slots=True)
class FactChange:
    """A field before and after. `player`: primary key of the player concerned; `who`: displayed name."""

    what: str
    before: Any
    after: Any
    player: int | None = None
    who: str = ""


@dataclass(frozen=True, slots=True)
class RevisionLine:
    """A revision with its changes; none if it created the hanchan or only changed its state."""

    revision: Revision
    differences: tuple[FactChange, ...]


def history_of(hanchan: Hanchan) -> tuple[RevisionLine, ...]:
    """Return all revisions of a hanchan, latest first. Three queries, four if the rules changed."""
    revisions = hide_former(_revisions(hanchan))
    versions = _versions(revisions)
    return tuple(RevisionLine(revision, _changes(revision, versions)) for revision in revisions)


def people_in(lines: Iterable[RevisionLine]) -> dict[int, Player]:
    """Return all players that appear in the changes, by primary key. One query."""
    keys: set[int] = set()
    for line in lines:
        for difference in line.differences:
            keys |= set(_keys(difference))
    return Player.objects.in_bulk(keys)


def with_names(lines: Iterable[RevisionLine], names: Mapping[int, str]) -> tuple[RevisionLine, ...]:
    """Return the lines with players' names; `names`: primary key → name that the reader may see."""
    return tuple(
        replace(line, differences=tuple(_named(difference, names) for difference in line.differences)) for line in lines
    )


def _named(difference: FactChange, names: Mapping[int, str]) -> FactChange:
    who = names.get(difference.player, "") if difference.player is not None else ""
    before, after = (_named_value(difference.what, side, names) for side in (difference.before, difference.after))
    return replace(difference, before=before, after=after, who=who)


def _named_value(what: str, value: Any, names: Mapping[int, str]) -> Any:
    if what == "player":
        return names.get(value, "")
    if what == "happenings":
        return tuple(replace(happening, who=names.get(happening.player, "")) for happening in value)
    return value


def _keys(difference: FactChange) -> Iterator[int]:
    if difference.player is not None:
        yield difference.player
    for value in (difference.before, difference.after):
        if difference.what == "player":
            yield value
        elif difference.what == "happenings":
            yield from (happening.player for happening in value)


def _revisions(hanchan: Hanchan) -> Iterable[Revision]:
    return Revision.objects.filter(league=hanchan.league_id, subject="hanchan", subject_id=hanchan.pk)


def _versions(revisions: Iterable[Revision]) -> dict[int, RulesetVersion]:
    keys = {
        snapshot["ruleset_version"]
        for states in map(_states, revisions)
        if states and states[0]["ruleset_version"] != states[1]["ruleset_version"]
        for snapshot in states
    }
    return RulesetVersion.objects.select_related("ruleset").in_bulk(keys) if keys else {}


def _states(revision: Revision) -> tuple[Snapshot, Snapshot] | None:
    """Return both snapshots of a revision, or None if one is missing or unreadable."""
    before, after = readable_state(revision.before), readable_state(revision.after)
    return (before, after) if before and after else None


def _changes(revision: Revision, versions: Mapping[int, RulesetVersion]) -> tuple[FactChange, ...]:
    states = _states(revision)
    found = differences(*states) if states else ()
    return tuple(
        FactChange("rules", versions.get(change.before), versions.get(change.after))
        if change.what == "ruleset_version"
        else change
        for change in found
    )


def differences(before: Snapshot, after: Snapshot) -> Iterator[FactChange]:
    """Yield the differences between two snapshots, table first, then seat by seat."""
    for what in ("table", "round", "ruleset_version", "sticks_left"):
        if before[what] != after[what]:
            yield FactChange(what, before[what], after[what])
    if before["played_at"] != after["played_at"]:
        yield FactChange("played_at", _moment(before), _moment(after))
    if before["end_reason"] != after["end_reason"]:
        yield FactChange("end_reason", _ending(before), _ending(after))
    for old, new in zip(before["seats"], after["seats"], strict=False):
        yield from _seat_differences(old, new)
    happenings = _happenings(before), _happenings(after)
    if happenings[0] != happenings[1]:
        yield FactChange("happenings", *happenings)
    if before["note"] != after["note"]:
        yield FactChange("note", before["note"], after["note"])


def _moment(state: Snapshot) -> datetime:
    return datetime.fromisoformat(state["played_at"])


def _ending(state: Snapshot) -> str:
    return str(dict(Hanchan.EndReason.choices).get(state["end_reason"], ""))


def _seat_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[FactChange]:
    is_same = old["player"] == new["player"]
    if not is_same:
        yield FactChange("player", old["player"], new["player"])
    changed = [what for what in SEAT_FACTS if old[what] != new[what]]
    if is_same:
        # The settlement follows from the ranking points; show it only if it changed alone.
        changed += [what for what in ("points", "settlement") if old[what] != new[what]][:1]
    for what in changed:
        yield FactChange(what, old[what], new[what], new["player"])


def _happenings(state: Snapshot) -> tuple[StoredIncident, ...]:
    players = [seat["player"] for seat in state["seats"]]
    return tuple(
        StoredIncident(incident["kind"], players[incident["seat"]], incident["note"], incident["detail"])
        for incident in state["incidents"]
        if incident["kind"] != Incident.Kind.CHOMBO
    )


def yakuman_of(hanchan: Hanchan, names: Mapping[int, str]) -> list[StoredIncident]:
    """Return the yakuman of a hanchan with players' names; uses prefetched rows."""
    players = {seat.seat: seat.player_id for seat in hanchan.seats.all()}
    return [
        StoredIncident(incident.kind, players[incident.seat], incident.note, {}, names[players[incident.seat]])
        for incident in hanchan.incidents.all()
        if incident.kind == Incident.Kind.YAKUMAN
    ]
