import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client

from league.core.periods import ALL_TIME
from league.interchange.problems import InterchangeError
from league.interchange.storing import store_league
from league.messages.imports import sentence
from league.models import (
    Adjustment,
    Confirmation,
    Hanchan,
    Incident,
    League,
    Player,
    Revision,
    Seat,
    Session,
    SessionPoints,
    StalePeriod,
    Standing,
)
from league.selectors.board_parts import hanchan_in
from league.selectors.confirming import confirming_of
from league.selectors.games import game_of, seats_of, snapshot_of, snapshots_of
from league.selectors.played import played
from league.services import results
from league.services.calendar import adjust, change_settings
from league.services.confirming import NewStatement, StatementOutcome, say
from league.services.history import SYSTEM, Actor
from league.services.imports.checks import check
from league.services.imports.steps import start_import
from league.services.people import link_user, merge_players, separate_players
from league.services.previewing import preview_impact
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from league.services.rescoring import rescore
from scoring.core import FinishedGame
from tests.conftest import needs_postgresql
from tests.league import factories
from tests.league.entry_contexts import url
from tests.league.factories import (
    DAY,
    RAW,
    correct,
    make_league,
    make_players,
    make_session,
    make_user,
    next_version,
    play,
    points_of,
    settle,
    state_of,
)
from tests.league.imports.files import FOUR, batch_of
from tests.league.races import at_once
from tournaments.interchange.reading import read_file

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MOMENT = datetime(2025, 11, 21, 11, 10, tzinfo=UTC)
OTHER_RAW = (50000, 30000, 15000, 5000)


def enter(session: Session, raw: tuple[int, ...] = RAW, **table_and_time: object) -> results.RecordedHanchan:
    players = tuple(session.league.players.order_by("pk")[:4]) or tuple(make_players(session.league))
    where = results.TableAndTime(**{"played_at": MOMENT} | table_and_time)  # type: ignore[arg-type]
    return results.record_hanchan(
        session=session, result=results.HanchanResult(players, FinishedGame(raw)), table_and_time=where, by=SYSTEM
    )


def correct_seen(hanchan: Hanchan, raw: tuple[int, ...], **changes: object) -> Hanchan:
    facts = {"seen_version": hanchan.version, "reason": "misread", "table_and_time": results.TableAndTime()} | changes
    result = results.HanchanResult(results.result_of(hanchan).players, FinishedGame(raw))
    return results.correct_hanchan(hanchan=hanchan, result=result, by=SYSTEM, **facts)  # type: ignore[arg-type]


def stale() -> set[str]:
    return set(StalePeriod.objects.values_list("period", flat=True))


def test_same_players_and_scores_within_twelve_hours_need_confirmation(session: Session) -> None:
    first = enter(session).hanchan
    with pytest.raises(results.SameResultError) as refused:
        enter(session, played_at=MOMENT + timedelta(hours=1))
    assert refused.value.existing == first
    enter(session, OTHER_RAW)
    enter(session, played_at=MOMENT + timedelta(hours=13))
    results.void_hanchan(hanchan=first, by=SYSTEM, reason="twice")
    enter(session, played_at=MOMENT + timedelta(hours=-1))
    assert Hanchan.objects.count() == 4


def test_invalid_players_are_refused(session: Session) -> None:
    first, *others = make_players(session.league)
    stranger = make_players(make_league("other"))[0]
    for people, code in (((first, first, *others[:2]), "player_twice"), ((stranger, *others), "not_in_league")):
        with pytest.raises(results.ResultError, match=code):
            play(session, RAW, people)
    fifth = make_players(session.league, 1)[0]
    merge_players(source=fifth, target=first, by=SYSTEM, reason="one person")
    fifth.refresh_from_db()
    with pytest.raises(results.ResultError, match="not_in_league"):
        play(session, RAW, (fifth, *others))


@pytest.mark.parametrize(
    ("now", "expected"), [((21, 12, 0), (21, 12, 0)), ((21, 16, 30), (21, 16, 30)), ((25, 12, 0), (21, 10, 0))]
)
def test_result_without_a_time_gets_now_or_the_session_start(
    session: Session, now: tuple[int, int, int], expected: tuple[int, int, int]
) -> None:
    """Moments are day of November 2025, hour and minute in UTC; the session is on the evening of the 21st in Tokyo."""
    moment = datetime(2025, 11, *expected, tzinfo=UTC)
    assert results.default_moment(session, datetime(2025, 11, *now, tzinfo=UTC)) == moment


