"""Rows put together into games, still as text: whatever the form, one record per game."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from league.core.numbers import DECIMAL, OPEN, comma_of, plain_number
from league.core.spreadsheets.columns import PER_GAME, RowShape
from league.core.spreadsheets.headers import folded_header, is_header, is_total, split_target, target_of
from league.core.spreadsheets.tables import FileRow

Texts = dict[str, str]

CARRIED = ("date", "session")
"""What is written once for several rows below each other, as in merged cells."""

ABOVE, BY_SESSION, BY_STAMP, STAY = UNDATED = ("above", "session", "stamp", "none")
"""What gives a day to games without one: the game above, another game of the session, when the row was typed; or nothing.
Any other answer is the day itself as ISO 8601."""


@dataclass(slots=True)
class SeatRecord:
    """A player's part of a game as the file has it. `place` is the seat that a wide file's column says, from 0 on."""

    line: int
    texts: Texts
    place: int | None = None


@dataclass(slots=True)
class GameRecord:
    """A game as the file has it. `conflicts` names columns in which its rows disagree.

    `is_open`: nobody has said yet what a comma in its points is.
    """

    texts: Texts
    seats: list[SeatRecord] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    is_open: bool = False

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


@dataclass(slots=True)
class _GatheredRows:
    """The rows of a game, and what they say of the game itself."""

    texts: Texts
    rows: list[FileRow] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The games of a file, put together each time they are asked for: what is kept are the rows of the file.

    `undated` is one of UNDATED or a day. `by_place`: the columns of a wide file go by placement and say nothing of seats.
    """

    gathered: Sequence[FileRow] | Sequence[_GatheredRows]
    columns: Sequence[str]
    undated: str = ""
    by_place: bool = False
    commas: Mapping[str, str] = field(default_factory=dict)
    """What a comma before three digits is in the numbers under a key."""

    def __len__(self) -> int:
        return len(self.gathered)

    def __iter__(self) -> Iterator[GameRecord]:
        days = self._days_of_sessions() if self.undated == BY_SESSION else {}
        above = ""
        decimals = {key for key, comma in self.commas.items() if comma == DECIMAL}
        for record in self._as_written():
            if "date" not in record.texts and (day := self._day_for(record.texts, above, days)):
                record.texts = {**record.texts, "date": day}
            above = record.texts.get("date", above)
            record.is_open = self.commas.get("points") == OPEN
            for seat in record.seats:
                seat.texts |= {key: plain_number(seat.texts[key], DECIMAL) for key in decimals & seat.texts.keys()}
            yield record

    def comma_under(self, key: str) -> tuple[str, str]:
        """Return what a comma before three digits is in the numbers under a key, see `comma_of`, and one that is OPEN."""
        comma = comma_of([seat.texts.get(key, "") for seat in record.seats] for record in self._as_written())
        texts = (seat.texts.get(key, "") for record in self._as_written() for seat in record.seats)
        return comma, next((text for text in texts if comma_of([[text]])), "") if comma == OPEN else ""

    def _as_written(self) -> Iterator[GameRecord]:
        targets = _keys_of(self.columns)
        for each in self.gathered:
            if isinstance(each, FileRow):
                yield _wide(each, self.columns, by_place=self.by_place)
            else:
                seats = [SeatRecord(row.line, _divided(row, targets)[1]) for row in each.rows]
                yield GameRecord(each.texts, seats, each.conflicts)

    def _day_for(self, texts: Texts, above: str, days: Mapping[str, str]) -> str:
        if self.undated == ABOVE:
            return above
        if self.undated == BY_SESSION:
            return days.get(texts.get("session", ""), "")
        return self.undated if self.undated not in UNDATED else ""

    def _days_of_sessions(self) -> dict[str, str]:
        dated = (record.texts for record in self._as_written() if {"date", "session"} <= set(record.texts))
        return {texts["session"]: texts["date"] for texts in dated}

    def undated_games(self) -> int:
        """Return how many games have no date of their own."""
        places = [place for place, target in enumerate(self.columns) if target == "date"]
        return sum(not _says_day(each, places) for each in self.gathered)


