"""A change of any row of any table that belongs to a league raises the league's edition."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection, models
from django.test import override_settings
from django.utils import timezone

from league.models import League
from league.models.edition_triggers import NOT_SHOWN, parent_of, watched_models
from league.selectors.editions import edition_of_all
from tests.conftest import Once
from tests.league.editions import edition_of
from tests.league.factories import make_league, run
from tests.league.test_editions import number_of
from tournaments.models import Tick

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

GROWING = {"league_revision"}

OWN_APPS = {"league", "tournaments", "stats", "accounts", "scoring"}


@pytest.fixture(scope="module")
def demo(once: Once) -> Iterator[str]:
    """A site with something in nearly every table."""
    with override_settings(DEMO=True), once(lambda: run("load_demo")) as said:
        yield said


def test_every_table_of_the_league_raises_its_edition_or_says_why_not(demo: str) -> None:
    assert demo
    ours = {model._meta.label for model in apps.get_models() if model._meta.app_label in OWN_APPS}
    assert ours == {model._meta.label for model in watched_models()} | NOT_SHOWN.keys()


def a_row_of(model: type[models.Model]) -> models.Model:
    """Return a row of a table, made from its neighbours where the demonstration has none."""
    row = model._base_manager.first()
    return row if row is not None else make_row(model)


def first_of(model: Any) -> Any:
    """Return a row that another one can point at."""
    return model._base_manager.first()


NUMBERS = (models.IntegerField, models.FloatField, models.BooleanField)


def make_row(model: type[models.Model], neighbour: Callable[[Any], Any] = first_of) -> models.Model:
    """Return a new row of a table that holds whatever its columns take, and points at a `neighbour` of each table."""
    values: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey) and not field.null:
            values[field.name] = neighbour(field.related_model)
        elif isinstance(field, models.BinaryField):
            values[field.name] = b"x"
        elif isinstance(field, models.UUIDField) and not field.null:
            values[field.name] = uuid4()
        elif isinstance(field, models.JSONField) and not (field.null or field.has_default()):
            values[field.name] = []
        elif isinstance(field, models.DateField) and not (field.null or field.auto_now_add):
            is_moment = isinstance(field, models.DateTimeField)
            values[field.name] = timezone.now() if is_moment else date(2025, 11, 21)
        elif isinstance(field, NUMBERS) and not (field.null or field.has_default() or field.primary_key):
            values[field.name] = 1
    return model._base_manager.create(**values)


def league_of(row: models.Model) -> League:
    """Return the league that a row belongs to."""
    while not isinstance(row, League):
        parent = parent_of(type(row))
        assert parent is not None
        row = getattr(row, parent.name)
    return row


@pytest.mark.parametrize("model", list(watched_models()), ids=lambda model: model._meta.label)
def test_a_change_of_any_row_raises_the_edition_of_its_league_alone(demo: str, model: type[models.Model]) -> None:
    assert demo
    row = a_row_of(model)
    league, other = league_of(row), make_league("other", card=None)
    of_other, of_all, editions = edition_of(other), edition_of_all(), [number_of(league)]
    for change in (touch, remove, put_back):
        if model._meta.db_table not in GROWING or change is put_back:
            change(row)
            editions.append(number_of(league))
    if model is not League:
        assert editions == sorted({*editions}), editions
    assert len({*editions}) > 1
    assert edition_of(other) == of_other
    assert edition_of_all() != of_all


def touch(row: models.Model) -> None:
    """Write a row over with what it says."""
    _execute("UPDATE {table} SET {key} = {key} WHERE {key} = %s", row)


def remove(row: models.Model) -> None:
    """Delete a row, whatever hangs on it: nobody checks that before the end of the transaction."""
    if not isinstance(row, League):
        _execute("DELETE FROM {table} WHERE {key} = %s", row)


def put_back(row: models.Model) -> None:
    """Store a row that was deleted, or another one like a row of the history, which cannot be."""
    if row._meta.db_table in GROWING:
        row.pk = None
    if isinstance(row, Tick):
        row.client_key = uuid4()
    if not isinstance(row, League):
        row.save(force_insert=True)


def _execute(statement: str, row: models.Model) -> None:
    key = row._meta.pk
    assert key is not None
    with connection.cursor() as cursor:
        cursor.execute(statement.format(table=row._meta.db_table, key=key.column), [row.pk])