def test_correcting_the_day_marks_both_months_stale(session: Session) -> None:
    hanchan = enter(session).hanchan
    StalePeriod.objects.all().delete()
    corrected = correct_seen(
        hanchan, RAW, table_and_time=results.TableAndTime(played_at=datetime(2026, 1, 3, 11, 0, tzinfo=UTC))
    )
    assert corrected.day == date(2026, 1, 3)
    assert set(corrected.seats.values_list("day", flat=True)) == {date(2026, 1, 3)}
    assert stale() == {"2025-11", "2025", "2026-01", "2026", "all"}


def test_correction_needs_a_reason_and_the_current_version(session: Session) -> None:
    hanchan = enter(session).hanchan
    with pytest.raises(results.ResultError, match="reason_missing"):
        correct_seen(hanchan, OTHER_RAW, reason="  ")
    correct_seen(hanchan, OTHER_RAW)
    with pytest.raises(results.ChangedMeanwhileError) as refused:
        correct_seen(hanchan, RAW)
    assert refused.value.current.version == 2


def test_merge_can_be_undone_after_a_correction(session: Session) -> None:
    hanchan = enter(session).hanchan
    first = results.result_of(hanchan).players[0]
    merge_players(source=first, target=make_players(session.league, 1)[0], by=SYSTEM, reason="one person")
    correct_seen(Hanchan.objects.get(pk=hanchan.pk), OTHER_RAW)
    first.refresh_from_db()
    separate_players(source=first, by=SYSTEM, reason="two people")
    assert list(first.seats.values_list("raw_score", flat=True)) == [50000]


def test_voided_hanchan_is_not_counted_until_restored(session: Session) -> None:
    hanchan = enter(session).hanchan
    settle()
    results.void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")
    settle()
    assert not Standing.objects.exists()
    results.restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="no mistake")
    settle()
    assert Standing.objects.filter(period="2025-11").count() == 4
    history = Revision.objects.filter(subject="hanchan").order_by("pk").values_list("action", "reason")
    assert list(history) == [("recorded", ""), ("voided", "mistake"), ("restored", "no mistake")]


def test_voiding_needs_a_reason_and_the_current_version_and_can_be_repeated(session: Session) -> None:
    hanchan = enter(session).hanchan
    correct_seen(hanchan, OTHER_RAW)
    with pytest.raises(results.ResultError, match="reason_missing"):
        results.void_hanchan(hanchan=hanchan, by=SYSTEM, reason="")
    with pytest.raises(results.ChangedMeanwhileError):
        results.void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo", seen_version=1)
    assert not Hanchan.objects.get().is_voided
    assert results.void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo", seen_version=2).is_voided
    assert results.void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo", seen_version=1).version == 3
    assert Revision.objects.filter(action="voided").count() == 1


