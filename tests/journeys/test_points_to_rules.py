import re
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from league.models import Hanchan
from league.services.calendar import adjust
from league.services.history import SYSTEM
from scoring.messages import describe_ruleset
from tests.journeys.pages import Visitor
from tests.league.factories import DAY, make_league, make_session, play, settle

pytestmark = pytest.mark.django_db

LINE = re.compile(r'<table class="calc-lines">.*?</table>', re.DOTALL)
CLAUSE = re.compile(r'href="([^"#]+)#(rule-[^"]+)"')

GAMES = [
    pytest.param("camarade", {}, {"return_points", "rounding", "oka", "uma"}, id="base, oka, uma, rounding"),
    pytest.param("cinderella", {"chombo": (0, 0, 0, 1)}, {"oka", "uma", "chombo"}, id="chombo on the total"),
]


def clauses_on(visitor: Visitor) -> set[tuple[str, str]]:
    """Return the rule links of a hanchan's lines, asserting that every line has one that works."""
    tables = LINE.findall(visitor.content.decode())
    assert tables
    for table in tables:
        body = table[: table.index("<tfoot>")]
        assert body.count("<tr>") == len(CLAUSE.findall(body)) > 0
    return set(CLAUSE.findall(visitor.content.decode()))


@pytest.mark.long
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize(("card", "game", "expected"), GAMES)
def test_points_link_a_rule(client: Client, card: str, game: dict[str, Any], expected: set[str], language: str) -> None:
    play(make_session(make_league(card=card)), **game)
    settle()
    version = Hanchan.objects.get().ruleset_version
    with translation.override(language):
        sentences = {clause.parameter: clause.sentence for clause in describe_ruleset(version.read())}
    visitor = Visitor(client).opens("/" if language == "ja" else "/en/").follows(to=r"/l/camarade/$")
    visitor.follows(to=r"/standings/2025-11/$")
    found: set[str] = set()
    for seat in Hanchan.objects.get().seats.select_related("player"):
        total = visitor.link(to=rf"/p/{seat.player_id}/\?period=2025-11#hanchan$")
        assert total.text
        listed = Visitor(client).scans(total.href)
        assert 'id="hanchan"' in listed.content.decode()
        for address, anchor in sorted(clauses_on(listed.follows(to=rf"/g/{seat.hanchan_id}/$"))):
            rules = Visitor(client).scans(address)
            parameter = anchor.removeprefix("rule-")
            assert f'id="{anchor}"' in rules.content.decode()
            rules.reads(" ".join(sentences[parameter].split()))
            found.add(parameter)
    assert expected <= found


def test_total_with_an_adjustment_links_to_its_explanation(client: Client) -> None:
    league = make_league()
    play(make_session(league))
    aoki = league.players.get(romanised="Aoki")
    adjust(player=aoki, day=DAY, points=-40000, reason="遅刻", by=SYSTEM)
    settle()
    board = Visitor(client).opens("/en/").follows(to=r"/l/camarade/$").follows(to=r"/standings/2025-11/$")
    page = Visitor(client).scans(board.link(to=rf"/p/{aoki.pk}/\?period=2025-11#hanchan$").href)
    page.reads("−18.3", "including −40.0", "adjustments", "+21.7")


@pytest.mark.long
@pytest.mark.parametrize("scope", ["2025", "all", "2025-11-01..2025-11-30"])
def test_totals_link_to_the_hanchan_of_their_period(client: Client, scope: str) -> None:
    play(make_session(make_league()))
    settle()
    board = Visitor(client).scans(f"/l/camarade/standings/{scope}/")
    links = [link.href for link in board.page.links if link.href.endswith(f"?period={scope}#hanchan")]
    assert len(links) == 4
    for link in links:
        Visitor(client).scans(link).follows(to=r"/g/\d+/$")


def test_total_as_of_a_day_links_to_the_hanchan_until_then(client: Client) -> None:
    league = make_league()
    play(make_session(league, DAY.replace(day=14)))
    later = play(make_session(league))
    settle()
    board = Visitor(client).scans("/l/camarade/standings/2025-11/?on=2025-11-14")
    listed = Visitor(client).scans(board.link(to="#hanchan$").href)
    assert "period=2025-11-01..2025-11-14" in listed.address
    assert not listed.has_link(to=rf"/g/{later.pk}/$")
