"""The links on the face of the everyday pages; what is in a menu or folded does not count."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from league.models import League
from tests.league.entry_contexts import url
from tests.league.factories import DAY, make_players, make_session, play, settle

pytestmark = pytest.mark.django_db

MOST = {"league_home": 20, "session": 15, "manage": 12, "settings": 7}
"""Links to an owner after an evening at two tables."""


def on_the_face(html: str) -> list[str]:
    main = html.partition("<main")[2].partition("</main>")[0]
    while (shown := re.sub(r"<details(?![^>]*\bopen\b)((?!<details).)*?</details>", "", main, flags=re.DOTALL)) != main:
        main = shown
    return re.findall(r'<a\b[^>]*\bhref="([^"]+)"', main)


@pytest.mark.merge
def test_pages_show_few_links_and_each_once(owner: Client, league: League) -> None:
    players = make_players(league, 8)
    session = make_session(league, tables=2)
    play(session, players=players[:4], table=1)
    play(session, players=players[4:], table=2)
    # A league of two sessions no longer shows its first steps.
    play(make_session(league, DAY - timedelta(days=7)), players=players[:4])
    settle()
    for name, most in MOST.items():
        links = on_the_face(owner.get(url(name, league, *([session.pk] if name == "session" else []))).content.decode())
        assert 3 < len(links) <= most, (name, links)
        # The way to enter a result is in the header on a desk and above the bar on a phone.
        assert len(links) - len({*links}) <= 1, (name, links)
