"""Simulated blocks of a stage: players, tables and rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.core import PlayerResult
from tournaments.core.facts import Participant, TournamentFacts
from tournaments.core.format import Fill, RankBy, SeatingMethod, Stage
from tournaments.core.odds import Bank
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.seating.draw import draw_blocks
from tournaments.core.state import StageProgress
from tournaments.estimates import np

_ABOVE = 1 << 21
"""Exceeds the points of any hanchan, so that the last hanchan only decides between equal totals."""


@dataclass(slots=True)
class Players:
    """All players, numbered.

    `haste`: factor of an exponential finishing time; the shortest time finishes first. `samples`: number of simulated
    endings. `successor`: the player's replacement.
    """

    number: Mapping[Participant, int]
    haste: Any
    samples: int
    table_size: int
    successor: dict[int, int] = field(default_factory=dict)

    def replace(self, progress: StageProgress, facts: TournamentFacts) -> None:
        there = {line.participant for ranking in progress.rankings for line in ranking.lines}
        for each in facts.withdrawals:
            if each.stage == progress.stage.key and each.substitute is not None and each.substitute not in there:
                self.successor[self.number[each.participant]] = self.number[each.substitute]

    def replaced(self, rows: Any) -> Any:
        for left, substitute in self.successor.items():
            rows = np.where(rows == left, substitute, rows)
        return rows


@dataclass(slots=True)
class PlayedBlock:
    """A block as arrays: a row for each place, a column for each ending. Points in 1/1000 pt.

    `last` and `places`: newest hanchan and sum of placements; None if irrelevant to the ranking. `known`: players
    ordered by earlier hanchan if tied, best first; other ties are broken by lot. `left`: remaining hanchan by place.
    `tables`: seated tables as rows (-1: player without a place). After `play`, rows are ordered from first to last, and
    `keys` are their sort keys.
    """

    key: str
    stage: Stage
    table_size: int
    players: Any
    haste: Any
    totals: Any
    last: Any
    places: Any
    left: list[int]
    tables: list[list[int]]
    known: list[int] = field(default_factory=list)
    keys: Any = None

    @property
    def size(self) -> int:
        return len(self.left)


def known_block(
    stage: Stage,
    ranking: BlockRanking,
    facts: TournamentFacts,
    tables: Sequence[Sequence[Participant]],
    players: Players,
) -> PlayedBlock:
    lines = [line for line in ranking.counting if _stays(line, stage, facts)]
    results = [_hanchan(facts, stage, line) for line in lines]
    rows = {line.participant: row for row, line in enumerate(lines)}
    numbers = np.asarray([players.number[line.participant] for line in lines], dtype=np.int64)
    mine = [[rows.get(each, -1) for each in table] for table in tables if rows.keys() & set(table)]

    def wide(values: Any) -> Any:
        return np.repeat(np.asarray(values)[:, None], players.samples, axis=1)

    return PlayedBlock(
        key=ranking.block,
        stage=stage,
        table_size=players.table_size,
        players=wide(numbers),
        haste=wide(players.haste[numbers]),
        totals=wide([line.points for line in lines]),
        last=wide([_newest(stage, played) for played in results]) if _last_decides(stage) else None,
        places=wide([sum(result.placement for result in played) for played in results])
        if stage.rank_by is RankBy.PLACEMENT
        else None,
        left=[line.left for line in lines],
        tables=mine,
        known=[
            row
            for row, line in enumerate(lines)
            if not (line.undecided or line.shared) and (_last_decides(stage) or line.left == 0)
        ],
    )


def _last_decides(stage: Stage) -> bool:
    return stage.tiebreak[:1] == ("last_hanchan",) or _last_place_decides(stage)


def _last_place_decides(stage: Stage) -> bool:
    return stage.tiebreak[:1] == ("last_hanchan_by_placement",)


def _newest(stage: Stage, played: Sequence[PlayerResult]) -> int:
    if not played:
        return 0
    return -played[-1].placement if _last_place_decides(stage) else played[-1].points


def _stays(line: RankingLine, stage: Stage, facts: TournamentFacts) -> bool:
    if not line.withdrawn:
        return True
    substitutes = [
        each.substitute for each in facts.withdrawals if (each.stage, each.participant) == (stage.key, line.participant)
    ]
    return line.played >= line.planned and any(each is not None for each in substitutes)


def _hanchan(facts: TournamentFacts, stage: Stage, line: RankingLine) -> list[PlayerResult]:
    played = [each for each in facts.results(stage.key).get(line.participant, ()) if isinstance(each, PlayerResult)]
    return played[: line.played]


def unknown_blocks(
    stage: Stage, players: Any, totals: Any, everybody: Players, generator: np.random.Generator
) -> Iterator[PlayedBlock]:
    sizes = _sizes(stage, len(players))
    order = range(len(players))
    if len(sizes) > 1 and stage.fill is Fill.DRAW:
        lot = _flat(_lots(players.shape, generator))
        players, totals = players.take(lot), totals.take(lot)
    blocks = draw_blocks(order, sizes, seed=0, method="snake" if stage.fill is Fill.SNAKE else "order")
    for block, rows in zip(stage.blocks, blocks, strict=True):
        mine = players[list(rows)]
        yield PlayedBlock(
            key=block.key,
            stage=stage,
            table_size=everybody.table_size,
            players=mine,
            haste=everybody.haste[mine],
            totals=totals[list(rows)],
            last=np.zeros_like(mine) if _last_decides(stage) else None,
            places=np.zeros_like(mine) if stage.rank_by is RankBy.PLACEMENT else None,
            left=[stage.planned] * len(rows),
            tables=[],
        )


def _sizes(stage: Stage, number: int) -> list[int]:
    sizes, count = stage.block_sizes(number), len(stage.blocks)
    return (
        sizes
        if sizes and 0 not in sizes
        else [max(1, number // count + (each < number % count)) for each in range(count)]
    )


def play(block: PlayedBlock, bank: Bank, generator: np.random.Generator) -> PlayedBlock:
    rows = np.asarray(bank, dtype=np.int64)
    for table in block.tables:
        there = [row for row in table if row >= 0 and block.left[row] > 0]
        if there:
            _play_table(block, table, rows, generator)
    for seats in _seats_to_come(block, generator):
        _play_round(block, seats, rows, generator)
    keys = _keys(block)
    order = _flat(best_first(keys, generator, block.known))
    block.players, block.totals, block.keys = (each.take(order) for each in (block.players, block.totals, keys))
    return block


def _keys(block: PlayedBlock) -> Any:
    keys = (block.totals if block.places is None else -block.places) * _ABOVE
    if block.last is not None:
        keys += block.last
    return keys


def _order(keys: Any) -> Any:
    """Return the row numbers of each column in ascending order, stable.

    Packs row and key into one integer, because sorting integers is several times faster.
    """
    bits = len(keys).bit_length()
    packed = (keys << bits) | np.arange(len(keys))[:, None]
    packed.sort(axis=0)
    packed &= (1 << bits) - 1
    return packed


def best_first(keys: Any, generator: np.random.Generator, known: Sequence[int] = ()) -> Any:
    """Return the rows of each column in descending order; ties are broken by lot, but keep the order of `known`."""
    order = _order(-keys)
    ranked = np.take_along_axis(keys, order, axis=0)
    level = np.flatnonzero((ranked[1:] == ranked[:-1]).any(axis=0))
    lots = generator.random((len(keys), len(level)))
    rows = list(known)
    lots[rows] = np.sort(lots[rows], axis=0)
    order[:, level] = np.lexsort((lots, -keys[:, level]), axis=0)
    return order


def _lots(shape: tuple[int, int], generator: np.random.Generator) -> Any:
    return _order(generator.integers(1 << 40, size=shape))


def _flat(rows: Any) -> Any:
    """Return flat indices of these rows in each column; overwrites `rows`."""
    samples = rows.shape[1]
    rows *= samples
    rows += np.arange(samples)
    return rows


def drawn_orders(haste: Any, rows: Any, samples: int, generator: np.random.Generator) -> tuple[Any, Any]:
    """Return points and placements (0 first) as arrays of tables, seats and endings.

    `haste`: an array that broadcasts to this shape; `rows`: rows of points from the bank.
    """
    seats = haste.shape[1]
    times = generator.standard_exponential((len(haste), seats, samples), dtype=np.float32) * haste
    # Assume that later rows are behind; the comparison corrects this where their time is shorter.
    places = np.repeat(np.arange(seats, dtype=np.int8)[None, :, None], samples, axis=2).repeat(len(haste), axis=0)
    for one in range(seats):
        for other in range(one):
            sooner = (times[:, one] < times[:, other]).view(np.int8)
            places[:, one] -= sooner
            places[:, other] += sooner
    row = generator.integers(len(rows), size=(len(haste), 1, samples), dtype=np.int32)
    row *= rows.shape[1]
    return rows.ravel().take(row + places), places


def _play_table(block: PlayedBlock, table: Sequence[int], rows: Any, generator: np.random.Generator) -> None:
    samples = block.players.shape[1]
    if len(table) != rows.shape[1]:
        return
    haste = np.stack([block.haste[row] if row >= 0 else np.ones(samples, dtype=np.float32) for row in table])[None]
    points, places = drawn_orders(haste, rows, samples, generator)
    decides = -(places + 1) if _last_place_decides(block.stage) else points
    for seat, row in enumerate(table):
        if row >= 0 and block.left[row] > 0:
            block.totals[row] += points[0, seat]
            if block.last is not None:
                block.last[row] = decides[0, seat]
            if block.places is not None:
                block.places[row] += places[0, seat] + 1
            block.left[row] -= 1


def _seats_to_come(block: PlayedBlock, generator: np.random.Generator) -> Iterator[Any]:
    """Yield the seats of each hanchan that is not seated yet, table by table.

    Each item is an array of rows, shared by all endings or with a column for each.
    """
    size, samples, stage = block.table_size, block.players.shape[1], block.stage
    left = list(block.left)
    number, seats = 0, None
    # If players withdraw from a block of one table, assume a house player in the empty seat until it is decided.
    while (there := [row for row in range(len(left)) if left[row] > 0]) and (len(there) >= size or len(left) < size):
        # Seat the players with the most hanchan left first, so that none are left over.
        there.sort(key=lambda row: -left[row])
        chosen = np.asarray(there[: max(1, len(there) // size) * size])
        if len(chosen) <= size:
            seats = chosen
        elif stage.is_by_standing:
            seats = _flat(chosen.take(_order(-_keys(block)[chosen])))
        elif (
            seats is None
            or len(seats) != len(chosen)
            or number % stage.hanchan == 0
            or stage.seating is not SeatingMethod.FIXED
        ):
            seats = _flat(chosen.take(_lots((len(chosen), samples), generator)))
        yield seats
        number += 1
        for row in chosen:
            left[row] -= 1


def _play_round(block: PlayedBlock, seats: Any, rows: Any, generator: np.random.Generator) -> None:
    samples, size = block.players.shape[1], rows.shape[1]
    if len(seats) > size and len(seats) % size:
        return
    haste = block.haste[seats] if seats.ndim == 1 else block.haste.take(seats)
    if len(seats) < size:
        house = np.ones((size - len(seats), haste.shape[-1]), dtype=np.float32)
        haste = np.concatenate([haste, house])
    points, places = drawn_orders(haste.reshape(-1, size, haste.shape[-1]), rows, samples, generator)
    points, places = (each.reshape(-1, samples)[: len(seats)] for each in (points, places))
    totals, last, sums = (
        each if each is None or seats.ndim == 1 else each.reshape(-1)
        for each in (block.totals, block.last, block.places)
    )
    totals[seats] += points
    if last is not None:
        last[seats] = -(places + 1) if _last_place_decides(block.stage) else points
    if sums is not None:
        sums[seats] += places + 1
