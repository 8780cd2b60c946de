"""A span of league days that somebody chose, open at either end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class DaySpan:
    """The days from `first` to `last`, both of them in it; None is no end on that side."""

    first: date | None = None
    last: date | None = None

    def __str__(self) -> str:
        """Say it in figures, which every language reads: 2026-05-01 – 2026-05-31; nothing for all days."""
        if self == ALL_DAYS:
            return ""
        first, last = (day.isoformat() if day else "" for day in (self.first, self.last))
        return f"{first} – {last}".strip()

    @property
    def parameters(self) -> dict[str, str]:
        """What `span_of` reads again; nothing for an open end."""
        ends = {"first": self.first, "last": self.last}
        return {name: day.isoformat() for name, day in ends.items() if day is not None}


ALL_DAYS = DaySpan()


def span_of(parameters: Mapping[str, Any]) -> DaySpan:
    """Return the span that `parameters` name, all days where they name none. Raises ValueError for what is no day."""
    first, last = (parameters.get(name) for name in ("first", "last"))
    return DaySpan(first and date.fromisoformat(first), last and date.fromisoformat(last))
