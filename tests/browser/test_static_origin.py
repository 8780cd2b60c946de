from collections.abc import Iterator
from socketserver import ThreadingMixIn
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.core.wsgi import get_wsgi_application
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.conftest import OpenPage
from tests.deadlines import wait_until

KEPT = """async () => {
  const found = [];
  for (const name of await caches.keys()) {
    found.push(...(await (await caches.open(name)).keys()).map((each) => each.url));
  }
  return found;
}"""


class Server(ThreadingMixIn, WSGIServer):
    """Serve static files with WhiteNoise as in production, which Django's test server does not."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_said: object) -> None:
        """Log nothing."""


@pytest.fixture
def origins(live_server: LiveServer, settings: Any) -> Iterator[tuple[str, str]]:
    with make_server("127.0.0.1", 0, get_wsgi_application(), Server, Quiet) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        files = f"http://127.0.0.1:{server.server_port}"
        settings.STATIC_URL = f"{files}/static/"
        said = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
        more = {name: [*said[name], files] for name in ("connect-src", "script-src", "style-src", "img-src")}
        settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": said | more}
        yield live_server.url, files
        server.shutdown()


def is_drawn(page: Page) -> bool:
    style = "getComputedStyle(document.querySelector('header.top .top-in')).display === 'flex'"
    return bool(page.evaluate(f"{style} && document.querySelector('.brand use').getBBox().width > 0"))


@pytest.mark.long
def test_page_works_with_static_files_from_another_origin(origins: tuple[str, str], open_page: OpenPage) -> None:
    pages, files = origins
    page = open_page()
    asked: list[str] = []
    failed: list[str] = []
    page.on("response", lambda answer: asked.append(answer.url.partition("?")[0]))
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto(f"{pages}/glossary/")
    assert is_drawn(page)
    assert wait_until(lambda: f"{files}/static/js/app.js" in page.evaluate(KEPT))
    assert {url.partition("/static/")[0] for url in asked if "/static/" in url and "sprite.svg" not in url} == {files}
    assert f"{pages}/static/icons/sprite.svg" in asked
    assert failed == []
    # Offline, the cached copy is complete.
    page.goto(f"{pages}/e/outbox/")
    page.context.set_offline(True)
    page.reload()
    assert is_drawn(page)
    expect(page.locator("main")).to_be_visible()
