import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction

from league.models import Confirmation, Hanchan, League, Revision, Seat, Session
from league.services.boards import refresh_league
from league.services.calendar import change_settings, set_strict_entry
from league.services.confirming import NewStatement, StatementOutcome, say, settle
from league.services.history import SYSTEM, Actor
from league.services.rescoring import rescore
from league.services.results import (
    ChangedMeanwhileError,
    ResultError,
    TableAndTime,
    correct_hanchan,
    result_of,
    void_hanchan,
)
from tests.deadlines import wait_until
from tests.league.factories import make_league, make_session, next_version, play
from tests.league.races import PATIENCE, at_once, somebody_waits_for_a_lock

pytestmark = pytest.mark.django_db(transaction=True)

AGREES, DISPUTES = Confirmation.Verdict.AGREES, Confirmation.Verdict.DISPUTES


def tapping(hanchan: Hanchan, seat: int, verdict: Confirmation.Verdict = AGREES) -> Callable[[], StatementOutcome]:
    """Return a function that confirms as one player, on their own phone, for the recorded revision."""
    player = hanchan.seats.select_related("player").get(seat=seat).player
    by = Actor(None, "table link", device=f"own-{seat}")
    return lambda: say(hanchan=hanchan, statement=NewStatement(verdict, 1, player), by=by)


def correcting(hanchan: Hanchan) -> Callable[[], Hanchan]:
    result = result_of(hanchan)
    return lambda: correct_hanchan(
        hanchan=hanchan, seen_version=1, result=result, table_and_time=TableAndTime(), by=SYSTEM, reason="a slip"
    )


def state(hanchan: Hanchan) -> str:
    return Hanchan.objects.get(pk=hanchan.pk).state


def copies_are_right() -> bool:
    counted = set(Hanchan.objects.counted().values_list("pk", flat=True))
    return all(seat.counted is (seat.hanchan_id in counted) for seat in Seat.objects.all())


@pytest.mark.parametrize("attempt", range(3))
def test_concurrent_taps_of_all_players_confirm_once(attempt: int) -> None:
    hanchan = play(make_session(make_league(confirmed_by="all")))
    seats = random.Random(attempt).sample([0, 1, 2, 3] * 2, 8)
    outcomes = at_once(*(tapping(hanchan, seat) for seat in seats))
    assert all(isinstance(each, StatementOutcome) for each in outcomes), outcomes
    assert state(hanchan) == "confirmed"
    assert hanchan.confirmations.count() == 4
    told = Revision.objects.filter(subject="hanchan", action="confirmed")
    assert told.count() == 1


@pytest.mark.parametrize("attempt", range(4))
def test_concurrent_tap_does_not_confirm_a_correction(attempt: int) -> None:
    del attempt
    hanchan = play(make_session(make_league(confirmed_by="one")))
    said, again = at_once(tapping(hanchan, 1), correcting(hanchan))
    assert isinstance(said, StatementOutcome), said
    assert isinstance(again, Hanchan), again
    # Whichever came first, the new facts are not confirmed by old responses.
    assert (state(hanchan), Hanchan.objects.get(pk=hanchan.pk).version) == ("recorded", 2)
    assert hanchan.confirmations.count() == 1


@pytest.mark.parametrize("attempt", range(4))
def test_concurrent_dispute_and_void_end_voided(attempt: int) -> None:
    del attempt
    hanchan = play(make_session(make_league(disputed_count=False)))
    said, undone = at_once(
        tapping(hanchan, 3, DISPUTES), lambda: void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo")
    )
    assert isinstance(said, StatementOutcome), said
    assert isinstance(undone, Hanchan), undone
    assert state(hanchan) == "voided"
    assert hanchan.confirmations.count() == 1
    assert copies_are_right()


@pytest.mark.parametrize("attempt", range(4))
def test_concurrent_correction_and_void_let_one_win(attempt: int) -> None:
    del attempt
    hanchan = play(make_session(make_league()))
    again, undone = at_once(
        correcting(hanchan),
        lambda: void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo", seen_version=1),
    )
    # The first wins; the other gets a message.
    assert {type(again), type(undone)} == {Hanchan, ChangedMeanwhileError}
    assert (state(hanchan) == "voided") is isinstance(undone, Hanchan)


@pytest.mark.parametrize("attempt", range(6))
def test_concurrent_dispute_and_setting_keep_counts_consistent(attempt: int) -> None:
    league = make_league(disputed_count=bool(attempt % 2))
    hanchan, other = (play(make_session(league)) for _ in range(2))
    tapping(other, 2, DISPUTES)()
    setting = {"disputed_count": not attempt % 2}
    outcomes = at_once(
        tapping(hanchan, 3, DISPUTES),
        lambda: change_settings(league=League.objects.get(pk=league.pk), settings=setting, by=SYSTEM),
        tapping(other, 2),
    )
    assert not [each for each in outcomes if isinstance(each, Exception)], outcomes
    assert (state(hanchan), state(other)) == ("disputed", "recorded")
    assert copies_are_right()
    refresh_league(league.pk)


@pytest.mark.parametrize("attempt", range(3))
def test_concurrent_settling_is_recorded_once(attempt: int) -> None:
    del attempt
    hanchan = play(make_session(make_league()))
    tapping(hanchan, 3, DISPUTES)()
    outcomes = at_once(*(lambda: settle(hanchan=hanchan, reason="looked", by=SYSTEM) for _ in range(3)))
    assert not [each for each in outcomes if isinstance(each, ResultError)], outcomes
    assert state(hanchan) == "confirmed"
    assert Revision.objects.filter(action="settled").count() == 1


def done_meanwhile(first: Callable[[], object], second: Callable[[], object]) -> Any:
    """Start `second` before `first` commits, so that it waits for it; return its result."""

    def apart() -> object:
        try:
            return second()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            first()
            waiting = other.submit(apart)
            assert wait_until(somebody_waits_for_a_lock)
        return waiting.result(PATIENCE)


def test_confirmation_during_rescoring_is_kept() -> None:
    hanchan = play(make_session(make_league(confirmed_by="one")))
    version = next_version(hanchan.league, uma=[20, 10, -10, -20])
    said = done_meanwhile(
        lambda: rescore(hanchan.league, version.pk, SYSTEM, lambda progress: None), tapping(hanchan, 1)
    )
    assert said.hanchan.ruleset_version == version
    assert hanchan.confirmations.count() == 1


def test_setting_changed_while_rules_are_replaced_keeps_both() -> None:
    session = make_session(make_league())
    version = next_version(session.league, uma=[20, 10, -10, -20])
    replacing = Session.objects.filter(pk=session.pk)
    changed = done_meanwhile(
        lambda: replacing.update(ruleset_version=version),
        lambda: set_strict_entry(session=session, strict=True, by=SYSTEM),
    )
    assert (changed.ruleset_version, changed.strict_entry) == (version, True)
