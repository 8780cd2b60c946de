"""Results that were taken as they are, and those of which only points are known, on every page that lists them."""

import pytest
from django.test import Client

from league.models import League
from tests.league.factories import make_league, make_session, make_user, play, settle

pytestmark = [pytest.mark.django_db]

SHORT = (40_000, 30_000, 20_000, 2_300)
LINE = (45_000, 9_000, -20_000, -34_000)
NOTE = "Only the total is wrong in the book"
ODD, ALONE = "does not add up, taken as it is", "points only"


@pytest.fixture
def league() -> League:
    return make_league(card="cinderella")


def text(client: Client, path: str) -> str:
    answer = client.get(path, follow=True)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


def test_every_page_that_lists_them_says_so_in_words(client: Client, league: League) -> None:
    session = make_session(league)
    odd, lone = play(session, SHORT, note=NOTE, as_is=True), play(session, points=LINE)
    settle()
    client.force_login(make_user("eguchi", league=league, role="organiser"))
    player = odd.seats.order_by("seat")[0].player_id
    for hanchan, says in ((odd, ODD), (lone, ALONE)):
        for page in (f"g/{hanchan.pk}/", f"g/{hanchan.pk}/done/"):
            assert says in text(client, f"/en/l/camarade/{page}"), page
    assert NOTE in text(client, f"/en/l/camarade/g/{odd.pk}/")
    assert "The raw scores are not known" in text(client, f"/en/l/camarade/g/{lone.pk}/")
    sheet = text(client, f"/en/l/camarade/sessions/{session.pk}/")
    assert ODD in sheet
    assert ALONE in sheet
    assert NOTE in sheet
    own = text(client, f"/en/l/camarade/p/{player}/")
    assert ODD in own
    assert ALONE in own
    assert "Without raw scores" in own


def test_pages_stand_where_nobody_knows_a_raw_score(client: Client, league: League) -> None:
    session = make_session(league)
    lone = play(session, points=LINE)
    play(session, points=(10_000, 10_000, -10_000, -10_000))
    settle()
    client.force_login(make_user("eguchi", league=league, role="owner"))
    player = lone.seats.order_by("seat")[0].player_id
    paths = ("", "standings/", "standings/2025-11/", f"p/{player}/", f"sessions/{session.pk}/", "manage/history/")
    for path in (*paths, f"g/{lone.pk}/", f"g/{lone.pk}/correct/", f"sessions/{session.pk}/grid/"):
        text(client, f"/en/l/camarade/{path}")


def test_a_sheet_says_what_does_not_count(client: Client) -> None:
    league = make_league(card="cinderella", unbalanced_count=False)
    session = make_session(league)
    play(session, SHORT, note=NOTE, as_is=True)
    assert "not counted" in text(client, f"/en/l/camarade/sessions/{session.pk}/")
