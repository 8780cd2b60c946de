import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from league.core.imports.records import GameRecord, SkippedRows, records_of
from league.core.sheet_cells import read_cell, seated
from league.core.spreadsheets.cells import read_seat, sits_out
from league.core.spreadsheets.headers import columns_of, split_target
from league.core.spreadsheets.names import same_width
from league.core.spreadsheets.numbers import UNITS, NumberError, guess_unit, in_points, parse_number
from league.core.spreadsheets.tables import FileRow, read_table

_COUNTED = re.compile(r"(?:第|R|#)?\s*(\d{1,3})\s*(?:回戦|回|半荘|局|卓)?", re.IGNORECASE)
_SUMS = re.compile(
    r"計|合計|小計|総計|累計|通算|着順|順位|前節まで|チョンボ|sum|total|subtotal|check|before", re.IGNORECASE
)
_STICKS = re.compile(r"供託|供託の残り|残り|sticks?|sticks left", re.IGNORECASE)
_TABLES = re.compile(r"卓|卓番号|table", re.IGNORECASE)
_LABELS = re.compile(r"回戦|回|半荘|局|round|game|#|no\.?|", re.IGNORECASE)


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

    `names`: () without a header; wind names mean that seats come from the seating plan. `ignored`: lines of totals and
    headings. `header`: line number of the names, or 0.
    """

    names: tuple[str, ...]
    rows: tuple[PastedRow, ...]
    ignored: tuple[int, ...]
    header: int = 0


def read_block(text: str, start_points: int, seats: int) -> PastedBlock:
    """Read the hanchan in a block copied from a spreadsheet.

    The unit (points, hundreds or thousands) is the one in which most rows total the starting points of `seats` players.
    A row that adds up only in another unit is read in that one.
    """
    lines = list(read_table(text, "\t" if "\t" in text else "").rows)
    header = next((line for line in lines[:3] if _is_header(line.cells)), None)
    heads: Sequence[str] = header.cells if header else ()
    if header:
        heads, games = as_columns(heads, lines[lines.index(header) + 1 :], seats)
        lines = [*lines[: lines.index(header) + 1], *games]
    width = max((len(line.cells) for line in lines), default=0)
    places = _Places.of(heads, [line.cells for line in lines if line is not header], width)
    played, ignored = [], []
    for line in lines:
        if line is header:
            continue
        label = line.cells[0] if line.cells else ""
        if _SUMS.fullmatch(label.strip()) or not any(_score(line.cells, place) for place in places.scores):
            ignored.append(line.line)
        else:
            played.append(line)
    expected = start_points * seats
    usual = guess_unit(_numbers(played, places, seats), [expected])
    units = [_unit(_numbers([line], places, seats), expected, usual) for line in played]
    rows = tuple(
        PastedRow(
            line.line,
            tuple(_typed(_at(line.cells, place), unit) for place in places.scores),
            _counted(_at(line.cells, places.label)) if places.label is not None else None,
            _at(line.cells, places.sticks) if places.sticks is not None else "",
            _counted(_at(line.cells, places.table)) if places.table is not None else None,
        )
        for line, unit in zip(played, units, strict=True)
    )
    names = tuple(same_width(heads[place]) for place in places.scores) if heads else ()
    return PastedBlock(names, rows, tuple(ignored), header.line if header else 0)


def from_row(text: str, block: PastedBlock, row: PastedRow) -> str:
    """Return the pasted text from `row` on, with the header, so that the rest can be pasted again."""
    lines = list(io.StringIO(text, newline=""))
    return "".join(lines[max(block.header - 1, 0) : block.header] + lines[row.line - 1 :])


@dataclass(frozen=True, slots=True)
class _Places:
    label: int | None
    table: int | None
    sticks: int | None
    scores: tuple[int, ...]

    @classmethod
    def of(cls, heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> "_Places":
        if heads:
            label = next((at for at, head in enumerate(heads[:2]) if _LABELS.fullmatch(head.strip())), None)
            table = next((at for at, head in enumerate(heads) if _TABLES.fullmatch(head.strip())), None)
            sticks = next((at for at, head in enumerate(heads) if _STICKS.fullmatch(head.strip())), None)
            scores = tuple(
                at
                for at, head in enumerate(heads)
                if at not in {label, table, sticks} and head.strip() and not _SUMS.fullmatch(head.strip())
            )
            return cls(label, table, sticks, scores)
        labelled = any(row and re.search(r"回|半荘|R|#", row[0]) for row in rows)
        return cls(0 if labelled else None, None, None, tuple(range(1 if labelled else 0, width)))


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether a row is a header: at least three cells that are neither numbers nor marks for sitting out."""
    return sum(bool(cell.strip()) and not sits_out(cell) and _number(cell) is None for cell in cells) >= 3


