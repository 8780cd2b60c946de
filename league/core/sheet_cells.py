"""Cells of the session grid: raw score, then seat, who caused the bust, and chombo.

`317`, `317 東`, `▲15 東` (bust by the east seat, or seated there), `▲15 北 東` (seated north, bust by east), `▲15 流局 東南`
(draw, east and south in tenpai), `255 チョンボ`.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from league.core.readings import folded
from league.core.spreadsheets.cells import CAUSE_OF_WORD
from league.core.spreadsheets.columns import SEATS, SEATS_JA
from scoring.core import Bust

WINDS = {mark: seat for marks in (SEATS_JA, SEATS) for seat, mark in enumerate(marks)}
MARKS = SEATS_JA

_SCORE = re.compile(
    r"(?P<before>[東南西北ESWNeswn]?)(?P<score>[^東南西北A-Za-z]*?)(?P<after>[東南西北ESWNeswn]?)", re.DOTALL
)
_SEATS = re.compile(r"[東南西北ESWNeswn](?:[+・、,&]?[東南西北ESWNeswn]){0,3}")
_CHOMBO = re.compile(r"(?:チョンボ|chombo|c)(\d{0,2})", re.IGNORECASE)
_CAUSES = {"draw": "流局", "riichi": "リーチ", "other": "その他"}
_ENGLISH = dict(zip(SEATS_JA, SEATS, strict=True)) | {word: cause for cause, word in _CAUSES.items()}
_ENGLISH |= {"トビ": "bust", "チョンボ": "chombo"}
_BUST_WORDS = {folded(word): "win" for word in ("トビ", "飛び", "飛", "bust")} | dict(CAUSE_OF_WORD)


@dataclass(frozen=True, slots=True)
class TypedText:
    """A parsed cell; seats are numbered from 0.

    `cause`: of a bust, or "". `who`: the winners, or the players in tenpai. `is_open`: `seat` is the only wind, so it
    may also be the seat that caused the bust. `chombo`: None if not given. `behind`: the text after the score.
    """

    score: str
    seat: int | None = None
    is_open: bool = False
    cause: str = ""
    who: tuple[int, ...] = ()
    chombo: int | None = None
    behind: str = ""

    def as_bust(self) -> "TypedText":
        """Return the cell with its only wind read as the seat that caused the bust."""
        if not self.is_open or self.seat is None:
            return self
        return replace(self, seat=None, is_open=False, cause="win", who=(self.seat,))

    def bust_of(self, seat: int) -> Bust | None:
        if not self.cause:
            return None
        who = tuple(sorted(self.who))
        winners, tenpai = (who if self.cause == "win" else ()), (who if self.cause == "draw" else ())
        return Bust(seat, self.cause, winners=winners, tenpai=tenpai)


def read_cell(text: str) -> TypedText:
    """Parse a cell. Unknown words become part of the score, which is then unreadable."""
    words = re.sub("[:：]", " ", unicodedata.normalize("NFKC", " ".join(text.split()))).split()
    own, words = (words[0], words[1:]) if len(words) > 1 and words[0].upper() in WINDS else ("", words)
    said_behind = (_CHOMBO.fullmatch(word) or _SEATS.fullmatch(word) or folded(word) in _BUST_WORDS for word in words)
    ends = next((at for at, is_said in enumerate(said_behind) if at and is_said), len(words))
    typed = " ".join(words[:ends])
    found = _SCORE.fullmatch(typed)
    before, after = (found["before"], found["after"]) if found else ("", "")
    said = _behind_score([*filter(None, [after]), *words[ends:]])
    if said is None or (before and (own or after)):
        return TypedText(" ".join(text.split()))
    score = found["score"].strip() if found else typed
    own = own or before
    return _seated(replace(said, score=score), WINDS[own.upper()] if own else None)


def _behind_score(words: Sequence[str]) -> TypedText | None:
    """Parse the words after the score, None if invalid; `who` may include the player's own seat."""
    said = TypedText("")
    for word in words:
        if found := _CHOMBO.fullmatch(word):
            said = replace(said, chombo=int(found[1] or 1))
        elif _SEATS.fullmatch(word):
            seats = tuple(WINDS[mark] for mark in re.findall("[東南西北ESWN]", word.upper()))
            is_own = len(seats) == 1 and not said.cause and said.seat is None and not said.who
            said = replace(said, seat=seats[0]) if is_own else replace(said, who=(*said.who, *seats))
        elif not said.cause and folded(word) in _BUST_WORDS:
            said = replace(said, cause=_BUST_WORDS[folded(word)])
        else:
            return None
    return said


def _seated(said: TypedText, before: int | None) -> TypedText:
    """Combine a wind before the score with those after it."""
    who = said.who
    if before is not None:
        who = who if said.seat is None else (said.seat, *who)
        said = replace(said, seat=before)
    who = tuple(dict.fromkeys(who))
    cause = said.cause or ("win" if who else "")
    said = replace(said, who=who, cause=cause, is_open=before is None and said.seat is not None and not cause)
    return replace(said, behind=_behind(said))


def _behind(cell: TypedText) -> str:
    words = [MARKS[cell.seat]] if cell.seat is not None else []
    if cell.cause:
        seats = "".join(MARKS[seat] for seat in cell.who)
        # Without a word, a single wind would be read as the player's own seat.
        is_plain = cell.cause == "win" and bool(seats) and (bool(words) or len(cell.who) > 1)
        words += [] if is_plain else [_CAUSES.get(cell.cause, "トビ")]
        words += [seats] if seats else []
    if cell.chombo is not None:
        words.append("チョンボ" + ("" if cell.chombo == 1 else str(cell.chombo)))
    return " ".join(words)


def write_cell(score: str, seat: int | None, bust: Bust | None = None, chombo: int = 0) -> str:
    who = bust.winners or bust.tenpai if bust else ()
    cell = TypedText(score, seat, cause=bust.by if bust else "", who=who, chombo=chombo or None)
    return f"{score} {_behind(cell)}".rstrip()


def seated(text: str, seat: int) -> str:
    """Add the player's seat to a cell; a different wind already there then means who caused the bust."""
    cell = read_cell(text)
    if cell.seat is not None and not cell.is_open:
        return text
    said = replace(cell if cell.seat == seat else cell.as_bust(), seat=seat, is_open=False)
    return f"{said.score} {_behind(said)}"


def in_english(text: str) -> str:
    """Write the words of a cell in English."""
    return re.sub("|".join(_ENGLISH), lambda word: _ENGLISH[word[0]], text)
