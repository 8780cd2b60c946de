"""The seats of an evening: who was dealt to which table, guests included."""

from collections.abc import Collection, Sequence

from django.conf import settings
from django.db import transaction

from league.core.season import Tables, even_tables, lot_tables
from league.models import Player, Session
from league.models.plans import EVERY_ROUND
from league.selectors.season import season_so_far
from league.services.history import Actor
from league.services.people import PlayerFacts, player_of
from league.services.planning import PlanningError, TablePlan, replan_tables

SHARE_OF_PROPOSALS = 4
"""An evening is drawn while somebody waits for the page: a part of what a whole plan of a tournament may try."""


def draw_evening(
    *,
    session: Session,
    coming: Sequence[Player | PlayerFacts],
    size: int,
    seed: int,
    is_even: bool,
    late: Collection[int] = (),
) -> Tables:
    """Return who of those coming sits at which table, by their place in `coming`; see core.season.

    `is_even`: what the season has brought is evened out; else a lot decides alone. `late`: players, by primary key.
    Raises TooFewError. Three queries, none for a lot.
    """
    keys = [person.pk if isinstance(person, Player) else None for person in coming]
    late_ones = frozenset(place for place, key in enumerate(keys) if key in late)
    if not is_even:
        return lot_tables(len(keys), size, seed, late=late_ones)
    most = settings.SEATING_PROPOSALS // SHARE_OF_PROPOSALS
    return even_tables(season_so_far(session, keys), size, seed, late=late_ones, most=most)


@transaction.atomic
def seat_evening(*, session: Session, tables: Sequence[Sequence[Player | PlayerFacts]], size: int, by: Actor) -> None:
    """Plan the tables of a session anew; whoever stands behind the first `size` of a table sits out first.

    Raises PlanningError: "by_round" where another plan goes round by round, and what replan_tables raises.
    """
    Session.objects.select_for_update().get(pk=session.pk)
    if session.planned_seats.exclude(round=EVERY_ROUND).exists():
        raise PlanningError("by_round")
    plans = []
    for number, people in enumerate(tables, 1):
        players = tuple(player_of(session.league, person, by) for person in people)
        plans.append(TablePlan(number, players[:size], waiting=players[size:]))
    replan_tables(session=session, plans=plans, by=by)
