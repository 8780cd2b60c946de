"""Names stand in one order on every site: PostgreSQL sorts as the embedded database does, by code point."""

import pytest

from tests.postgresql import INITDB
from tests.production.compose import SERVICES


@pytest.mark.long
def test_the_database_of_compose_is_made_like_that_of_the_tests() -> None:
    said = SERVICES["database"]["environment"]["POSTGRES_INITDB_ARGS"].split()
    assert "--no-locale" in said
    assert "--no-locale" in INITDB
