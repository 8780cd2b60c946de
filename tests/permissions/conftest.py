from collections.abc import Iterator

import pytest

from tests.conftest import Once
from tests.permissions.world import World


@pytest.fixture(scope="module")
def worlds(once: Once) -> Iterator[dict[str, World]]:
    with once(lambda: {slug: World(slug, is_public=slug == "public") for slug in ("public", "private")}) as built:
        yield built
