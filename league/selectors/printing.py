from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

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
    return {link.table: link for link in session.table_links.filter(revoked_at=None, expires_at__gt=now)}


SHAPES = (1, 2, 4, 6, 12)


def posters(session: Session, addresses: Mapping[int, str], most: int) -> list[dict[str, Any]]:
    """Return the posters of a session: at least one per planned round, with at most `most` tables each.

    Without a plan, a single round with all tables. `round` is 0 if the plan is for the whole session; `shape` is the
    number of tables in its layout. Tables have players (first dealer first), and those who sit out. Three queries.
    """
    waiting = waiting_at(session)
    by_round = groupby(plan_of(session), key=lambda plan: plan[0])
    rounds = [(number, {table: players for _, table, players in plans}) for number, plans in by_round]
    pages = []
    for number, seated in rounds or [(EVERY_ROUND, {})]:
        tables = [
            {
                "number": table,
                "seated": seated.get(table, ()),
                "waiting": waiting.get(table, ()),
                "address": addresses.get(table, ""),
            }
            for table in (sorted(seated) if number else tables_of(session))
        ]
        for part in _parts(tables, most):
            shape = next(shape for shape in SHAPES if shape >= len(part))
            has_plan = any(table["seated"] for table in part)
            pages.append({"round": number, "tables": part, "shape": shape, "has_plan": has_plan})
    return pages


def _parts(tables: Sequence[dict[str, Any]], most: int) -> list[Sequence[dict[str, Any]]]:
    pages = -(-len(tables) // most)
    size = -(-len(tables) // pages)
    return [tables[first : first + size] for first in range(0, len(tables), size)]


def score_sheets(session: Session, rules: ScoringRules, addresses: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return score sheets by table, continued on further pages if necessary. Three queries.

    Columns are `people` (None without a name), or seats if players change between rounds (`by_seat`). `lines` have the
    round, and who is seated if players change.
    """
    plans: dict[int, dict[int, Seated]] = {}
    for number, table, players in plan_of(session):
        plans.setdefault(table, {})[number] = players
    waiting, sheets = waiting_at(session), []
    for table in tables_of(session):
        planned = plans.get(table, {})
        by_seat = len({frozenset(player.pk for player in seated if player) for seated in planned.values()}) > 1
        people = _people(planned, waiting.get(table, ()), rules.players or 4, by_seat=by_seat)
        last = max(planned.keys() - {EVERY_ROUND}, default=BLANK_ROUNDS)
        lines = [(number, _seated(planned, number, len(people)) if by_seat else ()) for number in range(1, last + 1)]
        parts = [lines[first : first + MAX_ROUNDS] for first in range(0, len(lines), MAX_ROUNDS)]
        sheets += [
            {
                "table": table,
                "address": addresses.get(table, ""),
                "people": people,
                "by_seat": by_seat,
                "lines": part,
                "page": page,
                "pages": len(parts),
            }
            for page, part in enumerate(parts, start=1)
        ]
    return sheets


Seated = tuple[Player | None, ...]


def _people(plans: Mapping[int, Seated], waiting: Seated, players: int, *, by_seat: bool) -> Seated:
    if by_seat:
        return (None,) * players
    named = [*(plans.get(EVERY_ROUND) or next(iter(plans.values()), ())), *waiting]
    return (*named, *[None] * (players - len(named))) if named else (None,) * (players + SPARE_SEATS)


def _seated(plans: Mapping[int, Seated], number: int, seats: int) -> Seated:
    named = plans.get(number) or plans.get(EVERY_ROUND, ())
    return (*named, *[None] * (seats - len(named)))[:seats]


def table_rules(rules: ScoringRules) -> list[Description]:
    return [clause for clause in describe_ruleset(rules) if clause.parameter in TABLE_RULES]


def is_confirmed_by_players(league: League) -> bool:
    return league.confirmed_by in {League.ConfirmedBy.ONE, League.ConfirmedBy.ALL}
