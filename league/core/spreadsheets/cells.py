"""Cells that hold more than a number or a name, written and read back without loss.

Text that a spreadsheet would take for a formula gets an apostrophe in front. Lists are joined with "|"; a "|" or a
backslash of their own gets a backslash in front, an empty entry is a backslash and a zero.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from league.core.readings import folded
from league.core.spreadsheets.columns import SEATS, SEATS_JA, Words
from scoring.core import Bust, format_points, parse_points

_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@＝＋－＠\t\r]")
_ENTRY = re.compile(r"(?:[^\\|]|\\.)*", re.DOTALL)
_CODE = re.compile(r"\\(.)", re.DOTALL)


class CellError(ValueError):
    """`text`: the content of the cell."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def escaped(text: str) -> str:
    """Return a text cell that no spreadsheet takes for a formula. Numbers are not passed through here."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescaped(text: str) -> str:
    return text[1:] if _ESCAPED.match(text) else text


def write_list(entries: Iterable[str]) -> str:
    """Return several texts as one cell; no entries are an empty cell."""
    return "|".join(entry.replace("\\", "\\\\").replace("|", "\\|") or "\\0" for entry in entries)


def read_list(text: str) -> tuple[str, ...]:
    entries, at = [], 0
    while at < len(text):
        found = _ENTRY.match(text, at)
        entry = found[0] if found else ""
        entries.append("" if entry == "\\0" else _CODE.sub(r"\1", entry))
        at += len(entry) + 1
    return tuple(entry.strip() for entry in entries)


def write_bust(bust: Bust | None) -> str:
    """Return the cell that says how a seat went bust: `win:E`, `draw:E+W`, `other/E=5+W=5`; empty for None."""
    if bust is None:
        return ""
    seats = "+".join(SEATS[seat] for seat in (bust.tenpai if bust.by == "draw" else bust.winners))
    shares = "+".join(f"{SEATS[seat]}={format_points(amount)}" for seat, amount in bust.shares)
    return bust.by + (seats and f":{seats}") + (shares and f"/{shares}")


_CAUSES = {
    "win": ("和了", "アガリ", "ロン", "ツモ", "ron", "tsumo"),
    "draw": ("流局", "ノーテン"),
    "riichi": ("リーチ", "立直"),
    "other": ("その他",),
}
CAUSE_OF_WORD = {folded(word): cause for cause, words in _CAUSES.items() for word in (cause, *words)}
"""How a bust came about, by every word for it."""
_BUST = re.compile(r"(?:(?P<cause>[^:/]*):)?(?P<seats>[^:/]*)(?:/(?P<shares>.*))?", re.DOTALL)
_AND = re.compile(r"[+＋・、,&]")


def read_bust(text: str, seat: int, names: Sequence[str]) -> Bust:
    """Return how the seat went bust. Winds or the names at the table say who; names alone won. Raises CellError."""
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
    for seat, words in enumerate(
        zip(SEATS, SEATS_JA, ("east", "south", "west", "north"), ("1", "2", "3", "4"), strict=True)
    )
    for word in words
} | {"起": 0}


def read_seat(text: str) -> int | None:
    """Return the seat from 0 on that `E`, `東`, `東家`, `East`, `起家` or `1` names; None for anything else."""
    if text in _WINDS:
        return _WINDS[text]
    plain = folded(text)
    return _WINDS.get(plain, _WINDS.get(plain.removesuffix("家")))


def read_word(words: Words, text: str) -> str:
    """Return the code that a cell gives as itself or in one of its words. Raises CellError."""
    wanted = folded(text)
    for code, names in words.items():
        if wanted in map(folded, (code, *names)):
            return code
    raise CellError(text)


def read_flag(text: str) -> bool | None:
    """Return whether a cell says yes; None for an empty one. Raises CellError."""
    plain = folded(text)
    if plain in {"1", "true", "yes", "はい", "○", "〇", "◯", "1.0"}:
        return True
    if plain in {"0", "false", "no", "いいえ", "×", "0.0"}:
        return False
    if plain:
        raise CellError(text)
    return None
