"""Proof of facts: each hanchan equals the last state in its history."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from league.models import Hanchan, League, Player, Revision
from league.selectors.games import USUAL, Snapshot, snapshots_of
from league.selectors.played import in_chunks
from league.services.proofs.values import Difference, Proof, ProofTally

OF_HANCHAN = ("table", "round", "played_at", "ruleset_version", "sticks_left", "end_reason", "note", "state")
OF_SEAT = ("raw", "chips", "chombo", "deposits")
OF_SEAT_BY_POINTS = (*OF_SEAT, "points", "settlement", "placement")


@dataclass(frozen=True, slots=True)
class Persons:
    """Merged players: `now` maps each player to the one they are merged into; `separated` holds undone merges."""

    now: Mapping[int, int]
    separated: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, league: League) -> "Persons":
        now = _present(league)
        undone = Revision.objects.filter(league=league, subject="player", action=Revision.Action.SEPARATED)
        pairs = undone.order_by().values_list("subject_id", "before__into").distinct()
        return cls(now, frozenset((source, now.get(into, 0)) for source, into in pairs))

    def may_be(self, stored: int, told: int) -> bool:
        """Return whether the stored player can be the one in the history, considering merges."""
        person = self.now.get(told)
        return self.now.get(stored) == person or (stored, person) in self.separated


def check_facts(league: League, tally: ProofTally) -> Iterator[Difference]:
    people = Persons.of(league)
    for _, chunk in in_chunks(Hanchan.objects.filter(league=league)):
        yield from changed_past_history(league, list(chunk.values_list("pk", flat=True)), people, tally)


def changed_facts(league: League, numbers: Sequence[int]) -> set[str]:
    found = changed_past_history(league, numbers, Persons.of(league), ProofTally())
    return {difference.row.partition(" seat")[0] for difference in found}


def changed_past_history(
    league: League, numbers: Sequence[int], people: Persons, tally: ProofTally
) -> Iterator[Difference]:
    """Yield facts of these hanchan that differ from the history."""
    told = _last_states(league, numbers)
    for number, stored in snapshots_of(numbers).items():
        row, state = f"hanchan {number}", told.get(number)
        tally.add(number, [(seat["player"], *map(seat.get, OF_SEAT)) for seat in stored["seats"]])
        if state is None:
            yield Difference(row, "history", "", "", is_fact=True, why="the history does not mention it")
        else:
            yield from _differences(row, stored, state, people)


def _last_states(league: League, numbers: Sequence[int]) -> dict[int, Snapshot]:
    revisions = Revision.objects.filter(league=league, subject="hanchan", subject_id__in=numbers, after__isnull=False)
    rows = revisions.order_by("pk").values_list("subject_id", "after")
    return {number: after for number, after in rows.iterator() if _has_seats(after)}


def _has_seats(state: Any) -> TypeGuard[Snapshot]:
    seats = state.get("seats") if isinstance(state, dict) else None
    return isinstance(seats, list) and all(isinstance(seat, dict) for seat in seats)


def _differences(row: str, stored: Snapshot, told: Snapshot, people: Persons) -> Iterator[Difference]:
    yield from _unequal(row, stored, told, OF_HANCHAN)
    yield from _unequal(row, USUAL | stored, USUAL | told, tuple(USUAL))
    if len(stored["seats"]) != len(told["seats"]):
        yield Difference(row, "number of seats", len(stored["seats"]), len(told["seats"]), is_fact=True)
        return
    for place, (seat, said) in enumerate(zip(stored["seats"], told["seats"], strict=True)):
        where = f"{row} seat {place}"
        yield from _unequal(where, seat, said, OF_SEAT if said.get("raw") is not None else OF_SEAT_BY_POINTS)
        if "player" in said and not people.may_be(seat["player"], said["player"]):
            yield Difference(where, "player", seat["player"], said["player"], is_fact=True)
    yield from _unequal(row, stored, told, ("incidents",))


def _unequal(row: str, stored: Mapping[str, Any], told: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Difference]:
    for name in keys:
        # The history may have been written before the column existed.
        if name in told and stored[name] != told[name]:
            yield Difference(row, name, stored[name], told[name], is_fact=True)


def _present(league: League) -> dict[int, int]:
    merged = dict(Player.objects.filter(league=league).values_list("pk", "merged_into"))
    found = {}
    for player in merged:
        current, passed = player, {player}
        while (above := merged.get(current)) is not None and above not in passed:
            passed.add(above)
            current = above
        found[player] = current
    return found


FACTS = Proof("facts", "hanchan", check_facts)
