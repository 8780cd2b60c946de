from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from league.core.limits import MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.models import Hanchan, Session
from league.models.plans import EVERY_ROUND
from league.selectors.entry import SeatingChoices, sheet_choices
from league.selectors.games import seats_of
from league.selectors.planning import plan_of
from scoring.core import ScoringRules


def parts(rows: Sequence[Collection[int]], most_rows: int, most_people: int) -> list[range]:
    """Split rows into pages, in order, by number of rows and of people. Without rows there is one empty page.

    A row with too many people gets its own page.
    """
    return list(_parts(rows, most_rows, most_people)) or [range(0)]


def _parts(rows: Sequence[Collection[int]], most_rows: int, most_people: int) -> Iterator[range]:
    start, people = 0, set[int]()
    for number, row in enumerate(rows):
        together = people.union(row)
        if number > start and (number - start == most_rows or len(together) > most_people):
            yield range(start, number)
            start, together = number, set(row)
        people = together
    if start < len(rows):
        yield range(start, len(rows))


ROUNDS_AHEAD = 4
"""Rows prepared at a table with the same players in all rounds."""


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """A row of the sheet: a stored hanchan, or a planned table without a result."""

    round: int
    table: int
    players: tuple[int, ...]
    hanchan: Hanchan | None = None


@dataclass(frozen=True)
class SheetContext:
    """A session with its stored hanchan in row order, and the players offered.

    `plans`: (round, table) → primary keys of the planned players, first dealer first. `takes_as_is`: the user may accept
    a wrong total.
    """

    session: Session
    rules: ScoringRules
    hanchan: Sequence[Hanchan]
    choices: SeatingChoices
    plans: Mapping[tuple[int, int], tuple[int, ...]]
    takes_as_is: bool = False

    @cached_property
    def by_key(self) -> dict[str, Hanchan]:
        return {str(game.pk): game for game in self.hanchan}

    @property
    def size(self) -> int:
        return self.rules.players or 0

    def planned(self, round_number: int, table: int) -> tuple[int, ...]:
        """Return the primary keys of the players planned for the round, else for the whole session."""
        return self.plans.get((round_number, table)) or self.plans.get((EVERY_ROUND, table), ())

    @property
    def goes_on_freely(self) -> bool:
        """Whether the session has one table without a plan, so that rows are simply appended."""
        return not self.plans and self.session.tables == 1

    @cached_property
    def places(self) -> list[SheetPlace]:
        """All stored hanchan, and planned ones without a result, by round and table."""
        return sorted([*self._stored(), *self._waiting()], key=lambda place: (place.round, place.table))

    @cached_property
    def parts(self) -> list[range]:
        return parts([place.players for place in self.places], MAX_SHEET_ROWS, MAX_SHEET_COLUMNS)

    def _stored(self) -> Iterator[SheetPlace]:
        for game in self.hanchan:
            yield SheetPlace(game.round, game.table, tuple(seat.player_id for seat in seats_of(game)), game)

    def _waiting(self) -> Iterator[SheetPlace]:
        played = {(game.round, game.table) for game in self.hanchan}
        tables = range(1, self.session.tables + 1) if not self.goes_on_freely else ()
        for (number, table), players in (self.plans or {(EVERY_ROUND, table): () for table in tables}).items():
            if number != EVERY_ROUND:
                rounds = [number]
            else:
                last = max((at for at, where in played if where == table), default=0)
                rounds = [*range(last + 1, max(ROUNDS_AHEAD, last + 1) + 1)]
            for at in rounds:
                is_own = number == EVERY_ROUND and (at, table) in self.plans
                if (at, table) not in played and not is_own:
                    yield SheetPlace(at, table, players)


def sheet_context(session: Session, rules: ScoringRules, *, takes_as_is: bool = False) -> SheetContext:
    """Return the context of a session's sheet. Eight queries."""
    found = session.hanchan.valid().select_related("ruleset_version").prefetch_related("seats__player", "incidents")
    hanchan = list(found.order_by("round", "table", "played_at", "pk"))
    for game in hanchan:
        game.session, game.league = session, session.league
    plans = {(number, table): tuple(each.pk for each in players) for number, table, players in plan_of(session)}
    return SheetContext(session, rules, hanchan, sheet_choices(session, hanchan), plans, takes_as_is)
