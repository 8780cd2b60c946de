import http.client
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

PATIENCE = 60
"""Timeout in seconds for a response on a busy machine."""

CODECS = {"windows-31j": "cp932"}
"""Web names of encodings, by Python's."""

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def media(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def said(self) -> dict[str, Any]:
        try:
            read = json.loads(self.body)
        except ValueError:
            return {}
        return read if isinstance(read, dict) else {}

    @property
    def location(self) -> str:
        where = self.headers.get("location", "")
        return "/" + where.split("/", 3)[3] if "://" in where else where

    @cached_property
    def text(self) -> str:
        is_text = self.media.startswith("text/") or self.media.endswith(("json", "xml"))
        _, _, charset = self.headers.get("content-type", "").partition("charset=")
        return self.body.decode(CODECS.get(charset, charset) or "utf-8", "replace") if is_text else ""


class Visitor:
    def __init__(
        self,
        port: int,
        headers: Mapping[str, str],
        cookies: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.port, self.headers, self.patience = port, dict(headers), patience
        self.cookies: dict[str, str] = dict(cookies or {})

    def get(self, address: str, **headers: str) -> Answer:
        return self._ask("GET", address, headers)

    def send(self, address: str, fields: Any, *, is_lost: bool = False, **headers: str) -> Answer:
        return self.post(address, fields, is_lost=is_lost, Accept="application/json", **headers)

    def post(self, address: str, fields: Any, *, is_lost: bool = False, **headers: str) -> Answer:
        scheme = "https" if "X-Forwarded-Proto" in self.headers else "http"
        host = self.headers.get("Host", f"127.0.0.1:{self.port}")
        said = {"Referer": f"{scheme}://{host}/", "Content-Type": "application/x-www-form-urlencoded", **headers}
        return self._ask("POST", address, said, urlencode(fields), is_lost=is_lost)

    def log_in(self, name: str, password: str) -> None:
        answer = self.try_to_log_in(name, password)
        assert answer.status == 302, answer
        assert "sessionid" in self.cookies

    def try_to_log_in(self, name: str, password: str) -> Answer:
        page = self.get("/accounts/login/")
        token = TOKEN.search(page.text)
        assert token, page
        return self.post("/accounts/login/", {"csrfmiddlewaretoken": token[1], "username": name, "password": password})

    def _ask(
        self, method: str, address: str, headers: Mapping[str, str], body: str | None = None, *, is_lost: bool = False
    ) -> Answer:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.patience)
        try:
            connection.request(method, address, body, {**self.headers, "Cookie": cookies, **headers})
            response = connection.getresponse()
            if is_lost:
                return Answer(0)
            for line in response.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: each.value for name, each in SimpleCookie(line).items()}
            known = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, known, response.read())
        except (OSError, http.client.HTTPException):
            return Answer(0)
        finally:
            connection.close()


@dataclass(frozen=True)
class Named:
    """Same-site URLs in a response: linked pages, and files that it loads."""

    links: list[str]
    files: list[str]


def named_by(address: str, answer: Answer) -> Named:
    """Return the URLs in a response: a page, the manifest, the service worker, or a redirect."""
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
    """Return same-site URLs as paths without fragments, without duplicates, in order."""
    whole = [urlsplit(urljoin(f"//here{address}", name)) for name in names if not name.startswith("#")]
    ours = [each for each in whole if each.scheme in {"", "http", "https"} and each.hostname in HERE]
    return list(dict.fromkeys(each._replace(scheme="", netloc="", fragment="").geturl() for each in ours))


HERE = {"here", "tenbo.example", "127.0.0.1"}

FILES = {"script", "img", "source", "use", "link"}


class _Page(HTMLParser):
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
