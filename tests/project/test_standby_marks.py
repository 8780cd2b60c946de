"""How far a standby must have got, by what the primary said and when."""

import pytest
from django.db import OperationalError

from config.standby import LATE, Marks


class Clock:
    """A clock that a test sets, and a primary that says where it stands or nothing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.stands_at, self.asked = 1_000.0, 10, 0
        monkeypatch.setattr("config.standby.time.monotonic", lambda: self.now)
        self.marks = Marks(self._says)

    def _says(self) -> int:
        self.asked += 1
        if self.stands_at < 0:
            raise OperationalError
        return self.stands_at

    def needed_after(self, seconds: float, stands_at: int) -> int | None:
        """Return what is needed so many seconds later, when the primary stands there; it is away with less than nothing."""
        self.now, self.stands_at = self.now + seconds, stands_at
        return self.marks.needed()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_nothing_is_later_than_it_may_be(clock: Clock) -> None:
    assert clock.needed_after(0, 10) == 10
    # What was said so lately is late enough, and nobody is asked.
    assert clock.needed_after(0.5, 20) == 10
    assert clock.asked == 1
    assert clock.needed_after(LATE / 2, 30) == 10
    assert clock.needed_after(LATE / 2, 40) == 30
    assert clock.needed_after(3 * LATE, 50) == 50


def test_pages_are_read_as_long_as_the_primary_is_away(clock: Clock) -> None:
    assert clock.needed_after(0, 10) == 10
    for _ in range(100):
        assert clock.needed_after(60, -1) == 10
    assert clock.needed_after(1, 70) == 70


def test_what_was_known_an_hour_ago_tells_nobody_anything_while_somebody_asks(clock: Clock) -> None:
    clock.needed_after(0, 10)
    assert clock.needed_after(5, -1) == 10
    clock.marks._asking.acquire()
    assert clock.needed_after(20, 90) == 10
    assert clock.needed_after(3_600, 90) is None


def test_whoever_never_heard_of_the_primary_knows_nothing(clock: Clock) -> None:
    assert clock.needed_after(0, -1) is None
