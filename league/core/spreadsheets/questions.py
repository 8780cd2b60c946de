"""Headers that are the questions of a form: "Who sat East?", 東家の最終持ち点を入力してください."""

import re
import unicodedata
from typing import NamedTuple

_ENDING = re.compile(
    r"は?(?:誰|だれ|どなた|いつ|何点|なに|何)?(?:でしたか|ですか|か)?(?:を|は)?(?:ご)?"
    r"(?:入力|記入|選択|選んで|お選び|教えて|書いて)?(?:して)?(?:ください|下さい|願います)?[?!。]*$"
)

_WORDS = re.compile(r"\d(?:st|nd|rd|th)\b|[a-z]+|\d+")

_SEATS = {
    **{"east": 1, "1st": 1, "south": 2, "2nd": 2},
    **{"west": 3, "3rd": 3, "north": 4, "4th": 4},
}

_FILLING = re.compile(
    r"a|an|the|who|whos|what|whats|is|was|were|sat|sits|in|at|of|for|by|on|to|from|with|and|s|did|do|does"
    r"|have|had|has|please|enter|select|choose|pick|type|your|you|their|this|player|players|person|name"
    r"|names|end|ended|finish|finished|final|place|position|seat|how|many|much"
)
"""Words that ask, and say nothing of what is asked for."""

_TELLING = {
    "date": frozenset({"date", "day", "when"}),
    "sticks": frozenset({"sticks", "stick"}),
    "memo": frozenset({"comments", "comment", "notes", "remarks"}),
}
"""Words that say alone what a question is about, where it names no seat."""

MAX_LENGTH = 120
"""Nobody asks at greater length."""


class Asked(NamedTuple):
    """What a question asks for: a header as people write it, folded, and the seat from 1 on; 0 for none."""

    what: str
    seat: int = 0


def without_question(plain: str) -> str:
    """Return a folded header without the ending of a Japanese question."""
    return _ENDING.sub("", plain) if len(plain) <= MAX_LENGTH else plain


def asked_for(header: str) -> Asked:
    """Return what an English question asks for; nothing for one word or for a text that is no question."""
    words = _WORDS.findall(unicodedata.normalize("NFKC", header).casefold()) if len(header) <= MAX_LENGTH else []
    if len(words) < 2:
        return Asked("")
    seats = {_SEATS[word] for word in words if word in _SEATS} or _numbers(words)
    rest = [word for word in words if not _FILLING.fullmatch(word) and word not in _SEATS and not word.isdigit()]
    if len(seats) == 1:
        return Asked("".join(rest) or "player", seats.pop())
    if seats or any(word.isdigit() for word in words):
        return Asked("")
    return Asked(next((key for key, telling in _TELLING.items() if telling & set(words)), "".join(rest)))


def _numbers(words: list[str]) -> set[int]:
    if not {"player", "seat", "position"} & set(words):
        return set()
    return {int(word) for word in words if word in {"1", "2", "3", "4"}}
