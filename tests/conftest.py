import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import pytest
import time_machine
from coverage import Coverage
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client, TransactionTestCase, override_settings
from django.utils import timezone, translation
from hypothesis import settings as hypothesis_settings
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from pytest_django import DjangoDbBlocker

from league import background
from league.models import League, Session
from tests import services
from tests.browsers import FLAGS, find_browser, launching, use_own_node
from tests.budget import EXAMPLES
from tests.deadlines import PAGE, patience
from tests.emptying import empty_after
from tests.league.factories import make_league, make_session, make_user
from tests.meter import warm_up
from tests.processes import end, program, wait_for
from tests.raised import watching

# No garbage collection until all tests are collected.
gc.disable()

# No deadline: the duration of an example depends on the machine more than on the code.
hypothesis_settings.register_profile("tenbo", deadline=None, max_examples=EXAMPLES)
hypothesis_settings.load_profile("tenbo")

ROOT = Path(__file__).resolve().parent.parent

needs_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL does this")
"""For concurrency tests: SQLite allows one writer at a time."""

PHONE = (360, 640)
DESKTOP = (1280, 900)


class QuickHasher(PBKDF2PasswordHasher):
    """A fast password hasher whose format is the same in every process."""

    iterations = 1


def pytest_configure() -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.QuickHasher"]
    settings.SEATING_PROPOSALS = 2_000


def pytest_collection_finish() -> None:
    """Enable garbage collection again, and exempt the imported modules and collected tests from it."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Retry browser and server tests once, as they may time out; the summary names each retry."""
    for item in items:
        if item.get_closest_marker("browser") or "tests/production/" in item.nodeid:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def servers() -> None:
    """PostgreSQL and Redis, for tests that use Redis without the database."""
    services.start()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None, servers: None) -> None:
    """Start the servers before the test database is created, and create it from the server's template."""
    del django_db_modify_db_settings_parallel_suffix, servers
    if connection.vendor == "postgresql":
        connection.settings_dict["TEST"]["TEMPLATE"] = os.environ.get("TEST_TEMPLATE")


@pytest.fixture(scope="session", autouse=True)
def _quickly_emptied() -> Iterator[None]:
    """Empty the database with `tests.emptying` after tests that commit."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TransactionTestCase, "_fixture_teardown", empty_after)
        yield


def built_once(**options: Any) -> Callable[[Callable[[], object]], Any]:
    """Make a function that builds expensive data a fixture that calls it once per test file, under these settings.

    The data is stored in a transaction around those of the tests, so every test of the file must use it and none may commit.
    """

    def decorator(build: Callable[[], object]) -> Any:
        @pytest.fixture(scope="module", name=build.__name__)
        def built(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[object]:
            del django_db_setup
            around = transaction.atomic()
            with django_db_blocker.unblock():
                around.__enter__()
            try:
                with override_settings(**options):
                    with django_db_blocker.unblock():
                        stored = build()
                    yield stored
            finally:
                with django_db_blocker.unblock():
                    transaction.set_rollback(True)
                    around.__exit__(None, None, None)

        return built

    return decorator


@pytest.fixture(autouse=True)
def editions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail if a service changes a page without raising the league's edition.

    Page caching is off, as tests also change rows without services.
    """
    if "django_db" not in request.node.keywords:
        yield
        return
    monkeypatch.setattr("league.http.caching.KEEP_PAGE", 0)
    with watching():
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Measure the coverage of the core packages, in tests that need no server.

    Tests with thousands of random inputs are left out: there measuring is slow and adds little.
    """
    measuring = Coverage.current()
    if measuring is None or is_measured(item):
        return (yield)
    measuring.stop()
    try:
        return (yield)
    finally:
        if nextitem is not None and is_measured(nextitem):
            forget_answers()
        measuring.start()


def is_measured(item: pytest.Item) -> bool:
    return not (needs_servers(item) or "at_random" in item.keywords)


def forget_answers() -> None:
    """Clear the caches of core functions, so that coverage counts every line."""
    for name, module in [*sys.modules.items()]:
        if name.split(".")[1:2] == ["core"]:
            for kept in [*vars(module).values()]:
                if isinstance(kept, _lru_cache_wrapper):
                    kept.cache_clear()


def needs_servers(item: pytest.Item) -> bool:
    asked: list[str] = getattr(item, "fixturenames", [])
    return bool({"django_db_setup", "live_server", "servers"} & {*asked}) or "django_db" in item.keywords


SKIPPED_BECAUSE = (
    "only PostgreSQL does this",
    "only SQLite keeps what it has freed in its file",
    "only Linux asks which process to end first",
    "no nginx with nchan",
    "no pgbouncer",
)
"""Accepted reasons to skip: the engine or the machine lacks what is tested."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Any:
    """Fail a test that is skipped for any other reason."""
    report: Any = yield
    if report.skipped and not report.longrepr[2].removeprefix("Skipped: ").startswith(SKIPPED_BECAUSE):
        report.outcome, report.longrepr = "failed", f"It may not be skipped because of: {report.longrepr[2]}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """Stop the embedded worker after the test that started it, so it does not sweep another test's database."""
    background.retire()


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    yield
    if services.are_running():
        for cache in caches.all(initialized_only=True):
            cache.clear()


