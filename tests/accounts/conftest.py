"""Hosts of several kinds."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone


@pytest.fixture
def mail(settings: Any) -> None:
    """A host that has mail."""
    settings.EMAIL_HOST = "mail.example.org"


@pytest.fixture
def open_site(settings: Any) -> None:
    """A host that lets everybody make an account."""
    settings.SIGNUP = True


@pytest.fixture
def time_machine_at() -> Iterator[Callable[[int], None]]:
    """Return a function that lets so many seconds pass."""
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield lambda seconds: traveller.shift(timedelta(seconds=seconds))
