"""Leaving a server alone that does not answer."""

import logging
import threading

import pytest
from celery import shared_task
from django.db import OperationalError

from config.breaker import Breaker
from league.background import Message, run_here
from tests.deadlines import wait_until
from tests.league.boards.test_worker import in_thread

SAID = ConnectionError("nobody\n  there")


@pytest.mark.parametrize("keeps_waiting", [True, False])
def test_a_server_is_left_alone_only_if_it_keeps_people_waiting(
    caplog: pytest.LogCaptureFixture, *, keeps_waiting: bool
) -> None:
    answers = threading.Event()
    breaker = Breaker("The server", answers.is_set)
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            breaker.note(SAID, keeps_waiting=keeps_waiting)
            assert breaker.is_open is keeps_waiting
        answers.set()
        assert wait_until(lambda: len(caplog.messages) == 2)
    assert not breaker.is_open
    assert caplog.messages == ["The server does not answer: nobody there", "The server answers again."]


def test_a_server_that_only_greets_is_asked_ever_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("config.breaker.time.sleep", pauses.append)
    breaker = Breaker("The server", lambda: True)
    for number in range(1, 7):
        breaker.note(SAID, keeps_waiting=True)
        assert wait_until(lambda: not breaker.is_open and len(pauses) == number)  # noqa: B023
    assert pauses == [0.5, 1, 2, 4, 5, 5]


def test_a_question_that_fails_in_another_way_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told = iter([ValueError("no such address"), None])

    def answers() -> bool:
        if (error := next(told)) is not None:
            raise error
        return True

    monkeypatch.setattr("config.breaker.time.sleep", lambda _seconds: None)
    breaker = Breaker("The server", answers)
    breaker.note(SAID, keeps_waiting=True)
    assert wait_until(lambda: not breaker.is_open)


def test_where_nobody_can_be_sent_to_ask_everybody_goes_on_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_thread: threading.Thread) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    breaker = Breaker("The server", lambda: True)
    with monkeypatch.context() as crowded:
        crowded.setattr(threading.Thread, "start", start)
        breaker.note(SAID, keeps_waiting=True)
        assert breaker.doubt(SAID).is_set()
    assert not breaker.is_open
    breaker.note(SAID, keeps_waiting=True)
    assert wait_until(lambda: not breaker.is_open)


def test_only_a_server_that_keeps_somebody_new_waiting_is_left_alone_after_a_doubt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for answer, at_once, is_left_alone in ((True, 0, False), (False, 60, False), (False, 0, True)):
        monkeypatch.setattr("config.breaker.AT_ONCE", at_once)
        breaker = Breaker("The server", lambda answer=answer: answer)  # type: ignore[misc]
        assert breaker.doubt(SAID).wait(30)
        assert breaker.is_open is is_left_alone


def test_background_work_without_a_database_says_so_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    @shared_task(name="tests.away", throws=(OperationalError,))  # type: ignore[untyped-decorator]
    def work() -> None:
        raise OperationalError(str(SAID))

    assert work.name == "tests.away"
    # Celery sets Django's logs up anew, which takes away whoever listens at their root.
    logger = logging.getLogger("league.background")
    logger.addHandler(caplog.handler)
    try:
        in_thread(lambda: run_here(Message("tests.away"))).join()
    finally:
        logger.removeHandler(caplog.handler)
    assert {*caplog.messages} == {f"Background task tests.away() waits for the database: {SAID}"}
    assert caplog.records[0].exc_info is None
