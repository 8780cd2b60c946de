"""Crawl all pages that one user can reach by links from the home page."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import urldefrag, urljoin, urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

from tests.journeys.html import see

SAMPLES = 1
"""URLs opened per view, league and tournament."""

SEPARATE = {
    "league:hanchan": 4,
    "league:live": 4,
    "league:player_edit": 8,
    "league:rules_version": 8,
    "league:session": 12,
    "league:table_links": 2,
    "stats:player": 8,
    "tournaments:plan": 2,
}
"""Views whose pages offer different things in different states, with the number of URLs to open."""


@dataclass(slots=True)
class Crawl:
    offered: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)


@cache
def kind_of(path: str) -> str:
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


def crawl(client: Client, start: str = "/", within: str = "/") -> Crawl:
    """Follow links under the prefix, breadth first, opening a few URLs per view and league; forms are only noted."""
    found = Crawl()
    waiting, known, opened = deque([(start, "")]), {start}, Counter[tuple[str, str]]()
    while waiting:
        address, came_from = waiting.popleft()
        path = urlsplit(address).path
        kind = kind_of(path)
        group = (kind, "/".join(path.split("/")[: 5 if "/t/" in path else 3]))
        opened[group] += 1
        if opened[group] > SEPARATE.get(kind, SAMPLES) or kind in {"logout", "set_language"}:
            continue
        for target in targets(client, address, came_from, found):
            found.offered.setdefault(kind_of(urlsplit(target).path), address)
            if target not in known and target.startswith(within):
                known.add(target)
                waiting.append((target, address))
    return found


def targets(client: Client, address: str, came_from: str, found: Crawl) -> list[str]:
    response = client.get(address, follow=True)
    final = urljoin(address, response.redirect_chain[-1][0]) if response.redirect_chain else address
    found.offered.setdefault(kind_of(urlsplit(final).path), came_from)
    if response.status_code != 200:
        found.refused.append(f"{response.status_code}: {address}, linked from {came_from}")
        return []
    if response.streaming:
        assert response.getvalue() is not None
        return []
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return []
    if 'class="button plain" href=""' in (html := response.content.decode()):
        found.refused.append(f"{address}: a button leads back to the page itself")
    seen = see(html)
    for form in seen.forms:
        for action in {form.action, *(button.action or "" for button in form.buttons)}:
            found.offered.setdefault(kind_of(urlsplit(urljoin(final, action)).path), address)
    absolute = [urldefrag(urljoin(final, link.href)).url.removeprefix("http://testserver") for link in seen.links]
    return [target for target in absolute if target.startswith("/") and not target.startswith(("/static/", "/en/"))]
