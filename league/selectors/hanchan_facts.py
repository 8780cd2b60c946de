"""Entered facts of a hanchan, compared between its snapshots: history, concurrent corrections, earlier versions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from league.core.kept_states import readable_state
from league.models import Hanchan, Incident, Revision, RulesetVersion
from league.selectors.confirming import RAISING
from league.selectors.former import hide_former
from league.selectors.games import USUAL, Snapshot

TABLE_FACTS = ("state", "table", "round", "sticks_left", "end_reason", "note")
SEAT_FACTS = ("raw", "chips", "chombo", "deposits")
CHOICES = {"end_reason": Hanchan.EndReason, "given": Hanchan.Given, "state": Hanchan.State}

Fact = tuple[str, int | None]
"""Name of the field, and seat (None for the whole table)."""


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
    """A fact before, and in two later versions of which one is the user's own.

    `player`: primary key of the player who has the seat in `yours`; `who`: their displayed name.
    """

    what: str
    seat: int | None
    before: Any
    theirs: Any
    yours: Any
    player: int | None = None
    who: str = ""

    @property
    def is_undone(self) -> bool:
        """Whether saving would revert the other user's change, which this user did not touch."""
        return bool(self.yours == self.before != self.theirs)

    @property
    def is_agreed(self) -> bool:
        """Whether both users entered the same value."""
        return bool(self.theirs == self.yours)

    @property
    def values(self) -> tuple[Any, Any, Any]:
        return self.before, self.theirs, self.yours


def facts_in(state: Snapshot) -> dict[Fact, Any]:
    """Return the entered facts of a snapshot, without derived points."""
    facts: dict[Fact, Any] = {(what, None): state[what] for what in TABLE_FACTS}
    facts |= {(what, None): state.get(what, usual) for what, usual in USUAL.items()}
    if state["state"] != Hanchan.State.VOIDED:
        # Corrections do not conflict over the confirmation.
        facts["state", None] = Hanchan.State.RECORDED
    facts["played_at", None] = datetime.fromisoformat(state["played_at"])
    for number, seat in enumerate(state["seats"]):
        facts |= {(what, number): seat[what] for what in ("player", *SEAT_FACTS)}
        if seat["raw"] is None:
            facts |= {(what, number): seat[what] for what in ("points", "placement")}
    facts["happenings", None] = tuple(_happenings(state))
    return facts


def _happenings(state: Snapshot) -> Iterable[StoredIncident]:
    players = [seat["player"] for seat in state["seats"]]
    for incident in state["incidents"]:
        if incident["kind"] != Incident.Kind.CHOMBO:
            yield StoredIncident(incident["kind"], players[incident["seat"]], incident["note"], incident["detail"])


