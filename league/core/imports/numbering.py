"""Which table and round a game is given that names none."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from league.core import limits


@dataclass(slots=True)
class Numbering:
    """Tables and rounds of the sessions, as far as they are taken; gives numbers to games that have none."""

    taken: set[tuple[Hashable, int, int]] = field(default_factory=set)
    highest: dict[tuple[Hashable, int], int] = field(default_factory=dict)

    def place(self, session: Hashable, table: int | None, number: int | None) -> tuple[int, int]:
        """Return table and round of a game, and take them. Without a table the first one that is free in the round."""
        if number is None:
            table = table or 1
            number = min(self.highest.get((session, table), 0) + 1, limits.MAX_ROUND)
        elif table is None:
            table = next(free for free in range(1, limits.MAX_TABLE + 1) if (session, free, number) not in self.taken)
        self.take(session, table, number)
        return table, number

    def take(self, session: Hashable, table: int, number: int) -> None:
        self.taken.add((session, table, number))
        self.highest[session, table] = max(number, self.highest.get((session, table), 0))
