"""How long a format takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tournaments.core.format import Format, Stage
from tournaments.core.ranking import planned_each

ROUNDS = {"evening": range(1, 5), "day": range(1, 9), "days": range(9, 100_000)}
"""Number of hanchan one after the other that can be played."""

MINUTES, BREAK = 75, 15
"""Usual minutes from the start of a hanchan to the next, and those of them after a timer has ended."""

ADJUSTABLE = {"swiss": "hanchan", "open-final-table": "hanchan", "season": "sessions"}
"""Built-in formats of which the first stage's length is chosen, and by what."""


@dataclass(frozen=True, slots=True)
class Length:
    """`rounds`: hanchan one after the other. `fewest`, `most`: hanchan of one player."""

    rounds: int
    sessions: int
    fewest: int
    most: int


def with_length(document: Mapping[str, Any], key: str, number: int) -> dict[str, Any]:
    """Return a built-in format's document with another number of hanchan or sessions."""
    first, *later = document["stage"]
    if "sessions" in first and ADJUSTABLE[key] == "hanchan":
        sessions = 1 if number % first["hanchan"] else number // first["hanchan"]
        first, number = {**first, "sessions": sessions}, number // sessions
    return {**document, "stage": [{**first, ADJUSTABLE[key]: number}, *later]}


def length_within(document: Mapping[str, Any], key: str, time: str) -> int:
    """Return the usual number of hanchan or sessions, or the most that the time allows."""
    (stage, *later), by = document["stage"], ADJUSTABLE[key]
    usual: int = stage[by] if by == "sessions" else stage[by] * stage.get("sessions", 1)
    each = 1 if by == "hanchan" else stage["hanchan"]
    after = max((each["hanchan"] for each in later), default=0)
    return min(usual, (ROUNDS[time][-1] - after) // each) if time in ROUNDS else usual


def length_of(format_: Format) -> Length:
    entered = [stage for stage in format_.stages if format_.is_entered(stage)]
    return Length(
        rounds=max(_path(stage, format_, lambda each: each.planned) for stage in entered),
        sessions=max(_path(stage, format_, lambda each: each.sessions) for stage in entered),
        fewest=min(_fewest(stage, format_) for stage in entered),
        most=max(_path(stage, format_, lambda each: _each(each, format_)) for stage in entered),
    )


def is_one_day(format_: Format) -> bool:
    return length_of(format_).rounds in ROUNDS["day"]


def _path(stage: Stage, format_: Format, size: Callable[[Stage], int]) -> int:
    return size(stage) + max((_path(each, format_, size) for each in _next(stage, format_)), default=0)


def _fewest(stage: Stage, format_: Format) -> int:
    following = _next(stage, format_)
    all_go_on = any(getattr(source, "last", 1) is None for each in following for source in each.sources)
    return _each(stage, format_) + (min(_fewest(each, format_) for each in following) if all_go_on else 0)


def _next(stage: Stage, format_: Format) -> list[Stage]:
    return [each for each in format_.destinations_from(stage.key) if isinstance(each, Stage)]


def _each(stage: Stage, format_: Format) -> int:
    return planned_each(stage, stage.blocks[0].size or 0, format_.table_size)
