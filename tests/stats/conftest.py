from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import time_machine


@pytest.fixture
def _november() -> Iterator[None]:
    with time_machine.travel(datetime(2025, 11, 21, 13, tzinfo=UTC), tick=False):
        yield
