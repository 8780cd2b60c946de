"""What goes over the wire: one question, one answer, or none."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

TOKEN = "b" * 32
"""The secret against forged posts; in the cookie and in the form alike."""

PATIENCE = 8.0
"""Seconds for which an answer is waited for; half of what a phone waits."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def said(self) -> dict[str, Any]:
        """The answer of a script's question; empty for anything else."""
        try:
            read = json.loads(self.text)
        except ValueError:
            return {}
        return read if isinstance(read, dict) else {}

    @property
    def location(self) -> str:
        """Where a redirect leads, as a path of the site."""
        where = self.headers.get("location", "")
        return "/" + where.split("/", 3)[3] if "://" in where else where


@dataclass(frozen=True)
class Door:
    """Where the site listens, and what everybody who comes says of themselves."""

    port: int
    headers: Mapping[str, str]

    def get(self, address: str, cookie: str = "") -> Answer | None:
        """Return what an address answers; None where nobody does."""
        return self._ask("GET", address, None, {"Cookie": cookie}, is_lost=False)

    def post(
        self, address: str, fields: Any, cookie: str = "", *, wants_json: bool = False, is_lost: bool = False
    ) -> Answer | None:
        """Return what an address answers to a form; None where nobody does, or where the answer `is_lost` on its way."""
        scheme = self.headers.get("X-Forwarded-Proto", "http")
        host = self.headers.get("Host", f"127.0.0.1:{self.port}")
        named = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Referer": f"{scheme}://{host}/",
            "Cookie": cookie,
        }
        if wants_json:
            named |= {"Accept": "application/json", "X-CSRFToken": TOKEN}
        return self._ask("POST", address, urlencode(fields), named, is_lost=is_lost)

    def _ask(
        self, method: str, address: str, body: str | None, headers: Mapping[str, str], *, is_lost: bool
    ) -> Answer | None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, address, body, {**self.headers, **headers})
            response = connection.getresponse()
            if is_lost:
                return None
            known = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, known, response.read().decode("utf-8", "replace"))
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
