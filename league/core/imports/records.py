from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from league.core.numbers import DECIMAL, OPEN, THOUSANDS, comma_of, plain_number
from league.core.spreadsheets.cells import sits_out
from league.core.spreadsheets.columns import PER_GAME, PER_SEAT, RowShape
from league.core.spreadsheets.dates import day_alone
from league.core.spreadsheets.headers import folded_header, form_of, is_header, is_total, split_target, target_of
from league.core.spreadsheets.tables import FileRow

Texts = dict[str, str]

CARRIED = ("date", "session")
"""Columns where an empty cell repeats the value above, as merged cells do."""

ABOVE, BY_SESSION, BY_STAMP, STAY = UNDATED = ("above", "session", "stamp", "none")
"""Where games without a date get one: the game above, another game of the session, the timestamp, or not at all. Any
other value is an ISO 8601 date.
"""


@dataclass(slots=True)
class SeatRecord:
    """A player's cells in a game. `place`: seat from 0, as given by the column of a wide file."""

    line: int
    texts: Texts
    place: int | None = None


@dataclass(slots=True)
class GameRecord:
    """A game's cells, before parsing. `conflicts`: columns whose value differs between its rows."""

    texts: Texts
    seats: list[SeatRecord] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(seat.line for seat in self.seats))


@dataclass(slots=True)
class SkippedRows:
    """Numbers of rows. `carried`: those with the date of the row above; `others`: footnotes, and people who sat out."""

    totals: int = 0
    headers: int = 0
    carried: int = 0
    others: int = 0


def records_of(
    rows: Iterable[FileRow],
    columns: Sequence[str],
    players: int,
    skipped: SkippedRows,
    *,
    by_place: bool = False,
) -> list[GameRecord]:
    """Group the rows below the header into games, in file order.

    `players`: at a table. `by_place`: the columns of a wide file are in order of placement, not seat.
    """
    kept = _results(rows, columns, skipped)
    if form_of(columns) is RowShape.WIDE:
        targets = [split_target(target) for target in columns]
        return [_wide(row, targets, by_place=by_place) for row in kept]
    return _gathered(kept, [split_target(target)[0] for target in columns], players, skipped)


def with_days(records: Sequence[GameRecord], undated: str) -> None:
    """Set the date of games without one. `undated`: one of UNDATED, or an ISO 8601 date."""
    days = {record.texts.get("session", ""): record.texts["date"] for record in records if "date" in record.texts}
    days.pop("", None)
    above = ""
    for record in records:
        told = {"": "", STAY: "", BY_STAMP: "", ABOVE: above, BY_SESSION: days.get(record.texts.get("session", ""), "")}
        if "date" not in record.texts and (day := told.get(undated, undated)):
            record.texts["date"] = day
        above = record.texts.get("date", above)


def settle_commas(records: Sequence[GameRecord], said: str) -> str:
    """Convert decimal commas to points; return an example if commas in points may also be thousands separators.

    `said`: what they are, if that was answered. Until then they are read as decimal commas.
    """
    example = ""
    for key, usual in (("raw", THOUSANDS), ("points", said or DECIMAL)):
        tables = [[seat.texts.get(key, "") for seat in record.seats] for record in records]
        comma = comma_of(tables)
        if comma == OPEN and key == "points":
            example = next(text for table in tables for text in table if comma_of([[text]]))
        if (usual if comma == OPEN else comma) == DECIMAL:
            for seat in (seat for record in records for seat in record.seats if key in seat.texts):
                seat.texts[key] = plain_number(seat.texts[key], DECIMAL)
    return example


def _results(rows: Iterable[FileRow], columns: Sequence[str], skipped: SkippedRows) -> Iterator[FileRow]:
    # The same texts recur throughout a file.
    plain, meant = cache(folded_header), cache(target_of)
    keys = [split_target(column)[0] for column in columns]
    seats = [at for at, key in enumerate(keys) if key in PER_SEAT]
    scores = [at for at, key in enumerate(columns) if key in {"raw", "points"}]
    day: Texts = {}
    for row in rows:
        told = {at for at in seats if at < len(row.cells) and row.cells[at]}
        if is_total(row.cells, plain):
            skipped.totals += 1
        elif is_header(row.cells, columns, meant):
            skipped.headers += 1
        elif not told:
            found = {key: day_alone(text) for key, text in zip(keys, row.cells, strict=False) if key in CARRIED}
            day = {**day, **{key: text for key, text in found.items() if text}}
            skipped.others += 1
        elif scores and "player" in keys and any(at in told and sits_out(row.cells[at]) for at in scores):
            skipped.others += 1
        else:
            day = {} if any(text and key == "date" for key, text in zip(keys, row.cells, strict=False)) else day
            yield _on_day(row, keys, day) if day else row


