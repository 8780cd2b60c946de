from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction

from league.core.periods import ALL_TIME, Period, month_of, parse_period, range_of, year_of
from league.models import League, Player
from league.services.boards import refresh_league
from league.services.history import SYSTEM
from league.services.results import HanchanResult, TableAndTime, correct_hanchan, void_hanchan
from league.tasks import refresh_standings
from scoring.core import FinishedGame
from stats import tasks
from stats.core.feats import Feat
from stats.models import Award, KeptSums, PlayerRating
from stats.selectors.careers import due_leagues, still_true
from stats.selectors.honours import honours_of
from stats.selectors.profiles import ProfileScope, player_profile
from stats.selectors.records import league_records
from stats.services.following import follow
from tests.budget import budget, varied
from tests.league.boards.test_random_walk import Walk
from tests.league.factories import make_league, make_session, play, settle
from tests.stats.pages import named

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STEPS = budget(60, least=30)
LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)


def told(league: League, periods: Iterable[Period]) -> dict[object, object]:
    """Return all statistics that pages show for a league; curves have one value per day, as stored months do."""
    found: dict[object, object] = {period.key: league_records(league, period) for period in periods}
    for player in league.players.order_by("pk"):
        found[player.pk] = honours_of(league, player, LATER)
        for period in periods:
            profile = player_profile(league, player, ProfileScope(period))
            days: Counter[date] = Counter()
            for gain in profile.gains:
                days[gain.day] += gain.points
            found[player.pk, period.key] = replace(profile, gains=()), days
    return found


def all_statistics_from_seats(league: League, periods: Iterable[Period]) -> dict[object, object]:
    with transaction.atomic():
        KeptSums.objects.filter(league=league).delete()
        found = told(league, periods)
        transaction.set_rollback(True)
    return found


def achieved(league: League, player: Player) -> dict[str, tuple[int | None, date]]:
    return {each.feat.value: (each.hanchan, each.day) for each in honours_of(league, player, LATER).achievements}


@pytest.mark.long
@varied("seed", range(2))
def test_stored_statistics_equal_recalculated_ones_after_random_changes(seed: int) -> None:
    walk = Walk(seed)
    periods = [ALL_TIME, range_of(date(2024, 12, 10), date(2025, 11, 12)), month_of(date(2025, 4, 1))]
    compared = used = 0
    for number in range(STEPS):
        walk.step()
        if number % 4 == 3:
            refresh_league(walk.league.pk)
        if number % 2:
            with time_machine.travel(LATER):
                follow(walk.league.pk)
        if number % 6 == 5:
            league = League.objects.get(pk=walk.league.pk)
            used += still_true(KeptSums.objects.filter(league=league, player=None)).count()
            of_years = [*periods, year_of(date(2025, 6, 1), league.first_month)]
            found = told(league, of_years)
            assert found == all_statistics_from_seats(league, of_years)
            compared += len(found)
    assert compared >= 100
    assert used >= 5


@pytest.fixture
def league() -> League:
    """Aoki wins three in a row over the end of a month, the second with 60,000 points; boards are fresh."""
    league = make_league(players=4)
    october, november = make_session(league, date(2025, 10, 31)), make_session(league, date(2025, 11, 21))
    play(october)
    play(october, (60000, 20000, 15000, 5000))
    play(november, (40000, 30000, 20000, 10000))
    settle()
    return league


def kept(league: League) -> list[str]:
    return list(KeptSums.objects.filter(league=league, player=None).order_by("period").values_list("period", flat=True))


def games(league: League) -> int:
    return player_profile(league, named(league), ProfileScope(ALL_TIME)).tally.games


def test_statistics_are_stored_for_finished_months_and_years(league: League) -> None:
    for day, periods in ((date(2025, 11, 30), ["2025-10"]), (date(2025, 12, 2), ["2025-10"])):
        with time_machine.travel(datetime(day.year, day.month, day.day, 12, tzinfo=UTC)):
            follow(league.pk)
            assert kept(league) == periods
    with time_machine.travel(datetime(2025, 12, 4, 12, tzinfo=UTC)):
        assert follow(league.pk) == 1
    with time_machine.travel(LATER):
        assert follow(league.pk) == 1
        assert follow(league.pk) == 0
    assert kept(league) == ["2025", "2025-10", "2025-11"]


def test_correction_is_shown_immediately_and_stored_later(league: League) -> None:
    with time_machine.travel(LATER):
        follow(league.pk)
        void_hanchan(hanchan=league.hanchan.earliest("played_at"), by=SYSTEM, reason="twice")
        assert games(league) == 2
        assert follow(league.pk) == 0
        settle()
        assert games(league) == 2
        assert follow(league.pk) == 2
        assert games(league) == 2


