"""Ratings replayed from the earliest change are those replayed from the beginning, bit for bit."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.models import League, Player, Seat
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.results import restore_hanchan, void_hanchan
from league.tasks import refresh_standings, sweep_stale_periods
from stats.core.ratings import blocks
from stats.core.ratings import replay as replaying
from stats.models import PlayerRating, RatingBlock, RatingMark, RatingProgress
from stats.selectors import ratings as selectors
from stats.selectors.ratings import due_leagues, is_up_to_date, tenhou_ratings
from stats.services.ratings import replay_anew, replay_in_turn, replay_ratings, replay_some
from stats.tasks import sweep_ratings
from tests.budget import budget, varied
from tests.league.boards.test_random_walk import Walk
from tests.league.factories import make_league, make_players, make_session, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STEPS = budget(90, least=40)
START = datetime(2025, 11, 21, 10, tzinfo=UTC)


def kept(league: League) -> list[Any]:
    """Return all that is kept of a league's ratings but the keys of rows."""
    rated = PlayerRating.objects.filter(league=league).order_by("player").values_list()
    names = [field.attname for field in RatingBlock._meta.concrete_fields if field.attname not in {"id", "content"}]
    stored = RatingBlock.objects.filter(league=league).order_by("player", "number")
    packed = [(*(getattr(block, name) for name in names), bytes(block.content)) for block in stored]
    return [list(rated), packed, *RatingProgress.objects.filter(league=league).values_list()]