def _says_day(each: FileRow | _GatheredRows, places: Sequence[int]) -> bool:
    if isinstance(each, FileRow):
        return any(each.cells[place] for place in places if place < len(each.cells))
    return "date" in each.texts


def records_of(
    rows: Iterable[FileRow], columns: Sequence[str], form: RowShape, players: Mapping[str, int], skipped: SkippedRows
) -> FileRecords:
    """Return the games of the rows below the header, in the order of the file.

    `players` says by the text under "rules" how many sit at a table; "" is the usual number.
    """
    kept = _results(rows, columns, skipped)
    if form is RowShape.WIDE:
        return FileRecords(list(kept), columns)
    return FileRecords(_gathered(kept, columns, players, skipped), columns)


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


def _wide(row: FileRow, columns: Sequence[str], *, by_place: bool) -> GameRecord:
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
    places = [None if by_place else seat for seat in taken]
    record.seats = [SeatRecord(row.line, seats[seat], place) for seat, place in zip(taken, places, strict=True)]
    record.seats = record.seats or [SeatRecord(row.line, {}, 0)]
    return record


class _Groups:
    """Games of a long file as they fill up row by row."""

    def __init__(self, players: Mapping[str, int]) -> None:
        self.players = players
        self.records: list[_GatheredRows] = []
        self.by_name: dict[tuple[str, ...], list[_GatheredRows]] = {}
        self.seen: Counter[tuple[tuple[str, ...], ...]] = Counter()

    def add(self, game: Texts, row: FileRow, seat: Texts) -> None:
        name = _name(game)
        # Only rows that say which of several games they belong to are compared with those before.
        copy = self._copy_of(name, seat) if "key" in game or ("game" in game and "table" in game) else 0
        record = self._open_record(game, name, copy)
        if record is None:
            record = _GatheredRows(game)
            self.records.append(record)
        else:
            _merge(record, game)
        record.rows.append(row)
        if (name := _name(record.texts)) and record not in self.by_name.setdefault(name, [])[-1:]:
            self.by_name[name].append(record)

    def _copy_of(self, name: tuple[str, ...], seat: Texts) -> int:
        """Return how often the very same row has come before: a game that was copied whole is a second game."""
        row = (name, tuple(seat), tuple(seat.values()))
        self.seen[row] += 1
        return self.seen[row] - 1

    def _open_record(self, game: Texts, name: tuple[str, ...], copy: int) -> _GatheredRows | None:
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

    def _is_full(self, record: _GatheredRows) -> bool:
        rules = record.texts.get("rules", "")
        return len(record.rows) >= self.players.get(rules, self.players[""])


def _name(game: Texts) -> tuple[str, ...]:
    """Return what tells a game from others; nothing where the file does not say."""
    if key := game.get("key"):
        return (key,)
    if "game" not in game:
        return ()
    get = game.get
    return get("date", ""), get("session_key", ""), get("session", ""), get("table", ""), game["game"]


def _merge(record: _GatheredRows, game: Texts) -> None:
    """Fill in what only a later row of the game says, and note where it says something else."""
    for key, text in game.items():
        if record.texts.setdefault(key, text) != text and key not in record.conflicts:
            record.conflicts.append(key)


def _keys_of(columns: Sequence[str]) -> list[str]:
    return [split_target(target)[0] for target in columns]


def _divided(row: FileRow, keys: Sequence[str]) -> tuple[Texts, Texts]:
    """Return what a row of a long file says of the game, and what of the player."""
    game: Texts = {}
    seat: Texts = {}
    for text, key in zip(row.cells, keys, strict=False):
        if key and text:
            (game if key in PER_GAME else seat)[key] = text
    return game, seat


def _gathered(
    rows: Iterable[FileRow], columns: Sequence[str], players: Mapping[str, int], skipped: SkippedRows
) -> list[_GatheredRows]:
    groups = _Groups(players)
    keys = _keys_of(columns)
    above: Texts = {}
    for row in rows:
        game, seat = _divided(row, keys)
        if "date" not in game and "date" in above:
            game = {**above, **game}
            skipped.carried += 1
        above = {key: game[key] for key in CARRIED if key in game}
        groups.add(game, row, seat)
    return groups.records