def test_result_during_the_update_triggers_another_update(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    with time_machine.travel(LATER):
        follow(league.pk)
        play(make_session(league, date(2026, 3, 1)))
        settle()

        def late(_league_id: int, _since: date) -> None:
            play(make_session(league, date(2026, 3, 2)))
            with time_machine.travel(LATER + timedelta(minutes=1)):
                settle()

        monkeypatch.setattr("stats.services.following.replay_ratings", late)
        follow(league.pk)
        monkeypatch.undo()
        assert due_leagues(LATER) == [league.pk]
        follow(league.pk)
        assert due_leagues(LATER) == []
    assert PlayerRating.objects.get(player=named(league)).hanchan == 5


def test_refresh_and_sweep_queue_the_statistics_update(
    league: League, django_capture_on_commit_callbacks: Any, monkeypatch: Any
) -> None:
    sent: list[tuple[str, tuple[object, ...]]] = []
    monkeypatch.setattr("league.background._dispatch", lambda message: sent.append((message.task, message.args)))
    with time_machine.travel(LATER):
        play(make_session(league, date(2026, 3, 1)))
        with django_capture_on_commit_callbacks(execute=True):
            refresh_standings(league.pk)
        assert ("stats.follow", (league.pk,)) in sent
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            tasks.sweep()
        assert ("stats.follow", (league.pk,)) in sent
        tasks.follow(league.pk)
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            tasks.sweep()
    assert sent == []


def test_pages_read_stored_months_instead_of_results(league: League, django_assert_max_num_queries: Any) -> None:
    with time_machine.travel(LATER):
        follow(league.pk)
    assert games(league) == 3
    # The page reads the stored month: no seats.
    one = KeptSums.objects.get(period="2025-10", player=named(league))
    one.sums[3] = [4, 4, 4]
    one.save()
    assert player_profile(league, named(league), ProfileScope(month_of(date(2025, 10, 1)))).recent == (4, 4, 4)
    with django_assert_max_num_queries(9):
        player_profile(league, named(league), ProfileScope(parse_period("2025")))
    right = all_statistics_from_seats(league, [parse_period("2025")])["2025"]
    with django_assert_max_num_queries(1):
        assert league_records(league, parse_period("2025")) == right


def test_correction_moves_achievements(league: League) -> None:
    first, second, third = league.hanchan.order_by("day", "played_at", "pk")
    aoki = named(league)
    assert achieved(league, aoki) == {
        "first_top": (first.pk, first.day),
        "raw_60": (second.pk, second.day),
        "tops_3": (third.pk, third.day),
    }
    correct_hanchan(
        hanchan=second,
        seen_version=1,
        result=HanchanResult(
            tuple(league.players.order_by("pk")), FinishedGame(raw=(20000, 60000, 15000, 5000)), yakuman=((1, "国士"),)
        ),
        table_and_time=TableAndTime(table=1),
        by=SYSTEM,
        reason="two exchanged",
    )
    settle()
    assert achieved(league, aoki).keys() == {"first_top"}
    assert achieved(league, league.players.get(romanised="Ishida")) == {
        "first_top": (second.pk, second.day),
        "raw_60": (second.pk, second.day),
        "yakuman": (second.pk, second.day),
    }


def test_month_without_a_last_place_is_achieved_after_its_end(league: League) -> None:
    session = make_session(league, date(2025, 12, 19))
    for _ in range(10):
        play(session, (40000, 30000, 20000, 10000))
    settle()
    aoki = named(league)
    for now, is_achieved in ((datetime(2026, 1, 2, 12, tzinfo=UTC), False), (LATER, True)):
        with time_machine.travel(now):
            follow(league.pk)
        assert (Feat.NO_LAST in {each.feat for each in honours_of(league, aoki, now).achievements}) is is_achieved
    assert achieved(league, aoki)["no_last"] == (None, date(2025, 12, 31))
    assert "no_last" not in achieved(league, league.players.get(romanised="Eguchi"))


def test_won_sessions_are_counted(league: League) -> None:
    aoki = named(league)
    assert honours_of(league, aoki, LATER).evenings == 2
    with time_machine.travel(LATER):
        follow(league.pk)
    rows = Award.objects.filter(key=Award.EVENINGS).order_by("period").values_list("period", "player", "count")
    assert list(rows) == [("2025-10", aoki.pk, 1), ("2025-11", aoki.pk, 1)]
    play(make_session(league, date(2026, 3, 4)))
    settle()
    assert honours_of(league, aoki, LATER).evenings == 3


def test_titles_are_awarded_the_day_after_their_month(league: League) -> None:
    for now, months in ((datetime(2025, 11, 30, 3, tzinfo=UTC), 1), (datetime(2025, 12, 1, 3, tzinfo=UTC), 2)):
        with time_machine.travel(now):
            follow(league.pk)
        titles = honours_of(league, named(league), now).titles
        assert [title.times for title in titles if (title.key, title.kind) == ("overall", "month")] == [months]
