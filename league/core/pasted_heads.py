"""Blocks that are not a column a player: a line for each seat, or a column for each seat, with names beside the scores.

They are turned into what the sheet is: names on top, a hanchan a row.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from league.core.sheet_cells import seated
from league.core.spreadsheets.cells import read_seat
from league.core.spreadsheets.headers import split_target, target_of
from league.core.spreadsheets.tables import FileRow

_SCORE = re.compile(r"点|点数|持ち点|持点|スコア|score|pts|points|", re.IGNORECASE)
_NAME_AND_SCORE = re.compile(r"(?P<name>[^\d▲△\-−–+].*?)[\s　]+(?P<score>[▲△\-−–]?[\d,.]+(?:\s.*)?)", re.DOTALL)
ROUND, TABLE, STICKS = "回戦", "卓", "供託"
MIN_SEATS = 3


@dataclass
class _Game:
    """A hanchan as it is put together: the cell of each name, in the order of the seats where these are known."""

    line: int
    place: tuple[str, str]
    sticks: str = ""
    cells: dict[str, str] = field(default_factory=dict)


def as_columns(heads: Sequence[str], lines: Sequence[FileRow]) -> tuple[Sequence[str], Sequence[FileRow]]:
    """Return heads and lines with a column for each player; those of any other block come back as they are."""
    keys = [split_target(target_of(head)) for head in heads]
    columns = {key: at for at, (key, seat) in reversed([*enumerate(keys)]) if seat is None}
    if "player" in columns and "raw" in columns:
        return _joined(list(_by_line(columns, lines)))
    pairs = _pairs(heads, keys)
    games = list(_by_seat(columns, pairs, lines)) if len(pairs) >= MIN_SEATS else []
    # A stray cell that could be a name with a score makes no block of names.
    if games and len(games) * 2 >= len(lines):
        return _joined(games)
    return heads, lines


def _pairs(heads: Sequence[str], keys: Sequence[tuple[str, int | None]]) -> dict[int, tuple[int, int]]:
    """Return the columns of name and score by seat; one column for both where none for the score follows."""
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
    """Yield the games of a block with a line for each seat; a place left empty is the one of the line above."""
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
