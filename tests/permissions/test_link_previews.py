import re
import struct
from html import unescape

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.permissions.table import ROUTES, RULES, pages_for
from tests.permissions.world import World

pytestmark = [pytest.mark.django_db]

NOT_SHARED = {
    "tournaments:register": "a form, which a chat leads to by the page of the tournament",
    "tournaments:projector": "the screen in the hall",
    "tournaments:overlay": "the same over a stream",
    "tournaments:what_if": "what somebody supposes, which no picture shows",
    "stats:search": "what somebody looks for",
    **dict.fromkeys(("league:outbox", "league:hand", "league:offline"), "data on this phone"),
    **dict.fromkeys(
        ("recover", "login", "account_login", "account_signup", "account_request_login_code"), "a log-in page"
    ),
    **dict.fromkeys((f"password_reset{step}" for step in ("", "_done", "_confirm", "_complete")), "a log-in page"),
    "socialaccount_login_cancelled": "a log-in page",
    "accounts:notices_stop": "the link in a mail to one person",
    "accounts:join": "the link that somebody was sent",
    "accounts:join_kept": "after whoever followed it has logged in",
}
"""Public pages that are not in shared caches."""

TAGS = (
    "og:title", "og:description", "og:image", "og:image:width", "og:image:height", "og:url", "og:locale", "twitter:card"
)  # fmt: skip
TAG = re.compile(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">')


def tags(html: str) -> dict[str, str]:
    return {name: unescape(value) for name, value in TAG.findall(html) if name in TAGS}


def page(world: World, person: str, address: str) -> str:
    answer = world.ask(person, "GET", address)
    is_page = answer.status_code == 200 and "text/html" in answer.get("Content-Type", "")
    return answer.content.decode() if is_page and isinstance(answer, HttpResponse) else ""


@pytest.mark.merge
@pytest.mark.parametrize("prefix", ["", "/en"])
def test_public_pages_have_preview_tags_and_an_image(prefix: str, worlds: dict[str, World]) -> None:
    world, told, silent = worlds["public"], set(), []
    for route in pages_for("everybody", "readers"):
        html = page(world, "anonymous", prefix + world.address(route)) if route.name != "healthz" else ""
        if not html or route.name in NOT_SHARED:
            assert tags(html) == {}, route.name
            continue
        found = tags(html)
        if {*found} != {*TAGS} or not all(found.values()):
            silent.append((route.name, found))
            continue
        assert re.search(r"<title>[^<]+</title>", html)
        assert found["og:locale"] == ("en_US" if prefix else "ja_JP")
        assert found["og:url"].startswith(f"http://testserver{prefix}/"), route.name
        assert_picture(found["og:image"], prefix)
        told.add(route.name)
    assert silent == []
    assert len(told) > 15
    assert {"league:home", "league:standings", "league:rules", "stats:player", "tournaments:stage"} <= told


def assert_picture(address: str, prefix: str) -> None:
    assert address.startswith(f"http://testserver{prefix}/"), address
    answer = Client().get(address)
    assert answer.status_code == 200, address
    assert answer["Content-Type"] == "image/png"
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable", address
    assert answer.content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", answer.content[16:24]) == (1200, 630)
    assert len(answer.content) <= 300_000


@pytest.mark.merge
def test_other_pages_have_no_preview_tags(worlds: dict[str, World]) -> None:
    world = worlds["public"]
    public = {"everybody", "readers", "shown", "token", "keys", "embedded", "host"}
    others = {rule.who for rule in RULES.values()} - public
    for route in pages_for(*others):
        assert tags(page(world, "superuser", world.address(route))) == {}, route.name


@pytest.mark.merge
@pytest.mark.parametrize("person", ["anonymous", "player", "owner", "superuser"])
def test_private_league_has_no_previews(person: str, worlds: dict[str, World]) -> None:
    world = worlds["private"]
    seen = 0
    for route in pages_for("readers", "player", "organiser", "director"):
        html = page(world, person, world.address(route))
        assert tags(html) == {}, route.name
        assert "data-share" not in html, route.name
        assert "card.png" not in html, route.name
        seen += bool(html)
    assert seen > 10 or person == "anonymous"
    for route in pages_for("shown"):
        for prefix in ("", "/en"):
            answer = world.ask(person, "GET", prefix + world.address(route))
            assert answer.status_code == 404, route.name
            assert "public" not in answer.get("Cache-Control", "")


def test_league_taken_down_has_no_preview_images(worlds: dict[str, World]) -> None:
    world = worlds["public"]
    league = world.league
    addresses = [world.address(route) for route in pages_for("shown")]
    type(league).objects.filter(pk=league.pk).update(state="taken_down")
    for address in addresses:
        assert world.ask("owner", "GET", address).status_code == 404, address


def test_preview_images_of_private_and_unknown_leagues_are_alike(worlds: dict[str, World]) -> None:
    private = Client().get(reverse("stats:league_card", args=["private"]))
    missing = Client().get(reverse("stats:league_card", args=["nowhere"]))
    assert private.status_code == missing.status_code == 404
    assert private.content.replace(b"private", b"nowhere") == missing.content
    assert private.headers == missing.headers


def test_share_button_works_without_scripts(worlds: dict[str, World]) -> None:
    world = worlds["public"]
    for name in ("league:standings", "league:session", "league:hanchan", "stats:player", "tournaments:stage"):
        html = unescape(page(world, "anonymous", world.address(ROUTES[name])))
        assert "https://line.me/R/share?text=" in html, name
        assert f'value="http://testserver{world.address(ROUTES[name])}"' in html, name
        assert re.search(r'href="http://testserver[^"]+card\.png\?v=\w+" download', html), name
