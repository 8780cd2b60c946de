"""The production stack, started from compose.yaml's own commands, beside the embedded site of `make run`.

What runs on one database runs on the other; and every file that anything names is there, and kept for good.
"""

import json
import re
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath
from urllib.parse import urljoin

import psycopg
import pytest
from django.conf import settings
from redis import Redis

from config.cache import PREFIX
from league.selectors.demo_accounts import PASSWORD
from tests.budget import budget
from tests.conftest import ROOT, needs_postgresql
from tests.deadlines import wait_until
from tests.production.browsing import Answer, Visitor, named_by
from tests.production.compose import SERVICES
from tests.production.slow_visitors import HEADS, Dripper, slow_visitors
from tests.production.stack import Site, started

pytestmark = [pytest.mark.long, needs_postgresql]

Sites = tuple[Site, Site]

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")

ROLES = {"anonymous": "", "scorer": "ueno", "owner": "aoki"}
STARTS = ("/", "/sw.js", "/l/camarade/", "/l/cinderella/")

CLICKS = budget(3, least=2)
OWN = re.compile(r"\b[0-9a-z]+-[0-9a-z]{26}\b|\b[hs]-[0-9a-f]{12,32}\b|[0-9a-f]{12}")
"""Random codes, keys and versions, different on each site."""

GZIP = {"Accept-Encoding": "gzip"}
UNDER_ITS_HASH = re.compile(r"/static/[\w./-]+\.[0-9a-f]{12}\.\w+")
NAMES_IN = {
    ".js": re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.[^"']*)["']"""),
    ".css": re.compile(r"""\burl\(\s*["']?([^"')\s]+)"""),
}
"""How scripts and style sheets name other files."""

PROMPT = 30
"""Seconds for a page on a busy machine; slow visitors would hold it up for ever."""

FACTS = re.compile(r"^const SAID = (.+);$", re.MULTILINE)


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    """A production site and an embedded one with the same leagues in them."""
    with started(tmp_path_factory.mktemp("stack")) as both:
        yield both


@pytest.fixture(scope="module")
def drippers(sites: Sites) -> list[Dripper]:
    return [Dripper(site.port) for site in sites]


@dataclass
class Walk:
    pages: int = 0
    faults: list[str] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def walked(sites: Sites) -> Callable[[str], Walk]:
    @cache
    def walk_as(role: str) -> Walk:
        production, embedded = (site.visitor(ROLES[role], PASSWORD) for site in sites)
        seen, level = Walk(), [*STARTS]
        for _ in range(CLICKS + 1):
            named: list[str] = []
            for address in level:
                answer, other = production.get(address), embedded.get(address)
                kinds = [(each.status, each.media) for each in (answer, other)]
                if kinds[0] != kinds[1] or not (200 <= answer.status < 400 or answer.status == 403):
                    seen.faults.append(f"{address} answers {kinds[0]}; {kinds[1]} on the embedded site")
                found = named_by(address, answer)
                named += found.links
                seen.files |= {*found.files}
                seen.pages += 1
            level = [address for address in named if _is_new(address, seen)]
        return seen

    return walk_as


def _is_new(address: str, seen: Walk) -> bool:
    """Return whether an address is the first of its kind; what either site has made up for itself is left out."""
    kind = re.sub(r"/l/[\w-]+/", "/l/any/", re.sub(r"\d+", "0", re.sub(r"(?<=[?&]next=)[^&]*", "", address)))
    is_new = kind not in seen.kinds and not OWN.search(address)
    seen.kinds.add(kind)
    return is_new


@pytest.mark.parametrize("role", ROLES)
def test_every_page_answers_as_on_the_embedded_site(walked: Callable[[str], Walk], role: str) -> None:
    seen = walked(role)
    assert seen.pages > budget(100, least=40)
    assert seen.faults == []


def test_every_file_that_is_named_is_kept_for_good(sites: Sites, walked: Callable[[str], Walk]) -> None:
    production, embedded = (site.visitor() for site in sites)
    # Share pictures are drawn from the facts, and kept for as long as those stay: tests/stats/test_cards.py.
    named = {file for role in ROLES for file in walked(role).files if "card.png" not in file} | shell(production)
    assert len(named) > 40
    seen: set[str] = set()
    faults: list[str] = []
    while named:
        seen |= named
        answers = {name: production.get(name, **GZIP) for name in sorted(named)}
        faults += [f"{name}: {fault}" for name, answer in answers.items() if (fault := what_is_wrong(name, answer))]
        faults += [
            f"{name} is not on the embedded site"
            for name in named
            if not is_there(embedded, re.sub(r"\.[0-9a-f]{12}(?=\.\w+)", "", name))
        ]
        named = {inner for name in named for inner in names_in(production, name)} - seen
    assert faults == []


@pytest.mark.usefixtures("drippers")
def test_pages_of_the_service_worker_are_there(sites: Sites) -> None:
    for visitor in (site.visitor() for site in sites):
        assert [page for page in said(visitor)["pages"] if visitor.get(page).status != 200] == []


def test_cache_entries_expire(sites: Sites) -> None:
    assert sites[0].visitor().get("/l/camarade/standings/all/").status == 200
    with Redis.from_url(sites[0].environment["REDIS_URL"]) as redis:
        kept = {key: redis.ttl(key) for key in redis.scan_iter(match=f"{PREFIX}:*")}
    assert kept
    assert [key for key, seconds in kept.items() if seconds == -1] == []


BOTH = pytest.mark.parametrize("number", [0, 1], ids=["production", "embedded"])


@BOTH
def test_pages_leave_compressed_and_the_entry_page_is_light(sites: Sites, number: int) -> None:
    visitor = sites[number].visitor("ueno", PASSWORD)
    assert visitor.get("/l/camarade/", **GZIP).headers["content-encoding"] == "gzip"
    address = visitor.get("/l/camarade/enter/").headers["location"]
    named = {*named_by(address, visitor.get(address)).files}
    # Besides these: page, manifest, and other phones at the table.
    assert len(named) + 3 <= 12, named
    while more := {inner for name in named for inner in names_in(visitor, name)} - named:
        named |= more
    answers = [visitor.get(name, **GZIP) for name in named]
    assert sum(len(answer.body) for answer in answers if answer.media == "text/javascript") <= 30_000
    assert sum(len(answer.body) for answer in answers if answer.media == "text/css") <= 25_000


# --- Slow visitors and slow databases -------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("way", HEADS)
def test_slow_visitors_block_no_one(sites: Sites, number: int, way: str) -> None:
    site = sites[number]
    # The largest file must not be loaded before the first read.
    (font,) = (ROOT / "static").rglob("*.ttf")
    file = f"/static/{font.relative_to(ROOT / 'static')}"
    with slow_visitors(site.port, site.headers, way, file), ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(site.visitor().get, address) for address in ("/healthz", "/", "/glossary/", "/sw.js")]
        assert [each.result(PROMPT).status for each in asked] == [200] * 4


