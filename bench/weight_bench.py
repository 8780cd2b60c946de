"""P12: what a phone on a slow line has to fetch for the entry page and for a board, counted from the pages themselves."""

import gzip
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urljoin

from django.utils import timezone

from bench.pages_bench import addresses
from bench.product import logged_in, open_today, scorer_of
from bench.race import Row, count
from bench.visiting import get
from league.models import League

SOURCES = re.compile(r'<(?:script|link|img)\b[^>]*?\s(?:src|href)="([^"]+)"[^>]*>')
NOT_FETCHED = re.compile(r'rel="(?:canonical|alternate|manifest|icon|apple-touch-icon|preconnect|dns-prefetch)"')
IMPORTS = re.compile(r'(?:\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"]+|/[^"]+)"')
KILO = 1000


def rows(league: League) -> Iterator[Row]:
    """Yield bytes, compressed, and requests of the entry page and a board."""
    pages, cookie = pages_of(league)
    goals = {"entry page": 30 * KILO, "board": 20 * KILO}
    for name, address in pages.items():
        files = fetched(address, cookie)
        scripts = sum(size for at, size in files.items() if at.partition("?")[0].endswith(".js"))
        styles = sum(size for at, size in files.items() if at.partition("?")[0].endswith(".css"))
        found = [
            count(f"P12 {name}: bytes of script, compressed", scripts, goal=goals[name]),
            count(f"P12 {name}: bytes of style, compressed", styles, goal=25 * KILO),
            count(f"P12 {name}: bytes of HTML, compressed", files[address], goal=None),
            count(f"P12 {name}: requests", len(files), goal=12 if name == "entry page" else None),
        ]
        why = tuple(f"{size:,} bytes {at}" for at, size in sorted(files.items(), key=lambda each: -each[1]))
        yield from (row if row.ok else replace(row, why=why) for row in found)


def pages_of(league: League) -> tuple[dict[str, str], str]:
    """Return the addresses of the entry page and of a board, and the cookie of somebody who may enter results."""
    session = open_today(league, league.day_of(timezone.now()))
    month = addresses(league)["board of a month"]
    cookie = f"sessionid={logged_in(scorer_of([league]))}"
    return {"entry page": f"/l/{league.slug}/sessions/{session.pk}/enter/", "board": month}, cookie


def fetched(address: str, cookie: str) -> dict[str, int]:
    """Return everything that a browser fetches for a page, with the bytes of each, compressed."""
    found: dict[str, int] = {}
    waiting = [address]
    while waiting:
        at = waiting.pop()
        if at in found:
            continue
        answer = get(at, cookie=cookie, HTTP_ACCEPT_ENCODING="gzip")
        if answer.status != 200:
            message = f"{at} answered {answer.status}"
            raise RuntimeError(message)
        is_packed = answer.headers.get("content-encoding") == "gzip"
        body = gzip.decompress(answer.body) if is_packed else answer.body
        found[at] = len(answer.body) if is_packed else len(gzip.compress(body))
        waiting += named_in(at, answer.headers.get("content-type", ""), body.decode("utf-8", "replace"))
    return found


def named_in(at: str, media: str, text: str) -> list[str]:
    """Return the addresses that a page or a script has a browser fetch at once; `at` is where it lies."""
    if "html" in media:
        tags = [match for match in SOURCES.finditer(text) if not NOT_FETCHED.search(match[0])]
        return [urljoin(at, match[1]) for match in tags if not match[1].startswith(("data:", "http"))]
    if "javascript" in media:
        return [urljoin(at, name) for name in IMPORTS.findall(text)]
    return []
