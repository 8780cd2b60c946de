"""Accessibility (axe) and width on a phone, for the pages of a tournament director."""

from collections.abc import Iterator

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.services.history import SYSTEM
from tests.browser.visits import fits, signed_in
from tests.budget import varied
from tests.conftest import OpenPage
from tests.tournaments.factories import (
    by_entry,
    director,
    drawn_blocks,
    make_tournament,
    plan,
    play_planned,
)
from tournaments.models import StageSession, Tournament
from tournaments.services.drawing import draw
from tournaments.services.planning import postpone_table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STAGE = "round-1"


@pytest.fixture
def tournament(transactional_db: None) -> Tournament:
    del transactional_db
    return make_tournament(None, "elimination-4", players=16)


@pytest.fixture
def phone(open_page: OpenPage, live_server: LiveServer, tournament: Tournament) -> Page:
    return signed_in(open_page(), live_server.url, director(tournament.league))


def pages_of_a_first_round(tournament: Tournament) -> Iterator[str]:
    """Play a first round, yielding the addresses to check on the way."""

    def at(name: str, *more: object) -> str:
        return reverse(f"tournaments:{name}", args=[tournament.league.slug, tournament.key, *more])

    yield reverse("tournaments:new", args=[tournament.league.slug])
    yield at("entries")
    yield at("draw", STAGE) + "?way=lot"
    yield at("draw", STAGE) + "?way=format"
    draw(tournament=tournament, stage=STAGE, drawn=drawn_blocks(tournament, STAGE), by=SYSTEM)
    yield at("plan", STAGE) + "?blocks=same_day&start=10:00"
    planned = plan(tournament, STAGE, start=timezone.localdate())
    yield at("postpone", planned[0].pk)
    leaver = tournament.entries.earliest("number")
    yield f"{at('withdraw')}?entry={leaver.pk}&stage={STAGE}"
    postpone_table(stage_session=planned[1], table=1, to=planned[-1].session.date, reason="snow", by=SYSTEM)
    yield at("plan", STAGE)
    yield at("inbox")
    for each in StageSession.objects.filter(tournament=tournament):
        play_planned(each, by_entry(tournament))
    yield at("inbox")


@pytest.mark.long
@varied("prefix", ["", "/en"], ids=["ja", "en"])
def test_director_pages_of_a_first_round_are_accessible(
    phone: Page, live_server: LiveServer, tournament: Tournament, prefix: str
) -> None:
    for address in pages_of_a_first_round(tournament):
        phone.goto(live_server.url + prefix + address)
        expect(phone.locator("h1")).to_be_visible()
        phone.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
        for scheme in ("light", "dark"):
            phone.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            fits(phone)
