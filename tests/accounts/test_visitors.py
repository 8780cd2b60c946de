"""Signing in costs those nothing who only read."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.league.factories import make_league, make_session, play, settle

pytestmark = pytest.mark.django_db

OURS = "allauth.account.middleware.AccountMiddleware"


def read(address: str) -> tuple[Any, ...]:
    """Return what a visitor's first and second look at a page cost, and what they take home."""
    visitor = Client()
    with CaptureQueriesContext(connection) as asked:
        first = visitor.get(address)
        tag = {"If-None-Match": first.headers.get("ETag", "-")}
        second = visitor.get(address, headers=tag)
    return first.status_code, second.status_code, len(asked), {*first.cookies, *second.cookies}, first["Cache-Control"]


@pytest.mark.parametrize("address", ["/", "/l/cinderella/", "/l/cinderella/players/", "/l/cinderella/sessions/"])
def test_a_visitor_s_pages_are_kept_as_before_without_a_cookie_or_a_question_more(address: str, settings: Any) -> None:
    play(make_session(make_league()))
    settle()
    read(address)
    with_it = read(address)
    settings.MIDDLEWARE = [each for each in settings.MIDDLEWARE if each != OURS]
    assert with_it == read(address)
    assert with_it[3] == set()
