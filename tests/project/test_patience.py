"""How long the database may take, and for whom."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from celery import shared_task
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from config.patience import PatienceMiddleware, having, of_a_request, of_work, present_patience
from tests.conftest import needs_postgresql

LIMITS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")


@needs_postgresql
@pytest.mark.django_db
@pytest.mark.parametrize("hurry", [None, 1.5], ids=["by a page", "by somebody in a hurry"])
@pytest.mark.parametrize("is_pooled", [False, True], ids=["directly", "through a pooler"])
def test_the_database_is_told_how_long_a_page_waits(settings: Any, *, is_pooled: bool, hurry: float | None) -> None:
    settings.DATABASE_TIMEOUT, settings.DATABASE_LOCK_TIMEOUT, settings.DATABASE_IDLE_TIMEOUT = 3, 2, 60
    own = connection.copy()
    own.settings_dict = {**own.settings_dict, "DISABLE_SERVER_SIDE_CURSORS": is_pooled}
    # The connection stays when whoever made it is gone.
    with having(replace(of_a_request(), hurry=hurry)), own.cursor() as cursor:
        told = [cursor.execute(f"SHOW {name}").fetchone()[0] for name in LIMITS]
    own.close()
    # A pooler refuses a connection that brings settings along.
    assert told == (["0", "0", "0"] if is_pooled else ["3s", "2s", "1min"])


def test_a_page_has_little_time_to_the_last_part_of_it() -> None:
    seen = []

    def parts() -> Iterator[str]:
        for part in "ab":
            seen.append(present_patience())
            yield part

    def view(_request: HttpRequest) -> HttpResponseBase:
        seen.append(present_patience())
        return StreamingHttpResponse(parts())

    answer = PatienceMiddleware(view)(HttpRequest())
    assert isinstance(answer, StreamingHttpResponse)
    assert answer.getvalue() == b"ab"
    assert seen == [of_a_request()] * 3
    assert present_patience() is None


def test_work_in_the_background_has_more_time() -> None:
    seen = []

    @shared_task(name="tests.patience")  # type: ignore[untyped-decorator]
    def look() -> None:
        seen.append(present_patience())

    look.apply()
    assert seen == [of_work()]
    assert present_patience() is None
    assert of_work().statement > of_a_request().silence


def test_somebody_who_has_time_keeps_it() -> None:
    assert present_patience() is None
    assert PatienceMiddleware(lambda _request: HttpResponse("done"))(HttpRequest()).status_code == 200
    assert present_patience() is None
