"""Hanchan of which only the points are known, in a tournament."""

import pytest
from django.test import Client

from tests.league.factories import planned_players, play
from tests.tournaments.factories import director, draw_and_plan, make_tournament

pytestmark = pytest.mark.django_db

PAGE = "/en/l/cinderella/t/t1/"
READ = ("", "stage/qualifying/", "results/", "results/?as=text&stage=qualifying", "wall/", "wall/state/")
DIRECTED = ("inbox/", "approve/qualifying/", "order/qualifying/", "plan/qualifying/", "withdraw/")


@pytest.mark.long
def test_every_page_stands_with_hanchan_of_points_alone(client: Client) -> None:
    tournament = make_tournament()
    sessions = [each.session for each in draw_and_plan(tournament, "qualifying")[:2]]
    for session, points in zip(
        sessions, ((45_000, 9_000, -20_000, -34_000), (10_000, 10_000, -10_000, -10_000)), strict=True
    ):
        play(session, players=planned_players(session, 1, 1), points=points)
    client.force_login(director(tournament.league))
    for page in (*READ, *DIRECTED):
        assert client.get(f"{PAGE}{page}", follow=True).status_code == 200, page
    assert "+45.0" in client.get(f"{PAGE}stage/qualifying/").content.decode()
