import gzip
import json
import re
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.core.paginator import Paginator
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from league.models import League, Session
from league.selectors.overview import league_cards
from league.tasks import refresh_standings
from league.views.offline import SHELL
from tests.conftest import ROOT
from tests.league.entry_contexts import at, link_of, url
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

LIMIT = 30_000
"""Maximum compressed bytes of JavaScript on the entry page."""

BOARD_LIMIT = 20_000
"""Maximum compressed bytes of JavaScript on read-only pages."""

STYLE_LIMIT = 25_000
"""Maximum compressed bytes of style sheets on any page."""

REQUESTS = 12
"""Number of requests for the entry page, including itself and the manifest."""

IMPORTS = re.compile(r"""(?:\bfrom\s+|\bimport\s*\(?\s*)["']([^"']+)["']""")
FIRST = re.compile(r"""^import\b[^("]*"([^"]+)";""", re.MULTILINE)
STYLES = re.compile(r'<link rel="stylesheet" href="([^"]+)"')


@pytest.fixture
def evening() -> Session:
    session = make_session(make_league())
    play(session)
    return session


def reachable(html: str) -> set[str]:
    open_ends = re.findall(r'<script[^>]*\bsrc="([^"]+)"', html)
    found: set[str] = set()
    while open_ends:
        url = open_ends.pop()
        if url not in found:
            found.add(url)
            open_ends += [urljoin(url, name) for name in IMPORTS.findall(source(url).decode())]
    return found


def source(url: str) -> bytes:
    found = finders.find(url.removeprefix("/static/"))
    assert found, url
    return Path(found).read_bytes()


def weight(urls: set[str]) -> int:
    """Return the total bytes of files, each compressed separately as a server sends them."""
    return sum(len(gzip.compress(source(url))) for url in urls)


def test_entry_page_loads_few_small_files(client: Client, evening: Session) -> None:
    html = client.get(at(link_of(evening))).content.decode()
    scripts = reachable(html)
    names = {url.rpartition("/")[2] for url in scripts}
    assert names == {"theme.js", "app.js", "table.js", "outbox.js", "handover-send.js", "qr.js", "svg.js"}
    assert weight(scripts) <= LIMIT
    assert weight(set(STYLES.findall(html))) <= STYLE_LIMIT
    # The page itself, and what its scripts request about the table.
    assert 1 + len(asked_for(html)) + 1 <= REQUESTS
    first = at_once(html)
    assert first == {*re.findall(r'<(?:script|link)\b[^>]*\b(?:src|href)="([^"]+\.js)"', html)}, "all are preloaded"
    assert "/static/vendor/lean-qr/qr.js" in scripts - first


def test_scripts_of_the_scorers_entry_page_are_small(client: Client, evening: Session) -> None:
    client.force_login(make_user("ueno", league=evening.league, role="scorer"))
    assert weight(reachable(client.get(f"/l/camarade/sessions/{evening.pk}/enter/").content.decode())) <= LIMIT


@pytest.mark.parametrize(
    "address", ["/", "/l/camarade/", "/l/camarade/standings/all/", "/l/camarade/players/", "/l/camarade/sessions/"]
)
def test_read_only_pages_load_few_small_files(client: Client, evening: Session, address: str) -> None:
    html = client.get(address).content.decode()
    assert weight(reachable(html)) <= BOARD_LIMIT
    assert weight(set(STYLES.findall(html))) <= STYLE_LIMIT
    assert len(asked_for(html)) <= REQUESTS


def at_once(html: str) -> set[str]:
    """Return the scripts needed at start: the page's own, and their static imports."""
    found = set(re.findall(r'<script[^>]*\bsrc="([^"]+)"', html))
    while more := {urljoin(url, name) for url in found for name in FIRST.findall(source(url).decode())} - found:
        found |= more
    return found


def asked_for(html: str) -> set[str]:
    """Return all files that a page requests when it loads: scripts, style sheets, images, the manifest."""
    pictures = re.findall(r'<(?:img|use)\b[^>]*\b(?:src|href)="([^"#]+)', html)
    named = re.findall(r'<link rel="(?:icon|manifest|stylesheet|preload)" href="([^"]+)"', html)
    return at_once(html) | {*pictures, *named}


@pytest.mark.parametrize(
    "address", ["table", "/e/outbox/", "/e/hand/", "/offline/", "/l/camarade/standings/all/"], ids=lambda each: each
)
def test_offline_pages_need_only_cached_files(client: Client, evening: Session, address: str) -> None:
    html = client.get(at(link_of(evening)) if address == "table" else address).content.decode()
    assert reachable(html) | {*STYLES.findall(html)} <= {f"/static/{name}" for name in SHELL}


def test_service_worker_is_revalidated_and_lists_existing_files(client: Client) -> None:
    answer = client.get("/sw.js")
    assert answer.headers["Content-Type"] == "text/javascript"
    assert answer.headers["Cache-Control"] == "no-cache"
    found = re.search(r"^const SAID = (.*);$", answer.content.decode(), re.MULTILINE)
    assert found
    said = json.loads(found[1])
    assert said["pages"] == ["/offline/", "/e/outbox/", "/e/hand/", "/en/offline/", "/en/e/outbox/", "/en/e/hand/"]
    assert len(said["shell"]) == len(SHELL)
    assert [name for name in SHELL if not (ROOT / "static" / name).is_file()] == []


@pytest.mark.parametrize(("prefix", "language"), [("", "ja"), ("/en", "en")])
def test_manifest_names_existing_icons(client: Client, prefix: str, language: str) -> None:
    answer = client.get(f"{prefix}/manifest.webmanifest")
    assert answer.headers["Content-Type"] == "application/manifest+json"
    said = answer.json()
    assert said["lang"] == language
    assert said["start_url"] == f"{prefix}/"
    assert {icon["purpose"] for icon in said["icons"]} == {"any", "maskable"}
    assert all(source(icon["src"]).startswith(b"\x89PNG") for icon in said["icons"])


@pytest.mark.parametrize("address", ["/offline/", "/e/outbox/", "/e/hand/"])
def test_offline_pages_contain_no_user_name(client: Client, address: str) -> None:
    alone = client.get(address).content
    client.force_login(make_user("ueno-no-longer-here"))
    assert client.get(address).content == alone


def test_league_card_has_the_number_of_players_without_counting_rows() -> None:
    league = make_league()
    days = (date(2025, 4, 4), date(2025, 4, 11), date(2025, 5, 2), date(2025, 11, 21))
    found = [make_session(league, day) for day in days]
    for session in found:
        play(session)
    league = found[0].league
    play(found[-1], players=make_players(league))
    refresh_standings.apply(args=(league.pk,)).get()
    with CaptureQueriesContext(connection) as asked:
        [card] = league_cards(AnonymousUser(), timezone.now())
    assert (card.hanchan, card.players) == (5, 8)
    assert not any("league_standing" in query["sql"] or "COUNT(" in query["sql"] for query in asked)


@pytest.mark.parametrize(
    ("in_order", "said"), [(True, ("Previous page", "Next page")), (False, ("Newer", "Older"))], ids=["rows", "history"]
)
def test_pager_says_older_only_for_history(in_order: bool, said: tuple[str, str]) -> None:
    found = Paginator(range(30), 10).page(2)
    request = RequestFactory().get("/?page=2")
    request.user = AnonymousUser()
    with override("en"):
        text = render_to_string("league/manage/pager.html", {"found": found, "in_order": in_order}, request)
    assert all(word in text for word in said)
    assert ("Older" in text) is not in_order


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
