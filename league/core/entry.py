"""What people type at the table: whether raw scores and sticks add up, the score that is filled in, chips, counts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from league.core.limits import MAX_CHIPS
from league.core.raw_scores import RawScoreError, ScoreText, in_hundreds, plain, read_score_text, scores_together
from scoring.core.hanchan import STICK

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")

MOST_STICKS_OFFERED = 4
"""A hanchan rarely ends with more riichi sticks on the table than it has players: more missing is a slip in a score."""


def parse_whole(text: str) -> int:
    """Return a small whole number such as a count of chips: `３`, `▲2`, `+1`. Raises RawScoreError."""
    number = plain(text)
    if not number:
        raise RawScoreError("empty", text)
    if not _WHOLE.fullmatch(number) or abs(int(number)) > MAX_CHIPS:
        raise RawScoreError("unreadable", text)
    return int(number)


@dataclass(frozen=True, slots=True)
class SumCheck:
    """Whether the scores and the sticks on the table make up what the game began with.

    `missing_sticks`: how many riichi sticks would explain what is missing; 0 if a slip in a score is as likely.
    """

    total: int
    expected: int
    missing_sticks: int = 0

    @property
    def difference(self) -> int:
        """Points too many (positive) or missing (negative)."""
        return self.total - self.expected

    @property
    def adds_up(self) -> bool:
        """Whether nothing is missing and nothing too many."""
        return self.difference == 0


def check_sum(raw: Sequence[int], sticks_left: int, start_points: int) -> SumCheck:
    """Return the check of the raw scores of all seats, with the sticks still on the table counted in."""
    total, expected = sum(raw) + STICK * sticks_left, len(raw) * start_points
    return SumCheck(total, expected, _missing_sticks(raw, sticks_left, expected - total))


def _missing_sticks(raw: Sequence[int], sticks_left: int, missing: int) -> int:
    sticks, rest = divmod(missing, STICK)
    if rest or not 0 < sticks <= MOST_STICKS_OFFERED - sticks_left:
        return 0
    return 0 if any(_lacks_digit(score, missing) for score in raw) else sticks


def _lacks_digit(score: int, missing: int) -> bool:
    """Return whether one digit more or less would make up what is missing: 5 for 15, ▲15 for ▲5.

    That one digit stands for another is no sign of a slip: 317 and 327 differ by just the stick that may be left.
    """
    meant = score + missing
    if (score < 0) != (meant < 0):
        return False
    short, long = sorted((in_hundreds(score), in_hundreds(meant)), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


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
    """Return the scores that the texts mean together; if `fills`, the only empty one is what is left over."""
    read: list[ScoreText | None] = []
    errors = {}
    for seat, text in enumerate(texts):
        score = None
        try:
            score = read_score_text(text)
        except RawScoreError as error:
            if error.code != "empty":
                errors[seat] = error
        read.append(score)
    typed = scores_together(read, len(texts) * start_points - STICK * sticks_left)
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
