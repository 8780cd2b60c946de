import contextlib
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError
from django.db import transaction

from league.models import Hanchan, Session
from league.selectors.demo_accounts import demo_accounts
from tests.league.factories import make_league, make_user, run
from tournaments.models import Tick

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 21)


@pytest.fixture(autouse=True)
def _demo(settings: Any) -> None:
    settings.DEMO = True


def load(**options: Any) -> str:
    return run("load_demo", **options)


@pytest.mark.long
def test_demo_is_reproducible() -> None:
    first, second = (_told_and_forgotten() for _ in range(2))
    assert len(first) > 1000
    assert first == second


class ForgottenError(Exception):
    pass


def _told_and_forgotten() -> list[tuple[object, ...]]:
    told: list[tuple[object, ...]] = []
    with contextlib.suppress(ForgottenError), transaction.atomic():
        load(today=TODAY)
        columns = ("session__number", "table", "round", "sticks_left", "seats__raw_score", "seats__player__key")
        told += Hanchan.objects.order_by("pk", "seats__seat").values_list(*columns)
        raise ForgottenError
    return told


@pytest.mark.long
@pytest.mark.parametrize("today", [date(2026, 3, 1), date(2026, 11, 6), date(2028, 2, 29)])
def test_demo_loads_on_any_day(today: date) -> None:
    load(today=today)
    tonight, ahead = Session.objects.filter(league__slug="camarade", state="open").order_by("date")
    assert tonight.date == today
    assert ahead.attendance.count() == 7
    assert min(Tick.objects.latest("number").scores) > 0
    assert Tick.objects.latest("number").hand == "S4"


def test_demo_is_refused_in_a_database_with_leagues() -> None:
    make_league("mine")
    with pytest.raises(CommandError, match="There are leagues already"):
        load()
    assert load(if_empty=True) == ""
    assert not User.objects.exists()


@pytest.mark.long
def test_demo_is_refused_in_production(settings: Any) -> None:
    settings.DEMO = settings.DEBUG = False
    with pytest.raises(CommandError, match="known passwords"):
        load()
    settings.DEMO = True
    make_user("admin")
    assert "Loaded" in load(today=TODAY)
    assert "admin" not in demo_accounts().values_list("username", flat=True)
