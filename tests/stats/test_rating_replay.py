from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.models import League, Player, Seat
from league.services.boards import mark_stale, refresh_league
from league.services.history import SYSTEM
from league.services.results import void_hanchan
from stats.models import PlayerRating, RatedHanchan, RatingState
from stats.selectors.ratings import predictions, tenhou_ratings
from stats.services import ratings as services
from stats.services.following import follow
from stats.services.ratings import replay_anew
from tests.budget import budget, varied
from tests.league.boards.test_random_walk import Walk
from tests.league.factories import make_league, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STEPS = budget(90, least=40)
START = datetime(2025, 11, 21, 10, tzinfo=UTC)


def kept(league: League) -> list[Any]:
    return [
        list(model.objects.filter(league=league).order_by("pk").values_list())
        for model in (PlayerRating, RatedHanchan, RatingState)
    ]


@pytest.mark.long
@varied("seed", range(2))
def test_partial_replay_equals_full_replay_after_random_changes(seed: int) -> None:
    walk = Walk(seed)
    league = walk.league
    compared = 0
    for number in range(STEPS):
        walk.step()
        if number % 3 == 0:
            refresh_league(league.pk)
            follow(league.pk)
        if number % 5 == 4:
            settle()
            follow(league.pk)
            found = kept(league)
            assert tenhou_ratings(league) == dict(
                PlayerRating.objects.filter(league=league).values_list("player", "tenhou")
            )
            replay_anew(league)
            assert kept(league) == found
            compared += len(found[1])
    assert compared > 20


def season(count: int = 12) -> League:
    """Return a league with a hanchan every hour on some days, and fresh ratings."""
    league = make_league(players=5)
    for number in range(count):
        day = date(2025, 11, 1 + number // 3)
        existing = league.sessions.filter(date=day).first()
        play(existing or make_session(league, day), played_at=START + timedelta(hours=number))
    settle()
    follow(league.pk)
    return league


def test_pending_ratings_are_computed_without_storing() -> None:
    league = season(2)
    before = tenhou_ratings(league)
    void_hanchan(hanchan=league.hanchan.latest("played_at"), by=SYSTEM, reason="twice")
    aoki = Player.objects.get(league=league, romanised="Aoki").pk
    assert before[aoki] > tenhou_ratings(league)[aoki] == 1_530_000
    assert dict(PlayerRating.objects.values_list("player", "tenhou"))[aoki] == before[aoki]


@pytest.mark.merge
def test_only_affected_hanchan_are_rated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    league = season()
    rated: list[int] = []
    monkeypatch.setattr(services, "_replay", lambda _state, tables, gone: rated.extend((len(tables), len(gone))))
    hanchan = league.hanchan.order_by("played_at")[4]
    Seat.objects.filter(hanchan=hanchan).update(points=1, base=1, oka=0, uma=0, bust=0, chip_points=0, other=0)
    mark_stale(league, [hanchan.day])
    assert predictions(league).is_behind
    settle()
    follow(league.pk)
    assert rated == []
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="twice")
    settle()
    follow(league.pk)
    assert rated == [7, 8]


@pytest.mark.long
def test_rating_queries_do_not_grow_with_history() -> None:
    counts = []
    league = season(2)
    for count in (0, 60):
        for number in range(count):
            play(league.sessions.latest("pk"), played_at=START + timedelta(hours=2 + number))
        settle()
        follow(league.pk)
        play(make_session(league, date(2026, 1, 2 + count // 60)), played_at=START + timedelta(days=42 + count))
        settle()
        with CaptureQueriesContext(connection) as queries:
            settle()
            follow(league.pk)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 36


def test_player_without_hanchan_is_unrated() -> None:
    league = season(1)
    assert follow(77) == 0, "a league may go while its ratings wait"
    assert PlayerRating.objects.exists()
    void_hanchan(hanchan=league.hanchan.get(), by=SYSTEM, reason="twice")
    settle()
    follow(league.pk)
    assert not PlayerRating.objects.exists()
    assert not RatedHanchan.objects.exists()
    assert RatingState.objects.get().judged == 0
