from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from league.core.numbers import DECIMAL, OPEN, THOUSANDS, comma_of, plain_number
from league.core.spreadsheets.cells import sits_out
from league.core.spreadsheets.columns import PER_GAME, PER_SEAT, RowShape
from league.core.spreadsheets.dates import day_alone
from league.core.spreadsheets.headers import folded_header, form_of, is_header, is_total, split_target, target_of
from league.core.spreadsheets.tables import FileRow

Texts = dict[str, str]
Skipped = defaultdict[str, list[FileRow]]

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


def records_of(
    rows: Iterable[FileRow], columns: Sequence[str], players: int, skipped: Skipped, *, by_place: bool = False
) -> list[GameRecord]:
    """Group the rows below the header into games, in file order.

    `players`: at a table. `by_place`: the columns of a wide file are in order of placement, not seat. `skipped`: gets
    the rows to be noted, by code of the note.
    """
    kept = _results(rows, columns, skipped)
    if form_of(columns) is RowShape.WIDE:
        targets = {target: split_target(target) for target in columns}
        return [_wide(line, texts, targets, by_place=by_place) for line, texts in kept]
    return _gathered(kept, players, skipped)


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


def _results(rows: Iterable[FileRow], columns: Sequence[str], skipped: Skipped) -> Iterator[tuple[int, Texts]]:
    """Yield the lines with results, with their texts by target; a date alone is that of the rows below."""
    # The same texts recur throughout a file.
    plain, meant = cache(folded_header), cache(target_of)
    seats = {column for column in columns if split_target(column)[0] in PER_SEAT}
    day: Texts = {}
    for row in rows:
        texts = {target: text for target, text in zip(columns, row.cells, strict=False) if target and text}
        scores = [texts[key] for key in ("raw", "points") if key in texts]
        if is_total(row.cells, plain):
            skipped["totals_skipped"].append(row)
        elif is_header(row.cells, columns, meant):
            skipped["headers_skipped"].append(row)
        elif seats.isdisjoint(texts):
            day |= {key: text for key in CARRIED if (text := day_alone(texts.get(key, "")))}
            skipped["lines_passed_over"].append(row)
        elif "player" in columns and any(map(sits_out, scores)):
            skipped["lines_passed_over"].append(row)
        else:
            day = {} if "date" in texts else day
            yield row.line, day | texts


def _wide(line: int, texts: Texts, targets: Mapping[str, tuple[str, int | None]], *, by_place: bool) -> GameRecord:
    record = GameRecord({})
    seats: dict[int, Texts] = {}
    for target, text in texts.items():
        key, seat = targets[target]
        (record.texts if seat is None else seats.setdefault(seat, {}))[key] = text
    # In files with three-player games, the fourth seat is empty or zero.
    taken = [seat for seat, texts in sorted(seats.items()) if "player" in texts or texts.get("raw", "0") != "0"]
    record.seats = [SeatRecord(line, seats[seat], None if by_place else seat) for seat in taken]
    record.seats = record.seats or [SeatRecord(line, {}, 0)]
    return record


def _gathered(rows: Iterable[tuple[int, Texts]], players: int, skipped: Skipped) -> list[GameRecord]:
    """Return the games of rows with a player each."""
    records: list[GameRecord] = []
    by_name: dict[tuple[str, ...], list[GameRecord]] = defaultdict(list)
    above: Texts = {}
    for line, texts in rows:
        game = {key: text for key, text in texts.items() if key in PER_GAME}
        seat = SeatRecord(line, {key: text for key, text in texts.items() if key in PER_SEAT})
        if "date" not in game and "date" in above:
            game = {**above, **game}
            skipped["dates_carried"].append(FileRow(line, ()))
        above = {key: game[key] for key in CARRIED if key in game}
        same = by_name[name] if (name := _name(game)) else records[-1:]
        record = next((each for each in same if _takes(each, game, seat, players)), None)
        if record is None:
            record = GameRecord(game)
            records.append(record)
            same.append(record)
        for key, text in game.items():
            if record.texts.setdefault(key, text) != text and key not in record.conflicts:
                record.conflicts.append(key)
        record.seats.append(seat)
    return _settled(records, by_name.values(), players)


def _name(game: Texts) -> tuple[str, ...]:
    if key := game.get("key"):
        return (key,)
    if "game" not in game:
        return ()
    return tuple(game.get(key, "") for key in ("date", "session", "table", "game"))


def _takes(record: GameRecord, game: Texts, seat: SeatRecord, players: int) -> bool:
    """Return whether a row may belong to a game with the same name, or to the last game if the row has none."""
    if "key" in game or {"game", "table"} <= game.keys():
        # A game that is copied in full is a second game.
        return all(seat.texts != each.texts for each in record.seats)
    # Without table numbers, two tables of the same round look like one game with twice the players.
    if len(_scored(record) if _name(record.texts) else record.seats) >= players:
        return False
    same = all(record.texts.get(key) == game.get(key) for key in CARRIED)
    return bool(_name(game)) or (same and game.get("table", record.texts.get("table")) == record.texts.get("table"))


def _settled(records: Iterable[GameRecord], named: Iterable[Sequence[GameRecord]], players: int) -> list[GameRecord]:
    """Return the games; two people of one name are one table, and people without a score sat out a full one."""
    for found in named:
        for before, copy in zip(found[-2::-1], found[:0:-1], strict=True):
            if len(_scored(before)) + len(_scored(copy)) <= players:
                before.seats += copy.seats
                copy.seats = []
    for record in records:
        if len(scored := _scored(record)) == players:
            record.seats = scored
    return [record for record in records if record.seats]


def _scored(record: GameRecord) -> list[SeatRecord]:
    return [seat for seat in record.seats if {"raw", "points"} & seat.texts.keys()]
