"""Whether results stand as the history last told of them: what the chain keeps is the history, not the tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from league.models import Hanchan, League, Player, Revision
from league.selectors.games import Snapshot, snapshots_of

TOGETHER = 500

NOT_TOLD = frozenset({"name", "points", "settlement", "placement"})
"""What of a seat is not compared: names change, the rest is derived from what is compared."""


@dataclass(frozen=True, slots=True)
class UntoldChange:
    """A result that is otherwise than the history says. `what` names the fact; empty where it tells nothing of it."""

    hanchan: int
    what: str = ""

    def __str__(self) -> str:
        if not self.what:
            return f"hanchan {self.hanchan} stands and the history tells nothing of it"
        return f"hanchan {self.hanchan} has another {self.what} than the history says"


def check_told(league: League) -> Iterator[UntoldChange]:
    """Yield every result that stands otherwise than the last word of the history on it. Three queries for 500 of them."""
    persons = _persons(league)
    numbers = list(Hanchan.objects.filter(league=league).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(numbers), TOGETHER):
        part = numbers[start : start + TOGETHER]
        standing, told = snapshots_of(part), _told(league, part)
        for number in part:
            if number not in told:
                yield UntoldChange(number)
            elif number in standing and (what := _difference(told[number], standing[number], persons)):
                yield UntoldChange(number, what)


def _told(league: League, numbers: list[int]) -> dict[int, Snapshot]:
    """Return what the history says last of each hanchan."""
    revisions = Revision.objects.filter(league=league, subject="hanchan", subject_id__in=numbers)
    rows = revisions.exclude(after=None).order_by("pk").values_list("subject_id", "after")
    return {number: after for number, after in rows if after is not None and "seats" in after}


def _persons(league: League) -> dict[int, int]:
    """Return who everybody has become by merging."""
    into = dict(Player.objects.filter(league=league).order_by().values_list("pk", "merged_into"))
    return {player: _last(player, into) for player in into}


def _last(player: int, into: Mapping[int, int | None]) -> int:
    while (above := into.get(player)) is not None:
        player = above
    return player


def _difference(told: Snapshot, standing: Snapshot, persons: Mapping[int, int]) -> str:
    """Return the first fact that is otherwise; what older histories did not tell is not asked for."""
    for name, value in _facts(told, persons).items():
        if name in standing and _facts(standing, persons)[name] != value:
            return name
    return ""


def _facts(state: Snapshot, persons: Mapping[int, int]) -> dict[str, Any]:
    return {**state, "seats": [_seat(seat, persons) for seat in state["seats"]], "incidents": _sorted(state)}


def _seat(seat: Mapping[str, Any], persons: Mapping[int, int]) -> dict[str, Any]:
    facts = {name: value for name, value in seat.items() if name not in NOT_TOLD}
    return {**facts, "player": persons.get(seat["player"], seat["player"])}


def _sorted(state: Snapshot) -> list[Any]:
    return sorted(state["incidents"], key=lambda each: (each["seat"], each["kind"], str(each["detail"]), each["note"]))