def test_database_refuses_inconsistent_seats_and_double_busts(session: Session) -> None:
    hanchan = enter(session).hanchan
    first, second, *_ = hanchan.seats.order_by("seat")
    for changes in ({"player": first.player}, {"seat": 0}, {"seat": 4}, {"placement": 5}, {"points": 1}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Seat.objects.filter(pk=second.pk).update(**changes)
    rows = [Incident(hanchan=hanchan, seat=1, kind="bust") for _ in range(2)]
    with pytest.raises(DatabaseError), transaction.atomic():
        Incident.objects.bulk_create(rows)


@needs_postgresql
def test_standings_that_cannot_be_computed_do_not_block_others() -> None:
    league, fine = make_league("broken", metric="average_points"), make_league("fine")
    player = make_players(league)[0]
    play(make_session(league))
    adjust(player=player, day=DAY - timedelta(days=400), points=10**18, reason="far too much", by=SYSTEM)
    play(make_session(fine))
    assert settle() == 5
    assert Standing.objects.filter(league=fine, period="all").count() == 4
    # The month and the year of the adjustment are stale, and so is the all-time board.
    assert set(Standing.objects.filter(league=league).values_list("period", flat=True)) == {"2025-11", "2025"}
    assert set(StalePeriod.objects.values_list("league", "period")) == {
        (league.pk, key) for key in ("2024-10", "2024", "all")
    }
    assert Adjustment.objects.get().points == 10**18


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_one_result_from_eight_phones_at_once_is_saved_once() -> None:
    session = make_session(make_league())
    players = tuple(make_players(session.league))

    def phone() -> results.RecordedHanchan:
        result = results.HanchanResult(players, FinishedGame(RAW))
        table_and_time = results.TableAndTime(client_key=uuid.uuid4())
        return results.record_hanchan(session=session, result=result, table_and_time=table_and_time, by=SYSTEM)

    assert sum(isinstance(each, results.SameResultError) for each in at_once(*[phone] * 8)) == 7
    assert Hanchan.objects.count() == 1


SHORT = (40_000, 30_000, 20_000, 2_300)


LINE = (45_000, 9_000, -20_000, -34_000)


NOTE = "Only the total is wrong in the book"


ODD, ALONE = "accepted as entered", "points only"


@pytest.fixture
def league() -> League:
    return make_league(card="cinderella")


def verify_differences(league: League) -> list[str]:
    return [str(found) for proof in proofs for found in proof.check(league, ProofTally())]


def stored(hanchan: Hanchan) -> Hanchan:
    return Hanchan.objects.select_related("league").get(pk=hanchan.pk)


def text(client: Client, path: str) -> str:
    answer = client.get(path, follow=True)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


def test_setting_decides_whether_accepted_totals_count(client: Client, league: League, session: Session) -> None:
    play(session)
    odd = play(session, SHORT, note=NOTE, as_is=True)
    settle()
    assert hanchan_in(league, ALL_TIME) == 2
    for counts, hanchan in ((False, 1), (True, 2)):
        league.refresh_from_db()
        league = change_settings(league=league, settings={"unbalanced_count": counts}, by=SYSTEM)
        settle()
        assert set(Seat.objects.filter(hanchan=odd).values_list("counted", flat=True)) == {counts}
        assert set(Standing.objects.filter(period="all").values_list("hanchan", flat=True)) == {hanchan}
        assert hanchan_in(league, ALL_TIME) == hanchan == Hanchan.objects.counted().count()
        assert stored(odd).counts is counts
        assert verify_differences(league) == []
    change_settings(league=league, settings={"unbalanced_count": False}, by=SYSTEM)
    page = f"/en/l/camarade/sessions/{session.pk}/"
    assert "not counted" in text(client, page)
    correct(odd, (40_000, 30_000, 20_000, 10_000))
    assert "not counted" not in text(client, page)
    assert Seat.objects.counted().filter(hanchan=odd).count() == 4


def test_accepted_totals_are_rescored_and_points_only_hanchan_are_not(league: League, session: Session) -> None:
    odd = play(session, SHORT, note=NOTE, as_is=True)
    lone = play(session, points=LINE)
    newer = next_version(league, uma=[30, 10, -10, -30])
    seen = preview_impact(league, newer.pk, lambda progress: None)
    assert (seen["hanchan"], seen["changed"], seen["refused_count"], seen["given"]) == (1, 1, 0, 1)
    done = rescore(league, newer.pk, SYSTEM, lambda progress: None)
    assert (done["hanchan"], done["changed"], done["refused_count"], done["given"]) == (1, 1, 0, 1)
    assert points_of(odd) == [60_000, 10_000, -20_000, -57_700]
    assert points_of(lone) == list(LINE)
    assert stored(lone).ruleset_version_id != newer.pk
    assert verify_differences(league) == []


def test_points_only_hanchan_counts_in_the_standings(league: League) -> None:
    hanchan = play(make_session(league), points=LINE)
    assert (stored(hanchan).given, stored(hanchan).has_raw_scores) == ("points", False)
    seats = hanchan.seats.order_by("seat").values_list("raw_score", "points", "settlement", "base", "placement")
    assert list(seats) == [(None, points, points, points, place) for place, points in enumerate(LINE, 1)]
    settle()
    lines = Standing.objects.filter(period="all").order_by("rank")
    assert [line.total for line in lines] == list(LINE)
    assert {(line.raw_sum, line.raw_best) for line in lines} == {(0, None)}
    assert verify_differences(league) == []


def test_points_only_hanchan_gets_raw_scores_and_is_reverted(owner: Client, league: League) -> None:
    hanchan = play(make_session(league), points=LINE)
    usual = correct(hanchan, (45_000, 29_000, 20_000, 6_000))
    assert (usual.given, usual.has_raw_scores) == ("raw", True)
    assert verify_differences(league) == []
    first = Revision.objects.filter(subject="hanchan", action="recorded").get()
    again = f"/en/l/camarade/g/{hanchan.pk}/again/?revision={first.pk}"
    shown = text(owner, again)
    for says in ("+45.0", "Known data", "Points only", "Raw scores", "placement"):
        assert says in shown, says
    assert "45000" not in shown
    assert owner.post(again, {"reason": "it was right", "seen_version": usual.version}).status_code == 302
    back = stored(hanchan)
    assert (back.given, [*back.seats.values_list("raw_score", flat=True)]) == ("points", [None] * 4)
    assert game_of(stored(back)) == FinishedGame((), points=LINE, placements=(1, 2, 3, 4))
    assert verify_differences(league) == []


def test_snapshots_of_one_and_of_many_hanchan_are_equal(session: Session) -> None:
    both = [play(session, points=LINE), play(session, SHORT, as_is=True, note=NOTE), play(session)]
    at_once = snapshots_of([hanchan.pk for hanchan in both])
    rows = {row.row.pk: row for row in played(Hanchan.objects.all())}
    for hanchan in both:
        assert snapshot_of(stored(hanchan)) == at_once[hanchan.pk]
        row = rows[hanchan.pk]
        assert row.game == game_of(stored(hanchan))
    assert "given" not in at_once[both[2].pk]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE league_seat SET raw_score = NULL",
        "UPDATE league_hanchan SET as_is = true",
        "UPDATE league_hanchan SET given = 'guessed'",
        "UPDATE league_hanchan SET given = 'points', sticks_left = 1",
    ],
)
def test_database_refuses_impossible_results(league: League, statement: str) -> None:
    play(make_session(league))
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE league_seat SET points = points + 1000, base = base + 1000 WHERE seat = 0",
        "UPDATE league_hanchan SET as_is = true, note = 'so'",
        "UPDATE league_hanchan SET given = 'raw'",
        "UPDATE league_seat SET raw_score = 25000 WHERE seat = 0",
    ],
)
def test_verify_finds_figures_changed_in_the_database(league: League, statement: str) -> None:
    play(make_session(league), points=LINE)
    settle()
    with connection.cursor() as cursor:
        cursor.execute(statement)
    assert verify_differences(league)


