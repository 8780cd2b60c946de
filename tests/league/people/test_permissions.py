"""Who may open what: every address of a league, for everybody, in public and in private leagues; and no way to a 500."""

import random
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, reverse

from league import urls as league_urls
from league.models import HeldPhoto, HeldResult, ImportBatch, Job, League, Membership, Photo
from league.permissions import CONFIRM, MANAGE, OWN, READ_BOOKS, RECORD, SEE_PHOTOS, VIEW
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.session_points import enter_session_points
from stats import urls as stats_urls
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

WITHOUT_LEAGUE = {"home", "host", "glossary", "league_new", "worker", "manifest", "offline", "outbox", "hand"}
"""Addresses that belong to no league."""

READERS = {
    VIEW: {"player", "scorer", "organiser", "owner"},
    CONFIRM: {"player", "scorer", "organiser", "owner"},
    SEE_PHOTOS: {"player", "scorer", "organiser", "owner"},
    RECORD: {"scorer", "organiser", "owner"},
    MANAGE: {"organiser", "owner"},
    READ_BOOKS: {"organiser", "owner"},
    OWN: {"owner"},
}
PEOPLE = ("anonymous", "outsider", "player", "scorer", "organiser", "owner")

POST_ONLY = {
    "session_state",
    "rules_example",
    "rules_use",
    "rules_impact",
    "rules_rescore",
    "member_remove",
    "rebuild",
    "job_cancel",
    "import_run",
    "import_undo",
    "import_discard",
    "enter_preview",
    "confirm",
    "correct_preview",
    "undo",
    "void",
    "restore",
}

ROUTES = [
    pytest.param(route, id=str(route.name))
    for route in (*league_urls.urlpatterns, *stats_urls.urlpatterns)
    if isinstance(route, URLPattern) and route.name not in WITHOUT_LEAGUE and "<str:token>" not in str(route.pattern)
]
"""Addresses of a league. What opens by the link of a table asks nobody to log in; test_table_entry looks at it."""


FILE = "日付,選手,素点\n2025-11-21,青木,31700\n".encode()


class World:
    """A league with one of everything, and somebody in every role."""

    def __init__(self, slug: str, *, is_public: bool) -> None:
        self.league = make_league(slug, is_public=is_public)
        players = make_players(self.league, 4)
        self.session = make_session(self.league)
        self.hanchan = play(self.session, players=players)
        self.player = players[0]
        self.adjustment = adjust(player=players[0], day=DAY, points=1000, reason="bonus", by=SYSTEM)
        (self.points,) = enter_session_points(session=self.session, lines={players[0]: 0}, hanchan=4, by=SYSTEM)
        self.batch = ImportBatch.objects.create(league=self.league, file_name="2025.csv", data=FILE)
        self.held = HeldResult.objects.create(
            league=self.league, session=self.session, table=1, client_key=uuid4(), typed={}, reason="sum"
        )
        HeldPhoto.objects.create(held=self.held, data=b"", width=100, height=100)
        self.photo = Photo.objects.create(hanchan=self.hanchan, data=b"", width=100, height=100, digest="0")
        self.job = Job.objects.create(league=self.league, kind=Job.Kind.REBUILD)
        self.users = {"outsider": make_user(f"{slug}-outsider")}
        for role in Membership.Role.values:
            self.users[role] = make_user(f"{slug}-{role}", league=self.league, role=role)
        self.member = self.league.members.get(role="player")
        settle()

    def numbers(self, name: str) -> int:
        """Return the primary key that an address of this name takes."""
        things: list[tuple[str, Any]] = [
            (r"player", self.player),
            (r"rules", self.league.current_version),
            (r"adjustment", self.adjustment),
            (r"points_", self.points),
            (r"member_", self.member),
            (r"held", self.held),
            (r"job", self.job),
            (r"import_", self.batch),
            (r"photo_add", self.hanchan),
            (r"photo", self.photo),
            (r"session|enter|grid|table_links|print_", self.session),
            (r"hanchan|receipt|undo|confirm|correct|void|restore", self.hanchan),
        ]
        return int(next(thing.pk for pattern, thing in things if re.match(pattern, name)))

    def address(self, route: URLPattern, other: "World | None" = None) -> str:
        """Return an address of this league; with `other`, one that names a thing of the other league."""
        name = str(route.name)
        given: dict[str, Any] = {"slug": self.league.slug}
        if "<int:pk>" in str(route.pattern):
            given["pk"] = (other or self).numbers(name)
        if "<str:scope>" in str(route.pattern):
            given["scope"] = "2025-11"
        if "<slug:key>" in str(route.pattern):
            given["key"] = "camarade"
        app = stats_urls if route in stats_urls.urlpatterns else league_urls
        return reverse(f"{app.app_name}:{name}", kwargs=given)


