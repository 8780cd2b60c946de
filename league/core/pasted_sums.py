"""A table of sums copied out of a spreadsheet or a newspaper: one player a row, with points and what they stand for."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from league.core.placements import PLACES
from league.core.spreadsheets.headers import folded_header
from league.core.spreadsheets.numbers import NumberError, parse_number
from league.core.spreadsheets.tables import TableError, read_table

FIGURES = ("points", "hanchan", *PLACES)
"""What stands behind a name where no head says otherwise, in this order."""

_HEADS: Mapping[str, str] = {
    folded_header(head): key
    for key, heads in {
        "name": "選手 選手名 名前 氏名 プレイヤー プレーヤー 雀士 会員 player name players",
        "points": "ポイント 合計 合計ポイント 通算 通算ポイント 総合ポイント トータル 成績 得点 スコア pt pts points point total score",
        "hanchan": "半荘 半荘数 回数 試合 試合数 対局 対局数 ゲーム数 戦 hanchan games played",
        "first": "1着 1位 1着回数 1着数 一着 トップ トップ数 1st first",
        "second": "2着 2位 2着回数 2着数 二着 2nd second",
        "third": "3着 3位 3着回数 3着数 三着 3rd third",
        "fourth": "4着 4位 4着回数 4着数 四着 ラス ラス数 4th fourth",
    }.items()
    for head in heads.split()
}
_RANK = re.compile(r"(?:第|#|no\.?)?\s*\d{1,4}\s*(?:位|\.|st|nd|rd|th)?", re.IGNORECASE)
_TOTALS = frozenset(map(folded_header, ("合計", "計", "総計", "小計", "平均", "sum", "total", "average")))
_NOBODY_KNOWS = frozenset({"", "-", "—", "–", "―", "?", "不明"})


@dataclass(frozen=True, slots=True)
class PastedSum:
    """One row: a name and texts by FIGURES, ready to be typed; empty where the row says nothing."""

    line: int
    name: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PastedSums:
    """What could be read. `ignored` are lines with words but without a player or points, those of sums included."""

    rows: tuple[PastedSum, ...]
    ignored: tuple[int, ...]


def read_sums(text: str) -> PastedSums:
    """Return the rows of a table; without a head, a rank may stand first, then name, points, hanchan and places."""
    try:
        lines = list(read_table(text, "\t" if "\t" in text else "").rows)
    except TableError:
        lines = []
    head = next((number for number, line in enumerate(lines[:3]) if _is_head(line.cells)), None)
    if head is not None:
        columns, lines = _columns(lines[head].cells), lines[head + 1 :]
        read = [(line, _under(columns, line.cells)) for line in lines]
    else:
        read = [(line, _in_order(line.cells)) for line in lines]
    rows = [PastedSum(line.line, texts.pop("name"), texts) for line, texts in read if _says_something(texts)]
    told = {row.line for row in rows}
    return PastedSums(tuple(rows), tuple(line.line for line in lines if line.line not in told))


def _is_head(cells: Sequence[str]) -> bool:
    keys = set(_columns(cells))
    return {"name", "points"} <= keys


def _columns(cells: Sequence[str]) -> dict[str, int]:
    """Return where each thing stands; of two columns with one meaning, the first."""
    found: dict[str, int] = {}
    for at, cell in enumerate(cells):
        if key := _HEADS.get(folded_header(cell)):
            found.setdefault(key, at)
    return found


def _under(columns: Mapping[str, int], cells: Sequence[str]) -> dict[str, str]:
    return {key: _known(cells[at]) if at < len(cells) else "" for key, at in columns.items()}


def _in_order(cells: Sequence[str]) -> dict[str, str]:
    """Return what stands in a row without a head: the first word is the name, and figures follow it."""
    rest = iter(cells)
    name = next((cell for cell in rest if not _is_figure(cell) and not _RANK.fullmatch(_plain(cell))), "")
    return {"name": name.strip(), **dict(zip(FIGURES, _figures(rest), strict=False))}


def _figures(cells: Iterator[str]) -> Iterator[str]:
    return (_known(cell) for cell in cells if _is_figure(cell) or _plain(cell) in _NOBODY_KNOWS)


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
    return bool(name and texts.get("points")) and folded_header(name) not in _TOTALS
