import logging
from collections.abc import Iterator

import pytest

from tests.conftest import Once
from tests.permissions.world import World


@pytest.fixture(scope="module")
def world(once: Once) -> Iterator[World]:
    with once(lambda: World("fuzz", is_public=False)) as built:
        yield built


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)
