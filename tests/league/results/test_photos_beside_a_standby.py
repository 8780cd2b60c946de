"""Which pictures of the store are in use is asked of databases that can be written, not of a standby."""

from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, connections

from league.core.photo_keys import key_of
from league.services.photo_moves import keys_in_use

pytestmark = pytest.mark.django_db


def test_a_standby_keeps_no_picture_and_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    here: dict[str, Any] = connections.settings[DEFAULT_DB_ALIAS]
    standby = here | {"TEST": here["TEST"] | {"MIRROR": DEFAULT_DB_ALIAS}}
    monkeypatch.setitem(connections.settings, "replica", standby)
    assert keys_in_use([key_of(1, 64 * "a")]) == set()
