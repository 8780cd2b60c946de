"""What was typed at the table, read seat by seat: raw scores and their sum, chips, counts, sticks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.entry import RawScoreError, SumCheck, check_sum, fill_last, parse_raw_score, parse_whole

HUNDREDS_DIGITS = 4
"""A number of hundreds with more digits would be read as points."""


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


def score_text(points: int) -> str:
    """Return what somebody would type for a raw score: 317 for 31,700, ▲15 for a negative one."""
    sign = pgettext("negative sign", "−") if points < 0 else ""
    hundreds = str(abs(points) // 100)
    return sign + (hundreds if len(hundreds) <= HUNDREDS_DIGITS else str(abs(points)))


def score_sentence(error: RawScoreError, who: str) -> str:
    """Return what is wrong with a typed raw score, and how to mend it."""
    sentences = {
        "unreadable": _("%(who)s: “%(text)s” is not a score. Write the hundreds, such as 317 for 31,700."),
        "not_hundreds": _("%(who)s: “%(text)s” does not end in hundreds. Please recount the 100-point sticks."),
        "too_large": _("%(who)s: “%(text)s” is more than sticks can show. 317 means 31,700."),
    }
    return sentences[error.code] % {"who": who, "text": error.text}


def count_sentence(error: RawScoreError, what: str, most: int) -> str:
    """Return what is wrong with a typed count, and how to mend it."""
    sentence = _("%(what)s: “%(text)s” is not a whole number from 0 to %(most)s.")
    return sentence % {"what": what, "text": error.text, "most": most}
