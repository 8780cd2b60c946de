"""How much a phone has to load before a result can be typed, and that the phone keeps all of it."""

import gzip
import json
import re
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from django.test import Client

from league.models import Session
from league.views.offline import SHELL
from tests.conftest import ROOT
from tests.league.entry_contexts import at, link_of
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = pytest.mark.django_db

LIMIT = 30_000
"""Bytes of JavaScript of the entry page, compressed."""

IMPORTS = re.compile(r"""(?:\bfrom\s+|\bimport\s*\(?\s*)["']([^"']+)["']""")


@pytest.fixture
def evening() -> Session:
    """An open session at whose table somebody has played."""
    session = make_session(make_league())
    play(session)
    return session


def reachable(html: str) -> set[str]:
    """Return the scripts that a page loads: its own, what they import, at once or later."""
    open_ends = re.findall(r'<script[^>]*\bsrc="([^"]+)"', html)
    found: set[str] = set()
    while open_ends:
        url = open_ends.pop()
        if url not in found:
            found.add(url)
            open_ends += [urljoin(url, name) for name in IMPORTS.findall(source(url).decode())]
    return found


def source(url: str) -> bytes:
    """Return the file behind an address of the site's files."""
    return (ROOT / url.lstrip("/")).read_bytes()


def weight(urls: set[str]) -> int:
    """Return the bytes of files, each compressed on its own as a server sends them."""
    return sum(len(gzip.compress(source(url))) for url in urls)


@pytest.mark.parametrize("prefix", ["", "/en"], ids=["ja", "en"])
def test_scripts_of_the_entry_page_are_light(client: Client, evening: Session, prefix: str) -> None:
    html = client.get(f"{prefix}{at(link_of(evening))}").content.decode()
    scripts = reachable(html)
    names = {url.rpartition("/")[2] for url in scripts}
    assert names >= {
        "entry.js",
        "scores.js",
        "save.js",
        "outbox.js",
        "store.js",
        "table-state.js",
        "handover-send.js",
        "qr.js",
    }
    assert weight(scripts) <= LIMIT


def test_scripts_of_a_scorers_page_are_light(client: Client, evening: Session) -> None:
    client.force_login(make_user("ueno", league=evening.league, role="scorer"))
    html = client.get(f"/l/camarade/sessions/{evening.pk}/enter/").content.decode()
    assert weight(reachable(html)) <= LIMIT


def test_every_script_is_counted(client: Client, evening: Session) -> None:
    """The control: what is imported only later, and through another module, is in the sum."""
    html = client.get(at(link_of(evening))).content.decode()
    first = set(re.findall(r'<script[^>]*\bsrc="([^"]+)"', html))
    assert "/static/vendor/lean-qr/qr.js" not in first
    assert weight(reachable(html)) > weight(first)


def files_of(html: str) -> Iterator[str]:
    """Return the files that a page is drawn with."""
    yield from reachable(html)
    yield from re.findall(r'<link rel="stylesheet" href="([^"]+)"', html)


@pytest.mark.parametrize(
    "address", ["table", "/e/outbox/", "/e/hand/", "/offline/", "/l/camarade/standings/all/"], ids=lambda each: each
)
def test_a_phone_keeps_every_file_of_the_pages_it_keeps(client: Client, evening: Session, address: str) -> None:
    url = at(link_of(evening)) if address == "table" else address
    html = client.get(url).content.decode()
    assert set(files_of(html)) - {f"/static/{name}" for name in SHELL} == set()


def test_files_that_a_phone_keeps_exist() -> None:
    assert [name for name in SHELL if not (ROOT / "static" / name).is_file()] == []


def test_worker_is_asked_for_anew_and_knows_its_files(client: Client) -> None:
    answer = client.get("/sw.js")
    assert answer.headers["Content-Type"] == "text/javascript"
    assert answer.headers["Cache-Control"] == "no-cache"
    found = re.search(r"^const SAID = (.*);$", answer.content.decode(), re.MULTILINE)
    assert found
    said = json.loads(found[1])
    assert said["pages"] == ["/offline/", "/e/outbox/", "/e/hand/", "/en/offline/", "/en/e/outbox/", "/en/e/hand/"]
    assert len(said["shell"]) == len(SHELL)


@pytest.mark.parametrize(("prefix", "language"), [("", "ja"), ("/en", "en")])
def test_manifest_names_files_that_exist(client: Client, prefix: str, language: str) -> None:
    answer = client.get(f"{prefix}/manifest.webmanifest")
    assert answer.headers["Content-Type"] == "application/manifest+json"
    said = answer.json()
    assert said["lang"] == language
    assert said["start_url"] == f"{prefix}/"
    assert {icon["purpose"] for icon in said["icons"]} == {"any", "maskable"}
    assert all(source(icon["src"]).startswith(b"\x89PNG") for icon in said["icons"])


@pytest.mark.parametrize("address", ["/offline/", "/e/outbox/", "/e/hand/"])
def test_pages_for_whoever_holds_the_phone_name_nobody(client: Client, address: str) -> None:
    alone = client.get(address).content
    client.force_login(make_user("ueno-no-longer-here"))
    assert client.get(address).content == alone
