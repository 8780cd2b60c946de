"""The table of a rehearsal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was heard while something was away; seconds.

    `lost`: acknowledged results that stand nowhere. `doubled`: rows more than results. `stale`: leagues whose board stayed
    behind. `unanswered`: looks at a board that got no board. `wrong`: answers that nobody should get.
    """

    name: str
    accepted: int
    lost: int
    doubled: int
    stale: int
    slowest: float
    read: int
    unanswered: int
    slowest_read: float
    wrong: Mapping[str, int]

    @property
    def is_well(self) -> bool:
        """Whether results were taken, each counts once and is shown, and nobody was told nonsense."""
        return self.accepted > 0 and not (self.lost or self.doubled or self.stale or self.wrong)


HEAD = ("killed", "accepted", "lost", "doubled", "stale", "slowest", "looks", "unanswered", "slowest", "wrong")


def lines_of(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    cells = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    for line in cells:
        first, *others = (
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        yield "  ".join([first, *others]).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    counts = (row.accepted, row.lost, row.doubled, row.stale)
    wrong = ", ".join(f"{count}× {what}" for what, count in row.wrong.items()) or "0"
    looks = (f"{row.read:,}", f"{row.unanswered:,}", f"{row.slowest_read:.1f} s")
    return (row.name, *(f"{count:,}" for count in counts), f"{row.slowest:.1f} s", *looks, wrong)
