import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from league.core.board_lines import PLACES
from league.core.numbers import DECIMAL, THOUSANDS, comma_of, plain_number
from league.core.spreadsheets.headers import KNOWN, folded_header, is_total
from league.core.spreadsheets.numbers import NumberError, parse_number
from league.core.spreadsheets.tables import ImportFileError, read_table

FIGURES = ("points", "hanchan", *PLACES)
"""Order of the figures after the name if there is no header."""

RANK = "rank"
"""Key of a column that is recognised but ignored: ranks follow from the points."""

_NEEDED = ("name", "points")
_TOLD_BY_WORDS = frozenset({"name", "points", "hanchan", RANK})
"""Columns that identify a header row. 1位 does not, as it may also be a player's rank."""


_OWN = {
    "name": "会員 players",
    "points": "合計 合計ポイント 通算 通算ポイント 総合ポイント 合計pt 通算pt total totalpoints totalpts",
    "hanchan": "半荘 半荘数 回数 試合 試合数 対局 対局数 ゲーム数 戦 hanchan games gamesplayed played",
    "first": "1着 1位 1着回数 1着数 一着 トップ トップ数 1st first",
    "second": "2着 2位 2着回数 2着数 二着 2nd second",
    "third": "3着 3位 3着回数 3着数 三着 3rd third",
    "fourth": "4着 4位 4着回数 4着数 四着 ラス ラス数 4th fourth",
    RANK: "no 番号 総合順位",
}
"""Heads besides those of files. 得点 and スコア are left out, as they may also mean raw scores."""

_OF_FILES = {"player": "name", "points": "points", "placement": RANK}
_HEADS = {head: _OF_FILES[key] for head, key in KNOWN.items() if key in _OF_FILES}
_HEADS |= {folded_header(head): key for key, heads in _OWN.items() for head in heads.split()}
_RANK = re.compile(r"(?:第|#|no\.?)?\s*\d{1,4}\s*(?:位|\.|st|nd|rd|th)?", re.IGNORECASE)
_NOBODY_KNOWS = frozenset({"", "-", "—", "–", "―", "?", "不明"})


@dataclass(frozen=True, slots=True)
class PastedSum:
    """A row: the name, and the texts of FIGURES ready for the form; "" if not given."""

    line: int
    name: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PastedSums:
    """The rows of a pasted table.

    `ignored`: lines with text but without a player or points, including lines of totals. `unclear`: None, unless a
    header does not name exactly one column each for players and points; then nothing is read, and it lists the headers
    that are unknown or occur twice.
    """

    rows: tuple[PastedSum, ...]
    ignored: tuple[int, ...]
    unclear: tuple[str, ...] | None = None


def read_sums(text: str) -> PastedSums:
    """Read a table. Without a header the columns are: rank (optional), name, points, hanchan, placements."""
    try:
        lines = read_table(text, "\t" if "\t" in text else "").rows
    except ImportFileError:
        lines = ()
    heads = [[_meaning(cell) for cell in line.cells] for line in lines[:3]]
    head = next((at for at, keys in enumerate(heads) if all(keys.count(key) == 1 for key in _NEEDED)), None)
    if head is not None:
        columns, lines = _columns(heads[head]), lines[head + 1 :]
        read = [
            (line, {key: _known(line.cells[at]) if at < len(line.cells) else "" for key, at in columns.items()})
            for line in lines
        ]
    else:
        read = [(line, _in_order(line.cells)) for line in lines]
        for line, texts in read[:3]:
            if _looks_like_head(line.cells):
                return PastedSums((), (), _unclear(line.cells))
            if _says_something(texts):
                break
    said = [(line, texts) for line, texts in read if _says_something(texts)]
    comma = comma_of([[texts["points"] for _line, texts in said]])
    if comma in {THOUSANDS, DECIMAL}:
        said = [(line, texts | {"points": plain_number(texts["points"], comma)}) for line, texts in said]
    rows = [PastedSum(line.line, texts.pop("name"), texts) for line, texts in said]
    told = {row.line for row in rows}
    return PastedSums(tuple(rows), tuple(line.line for line in lines if line.line not in told))


def _looks_like_head(cells: Sequence[str]) -> bool:
    """Return whether a line looks like a header: a known column, or several words and no figures."""
    meanings = {_meaning(cell) for cell in cells}
    words = [cell for cell in cells if not _is_figure(cell) and _plain(cell) not in _NOBODY_KNOWS]
    ranks = sum(1 for cell in words if _RANK.fullmatch(_plain(cell)))
    # A single 1位 may be the rank in a row; several are headers.
    if len(words) - min(ranks, 1) < 2:
        return "name" in meanings
    return not _TOLD_BY_WORDS.isdisjoint(meanings) or not any(map(_is_figure, cells))


def _unclear(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the headers that are unknown, and those for players or points that occur twice."""
    meanings = [_meaning(cell) for cell in cells]
    twice = {key for key in _NEEDED if meanings.count(key) > 1}
    named = (cell for cell, key in zip(cells, meanings, strict=True) if cell and (not key or key in twice))
    return tuple(dict.fromkeys(named))


def _meaning(cell: str) -> str:
    return _HEADS.get(folded_header(cell), "")


def _columns(keys: Sequence[str]) -> dict[str, int]:
    """Return the index of each column, the first one if several match; placements only if all are present."""
    left_out = {"", RANK} if {*PLACES[:3]} <= {*keys} else {"", RANK, *PLACES}
    return {key: keys.index(key) for key in keys if key not in left_out}


def _in_order(cells: Sequence[str]) -> dict[str, str]:
    """Read a row without a header: the first word is the name, the figures follow."""
    rest = iter(cells)
    name = next((cell for cell in rest if not _is_figure(cell) and not _RANK.fullmatch(_plain(cell))), "")
    figures = (_known(cell) for cell in rest if _is_figure(cell) or _plain(cell) in _NOBODY_KNOWS)
    return {"name": name.strip(), **dict(zip(FIGURES, figures, strict=False))}


def _is_figure(cell: str) -> bool:
    try:
        return parse_number(cell) is not None
    except NumberError:
        return False


def _known(cell: str) -> str:
    text = cell.strip()
    return "" if _plain(text) in _NOBODY_KNOWS else text


def _plain(cell: str) -> str:
    return unicodedata.normalize("NFKC", cell).strip()


def _says_something(texts: Mapping[str, str]) -> bool:
    name = texts.get("name", "")
    return bool(name and texts.get("points")) and not is_total([name])