@pytest.mark.long
def test_pages_mark_wrong_totals_and_points_only_hanchan(client: Client, league: League, session: Session) -> None:
    odd, lone = play(session, SHORT, note=NOTE, as_is=True), play(session, points=LINE)
    settle()
    client.force_login(make_user("eguchi", league=league, role="organiser"))
    player = odd.seats.order_by("seat")[0].player_id
    for hanchan, says in ((odd, ODD), (lone, ALONE)):
        for page in (f"g/{hanchan.pk}/", f"g/{hanchan.pk}/done/"):
            assert says in text(client, f"/en/l/camarade/{page}"), page
    assert NOTE in text(client, f"/en/l/camarade/g/{odd.pk}/")
    assert "Raw scores unknown" in text(client, f"/en/l/camarade/g/{lone.pk}/")
    sheet = text(client, f"/en/l/camarade/sessions/{session.pk}/")
    assert ODD in sheet
    assert ALONE in sheet
    assert NOTE in sheet
    own = text(client, f"/en/l/camarade/p/{player}/")
    assert ODD in own
    assert ALONE in own
    assert "Without raw scores" in own


CORRECTED = (31000, 32000, 25500, 11500)


AGREES, DISPUTES = Confirmation.Verdict.AGREES, Confirmation.Verdict.DISPUTES


def phone(name: str) -> Actor:
    return Actor(None, "table link", device=name)


def people(hanchan: Hanchan) -> list[Player]:
    return [seat.player for seat in hanchan.seats.select_related("player").order_by("seat")]


def tap(
    hanchan: Hanchan,
    seat: int | None,
    verdict: Confirmation.Verdict = AGREES,
    by: Actor | None = None,
    *,
    version: int | None = None,
    note: str = "",
) -> StatementOutcome:
    player = None if seat is None else people(hanchan)[seat]
    by = by or phone(f"own-{seat}")
    return say(hanchan=hanchan, statement=NewStatement(verdict, version or hanchan.version, player, note), by=by)


def actions(hanchan: Hanchan) -> list[str]:
    revisions = Revision.objects.filter(subject="hanchan", subject_id=hanchan.pk)
    return list(revisions.order_by("pk").values_list("action", flat=True))


@pytest.fixture
def confirmed_by_one() -> League:
    return make_league(confirmed_by="one")


def recorded(league: League, device: str = "table", by: Actor = SYSTEM) -> Hanchan:
    hanchan = play(make_session(league), by=by)
    Hanchan.objects.filter(pk=hanchan.pk).update(device=device)
    return Hanchan.objects.get(pk=hanchan.pk)


def test_scorer_who_plays_does_not_confirm_their_own_entry(confirmed_by_one: League) -> None:
    players = make_players(confirmed_by_one, 4)
    scorer = make_user("aoki", league=confirmed_by_one, role="scorer")
    link_user(player=players[0], user=scorer, by=SYSTEM)
    actor = Actor(scorer, "web")
    hanchan = play(make_session(confirmed_by_one), players=players, by=actor)
    assert confirming_of(hanchan).agreed == 1
    assert tap(hanchan, 0, by=actor).hanchan.state == "recorded"
    assert tap(hanchan, 1, by=actor).hanchan.state == "recorded"
    assert tap(hanchan, 1).hanchan.state == "confirmed"


