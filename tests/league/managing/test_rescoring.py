import gc
import random
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from functools import partial
from itertools import pairwise, product
from typing import Any
from unittest.mock import Mock

import psycopg
import pytest
import time_machine
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from league.core.periods import league_day
from league.core.results import COLUMNS
from league.models import (
    Board,
    Hanchan,
    ImportBatch,
    Job,
    League,
    Player,
    Revision,
    Seat,
    Session,
    SignOfLife,
    StalePeriod,
    Standing,
)
from league.selectors import played
from league.selectors.games import game_of, seats_of, snapshot_of
from league.selectors.host import host_state
from league.selectors.impact import impact_of
from league.selectors.progress import LOST_AFTER, SILENT_AFTER, pace_of
from league.services import bulk, days, jobs
from league.services.attempts import TryLimit
from league.services.boards import OnProgress, Progress, StoppedError, rebuild_boards, unwatched
from league.services.calendar import adjust, change_settings, set_session_state
from league.services.days import move_to_new_days
from league.services.history import SYSTEM
from league.services.imports.steps import discard_old_drafts
from league.services.job_requests import start_job
from league.services.jobs import cancel_job, progress_writer, run, sweep
from league.services.previewing import preview_impact
from league.services.rescoring import rescore, scored_otherwise
from league.services.results import HanchanResult, TableAndTime, restore_hanchan, void_hanchan
from scoring.core import Bust, FinishedGame
from tests.budget import budget, varied
from tests.conftest import database_url, needs_postgresql
from tests.deadlines import wait_until
from tests.league.boards.test_worker import in_thread
from tests.league.entry_contexts import JSON, at, link_of, typed, url
from tests.league.factories import (
    correct,
    live_ranks,
    make_league,
    make_players,
    make_session,
    make_user,
    next_version,
    play,
    settle,
)
from tests.league.factories import run as run_command
from tests.league.managing.test_manage_page import settings_of
from tests.league.races import at_once, somebody_waits_for_a_lock
from tests.league.results.test_parts import as_explained
from tests.scoring.games import random_game

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HANCHAN = budget(60, least=40)
NOTES = ("", "", "", "前半は青木さんの代打", 'He said "ron"\\N and {left}', "tab\there, \\t there", "100 % 'sure'; x,y")


def store(session: Session, games: list[FinishedGame], dice: random.Random, **place: Any) -> list[Hanchan]:
    """Store random hanchan of the league's players, a minute apart, some with notes and yakuman."""
    league = session.league
    players = list(Player.objects.filter(league=league).order_by("pk"))
    prepared = []
    for number, game in enumerate(games):
        yakuman = ((0, "国士無双\\t"),) if dice.random() < 0.1 else ()
        seated = tuple(dice.sample(players, len(game.raw)))
        result = HanchanResult(seated, game, note=dice.choice(NOTES), yakuman=yakuman)
        moment = place.get("moment", datetime(2025, 11, 1, 3, tzinfo=UTC)) + timedelta(minutes=number)
        prepared.append(bulk.prepare(session, result, TableAndTime(1, number + 1, moment), SYSTEM))
    return bulk.store(league, prepared, SYSTEM)


def plain_games(dice: random.Random, count: int) -> list[FinishedGame]:
    games = []
    for _ in range(count):
        raw: set[int] = set()
        while len(raw) < 4:
            raw = {100 * (high - low) for low, high in pairwise([0, *sorted(dice.sample(range(50, 950), 3)), 1000])}
        games.append(FinishedGame(tuple(dice.sample(sorted(raw), 4))))
    return games


def rows_of(hanchan: Hanchan) -> list[dict[str, int]]:
    return list(Seat.objects.filter(hanchan=hanchan).order_by("seat").values(*COLUMNS))