def _on_day(row: FileRow, keys: Sequence[str], day: Texts) -> FileRow:
    cells = list(row.cells)
    for at, key in enumerate(keys):
        if key in day and at < len(cells) and not cells[at]:
            cells[at] = day[key]
    return row._replace(cells=tuple(cells))


def _wide(row: FileRow, targets: Sequence[tuple[str, int | None]], *, by_place: bool) -> GameRecord:
    record = GameRecord({})
    seats: dict[int, Texts] = {}
    for text, (key, seat) in zip(row.cells, targets, strict=False):
        if key and text:
            (record.texts if seat is None else seats.setdefault(seat, {}))[key] = text
    # In files with three-player games, the fourth seat is empty or zero.
    taken = [seat for seat, texts in sorted(seats.items()) if "player" in texts or texts.get("raw", "0") != "0"]
    places = [None if by_place else seat for seat in taken]
    record.seats = [SeatRecord(row.line, seats[seat], place) for seat, place in zip(taken, places, strict=True)]
    record.seats = record.seats or [SeatRecord(row.line, {}, 0)]
    return record


class _Groups:
    def __init__(self, players: int) -> None:
        self.players = players
        self.records: list[GameRecord] = []
        self.by_name: dict[tuple[str, ...], list[GameRecord]] = {}
        self.seen: Counter[tuple[tuple[str, ...], ...]] = Counter()

    def add(self, game: Texts, row: FileRow, seat: Texts) -> None:
        name = _name(game)
        # Rows can be recognised as duplicates only if they identify their game.
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
        """Return how often an identical row came before; a game copied in full is a second game."""
        row = (name, tuple(seat), tuple(seat.values()))
        self.seen[row] += 1
        return self.seen[row] - 1

    def _open_record(self, game: Texts, name: tuple[str, ...], copy: int) -> GameRecord | None:
        if name:
            records = self.by_name.get(name, [])
            if "key" in game or "table" in game:
                return records[copy] if copy < len(records) else None
            # Without table numbers, two tables of the same round look like one game with twice the players.
            return records[-1] if records and not self._is_full(records[-1]) else None
        last = self.records[-1] if self.records else None
        if last is None or self._is_full(last):
            return None
        same = all(last.texts.get(key) == game.get(key) for key in CARRIED)
        return last if same and game.get("table", last.texts.get("table")) == last.texts.get("table") else None

    def _is_full(self, record: GameRecord) -> bool:
        seats = _scored(record) if _name(record.texts) else record.seats
        return len(seats) >= self.players

    def settled(self) -> list[GameRecord]:
        """Return the games; two people of one name are one table, and people without a score sat out a full one."""
        for every in self.by_name.values():
            found = list({id(record): record for record in every}.values())
            for before, copy in zip(found[-2::-1], found[:0:-1], strict=True):
                if len(_scored(before)) + len(_scored(copy)) <= self.players:
                    before.seats += copy.seats
                    copy.seats = []
        for record in self.records:
            if len(scored := _scored(record)) == self.players:
                record.seats = scored
        return [record for record in self.records if record.seats]


def _scored(record: GameRecord) -> list[SeatRecord]:
    return [seat for seat in record.seats if {"raw", "points"} & seat.texts.keys()]


def _name(game: Texts) -> tuple[str, ...]:
    if key := game.get("key"):
        return (key,)
    if "game" not in game:
        return ()
    get = game.get
    return get("date", ""), get("session", ""), get("table", ""), game["game"]


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


def _gathered(rows: Iterable[FileRow], keys: Sequence[str], players: int, skipped: SkippedRows) -> list[GameRecord]:
    groups = _Groups(players)
    above: Texts = {}
    for row in rows:
        game, seat = _divided(row, keys)
        if "date" not in game and "date" in above:
            game = {**above, **game}
            skipped.carried += 1
        above = {key: game[key] for key in CARRIED if key in game}
        groups.add(game, row, seat)
    return groups.settled()