@pytest.fixture(scope="module")
def worlds(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, World]]:
    """A public and a private league, made once for all the questions of this module."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield {"public": World("public", is_public=True), "private": World("private", is_public=False)}
        transaction.set_rollback(True)


@pytest.fixture
def ask(worlds: dict[str, World], django_db_blocker: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that sends one request and takes back whatever it changed."""

    def send(user: User | None, method: str, address: str, sent: dict[str, Any] | None = None) -> Any:
        client = Client()
        with transaction.atomic():
            if user is not None:
                client.force_login(user)
            answer = getattr(client, method)(address, sent or {})
            transaction.set_rollback(True)
        return answer

    with django_db_blocker.unblock():
        yield send


def expected(permission: str, person: str, visibility: str) -> str:
    """Return what the person must get: "in", the log-in page, or a refusal."""
    if person in READERS[permission] or (permission == VIEW and visibility == "public"):
        return "in"
    if person == "anonymous":
        return "login"
    return "missing" if person == "outsider" and visibility == "private" else "forbidden"


def got(answer: Any) -> str:
    if answer.status_code == 302 and answer["Location"].startswith(reverse("login")):
        return "login"
    return {403: "forbidden", 404: "missing"}.get(answer.status_code, "in")


@pytest.mark.parametrize("route", ROUTES)
def test_every_address_says_who_may_open_it(route: URLPattern) -> None:
    assert getattr(route.callback, "permission", None) in READERS


@pytest.mark.parametrize("visibility", ["public", "private"])
@pytest.mark.parametrize("route", ROUTES)
def test_address_opens_for_those_who_may(
    route: URLPattern, visibility: str, worlds: dict[str, World], ask: Callable[..., Any]
) -> None:
    world = worlds[visibility]
    permission = route.callback.permission  # type: ignore[attr-defined]
    for person in PEOPLE:
        for method in ("get", "post"):
            answer = ask(world.users.get(person), method, world.address(route))
            wanted = expected(permission, person, visibility)
            if answer.status_code == 405:
                assert (method == "get") is (route.name in POST_ONLY), (route.name, person, method)
            else:
                assert got(answer) == wanted, (route.name, person, method, answer.status_code)
                assert answer.status_code < 500


@pytest.mark.parametrize(
    "route",
    [route for route in ROUTES if "<int:pk>" in str(route.values[0].pattern)],  # type: ignore[union-attr]
)
def test_things_of_another_league_are_not_found(
    route: URLPattern, worlds: dict[str, World], ask: Callable[..., Any]
) -> None:
    world = worlds["public"]
    address = world.address(route, other=worlds["private"])
    answers = {ask(world.users["owner"], method, address).status_code for method in ("get", "post")}
    assert answers <= {404, 405}
    assert 404 in answers


@pytest.mark.parametrize("route", ROUTES)
def test_numbers_beyond_every_table_are_not_found(
    route: URLPattern, worlds: dict[str, World], ask: Callable[..., Any]
) -> None:
    world = worlds["public"]
    address = re.sub(r"/\d+/", f"/{9**60}/", world.address(route))
    for method in ("get", "post"):
        assert ask(world.users["owner"], method, address).status_code < 500