def same_facts(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two snapshots have the same entered facts, whatever their rules."""
    return all(change.what == "state" for change in clashes(one, one, other))


def clashes(before: Snapshot, theirs: Snapshot, yours: Snapshot) -> tuple[FactChange, ...]:
    """Return the facts in which either correction differs from `before`, in the order of the page."""
    old, their, your = facts_in(before), facts_in(theirs), facts_in(yours)
    players: dict[int | None, int] = dict(enumerate(seat["player"] for seat in yours["seats"]))
    found = (
        FactChange(
            what, seat, old.get((what, seat)), their.get((what, seat)), your.get((what, seat)), players.get(seat)
        )
        for what, seat in dict.fromkeys((*old, *their, *your))
    )
    return tuple(each for each in found if each.theirs != each.before or each.yours != each.before)


def _raised(hanchan: Hanchan) -> QuerySet[Revision]:
    """Return the revisions that changed the hanchan's version, latest first."""
    return _revisions(hanchan).filter(action__in=RAISING).order_by("-pk")


def state_at(hanchan: Hanchan, version: int) -> Snapshot | None:
    """Return the snapshot at a version, or None if the history lacks it. One query."""
    back = hanchan.version - version
    found = _raised(hanchan)[back : back + 1].first() if back >= 0 else None
    return readable_state(found.after) if found is not None else None


def last_change(hanchan: Hanchan) -> Revision | None:
    """Return the latest revision that changed the hanchan's version, or None. One query."""
    return _raised(hanchan).first()


def people_among(found: Iterable[FactChange]) -> set[int]:
    keys: set[int] = set()
    for change in found:
        if change.what == "player":
            keys.update(value for value in change.values if value is not None)
        elif change.what == "happenings":
            keys.update(happening.player for value in change.values for happening in value or ())
        elif change.player is not None:
            keys.add(change.player)
    return keys


def named(found: Iterable[FactChange], names: Mapping[int, str]) -> tuple[FactChange, ...]:
    """Return the changes with players' names; `names`: primary key → name that the reader may see."""
    return tuple(
        replace(
            change,
            before=_named(change.what, change.before, names),
            theirs=_named(change.what, change.theirs, names),
            yours=_named(change.what, change.yours, names),
            who="" if change.player is None else names.get(change.player, ""),
        )
        for change in found
    )


def _named(what: str, value: Any, names: Mapping[int, str]) -> Any:
    if what == "player":
        return names.get(value, "")
    if what == "happenings":
        return tuple(replace(happening, who=names.get(happening.player, "")) for happening in value or ())
    if what in CHOICES:
        return str(dict(CHOICES[what].choices).get(value, value or ""))
    return value


History = list[tuple[Revision, tuple[FactChange, ...]]]


def history_of(hanchan: Hanchan) -> History:
    """Return all revisions of a hanchan, latest first, each with its changes. Three queries, four if the rules changed.

    Revisions that created the hanchan or only changed its state have none.
    """
    revisions = hide_former(_revisions(hanchan))
    states = [(readable_state(revision.before), readable_state(revision.after)) for revision in revisions]
    both = [tuple(_changes(*pair)) for pair in states]
    keys = {key for changes in both for change in changes if change.what == "rules" for key in change.values}
    versions = RulesetVersion.objects.select_related("ruleset").in_bulk(keys) if keys else {}
    return [
        (revision, tuple(_with_rules(change, versions) for change in changes))
        for revision, changes in zip(revisions, both, strict=True)
    ]


def _changes(before: Snapshot | None, after: Snapshot | None) -> Iterator[FactChange]:
    if before is None or after is None:
        return
    old, new = before["ruleset_version"], after["ruleset_version"]
    if old != new:
        yield FactChange("rules", None, old, old, new)
    yield from (change for change in clashes(before, before, after) if change.what != "state")
    for number, (seat, other) in enumerate(zip(before["seats"], after["seats"], strict=False)):
        if seat["player"] == other["player"] and other["raw"] is not None:
            # The settlement follows from the ranking points; show it only if it changed alone.
            for what in [what for what in ("points", "settlement") if seat[what] != other[what]][:1]:
                yield FactChange(what, number, seat[what], seat[what], other[what], other["player"])


def _with_rules(change: FactChange, versions: Mapping[int, RulesetVersion]) -> FactChange:
    if change.what != "rules":
        return change
    return replace(change, before=versions.get(change.before), yours=versions.get(change.yours))


def _revisions(hanchan: Hanchan) -> QuerySet[Revision]:
    return Revision.objects.filter(league=hanchan.league_id, subject="hanchan", subject_id=hanchan.pk)


def yakuman_of(hanchan: Hanchan, names: Mapping[int, str]) -> list[StoredIncident]:
    """Return the yakuman of a hanchan with players' names; uses prefetched rows."""
    players = {seat.seat: seat.player_id for seat in hanchan.seats.all()}
    return [
        StoredIncident(incident.kind, players[incident.seat], incident.note, {}, names[players[incident.seat]])
        for incident in hanchan.incidents.all()
        if incident.kind == Incident.Kind.YAKUMAN
    ]