def test_repeated_taps_are_one_confirmation(confirmed_by_one: League) -> None:
    hanchan = recorded(confirmed_by_one)
    for _ in range(3):
        tap(hanchan, 1)
    assert hanchan.confirmations.count() == 1
    assert actions(hanchan) == ["recorded", "confirmed"]
    assert results.restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="stands already").state == "confirmed"
    # Another phone or a note makes it a new response.
    tap(hanchan, 1, by=phone("another"))
    for note in ("", "12,500", ""):
        tap(hanchan, 3, DISPUTES, note=note)
    assert list(hanchan.confirmations.values_list("note", flat=True)) == ["", "", "", "12,500"]


def test_confirmation_of_a_merged_player_still_counts(confirmed_by_one: League) -> None:
    confirmed_by_one.confirmed_by = "all"
    confirmed_by_one.save()
    hanchan = recorded(confirmed_by_one)
    for seat in range(3):
        tap(hanchan, seat)
    (newcomer,) = make_players(confirmed_by_one, 1)
    merge_players(source=people(hanchan)[2], target=newcomer, by=SYSTEM, reason="one person")
    assert confirming_of(Hanchan.objects.get(pk=hanchan.pk)).agreed == 3
    assert tap(hanchan, 3).hanchan.state == "confirmed"


def test_setting_decides_whether_disputed_results_count() -> None:
    league = make_league(disputed_count=False)
    hanchan = recorded(league)
    factories.settle()
    assert Standing.objects.filter(league=league, period="2025-11").count() == 4
    tap(hanchan, 3, DISPUTES)
    factories.settle()
    assert not Standing.objects.filter(league=league).exists()
    assert not Hanchan.objects.counted().exists()
    assert Hanchan.objects.valid().count() == 1
    assert not Seat.objects.counted().exists()
    for counts in (True, False):
        change_settings(league=League.objects.get(pk=league.pk), settings={"disputed_count": counts}, by=SYSTEM)
        factories.settle()
        assert Seat.objects.counted().count() == Standing.objects.filter(period="all").count() == 4 * counts
    tap(hanchan, 3)
    factories.settle()
    assert state_of(hanchan) == "recorded"
    assert Standing.objects.filter(league=league, period="2025-11").count() == 4


def test_withdrawn_dispute_restores_the_confirmation_of_an_import() -> None:
    hanchan = recorded(make_league(confirmed_by="all", disputed_count=False))
    Hanchan.objects.filter(pk=hanchan.pk).update(state="confirmed")  # as imported: without confirmations
    for seat in (3, 1):
        assert tap(hanchan, seat, DISPUTES).hanchan.state == "disputed"
    assert tap(hanchan, 3).hanchan.state == "disputed"
    assert tap(hanchan, 1).hanchan.state == "confirmed"
    assert Seat.objects.counted().count() == 4
    assert actions(hanchan) == ["recorded", "disputed", "disputed", "settled"]
    correct(hanchan, CORRECTED)
    tap(hanchan, 3, DISPUTES, version=2)
    assert tap(hanchan, 3, version=2).hanchan.state == "recorded"


def test_correction_or_voiding_ends_disputes_and_needs_confirmations_of_the_new_version() -> None:
    hanchan = recorded(make_league(confirmed_by="one", disputed_count=False))
    tap(hanchan, 1)
    tap(hanchan, 3, DISPUTES)
    assert correct(hanchan, CORRECTED).state == "recorded"
    assert Seat.objects.counted().count() == 4
    page = confirming_of(Hanchan.objects.get(pk=hanchan.pk))
    assert (page.agreed, len(page.outdated)) == (0, 2)
    results.void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")
    said = tap(hanchan, 1, version=2)
    assert (said.is_current, said.hanchan.state) == (False, "voided")
    assert hanchan.confirmations.count() == 3
    restored = results.restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="no mistake")
    assert (restored.state, confirming_of(restored).agreed) == ("recorded", 0)
    for unknown in (-5, 7, 2**31):
        assert not tap(hanchan, 1, version=unknown).is_current
    assert state_of(hanchan) == "recorded"


