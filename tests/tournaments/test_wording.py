"""What is said of formats and refusals agrees with what the pages offer."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext, override

from tests.league.factories import make_league, make_user
from tournaments.messages.errors import tournament_error_sentence
from tournaments.messages.formats import sizes_sentence
from tournaments.services.events import TournamentError


@pytest.mark.django_db
def test_list_of_formats_names_every_number_of_players_that_a_knock_out_takes(client: Client) -> None:
    league = make_league()
    client.force_login(make_user("ishida", league=league, role="organiser"))
    page = client.get(reverse("tournaments:new", args=[league.slug])).content.decode()
    assert "参加は8・16・32・64名のいずれかです。" in page


def test_one_number_of_players_stands_alone() -> None:
    with override("en"):
        assert sizes_sentence([16]) == "16 players enter."


@pytest.mark.parametrize("language", ["ja", "en"])
def test_refusal_names_what_the_page_offers(language: str) -> None:
    with override(language):
        said = tournament_error_sentence(TournamentError("goes_elsewhere", name="青木", to="決勝"))
        assert gettext("Decide anew") in said
