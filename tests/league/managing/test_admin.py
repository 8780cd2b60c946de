from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from league.models import Hanchan, Job, League, Membership, Player, Revision
from league.services.calendar import adjust
from league.services.history import SYSTEM
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle
from tests.league.managing.test_manage_page import settings_of

pytestmark = pytest.mark.django_db

MODELS = [pytest.param(model, id=model.__name__) for model in apps.get_app_config("league").get_models()]
EDITABLE = {"League", "Player", "Membership"}


@pytest.fixture
def league() -> League:
    league = make_league()
    players = make_players(league, 4)
    players[0].aliases.create(name="あおちゃん")
    play(make_session(league), players=players, yakuman=((0, "国士無双"),))
    adjust(player=players[0], day=DAY, points=1000, reason="bonus", by=SYSTEM)
    Job.objects.create(league=league, kind=Job.Kind.REBUILD)
    return league


@pytest.fixture
def support(client: Client, league: League) -> Client:
    user = make_user("root", is_staff=True, is_superuser=True)
    Membership.objects.create(league=league, user=user, role="owner")
    client.force_login(user)
    return client


def address(model: Any, name: str, *rest: object) -> str:
    return reverse(f"admin:league_{model._meta.model_name}_{name}", args=rest)


@pytest.mark.parametrize("model", MODELS)
def test_admin_shows_every_model(model: Any, support: Client) -> None:
    assert model in admin.site._registry
    assert support.get(address(model, "changelist"), {"q": "x"}).status_code == 200
    thing = model._default_manager.first()
    if thing is None:
        settle()
        thing = model._default_manager.first()
    if thing is not None:
        assert support.get(address(model, "change", thing.pk)).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_admin_cannot_create_or_delete_facts(model: Any, support: Client) -> None:
    thing = model._default_manager.first()
    if model.__name__ == "Membership" or thing is None:
        return
    assert support.get(address(model, "add")).status_code == 403
    assert support.post(address(model, "delete", thing.pk), {"post": "yes"}).status_code == 403
    if model.__name__ not in EDITABLE:
        assert support.post(address(model, "change", thing.pk), {}).status_code == 403
    assert model._default_manager.filter(pk=thing.pk).exists()


def test_admin_changes_league_settings_with_history(support: Client, league: League) -> None:
    answer = support.post(
        address(League, "change", league.pk),
        settings_of(league, name="青葉リーグ", tiebreak='["last_hanchan", "shared"]'),
    )
    assert answer.status_code == 302
    league.refresh_from_db()
    assert league.name == "青葉リーグ"
    revision = Revision.objects.filter(subject="league").first()
    assert revision is not None
    assert (revision.source, revision.by_name, revision.after) == ("admin", "root", {"name": "青葉リーグ"})


@pytest.mark.parametrize("tiebreak", ['["coin"]', "{}", "[", '[["a"]]', "null", '[{"a": 1}]'])
def test_admin_refuses_unknown_tiebreaks(support: Client, league: League, tiebreak: str) -> None:
    answer = support.post(address(League, "change", league.pk), settings_of(league, tiebreak=tiebreak))
    assert answer.status_code == 200
    assert answer.context["adminform"].form.errors["tiebreak"]


def test_admin_changes_a_player_with_history_and_keeps_aliases(support: Client) -> None:
    player = Player.objects.get(name="青木")
    facts = {"name": "青木一", "kana": "あおき", "number": "1", "visibility": "public"}
    formset = {"aliases-TOTAL_FORMS": "0", "aliases-INITIAL_FORMS": "0"}
    assert support.post(address(Player, "change", player.pk), facts | formset).status_code == 302
    player.refresh_from_db()
    assert player.name == "青木一"
    assert player.aliases.filter(name="あおちゃん").exists()
    assert Revision.objects.filter(subject="player", action="changed", source="admin").exists()


def test_admin_changes_roles_with_history_but_keeps_the_last_owner(support: Client, league: League) -> None:
    user = make_user("ogawa")
    support.post(address(Membership, "add"), {"league": league.pk, "user": user.pk, "role": "scorer"})
    membership = Membership.objects.get(user=user)
    support.post(address(Membership, "change", membership.pk), {"role": "organiser"})
    membership.refresh_from_db()
    assert membership.role == "organiser"
    support.post(address(Membership, "delete", membership.pk), {"post": "yes"})
    assert not Membership.objects.filter(user=user).exists()
    owner = Membership.objects.get(user__username="root")
    support.post(address(Membership, "change", owner.pk), {"role": "player"})
    support.post(address(Membership, "delete", owner.pk), {"post": "yes"})
    owner.refresh_from_db()
    assert owner.role == "owner"
    assert Revision.objects.filter(subject="membership", source="admin").count() == 3


def test_staff_without_permissions_sees_no_models(client: Client, league: League) -> None:
    client.force_login(make_user("staff", is_staff=True))
    assert client.get(address(Hanchan, "changelist")).status_code == 403