def test_replaced_player_may_still_dispute_the_old_version(confirmed_by_one: League) -> None:
    hanchan = recorded(confirmed_by_one)
    before = people(hanchan)
    (other,) = make_players(confirmed_by_one, 1)
    correct(hanchan, players=(*before[:3], other))
    assert not say(hanchan=hanchan, statement=NewStatement(DISPUTES, 1, before[3]), by=SYSTEM).is_current
    with pytest.raises(results.ResultError, match="not_at_table"):
        say(hanchan=hanchan, statement=NewStatement(AGREES, 2, before[3]), by=SYSTEM)


def test_rescoring_keeps_confirmations() -> None:
    league = make_league(confirmed_by="all")
    hanchan = recorded(league)
    for seat in range(3):
        tap(hanchan, seat)
    rescore(league, next_version(league, uma=[20, 10, -10, -20]).pk, SYSTEM, lambda progress: None)
    rescored = Hanchan.objects.get(pk=hanchan.pk)
    assert (rescored.version, confirming_of(rescored).agreed) == (2, 3)
    assert tap(hanchan, 3, version=1).hanchan.state == "confirmed"


def test_hanchan_before_the_setting_need_no_confirmation() -> None:
    league = make_league()
    hanchan = recorded(league)
    assert change_settings(league=league, settings={"confirmed_by": "one"}, by=SYSTEM).confirmed_since is not None
    assert not Hanchan.objects.get(pk=hanchan.pk).is_awaiting
    assert not Hanchan.objects.awaiting().exists()
    League.objects.update(confirmed_since=None)
    assert Hanchan.objects.get(pk=hanchan.pk).is_awaiting
    assert Hanchan.objects.awaiting().count() == 1


def test_relaxed_policy_confirms_results_with_enough_confirmations() -> None:
    league = make_league(confirmed_by="all")
    hanchan, other = recorded(league), recorded(league)
    tap(hanchan, 1)
    change_settings(league=league, settings={"confirmed_by": "one"}, by=SYSTEM)
    assert (state_of(hanchan), state_of(other)) == ("confirmed", "recorded")
    change_settings(league=league, settings={"confirmed_by": "all"}, by=SYSTEM)
    assert state_of(hanchan) == "confirmed"
    assert tap(hanchan, 2).hanchan.state == "confirmed"


def test_entry_by_an_organiser_needs_no_confirmation() -> None:
    league = make_league(confirmed_by="organiser")
    organiser = Actor(make_user("ono", league=league, role="organiser"), "web")
    scorer = Actor(make_user("kato", league=league, role="scorer"), "web")
    mine, theirs = recorded(league, by=organiser), recorded(league, by=scorer)
    assert (mine.state, theirs.state) == ("confirmed", "recorded")
    assert tap(mine, 3, DISPUTES).hanchan.state == "disputed"
    assert tap(mine, 3).hanchan.state == "confirmed"
    assert correct(theirs, CORRECTED, by=organiser).state == "confirmed"
    assert correct(mine, CORRECTED, by=scorer).state == "recorded"
    assert tap(mine, None, version=2, by=organiser).hanchan.state == "confirmed"


CARD = "mleague"
"""Rules without a bust, so that any score can be stored."""


PARTS = {"parts": ["base", "oka", "uma", "chips"], "rounded": False}


CHIPS = {"chips": {"value": 2}, "ledgers": {"ranking": PARTS, "settlement": PARTS}}


@dataclass(frozen=True, slots=True)
class Played:
    raw: tuple[int, ...] = RAW
    table: int = 1
    round: int = 1
    sticks: int = 0
    chombo: int = 0
    chips: int = 0
    note: str = ""
    yakuman: str = ""
    fourth: str = ""


Door = Callable[[Client, Session, Played], str]
"""Enter a result; return the error message, empty if it was stored."""


def typed(session: Session, played: Played) -> dict[str, Any]:
    values: dict[str, Any] = {"do": "save", "sticks_left": played.sticks, "note": played.note}
    values |= {"yakuman_0": played.yakuman, "chombo_0": played.chombo or ""}
    values |= {"table": played.table, "round": played.round}
    values |= {"chips_0": played.chips or "", "chips_1": -played.chips or "", "chips_2": "", "chips_3": ""}
    for seat, player in enumerate(session.league.players.order_by("pk")[:4]):
        values |= {f"player_{seat}": player.pk, f"raw_{seat}": f"{played.raw[seat]:,}"}
    return values | ({"player_3": "guest", "guest_3": played.fourth} if played.fourth else {})


def said(answer: Any) -> str:
    return "" if answer.status_code == 302 else " ".join(text for _id, text in answer.context["form"].messages)


def entry_page(client: Client, session: Session, played: Played) -> str:
    return said(client.post(url("enter_session", session.league, session.pk), typed(session, played)))


