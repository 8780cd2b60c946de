"""The seats of an evening: who was dealt to which table, guests included."""

from collections.abc import Sequence

from django.db import transaction

from league.models import Player, Session
from league.models.plans import EVERY_ROUND
from league.services.history import Actor
from league.services.people import PlayerFacts, player_of
from league.services.planning import PlanningError, TablePlan, replan_tables


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
