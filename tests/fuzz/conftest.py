import logging
from collections.abc import Iterator

import pytest

from tests.conftest import built_once
from tests.permissions.world import World


@built_once()
def world() -> World:
    return World("fuzz", is_public=False)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)
