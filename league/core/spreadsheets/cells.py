r"""Lossless encoding of cells other than plain numbers and names.

Text that a spreadsheet would take for a formula gets a leading apostrophe. Lists are joined with "|"; "|" and backslash
in an entry are escaped with a backslash, and an empty entry is "\0".
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from league.core.readings import folded
from league.core.spreadsheets.columns import SEATS, SEATS_JA, STATE
from scoring.core import Bust, format_points, parse_points

_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@＝＋－＠\t\r]")


class CellError(ValueError):
    """A cell that cannot be read, with its text."""


_OUT = frozenset(
    {"", "抜け", "抜", "休", "休み", "欠", "欠席", "見学", "-", "—", "–", "―", "out", "x", "×", "n/a", "dnp"}
)


def sits_out(text: str) -> bool:
    return unicodedata.normalize("NFKC", text).strip().casefold() in _OUT


def escaped(text: str) -> str:
    """Escape text that a spreadsheet would take for a formula. Not for numbers."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescaped(text: str) -> str:
    return text[1:] if _ESCAPED.match(text) else text


def write_list(entries: Iterable[str]) -> str:
    """Join texts into one cell; an empty list is an empty cell."""
    return "|".join(entry.replace("\\", "\\\\").replace("|", "\\|") or "\\0" for entry in entries)


WINDS = ("East", "South", "West", "North")
_TENPAI = ("draw, tenpai", "流局・テンパイ")
_CAUSES = {
    "win": ("アガリ", "和了", "ロン", "ツモ", "ron", "tsumo"),
    "draw": ("流局", "ノーテン", *_TENPAI),
    "riichi": ("リーチ", "立直"),
    "other": ("その他",),
}


def write_bust(bust: Bust | None, *, is_japanese: bool = False) -> str:
    """Say how a seat went bust: `win: East`, `draw, tenpai: East, West`, `other / East=5, West=5`; "" for None."""
    if bust is None:
        return ""
    winds, comma = (SEATS_JA, "・") if is_japanese else (WINDS, ", ")
    cause = _TENPAI[is_japanese] if bust.tenpai else _CAUSES[bust.by][0] if is_japanese else bust.by
    seats = comma.join(winds[seat] for seat in bust.tenpai or bust.winners)
    shares = comma.join(f"{winds[seat]}={format_points(amount)}" for seat, amount in bust.shares)
    return cause + (seats and f": {seats}") + (shares and f" / {shares}")


CAUSE_OF_WORD = {folded(word): cause for cause, words in _CAUSES.items() for word in (cause, *words)}
"""Cause of a bust by every known word for it."""
_BUST = re.compile(r"(?:(?P<cause>[^:/]*):)?(?P<seats>[^:/]*)(?:/(?P<shares>.*))?", re.DOTALL)
_AND = re.compile(r"[+＋・、,&]")


def read_bust(text: str, seat: int, names: Sequence[str]) -> Bust:
    """Parse how a seat went bust. Raise CellError.

    Players are given by wind or by name; names without a cause are the winners.
    """
    found = _BUST.fullmatch(unicodedata.normalize("NFKC", text).strip())
    if found is None:
        raise CellError(text)
    cause, seats = found["cause"], found["seats"].strip()
    if cause is None and folded(seats) in CAUSE_OF_WORD:
        cause, seats = seats, ""
    by = CAUSE_OF_WORD.get(folded(cause)) if cause is not None else "win"
    if by is None:
        raise CellError(text)
    who = tuple(sorted(_seat(part, names, text) for part in _AND.split(seats))) if seats else ()
    shares = tuple(sorted(_share(part, names, text) for part in _AND.split(found["shares"] or "") if part.strip()))
    winners, tenpai = (who if by == "win" else ()), (who if by == "draw" else ())
    return Bust(seat, by, winners=winners, tenpai=tenpai, shares=shares)


def _share(part: str, names: Sequence[str], text: str) -> tuple[int, int]:
    name, _, amount = part.partition("=")
    try:
        return _seat(name, names, text), parse_points(amount.strip())
    except ValueError as error:
        raise CellError(text) from error


def _seat(part: str, names: Sequence[str], text: str) -> int:
    if (seat := read_seat(part)) is not None and not part.strip().isdigit():
        return seat
    wanted = folded(part)
    matches = [place for place, name in enumerate(names) if folded(name) == wanted]
    if len(matches) != 1:
        raise CellError(text)
    return matches[0]


_WINDS = {
    folded(word): seat
    for seat, words in enumerate(zip(SEATS, SEATS_JA, WINDS, ("1", "2", "3", "4"), strict=True))
    for word in words
} | {"起": 0}


def read_seat(text: str) -> int | None:
    """Parse a seat such as `E`, `東`, `東家`, `East`, `起家` or `1` to a number from 0; None if it is none."""
    if text in _WINDS:
        return _WINDS[text]
    plain = folded(text)
    return _WINDS.get(plain, _WINDS.get(plain.removesuffix("家")))


_STATES = {folded(word): code for code, written in STATE.items() for word in (code, written)}
_STATES |= {"無効": "voided", "取消": "voided"}


def read_state(text: str) -> str:
    """Return the state of a hanchan. Raise CellError."""
    if (state := _STATES.get(folded(text))) is None:
        raise CellError(text)
    return state


def read_flag(text: str) -> bool | None:
    """Parse a yes/no cell; None if empty. Raise CellError."""
    plain = folded(text)
    if plain in {"1", "true", "yes", "はい", "○", "〇", "◯", "1.0"}:
        return True
    if plain in {"0", "false", "no", "いいえ", "×", "0.0"}:
        return False
    if plain:
        raise CellError(text)
    return None
