from collections.abc import Callable
from functools import partial

import pytest

from league.models import Hanchan
from league.services.history import SYSTEM
from league.services.results import TableAndTime
from tests.league.factories import correct
from tests.league.races import at_once
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_planned
from tournaments.models import Decision, Tournament
from tournaments.selectors.state import state_of
from tournaments.services.decisions import approve_all
from tournaments.services.events import TournamentError

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

ATTEMPTS = 3
STAGE = "qualifying"


def proposed(tournament: Tournament) -> dict[str, list[int]]:
    paths = state_of(Tournament.objects.get(pk=tournament.pk)).state.stage(STAGE).paths
    return {path.to: [int(participant) for participant in path.proposed] for path in paths}


def decided(tournament: Tournament) -> dict[str, list[int]]:
    found = tournament.decisions.filter(kind=Decision.Kind.ADVANCE, revoked_at=None)
    return {each.to: each.body["players"] for each in found}


def correcting(tournament: Tournament) -> Callable[[], Hanchan]:
    """Correct a result so that others advance: the best player lost far more than everything in one hanchan."""
    best = tournament.entries.get(pk=state_of(tournament).state.stage(STAGE).rankings[0].lines[0].participant).player
    hanchan = Hanchan.objects.filter(seats__player=best, seats__placement=1).order_by("played_at")[0]
    raw = [{1: -300_000, 2: 400_000}.get(seat.placement, 0) for seat in hanchan.seats.all()]
    return lambda: correct(hanchan, raw, table_and_time=TableAndTime(table=hanchan.table))


@pytest.mark.merge
@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_simultaneous_approval_and_correction_are_consistent(attempt: int) -> None:
    tournament = make_tournament()
    for each in draw_and_plan(tournament, STAGE):
        play_planned(each, by_entry(tournament))
    seen = proposed(tournament)
    mine = Tournament.objects.get(pk=tournament.pk)
    approve = partial(approve_all, tournament=mine, stage=STAGE, seen=seen, by=SYSTEM)
    approved, corrected = at_once(approve, correcting(tournament))
    assert isinstance(corrected, Hanchan), attempt
    assert proposed(tournament) != seen
    if isinstance(approved, TournamentError):
        assert (approved.code, decided(tournament)) == ("proposal_changed", {}), attempt
    else:
        assert (len(approved), decided(tournament)) == (len(seen), seen), attempt
    now, paths = proposed(tournament), state_of(tournament).state.stage(STAGE).paths
    differ = {to for to, players in decided(tournament).items() if {*players} != {*now[to]}}
    assert differ == {path.to for path in paths if path.overtaken}