def _number(text: str) -> Decimal | None:
    try:
        return parse_number(read_cell(text).score)
    except NumberError:
        return None


def _at(cells: Sequence[str], place: int) -> str:
    return cells[place] if place < len(cells) else ""


def _score(cells: Sequence[str], place: int) -> str:
    text = _at(cells, place)
    return "" if sits_out(text) else text


def _numbers(games: Sequence[FileRow], places: _Places, seats: int) -> list[list[Decimal]]:
    """Return the scores of the complete, readable rows, which determine the unit."""
    found = []
    for line in games:
        texts = [text for place in places.scores if (text := _score(line.cells, place))]
        numbers = [number for text in texts if (number := _number(text)) is not None]
        if len(numbers) == len(texts) == seats:
            found.append(numbers)
    return found


def _unit(numbers: Sequence[Sequence[Decimal]], expected: int, usual: int) -> int:
    units = [unit for unit in (usual, *UNITS) if any(sum(row) * unit == expected for row in numbers)]
    return units[0] if units else usual


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
    found = _COUNTED.fullmatch(unicodedata.normalize("NFKC", text).strip())
    return int(found[1]) if found else None


_NAME_AND_SCORE = re.compile(r"(?P<name>[^\d▲△\-−–+].*?)[\s　]+(?P<score>[▲△\-−–]?[\d,.]+(?:\s.*)?)", re.DOTALL)
ROUND, TABLE, STICKS = "回戦", "卓", "供託"


def as_columns(heads: Sequence[str], lines: Sequence[FileRow], seats: int) -> tuple[Sequence[str], Sequence[FileRow]]:
    """Return a block with a line per player, or with a name beside each score, as a column per player."""
    columns = columns_of([FileRow(0, tuple(heads))])
    keys = {split_target(column)[0] for column in columns}
    if "player" not in keys:
        return heads, lines
    records = records_of(lines, columns, seats, SkippedRows())
    games = [(record, cells) for record in records if (cells := dict(_cells(record)))]
    # A single cell that could be a name with a score does not make this a block by seat.
    if not games and "raw" in keys:
        return heads, []
    if len(games) * 2 < len(records):
        return heads, lines
    names = list(dict.fromkeys(name for _record, cells in games for name in cells))
    rows = []
    for record, cells in games:
        place, sticks = (record.texts.get(key, "") for key in ("game", "table")), record.texts.get("sticks", "")
        rows.append(FileRow(record.lines[0], (*place, *(cells.get(name, "") for name in names), sticks)))
    return (ROUND, TABLE, *names, STICKS), rows


def _cells(record: GameRecord) -> Iterator[tuple[str, str]]:
    """Yield the players of a game with their scores, and with their seats if known."""
    for seat in record.seats:
        name, score = seat.texts.get("player", ""), seat.texts.get("raw", "")
        if not score and (found := _NAME_AND_SCORE.fullmatch(name)):
            name, score = found["name"], found["score"]
        place = seat.place if seat.place is not None else read_seat(seat.texts.get("seat", ""))
        if name and score:
            yield name, score if place is None else seated(score, place)
