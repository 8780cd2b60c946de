from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from league.models import League
from league.services.history import SYSTEM
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from league.services.results import void_hanchan
from stats.models import PlayerRating, RatedHanchan, RatingState
from stats.services.following import follow
from stats.services.proofs import RATINGS
from tests.keeping.test_verify import verify
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league)
    session = make_session(league)
    for number in range(3):
        play(session, played_at=datetime(2025, 11, 21, 10, tzinfo=UTC) + timedelta(hours=number))
    settle()
    follow(league.pk)
    return league


def digest(league: League) -> str:
    tally = ProofTally()
    assert list(RATINGS.check(league, tally)) == []
    assert tally.count == 4
    return tally.digest


@pytest.mark.merge
@pytest.mark.parametrize(
    ("model", "column", "value", "told"),
    [
        (PlayerRating, "tenhou", 1_600_000, "tenhou is 1600000, the facts give"),
        (PlayerRating, "met", 3, "met is 3, the facts give"),
        (RatingState, "judged", 4, "judged is 4, the facts give 3"),
        (RatedHanchan, "tenhou_gain", 7, "gains is (7, "),
    ],
)
def test_ratings_that_are_kept_wrong_are_found_and_replayed(
    league: League, model: Any, column: str, value: Any, told: str
) -> None:
    assert RATINGS in proofs
    assert verify()[0] == 0
    model.objects.filter(pk=model.objects.order_by("pk")[0].pk).update(**{column: value})
    left, output = verify()
    assert left == 1
    assert told in output
    left, output = verify("--repair")
    assert left == 0, output
    assert PlayerRating.objects.get(player__romanised="Aoki").tenhou > 1_580_000


def test_differing_rating_names_hanchan_and_player(league: League) -> None:
    second, third = RatedHanchan.objects.order_by("played_at")[1:3]
    second.seats[0][7] += 1
    third.seats[1][8] += 1e-6
    third.seats[2][8] += 1e-12
    for each in (second, third):
        each.save()
    left, output = verify()
    assert left == 2
    assert f"hanchan {second.pk} player {second.seats[0][0]} of ratings: tenhou is" in output
    assert f"hanchan {third.pk} player {third.seats[1][0]} of ratings: mu is" in output


def test_ratings_that_are_missing_are_found(league: League) -> None:
    PlayerRating.objects.order_by("player")[0].delete()
    RatedHanchan.objects.order_by("played_at")[0].delete()
    left, output = verify()
    assert left == 2
    assert output.count("rating is 'missing', the facts give 'there'") == 2


def test_pending_replay_is_not_wrong(league: League) -> None:
    before = digest(league)
    void_hanchan(hanchan=league.hanchan.latest("played_at"), by=SYSTEM, reason="twice")
    settle()
    assert verify()[0] == 0
    assert digest(league) != before
    RatingState.objects.all().delete()
    assert verify()[0] == 0
