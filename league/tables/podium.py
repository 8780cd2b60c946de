"""The first three of a board with bars that are as long as what they have is much."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from league.models import League, Standing

WHOLE = 10_000
"""The width of a picture in hundredths of a percent."""


@dataclass(frozen=True, slots=True)
class PodiumLine:
    """One of the first three with the left end, the width and the zero of their bar, in hundredths of a percent.

    All three share the zero; a minus lies to the left of it. There is no bar where a board goes by placements, of which
    less is more.
    """

    line: Standing
    bar: tuple[int, int, int] | None = None


def podium_lines(league: League, lines: Sequence[Standing]) -> list[PodiumLine]:
    """Return the lines with their bars, all on one scale from the least, or zero, to the most, or zero."""
    if league.metric == League.Metric.AVERAGE_PLACEMENT:
        return [PodiumLine(line) for line in lines]
    amounts = [_amount(league, line) for line in lines]
    least, most = min((Fraction(0), *amounts)), max((Fraction(0), *amounts))
    span = most - least or Fraction(1)

    def place(amount: Fraction) -> int:
        return int((amount - least) * WHOLE / span)

    zero = place(Fraction(0))
    ends = [place(amount) for amount in amounts]
    return [PodiumLine(line, (min(zero, end), abs(end - zero), zero)) for line, end in zip(lines, ends, strict=True)]


def _amount(league: League, line: Standing) -> Fraction:
    if league.metric == League.Metric.AVERAGE_POINTS:
        return Fraction(line.averaged, line.all_hanchan or 1)
    return Fraction(line.total)
