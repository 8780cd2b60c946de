"""The edition of a league rises with every change of anything that its pages show, whoever makes the change."""

from typing import Any

import pytest
from django.db import connection

from league.models import Edition, EditionRise, League, Player, Session
from league.models.edition_triggers import drop_triggers, make_triggers
from league.selectors.addresses import league_at
from league.selectors.editions import edition_of_all
from tests.conftest import needs_postgresql
from tests.league.editions import edition_of
from tests.league.factories import make_league, make_players

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OWN_APPS = {"league", "tournaments", "stats", "scoring"}


def number_of(league: League) -> int:
    """Return how often a league has changed."""
    return int(edition_of(league).split(".")[0])


def test_a_league_begins_with_an_edition_and_is_found_with_it() -> None:
    league = make_league()
    assert Edition.objects.filter(league=league).exists()
    found = league_at(league.slug)
    assert found is not None
    assert found.edition == edition_of(league)
    make_players(league)
    again = league_at(league.slug)
    assert again is not None
    assert again.edition != found.edition


def test_a_league_is_read_as_the_models_would_read_it() -> None:
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


def test_a_row_that_moves_to_another_league_raises_both() -> None:
    here, there = make_league("here"), make_league("there", card=None)
    player = make_players(here, 1)[0]
    before = number_of(here), number_of(there)
    Player.objects.filter(pk=player.pk).update(league=there)
    assert number_of(here) > before[0]
    assert number_of(there) > before[1]


def test_what_changes_nothing_raises_nothing() -> None:
    league = make_league()
    before = edition_of(league)
    assert Session.objects.filter(league=league).update(title="x") == 0
    assert edition_of(league) == before


@needs_postgresql
def test_changes_are_gathered_up_and_the_edition_stays() -> None:
    league, other = make_league(), make_league("other", card=None)
    for _ in range(200):
        Session.objects.filter(league=league).update(title="x")
        League.objects.filter(pk=league.pk).update(description="x")
    assert EditionRise.objects.filter(league=league).count() < 70
    before, of_other = edition_of(league), edition_of(other)
    with connection.cursor() as cursor:
        cursor.execute("SELECT league_edition_sum_up(%s)", [league.pk])
    assert not EditionRise.objects.filter(league=league).exists()
    assert (edition_of(league), edition_of(other)) == (before, of_other)


def test_triggers_that_are_as_they_should_be_are_left_alone(django_assert_max_num_queries: Any) -> None:
    make_triggers(connection)
    with django_assert_max_num_queries(6):
        make_triggers(connection)
    league = make_league()
    with connection.cursor() as cursor:
        suffix = " ON league_player" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER league_player_insert{suffix}")
        before = edition_of(league)
        Player.objects.create(league=league, key="x", name="x")
        assert edition_of(league) == before
        make_triggers(connection)
        Player.objects.create(league=league, key="y", name="y")
        assert edition_of(league) != before


def test_what_was_changed_while_there_were_no_triggers_is_another_edition() -> None:
    league = make_league()
    before, of_all = edition_of(league), edition_of_all()
    drop_triggers(connection)
    League.objects.filter(pk=league.pk).update(name="x")
    assert edition_of(league) == before
    make_triggers(connection)
    after = edition_of(league)
    assert after != before
    assert edition_of_all() != of_all
    make_triggers(connection)
    assert edition_of(league) == after


@needs_postgresql
def test_who_writes_without_a_search_path_raises_the_edition_too() -> None:
    league = make_league()
    before = edition_of(league)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('search_path', '', true)")
        cursor.execute("UPDATE public.league_league SET name = 'x' WHERE id = %s", [league.pk])
        cursor.execute("SELECT set_config('search_path', 'public', true)")
    assert edition_of(league) != before


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("emptied", ["league_standing", "league_adjustment CASCADE"])
def test_who_empties_a_table_raises_every_edition(emptied: str) -> None:
    leagues = [make_league(), make_league("other", card=None)]
    before, of_all = [edition_of(league) for league in leagues], edition_of_all()
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {emptied}")
    assert all(edition_of(league) != edition for league, edition in zip(leagues, before, strict=True))
    assert edition_of_all() != of_all


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_who_write_to_one_league_wait_for_nobody_and_both_are_seen() -> None:
    league = make_league(card=None)
    first, second = (connection.copy() for _ in range(2))
    editions = [edition_of(league)]
    try:
        for writer in (first, second):
            writer.ensure_connection()
            with writer.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")
        first.set_autocommit(False)
        for _ in range(70):
            _add_player(first, league)
        editions.append(edition_of(league))
        for _ in range(70):
            _add_player(second, league)
        editions.append(edition_of(league))
        first.commit()
        editions.append(edition_of(league))
    finally:
        first.close()
        second.close()
    before, while_open, after_other, after_both = (int(edition.split(".")[0]) for edition in editions)
    assert editions[0] == editions[1]
    assert (while_open - before, after_other - before, after_both - before) == (0, 70, 140)


def _add_player(writer: Any, league: League) -> None:
    with writer.cursor() as cursor:
        cursor.execute(
            "INSERT INTO league_player (league_id, key, name, kana, romanised, number, club, sort_key, is_guest, visibility,"
            " is_active, created_at) VALUES (%s, gen_random_uuid(), 'x', '', '', '', '', '', false, 'public', true, now())",
            [league.pk],
        )
