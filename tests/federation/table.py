"""The table of a rehearsal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was heard while something was away; seconds.

    `lost`: acknowledged results that stand nowhere. `doubled`: rows more than results. `stale`: leagues whose board stayed
    behind. `unanswered`: looks at a board that got no board. `wrong`: answers that nobody should get. `told`: words that open
    pages heard, None where nothing is pushed. `untold`: leagues whose page did not hear of its last board, and finds out by asking.
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
    told: int | None = None
    untold: int = 0

    @property
    def is_well(self) -> bool:
        """Whether results were taken, each counts once and is shown and told of, and nobody was told nonsense."""
        is_silent = self.told == 0
        return self.accepted > 0 and not (self.lost or self.doubled or self.stale or self.wrong or is_silent)


HEAD = (
    "killed", "accepted", "lost", "doubled", "stale", "slowest", "looks", "unanswered", "slowest look", "told", "untold", "wrong",
)  # fmt: skip


def lines_of(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from columns([HEAD, *(_cells(row) for row in rows)])


def columns(cells: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield lines with the cells below each other: the first to the left, all others to the right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *others in cells:
        padded = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *padded]).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    counts = (row.accepted, row.lost, row.doubled, row.stale)
    wrong = ", ".join(f"{count}× {what}" for what, count in row.wrong.items()) or "0"
    looks = (f"{row.read:,}", f"{row.unanswered:,}", f"{row.slowest_read:.1f} s")
    told = ("", "") if row.told is None else (f"{row.told:,}", f"{row.untold:,}")
    return (row.name, *(f"{count:,}" for count in counts), f"{row.slowest:.1f} s", *looks, *told, wrong)
