import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

from league.core.sheet_cells import read_cell, seated
from league.core.spreadsheets.cells import read_seat
from league.core.spreadsheets.headers import split_target, target_of
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
_NOT_PLAYED = {"抜け", "抜", "-", "—", "–", "out", "x", "×"}


def sits_out(text: str) -> bool:
    return not text.strip() or unicodedata.normalize("NFKC", text).strip().lower() in _NOT_PLAYED


def mistaken_unit(raw: Sequence[int], expected: int) -> str:
    """Return the unit a row was probably typed in if it does not total `expected`.

    "points": a total near zero with negative values. "units": at least twice or at most half of `expected`. Otherwise
    "", e.g. if leftover sticks or a digit may explain it.
    """
    total = sum(raw)
    if abs(total) * 20 <= expected and min(raw) < 0:
        return "points"
    return "units" if total * 2 < expected or total > expected * 2 else ""


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
        heads, games = as_columns(heads, lines[lines.index(header) + 1 :])
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


_SCORE = re.compile(r"点|点数|持ち点|持点|スコア|score|pts|points|", re.IGNORECASE)
_NAME_AND_SCORE = re.compile(r"(?P<name>[^\d▲△\-−–+].*?)[\s　]+(?P<score>[▲△\-−–]?[\d,.]+(?:\s.*)?)", re.DOTALL)
ROUND, TABLE, STICKS = "回戦", "卓", "供託"
MIN_SEATS = 3


@dataclass
class _Game:
    """A hanchan being assembled. `cells`: cell by name, in seat order if known."""

    line: int
    place: tuple[str, str]
    sticks: str = ""
    cells: dict[str, str] = field(default_factory=dict)


def as_columns(heads: Sequence[str], lines: Sequence[FileRow]) -> tuple[Sequence[str], Sequence[FileRow]]:
    keys = [split_target(target_of(head)) for head in heads]
    columns = {key: at for at, (key, seat) in reversed([*enumerate(keys)]) if seat is None}
    if "player" in columns and "raw" in columns:
        return _joined(list(_by_line(columns, lines)))
    pairs = _pairs(heads, keys)
    games = list(_by_seat(columns, pairs, lines)) if len(pairs) >= MIN_SEATS else []
    # A single cell that could be a name with a score does not make this a block by seat.
    if games and len(games) * 2 >= len(lines):
        return _joined(games)
    return heads, lines


def _pairs(heads: Sequence[str], keys: Sequence[tuple[str, int | None]]) -> dict[int, tuple[int, int]]:
    """Return the name and score columns by seat; the same column twice if they share a cell."""
    names = {seat: at for at, (key, seat) in enumerate(keys) if key == "player" and seat is not None}
    scores = {seat: at for at, (key, seat) in enumerate(keys) if key == "raw" and seat is not None}
    for at, following in pairwise(range(len(heads))):
        key, seat = keys[at]
        plain = unicodedata.normalize("NFKC", heads[following]).strip()
        if key == "player" and seat is not None and (_SCORE.fullmatch(plain) or keys[following] == ("raw", None)):
            scores.setdefault(seat, following)
    return {seat: (at, scores.get(seat, at)) for seat, at in names.items()}


def _by_seat(columns: dict[str, int], pairs: dict[int, tuple[int, int]], lines: Sequence[FileRow]) -> Iterator[_Game]:
    for line in lines:
        game = _Game(line.line, _place(columns, line), _cell(line, columns.get("sticks")))
        for seat, (name, score) in sorted(pairs.items()):
            who, points = _cell(line, name), _cell(line, score)
            if name == score:
                found = _NAME_AND_SCORE.fullmatch(who)
                who, points = (found["name"], found["score"]) if found else ("", "")
            if who and points:
                game.cells[who] = seated(points, seat)
        if game.cells:
            yield game


def _by_line(columns: dict[str, int], lines: Sequence[FileRow]) -> Iterator[_Game]:
    """Yield the games of a block with one line per seat; an empty round or table repeats the line above."""
    game: _Game | None = None
    above = ("", "")
    for line in lines:
        place = tuple(own or last for own, last in zip(_place(columns, line), above, strict=True))
        name, score = _cell(line, columns["player"]), _cell(line, columns["raw"])
        if not name or not score:
            continue
        if game is None or game.place != place or name in game.cells:
            if game is not None:
                yield game
            game = _Game(line.line, (place[0], place[1]))
        above = game.place
        game.sticks = game.sticks or _cell(line, columns.get("sticks"))
        seat = read_seat(_cell(line, columns.get("seat")))
        game.cells[name] = score if seat is None else seated(score, seat)
    if game is not None:
        yield game


def _place(columns: dict[str, int], line: FileRow) -> tuple[str, str]:
    return _cell(line, columns.get("game")), _cell(line, columns.get("table"))


def _cell(line: FileRow, at: int | None) -> str:
    return line.cells[at].strip() if at is not None and at < len(line.cells) else ""


def _joined(games: Sequence[_Game]) -> tuple[Sequence[str], Sequence[FileRow]]:
    names = list(dict.fromkeys(name for game in games for name in game.cells))
    rows = [
        FileRow(game.line, (*game.place, *(game.cells.get(name, "") for name in names), game.sticks)) for game in games
    ]
    return (ROUND, TABLE, *names, STICKS), rows