def sheet(client: Client, session: Session, played: Played) -> str:
    values: dict[str, Any] = {"columns": 4, "rows": 1, "do": "save", "reason": ""}
    values |= {"round_0": played.round, "table_0": played.table, "sticks_0": played.sticks}
    for seat, player in enumerate(session.league.players.order_by("pk")[:4]):
        values |= {f"player_{seat}": player.pk, f"cell_0_{seat}": f"{played.raw[seat]:,}"}
    values |= {"player_3": "guest", "guest_3": played.fourth} if played.fourth else {}
    answer = client.post(url("grid", session.league, session.pk), values)
    if answer.status_code == 302:
        return ""
    found = answer.context["sheet"]
    return " ".join(
        map(str, [found.rows[0].form.errors, *found.problems, *(column.problem for column in found.columns)])
    )


def file(client: Client, session: Session, played: Played) -> str:
    del client
    names = [*FOUR[:3], played.fourth or FOUR[3]]
    lines = ["日付,卓,回戦,席,選手,素点,供託,チョンボ,チップ,役満,メモ"]
    for seat, name in enumerate(names):
        own = (played.chombo, played.chips, played.yakuman) if seat == 0 else (0, -played.chips if seat == 1 else 0, "")
        where, count = f"{DAY},{played.table},{played.round}", f"{played.raw[seat]},{played.sticks}"
        lines.append(f'{where},{"東南西北"[seat]},{name},{count},{own[0]},{own[1]},{own[2]},"{played.note}"')
    batch = batch_of(session.league, "\n".join(lines))
    (game,) = check(batch).outcomes
    if game.status == "error":
        return " ".join(sentence(note.code, note.values) for note in game.notes)
    start_import(batch, SYSTEM)
    return ""


def interchange(client: Client, session: Session, played: Played) -> str:
    del client
    names = [*FOUR[:3], played.fourth or FOUR[3]]
    chips = (played.chips, -played.chips, 0, 0)
    hanchan = {
        "key": "h1",
        "table": played.table,
        "round": played.round,
        "sticks_left": played.sticks,
        "note": played.note,
        "chombo": [played.chombo, 0, 0, 0],
        "yakuman": [{"seat": 0, "note": played.yakuman}] if played.yakuman else [],
        "seats": [{"player": f"p{n}", "raw": raw, "chips": chips[n]} for n, raw in enumerate(played.raw)],
    }
    return stored_file(
        {
            "schema": "tenbo/1",
            "league": {"slug": "other", "name": "Other"},
            "rulesets": [{"key": CARD, "card": CARD, "parameters": CHIPS}],
            "players": [{"key": f"p{number}", "name": name} for number, name in enumerate(names)],
            "sessions": [{"key": "s1", "date": str(session.date), "ruleset": CARD, "hanchan": [hanchan]}],
        }
    )


def stored_file(document: dict[str, Any]) -> str:
    try:
        store_league(read_file(json.dumps(document).encode()), by=SYSTEM)
    except InterchangeError as error:
        return str(error)
    return ""


DOORS: dict[str, Door] = {"entry page": entry_page, "sheet": sheet, "file": file, "interchange": interchange}


