"""Visitors of a running site: what an address answers, and what a page names."""

import http.client
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urljoin, urlsplit

PATIENCE = 60
"""Seconds for an answer on a busy machine."""

CODECS = {"windows-31j": "cp932"}
"""What Python calls an encoding, where that is not what the web calls it."""

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@dataclass(frozen=True)
class Answer:
    """What an address answered, read to its end; the status is 0 where nobody did."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def media(self) -> str:
        """The media type without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0]

    @cached_property
    def text(self) -> str:
        """The body as text; empty for what is none."""
        is_text = self.media.startswith("text/") or self.media.endswith(("json", "xml"))
        _, _, charset = self.headers.get("content-type", "").partition("charset=")
        return self.body.decode(CODECS.get(charset, charset) or "utf-8", "replace") if is_text else ""


class Visitor:
    """Somebody at a site that listens here, under the name and behind the proxy that `headers` say."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self.port = port
        self.headers = dict(headers)
        self.cookies: dict[str, str] = {}

    def get(self, address: str, **headers: str) -> Answer:
        """Return what an address of the site answers; nobody follows a redirect."""
        return self._ask("GET", address, headers)

    def send(self, address: str, fields: Mapping[str, str]) -> Answer:
        """Return what the site answers to the script of a phone that sends this form."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        return self._ask("POST", address, headers, urlencode(fields))

    def log_in(self, name: str, password: str) -> None:
        """Log in through the form of the site."""
        answer = self.try_to_log_in(name, password)
        assert answer.status == 302, answer
        assert "sessionid" in self.cookies

    def try_to_log_in(self, name: str, password: str) -> Answer:
        """Return what the form of the site answers."""
        return self.fill_in("/accounts/login/", {"username": name, "password": password})

    def fill_in(self, address: str, fields: Mapping[str, str]) -> Answer:
        """Return what the site answers to the form of a page."""
        page = self.get(address)
        token = TOKEN.search(page.text)
        assert token, page
        scheme = "https" if "X-Forwarded-Proto" in self.headers else "http"
        host = self.headers.get("Host", f"127.0.0.1:{self.port}")
        headers = {"Referer": f"{scheme}://{host}{address}", "Content-Type": "application/x-www-form-urlencoded"}
        return self._ask("POST", address, headers, urlencode({"csrfmiddlewaretoken": token[1], **fields}))

    def _ask(self, method: str, address: str, headers: Mapping[str, str], body: str | None = None) -> Answer:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, address, body, {**self.headers, "Cookie": cookies, **headers})
            response = connection.getresponse()
            for line in response.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: each.value for name, each in SimpleCookie(line).items()}
            known = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, known, response.read())
        except OSError:
            return Answer(0)
        finally:
            connection.close()


# --- What a page names -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Named:
    """The addresses on this site that an answer names: pages to go to, and files that it is made of."""

    links: list[str]
    files: list[str]


def named_by(address: str, answer: Answer) -> Named:
    """Return what an answer names: its page, the manifest and the service worker, or a redirect."""
    if "location" in answer.headers:
        return Named(_here(address, [answer.headers["location"]]), [])
    if answer.media == "application/manifest+json":
        facts = json.loads(answer.body)
        pages = [facts["start_url"], *(shortcut["url"] for shortcut in facts["shortcuts"])]
        return Named(pages, [icon["src"] for icon in facts["icons"]])
    page = _Page()
    if answer.media == "text/html":
        page.feed(answer.text)
    return Named(_here(address, page.links), _here(address, page.files))


def _here(address: str, names: list[str]) -> list[str]:
    """Return the names as paths of the site, without what stands on another one or behind a "#"; each once, in order."""
    whole = [urlsplit(urljoin(f"//here{address}", name)) for name in names if not name.startswith("#")]
    ours = [each for each in whole if each.scheme in {"", "http", "https"} and each.hostname in HERE]
    return list(dict.fromkeys(each._replace(scheme="", netloc="", fragment="").geturl() for each in ours))


HERE = {"here", "tenbo.example", "127.0.0.1"}

FILES = {"script", "img", "source", "use", "link"}


class _Page(HTMLParser):
    """The links and the files of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.files: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        is_page = said.get("rel") in {"alternate", "manifest", "canonical"} or tag == "a"
        for name in ("href", "src", "hx-get"):
            if said.get(name):
                (self.files if tag in FILES and not is_page else self.links).append(said[name])
