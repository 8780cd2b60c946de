"""Titles as data: a condition, and the holder computed from the lines of a board.

A title is either a file in `stats/titles/` with worked examples, or a league's own. Corrected results can change its
holder.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from math import ceil
from operator import attrgetter
from typing import Any

from league.core.board_lines import TWELFTHS
from scoring.core.reading import shipped_texts

MAX_MINIMUM = 9999


class TitleError(ValueError):
    """A title definition that is invalid."""


class TitleScope(StrEnum):
    MONTH = "month"
    YEAR = "year"
    ALL = "all"


class Better(StrEnum):
    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class TitleLine:
    """A board line for titles. Points in 1/1000 pt, placements in twelfths.

    `score`: the value the board is sorted by; `rank`: None below the minimum. `placed`: hanchan with known placements.
    `averaged`: points used for averages, over `counted` hanchan.
    """

    player: Any
    hanchan: int = 0
    rank: int | None = None
    score: Fraction | int = 0
    total: int = 0
    averaged: int = 0
    counted: int = 0
    placed: int = 0
    placement_halves: int = 0
    first: int = 0
    second: int = 0
    third: int = 0
    fourth: int = 0
    plus: int = 0
    busts: int = 0
    raw_best: int | None = None
    points_best: int | None = None


class Unit(StrEnum):
    BOARD = "board"
    POINTS = "points"
    RAW = "raw"
    COUNT = "count"
    SHARE = "share"
    PLACEMENT = "placement"


Value = Fraction | int | None


@dataclass(frozen=True, slots=True)
class TitleMetric:
    """A figure that titles are given for: its value in a line, and the number of hanchan it is based on."""

    unit: Unit
    value: Callable[[TitleLine], Value]
    games: Callable[[TitleLine], int]


_played, _placed, _counted = attrgetter("hanchan"), attrgetter("placed"), attrgetter("counted")


def _share(twelfths: int, line: TitleLine) -> Value:
    return Fraction(twelfths, TWELFTHS * line.placed) if line.placed else None


def _of_hanchan(count: int, line: TitleLine) -> Value:
    return Fraction(count, line.hanchan) if line.hanchan else None


METRICS: Mapping[str, TitleMetric] = {
    "board": TitleMetric(Unit.BOARD, lambda line: line.score if line.rank else None, _counted),
    "total": TitleMetric(Unit.POINTS, lambda line: line.total, _counted),
    "average_points": TitleMetric(
        Unit.POINTS, lambda line: Fraction(line.averaged, line.counted) if line.counted else None, _counted
    ),
    "average_placement": TitleMetric(
        Unit.PLACEMENT, lambda line: Fraction(line.placement_halves, 2 * line.placed) if line.placed else None, _placed
    ),
    "best_raw": TitleMetric(Unit.RAW, lambda line: line.raw_best, _played),
    "best_points": TitleMetric(Unit.POINTS, lambda line: line.points_best, _played),
    "top_rate": TitleMetric(Unit.SHARE, lambda line: _share(line.first, line), _placed),
    "top_two_rate": TitleMetric(Unit.SHARE, lambda line: _share(line.first + line.second, line), _placed),
    "avoid_last_rate": TitleMetric(
        Unit.SHARE, lambda line: _share(TWELFTHS * line.placed - line.fourth, line), _placed
    ),
    "plus_rate": TitleMetric(Unit.SHARE, lambda line: _of_hanchan(line.plus, line), _played),
    "bust_rate": TitleMetric(Unit.SHARE, lambda line: _of_hanchan(line.busts, line), _played),
    "hanchan": TitleMetric(Unit.COUNT, lambda line: line.counted, _counted),
}
"""Metrics that a title can name, by key."""


@dataclass(frozen=True, slots=True)
class TitleMinimum:
    """The minimum number of hanchan for a title: a number, or a share of the highest number, rounded up."""

    number: int = 0
    share: Fraction | None = None

    def of(self, most: int) -> int:
        """Return the required number of hanchan, at least one. `most`: hanchan of the most active player."""
        return max(1, self.number if self.share is None else ceil(self.share * most))

    def __str__(self) -> str:
        return str(self.number) if self.share is None else f"{self.share.numerator}/{self.share.denominator}"


def read_minimum(text: object) -> TitleMinimum:
    """Return the minimum written as 20 or "1/3". Raise TitleError."""
    written = str(text).strip()
    number, stroke, parts = written.partition("/")
    if not (number.isascii() and number.isdecimal() and len(number) <= len(str(MAX_MINIMUM))):
        raise TitleError(written)
    if not stroke:
        return TitleMinimum(int(number))
    if not (parts.isascii() and parts.isdecimal() and 0 < int(number) <= int(parts) <= MAX_MINIMUM):
        raise TitleError(written)
    return TitleMinimum(share=Fraction(int(number), int(parts)))


@dataclass(frozen=True, slots=True)
class TitleRule:
    """A title. `name`, `about` and `source`: by language. `minimum`: by the scopes in which it is awarded."""

    key: str
    name: Mapping[str, str]
    metric: str
    better: Better
    minimum: Mapping[TitleScope, TitleMinimum]
    about: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Mapping[str, Any], ...] = ()

    @property
    def measured(self) -> TitleMetric:
        return METRICS[self.metric]


@cache
def load_titles() -> tuple[TitleRule, ...]:
    """Return the built-in titles in page order. Raise TitleError for an invalid file."""
    titles = [read_title(key, text) for key, text in shipped_texts("stats", "titles").items()]
    places = {key: place for place, key in enumerate(ORDER)}
    return tuple(sorted(titles, key=lambda title: (places.get(title.key, len(ORDER)), title.key)))


ORDER = ("overall", "best-score", "last-avoidance")
"""Well-known titles come first."""


def read_title(key: str, text: str) -> TitleRule:
    """Return the title described by a TOML text. Raise TitleError if it is invalid."""
    table = tomllib.loads(text)
    if table.get("metric") not in METRICS or set(table.get("name", ())) != {"ja", "en"}:
        raise TitleError(key)
    minimum = table["minimum"]
    try:
        scopes = [TitleScope(scope) for scope in table["scopes"]]
        better = Better(table["better"])
    except ValueError as error:
        raise TitleError(key) from error
    return TitleRule(
        key=key,
        name=table["name"],
        metric=table["metric"],
        better=better,
        minimum={scope: read_minimum(minimum[scope] if isinstance(minimum, dict) else minimum) for scope in scopes},
        about=table.get("about", {}),
        source=table.get("source", {}),
        examples=tuple(table.get("example", ())),
    )


@dataclass(frozen=True, slots=True)
class TitleStanding:
    """A title's holders and their value, the runner-up and the distance, and players below the minimum.

    `missing`: number of hanchan each of these still needs, fewest first. `needed`: the title's minimum.
    """

    holders: tuple[Any, ...]
    value: Value
    runner_up: tuple[Any, ...]
    distance: Value
    missing: tuple[tuple[Any, int], ...]
    needed: int


def standing_of(title: TitleRule, scope: TitleScope, lines: Sequence[TitleLine]) -> TitleStanding:
    """Return a title's holders computed from the lines of a board; players with equal values share it."""
    metric = title.measured
    if not any(line.fourth for line in lines):
        # Count last places as fourth places, so that third place in a three-player league counts as last.
        lines = [replace(line, fourth=line.third) for line in lines]
    counted = {line.player: metric.games(line) for line in lines}
    needed = title.minimum[scope].of(max(counted.values(), default=0))
    values = {line.player: value for line in lines if (value := metric.value(line)) is not None}
    enough = {player: value for player, value in values.items() if counted[player] >= needed}
    order = _order(title, enough, {line.player: line.rank or 0 for line in lines})
    places = sorted(set(order.values()))
    placed = [places[place : place + 1] for place in (0, 1)]
    holders, after = (tuple(player for player in enough if [order[player]] == place) for place in placed)
    value = enough[holders[0]] if holders else None
    second = enough[after[0]] if after else None
    distance: Value = None
    if value is not None and second is not None:
        distance = value - second if value >= second else second - value
    missing = [(player, needed - counted[player]) for player in values if 0 < counted[player] < needed]
    return TitleStanding(
        holders=holders,
        value=value,
        runner_up=after,
        distance=distance,
        missing=tuple(sorted(missing, key=lambda each: each[1])),
        needed=needed,
    )


def _order(
    title: TitleRule, values: Mapping[Any, Fraction | int], ranks: Mapping[Any, int]
) -> dict[Any, Fraction | int]:
    """Return the sort key of each line. Titles for the board's own score use its ranks, which include tie-breaks."""
    if title.metric == "board":
        return {player: ranks[player] for player in values}
    sign = 1 if title.better is Better.LOW else -1
    return {player: sign * value for player, value in values.items()}