def by_hand(league: League) -> dict[int, int]:
    """Return R of everybody, from the seats one by one."""
    rated: dict[int, tuple[int, int]] = {}
    for hanchan in league.hanchan.counted().in_order_of_play():
        table = list(hanchan.seats.order_by("placement"))
        before = {seat.player_id: rated.get(seat.player_id, (1_500_000, 0)) for seat in table}
        total = sum(rating for rating, _ in before.values())
        bases = (30, 10, -10, -30) if len(table) == 4 else (30, 0, -30)
        for seat in table:
            rating, games = before[seat.player_id]
            worth = sum(bases[seat.placement - 1 : seat.placement - 1 + seat.sharing]) * 1000 / seat.sharing
            exact = max(1 - 0.002 * games, 0.2) * (worth + (total / len(table) - rating) / 40)
            rated[seat.player_id] = (rating + round(exact), games + 1)
    return {player: rating for player, (rating, _) in rated.items()}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of five hanchan, slices of few seats: so that a small league has many."""
    for module in (blocks, replaying):
        monkeypatch.setattr(module, "PER_BLOCK", 5)
    monkeypatch.setattr(selectors, "SEATS_AT_ONCE", 30)


@pytest.mark.long
@pytest.mark.usefixtures("small")
@varied("seed", range(2))
def test_replayed_from_the_middle_is_replayed_from_scratch(seed: int) -> None:
    walk = Walk(seed)
    league = walk.league
    compared = 0
    for number in range(STEPS):
        walk.step()
        if number % 3 == 0:
            replay_some(league.pk)
        if number % 5 == 4:
            replay_ratings(league.pk)
            found = kept(league)
            assert tenhou_ratings(league) == dict(
                PlayerRating.objects.filter(league=league).values_list("player", "tenhou")
            )
            for player, rating in by_hand(league).items():
                assert abs(tenhou_ratings(league)[player] - rating) <= 2
            RatingBlock.objects.filter(league=league).delete()
            PlayerRating.objects.filter(league=league).delete()
            RatingProgress.objects.filter(league=league).delete()
            replay_anew(league)
            assert kept(league) == found
            compared += len(found[1])
    assert compared > 50


# --- When it is replayed ---------------------------------------------------------------------------------------------


def season(count: int = 12) -> League:
    """Return a league with a hanchan an hour on some days, ratings up to date."""
    league = make_league()
    make_players(league, 5)
    for number in range(count):
        day = date(2025, 11, 1 + number // 3)
        existing = league.sessions.filter(date=day).first()
        play(existing or make_session(league, day), played_at=START + timedelta(hours=number))
    replay_ratings(league.pk)
    return league


def test_four_new_players() -> None:
    league = season(1)
    assert list(PlayerRating.objects.order_by("player").values_list("tenhou", flat=True)) == [
        1_530_000,
        1_510_000,
        1_490_000,
        1_470_000,
    ]
    assert is_up_to_date(league.pk)
    assert due_leagues() == []


def test_what_is_behind_is_worked_out_for_whoever_asks_and_not_kept() -> None:
    league = season(2)
    before = tenhou_ratings(league)
    void_hanchan(hanchan=league.hanchan.latest("played_at"), by=SYSTEM, reason="twice")
    aoki = Player.objects.get(league=league, romanised="Aoki").pk
    assert before[aoki] > tenhou_ratings(league)[aoki] == 1_530_000
    assert dict(PlayerRating.objects.values_list("player", "tenhou"))[aoki] == before[aoki]


def test_a_change_is_marked_with_the_change_and_points_are_none() -> None:
    league = season()
    assert not RatingMark.objects.exists()
    hanchan = league.hanchan.order_by("played_at")[4]
    Seat.objects.filter(hanchan=hanchan).update(points=1, base=1, oka=0, uma=0, bust=0, chip_points=0, other=0)
    assert not RatingMark.objects.exists()
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="twice")
    assert {mark.played_at for mark in RatingMark.objects.all()} == {hanchan.played_at}
    assert due_leagues() == [league.pk]


@pytest.mark.long
def test_a_hanchan_more_costs_the_same_in_an_old_league() -> None:
    counts, rows = [], []
    for count in (2, 90):
        league = season(count) if count == 2 else League.objects.get()
        if count == 90:
            for number in range(2, count):
                play(league.sessions.latest("pk"), played_at=START + timedelta(hours=number))
            replay_ratings(league.pk)
        play(league.sessions.latest("pk"), played_at=START + timedelta(days=40 + count))
        with CaptureQueriesContext(connection) as queries:
            assert not replay_some(league.pk)
        counts.append(len(queries))
        rows.append(RatingBlock.objects.count())
    assert counts[0] == counts[1] <= 16
    assert rows == [4, 12]


def test_a_voided_hanchan_counts_nowhere_and_comes_back() -> None:
    league = season()
    before = kept(league)
    hanchan = league.hanchan.order_by("played_at")[4]
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="twice")
    replay_ratings(league.pk)
    assert PlayerRating.objects.order_by("player")[0].hanchan == 11
    restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="it was not")
    replay_ratings(league.pk)
    assert kept(league) == before


def test_whoever_has_no_hanchan_left_is_not_rated() -> None:
    league = season(1)
    void_hanchan(hanchan=league.hanchan.get(), by=SYSTEM, reason="twice")
    replay_ratings(league.pk)
    assert not PlayerRating.objects.exists()
    assert not RatingBlock.objects.exists()
    assert RatingProgress.objects.get().judged == 0


def test_merged_players_have_one_rating() -> None:
    league = season(3)
    aoki, other = league.players.order_by("pk")[0], league.players.order_by("pk")[4]
    play(
        league.sessions.latest("pk"),
        players=[other, *league.players.order_by("pk")[1:4]],
        played_at=START + timedelta(hours=30),
    )
    replay_ratings(league.pk)
    assert PlayerRating.objects.get(player=other).hanchan == 1
    merge_players(source=other, target=aoki, by=SYSTEM, reason="one person")
    replay_ratings(league.pk)
    assert list(PlayerRating.objects.filter(player__in=[aoki, other]).values_list("player", "hanchan")) == [
        (aoki.pk, 4)
    ]


# --- Who asks for it ---------------------------------------------------------------------------------------------------


def test_the_refresh_and_the_sweep_have_it_replayed(django_capture_on_commit_callbacks: Any, monkeypatch: Any) -> None:
    sent: list[tuple[str, tuple[object, ...]]] = []
    monkeypatch.setattr("league.background._dispatch", lambda message: sent.append((message.task, message.args)))
    league = season(2)
    play(league.sessions.latest("pk"), played_at=START + timedelta(days=3))
    with django_capture_on_commit_callbacks(execute=True):
        refresh_standings(league.pk)
    assert ("stats.replay_ratings", (league.pk,)) in sent
    sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        sweep_stale_periods()
    assert ("stats.sweep_ratings", ()) in sent
    with django_capture_on_commit_callbacks(execute=True):
        sweep_ratings()
    assert ("stats.replay_ratings", (league.pk,)) in sent
    replay_ratings(league.pk)
    sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        sweep_ratings()
        replay_in_turn(league.pk)
    assert sent == []


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_what_is_left_in_the_middle_is_found_again(django_capture_on_commit_callbacks: Any, monkeypatch: Any) -> None:
    sent: list[tuple[str, tuple[object, ...]]] = []
    monkeypatch.setattr("league.background._dispatch", lambda message: sent.append((message.task, message.args)))
    league = season(1)
    for number in range(40):
        play(
            make_session(league, date(2025, 12, 1 + number // 2)),
            played_at=START + timedelta(days=10, hours=12 * number),
        )
    shown = list(PlayerRating.objects.values_list())
    with django_capture_on_commit_callbacks(execute=True):
        replay_in_turn(league.pk)
    assert ("stats.replay_ratings", (league.pk,)) in sent
    assert not is_up_to_date(league.pk)
    assert due_leagues() == [league.pk]
    # Until everything is replayed the list says what it said.
    assert list(PlayerRating.objects.values_list()) == shown
    replay_ratings(league.pk)
    assert PlayerRating.objects.order_by("player")[0].hanchan == 41
    found = kept(league)
    replay_anew(league)
    assert kept(league) == found


def test_what_is_kept_in_an_older_form_is_replayed() -> None:
    league = season(3)
    before = kept(league)
    RatingProgress.objects.update(shape=0)
    RatingBlock.objects.update(content=b"what was kept then")
    assert due_leagues() == [league.pk]
    replay_ratings(league.pk)
    assert kept(league) == before


def test_marks_of_a_league_that_is_gone_are_forgotten() -> None:
    RatingMark.objects.create(league_id=77, played_at=None)
    assert not replay_some(77)
    assert not RatingMark.objects.exists()
