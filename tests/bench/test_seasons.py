"""The seasons that the bench invents: seeded, exact, of the sizes that were asked for, and loaded as if they had been entered."""

import random
from collections import Counter
from dataclasses import replace
from datetime import date, time

import pytest
from django.utils import timezone

from bench.audit import wrong_hanchan, wrong_lines
from bench.loading import load
from bench.product import rebuild
from bench.seasons import BOUNDARY, apportioned, crowd, played, random_game, steady, weekend
from league.core.periods import league_day
from league.models import Hanchan, Incident, Revision, Seat, Session
from scoring.core import load_card, score
from tests.conftest import needs_postgresql

RULES = load_card("camarade").ruleset
LAST = date(2025, 11, 21)


def test_the_same_seed_plays_the_same_season() -> None:
    [season, *_] = crowd(400, 3, LAST)
    assert list(played(season, RULES)) == list(played(season, RULES))
    assert list(played(season, RULES)) != list(played(season, RULES, seed=2))


def test_a_crowd_has_as_many_hanchan_as_asked_in_leagues_of_very_different_sizes() -> None:
    leagues = crowd(100_000, 200, LAST)
    sizes = sorted(league.hanchan for league in leagues)
    assert sum(sizes) == 100_000
    assert 2_000 < sizes[-1] < 6_000
    assert sizes[100] < 500
    assert all(max(day for day, _ in league.days) == LAST for league in leagues)


def test_shares_add_up() -> None:
    assert apportioned(10, [1, 1, 1]) == [3, 4, 3]
    assert sum(apportioned(1_000, [0.1, 7.3, 2.2, 1.1])) == 1_000


def test_steady_leagues_differ_in_nothing_but_how_much_was_played_before_their_last_month() -> None:
    young, old = (steady(hanchan, LAST, players=24, in_last_month=100) for hanchan in (500, 5_000))
    assert (young.hanchan, old.hanchan) == (500, 5_000)
    assert [day for day, _ in young.days] == [day for day, _ in old.days]
    month = [count for day, count in young.days if (day.year, day.month) == (2025, 11)]
    assert month == [count for day, count in old.days if (day.year, day.month) == (2025, 11)]
    assert sum(month) == 100


@pytest.mark.parametrize("hanchan", [600, 6_000])
def test_everybody_plays_in_every_month_of_a_steady_league(hanchan: int) -> None:
    months: dict[tuple[int, int], set[int]] = {}
    for each in played(steady(hanchan, LAST, players=24, in_last_month=100), RULES):
        assert len(set(each.players)) == 4
        months.setdefault((each.day.year, each.day.month), set()).update(each.players)
    assert len(months) == 37
    assert all(players == set(range(24)) for players in months.values())


def test_everybody_plays_every_round_of_a_weekend_at_one_table() -> None:
    rounds: dict[int, list[int]] = {}
    for each in played(weekend(LAST), RULES):
        rounds.setdefault(each.round, []).extend(each.players)
    assert len(rounds) == 10
    assert all(sorted(players) == list(range(128)) for players in rounds.values())


def test_regulars_play_more_than_others_and_every_hanchan_falls_on_its_evening() -> None:
    season = replace(steady(3_000, LAST, players=80, in_last_month=100), seating="regulars")
    often: Counter[int] = Counter()
    for each in played(season, RULES):
        often.update(each.players)
        assert len(set(each.players)) == 4
        assert league_day(each.moment, season.zone, BOUNDARY) == each.day
    assert often[0] > 5 * often[79] > 0


def test_games_have_busts_and_ties_and_all_of_them_score() -> None:
    dice = random.Random(3)
    games = [random_game(dice, RULES) for _ in range(2_000)]
    for game in games:
        score(game, RULES)
    assert 50 < sum(bool(game.busts) for game in games) < 200
    assert sum(len(set(game.raw)) < 4 for game in games) > 20


@pytest.mark.long
@needs_postgresql
@pytest.mark.django_db
def test_what_is_loaded_is_what_entering_it_would_have_made() -> None:
    seasons = [*crowd(150, 2, LAST), steady(200, LAST, players=16, in_last_month=50)]
    leagues = load(seasons)
    for league, season in zip(leagues, seasons, strict=True):
        assert Hanchan.objects.filter(league=league).count() == season.hanchan
        assert Session.objects.filter(league=league).count() == len(season.days)
        rebuild(league)
        assert wrong_lines(league, LAST) == 0
        assert wrong_hanchan(league, 40) == 0
    assert Seat.objects.count() == 4 * 350
    assert Revision.objects.filter(action=Revision.Action.RECORDED).count() == 350
    assert Incident.objects.filter(kind=Incident.Kind.BUST).exists()


@pytest.mark.long
@needs_postgresql
@pytest.mark.django_db
def test_the_audit_notices_a_wrong_point_and_a_wrong_day() -> None:
    [league] = load([steady(60, LAST, players=16, in_last_month=20)])
    rebuild(league)
    seat = Seat.objects.filter(league=league, day=LAST)[0]
    Seat.objects.filter(pk=seat.pk).update(points=seat.points + 100, base=seat.base + 100)
    assert wrong_lines(league, LAST) == 6
    assert wrong_hanchan(league, 60) == 1
    Hanchan.objects.filter(pk=seat.hanchan_id).update(day=date(2025, 11, 1))
    assert wrong_hanchan(league, 60) == 1


@needs_postgresql
@pytest.mark.django_db
def test_what_is_entered_afterwards_has_keys_of_its_own() -> None:
    [league] = load([steady(60, LAST, players=16, in_last_month=20)])
    session = Session.objects.filter(league=league).latest("pk")
    more = Session.objects.create(
        league=league, key="more", number=9_999, date=LAST, start_time=time(19), ruleset_version=session.ruleset_version
    )
    assert more.pk == session.pk + 1
    assert more.created_at <= timezone.now()


@needs_postgresql
@pytest.mark.django_db
def test_leagues_lie_in_the_database_mixed_in_the_order_of_play() -> None:
    leagues = load([steady(60, LAST, players=16, in_last_month=20), *crowd(60, 1, LAST)])
    order = list(Hanchan.objects.order_by("pk").values_list("league", "played_at"))
    assert [moment for _, moment in order] == sorted(moment for _, moment in order)
    assert {league for league, _ in order[-20:]} == {league.pk for league in leagues}
