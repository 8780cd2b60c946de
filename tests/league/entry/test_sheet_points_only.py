import re
from typing import Any

import pytest
from django.test import Client

from league.models import Hanchan, Session
from tests.league.entry.test_sheet import (
    address,
    evening,
    form_in,
    form_of,
    post,
    post_rows,
    row,
    statuses,
    text_of,
    with_players,
)
from tests.league.entry_contexts import JSON
from tests.league.factories import play, points_of

__all__ = ["evening"]

pytestmark = pytest.mark.django_db

LINE = (45_000, 9_000, -20_000, -34_000)


def links(page: Any) -> list[str]:
    """Return the hanchan to which the page links because only their points are known."""
    return re.findall(r'<a href="\S+/g/(\d+)/"[^>]*>\s*points only', page.content.decode())


@pytest.fixture
def hanchan(evening: Session) -> Hanchan:
    return play(evening, points=LINE)


def stored(hanchan: Hanchan) -> tuple[Any, ...]:
    hanchan.refresh_from_db()
    return hanchan.given, hanchan.version, hanchan.round, hanchan.table, points_of(hanchan)


def test_sheet_links_to_a_points_only_hanchan(client: Client, evening: Session, hanchan: Hanchan) -> None:
    page = client.get(address(evening))
    assert statuses(page) == ["same"]
    assert links(page) == [str(hanchan.pk)]
    play(evening)
    assert links(client.get(address(evening))) == [str(hanchan.pk)]


@pytest.mark.parametrize("do", ["check", "save", "part"])
def test_untouched_points_only_row_is_not_saved_again(
    client: Client, evening: Session, hanchan: Hanchan, do: str
) -> None:
    sent = with_players(evening, form_of(client, evening))
    checked = post(client, evening, sent, do)
    assert statuses(checked) == ["same"]
    assert "No changes" in text_of(checked)
    told = client.post(address(evening), sent | {"do": do}, headers=JSON).json()
    assert (told["rows"]["0"]["status"], told["rows"]["0"]["hanchan"]) == ("same", str(hanchan.pk))
    assert stored(hanchan) == ("points", 1, 1, 1, list(LINE))


@pytest.mark.parametrize("do", ["save", "part"])
def test_new_rows_are_saved_beside_a_points_only_row(
    client: Client, evening: Session, hanchan: Hanchan, do: str
) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(1, "317", "313", "255", "115")
    assert statuses(post(client, evening, sent, "check")) == ["same", "added"]
    assert post_rows(client, evening, sent, "1", "check").json()["rows"]["1"]["status"] == "added"
    assert post(client, evening, sent, do).status_code == 302
    assert "go" in client.post(address(evening), sent | {"do": do}, headers=JSON).json()
    assert Hanchan.objects.count() == 2
    assert stored(hanchan)[0] == "points"


def test_raw_scores_in_a_points_only_row_are_a_correction(client: Client, evening: Session, hanchan: Hanchan) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(0, "450", "290", "200", "60")
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["changed"]
    said = text_of(checked)
    assert "Before:" in said
    assert "+45.0" in said
    told = client.post(address(evening), sent | {"do": "check"}, headers=JSON).json()
    assert told["rows"]["0"]["status"] == "changed"
    assert "+45.0" in told["check"]
    assert post(client, evening, form_in(checked) | {"reason": "the sheet was found"}, "save").status_code == 302
    assert stored(hanchan)[:2] == ("raw", 2)
    assert links(client.get(address(evening))) == []


def test_table_and_round_of_a_points_only_row_are_corrected(client: Client, evening: Session, hanchan: Hanchan) -> None:
    sent = with_players(evening, form_of(client, evening)) | {"table_0": "2", "round_0": "3"}
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["changed"]
    assert "+45.0" in text_of(checked)
    assert post(client, evening, form_in(checked) | {"reason": "the other table"}, "save").status_code == 302
    assert stored(hanchan) == ("points", 2, 3, 2, list(LINE))


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        pytest.param({"sticks_0": "1"}, "wrong", "enter the raw scores", id="sticks"),
        pytest.param({"version_0": "9", "table_0": "2"}, "overtaken", "+45.0", id="concurrent correction"),
    ],
)
def test_sticks_and_concurrent_corrections_are_reported(
    client: Client, evening: Session, hanchan: Hanchan, changed: dict[str, str], status: str, said: str
) -> None:
    checked = post(client, evening, with_players(evening, form_of(client, evening)) | changed, "check")
    assert statuses(checked) == [status]
    assert said in text_of(checked)


def test_same_players_in_its_round_and_table_are_a_possible_duplicate(client: Client, evening: Session) -> None:
    sent = with_players(evening, form_of(client, evening)) | row(0, "317", "313", "255", "115")
    play(evening, points=LINE)
    assert statuses(post(client, evening, sent, "check")) == ["double"]


def test_poll_returns_points_only_rows(client: Client, evening: Session, hanchan: Hanchan) -> None:
    standing = client.get(address(evening), {"stands": "1"}).json()["rows"]
    assert [(each["hanchan"], each["is_alone"]) for each in standing] == [(str(hanchan.pk), True)]
    assert [person["text"] for person in standing[0]["people"]] == ["", "", "", ""]
    assert standing[0]["page"].endswith(f"/g/{hanchan.pk}/")
