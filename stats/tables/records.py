"""Records as their page lists them."""

from dataclasses import dataclass

from django.utils.functional import Promise

from stats.core.league_records import RecordKind
from stats.messages import LONGEST, RECORDS
from stats.selectors.records import HeldRecord, PeriodRecords

RAW = frozenset({RecordKind.HIGHEST_RAW, RecordKind.LOWEST_RAW, RecordKind.CLOSEST, RecordKind.WIDEST})


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A line of the page. `unit`: what its value is, "raw", "points" or "hanchan". `note`: what is meant, may be empty."""

    label: Promise
    note: Promise | str
    unit: str
    held: HeldRecord


def record_lines(found: PeriodRecords) -> list[RecordLine]:
    """Return the records of one hanchan or one evening, then the longest streaks."""
    lines = [RecordLine(*RECORDS[kind], _unit(kind), held) for kind, held in found.held.items()]
    return lines + [RecordLine(LONGEST[run], "", "hanchan", held) for run, held in found.longest.items()]


def _unit(kind: RecordKind) -> str:
    if kind in RAW:
        return "raw"
    return "hanchan" if kind is RecordKind.MOST_IN_EVENING else "points"
