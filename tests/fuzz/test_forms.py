import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from tests.fuzz.inputs import WORDS, changed, fingerprint, numbered, sendable
from tests.journeys.html import Form, see
from tests.league.boards.test_random_walk import check_all_boards
from tests.league.factories import settle
from tests.permissions.routes import all_routes
from tests.permissions.table import read_table
from tests.permissions.world import World

pytestmark = pytest.mark.django_db

PEOPLE = ("owner", "anonymous")
"""Who submits the forms; an anonymous visitor has only the log-in forms."""

OWNERS = {"logout", "password_change", "league:league_state", "league:address"}
"""Views that would log the owner out or make the league unreachable."""

SCRIPTED = {
    "league:table_preview", "league:enter_preview", "league:correct_preview", "league:rules_example", "league:table",
    "league:enter_session", "league:table_photo_add", "league:grid",
}  # fmt: skip
"""Views that scripts also post to, expecting JSON."""

NOTED = {
    "league:import_": "league_importbatch",
    "league:table": "league_tablelink",
    "accounts:account": "league_attempts",
    "accounts:delete": "league_attempts",
}
"""Tables, by view prefix, that may change although a form is refused: import settings, a link's last use, attempts."""

TOGETHER = 25
"""Number of inputs before boards are compared and the transaction is rolled back."""


@dataclass
class Offer:
    person: str
    name: str
    action: str
    form: Form


def offers(world: World) -> list[Offer]:
    """Return every form that the owner or an anonymous visitor sees, once per URL and set of fields."""
    found: dict[tuple[str, tuple[str, ...]], Offer] = {}
    rules = read_table()
    pages = [route for route in all_routes() if route.name in rules and "GET" in rules[route.name].methods]
    for person, route in product(PEOPLE, pages):
        address = world.address(route)
        answer = world.ask(person, "GET", address)
        if answer.status_code == 200 and answer.headers.get("Content-Type", "").startswith("text/html"):
            for offer in _on(person, address, answer.content.decode()):  # type: ignore[attr-defined]
                found.setdefault((offer.action, tuple(sorted(offer.form.controls))), offer)
    return [found[key] for key in sorted(found)]


def _on(person: str, address: str, page: str) -> Iterator[Offer]:
    for form in see(page).forms:
        actions = {form.action, *(button.action for button in form.buttons if button.action)}
        if form.method == "post" or any(button.method == "post" for button in form.buttons):
            for action in actions:
                path = urlsplit(urljoin(address, action)).path
                try:
                    name = resolve(path).view_name
                except Resolver404:
                    continue
                if name not in OWNERS:
                    yield Offer(person, name, path, form)


def filled(form: Form, dice: random.Random, page_of: str) -> dict[str, Any]:
    share = dice.choice((0.0, 0.1, 0.3, 1.0))
    sent: dict[str, Any] = {}
    for name, control in form.controls.items():
        if dice.random() < share / 4:
            continue
        value: Any = [dice.choice(sorted(control.options))] if control.options else control.values
        if dice.random() < share:
            value = [sendable(dice.choice(WORDS)) for _ in range(dice.choice((1, 1, 1, 2, 30)))]
        sent[name] = value
        if control.kind == "file":
            sent[name] = SimpleUploadedFile("x", sendable(dice.choice(WORDS)).encode() * dice.choice((1, 500)))
    if form.buttons and dice.random() < 0.8:
        button = dice.choice(form.buttons)
        sent |= {button.name: button.value} if button.name else {}
    if dice.random() < 0.1:
        sent[sendable(dice.choice(WORDS))] = "1"
    return sent


@pytest.mark.long
def test_forms_filled_with_anything_are_taken_whole_or_not_at_all(world: World) -> None:
    offered = offers(world)
    takes = {name for name, rule in read_table().items() if "POST" in rule.methods}
    assert len({offer.name for offer in offered} & takes) > len(takes) / 2
    batch: list[tuple[int, random.Random]] = []
    for each in numbered("forms"):
        batch.append(each)
        if len(batch) == TOGETHER:
            _send_together(world, offered, batch)
            batch = []
    _send_together(world, offered, batch)


def _send_together(world: World, offered: list[Offer], batch: list[tuple[int, random.Random]]) -> None:
    """Submit some forms in turn, check that the boards match the results, and roll back."""
    with transaction.atomic():
        before = fingerprint()
        for number, dice in batch:
            offer = dice.choice(offered)
            sent = filled(offer.form, dice, offer.action)
            world.be(offer.person)
            headers = {"Accept": "application/json"} if offer.name in SCRIPTED and dice.random() < 0.5 else {}
            answer = world.client.post(offer.action, sent, headers=headers)
            assert answer.status_code < 500, (number, offer.name, sent)
            left = changed(before)
            kept = [table for start, table in NOTED.items() if offer.name.startswith(start)]
            if answer.status_code != 302 and not _was_taken(answer) and left != kept:
                assert not left, (number, offer.name, answer.status_code, left, sent)
            if left:
                before = fingerprint()
        settle()
        world.league.refresh_from_db()
        check_all_boards(world.league)
        transaction.set_rollback(True)


def _was_taken(answer: HttpResponseBase) -> bool:
    return answer.headers.get("Content-Type", "").startswith("application/json") and answer.status_code < 300
