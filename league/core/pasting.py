"""A block copied from a spreadsheet into the session grid."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from league.core.imports.records import GameRecord, Skipped, records_of
from league.core.sheet_cells import read_cell, seated
from league.core.spreadsheets.cells import read_seat, sits_out
from league.core.spreadsheets.headers import columns_of, folded_header, split_target
from league.core.spreadsheets.layouts import cell_at, facts_at, heads_scores, is_aside, round_in
from league.core.spreadsheets.names import same_width
from league.core.spreadsheets.numbers import UNITS, NumberError, guess_unit, in_points, parse_number
from league.core.spreadsheets.tables import FileRow, read_table


@dataclass(frozen=True, slots=True)
class PastedRow:
    """A hanchan in a pasted block. `cells`: texts by column, ready for the form; `line` counts from 1."""

    line: int
    cells: tuple[str, ...]
    round: int | None = None
    sticks: str = ""
    table: int | None = None


@dataclass(frozen=True, slots=True)
class PastedBlock:
    """A pasted block.

    `names`: () without a header; wind names mean that seats come from the seating plan. `header`: line number of the
    names, or 0.
    """

    names: tuple[str, ...]
    rows: tuple[PastedRow, ...]
    header: int = 0


def read_block(text: str, start_points: int, seats: int) -> PastedBlock:
    """Read the hanchan in a block copied from a spreadsheet.

    The unit (points, hundreds or thousands) is the one in which most rows total the starting points of `seats` players.
    A row that adds up only in another unit is read in that one.
    """
    lines = read_table(text, "\t" if "\t" in text else "").rows
    header = next((line for line in lines[:3] if _is_header(line.cells)), FileRow(0, ()))
    others = [line for line in lines if line is not header]
    below = [line for line in others if line.line > header.line]
    names, rows = _by_player(header, below, seats) or _by_column(header.cells, others)
    tables = [_numbers(row, seats) for row in rows]
    expected = start_points * seats
    usual = guess_unit(filter(None, tables), [expected])
    units = [next((unit for unit in UNITS if sum(table) * unit == expected), usual) for table in tables]
    typed = zip(rows, units, strict=True)
    read = tuple(replace(row, cells=tuple(_typed(cell, unit) for cell in row.cells)) for row, unit in typed)
    return PastedBlock(tuple(map(same_width, names)), read, header.line)


def from_row(text: str, block: PastedBlock, row: PastedRow) -> str:
    """Return the pasted text from `row` on, with the header, so that the rest can be pasted again."""
    lines = list(io.StringIO(text, newline=""))
    return "".join(lines[max(block.header - 1, 0) : block.header] + lines[row.line - 1 :])


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether a row is a header: at least three cells that are neither numbers nor marks for sitting out."""
    return sum(not sits_out(cell) and _number(cell) is None for cell in cells) >= 3


def _by_column(heads: Sequence[str], lines: Sequence[FileRow]) -> tuple[list[str], list[PastedRow]]:
    """Read a column per player or seat; without a header, all columns but a label."""
    places, columns = facts_at(heads), columns_of([FileRow(0, tuple(heads))])
    scores = [at for at, head in enumerate(heads) if heads_scores(head) or split_target(columns[at])[0] == "player"]
    if unnamed := [at for at, head in enumerate(heads[:2]) if not folded_header(head)]:
        places.setdefault("game", unnamed[0])
    if not heads:
        is_labelled = any(line.cells and re.search(r"回|半荘|R|#", line.cells[0]) for line in lines)
        places = {"game": 0} if is_labelled else {}
        scores = list(range(len(places), max((len(line.cells) for line in lines), default=0)))
    rows = []
    for line in lines:
        texts = tuple(cell_at(line.cells, at) for at in scores)
        if not is_aside(line.cells) and not all(map(sits_out, texts)):
            number, table, sticks = (cell_at(line.cells, places.get(key)) for key in ("game", "table", "sticks"))
            rows.append(PastedRow(line.line, texts, _counted(number), sticks, _counted(table)))
    return [heads[at] for at in scores] if heads else [], rows


_NAME_AND_SCORE = re.compile(r"(?P<name>[^\d▲△\-−–+].*?)[\s　]+(?P<score>[▲△\-−–]?[\d,.]+(?:\s.*)?)", re.DOTALL)


def _by_player(header: FileRow, lines: Sequence[FileRow], seats: int) -> tuple[list[str], list[PastedRow]] | None:
    """Read a line per player, or a name beside each score; None for any other block."""
    columns = columns_of([header])
    keys = {split_target(column)[0] for column in columns}
    if "player" not in keys:
        return None
    records = records_of(lines, columns, seats, Skipped(list))
    games = [(record, cells) for record in records if (cells := dict(_cells(record)))]
    # A single cell that could be a name with a score does not make this a block by seat.
    if len(games) * 2 < len(records) and (games or "raw" not in keys):
        return None
    names = list(dict.fromkeys(name for _record, cells in games for name in cells))
    rows = []
    for record, cells in games:
        number, table, sticks = (record.texts.get(key, "") for key in ("game", "table", "sticks"))
        texts = tuple(cells.get(name, "") for name in names)
        rows.append(PastedRow(record.lines[0], texts, _counted(number), sticks, _counted(table)))
    return names, rows


def _cells(record: GameRecord) -> Iterator[tuple[str, str]]:
    """Yield the players of a game with their scores, and with their seats if known."""
    for seat in record.seats:
        name, score = seat.texts.get("player", ""), seat.texts.get("raw", "")
        if not score and (found := _NAME_AND_SCORE.fullmatch(name)):
            name, score = found["name"], found["score"]
        place = seat.place if seat.place is not None else read_seat(seat.texts.get("seat", ""))
        if name and score:
            yield name, score if place is None else seated(score, place)


def _number(text: str) -> Decimal | None:
    try:
        return parse_number(read_cell(text).score)
    except NumberError:
        return None


def _numbers(row: PastedRow, seats: int) -> list[Decimal]:
    """Return the scores of a complete, readable row, which tell the unit; [] for others."""
    texts = [text for text in row.cells if not sits_out(text)]
    numbers = [number for text in texts if (number := _number(text)) is not None]
    return numbers if len(numbers) == len(texts) == seats else []


def _typed(text: str, unit: int) -> str:
    """Return a cell's score in hundreds, followed by the rest of the cell; unreadable cells are unchanged."""
    if sits_out(text):
        return ""
    number = _number(text)
    if number is None:
        return text.strip()
    try:
        points = in_points(number, unit)
    except NumberError:
        return text.strip()
    hundreds, rest = divmod(abs(points), 100)
    plain = str(abs(points)) if rest or hundreds > 9999 else str(hundreds)
    if rest and len(plain) <= 4:
        return text.strip()  # 150 points would be read as 15,000
    sign = "-" if points < 0 else ""
    return f"{sign}{plain} {read_cell(text).behind}".rstrip()


def _counted(text: str) -> int | None:
    found = round_in(text)
    return int(found) if found else None
