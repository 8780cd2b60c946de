import os
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, models, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.messages import moment_text
from league.models import League, Revision
from league.services import ending
from league.services.ending import WAIT, ask_to_end, end_league, league_path, parent_of, rows_of_leagues, sweep_endings
from league.services.history import SYSTEM
from league.services.roles import grant_role
from tests.conftest import built_once, needs_postgresql
from tests.league.factories import logged_in, make_league, make_session, make_user, play, run
from tests.league.made_rows import make_row

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OF_THE_SITE = {"league_attempts", "league_backup", "league_sentform", "league_signoflife"}
ROLE = f"ending_{os.getpid()}"
"""Roles belong to the whole server, which other tests may use in parallel."""

OWN_APPS = {"league", "tournaments", "stats", "accounts"}


@built_once(DEMO=True)
def demo() -> None:
    run("load_demo")
    for model in reversed(rows_of_leagues()):
        if not model._base_manager.exists():
            make_row(model, of_cinderella)


def of_cinderella(model: type[models.Model]) -> models.Model | None:
    if model not in rows_of_leagues():
        return model._base_manager.first()
    return model._base_manager.filter(pk__in=rows(League.objects.get(slug="cinderella"))[model._meta.db_table]).first()


def let_time_pass(league: League) -> None:
    League.objects.filter(pk=league.pk).update(ends_at=timezone.now() - timedelta(days=1))


def filled_tables() -> set[str]:
    names = [name for name in connection.introspection.table_names() if name.split("_")[0] in OWN_APPS]
    with connection.cursor() as cursor:
        return {name for name in names if cursor.execute(f"SELECT 1 FROM {name} LIMIT 1") and cursor.fetchone()}


def rows(league: League) -> dict[str, set[int]]:
    found = {}
    for model in rows_of_leagues():
        rows = model._base_manager.filter(**{league_path(model): league.pk})
        found[model._meta.db_table] = {*rows.values_list("pk", flat=True)}
    return found


def test_demo_fills_every_table_of_a_league(demo: None) -> None:
    assert {model._meta.db_table for model in rows_of_leagues()} <= filled_tables()


@pytest.mark.long
def test_deleting_all_leagues_empties_every_table(demo: None) -> None:
    with transaction.atomic():
        for league in League.objects.all():
            let_time_pass(league)
            assert end_league(league.pk)
        assert filled_tables() - OF_THE_SITE == set()
        connection.check_constraints()
        transaction.set_rollback(True)


@pytest.mark.long
def test_deleting_a_league_keeps_every_row_of_another(demo: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "TOGETHER", 37)
    first, other = League.objects.order_by("pk")[:2]
    with transaction.atomic():
        before, kept = rows(first), rows(other)
        let_time_pass(first)
        assert end_league(first.pk)
        assert rows(other) == kept
        gone = {model._meta.db_table: model for model in rows_of_leagues()}
        for table, keys in before.items():
            assert not gone[table]._base_manager.filter(pk__in=list(keys)[:500]).exists(), table
        connection.check_constraints()
        transaction.set_rollback(True)


@pytest.mark.long
def test_interrupted_deletion_is_resumed(demo: None, monkeypatch: pytest.MonkeyPatch) -> None:
    league = League.objects.order_by("pk")[0]
    monkeypatch.setattr(ending, "TOGETHER", 200)
    with transaction.atomic():
        let_time_pass(league)
        monkeypatch.setattr(ending, "A_TURN", timedelta(0))
        turns = 0
        while not end_league(league.pk):
            turns += 1
            assert turns < 2000
        assert turns > 3
        assert not League.objects.filter(pk=league.pk).exists()
        transaction.set_rollback(True)


def test_league_is_not_deleted_before_its_time(demo: None) -> None:
    league = League.objects.order_by("pk")[0]
    ask_to_end(league=league, by=SYSTEM)
    before = rows(league)
    assert not end_league(league.pk)
    assert rows(league) == before
    with pytest.raises(DatabaseError), transaction.atomic():
        Revision.objects.filter(pk=min(before["league_revision"])).delete()


@needs_postgresql
def test_restricted_database_role_deletes_only_leagues_that_are_due(demo: None) -> None:
    due, other = League.objects.order_by("pk")[:2]
    with transaction.atomic(), connection.cursor() as cursor:
        let_time_pass(due)
        grant_role(ROLE)
        connection.check_constraints()
        cursor.execute(f"SET ROLE {ROLE}")
        with pytest.raises(DatabaseError), transaction.atomic():
            cursor.execute(f"DELETE FROM league_revision WHERE league_id = {other.pk}")
        assert end_league(due.pk)
        cursor.execute("RESET ROLE")
        transaction.set_rollback(True)


