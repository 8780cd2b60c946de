import pytest
from django.db import connection, models

from league.models import Hanchan, Revision, Seat
from tests.conftest import needs_postgresql

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def indexes_of(model: type[models.Model]) -> dict[str, list[str]]:
    partial = {index.name for index in model._meta.indexes if index.condition is not None}
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, model._meta.db_table)
    return {
        name: facts["columns"]
        for name, facts in found.items()
        if (facts["index"] or facts["unique"] or facts["primary_key"]) and name not in partial
    }


@pytest.mark.parametrize("model", [Hanchan, Seat, Revision], ids=["hanchan", "seat", "revision"])
def test_no_index_is_a_prefix_of_another(model: type[models.Model]) -> None:
    indexes = indexes_of(model)
    short = [
        name
        for name, columns in indexes.items()
        if any(len(other) > len(columns) and other[: len(columns)] == columns for other in indexes.values())
    ]
    assert short == []


@pytest.mark.parametrize(
    ("model", "begins"),
    [
        pytest.param(Seat, ["hanchan_id"], id="the seats of a hanchan"),
        pytest.param(Seat, ["player_id", "played_at"], id="the hanchan of a player, newest first"),
        pytest.param(Seat, ["league_id"], id="the seats of a league that is deleted"),
        pytest.param(Hanchan, ["session_id", "table", "round"], id="the next round at a table"),
        pytest.param(Hanchan, ["league_id", "day"], id="the hanchan of a period"),
        pytest.param(Hanchan, ["client_key"], id="what was sent before"),
        pytest.param(Revision, ["league_id"], id="the history of a league that is deleted"),
        pytest.param(Revision, ["league_id", "id"], id="the newest change of a league"),
        pytest.param(Revision, ["league_id", "subject", "subject_id"], id="the history of a hanchan"),
    ],
)
def test_frequent_queries_use_an_index(model: type[models.Model], begins: list[str]) -> None:
    assert any(columns[: len(begins)] == begins for columns in indexes_of(model).values())


def test_rescored_columns_of_seats_are_in_no_index() -> None:
    # PostgreSQL then updates them in place (HOT), without touching any index.
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, Seat._meta.db_table)
    indexed = {column for facts in constraints.values() if not facts["check"] for column in facts["columns"]}
    conditions = " ".join(str(index.condition) for index in Seat._meta.indexes)
    assert [name for name in ("points", "base", "settlement") if name in indexed or name in conditions] == []


@needs_postgresql
@pytest.mark.parametrize("column", ["recorded_by", "recorded_through"])
def test_author_lookup_uses_a_partial_index(column: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        assert f"hanchan_{column}" in Hanchan.objects.filter(**{column: 1}).order_by().explain()
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'league_hanchan'")
        of_column = [definition for (definition,) in cursor.fetchall() if f"({column}_id)" in definition]
    assert all(f"WHERE ({column}_id IS NOT NULL)" in definition for definition in of_column), of_column
