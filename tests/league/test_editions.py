from contextlib import nullcontext
from typing import Any

import pytest
from django.db import connection, transaction

from league.models import Edition, League
from league.models.editions import DERIVED, MARKS, TOGETHER, gather_editions, raise_edition, raise_every_edition
from league.selectors.addresses import league_at
from tests.conftest import needs_postgresql
from tests.league.factories import make_league
from tests.raised import edition_of, watching

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_league_at_reads_the_current_edition() -> None:
    league = make_league()
    assert Edition.objects.filter(league=league).exists()
    found = league_at(league.slug)
    assert found is not None
    assert found.edition == edition_of(league)
    raise_edition(league.pk)
    again = league_at(league.slug)
    assert again is not None
    assert again.edition != found.edition


def test_league_at_reads_the_same_values_as_the_orm() -> None:
    made = make_league()
    read, found = league_at(made.slug), League.objects.select_related("current_version__ruleset").get(pk=made.pk)
    assert read is not None
    fields = [field.attname for field in League._meta.concrete_fields]
    assert [getattr(read, name) for name in fields] == [getattr(found, name) for name in fields]
    assert read.current_version is not None
    assert found.current_version is not None
    assert read.current_version.parameters == found.current_version.parameters
    assert str(read.current_version) == str(found.current_version)
    assert make_league("bare", card=None).current_version is None
    bare = league_at("bare")
    assert bare is not None
    assert bare.current_version is None


def test_gathering_rows_keeps_the_edition() -> None:
    league, other = make_league(), make_league("other", card=None)
    Edition.objects.bulk_create(Edition(league=league, scope=DERIVED, mark=MARKS - 1) for _ in range(TOGETHER))
    before, of_other = edition_of(league), edition_of(other)
    gather_editions()
    assert Edition.objects.filter(league=league).count() == 1
    assert (edition_of(league), edition_of(other)) == (before, of_other)
    gather_editions()
    assert edition_of(league) == before


def test_restored_backups_get_new_editions() -> None:
    leagues = [make_league(), make_league("other", card=None)]
    kept = [list(Edition.objects.filter(league=league)) for league in leagues]
    seen: set[str] = set()
    for _ in range(3):
        raise_every_edition()
        seen.update(edition_of(league) for league in leagues)
        Edition.objects.all().delete()
        Edition.objects.bulk_create(row for rows in kept for row in rows)
    assert len(seen) == 6


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_concurrent_writers_of_a_league_do_not_block_each_other() -> None:
    league = make_league(card=None, players=1)
    first, second = (connection.copy() for _ in range(2))
    editions = [edition_of(league)]
    try:
        for writer in (first, second):
            writer.ensure_connection()
            with writer.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")
        first.set_autocommit(False)
        _raise(first, league, 5)
        editions.append(edition_of(league))
        _raise(second, league, 6)
        editions.append(edition_of(league))
        first.commit()
        editions.append(edition_of(league))
    finally:
        first.close()
        second.close()
    before, while_open, after_other, after_both = map(int, editions)
    assert (while_open - before, (after_other - before) % MARKS, (after_both - before) % MARKS) == (0, 6, 11)


def _raise(writer: Any, league: League, mark: int) -> None:
    with writer.cursor() as cursor:
        cursor.execute("INSERT INTO league_edition (league_id, scope, mark) VALUES (%s, 0, %s)", [league.pk, mark])


@pytest.mark.parametrize("raises", [True, False])
def test_service_that_raises_no_edition_fails_the_test(raises: bool) -> None:
    league = make_league()
    made_up: dict[str, Any] = {"__name__": "league.services.made_up", "League": League, "raise_edition": raise_edition}
    rising = "raise_edition(pk)" if raises else "pass"
    exec(f"def change(pk):\n    League.objects.filter(pk=pk).update(name='x')\n    {rising}", made_up)
    found = nullcontext() if raises else pytest.raises(AssertionError, match=r"made_up\.change: league_league")
    with transaction.atomic():
        with found, watching():
            made_up["change"](league.pk)
        # Rolled-back changes do not count.
        transaction.set_rollback(True)
