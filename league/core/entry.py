"""What people type at the table: raw scores in any of the usual ways and whether they add up, chips, counts, sticks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from league.core.limits import MAX_CHIPS, MAX_RAW_SCORE
from league.core.numbers import half_width
from scoring.core.hanchan import STICK

_NOISE = re.compile(r"[\s,、'_]|点|pts?$", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_SUM = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[+-]\d+(?:\.\d+)?)*", re.ASCII)
_TERM = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)
"""Only half-width digits: other scripts' are read neither here nor by static/js/scores.js."""

HUNDREDS_DIGITS = 4
"""Up to this many digits mean hundreds (317 → 31,700); more mean points (31700)."""


class RawScoreError(ValueError):
    """A text that is no raw score. `code` says why: "empty", "unreadable", "not_hundreds" or "too_large"."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


def parse_raw_score(text: str) -> int:
    """Return the points that somebody meant by `317`, `31,700`, `31.7`, `３１７`, `▲15` or `250+80-39`.

    Up to four digits are hundreds, five and more are points, a decimal point means thousands. Raises RawScoreError.
    """
    plain = _plain(text)
    if not plain:
        raise RawScoreError("empty", text)
    if not _SUM.fullmatch(plain):
        raise RawScoreError("unreadable", text)
    points = sum(_term_in_points(term, text) for term in _TERM.findall(plain))
    if abs(points) > MAX_RAW_SCORE:
        raise RawScoreError("too_large", text)
    return points


def parse_whole(text: str) -> int:
    """Return a small whole number such as a count of chips: `３`, `▲2`, `+1`. Raises RawScoreError."""
    plain = _plain(text)
    if not plain:
        raise RawScoreError("empty", text)
    if not _WHOLE.fullmatch(plain) or abs(int(plain)) > MAX_CHIPS:
        raise RawScoreError("unreadable", text)
    return int(plain)


def _plain(text: str) -> str:
    return _NOISE.sub("", half_width(text))


def _term_in_points(term: str, text: str) -> int:
    sign = -1 if term.startswith("-") else 1
    digits = term.lstrip("+-")
    whole, _, fraction = digits.partition(".")
    if len(whole) + len(fraction) > len(str(MAX_RAW_SCORE)):
        raise RawScoreError("too_large", text)
    if fraction:
        points = int(whole) * STICK + int(fraction.ljust(3, "0")[:3])
        exact = not fraction[3:].strip("0")
    else:
        points = int(whole) * (100 if len(whole) <= HUNDREDS_DIGITS else 1)
        exact = True
    if not exact or points % 100:
        raise RawScoreError("not_hundreds", text)
    return sign * points


@dataclass(frozen=True, slots=True)
class SumCheck:
    """Whether the scores and the sticks on the table make up what the game began with."""

    total: int
    expected: int

    @property
    def difference(self) -> int:
        """Points too many (positive) or missing (negative)."""
        return self.total - self.expected

    @property
    def adds_up(self) -> bool:
        """Whether nothing is missing and nothing too many."""
        return self.difference == 0

    @property
    def missing_sticks(self) -> int:
        """How many riichi sticks would explain what is missing; 0 if sticks cannot explain it."""
        missing = -self.difference
        return missing // STICK if missing > 0 and missing % STICK == 0 else 0


def check_sum(raw: Sequence[int], sticks_left: int, start_points: int) -> SumCheck:
    """Return the check of the raw scores of all seats, with the sticks still on the table counted in."""
    return SumCheck(sum(raw) + STICK * sticks_left, len(raw) * start_points)


def fill_last(raw: Sequence[int | None], sticks_left: int, start_points: int) -> tuple[int | None, ...]:
    """Return the scores with the only missing one filled in so that they add up; unchanged if several are missing.

    More sticks than everybody began with are a slip, such as 1000 for one: nothing is worked out from them.
    """
    missing = [seat for seat, score in enumerate(raw) if score is None]
    left = len(raw) * start_points - STICK * sticks_left
    if len(missing) != 1 or left < 0:
        return tuple(raw)
    rest = left - sum(score for score in raw if score is not None)
    return tuple(rest if score is None else score for score in raw)


@dataclass(frozen=True, slots=True)
class TypedScores:
    """The raw scores as far as they can be read. `filled` is the seat whose score nobody typed."""

    raw: tuple[int | None, ...]
    errors: Mapping[int, RawScoreError]
    filled: int | None
    check: SumCheck | None

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats where nothing was typed and nothing could be filled in."""
        return tuple(seat for seat, score in enumerate(self.raw) if score is None and seat not in self.errors)

    @property
    def scores(self) -> tuple[int, ...] | None:
        """All raw scores, or None while one is missing."""
        known = tuple(score for score in self.raw if score is not None)
        return known if len(known) == len(self.raw) else None


def read_scores(texts: Sequence[str], sticks_left: int, start_points: int, *, fills: bool) -> TypedScores:
    """Return the scores that the texts mean; if `fills`, the only empty one is what is left over."""
    raw: list[int | None] = []
    errors = {}
    for seat, text in enumerate(texts):
        score = None
        try:
            score = parse_raw_score(text)
        except RawScoreError as error:
            if error.code != "empty":
                errors[seat] = error
        raw.append(score)
    typed = tuple(raw)
    scores = fill_last(typed, sticks_left, start_points) if fills and not errors else typed
    filled = next((seat for seat, score in enumerate(scores) if score != typed[seat]), None)
    known = [score for score in scores if score is not None]
    check = check_sum(known, sticks_left, start_points) if len(known) == len(scores) else None
    return TypedScores(scores, errors, filled, check)


def read_chips(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the chips of every seat: the only empty one is what is left over, several empty ones are 0.

    Raises RawScoreError.
    """
    chips = [parse_whole(text) if text.strip() else None for text in texts]
    if all(count is None for count in chips):
        return ()
    known = sum(count for count in chips if count is not None)
    rest = -known if chips.count(None) == 1 else 0
    return tuple(rest if count is None else count for count in chips)


def read_counts(texts: Sequence[str], most: int) -> tuple[int, ...]:
    """Return small counts of every seat; empty when all are 0. Raises RawScoreError."""
    counts = tuple(read_count(text, most) for text in texts)
    return counts if any(counts) else ()


def read_count(text: str, most: int) -> int:
    """Return a count that is not negative; nothing typed means 0. Raises RawScoreError."""
    if not text.strip():
        return 0
    count = parse_whole(text)
    if not 0 <= count <= most:
        raise RawScoreError("out_of_range", text)
    return count