class FieldNames(HTMLParser):
    """Collects the names of everything that a page's forms send."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = dict(attrs).get("name")
        if tag in {"input", "select", "textarea", "button"} and name:
            self.names.add(name)


NASTY = (
    "",
    " ",
    "\x00",
    "a\x00b",
    "0",
    "-1",
    "１２３",
    "▲",
    "▲1.5",
    "9" * 40,
    "-" + "9" * 400,
    "1e999",
    "NaN",
    "1" * 5000,
    "あ" * 3000,
    "\u202e\u200b",
    "\U0001f004",
    "<script>alert(1)</script>",
    "' OR 1=1 --",
    "%(name)s %s {0}",
    "../../etc/passwd",
    "[" * 5000,
    '{"players": 4}',
    "2025-11-21",
    "9999-12-31",
    "0000-00-00",
    "24:00",
    "on",
    "total",
    "points",
    "floating",
    "none",
    "4",
    "3",
    "1: 2\n3: 4",
    "\n\n,,\t",
    "🀄,うし",
    "ｶﾞ",
    "٣",
)

FORMS = (
    "session_new",
    "session_edit",
    "session_state",
    "player_new",
    "player_edit",
    "player_merge",
    "rules_choose",
    "rules_edit",
    "rules_example",
    "settings",
    "members",
    "adjustments",
    "adjustment_withdraw",
    "session_points",
    "points_withdraw",
    "held",
)
EXTRA_NAMES = {
    "lines",
    "more",
    "player_3",
    "points_3",
    "way",
    "do",
    "state",
    "card",
    "names",
    "into",
    "reason",
    "raw_0",
    "raw_1",
    "raw_2",
    "raw_3",
    "page",
}


@pytest.mark.parametrize("name", FORMS)
def test_no_form_falls_over_garbage(name: str, worlds: dict[str, World], ask: Callable[..., Any]) -> None:
    world, chance = worlds["public"], random.Random(name)
    (route,) = [route.values[0] for route in ROUTES if route.id == name]
    assert isinstance(route, URLPattern)
    address, owner = world.address(route), world.users["owner"]
    reader = FieldNames()
    page = ask(owner, "get", address)
    reader.feed(page.content.decode())
    names = sorted((reader.names | EXTRA_NAMES) - {"csrfmiddlewaretoken"})
    for _ in range(40):
        sent = {field: chance.choice(NASTY) for field in names if chance.random() < 0.8}
        assert ask(owner, "post", address, sent).status_code < 500, sent


@pytest.mark.parametrize("route", ROUTES)
def test_no_address_falls_over_an_odd_query(
    route: URLPattern, worlds: dict[str, World], ask: Callable[..., Any]
) -> None:
    world, chance = worlds["public"], random.Random(str(route.name))
    keys = (
        "ledger",
        "year",
        "page",
        "subject",
        "action",
        "into",
        "raw_0",
        "sticks_left",
        "player",
        "sort",
        "view",
        "q",
    )
    for _ in range(8):
        query = {key: chance.choice(NASTY)[:200] for key in keys}
        assert ask(world.users["owner"], "get", world.address(route), query).status_code < 500, query


def test_superuser_may_do_everything(worlds: dict[str, World], ask: Callable[..., Any]) -> None:
    with transaction.atomic():
        user = make_user("root", is_superuser=True)
        for route in (each.values[0] for each in ROUTES):
            assert isinstance(route, URLPattern)
            assert got(ask(user, "get", worlds["private"].address(route))) == "in", route.name
        transaction.set_rollback(True)


def test_log_in_page_leads_back(worlds: dict[str, World], ask: Callable[..., Any]) -> None:
    league: League = worlds["public"].league
    address = reverse("league:manage", args=[league.slug])
    assert ask(None, "get", address)["Location"] == f"{reverse('login')}?{urlencode({'next': address})}"