@pytest.mark.long
@varied("card", ("camarade", "jpml-a", "tenhou-3p"))
def test_rescoring_equals_scoring_every_hanchan(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(played, "CHUNK", 16)
    dice = random.Random(card)
    league = make_league(card=card, players=7)
    session = make_session(league)
    rules = session.ruleset_version.read()
    hanchan = store(session, [random_game(dice, rules) for _ in range(HANCHAN)], dice)
    for each in dice.sample(hanchan, 5):
        void_hanchan(hanchan=each, by=SYSTEM, reason="twice")
    Hanchan.objects.filter(pk__in=[each.pk for each in dice.sample(hanchan, 5)]).exclude(state="voided").update(
        state="disputed"
    )
    version = next_version(league, uma=["9", "3", "-3", "-9"][: rules.players], uma_floating=None, tie=None, split=None)
    before = {each.pk: (snapshot_of(each), rows_of(each), each) for each in Hanchan.objects.all()}
    affected, last = scored_otherwise(league, version).count(), Revision.objects.latest("pk").pk
    StalePeriod.objects.all().delete()

    found = rescore(league, version.pk, SYSTEM, unwatched)

    changed = refused = 0
    for each in Hanchan.objects.all():
        state, rows, old = before[each.pk]
        expected = as_explained(game_of(each), version.read())
        revisions = Revision.objects.filter(pk__gt=last, subject="hanchan", subject_id=each.pk)
        if each.is_voided or isinstance(expected, str):
            refused += not each.is_voided
            assert (snapshot_of(each), rows_of(each), each.version) == (state, rows, old.version)
            assert not revisions.exists()
            continue
        changed += rows != expected
        assert rows_of(each) == expected
        assert (each.version, each.ruleset_version, each.state) == (old.version + 1, version, old.state)
        told = revisions.get()
        assert (told.before, told.after) == (state, snapshot_of(each))
        assert (told.action, told.reason, told.source, told.league) == ("rescored", str(version), "system", league)
    assert found == {"hanchan": affected, "changed": changed, "refused_count": refused}
    assert set(StalePeriod.objects.values_list("period", flat=True)) == {"2025-11", "2025", "all"}


def test_rescoring_is_recorded_for_the_user_who_started_it(league: League) -> None:
    play(make_session(league))
    user = make_user("ishida", league=league, role="organiser")
    job = start_job(
        league=league, kind=Job.Kind.RESCORE, by=SYSTEM, parameters={"version": next_version(league, oka="0").pk}
    )
    Job.objects.filter(pk=job.pk).update(created_by=user)
    begun = timezone.now()
    run(job.pk)
    told = Revision.objects.get(action="rescored")
    assert (told.by, told.by_name, told.source) == (user, "ishida", "job")
    assert begun <= told.at <= timezone.now()


@pytest.fixture
def forty_hanchan(monkeypatch: pytest.MonkeyPatch) -> League:
    monkeypatch.setattr(played, "CHUNK", 10)
    league = make_league(players=6)
    dice = random.Random(40)
    store(make_session(league), plain_games(dice, 40), dice)
    return league


def test_cancelled_rescoring_keeps_its_chunks_and_resumes(forty_hanchan: League) -> None:
    version = next_version(forty_hanchan, oka="0")

    def stop_after_twenty(progress: Progress) -> None:
        if progress.done >= 20:
            raise StoppedError

    with pytest.raises(StoppedError):
        rescore(forty_hanchan, version.pk, SYSTEM, stop_after_twenty)
    assert Hanchan.objects.filter(ruleset_version=version, version=2).count() == 20
    assert Revision.objects.filter(action="rescored").count() == 20
    again: list[Progress] = []
    assert rescore(forty_hanchan, version.pk, SYSTEM, again.append)["hanchan"] == 20
    assert [(each.done, each.total) for each in again] == [(10, 20), (20, 20)]
    assert not Hanchan.objects.exclude(ruleset_version=version, version=2).exists()
    assert Revision.objects.filter(action="rescored").values("subject_id").distinct().count() == 40
    for hanchan in Hanchan.objects.all():
        assert rows_of(hanchan) == as_explained(game_of(hanchan), version.read())


def test_changes_between_chunks_are_rescored(forty_hanchan: League) -> None:
    version = next_version(forty_hanchan, oka="0")
    corrected, voided = Hanchan.objects.order_by("-pk")[:2]
    entered: list[Hanchan] = []

    def meanwhile(progress: Progress) -> None:
        if progress.done == 10:
            entered.append(play(forty_hanchan.sessions.get()))
            void_hanchan(hanchan=voided, by=SYSTEM, reason="twice")
            correct(corrected, (50000, 30000, 15000, 5000))

    rescore(forty_hanchan, version.pk, SYSTEM, meanwhile)
    for each in (corrected, voided, *entered):
        each.refresh_from_db()
    assert [seat.raw_score for seat in seats_of(corrected)] == [50000, 30000, 15000, 5000]
    assert rows_of(corrected) == as_explained(game_of(corrected), version.read())
    assert (corrected.version, corrected.ruleset_version) == (3, version)
    assert (voided.version, voided.ruleset_version == version) == (2, False)
    assert entered[0].ruleset_version == version


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_rescoring_waits_for_a_concurrent_correction(forty_hanchan: League) -> None:
    version = next_version(forty_hanchan, oka="0")
    hanchan = Hanchan.objects.order_by("pk")[25]
    is_locked, waits = threading.Event(), threading.Event()
    raw = (50000, 30000, 15000, 5000)

    def correct_slowly() -> None:
        with transaction.atomic():
            correct(hanchan, raw)
            is_locked.set()
            waits.wait(10)

    def score_again() -> dict[str, Any]:
        is_locked.wait(10)
        threading.Timer(0.5, waits.set).start()
        return rescore(forty_hanchan, version.pk, SYSTEM, unwatched)

    _, found = at_once(correct_slowly, score_again)
    assert found == {"hanchan": 40, "changed": 40, "refused_count": 0}
    hanchan.refresh_from_db()
    assert rows_of(hanchan) == as_explained(FinishedGame(raw), version.read())
    assert (hanchan.version, hanchan.ruleset_version) == (3, version)
    last = Revision.objects.filter(subject="hanchan", subject_id=hanchan.pk).order_by("-pk")[:2]
    assert [each.action for each in last] == ["rescored", "corrected"]
    assert last[0].before == last[1].after


def peak(work: Callable[[], object]) -> int:
    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.unfreeze()


def let_go(progress: Progress) -> None:
    del progress
    gc.collect()


@pytest.mark.long
@pytest.mark.parametrize("name", ["rescoring", "preview"])
def test_memory_does_not_grow_with_the_number_of_hanchan(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(played, "CHUNK", 50)
    peaks, dice = [], random.Random(2)
    # After a few hundred, the process caches are full.
    for number, size in enumerate((50, 400, 1600)):
        league = make_league(f"league-{number}", tiebreak=["shared"], players=8)
        # The same hanchan, so that caches of raw scores make no difference.
        store(make_session(league), plain_games(dice, 50) * (size // 50), dice)
        version = next_version(league, oka="0").pk
        if name == "rescoring":
            peaks.append(peak(partial(rescore, league, version, SYSTEM, let_go)))
        else:
            peaks.append(peak(partial(preview_impact, league, version, let_go)))
    assert peaks[2] < 1.25 * peaks[1], peaks


@pytest.mark.long
@pytest.mark.parametrize("metric", League.Metric.values)
@varied("tiebreak", [["last_hanchan", "shared"], ["shared"], ["head_to_head", "best_raw", "shared"]])
@varied("ledger", League.RankingLedger.values)
def test_preview_of_a_random_league_equals_rescoring(
    metric: str, tiebreak: list[str], ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played, "CHUNK", 7)
    dice = random.Random(f"{metric} {tiebreak} {ledger}")
    league = make_league(card="cinderella", metric=metric, tiebreak=tiebreak, ledger=ledger, minimum_month=2, players=7)
    rules = league.current_version.read() if league.current_version else None
    assert rules is not None
    for month in (8, 9, 10, 11):
        session = make_session(league, datetime(2025, month, 3, tzinfo=UTC).date())
        moment = datetime(2025, month, 3, 5, tzinfo=UTC)
        store(session, [random_game(dice, rules) for _ in range(12)], dice, moment=moment)
        if month == 10:
            settle()
    Hanchan.objects.filter(pk__in=dice.sample(list(Hanchan.objects.values_list("pk", flat=True)), 3)).update(
        state="disputed"
    )
    version = next_version(league, uma=["5", "1", "-1", "-5"], tie={"rank": "seat", "uma": "seat", "oka": "seat"})
    days = set(Hanchan.objects.values_list("day", flat=True))
    periods = {period for day in days for period in league.periods_of(day)}
    before = {period.key: live_ranks(league, period) for period in periods}
    found = preview_impact(league, version.pk, unwatched)
    moved = {
        key: {move["player"]: (move["from"], move["to"]) for move in moves} for key, moves in found["moved"].items()
    }
    rescore(league, version.pk, SYSTEM, unwatched)
    expected = {}
    for period in periods:
        ranks = live_ranks(league, period)
        pairs = {player: (rank, ranks[player]) for player, rank in before[period.key].items()}
        if moves := {player: pair for player, pair in pairs.items() if pair[0] != pair[1]}:
            expected[period.key] = moves
    assert moved == expected
    assert moved


def test_preview_reports_every_step_at_which_it_can_be_cancelled(forty_hanchan: League) -> None:
    four = list(forty_hanchan.players.order_by("pk"))[:4]
    Hanchan.objects.update(state="voided")
    Seat.objects.update(counted=False)
    for seat in range(4):
        # Each player takes each place once, so that all four tie.
        play(forty_hanchan.sessions.get(), (40000, 30000, 20000, 10000), four[seat:] + four[:seat])
    forty_hanchan.tiebreak = ["head_to_head", "shared"]
    forty_hanchan.save()
    version = next_version(forty_hanchan, oka="0")
    seen: list[Progress] = []
    preview_impact(forty_hanchan, version.pk, seen.append)
    assert len(seen) == 1 + 2 * 3
    assert [each.done < each.total for each in seen] == [True] * (len(seen) - 1) + [False]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_rescoring_locks_seats_in_the_order_of_their_keys(league: League) -> None:
    # The seats' keys are in order of players, the reverse of the seating.
    play(make_session(league), players=make_players(league, 4)[::-1])
    first, *_, last = Seat.objects.order_by("pk").values_list("pk", flat=True)
    # The update moves the row to the end of the table.
    Seat.objects.filter(pk=first).update(chips=0)
    version = next_version(league, uma=["9", "3", "-3", "-9"])
    with psycopg.connect(database_url()) as holder:
        holder.execute("SELECT id FROM league_seat WHERE id = %s FOR UPDATE", [first])
        rescoring_of_all = in_thread(lambda: rescore(league, version.pk, SYSTEM, unwatched))
        assert wait_until(somebody_waits_for_a_lock)
        holder.execute("SELECT id FROM league_seat WHERE id = %s FOR UPDATE NOWAIT", [last])
    rescoring_of_all.join()
    assert Hanchan.objects.get().ruleset_version == version


ZONES = ("Asia/Tokyo", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "UTC")


CLOCKS = (time(0, 0), time(1, 30), time(2, 15), time(6, 0), time(23, 0))


CHANGES_OF_CLOCKS = (datetime(2025, 3, 30, 1, tzinfo=UTC), datetime(2025, 11, 2, 6, tzinfo=UTC))


def play_at(league: League, moments: list[datetime]) -> list[Hanchan]:
    session = make_session(league)
    result = HanchanResult(tuple(league.players.order_by("pk")[:4]), FinishedGame((31700, 31300, 25500, 11500)))
    places = (TableAndTime(1, number, moment) for number, moment in enumerate(moments, start=1))
    return bulk.store(league, [bulk.prepare(session, result, place, SYSTEM) for place in places], SYSTEM)


def moments(dice: random.Random, count: int) -> list[datetime]:
    """Return moments of a year, many of them around clock changes."""
    found = []
    for _ in range(count):
        near = dice.random() < 0.3
        first = dice.choice(CHANGES_OF_CLOCKS) if near else datetime(2025, 1, 1, tzinfo=UTC)
        found.append(first + timedelta(minutes=dice.randrange(-600, 600) if near else dice.randrange(365 * 24 * 60)))
    return found


@pytest.fixture
def four_players() -> League:
    return make_league(players=4)


@pytest.fixture
def forty_moved_hanchan(four_players: League, monkeypatch: pytest.MonkeyPatch) -> League:
    monkeypatch.setattr(played, "CHUNK", 10)
    monkeypatch.setattr(days, "MOVED_AT_ONCE", 39)
    play_at(four_players, moments(random.Random(40), 40))
    return four_players


def changed_to(league: League, **settings: Any) -> None:
    change_settings(league=League.objects.get(pk=league.pk), settings=settings, by=SYSTEM)
    league.refresh_from_db()


def assert_every_hanchan_has_its_day(league: League) -> None:
    zone, boundary = league.time_zone, league.day_boundary
    for played_at, *found in league.hanchan.values_list("played_at", "day", "seats__day"):
        assert found == [league_day(played_at, zone, boundary)] * 2
    assert league.hanchan.filter(seats=None).count() == 0


def boards_say(league: League) -> dict[str, int]:
    return dict(league.boards.filter(hanchan__gt=0).values_list("period", "hanchan"))


@pytest.mark.long
def test_new_days_equal_the_day_of_each_hanchan(four_players: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(played, "CHUNK", 64)
    dice = random.Random(5)
    stored = play_at(four_players, moments(dice, budget(2000, least=300)))
    settle()
    facts = list(four_players.hanchan.order_by("pk").values("pk", "version", "played_at", "state"))
    for turn in range(budget(12, least=6)):
        revisions = Revision.objects.count()
        settings = {"time_zone": dice.choice(ZONES), "day_boundary": dice.choice(CLOCKS)}
        was_other = settings != {name: getattr(four_players, name) for name in settings}
        changed_to(four_players, **settings)
        assert_every_hanchan_has_its_day(four_players)
        assert Revision.objects.count() == revisions + was_other
        if turn % 3 == 0:
            settle()
            assert rebuild_boards(four_players, unwatched) == 0
            assert boards_say(four_players)["all"] == len(stored)
    assert facts == list(four_players.hanchan.order_by("pk").values("pk", "version", "played_at", "state"))


def test_queries_for_new_days_do_not_depend_on_the_number_of_hanchan(four_players: League) -> None:
    counts = []
    for size in (5, 60):
        play_at(four_players, moments(random.Random(size), size))
        move_to_new_days(four_players, unwatched)
        four_players.time_zone, four_players.day_boundary = "America/New_York", time(12, 0)
        with CaptureQueriesContext(connection) as asked:
            assert move_to_new_days(four_players, unwatched) >= size // 2
        counts.append(len(asked))
        four_players.time_zone, four_players.day_boundary = "Asia/Tokyo", time(6, 0)
    assert counts[0] == counts[1] <= 15


def test_moved_hanchan_mark_old_and_new_periods_stale(four_players: League) -> None:
    play_at(four_players, [datetime(2025, 12, 31, 16, tzinfo=UTC), datetime(2025, 8, 5, 3, tzinfo=UTC)])
    other = play(make_session(make_league("other")), played_at=datetime(2025, 12, 31, 16, tzinfo=UTC))
    settle()
    assert boards_say(four_players) == {"2025-08": 1, "2025-12": 1, "2025": 2, "all": 2}
    four_players.day_boundary = time(0, 0)
    assert move_to_new_days(four_players, unwatched) == 1
    other.refresh_from_db()
    assert str(other.day) == "2025-12-31"
    assert set(StalePeriod.objects.values_list("period", flat=True)) == {"2025-12", "2025", "2026-01", "2026", "all"}
    four_players.save()
    settle()
    assert boards_say(four_players) == {"2025-08": 1, "2026-01": 1, "2025": 1, "2026": 1, "all": 2}
    assert move_to_new_days(four_players, unwatched) == 0
    assert not StalePeriod.objects.exists()


def test_job_moves_the_days_of_a_large_league_and_resumes(forty_moved_hanchan: League) -> None:
    changed_to(forty_moved_hanchan, time_zone="America/New_York")
    job = forty_moved_hanchan.jobs.get(kind=Job.Kind.DAYS)

    def stop_after_twenty(progress: Progress) -> None:
        assert progress.total == 40
        if progress.done >= 20:
            raise StoppedError

    with pytest.raises(StoppedError):
        move_to_new_days(forty_moved_hanchan, stop_after_twenty)
    first, last = (
        list(forty_moved_hanchan.hanchan.order_by("pk"))[:20],
        list(forty_moved_hanchan.hanchan.order_by("pk"))[20:],
    )
    assert all(each.day == forty_moved_hanchan.day_of(each.played_at) for each in first)
    assert any(each.day != forty_moved_hanchan.day_of(each.played_at) for each in last)
    settle()
    run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (Job.State.DONE, 40, 40)
    assert 0 < (job.result or {})["changed"] < 40
    assert_every_hanchan_has_its_day(forty_moved_hanchan)
    settle()
    assert rebuild_boards(forty_moved_hanchan, unwatched) == 0


def test_other_settings_do_not_wait_for_the_job(forty_moved_hanchan: League) -> None:
    changed_to(forty_moved_hanchan, time_zone="America/New_York")
    changed_to(forty_moved_hanchan, minimum_month=3, first_month=4)
    cancel_job(forty_moved_hanchan.jobs.get())
    changed_to(forty_moved_hanchan, day_boundary=time(0, 0))
    run(forty_moved_hanchan.jobs.latest("pk").pk)
    assert_every_hanchan_has_its_day(forty_moved_hanchan)


def test_settings_page_leads_to_the_job_and_refuses_another_change(client: Client, forty_moved_hanchan: League) -> None:
    client.force_login(make_user("ishida", league=forty_moved_hanchan, role="owner"))
    address = reverse("league:settings", args=[forty_moved_hanchan.slug])
    answer = client.post(address, settings_of(forty_moved_hanchan, time_zone="America/New_York"))
    job = forty_moved_hanchan.jobs.get()
    assert answer["Location"] == reverse("league:job", args=[forty_moved_hanchan.slug, job.pk])
    forty_moved_hanchan.refresh_from_db()
    again = client.post(address, settings_of(forty_moved_hanchan, day_boundary="00:00"))
    assert again.status_code == 200
    assert "対局日を計算し直しています" in again.content.decode()
    forty_moved_hanchan.refresh_from_db()
    assert (forty_moved_hanchan.time_zone, forty_moved_hanchan.day_boundary) == ("America/New_York", time(6, 0))
    run(job.pk)
    job.refresh_from_db()
    page = client.get(answer["Location"]).content.decode()
    assert f"{(job.result or {})['changed']}半荘の対局日が変わりました" in page


def start(league: League, kind: str = "rebuild", **parameters: Any) -> Job:
    return start_job(league=league, kind=Job.Kind(kind), by=SYSTEM, parameters=parameters)


def run_now(job: Job) -> Job:
    run(job.pk)
    job.refresh_from_db()
    return job


def page_of(client: Client, job: Job) -> Any:
    return client.get(url("job", job.league, job.pk))


def test_rebuild_requested_twice_runs_once_beside_other_jobs(league: League, organiser: Client) -> None:
    play(make_session(league))
    settle()
    Standing.objects.update(total=0, score=0)
    addresses = {organiser.post(url("rebuild", league))["Location"] for _ in range(2)}
    start(league, "impact", version=league.current_version_id)
    job = run_now(league.jobs.get(kind=Job.Kind.REBUILD))
    assert addresses == {url("job", league, job.pk)}
    assert (job.state, job.result, job.done, job.total) == (Job.State.DONE, {"changed": 3}, 3, 3)
    assert Standing.objects.filter(period="all", total=21700).exists()


def test_job_cancelled_from_its_page_before_it_starts_never_starts(league: League, organiser: Client) -> None:
    job = start(league)
    assert url("job", league, job.pk) in organiser.get(url("manage", league)).content.decode()
    organiser.post(url("job_cancel", league, job.pk))
    assert run_now(job).state == Job.State.CANCELLED
    assert not Board.objects.exists()


def test_cancelled_job_stops_at_its_next_step(league: League) -> None:
    job = start(league)
    report = progress_writer(job)
    Job.objects.filter(pk=job.pk).update(cancel_requested=True)
    with pytest.raises(StoppedError):
        report(Progress(1, 3, "2025-11"))


def test_failed_job_keeps_its_error_and_raises_it(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(jobs.WORK, Job.Kind.REBUILD, Mock(side_effect=OSError("disk full")))
    job = start(league)
    with pytest.raises(OSError, match="disk full"):
        run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.FAILED, "OSError: disk full")


def test_sweep_resends_only_jobs_with_a_lost_message(league: League, sent: list[tuple[object, ...]]) -> None:
    job = start(league)
    for _ in range(3):
        sweep()
    assert [message[1] for message in sent] == [job.pk]
    # Sent long ago, or before send times were stored: the message may be lost, so resend it once.
    for long_ago in (timezone.now() - LOST_AFTER - timedelta(seconds=1), None):
        Job.objects.filter(pk=job.pk).update(sent_at=long_ago)
        sent.clear()
        for _ in range(3):
            sweep()
        assert [message[1] for message in sent] == [job.pk]


def test_running_job_is_not_resent_or_started_twice(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    job = start(league)
    long_ago = timezone.now() - timedelta(days=1)
    begun: list[int] = []

    def work(job: Job, report: Callable[[Progress], None]) -> dict[str, Any]:
        begun.append(job.pk)
        Job.objects.filter(pk=job.pk).update(created_at=long_ago, started_at=long_ago, sent_at=long_ago)
        report(Progress(1, 2, ""))
        sweep()
        run(job.pk)
        return {"changed": 0}

    monkeypatch.setitem(jobs.WORK, Job.Kind.REBUILD, work)
    assert run_now(job).state == Job.State.DONE
    assert begun == [job.pk]
    sweep()
    run(job.pk)
    assert begun == [job.pk]


def test_sweep_deletes_old_unused_uploads(league: League) -> None:
    running = start(league)
    states = ("draft", "failed", "draft", "draft", "done", "running", "undone")
    batches = [ImportBatch.objects.create(league=league, data=b"x", state=state) for state in states]
    old = timezone.now() - timedelta(days=31)
    ImportBatch.objects.exclude(pk=batches[2].pk).update(created_at=old)
    ImportBatch.objects.filter(pk=batches[3].pk).update(job=running)
    assert discard_old_drafts(timezone.now()) == 2
    assert set(league.imports.values_list("pk", flat=True)) == {batch.pk for batch in batches[2:]}
    ImportBatch.objects.filter(pk=batches[2].pk).update(created_at=old)
    sweep()
    assert not league.imports.filter(pk=batches[2].pk).exists()


def test_pace_gives_rate_and_remaining_time(league: League) -> None:
    now = timezone.now()
    job = Job(league=league, started_at=now - timedelta(seconds=10), moved_at=now, done=25, total=100)
    assert (pace_of(job).rate, pace_of(job).left) == ("2.5", 30)
    assert pace_of(Job(league=league, started_at=now, moved_at=now, done=5, total=10)).left is None
    assert pace_of(Job(league=league)).rate == ""


def test_preview_stores_nothing_and_predicts_the_rescoring(league: League, session: Session, organiser: Client) -> None:
    players = make_players(league, 4)
    play(session, (31000, 30900, 20100, 18000), players)
    play(session, (15000, 31500, 31600, 21900), players)
    settle()
    version = next_version(league, oka="0", return_points=25000)
    before = list(Standing.objects.order_by("pk").values())
    adjust(player=players[0], day=session.date, points=-1000, reason="late", by=SYSTEM)
    preview = run_now(start(league, "impact", version=version.pk))
    promised = impact_of(preview)
    assert promised is not None
    assert (promised["hanchan"], promised["changed"], promised["boards"], promised["refused_count"]) == (2, 2, 3, 0)
    assert url("rules_rescore", league, version.pk) in page_of(organiser, preview).content.decode()
    assert promised["players"]
    assert list(Standing.objects.order_by("pk").values()) == before
    assert Hanchan.objects.filter(ruleset_version=version).count() == 0
    job = run_now(start(league, "rescore", version=version.pk))
    assert job.result == {"hanchan": 2, "changed": 2, "refused_count": 0}
    settle()
    for board in promised["moved"]:
        for move in board["moves"]:
            line = Standing.objects.get(period=board["period"].key, player=move.player)
            assert (line.rank, line.total) == (move.after, move.points[1])
    page = page_of(organiser, preview).content.decode()
    assert "これらの半荘は計算し直しました" in page
    assert url("rules_rescore", league, version.pk) not in page
    assert Revision.objects.filter(action="rescored").count() == 2


def test_hanchan_refused_by_new_rules_keep_their_points(league: League, session: Session, organiser: Client) -> None:
    later = play(session, (30000, 30000, 20000, 20000), played_at=datetime(2025, 11, 22, 10, tzinfo=UTC))
    busts = [Bust(seat=3, by="win", winners=(0,))]
    kept = play(session, (60000, 25000, 16000, -1000), busts=busts, played_at=datetime(2025, 11, 21, 10, tzinfo=UTC))
    play(session)
    version = next_version(league, tie=None, leftover=None, bust={"ends": "never"})
    job = run_now(start(league, "rescore", version=version.pk))
    kept.refresh_from_db()
    assert (job.result or {})["refused_count"] == 2
    assert kept.ruleset_version != version
    preview = run_now(start(league, "impact", version=version.pk))
    found = impact_of(preview)
    assert found is not None
    # In the order of play.
    assert [refusal["hanchan"] for refusal in found["refused"]] == [kept.pk, later.pk]
    assert page_of(organiser, preview).status_code == 200


def test_voided_hanchan_is_rescored_only_when_restored(league: League) -> None:
    hanchan = play(make_session(league))
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="twice")
    version = next_version(league, oka="0")
    found = impact_of(run_now(start(league, "impact", version=version.pk)))
    assert found is not None
    assert (found["hanchan"], found["changed"], found["players"]) == (0, 0, [])
    run_now(start(league, "rescore", version=version.pk))
    hanchan.refresh_from_db()
    assert hanchan.ruleset_version != version
    restored = restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="it was right")
    assert scored_otherwise(league, version).count() == 1
    run_now(start(league, "rescore", version=version.pk))
    restored.refresh_from_db()
    assert restored.ruleset_version == version


@pytest.mark.long
def test_job_page_shows_every_kind_and_state(league: League, organiser: Client) -> None:
    now = timezone.now()
    moments = {"started_at": now - timedelta(seconds=4), "moved_at": now, "finished_at": now}
    facts = {"done": 3, "total": 9, "last_item": "2025-11", "parameters": {"version": league.current_version_id}}
    for kind, state in product(Job.Kind, Job.State):
        result = {"changed": 1} if state == Job.State.DONE else None
        job = Job.objects.create(league=league, kind=kind, state=state, result=result, **moments, **facts)
        page = page_of(organiser, job)
        assert page.status_code == 200
        assert ("every 1s" in page.content.decode()) is (not job.is_over)
        job.delete()


def test_interrupted_job_is_started_again_from_its_page(league: League, organiser: Client) -> None:
    job = Job.objects.create(league=league, kind=Job.Kind.REBUILD, state=Job.State.INTERRUPTED)
    answer = organiser.post(url("job", league, job.pk))
    assert answer["Location"] == url("job", league, Job.objects.exclude(pk=job.pk).get().pk)


MoveClock = Callable[..., None]


YEARS = 365 * 10


@pytest.fixture
def move_clock() -> Iterator[MoveClock]:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        yield lambda **time: clock.shift(timedelta(**time))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    messages: list[tuple[object, ...]] = []
    monkeypatch.setattr("league.background.send", lambda *message: messages.append(message))
    return messages


def state_of(job: Job) -> str:
    return Job.objects.values_list("state", flat=True).get(pk=job.pk)


def test_lost_job_message_is_resent_after_clock_is_back(move_clock: MoveClock, sent: list[tuple[object, ...]]) -> None:
    job = start_job(league=make_league(), kind=Job.Kind.REBUILD, by=SYSTEM)
    sent.clear()
    move_clock(days=-YEARS)
    jobs.sweep()
    assert sent == []
    move_clock(seconds=(LOST_AFTER + timedelta(seconds=1)).total_seconds())
    jobs.sweep()
    assert [message[1] for message in sent] == [job.pk]


@pytest.mark.usefixtures("sent")
def test_job_of_a_dead_worker_is_found_after_the_clock_is_set_back(move_clock: MoveClock) -> None:
    job = start_job(league=make_league(), kind=Job.Kind.REBUILD, by=SYSTEM)
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, started_at=now, moved_at=now)
    move_clock(days=-1)
    # The job may still be running: its time limit starts now.
    jobs.sweep()
    assert state_of(job) == Job.State.RUNNING
    move_clock(seconds=(SILENT_AFTER + timedelta(seconds=1)).total_seconds())
    jobs.sweep()
    assert state_of(job) == Job.State.INTERRUPTED


@pytest.mark.usefixtures("sent")
@pytest.mark.parametrize("days", [-2, 2])
def test_running_job_survives_clock_changes(move_clock: MoveClock, monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    def step(job: Job, on_progress: OnProgress) -> dict[str, Any]:
        on_progress(Progress(1, 3, ""))
        move_clock(days=days)
        assert wait_until(lambda: is_written(on_progress, job))
        jobs.sweep()
        return {"done": True}

    def is_written(on_progress: OnProgress, job: Job) -> bool:
        on_progress(Progress(2, 3, ""))
        return Job.objects.values_list("done", flat=True).get(pk=job.pk) == 2

    monkeypatch.setitem(jobs.WORK, Job.Kind.REBUILD, step)
    job = start_job(league=make_league(), kind=Job.Kind.REBUILD, by=SYSTEM)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"done": True})


@pytest.mark.parametrize("steps", [(-1, 2), (40, -80), (-400, 400)], ids=str)
def test_results_during_clock_changes_are_saved_and_counted(move_clock: MoveClock, steps: tuple[int, int]) -> None:
    league = make_league(players=4)
    session = make_session(league, league.day_of(timezone.now()))
    link = link_of(session)
    link.expires_at = timezone.now() + timedelta(days=YEARS)
    link.save(update_fields=["expires_at"])
    for result, shift in zip([typed(league, do="another") for _ in range(3)], (0, *steps), strict=True):
        move_clock(days=shift)
        for _ in range(2):
            answer = Client().post(at(link), result, headers=JSON)
            assert (answer.status_code, answer.json()["state"]) == (200, "saved"), answer.content
        settle()
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    settle()
    assert Hanchan.objects.count() == 3
    assert rebuild_boards(league, unwatched) == 0
    assert "differences" not in run_command("verify", league.slug, "--quiet")


def test_limit_resets_after_the_clock_is_set_back(move_clock: MoveClock) -> None:
    limit = TryLimit("tests", tries=2, seconds=60)
    assert [limit.use("ueno") for _ in range(3)] == [True, True, False]
    move_clock(days=-YEARS)
    assert [limit.use("ueno") for _ in range(3)] == [True, True, False]
    move_clock(seconds=61)
    assert limit.use("ueno")


def test_worker_last_seen_in_the_future_is_silent(move_clock: MoveClock) -> None:
    SignOfLife.note("boards")
    assert "boards" not in host_state().silent_workers
    move_clock(days=-1)
    assert "boards" in host_state().silent_workers
    SignOfLife.note("boards")
    assert "boards" not in host_state().silent_workers
