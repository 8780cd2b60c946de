from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone


@pytest.fixture
def time_machine_at() -> Iterator[Callable[[int], None]]:
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield lambda seconds: traveller.shift(timedelta(seconds=seconds))
