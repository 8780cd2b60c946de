"""Leaving a server alone that does not answer."""

import logging
import threading

import pytest

from config.breaker import Breaker
from tests.conftest import wait_until

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
    for number in range(1, 10):
        breaker.note(SAID, keeps_waiting=True)
        assert wait_until(lambda: not breaker.is_open and len(pauses) == number)  # noqa: B023
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
