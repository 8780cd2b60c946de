"""Players' months that are kept say what the hanchan say, whoever changes them; else they say nothing."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.core.periods import ALL_TIME, Period, month_of, parse_period, range_of, year_of
from league.models import Hanchan, Incident, League, Player, Seat, SessionPoints
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.standings_sql import points_column
from league.services.boards import refresh_league
from league.services.history import SYSTEM
from league.services.results import void_hanchan
from league.tasks import sweep_stale_periods
from stats.core.statistics import Meeting, PlayedHanchan, Tally, by_seat, head_to_head, records, streaks, tally
from stats.models import KeptMonth, PlayerMonth
from stats.selectors.careers import up_to_date
from stats.selectors.profiles import ProfileScope, player_profile
from stats.services.months import keep_months
from stats.tasks import sweep_months
from tests.budget import budget, varied
from tests.league.boards.test_random_walk import Walk
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STEPS = budget(60, least=30)
LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)


# --- The other way to the same figures -------------------------------------------------------------------------------


def by_hand(league: League, player: Player, period: Period) -> dict[str, object]:
    """Return what the page tells of a player, each figure from all seats of the period."""
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
        "streaks": streaks(games),
        "seats": by_seat(games),
        "records": records(games),
        "recent": tuple(game.placement for game in games[-10:]),
        "opponents": head_to_head(meetings),
        "placements": placements_by_hand(league, player, period, tally(games)),
    }


def places_of(counted: Tally) -> tuple[int, ...]:
    return counted.games, counted.halves, *counted.places, counted.lasts


def by_day(gains: Iterable[tuple[date, int]]) -> dict[date, int]:
    """Return what each day brought."""
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


@pytest.mark.long
@varied("seed", range(2))
def test_profiles_say_what_the_facts_say_after_any_change(seed: int) -> None:
    walk = Walk(seed)
    periods = [ALL_TIME, range_of(date(2024, 12, 10), date(2025, 11, 12)), month_of(date(2025, 4, 1))]
    compared = used = 0
    for number in range(STEPS):
        walk.step()
        if number % 4 == 3:
            refresh_league(walk.league.pk)
        if number % 2:
            with time_machine.travel(LATER):
                keep_months(walk.league.pk)
        if number % 6 == 5:
            league = League.objects.get(pk=walk.league.pk)
            used += up_to_date(KeptMonth.objects.filter(league=league)).count()
            for player in league.players.order_by("pk"):
                for period in (*periods, year_of(date(2025, 6, 1), league.first_month)):
                    assert told(league, player, period) == by_hand(league, player, period)
                    compared += 1
    assert compared >= 100
    assert used >= 5


# --- When they are kept ----------------------------------------------------------------------------------------------


@pytest.fixture
def league() -> League:
    """One hanchan in October, one in November; boards are up to date."""
    league = make_league()
    make_players(league)
    for day in (date(2025, 10, 31), date(2025, 11, 21)):
        play(make_session(league, day))
    settle()
    return league


def kept(league: League) -> list[str]:
    return list(KeptMonth.objects.filter(league=league).order_by("period").values_list("period", flat=True))


def test_a_month_is_kept_when_it_is_over(league: League) -> None:
    with time_machine.travel(datetime(2025, 11, 30, 12, tzinfo=UTC)):
        assert keep_months(league.pk) == 1
        assert kept(league) == ["2025-10"]
        assert keep_months(league.pk) == 0
    with time_machine.travel(datetime(2025, 12, 2, 12, tzinfo=UTC)):
        assert keep_months(league.pk) == 0
    with time_machine.travel(datetime(2025, 12, 4, 12, tzinfo=UTC)):
        assert keep_months(league.pk) == 1
    assert kept(league) == ["2025-10", "2025-11"]


def test_a_change_is_told_at_once_and_kept_when_the_board_is_fresh(league: League) -> None:
    aoki = league.players.get(romanised="Aoki")
    with time_machine.travel(LATER):
        keep_months(league.pk)
        void_hanchan(hanchan=league.hanchan.earliest("played_at"), by=SYSTEM, reason="twice")
        assert player_profile(league, aoki, ProfileScope(ALL_TIME)).tally.games == 1
        assert keep_months(league.pk) == 0
        settle()
        assert player_profile(league, aoki, ProfileScope(ALL_TIME)).tally.games == 1
        assert keep_months(league.pk) == 1
        assert player_profile(league, aoki, ProfileScope(ALL_TIME)).tally.games == 1
        assert PlayerMonth.objects.filter(month__period="2025-10").count() == 0


def test_what_is_kept_in_an_older_form_is_kept_anew(league: League) -> None:
    aoki = league.players.get(romanised="Aoki")
    with time_machine.travel(LATER):
        keep_months(league.pk)
        KeptMonth.objects.filter(period="2025-10").update(shape=0)
        PlayerMonth.objects.filter(month__period="2025-10").update(career=["what was kept then"])
        assert player_profile(league, aoki, ProfileScope(ALL_TIME)).tally.games == 2
        assert keep_months(league.pk) == 1
    assert player_profile(league, aoki, ProfileScope(ALL_TIME)).tally.games == 2


def test_the_sweep_has_months_kept(league: League, django_capture_on_commit_callbacks: Any, monkeypatch: Any) -> None:
    sent: list[tuple[str, tuple[object, ...]]] = []
    monkeypatch.setattr("league.background._dispatch", lambda message: sent.append((message.task, message.args)))
    with time_machine.travel(LATER):
        with django_capture_on_commit_callbacks(execute=True):
            sweep_stale_periods()
        assert ("stats.sweep_months", ()) in sent
        with django_capture_on_commit_callbacks(execute=True):
            sweep_months()
        assert ("stats.keep_months", (league.pk,)) in sent
        keep_months(league.pk)
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            sweep_months()
    assert sent == []


def test_the_page_reads_no_seats_of_months_that_are_kept(client: Client, league: League) -> None:
    aoki = league.players.get(romanised="Aoki")
    address = f"/en/l/camarade/p/{aoki.pk}/"
    before = client.get(address).content
    with time_machine.travel(LATER):
        keep_months(league.pk)
    found = player_profile(league, aoki, ProfileScope(ALL_TIME))
    assert found.tally.games == 2
    # What is kept is what is told: no seat is looked at for it.
    one = PlayerMonth.objects.get(month__period="2025-10", player=aoki)
    one.career[0] = 3
    one.career[3] = [4, 4, 4]
    one.save()
    assert player_profile(league, aoki, ProfileScope(month_of(date(2025, 10, 1)))).recent == (4, 4, 4)
    with CaptureQueriesContext(connection) as queries:
        player_profile(league, aoki, ProfileScope(parse_period("2025")))
    # SQLite is asked question by question.
    assert len(queries) <= (4 if connection.vendor == "postgresql" else 8)
    assert b"+43.4" in before
