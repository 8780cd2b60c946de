import logging
import os
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse

from league.models import Membership
from league.services.history import SYSTEM
from league.services.people import set_role
from tests.permissions.routes import Route, all_routes
from tests.permissions.table import FORBIDDEN, IN, LOG_IN, MISSING, ROUTES, RULES, expected
from tests.permissions.world import PEOPLE, World

OURS = [name for name in ROUTES if not name.startswith("admin:")]
ADMIN = [name for name in ROUTES if name.startswith("admin:")]
OF_A_LEAGUE = [name for name in OURS if "slug" in ROUTES[name].takes]
WHOLE = os.environ.get("MATRIX") == "whole"
"""Also test the roles above the first allowed one, which takes four times as long."""

ODD = ("HEAD", "PUT", "DELETE", "OPTIONS", "TRACE")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


@pytest.fixture
def quiet() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def asked(world: World, person: str, method: str, route: Route) -> str:
    answer = world.ask(person, method, world.address(route))
    if answer.status_code == 302 and "/login/" in answer["Location"]:
        return LOG_IN
    assert answer.status_code < 500, answer.status_code
    return {403: FORBIDDEN, 404: MISSING, 405: ""}.get(answer.status_code, IN)


def test_permission_table_lists_every_route() -> None:
    assert {*RULES} - {"admin:*"} == {*OURS}


def test_only_admin_routes_have_no_name() -> None:
    assert {route.takes for route in all_routes() if not route.name} == {("object_id",), ("url",)}


def test_every_league_form_checks_permissions_in_a_transaction() -> None:
    forms = [name for name in OURS if "POST" in RULES[name].methods and "slug" in ROUTES[name].takes]
    assert len(forms) > 60
    assert [name for name in forms if not ROUTES[name].is_guarded] == []


@pytest.mark.merge
@pytest.mark.parametrize("name", OURS)
def test_permission_table_holds_for_every_role(name: str, worlds: dict[str, World]) -> None:
    route, rule = ROUTES[name], RULES[name]
    for world in worlds.values() if "slug" in route.takes else (worlds["private"],):
        for person in people(rule.who, is_public=world.is_public):
            for method in rule.methods:
                wanted = expected(rule.who, person, is_public=world.is_public)
                assert asked(world, person, method, route) == wanted, (world.slug, person, method)
    for method in {"GET", "POST"} - {*rule.methods}:
        assert asked(worlds["private"], "superuser", method, route) == "", method


def people(who: str, *, is_public: bool) -> list[str]:
    """Return all refused roles, the first allowed one, and the administrator; all roles with MATRIX=whole.

    Whom a private league lets in, a public one does too, and is not asked again.
    """
    inside = [person for person in PEOPLE if expected(who, person, is_public=is_public) == IN]
    tried = {*inside[:1], "superuser"}
    if is_public:
        tried = {person for person in tried if expected(who, person, is_public=False) != IN}
    return [person for person in PEOPLE if person not in inside or person in tried or WHOLE]


@pytest.mark.merge
@pytest.mark.parametrize("name", OURS)
def test_other_methods_give_no_access(name: str, worlds: dict[str, World]) -> None:
    world, route, rule = worlds["private"], ROUTES[name], RULES[name]
    for person in ("anonymous", "stranger"):
        wanted = expected(rule.who, person, is_public=False)
        for method in ODD:
            got = asked(world, person, method, route)
            # Only GET pages can be requested by HEAD.
            assert got in ({wanted} if method == "HEAD" and "GET" in rule.methods else {wanted, ""}), (person, method)


@pytest.mark.merge
def test_admin_is_only_for_administrators(worlds: dict[str, World]) -> None:
    world = worlds["public"]
    for name in ADMIN:
        wanted = IN if name in {"admin:login", "admin:logout"} else LOG_IN
        assert asked(world, "anonymous", "GET", ROUTES[name]) in {wanted, ""}, name
        assert asked(world, "owner", "POST", ROUTES[name]) in {wanted, ""}, name


def test_administrator_opens_the_admin(worlds: dict[str, World]) -> None:
    for name in ("admin:index", "admin:league_league_changelist", "admin:league_league_change"):
        assert asked(worlds["private"], "superuser", "GET", ROUTES[name]) == IN, name


def test_log_in_redirects_back_to_the_page(worlds: dict[str, World]) -> None:
    address = worlds["public"].address(ROUTES["league:manage"])
    answer = worlds["public"].ask("anonymous", "GET", address)
    assert answer["Location"] == f"{reverse('login')}?{urlencode({'next': address})}"


def foreign(route: Route, mine: World, other: World) -> Iterator[str]:
    if "pk" in route.takes:
        yield mine.address(route, pk=other.thing(route.name).pk)
        yield mine.address(route, pk=9**60)
    if route.name.startswith("tournaments:") and "key" in route.takes:
        yield mine.address(route, key=other.tournament.key)
    if "stage" in route.takes:
        yield mine.address(route, stage=mine.other_stage)
    if route.name.startswith("tournaments:") and {"pk", "key"} <= {*route.takes}:
        yield mine.address(route, key=mine.other_tournament.key)


@pytest.mark.parametrize(
    "name", [name for name in OF_A_LEAGUE if {"pk", "stage"} & {*ROUTES[name].takes} or name.startswith("tournaments:")]
)
def test_objects_of_another_league_or_tournament_are_not_found(name: str, worlds: dict[str, World]) -> None:
    mine, other = worlds["public"], worlds["private"]
    assert mine.other_stage != mine.stage
    before = facts()
    for address in foreign(ROUTES[name], mine, other):
        for method in RULES[name].methods:
            answer = mine.ask("superuser", method, address)
            assert answer.status_code == 404, (method, address, answer.status_code)
    assert facts() == before


def facts() -> list[int]:
    """Return the number of rows written in this transaction so far, by table."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables "
            "WHERE relname LIKE 'league_%' OR relname LIKE 'tournaments_%' ORDER BY relname"
        )
        return [count for (count,) in cursor.fetchall()]


@pytest.mark.merge
@pytest.mark.parametrize(
    ("slug", "role", "becomes"),
    [
        ("private", "player", "stranger"),
        ("public", "scorer", "player"),
        ("private", "referee", "stranger"),
        ("public", "director", "player"),
        ("private", "scorer", "stranger"),
        ("private", "organiser", "anonymous"),
        ("public", "organiser", "stranger"),
        ("public", "owner", "player"),
        ("private", "owner", "stranger"),
    ],
)
def test_removed_role_is_refused_at_next_request(slug: str, role: str, becomes: str, worlds: dict[str, World]) -> None:
    world = worlds[slug]
    # All reader pages share one guard, tested with users without other rights and a blocked one.
    lost = {role, "readers"} if role in {"player", "referee"} or becomes == "anonymous" else {role}
    mine = [ROUTES[name] for name in OF_A_LEAGUE if RULES[name].who in lost]
    before = {route.name: asked(world, role, RULES[route.name].methods[0], route) for route in mine}
    assert {*before.values()} == {IN}, before
    if becomes == "anonymous":
        User.objects.filter(pk=world.users[role].pk).update(is_active=False)
    else:
        Membership.objects.filter(league=world.league, user=world.users[role]).delete()
    if becomes == "player":
        set_role(league=world.league, user=world.users[role], role=Membership.Role.PLAYER, by=SYSTEM)
    for route in mine:
        rule = RULES[route.name]
        wanted = expected(rule.who, becomes, is_public=world.is_public)
        assert asked(world, role, rule.methods[0], route) == wanted, (route.name, becomes)