@BOTH
def test_endless_header_is_disconnected(sites: Sites, drippers: list[Dripper], number: int) -> None:
    assert drippers[number].is_hung_up_on.wait(60)
    assert sites[number].visitor().get("/healthz").status == 200


def test_a_visitor_cannot_say_where_they_come_from(sites: Sites) -> None:
    sites[0].visitor().get("/glossary/?from=somewhere", **{"X-Forwarded-For": "203.0.113.9"})
    assert wait_until(lambda: "/glossary/?from=somewhere" in sites[0].log("web"))
    (line,) = (line for line in sites[0].log("web").splitlines() if "/glossary/?from=somewhere" in line)
    assert line.startswith("127.0.0.1 ")


def test_locked_embedded_database_is_reported_in_time(sites: Sites) -> None:
    site = sites[1]
    visitor = site.visitor()
    with closing(sqlite3.connect(site.folder.parent / "var" / "tenbo.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = visitor.try_to_log_in("ueno", PASSWORD)
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")
        assert "ただいま応答できません" in answer.text
        assert visitor.get("/glossary/").status == 200
    site.visitor("ueno", PASSWORD)


# --- Files -----------------------------------------------------------------------------------------------------------


def said(visitor: Visitor) -> dict[str, list[str]]:
    facts = FACTS.search(visitor.get("/sw.js").text)
    assert facts
    told: dict[str, list[str]] = json.loads(facts[1])
    return told


def shell(visitor: Visitor) -> set[str]:
    return {*said(visitor)["shell"]}


def what_is_wrong(name: str, answer: Answer) -> str:
    if answer.status != 200:
        return str(answer.status)
    if not UNDER_ITS_HASH.fullmatch(name) or "immutable" not in answer.headers["cache-control"]:
        return "is not kept for good"
    is_text = answer.media in {"text/css", "text/javascript"} and len(answer.body) > 1000
    return "is not compressed" if is_text and "content-encoding" not in answer.headers else ""


def is_there(visitor: Visitor, name: str) -> bool:
    return visitor.get(name).status == 200


def names_in(visitor: Visitor, name: str) -> set[str]:
    pattern = NAMES_IN.get(PurePosixPath(name).suffix)
    found = pattern.findall(visitor.get(name).text) if pattern else []
    return {urljoin(name, inner).partition("#")[0] for inner in found if not inner.startswith("data:")}


# --- The parts -------------------------------------------------------------------------------------------------------


def test_production_parts_work_together(sites: Sites) -> None:
    site = sites[0]
    visitor = site.visitor()
    assert visitor.get("/healthz").said == {"database": True, "broker": True}
    assert "max-age" in visitor.get("/").headers["strict-transport-security"]
    assert visitor.get("/", Host="someone-else.example").status == 400
    assert visitor.get("/", **{"X-Forwarded-Proto": "http"}).headers["location"] == "https://tenbo.example/"

    web = json.loads(
        re.sub(r"\\\n\s*", "", DOCKERFILE).partition("HEALTHCHECK")[2].partition("CMD ")[2].partition("\n")[0]
    )
    assert is_healthy(site, ["CMD", *(word.replace(":8000", f":{site.port}") for word in web)]), site.log("web")
    for worker in ("worker", "jobs"):
        assert is_healthy(site, SERVICES[worker]["healthcheck"]["test"]), site.log(worker)
    beat = [word.replace("/tmp", str(site.folder.parent)) for word in SERVICES["beat"]["healthcheck"]["test"]]
    assert wait_until(lambda: is_healthy(site, beat)), site.log("beat")


def is_healthy(site: Site, check: list[str]) -> bool:
    command = ["sh", "-c", check[1].replace("$$", "$")] if check[0] == "CMD-SHELL" else check[1:]
    return subprocess.run(command, cwd=ROOT, env=site.environment, check=False, capture_output=True).returncode == 0


ENTERED = """
import django
django.setup()
from league.models import Job
from league.services.history import SYSTEM
from league.services.job_requests import start_job
from tests.league.factories import make_league, make_session, play
session = make_session(make_league("entered", is_public=False))
play(session)
start_job(league=session.league, kind=Job.Kind.REBUILD, by=SYSTEM)
print("{}")
"""

OF_LEAGUE = "FROM {} JOIN league_league ON league_league.id = league_id WHERE slug = 'entered'"


def test_one_worker_brings_boards_up_to_date_and_another_does_long_work(sites: Sites) -> None:
    site = sites[0]
    site.ask("-c", ENTERED)
    with psycopg.connect(site.environment["DATABASE_URL"], autocommit=True) as database:

        def count(table: str) -> int:
            found = database.execute(f"SELECT COUNT(*) {OF_LEAGUE.format(table)}").fetchone()
            assert found
            return int(found[0])

        assert wait_until(lambda: count("league_standing") == 3 * 4, 30), site.log("worker")
        assert wait_until(lambda: count("league_staleperiod") == 0, 30), site.log("worker")
        done = f"SELECT league_job.state {OF_LEAGUE.format('league_job')}"
        assert wait_until(lambda: database.execute(done).fetchall() == [("done",)], 30), site.log("jobs")
    assert {"league.run_job"} <= tasks_of(site.log("jobs")) <= settings.CELERY_TASK_ROUTES.keys()
    assert "league.refresh_standings" in tasks_of(site.log("worker"))
    assert "league.run_job" not in tasks_of(site.log("worker"))


def tasks_of(log: str) -> set[str]:
    return set(re.findall(r"Task (\S+)\[\S+\] received", log))
