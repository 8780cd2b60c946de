import gzip
import re
from dataclasses import dataclass

import pytest
from django.test import Client

from tests.league.factories import make_league, make_session, play, settle

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
SHEET = "/static/css/components.css"
BOARD = "/l/camarade/standings/2025-11/"
TABLE = "/l/camarade/manage/export/file/"
TOKENS = re.compile(rb'name="csrfmiddlewaretoken" value="\w+"')


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def is_compressed(self) -> bool:
        return self.headers.get("Content-Encoding") == "gzip"

    @property
    def text(self) -> bytes:
        return TOKENS.sub(b"", gzip.decompress(self.body) if self.is_compressed else self.body)


def ask(address: str, headers: dict[str, str], method: str = "GET") -> Answer:
    answer = Client().generic(method, address, headers=headers)
    return Answer(answer.status_code, dict(answer.headers), answer.getvalue())


@pytest.fixture(autouse=True)
def _league() -> None:
    play(make_session(make_league()))
    settle()


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(BOARD, id="page"),
        pytest.param(SHEET, id="style sheet"),
        pytest.param("/static/js/save.js", id="script"),
        pytest.param("/static/icons/sprite.svg", id="icons"),
        pytest.param("/sw.js", id="service worker"),
        pytest.param("/manifest.webmanifest", id="manifest"),
        pytest.param(TABLE, id="table in pieces"),
    ],
)
def test_text_is_compressed_on_request(address: str) -> None:
    plain, packed = ask(address, {}), ask(address, GZIP)
    assert (plain.is_compressed, packed.is_compressed) == (False, True)
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert packed.text == plain.text


@pytest.mark.parametrize("address", [BOARD, SHEET])
@pytest.mark.parametrize("headers", [GZIP, {}], ids=["compressed", "plain"])
def test_unchanged_content_answers_304(address: str, headers: dict[str, str]) -> None:
    tag = ask(address, headers).headers["ETag"]
    assert tag.startswith("W/") is bool(headers)
    again = ask(address, {**headers, "If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")
    assert ask(address, {**headers, "If-None-Match": 'W/"another"'}).status == 200


@pytest.mark.parametrize(
    "address", ["/static/icons/app/icon-512.png", f"{TABLE}?format=xlsx"], ids=["picture", "workbook"]
)
def test_compressed_formats_are_not_compressed_again(address: str) -> None:
    assert not ask(address, GZIP).is_compressed


def test_range_request_is_not_compressed() -> None:
    part = ask(SHEET, {**GZIP, "Range": "bytes=0-9"})
    assert (part.status, part.is_compressed, len(part.body)) == (206, False, 10)


def test_head_request_has_no_body() -> None:
    head = ask(SHEET, GZIP, "HEAD")
    assert (head.status, head.body) == (200, b"")
