"""Rows put together into games, still as text: whatever the form, one record per game."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from league.core.spreadsheets.columns import PER_GAME, RowShape
from league.core.spreadsheets.headers import folded_header, is_header, is_total, split_target, target_of
from league.core.spreadsheets.tables import FileRow

Texts = dict[str, str]

CARRIED = ("date", "session")
"""What is written once for several rows below each other, as in merged cells."""


@dataclass(slots=True)
class SeatRecord:
    """A player's part of a game as the file has it. `place` is the seat that a wide file's column says, from 0 on."""

    line: int
    texts: Texts
    place: int | None = None


@dataclass(slots=True)
class GameRecord:
    """A game as the file has it. `conflicts` names columns in which its rows disagree."""

    texts: Texts
    seats: list[SeatRecord] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the file that the game stands in."""
        return tuple(dict.fromkeys(seat.line for seat in self.seats))


@dataclass(slots=True)
class SkippedRows:
    """How many rows were passed over, and why."""

    totals: int = 0
    headers: int = 0
    carried: int = 0


def records_of(
    rows: Iterable[FileRow], columns: Sequence[str], form: RowShape, players: Mapping[str, int], skipped: SkippedRows
) -> list[GameRecord]:
    """Return the games of the rows below the header, in the order of the file.

    `players` says by the text under "rules" how many sit at a table; "" is the usual number.
    """
    kept = _results(rows, columns, skipped)
    if form is RowShape.WIDE:
        return [_wide(row, columns) for row in kept]
    return _grouped(kept, columns, players, skipped)


def _results(rows: Iterable[FileRow], columns: Sequence[str], skipped: SkippedRows) -> Iterator[FileRow]:
    # A file says the same over and over.
    plain, meant = cache(folded_header), cache(target_of)
    for row in rows:
        if is_total(row.cells, plain):
            skipped.totals += 1
        elif is_header(row.cells, columns, meant):
            skipped.headers += 1
        elif any(cell and target for cell, target in zip(row.cells, columns, strict=False)):
            yield row


def _wide(row: FileRow, columns: Sequence[str]) -> GameRecord:
    record = GameRecord({})
    seats: dict[int, Texts] = {}
    for text, target in zip(row.cells, columns, strict=False):
        key, seat = split_target(target)
        if not key or not text:
            continue
        if seat is None:
            record.texts[key] = text
        else:
            seats.setdefault(seat, {})[key] = text
    # A table of three leaves the columns of the fourth seat empty, or with a zero for what nobody scored.
    taken = [seat for seat, texts in sorted(seats.items()) if "player" in texts or texts.get("raw", "0") != "0"]
    record.seats = [SeatRecord(row.line, seats[seat], seat) for seat in taken] or [SeatRecord(row.line, {}, 0)]
    return record


class _Groups:
    """Games of a long file as they fill up row by row."""

    def __init__(self, players: Mapping[str, int]) -> None:
        self.players = players
        self.records: list[GameRecord] = []
        self.by_name: dict[tuple[str, ...], list[GameRecord]] = {}
        self.seen: Counter[tuple[object, ...]] = Counter()

    def add(self, game: Texts, seat: SeatRecord) -> None:
        name = _name(game)
        record = self._open_record(game, name, self._copy_of(name, seat))
        if record is None:
            record = GameRecord(dict(game))
            self.records.append(record)
        else:
            _merge(record, game)
        record.seats.append(seat)
        if (name := _name(record.texts)) and record not in self.by_name.setdefault(name, [])[-1:]:
            self.by_name[name].append(record)

    def _copy_of(self, name: tuple[str, ...], seat: SeatRecord) -> int:
        """Return how often the very same row has come before: a game that was copied whole is a second game."""
        row = (name, *sorted(seat.texts.items()))
        self.seen[row] += 1
        return self.seen[row] - 1

    def _open_record(self, game: Texts, name: tuple[str, ...], copy: int) -> GameRecord | None:
        """Return the game that a row belongs to, if it has begun already."""
        if name:
            records = self.by_name.get(name, [])
            if "key" in game or "table" in game:
                return records[copy] if copy < len(records) else None
            # Without tables a game of two tables is one number with twice the players.
            return records[-1] if records and not self._is_full(records[-1]) else None
        last = self.records[-1] if self.records else None
        if last is None or self._is_full(last):
            return None
        same = all(last.texts.get(key) == game.get(key) for key in CARRIED)
        return last if same and game.get("table", last.texts.get("table")) == last.texts.get("table") else None

    def _is_full(self, record: GameRecord) -> bool:
        rules = record.texts.get("rules", "")
        return len(record.seats) >= self.players.get(rules, self.players[""])


def _name(game: Texts) -> tuple[str, ...]:
    """Return what tells a game from others; nothing where the file does not say."""
    if key := game.get("key"):
        return (key,)
    if "game" not in game:
        return ()
    get = game.get
    return get("date", ""), get("session_key", ""), get("session", ""), get("table", ""), game["game"]


def _merge(record: GameRecord, game: Texts) -> None:
    """Fill in what only a later row of the game says, and note where it says something else."""
    for key, text in game.items():
        if record.texts.setdefault(key, text) != text and key not in record.conflicts:
            record.conflicts.append(key)


def _grouped(
    rows: Iterable[FileRow], columns: Sequence[str], players: Mapping[str, int], skipped: SkippedRows
) -> list[GameRecord]:
    groups = _Groups(players)
    targets = [split_target(target) for target in columns]
    above: Texts = {}
    for row in rows:
        game: Texts = {}
        seat = SeatRecord(row.line, {})
        for text, (key, _) in zip(row.cells, targets, strict=False):
            if key and text:
                (game if key in PER_GAME else seat.texts)[key] = text
        if "date" not in game and "date" in above:
            game = {**above, **game}
            skipped.carried += 1
        above = {key: game[key] for key in CARRIED if key in game}
        groups.add(game, seat)
    return groups.records
