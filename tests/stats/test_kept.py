"""What is kept of players says what the hanchan say, whoever changes them in which order; else it says nothing."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine

from league.core.periods import ALL_TIME, Period, month_of, parse_period, range_of, year_of
from league.models import Hanchan, Incident, League, Player, Seat, SessionPoints
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.standings_sql import points_column
from league.services.boards import refresh_league
from league.services.history import SYSTEM
from league.services.people import merge_players, separate_players
from league.services.results import HanchanResult, TableAndTime, correct_hanchan, restore_hanchan, void_hanchan
from league.tasks import refresh_standings
from scoring.core import FinishedGame
from stats import tasks
from stats.core.careers import career_of
from stats.core.feats import Feat, FeatSeat, PlayedMonth, earned
from stats.core.league_records import LeagueRecords, RecordSeat, records_of
from stats.core.statistics import Meeting, PlayedHanchan, Tally, by_seat, records, tally
from stats.models import Award, KeptSums, PlayerRating
from stats.selectors.honours import honours_of
from stats.selectors.kept import due_leagues, still_true
from stats.selectors.profiles import ProfileScope, player_profile
from stats.selectors.records import league_records
from stats.services.following import follow
from tests.budget import budget, varied
from tests.league.boards.test_random_walk import Walk
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STEPS = budget(60, least=30)
LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)


# --- The other way to the same figures -------------------------------------------------------------------------------


def by_hand(league: League, player: Player, period: Period) -> dict[str, object]:
    column = points_column(league)
    seats = Seat.objects.counted().in_period(period).filter(league=league, player=player)
    own = list(seats.order_by("day", "played_at", "hanchan_id"))
    everybody = list(Seat.objects.filter(hanchan__in=[seat.hanchan_id for seat in own]).order_by("seat"))
    tables = [[other for other in everybody if other.hanchan_id == seat.hanchan_id] for seat in own]
    marks = list(Incident.objects.filter(hanchan__in=[seat.hanchan_id for seat in own]))
    sat = {hanchan.pk: hanchan for hanchan in Hanchan.objects.filter(pk__in=[seat.hanchan_id for seat in own])}
    games = [
        PlayedHanchan(
            seat.hanchan_id,
            seat.seat,
            seat.placement,
            seat.sharing,
            len(table),
            seat.raw_score,
            getattr(seat, column),
            is_bust=seat.is_bust,
            day=seat.day.toordinal(),
            session=sat[seat.hanchan_id].session_id,
            start=25000,
            score_points=seat.base + seat.oka,
            uma=seat.uma,
            chips=seat.chips,
            chombo=seat.chombo,
            yakuman=sum(
                mark.kind == "yakuman" and mark.seat == seat.seat
                for mark in marks
                if mark.hanchan_id == seat.hanchan_id
            ),
            busted_others=sum(
                mark.kind == "bust" and seat.seat in mark.detail.get("winners", ())
                for mark in marks
                if mark.hanchan_id == seat.hanchan_id
            ),
            total_only=seat.total_only,
            ends_at_bust=True,
        )
        for seat, table in zip(own, tables, strict=True)
    ]
    meetings = [
        Meeting(
            other.player_id,
            2 * seat.placement + seat.sharing - 1,
            2 * other.placement + other.sharing - 1,
            getattr(seat, column),
            getattr(other, column),
            seat.raw_score - other.raw_score if seat.raw_score is not None and other.raw_score is not None else None,
        )
        for seat, table in zip(own, tables, strict=True)
        for other in table
        if other.pk != seat.pk
    ]
    besides = points_without_hanchan(league, period, [player.pk])
    gains = [(seat.day, getattr(seat, column) + seat.total_only) for seat in own]
    gains += [(extra.day, extra.points) for extra in besides]
    last = {sat[seat.hanchan_id].session_id: game for seat, game in zip(own, games, strict=True)}
    held = Hanchan.objects.counted().in_period(period).filter(league=league).values_list("session", flat=True)
    return {
        "tally": tally(games),
        "players": max((game.players for game in games), default=4),
        "adjustment": sum(extra.points for extra in besides if not extra.is_sum) + sum(seat.total_only for seat in own),
        "gains": by_day(gains),
        "last_hanchan": places_of(tally(last.values())),
        "held": len(set(held)),
        "streaks": career_of(games, ()).streaks,
        "seats": by_seat(games),
        "records": records(games),
        "recent": tuple(game.placement for game in games[-10:]),
        "opponents": career_of([], meetings).opponents,
        "placements": placements_by_hand(league, player, period, tally(games)),
    }


def places_of(counted: Tally) -> tuple[int, ...]:
    return counted.games, counted.halves, *counted.places, counted.lasts


def by_day(gains: Iterable[tuple[date, int]]) -> dict[date, int]:
    days: dict[date, int] = {}
    for day, points in gains:
        days[day] = days.get(day, 0) + points
    return days


def placements_by_hand(league: League, player: Player, period: Period, played: Tally) -> tuple[int, int, list[int]]:
    """How many placements are known, twice their sum, and each place in twelfths; sums counted place by place."""
    rows = SessionPoints.objects.filter(league=league, player=player, withdrawn=False, first__isnull=False)
    within = rows.filter(day__gte=period.start, day__lt=period.end).values_list("first", "second", "third", "fourth")
    taken = [place for row in within for place, times in enumerate(row, start=1) for _ in range(times or 0)]
    places = [own + 12 * taken.count(place) for place, own in enumerate(played.places, start=1)]
    return played.games + len(taken), played.halves + 2 * sum(taken), places


def told(league: League, player: Player, period: Period) -> dict[str, object]:
    found = player_profile(league, player, ProfileScope(period))
    return {
        **{
            name: getattr(found, name)
            for name in ("tally", "players", "adjustment", "streaks", "seats", "records", "held")
        },
        "recent": found.recent,
        "gains": by_day((gain.day, gain.points) for gain in found.gains),
        "last_hanchan": places_of(found.last_hanchan),
        "opponents": tuple(met.record for met in found.opponents),
        "placements": (found.placements.hanchan, found.placements.halves, list(found.placements.places)),
    }


def achieved_by_hand(league: League, player: Player) -> dict[str, tuple[int | None, date]]:
    """Return what a player has achieved, as if it were all one month but for what is of a month."""
    own = list(Seat.objects.counted().filter(league=league, player=player).order_by("day", "played_at", "hanchan_id"))
    everybody = list(Seat.objects.filter(hanchan__in=[seat.hanchan_id for seat in own]))
    yakuman = set(Incident.objects.filter(kind="yakuman", hanchan__league=league).values_list("hanchan_id", "seat"))
    seats = []
    for seat in own:
        others = [other for other in everybody if other.hanchan_id == seat.hanchan_id and other.pk != seat.pk]
        seats.append(
            FeatSeat(
                seat.hanchan_id,
                seat.day,
                seat.seat,
                seat.placement,
                len(others) + 1,
                seat.raw_score,
                (seat.hanchan_id, seat.seat) in yakuman,
                tuple(other.player_id for other in others),
                tuple(other.player_id for other in others if other.placement > seat.placement),
            )
        )
    whole = earned([PlayedMonth(date(2025, 1, 31), is_over=False, seats=seats)], 0)
    found: dict[str, tuple[int | None, date]] = {feat.value: (one.hanchan, one.day) for feat, one in whole.items()}
    for month in sorted({month_of(seat.day).key for seat in own}):
        of_month = [each for each in seats if month_of(each.day).key == month]
        if all(each.placement < each.players for each in of_month) and len(of_month) >= (league.minimum_month or 10):
            found.setdefault(Feat.NO_LAST, (None, month_of(date.fromisoformat(f"{month}-01")).last))
    return found


def records_by_hand(league: League, period: Period) -> LeagueRecords:
    seats = Seat.objects.counted().in_period(period).filter(league=league).select_related("hanchan")
    column = points_column(league)
    return records_of(
        RecordSeat(
            seat.hanchan_id,
            seat.hanchan.session_id,
            seat.day.isoformat(),
            seat.player_id,
            seat.seat,
            seat.placement,
            seat.raw_score,
            getattr(seat, column),
            seat.total_only,
        )
        for seat in seats.order_by("day", "played_at", "hanchan_id", "seat")
    )


def evenings_by_hand(league: League, player: Player) -> int:
    sums: dict[tuple[int, date], dict[int, int]] = {}
    for seat in Seat.objects.counted().filter(league=league).select_related("hanchan"):
        evening = sums.setdefault((seat.hanchan.session_id, seat.day), {})
        points = getattr(seat, points_column(league)) + seat.total_only
        evening[seat.player_id] = evening.get(seat.player_id, 0) + points
    return sum(evening.get(player.pk) == max(evening.values()) for evening in sums.values())


def achieved(league: League, player: Player) -> dict[str, tuple[int | None, date]]:
    found = honours_of(league, player, LATER).achievements
    return {each.feat.value: (each.hanchan, each.day) for each in found}


@pytest.mark.long
@varied("seed", range(2))
def test_pages_say_what_the_facts_say_after_any_change(seed: int) -> None:
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
            for period in of_years:
                assert league_records(league, period) == records_by_hand(league, period)
            for player in league.players.order_by("pk"):
                for period in of_years:
                    assert told(league, player, period) == by_hand(league, player, period)
                    compared += 1
                assert achieved(league, player) == achieved_by_hand(league, player)
                assert honours_of(league, player, LATER).evenings == evenings_by_hand(league, player)
    assert compared >= 100
    assert used >= 5


# --- When they are kept ----------------------------------------------------------------------------------------------


@pytest.fixture
def league() -> League:
    """Aoki wins three in a row, the second with 60,000 points, over the end of a month; boards are up to date."""
    league = make_league()
    make_players(league)
    october, november = make_session(league, date(2025, 10, 31)), make_session(league, date(2025, 11, 21))
    play(october)
    play(october, (60000, 20000, 15000, 5000))
    play(november, (40000, 30000, 20000, 10000))
    settle()
    return league


def aoki_of(league: League) -> Player:
    return league.players.get(romanised="Aoki")


def kept(league: League) -> list[str]:
    rows = KeptSums.objects.filter(league=league, player=None)
    return list(rows.order_by("period").values_list("period", flat=True))


def games(league: League) -> int:
    return player_profile(league, aoki_of(league), ProfileScope(ALL_TIME)).tally.games


def test_months_and_years_are_kept_when_they_are_over(league: League) -> None:
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


def test_a_change_is_told_at_once_and_kept_when_the_board_is_fresh(league: League) -> None:
    with time_machine.travel(LATER):
        follow(league.pk)
        void_hanchan(hanchan=league.hanchan.earliest("played_at"), by=SYSTEM, reason="twice")
        assert games(league) == 2
        assert follow(league.pk) == 0
        settle()
        assert games(league) == 2
        assert follow(league.pk) == 2
        assert games(league) == 2


def test_a_board_that_is_refreshed_meanwhile_is_followed_once_more(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert PlayerRating.objects.get(player=aoki_of(league)).hanchan == 5


def test_the_refresh_and_the_sweep_have_everything_follow(
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


def test_pages_read_no_seats_of_months_that_are_kept(league: League, django_assert_max_num_queries: Any) -> None:
    with time_machine.travel(LATER):
        follow(league.pk)
    assert games(league) == 3
    # What is kept is what is told: no seat is looked at for it.
    one = KeptSums.objects.get(period="2025-10", player=aoki_of(league))
    one.sums[3] = [4, 4, 4]
    one.save()
    assert player_profile(league, aoki_of(league), ProfileScope(month_of(date(2025, 10, 1)))).recent == (4, 4, 4)
    with django_assert_max_num_queries(9):
        player_profile(league, aoki_of(league), ProfileScope(parse_period("2025")))
    right = records_by_hand(league, parse_period("2025"))
    with django_assert_max_num_queries(1):
        assert league_records(league, parse_period("2025")) == right


# --- What players have achieved ----------------------------------------------------------------------------------------


def test_a_corrected_hanchan_takes_achievements_away(league: League) -> None:
    first, second, third = league.hanchan.order_by("day", "played_at", "pk")
    aoki = aoki_of(league)
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


def test_a_voided_hanchan_gives_them_back_when_it_is_restored(league: League) -> None:
    first = league.hanchan.earliest("played_at")
    before = achieved(league, aoki_of(league))
    void_hanchan(hanchan=first, by=SYSTEM, reason="twice")
    settle()
    assert achieved(league, aoki_of(league)).keys() == {"first_top", "raw_60"}
    restore_hanchan(hanchan=Hanchan.objects.get(pk=first.pk), by=SYSTEM, reason="once after all")
    settle()
    assert achieved(league, aoki_of(league)) == before


def test_merged_players_achieve_together(league: League) -> None:
    aoki = aoki_of(league)
    other = make_players(league, 1)[0]
    people = (other, *league.players.exclude(pk__in=[aoki.pk, other.pk]).order_by("pk"))
    play(make_session(league, date(2025, 12, 5)), (70000, 20000, 10000, 0), players=people)
    play(make_session(league, date(2025, 12, 6)), (70000, 20000, 10000, 0), players=people)
    settle()
    assert achieved(league, other).keys() == {"first_top", "raw_60"}
    merge_players(source=other, target=aoki, reason="", by=SYSTEM)
    settle()
    assert achieved(league, other) == {}
    assert "tops_5" in achieved(league, aoki)
    separate_players(source=Player.objects.get(pk=other.pk), by=SYSTEM, reason="two after all")
    settle()
    assert achieved(league, other).keys() == {"first_top", "raw_60"}
    assert "tops_5" not in achieved(league, aoki)


def test_a_month_without_a_last_place_is_achieved_when_it_is_over(league: League) -> None:
    session = make_session(league, date(2025, 12, 19))
    for _ in range(10):
        play(session, (40000, 30000, 20000, 10000))
    settle()
    aoki = aoki_of(league)
    for now, is_achieved in ((datetime(2026, 1, 2, 12, tzinfo=UTC), False), (LATER, True)):
        with time_machine.travel(now):
            follow(league.pk)
        found = honours_of(league, aoki, now).achievements
        assert (Feat.NO_LAST in {each.feat for each in found}) is is_achieved
    assert achieved(league, aoki)["no_last"] == (None, date(2025, 12, 31))
    assert "no_last" not in achieved(league, league.players.get(romanised="Eguchi"))


def test_evenings_are_counted_for_whoever_won_them(league: League) -> None:
    aoki = aoki_of(league)
    assert honours_of(league, aoki, LATER).evenings == 2
    with time_machine.travel(LATER):
        follow(league.pk)
    rows = Award.objects.filter(key=Award.EVENINGS).order_by("period").values_list("period", "player", "count")
    assert list(rows) == [("2025-10", aoki.pk, 1), ("2025-11", aoki.pk, 1)]
    play(make_session(league, date(2026, 3, 4)))
    settle()
    assert honours_of(league, aoki, LATER).evenings == 3


def test_titles_are_told_from_the_day_after_their_month(league: League) -> None:
    for now, months in ((datetime(2025, 11, 30, 3, tzinfo=UTC), 1), (datetime(2025, 12, 1, 3, tzinfo=UTC), 2)):
        with time_machine.travel(now):
            follow(league.pk)
        titles = honours_of(league, aoki_of(league), now).titles
        assert [title.times for title in titles if (title.key, title.kind) == ("overall", "month")] == [months]
