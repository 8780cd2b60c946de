from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from league.models import League, Player, Session, TableLink
from league.models.plans import EVERY_ROUND
from league.selectors.planning import plan_of, waiting_at
from scoring.core import ScoringRules
from scoring.messages import Description, describe_ruleset

BLANK_ROUNDS = 8
"""Rows of a score sheet without planned rounds."""

MAX_ROUNDS = 12
"""Rows per page of a score sheet."""

SPARE_SEATS = 1
"""Columns for unplanned players."""

TABLE_RULES = (
    "start_points",
    "return_points",
    "score_basis",
    "oka",
    "uma",
    "uma_floating",
    "tie",
    "leftover",
    "below_zero_floor",
    "bust",
    "chombo",
    "fine",
    "chips",
)
"""Rule parameters that players look up at the table."""


def tables_of(session: Session) -> list[int]:
    """Return the numbers of the tables to print: the session's, and all planned ones. One query."""
    planned = session.planned_seats.order_by().values_list("table", flat=True).distinct()
    return list(range(1, max([session.tables, *planned]) + 1))


def links_of(session: Session, now: datetime) -> dict[int, TableLink]:
    """Return the valid table links by table. One query."""
    links = session.table_links.filter(revoked_at=None, expires_at__gt=now)
    return {link.table: link for link in links}


# --- Posters ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PosterTable:
    """A table on a poster: players (first dealer first), players who sit out, and URL."""

    number: int
    seated: tuple[Player, ...]
    waiting: tuple[Player, ...]
    address: str


@dataclass(frozen=True, slots=True)
class Poster:
    """One page. `round` is 0 if the plan is for the whole session; `shape` is the number of tables in its layout."""

    round: int
    tables: tuple[PosterTable, ...]
    shape: int

    @property
    def has_plan(self) -> bool:
        return any(table.seated for table in self.tables)


SHAPES = (1, 2, 4, 6, 12)


def posters(session: Session, addresses: Mapping[int, str], most: int) -> list[Poster]:
    """Return the posters of a session: at least one per planned round, with at most `most` tables each.

    Without a plan, a single round with all tables. Three queries.
    """
    waiting = waiting_at(session)
    rounds = [
        (number, {table: players for _, table, players in plans})
        for number, plans in groupby(plan_of(session), key=lambda plan: plan[0])
    ]
    pages = []
    for number, seated in rounds or [(EVERY_ROUND, {})]:
        tables = [
            PosterTable(table, seated.get(table, ()), waiting.get(table, ()), addresses.get(table, ""))
            for table in (sorted(seated) if number else tables_of(session))
        ]
        pages += [
            Poster(number, part, next(shape for shape in SHAPES if shape >= len(part))) for part in _parts(tables, most)
        ]
    return pages


def _parts(tables: Sequence[PosterTable], most: int) -> list[tuple[PosterTable, ...]]:
    pages = -(-len(tables) // most)
    size = -(-len(tables) // pages)
    return [tuple(tables[first : first + size]) for first in range(0, len(tables), size)]


# --- Score sheets ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScoreSheetRow:
    """A row for one hanchan; `seated` is empty unless players change between rounds."""

    round: int
    seated: tuple[Player | None, ...]


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """One page of a table's score sheet. Columns are players, or seats if players change between rounds.

    `people` contains None for columns without a name.
    """

    table: int
    address: str
    people: tuple[Player | None, ...]
    by_seat: bool
    lines: tuple[ScoreSheetRow, ...]
    page: int
    pages: int

    @property
    def everybody(self) -> Iterator[Player | None]:
        yield from self.people
        for line in self.lines:
            yield from line.seated


def score_sheets(session: Session, rules: ScoringRules, addresses: Mapping[int, str]) -> list[ScoreSheet]:
    """Return score sheets by table, continued on further pages if necessary. Three queries."""
    plans: dict[int, dict[int, tuple[Player, ...]]] = {}
    for number, table, players in plan_of(session):
        plans.setdefault(table, {})[number] = players
    waiting = waiting_at(session)
    sheets = []
    for table in tables_of(session):
        sheets += _sheets(
            _SheetTable(table, plans.get(table, {}), waiting.get(table, ())), rules, addresses.get(table, "")
        )
    return sheets


@dataclass(frozen=True, slots=True)
class _SheetTable:
    number: int
    plans: Mapping[int, tuple[Player, ...]]
    waiting: tuple[Player, ...]

    @property
    def rounds(self) -> list[int]:
        return sorted(self.plans.keys() - {EVERY_ROUND})


def _sheets(table: _SheetTable, rules: ScoringRules, address: str) -> list[ScoreSheet]:
    by_seat = len({frozenset(player.pk for player in seated) for seated in table.plans.values()}) > 1
    people = _people(table, rules.players or 4, by_seat=by_seat)
    last = max([BLANK_ROUNDS if not table.rounds else 0, *table.rounds])
    lines = [
        ScoreSheetRow(number, _seated(table, number, len(people)) if by_seat else ()) for number in range(1, last + 1)
    ]
    parts = [tuple(lines[first : first + MAX_ROUNDS]) for first in range(0, len(lines), MAX_ROUNDS)]
    return [
        ScoreSheet(table.number, address, people, by_seat, part, page, len(parts))
        for page, part in enumerate(parts, start=1)
    ]


def _people(table: _SheetTable, players: int, *, by_seat: bool) -> tuple[Player | None, ...]:
    if by_seat:
        return (None,) * players
    named = [*(table.plans.get(EVERY_ROUND) or next(iter(table.plans.values()), ())), *table.waiting]
    return (*named, *[None] * (players - len(named))) if named else (None,) * (players + SPARE_SEATS)


def _seated(table: _SheetTable, number: int, seats: int) -> tuple[Player | None, ...]:
    named = table.plans.get(number) or table.plans.get(EVERY_ROUND, ())
    return (*named, *[None] * (seats - len(named)))[:seats]


def table_rules(rules: ScoringRules) -> list[Description]:
    return [clause for clause in describe_ruleset(rules) if clause.parameter in TABLE_RULES]


def is_confirmed_by_players(league: League) -> bool:
    return league.confirmed_by in {League.ConfirmedBy.ONE, League.ConfirmedBy.ALL}
