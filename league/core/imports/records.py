from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from league.core.numbers import DECIMAL, OPEN, comma_of, plain_number
from league.core.spreadsheets.columns import PER_GAME, RowShape
from league.core.spreadsheets.headers import folded_header, is_header, is_total, split_target, target_of
from league.core.spreadsheets.tables import FileRow

Texts = dict[str, str]

CARRIED = ("date", "session")
"""Targets that merged cells repeat for the rows below."""

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
    """A game as written in the file. `conflicts`: columns in which its rows disagree.

    `is_open`: the meaning of its commas is undecided.
    """

    texts: Texts
    seats: list[SeatRecord] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    is_open: bool = False

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(seat.line for seat in self.seats))


@dataclass(slots=True)
class SkippedRows:
    totals: int = 0
    headers: int = 0
    carried: int = 0


def records_of(
    rows: Iterable[FileRow],
    columns: Sequence[str],
    form: RowShape,
    players: Mapping[str, int],
    skipped: SkippedRows,
    *,
    by_place: bool = False,
) -> list[GameRecord]:
    """Return the games of the rows below the header, in the order of the file.

    `players` says by the text under "rules" how many sit at a table; "" is the usual number. `by_place`: the columns of a
    wide file go by placement and say nothing of seats.
    """
    kept = _results(rows, columns, skipped)
    if form is RowShape.WIDE:
        targets = [split_target(target) for target in columns]
        return [_wide(row, targets, by_place=by_place) for row in kept]
    return _gathered(kept, [split_target(target)[0] for target in columns], players, skipped)


def with_days(records: Sequence[GameRecord], undated: str) -> None:
    """Set the day of games without one: one of UNDATED, or a date."""
    days = {record.texts.get("session", ""): record.texts["date"] for record in records if "date" in record.texts}
    days.pop("", None)
    above = ""
    for record in records:
        told = {"": "", STAY: "", BY_STAMP: "", ABOVE: above, BY_SESSION: days.get(record.texts.get("session", ""), "")}
        if "date" not in record.texts and (day := told.get(undated, undated)):
            record.texts["date"] = day
        above = record.texts.get("date", above)


def comma_under(records: Sequence[GameRecord], key: str) -> tuple[str, str]:
    """Return the meaning of commas in the numbers under a key (see `comma_of`), and an undecided example."""
    tables = [[seat.texts.get(key, "") for seat in record.seats] for record in records]
    comma = comma_of(tables)
    texts = (text for table in tables for text in table if comma_of([[text]]))
    return comma, next(texts, "") if comma == OPEN else ""


def with_decimals(records: Iterable[GameRecord], keys: Collection[str]) -> None:
    for seat in (seat for record in records for seat in record.seats):
        seat.texts |= {key: plain_number(seat.texts[key], DECIMAL) for key in keys if key in seat.texts}


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


def _wide(row: FileRow, targets: Sequence[tuple[str, int | None]], *, by_place: bool) -> GameRecord:
    record = GameRecord({})
    seats: dict[int, Texts] = {}
    for text, (key, seat) in zip(row.cells, targets, strict=False):
        if key and text:
            (record.texts if seat is None else seats.setdefault(seat, {}))[key] = text
    # Three-player tables have empty or zero columns for the fourth seat.
    taken = [seat for seat, texts in sorted(seats.items()) if "player" in texts or texts.get("raw", "0") != "0"]
    places = [None if by_place else seat for seat in taken]
    record.seats = [SeatRecord(row.line, seats[seat], place) for seat, place in zip(taken, places, strict=True)]
    record.seats = record.seats or [SeatRecord(row.line, {}, 0)]
    return record


class _Groups:
    def __init__(self, players: Mapping[str, int]) -> None:
        self.players = players
        self.records: list[GameRecord] = []
        self.by_name: dict[tuple[str, ...], list[GameRecord]] = {}
        self.seen: Counter[tuple[tuple[str, ...], ...]] = Counter()

    def add(self, game: Texts, row: FileRow, seat: Texts) -> None:
        name = _name(game)
        # Only rows that say which of several games they belong to are compared with those before.
        copy = self._copy_of(name, seat) if "key" in game or ("game" in game and "table" in game) else 0
        record = self._open_record(game, name, copy)
        if record is None:
            record = GameRecord(game)
            self.records.append(record)
        else:
            _merge(record, game)
        record.seats.append(SeatRecord(row.line, seat))
        if name := _name(record.texts):
            found = self.by_name.setdefault(name, [])
            if not found or found[-1] is not record:
                found.append(record)

    def _copy_of(self, name: tuple[str, ...], seat: Texts) -> int:
        """Return how often the very same row has come before: a game that was copied whole is a second game."""
        row = (name, tuple(seat), tuple(seat.values()))
        self.seen[row] += 1
        return self.seen[row] - 1

    def _open_record(self, game: Texts, name: tuple[str, ...], copy: int) -> GameRecord | None:
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
    if key := game.get("key"):
        return (key,)
    if "game" not in game:
        return ()
    get = game.get
    return get("date", ""), get("session_key", ""), get("session", ""), get("table", ""), game["game"]


def _merge(record: GameRecord, game: Texts) -> None:
    for key, text in game.items():
        if record.texts.setdefault(key, text) != text and key not in record.conflicts:
            record.conflicts.append(key)


def _divided(row: FileRow, keys: Sequence[str]) -> tuple[Texts, Texts]:
    game: Texts = {}
    seat: Texts = {}
    for text, key in zip(row.cells, keys, strict=False):
        if key and text:
            (game if key in PER_GAME else seat)[key] = text
    return game, seat


def _gathered(
    rows: Iterable[FileRow], keys: Sequence[str], players: Mapping[str, int], skipped: SkippedRows
) -> list[GameRecord]:
    groups = _Groups(players)
    above: Texts = {}
    for row in rows:
        game, seat = _divided(row, keys)
        if "date" not in game and "date" in above:
            game = {**above, **game}
            skipped.carried += 1
        above = {key: game[key] for key in CARRIED if key in game}
        groups.add(game, row, seat)
    return groups.records