def test_every_table_that_references_a_league_is_deleted_from() -> None:
    ours = [model for model in apps.get_models() if model._meta.app_label in OWN_APPS]
    reaching = {model for model in ours if model is League or parent_of(model) is not None}
    assert reaching == set(rows_of_leagues())
    leading = {model for model in ours if any(map(is_checked, model._meta.concrete_fields))}
    assert leading - reaching == set(), "these would keep a league from being deleted"


def test_foreign_keys_to_deleted_rows_are_indexed() -> None:
    # Without an index, each deleted row costs a scan of a whole table with the rows of all leagues.
    keys = (key for model in apps.get_models() for key in model._meta.concrete_fields if is_checked(key))
    assert {str(key) for key in keys if not (key.unique or vars(key)["db_index"] or has_index(key))} == set()


def is_checked(field: models.Field[object, object]) -> bool:
    if not isinstance(field, models.ForeignKey) or field.related_model not in rows_of_leagues():
        return False
    return bool(vars(field)["db_constraint"])


def has_index(key: models.Field[object, object]) -> bool:
    """Return whether an index or constraint starts with the foreign key; a partial index on non-null keys will do."""
    first = [*key.model._meta.indexes, *key.model._meta.constraints]
    wholly = (None, models.Q(**{f"{key.name}__isnull": False}))
    return any(
        getattr(each, "fields", ())[:1] == (key.name,) or getattr(each, "fields", [])[:1] == [key.name]
        for each in first
        if getattr(each, "condition", None) in wholly
    )


@pytest.fixture
def league() -> League:
    league = make_league("friday", name="金曜会")
    play(make_session(league))
    return league


@pytest.fixture
def owner(league: League) -> User:
    return make_user("shiroyama", league=league, role="owner")


def address(name: str) -> str:
    return reverse(f"league:{name}", args=["friday"])


def test_owner_exports_and_deletes_a_league_and_another_stops_it(client: Client, league: League, owner: User) -> None:
    client.force_login(owner)
    page = client.get(address("end")).content.decode()
    export = reverse("tournaments:export", args=["friday"])
    assert export in page
    assert client.post(address("end"), {"name": "金曜会"}).status_code == 200
    assert League.objects.get(pk=league.pk).ends_at is None
    b"".join(client.get(export))
    assert client.post(address("end"), {"name": "木曜会"}).status_code == 200
    assert client.post(address("end"), {"name": "金曜会"}).status_code == 302
    stored = League.objects.get(pk=league.pk)
    assert stored.ends_at is not None
    assert timedelta() <= timezone.now() + WAIT - stored.ends_at < timedelta(minutes=5)
    assert f"{timezone.localtime(stored.ends_at):%Y/%m/%d}" in Client().get(address("league_home")).content.decode()
    assert moment_text(stored.ends_at) in client.get(address("history")).content.decode()
    assert client.post(address("session_new"), {"date": "2026-01-01"}).status_code == 403
    assert logged_in(league, "owner", "kuroda").post(address("end"), {"keep": "1"}).status_code == 302
    assert League.objects.get(pk=league.pk).is_active
    told = [each.after for each in Revision.objects.filter(league=league, subject="league").order_by("-pk")[:2]]
    assert [bool(each and each["ends_at"]) for each in told] == [False, True]


def test_league_can_be_deleted_without_exporting_it(client: Client, league: League, owner: User) -> None:
    client.force_login(owner)
    assert client.post(address("end"), {"name": "金曜会", "without_file": "on"}).status_code == 302
    assert client.post(address("end"), {"name": "金曜会", "without_file": "on"}).status_code == 302
    assert Revision.objects.filter(league=league, subject="league", after__has_key="ends_at").count() == 1


def test_deleted_league_cannot_be_read_or_restored(client: Client, league: League, owner: User) -> None:
    let_time_pass(league)
    client.force_login(owner)
    for person in (client, Client()):
        assert person.get(address("league_home")).status_code in {302, 404}
    assert client.post(address("end"), {"keep": "1"}).status_code == 404
    assert "friday" not in Client().get("/").content.decode()


def test_sweep_deletes_due_leagues_and_frees_their_addresses(league: League) -> None:
    other = make_league("monday")
    let_time_pass(league)
    sweep_endings()
    end_league(league.pk)
    assert not League.objects.filter(slug="friday").exists()
    assert League.objects.filter(pk=other.pk).exists()
    assert make_league("friday").pk != league.pk
