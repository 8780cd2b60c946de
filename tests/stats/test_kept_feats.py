"""Achievements and records that are kept say what the hanchan say, whoever changes them in which order."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.db import connection

from league.core.periods import ALL_TIME, Period, month_of, range_of, year_of
from league.models import Hanchan, Incident, League, Player, Seat
from league.selectors.standings_sql import points_column
from league.services.boards import refresh_league
from league.services.history import SYSTEM
from league.services.people import merge_players, separate_players
from league.services.results import HanchanResult, TableAndTime, correct_hanchan, restore_hanchan, void_hanchan
from league.tasks import sweep_stale_periods
from scoring.core import FinishedGame
from stats.core.feats import Feat, FeatSeat, earned, month_feats
from stats.core.league_records import LeagueRecords, RecordSeat, records_of
from stats.models import Achievement, AchievementDue, Award, KeptFeats, PlayerFeats
from stats.selectors.feats import league_records, still_true
from stats.services.feats import keep_feats
from stats.tasks import sweep_feats
from tests.budget import budget, varied
from tests.keeping.test_verify import verify
from tests.league.boards.test_random_walk import Walk
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STEPS = budget(120, least=60)
LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)


# --- The other way to the same -----------------------------------------------------------------------------------------


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
                seat.seat,
                seat.placement,
                len(others) + 1,
                seat.raw_score,
                (seat.hanchan_id, seat.seat) in yakuman,
                tuple(other.player_id for other in others),
                tuple(other.player_id for other in others if other.placement > seat.placement),
            )
        )
    days = {seat.hanchan_id: seat.day for seat in own}
    whole = earned([("2025-01", month_feats(seats, 0, is_over=False))])
    found: dict[str, tuple[int | None, date]] = {
        feat.value: (one.hanchan, days[one.hanchan]) for feat, one in whole.items() if one.hanchan is not None
    }
    for month in sorted({month_of(seat.day).key for seat in own}):
        of_month = [each for each in seats if month_of(days[each.hanchan]).key == month]
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


def achieved(league: League, player: Player) -> dict[str, tuple[int | None, date]]:
    rows = Achievement.objects.filter(league=league, player=player).values_list("key", "hanchan", "day")
    return {key: (hanchan, day) for key, hanchan, day in rows}


def keep(league: League) -> int:
    with time_machine.travel(LATER):
        return keep_feats(league.pk)


@pytest.mark.long
@varied("seed", range(2))
def test_what_is_kept_step_by_step_is_what_the_facts_give(seed: int) -> None:
    walk = Walk(seed)
    periods = [ALL_TIME, range_of(date(2024, 12, 10), date(2025, 11, 12)), month_of(date(2025, 11, 1))]
    taken_away = used = 0
    before: set[tuple[int, str]] = set()
    for number in range(STEPS):
        walk.step()
        if number % 3 == 2:
            refresh_league(walk.league.pk)
            keep(walk.league)
        if number % 6 == 4:
            # Records are right at any moment, whatever of them is kept.
            check_records(League.objects.get(pk=walk.league.pk), periods)
        if number % 6 == 5:
            league = League.objects.get(pk=walk.league.pk)
            used += still_true(KeptFeats.objects.filter(league=league)).count()
            check_records(league, [*periods, year_of(date(2025, 6, 1), league.first_month)])
            check_achievements(league)
            now = set(Achievement.objects.values_list("player", "key"))
            taken_away += len(before - now)
            before = now
    assert len(before) >= 5
    assert used >= 10
    assert taken_away


def check_records(league: League, periods: Sequence[Period]) -> None:
    for period in periods:
        assert league_records(league, period) == records_by_hand(league, period)


def check_achievements(league: League) -> None:
    for player in league.players.order_by("pk"):
        assert achieved(league, player) == achieved_by_hand(league, player)


def test_what_is_kept_anew_is_the_same(league: League) -> None:
    keep(league)

    def everything() -> list[list[Any]]:
        return [
            list(Achievement.objects.order_by("player", "key").values_list("player", "key", "hanchan", "day")),
            list(PlayerFeats.objects.order_by("month__period", "player").values_list("player", "feats")),
            list(KeptFeats.objects.order_by("period").values_list("period", "records")),
            list(Award.objects.order_by("period", "key", "player").values_list("period", "key", "player", "count")),
        ]

    before = everything()
    KeptFeats.objects.all().delete()
    Achievement.objects.all().delete()
    Award.objects.all().delete()
    keep(league)
    assert everything() == before
    assert before[0]
    assert verify()[0] == 0


# --- One league --------------------------------------------------------------------------------------------------------


@pytest.fixture
def league() -> League:
    """Aoki wins three in a row, the second with 60,000 points, over the end of a month."""
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


def test_a_corrected_hanchan_takes_achievements_away(league: League) -> None:
    first, second, third = league.hanchan.order_by("day", "played_at", "pk")
    keep(league)
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
    keep(league)
    assert achieved(league, aoki).keys() == {"first_top"}
    assert achieved(league, league.players.get(romanised="Ishida")) == {
        "first_top": (second.pk, second.day),
        "raw_60": (second.pk, second.day),
        "yakuman": (second.pk, second.day),
    }


def test_a_voided_hanchan_gives_them_back_when_it_is_restored(league: League) -> None:
    first = league.hanchan.earliest("played_at")
    keep(league)
    before = achieved(league, aoki_of(league))
    void_hanchan(hanchan=first, by=SYSTEM, reason="twice")
    settle()
    keep(league)
    assert achieved(league, aoki_of(league)).keys() == {"first_top", "raw_60"}
    restore_hanchan(hanchan=Hanchan.objects.get(pk=first.pk), by=SYSTEM, reason="once after all")
    settle()
    keep(league)
    assert achieved(league, aoki_of(league)) == before


def test_merged_players_achieve_together(league: League) -> None:
    aoki = aoki_of(league)
    other = make_players(league, 1)[0]
    people = (other, *league.players.exclude(pk__in=[aoki.pk, other.pk]).order_by("pk"))
    play(make_session(league, date(2025, 12, 5)), (70000, 20000, 10000, 0), players=people)
    play(make_session(league, date(2025, 12, 6)), (70000, 20000, 10000, 0), players=people)
    settle()
    keep(league)
    assert achieved(league, other).keys() == {"first_top", "raw_60"}
    merge_players(source=other, target=aoki, reason="", by=SYSTEM)
    settle()
    keep(league)
    assert achieved(league, other) == {}
    assert "tops_5" in achieved(league, aoki)
    separate_players(source=Player.objects.get(pk=other.pk), by=SYSTEM, reason="two after all")
    settle()
    keep(league)
    assert achieved(league, other).keys() == {"first_top", "raw_60"}
    assert "tops_5" not in achieved(league, aoki)


def test_a_change_looks_at_nobody_else(league: League) -> None:
    keep(league)
    session = make_session(league, date(2025, 12, 12))
    play(session, players=make_players(league, 4))
    settle()
    before = set(Achievement.objects.values_list("pk", flat=True))
    with time_machine.travel(LATER):
        assert keep_feats(league.pk) == 3
    assert before < set(Achievement.objects.values_list("pk", flat=True))
    assert keep(league) == 0


def test_a_month_is_looked_at_once_more_when_it_is_over(league: League) -> None:
    session = make_session(league, date(2025, 12, 19))
    for _ in range(10):
        play(session, (40000, 30000, 20000, 10000))
    settle()
    with time_machine.travel(datetime(2025, 12, 20, 12, tzinfo=UTC)):
        keep_feats(league.pk)
        assert keep_feats(league.pk) == 0
        assert "no_last" not in achieved(league, aoki_of(league))
    assert keep(league) == 1
    assert achieved(league, aoki_of(league))["no_last"] == (None, date(2025, 12, 31))
    assert "no_last" not in achieved(league, league.players.get(romanised="Eguchi"))


def test_achievements_follow_once_for_each_player_however_many_months_changed(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    derived: list[object] = []

    def noted(months: Any) -> Any:
        derived.append(months)
        return earned(months)

    monkeypatch.setattr("stats.services.feats.PLAYERS_AT_ONCE", 3)
    monkeypatch.setattr("stats.core.feats.earned", noted)
    play(make_session(league, date(2025, 12, 5)), players=make_players(league, 4))
    settle()
    keep(league)
    assert len(derived) == league.players.count() == 8
    assert not AchievementDue.objects.exists()
    for player in league.players.order_by("pk")[:4]:
        assert achieved(league, player) == achieved_by_hand(league, player)


def test_evenings_are_counted_for_whoever_won_them(league: League) -> None:
    keep(league)
    rows = Award.objects.filter(key=Award.EVENINGS).order_by("period").values_list("period", "player", "count")
    aoki = aoki_of(league)
    assert list(rows) == [("2025-10", aoki.pk, 1), ("2025-11", aoki.pk, 1)]
    assert keep(league) == 0


def test_whoever_is_stopped_between_months_and_achievements_is_found(
    league: League, django_capture_on_commit_callbacks: Any, monkeypatch: Any
) -> None:
    keep(league)
    Achievement.objects.all().delete()
    AchievementDue.objects.create(league=league, player=aoki_of(league))
    sent: list[tuple[str, tuple[object, ...]]] = []
    monkeypatch.setattr("league.background._dispatch", lambda message: sent.append((message.task, message.args)))
    with time_machine.travel(LATER):
        with django_capture_on_commit_callbacks(execute=True):
            sweep_stale_periods()
        assert ("stats.sweep_feats", ()) in sent
        with django_capture_on_commit_callbacks(execute=True):
            sweep_feats()
        assert ("stats.keep_feats", (league.pk,)) in sent
        keep_feats(league.pk)
        assert len(achieved(league, aoki_of(league))) == 3
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            sweep_feats()
    assert sent == []


def test_a_league_that_is_gone_has_nothing_to_keep() -> None:
    assert keep_feats(0) == 0


def test_records_that_are_kept_look_at_no_seat(league: League, django_assert_num_queries: Any) -> None:
    keep(league)
    right = records_by_hand(league, ALL_TIME)
    with django_assert_num_queries(1):
        assert league_records(league, ALL_TIME) == right
    KeptFeats.objects.filter(period="all").delete()
    # SQLite is asked question by question.
    with django_assert_num_queries(4 if connection.vendor == "postgresql" else 5):
        assert league_records(league, ALL_TIME) == right


# --- The proof ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("what", ["records", "feats", "achievement", "missing"])
def test_what_is_kept_wrong_is_found_and_put_right(league: League, what: str) -> None:
    keep(league)
    with time_machine.travel(LATER):
        assert verify()[0] == 0
        match what:
            case "records":
                KeptFeats.objects.filter(period="2025").update(records=[0, {}, {}])
            case "feats":
                PlayerFeats.objects.filter(month__period="2025-10", player=aoki_of(league)).update(feats=[])
            case "achievement":
                Achievement.objects.filter(key="raw_60").update(key="raw_80")
            case "missing":
                Achievement.objects.filter(key="raw_60").delete()
        left, told = verify()
        assert left in {1, 2}, told
        left, told = verify("--repair")
        assert left == 0, told
    assert achieved(league, aoki_of(league)).keys() == {"first_top", "raw_60", "tops_3"}
