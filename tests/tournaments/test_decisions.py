import pickle

import pytest

from league.models import Hanchan, Revision
from league.services.history import Actor
from tests.league.factories import make_user, play
from tests.raised import edition_of
from tests.tournaments.factories import by_entry, draw_and_plan, drawn_blocks, make_tournament, play_stage, play_table
from tournaments.http.pages import kept_state
from tournaments.models import Tournament
from tournaments.selectors.state import state_of
from tournaments.services.drawing import draw

pytestmark = pytest.mark.django_db


@pytest.mark.long
def test_chombo_counts_in_the_stage_total_only(tournament: Tournament) -> None:
    play_stage(tournament, "qualifying")
    subjects = set(Revision.objects.filter(league=tournament.league).values_list("subject", flat=True))
    assert {"tournament", "decision", "stagesession"} <= subjects
    (session,) = draw_and_plan(tournament, "po1")
    places = state_of(tournament).state.stage("po1").places
    players = [tournament.entries.get(pk=place.participant).player for place in places]
    play(session.session, (45000, 30000, 20000, 5000), players, chombo=(1, 0, 0, 0))
    lines = state_of(tournament).state.stage("po1").rankings[0].lines
    assert [line.points for line in lines] == [15000, 10000, -20000, -45000]
    assert lines[0].chombo == -40000
    assert sum(line.points - line.chombo for line in lines) == 0


@pytest.mark.long
def test_results_count_in_order_of_play(tournament: Tournament) -> None:
    play_stage(tournament, "qualifying")
    (session,) = draw_and_plan(tournament, "po1")
    strength = by_entry(tournament)
    for number in (3, 1):
        play_table(session, 1, number, strength)
    after_one = state_of(tournament, {"po1": 1}).state.stage("po1").rankings[0]
    assert [line.played for line in after_one.lines] == [1, 1, 1, 1]
    first = Hanchan.objects.get(session=session.session, round=1)
    assert {int(line.points) for line in after_one.lines} == {seat.points for seat in first.seats.all()}


def test_cached_state_contains_no_account_data() -> None:
    tournament, director = make_tournament(), make_user("director")
    drawn = drawn_blocks(tournament, "qualifying")
    draw(tournament=tournament, stage="qualifying", drawn=drawn, by=Actor(director, "web"))
    tournament.league.edition = edition_of(tournament.league)
    current = kept_state(tournament)
    assert current.decisions[0].by_name == "director"
    assert director.password.encode() not in pickle.dumps(current)