def with_sticks(sticks: int) -> Played:
    rest = 100_000 - 1000 * sticks
    return Played(raw=(*[rest // 400 * 100] * 3, rest - rest // 400 * 300), sticks=sticks)


def with_raw(points: int) -> Played:
    return Played(raw=(points, 100_000 - points, 0, 0))


HIGHEST: dict[str, tuple[Played, Played]] = {
    "table": (Played(table=32_767), Played(table=32_768)),
    "round": (Played(round=32_767), Played(round=32_768)),
    "sticks": (with_sticks(10_000), with_sticks(10_001)),
    "chombo": (Played(chombo=99), Played(chombo=100)),
    "chips": (Played(chips=10_000_000), Played(chips=10_000_001)),
    "raw score": (with_raw(10_000_000), with_raw(10_000_100)),
    "negative raw score": (with_raw(-9_900_000), with_raw(-10_000_100)),
    "note": (Played(note="あ" * 500), Played(note="あ" * 501)),
    "yakuman": (Played(yakuman="役" * 200), Played(yakuman="役" * 201)),
    "name": (Played(fourth="名" * 40), Played(fourth="名" * 41)),
}
"""The maximum of each value, and one more."""


NOT_ON_THE_SHEET = {"chombo", "chips", "note", "yakuman"}


CASES = [
    pytest.param(door, what, id=f"{door}: {what}")
    for door in DOORS
    for what in HIGHEST
    if not (door == "sheet" and what in NOT_ON_THE_SHEET)
]


@pytest.fixture
def with_chips(client: Client) -> Session:
    league = make_league(card=CARD, parameters=CHIPS, players=4)
    client.force_login(make_user("ueno", league=league, role="owner"))
    return make_session(league)


@pytest.mark.parametrize(("door", "what"), CASES)
def test_maximum_is_accepted_everywhere(client: Client, with_chips: Session, door: str, what: str) -> None:
    played = HIGHEST[what][0]
    assert DOORS[door](client, with_chips, played) == ""
    hanchan = Hanchan.objects.get()
    game = game_of(hanchan)
    assert game.raw == played.raw
    assert (hanchan.table, hanchan.round) == (played.table, played.round)
    assert (hanchan.note, game.sticks_left) == (played.note, played.sticks)
    assert (sum(game.chombo), max(game.chips, default=0)) == (played.chombo, played.chips)
    assert [each.note for each in hanchan.incidents.filter(kind=Incident.Kind.YAKUMAN)] == [played.yakuman] * bool(
        played.yakuman
    )
    assert seats_of(hanchan)[3].player.name == (played.fourth or FOUR[3])


@pytest.mark.parametrize(("door", "what"), CASES)
def test_more_than_the_maximum_is_refused_everywhere(client: Client, with_chips: Session, door: str, what: str) -> None:
    assert len(DOORS[door](client, with_chips, HIGHEST[what][1])) > 10
    assert not Hanchan.objects.exists()


def corrected(client: Client, hanchan: Hanchan, **changes: Any) -> str:
    address = url("correct", hanchan.league, hanchan.pk)
    form = client.get(address).context["form"]
    values = {name: form[name].value() for name in form.fields if form[name].value() is not None} | {"do": "save"}
    # Browsers submit CRLF line ends.
    values["note"] = str(values.get("note", "")).replace("\n", "\r\n")
    return said(client.post(address, values | {"reason": "書き間違い"} | changes))


@pytest.mark.parametrize(
    "played",
    [*(most for most, _one_more in HIGHEST.values()), Played(note="あ" * 249 + "\n" + "い" * 250)],
    ids=[*HIGHEST, "note of two lines"],
)
def test_imported_maximum_can_be_corrected(client: Client, with_chips: Session, played: Played) -> None:
    assert file(client, with_chips, played) == ""
    hanchan = Hanchan.objects.get()
    assert corrected(client, hanchan, end_reason="time") == ""
    hanchan.refresh_from_db()
    assert (hanchan.version, hanchan.end_reason, hanchan.note) == (2, "time", played.note)


def test_imported_session_with_many_tables_can_be_changed(client: Client, with_chips: Session) -> None:
    with_chips.delete()
    assert file(client, with_chips, Played(table=1500)) == ""
    found = Hanchan.objects.get().session
    values = {"date": str(found.date), "title": "第3節", "tables": found.tables}
    values |= {"ruleset_version": str(found.ruleset_version_id)}
    assert client.post(url("session_edit", with_chips.league, found.pk), values).status_code == 302
    found.refresh_from_db()
    assert (found.title, found.tables) == ("第3節", 1500)


def adjustment(client: Client, league: League, points: str) -> bool:
    values = {"player": league.players.all()[0].pk, "day": str(DAY), "points": points, "reason": "罰"}
    client.post(url("adjustments", league), values)
    return Adjustment.objects.exists()


def session_points(client: Client, league: League, points: str) -> bool:
    values = {"hanchan": 1, "note": "表のまま", "lines": 1, "player_0": league.players.all()[0].pk, "points_0": points}
    client.post(url("session_points", league, make_session(league).pk), values)
    return SessionPoints.objects.exists()


def interchanged(client: Client, league: League, points: str) -> bool:
    del client, league
    document: dict[str, Any] = {"schema": "tenbo/1", "league": {"slug": "other", "name": "Other"}}
    document["players"] = [{"key": "p1", "name": "青木"}]
    document["adjustments"] = [{"player": "p1", "date": str(DAY), "points": points, "reason": "罰"}]
    return stored_file(document) == ""


@pytest.mark.parametrize("door", [adjustment, session_points, interchanged])
@pytest.mark.parametrize(
    ("points", "is_taken"), [("1000000", True), ("-1000000", True), ("1000000.001", False), ("-1000000.001", False)]
)
def test_points_have_the_same_maximum_everywhere(
    client: Client, with_chips: Session, door: Callable[[Client, League, str], bool], points: str, is_taken: bool
) -> None:
    assert door(client, with_chips.league, points) is is_taken
