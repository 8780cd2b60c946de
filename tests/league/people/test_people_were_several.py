"""Who was several players of a league before the database refused it is one of them afterwards."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from league.models import Player
from tests.conftest import needs_postgresql
from tests.league.factories import make_league, make_players, make_user

pytestmark = [pytest.mark.django_db, needs_postgresql]


def test_the_first_that_is_part_of_no_other_is_kept() -> None:
    user, other = make_user("tanaka"), make_user("suzuki")
    merged, first, second, third = make_players(make_league(), 4)
    elsewhere = make_players(make_league("other"), 1)[0]
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX player_user_once")
    Player.objects.filter(pk__in=[merged.pk, first.pk, second.pk, elsewhere.pk]).update(user=user)
    Player.objects.filter(pk=merged.pk).update(merged_into=third)
    Player.objects.filter(pk=third.pk).update(user=other)
    with connection.schema_editor() as editor:
        import_module("league.migrations.0029_one_person_one_player").keep_the_first(apps, editor)
    kept = {player.pk: player.user for player in Player.objects.select_related("user").exclude(user=None)}
    assert kept == {first.pk: user, third.pk: other, elsewhere.pk: user}
