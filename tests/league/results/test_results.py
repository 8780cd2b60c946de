import uuid
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import DatabaseError, transaction

from league.models import Adjustment, Hanchan, Incident, Revision, Seat, Session, StalePeriod, Standing
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import merge_players, separate_players
from league.services.results import (
    ChangedMeanwhileError,
    HanchanResult,
    RecordedHanchan,
    ResultError,
    SameResultError,
    TableAndTime,
    correct_hanchan,
    default_moment,
    record_hanchan,
    restore_hanchan,
    result_of,
    void_hanchan,
)
from scoring.core import FinishedGame
from tests.conftest import needs_postgresql
from tests.league.factories import DAY, RAW, make_league, make_players, make_session, play, settle
from tests.league.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MOMENT = datetime(2025, 11, 21, 11, 10, tzinfo=UTC)
OTHER_RAW = (50000, 30000, 15000, 5000)


@pytest.fixture
def session() -> Session:
    return make_session(make_league())


def enter(session: Session, raw: tuple[int, ...] = RAW, **table_and_time: object) -> RecordedHanchan:
    players = tuple(session.league.players.order_by("pk")[:4]) or tuple(make_players(session.league))
    where = TableAndTime(**{"played_at": MOMENT} | table_and_time)  # type: ignore[arg-type]
    return record_hanchan(
        session=session, result=HanchanResult(players, FinishedGame(raw)), table_and_time=where, by=SYSTEM
    )


def correct(hanchan: Hanchan, raw: tuple[int, ...], **changes: object) -> Hanchan:
    facts = {"seen_version": hanchan.version, "reason": "misread", "table_and_time": TableAndTime()} | changes
    result = HanchanResult(result_of(hanchan).players, FinishedGame(raw))
    return correct_hanchan(hanchan=hanchan, result=result, by=SYSTEM, **facts)  # type: ignore[arg-type]


def stale() -> set[str]:
    return set(StalePeriod.objects.values_list("period", flat=True))


def test_same_players_and_scores_within_twelve_hours_need_confirmation(session: Session) -> None:
    first = enter(session).hanchan
    with pytest.raises(SameResultError) as refused:
        enter(session, played_at=MOMENT + timedelta(hours=1))
    assert refused.value.existing == first
    enter(session, OTHER_RAW)
    enter(session, played_at=MOMENT + timedelta(hours=13))
    void_hanchan(hanchan=first, by=SYSTEM, reason="twice")
    enter(session, played_at=MOMENT + timedelta(hours=-1))
    assert Hanchan.objects.count() == 4


def test_invalid_players_are_refused(session: Session) -> None:
    first, *others = make_players(session.league)
    stranger = make_players(make_league("other"))[0]
    for people, code in (((first, first, *others[:2]), "player_twice"), ((stranger, *others), "not_in_league")):
        with pytest.raises(ResultError, match=code):
            play(session, RAW, people)
    fifth = make_players(session.league, 1)[0]
    merge_players(source=fifth, target=first, by=SYSTEM, reason="one person")
    fifth.refresh_from_db()
    with pytest.raises(ResultError, match="not_in_league"):
        play(session, RAW, (fifth, *others))


@pytest.mark.parametrize(
    ("now", "expected"), [((21, 12, 0), (21, 12, 0)), ((21, 16, 30), (21, 16, 30)), ((25, 12, 0), (21, 10, 0))]
)
def test_result_without_a_time_gets_now_or_the_session_start(
    session: Session, now: tuple[int, int, int], expected: tuple[int, int, int]
) -> None:
    """Moments are day of November 2025, hour and minute in UTC; the session is on the evening of the 21st in Tokyo."""
    assert default_moment(session, datetime(2025, 11, *now, tzinfo=UTC)) == datetime(2025, 11, *expected, tzinfo=UTC)


def test_correcting_the_day_marks_both_months_stale(session: Session) -> None:
    hanchan = enter(session).hanchan
    StalePeriod.objects.all().delete()
    corrected = correct(hanchan, RAW, table_and_time=TableAndTime(played_at=datetime(2026, 1, 3, 11, 0, tzinfo=UTC)))
    assert corrected.day == date(2026, 1, 3)
    assert set(corrected.seats.values_list("day", flat=True)) == {date(2026, 1, 3)}
    assert stale() == {"2025-11", "2025", "2026-01", "2026", "all"}


def test_correction_needs_a_reason_and_the_current_version(session: Session) -> None:
    hanchan = enter(session).hanchan
    with pytest.raises(ResultError, match="reason_missing"):
        correct(hanchan, OTHER_RAW, reason="  ")
    correct(hanchan, OTHER_RAW)
    with pytest.raises(ChangedMeanwhileError) as refused:
        correct(hanchan, RAW)
    assert refused.value.current.version == 2


def test_merge_can_be_undone_after_a_correction(session: Session) -> None:
    hanchan = enter(session).hanchan
    first = result_of(hanchan).players[0]
    namesake = make_players(session.league, 1)[0]
    merge_players(source=first, target=namesake, by=SYSTEM, reason="one person")
    correct(Hanchan.objects.get(pk=hanchan.pk), OTHER_RAW)
    first.refresh_from_db()
    separate_players(source=first, by=SYSTEM, reason="two people")
    assert list(first.seats.values_list("raw_score", flat=True)) == [50000]


def test_voided_hanchan_is_not_counted_until_restored(session: Session) -> None:
    hanchan = enter(session).hanchan
    settle()
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")
    settle()
    assert not Standing.objects.exists()
    restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="no mistake")
    settle()
    assert Standing.objects.filter(period="2025-11").count() == 4
    history = Revision.objects.filter(subject="hanchan").order_by("pk").values_list("action", "reason")
    assert list(history) == [("recorded", ""), ("voided", "mistake"), ("restored", "no mistake")]


def test_voiding_needs_a_reason_and_the_current_version_and_can_be_repeated(session: Session) -> None:
    hanchan = enter(session).hanchan
    correct(hanchan, OTHER_RAW)
    with pytest.raises(ResultError, match="reason_missing"):
        void_hanchan(hanchan=hanchan, by=SYSTEM, reason="")
    with pytest.raises(ChangedMeanwhileError):
        void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo", seen_version=1)
    assert not Hanchan.objects.get().is_voided
    assert void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo", seen_version=2).is_voided
    assert void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo", seen_version=1).version == 3
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

    def phone() -> RecordedHanchan:
        result, table_and_time = HanchanResult(players, FinishedGame(RAW)), TableAndTime(client_key=uuid.uuid4())
        return record_hanchan(session=session, result=result, table_and_time=table_and_time, by=SYSTEM)

    found = at_once(*[phone] * 8)
    assert sum(isinstance(each, SameResultError) for each in found) == 7
    assert Hanchan.objects.count() == 1
