from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from league.core.kept_states import readable_state
from league.models import Hanchan, Incident, Revision
from league.selectors.confirming import RAISING
from league.selectors.games import USUAL, Snapshot
from league.selectors.hanchan_revisions import SEAT_FACTS, StoredIncident

TABLE_FACTS = ("state", "table", "round", "sticks_left", "end_reason", "note")

Fact = tuple[str, int | None]
"""Name of the field, and seat (None for the whole table)."""


@dataclass(frozen=True, slots=True)
class ConflictingFact:
    """A fact that another user or this user has changed. `who`: player of the seat in the input."""

    what: str
    seat: int | None
    before: Any
    theirs: Any
    yours: Any
    who: str = ""

    @property
    def is_undone(self) -> bool:
        """Whether saving would revert the other user's change, which this user did not touch."""
        return bool(self.yours == self.before != self.theirs)

    @property
    def is_agreed(self) -> bool:
        """Whether both users entered the same value."""
        return bool(self.theirs == self.yours)


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
    facts, others = facts_in(one), facts_in(other)
    return {key: facts[key] for key in facts if key[0] != "state"} == {
        key: others[key] for key in others if key[0] != "state"
    }


def clashes(before: Snapshot, theirs: Snapshot, yours: Snapshot) -> tuple[ConflictingFact, ...]:
    """Return the facts in which either correction differs from `before`, in the order of the page."""
    old, their, your = facts_in(before), facts_in(theirs), facts_in(yours)
    keys = dict.fromkeys((*old, *their, *your))
    found = (ConflictingFact(*key, old.get(key), their.get(key), your.get(key)) for key in keys)
    return tuple(each for each in found if each.theirs != each.before or each.yours != each.before)


def state_at(hanchan: Hanchan, version: int) -> Snapshot | None:
    """Return the snapshot at a version, or None if the history lacks it. One query."""
    revisions = Revision.objects.filter(league=hanchan.league_id, subject="hanchan", subject_id=hanchan.pk)
    raised = revisions.filter(action__in=RAISING).order_by("-pk")
    back = hanchan.version - version
    found = raised[back : back + 1].first() if back >= 0 else None
    return readable_state(found.after) if found is not None else None


def last_change(hanchan: Hanchan) -> Revision | None:
    """Return the latest revision that changed the hanchan's version, or None. One query."""
    revisions = Revision.objects.filter(league=hanchan.league_id, subject="hanchan", subject_id=hanchan.pk)
    return revisions.filter(action__in=RAISING).order_by("-pk").first()


def people_among(found: Iterable[ConflictingFact]) -> set[int]:
    keys: set[int] = set()
    for clash in found:
        for value in (clash.before, clash.theirs, clash.yours):
            if clash.what == "player" and value is not None:
                keys.add(value)
            elif clash.what == "happenings":
                keys |= {happening.player for happening in value or ()}
    return keys


def named(
    found: Iterable[ConflictingFact], names: Mapping[int, str], seated: Mapping[int, str]
) -> tuple[ConflictingFact, ...]:
    """Return the differences with players' names; `seated`: names by seat in the input."""
    return tuple(
        replace(
            clash,
            before=_named(clash.what, clash.before, names),
            theirs=_named(clash.what, clash.theirs, names),
            yours=_named(clash.what, clash.yours, names),
            who="" if clash.seat is None else seated.get(clash.seat, ""),
        )
        for clash in found
    )


def _named(what: str, value: Any, names: Mapping[int, str]) -> Any:
    if what == "player":
        return names.get(value, "")
    if what == "happenings":
        return tuple(replace(happening, who=names.get(happening.player, "")) for happening in value or ())
    if what == "end_reason":
        return str(dict(Hanchan.EndReason.choices).get(value, ""))
    if what == "given":
        return str(dict(Hanchan.Given.choices).get(value, value))
    if what == "state":
        return str(dict(Hanchan.State.choices).get(value, value))
    return value