@pytest.fixture(params=["ja", "en"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    with translation.override(request.param):
        yield request.param


@pytest.fixture
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture
def mail(settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"


@pytest.fixture
def pass_seconds() -> Iterator[Callable[[int], None]]:
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield lambda seconds: traveller.shift(timedelta(seconds=seconds))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium for the whole run. If there is none, the run fails: browser tests are never skipped."""
    path = find_browser()
    assert path, "No Chromium; run: python -m tests.tools"
    use_own_node()
    # The first page takes two seconds longer, which would count towards the timeout of the first test.
    warm_up()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), env={**launching(path)})
        yield browser
        browser.close()


class OpenPage(Protocol):
    """Open browser pages of a given size, theme and language; `lacks` is a script that disables some of their APIs."""

    def __call__(
        self,
        size: tuple[int, int] = PHONE,
        *,
        dark: bool = False,
        language: str = "ja",
        lacks: str = "",
        **options: Any,
    ) -> Page: ...


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Return a function that opens pages; script errors fail the test."""
    contexts, mishaps = [], []
    milliseconds = 1000 * patience(PAGE)
    expect.set_options(timeout=milliseconds)

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            mishaps.append(message.text)

    def opened(
        size: tuple[int, int] = PHONE, *, dark: bool = False, language: str = "ja", lacks: str = "", **options: Any
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            locale={"ja": "ja-JP"}.get(language, language),
            **options,
        )
        contexts.append(context)
        context.add_init_script(lacks or "null")
        context.on("weberror", lambda error: mishaps.append(str(error.error)))
        context.on("console", note)
        page = context.new_page()
        page.set_default_timeout(milliseconds)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not mishaps, mishaps


@pytest.fixture
def start_worker(transactional_db: None) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    del transactional_db
    workers: list[subprocess.Popen[bytes]] = []
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--pool", "solo", "--loglevel", "INFO"]
    command += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    log = Path(settings.VAR_DIR) / "worker.log"

    def started() -> subprocess.Popen[bytes]:
        log.unlink(missing_ok=True)
        worker = program(command, os.environ | {"DATABASE_URL": database_url(), "PYTHONUNBUFFERED": "1"}, log)
        workers.append(worker)
        wait_for(worker, lambda: b" ready." in log.read_bytes(), log)
        return worker

    yield started
    for worker in workers:
        end(worker, signal.SIGTERM)


def database_url() -> str:
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    account = quote(database["USER"], safe="")
    if database["PASSWORD"]:
        account += ":" + quote(database["PASSWORD"], safe="")
    return f"postgresql://{account}@{quote(database['HOST'], safe='')}:{database['PORT']}/{database['NAME']}"


@pytest.fixture
def league(db: None) -> League:
    del db
    return make_league()


@pytest.fixture
def session(league: League) -> Session:
    return make_session(league)


@pytest.fixture
def organiser(client: Client, league: League) -> Client:
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return client


@pytest.fixture
def scorer(client: Client, league: League) -> Client:
    client.force_login(make_user("ueno", league=league, role="scorer"))
    return client


@pytest.fixture
def owner(client: Client, league: League) -> Client:
    client.force_login(make_user("aoki", league=league, role="owner"))
    return client
