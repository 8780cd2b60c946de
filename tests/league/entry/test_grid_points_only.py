import re
from typing import Any

import pytest
from django.test import Client

from league.models import Hanchan, Session
from tests.league.entry.test_grid import address, evening, fields, post, row, shown, statuses, with_players, words
from tests.league.entry.test_grid_answers import JSON, sent_in_part
from tests.league.factories import play, points_of

__all__ = ["evening"]

pytestmark = pytest.mark.django_db

LINE = (45_000, 9_000, -20_000, -34_000)


def links(page: Any) -> list[str]:
    """Return the hanchan to which the page links because only their points are known."""
    return re.findall(r'<a href="\S+/g/(\d+)/"[^>]*>\s*points only', page.content.decode())


@pytest.fixture
def lone(evening: Session) -> Hanchan:
    return play(evening, points=LINE)


def stored(hanchan: Hanchan) -> tuple[Any, ...]:
    hanchan.refresh_from_db()
    return hanchan.given, hanchan.version, hanchan.round, hanchan.table, points_of(hanchan)


def test_hanchan_is_in_the_sheet_with_a_link(client: Client, evening: Session, lone: Hanchan) -> None:
    page = client.get(address(evening))
    assert statuses(page) == ["same"]
    assert links(page) == [str(lone.pk)]
    play(evening)
    assert links(client.get(address(evening))) == [str(lone.pk)]


@pytest.mark.parametrize("do", ["check", "save", "part"])
def test_it_is_left_alone_untouched(client: Client, evening: Session, lone: Hanchan, do: str) -> None:
    sent = with_players(evening, shown(client, evening))
    checked = post(client, evening, sent, do)
    assert statuses(checked) == ["same"]
    assert "No changes" in words(checked)
    told = client.post(address(evening), sent | {"do": do}, headers=JSON).json()
    assert (told["rows"]["0"]["status"], told["rows"]["0"]["hanchan"]) == ("same", str(lone.pk))
    assert stored(lone) == ("points", 1, 1, 1, list(LINE))


@pytest.mark.parametrize("do", ["save", "part"])
def test_new_rows_are_saved_beside_it(client: Client, evening: Session, lone: Hanchan, do: str) -> None:
    sent = with_players(evening, shown(client, evening)) | row(1, "317", "313", "255", "115")
    assert statuses(post(client, evening, sent, "check")) == ["same", "added"]
    assert sent_in_part(client, evening, sent, "1", "check").json()["rows"]["1"]["status"] == "added"
    assert post(client, evening, sent, do).status_code == 302
    assert "go" in client.post(address(evening), sent | {"do": do}, headers=JSON).json()
    assert Hanchan.objects.count() == 2
    assert stored(lone)[0] == "points"


def test_the_rest_is_saved_where_another_row_is_wrong(client: Client, evening: Session, lone: Hanchan) -> None:
    sent = with_players(evening, shown(client, evening))
    sent |= row(1, "317", "313", "255", "115") | row(2, "1", "2", "3", "4")
    part = post(client, evening, sent, "part")
    assert statuses(part) == ["same", "same", "wrong"]
    assert Hanchan.objects.count() == 2
    assert stored(lone)[:2] == ("points", 1)


def test_raw_scores_are_typed_for_it_as_a_correction(client: Client, evening: Session, lone: Hanchan) -> None:
    sent = with_players(evening, shown(client, evening)) | row(0, "450", "290", "200", "60")
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["changed"]
    said = words(checked)
    assert "Before:" in said
    assert "+45.0" in said
    told = client.post(address(evening), sent | {"do": "check"}, headers=JSON).json()
    assert told["rows"]["0"]["status"] == "changed"
    assert "+45.0" in told["check"]
    assert post(client, evening, fields(checked) | {"reason": "the sheet was found"}, "save").status_code == 302
    assert stored(lone)[:2] == ("raw", 2)
    assert links(client.get(address(evening))) == []


def test_its_table_and_round_are_corrected(client: Client, evening: Session, lone: Hanchan) -> None:
    sent = with_players(evening, shown(client, evening)) | {"table_0": "2", "round_0": "3"}
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["changed"]
    assert "+45.0" in words(checked)
    assert post(client, evening, fields(checked) | {"reason": "the other table"}, "save").status_code == 302
    assert stored(lone) == ("points", 2, 3, 2, list(LINE))


def test_sticks_need_scores(client: Client, evening: Session, lone: Hanchan) -> None:
    sent = with_players(evening, shown(client, evening)) | {"sticks_0": "1"}
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["wrong"]
    assert "enter the raw scores" in words(checked)


def test_concurrent_correction_is_reported(client: Client, evening: Session, lone: Hanchan) -> None:
    sent = with_players(evening, shown(client, evening)) | {"version_0": "9", "table_0": "2"}
    checked = post(client, evening, sent, "check")
    assert statuses(checked) == ["overtaken"]
    assert "+45.0" in words(checked)


def test_the_same_people_in_its_place_are_asked_about(client: Client, evening: Session) -> None:
    sent = with_players(evening, shown(client, evening)) | row(0, "317", "313", "255", "115")
    play(evening, points=LINE)
    assert statuses(post(client, evening, sent, "check")) == ["double"]


def test_open_sheet_is_told_the_state(client: Client, evening: Session, lone: Hanchan) -> None:
    standing = client.get(address(evening), {"stands": "1"}).json()["rows"]
    assert [(each["hanchan"], each["is_alone"]) for each in standing] == [(str(lone.pk), True)]
    assert [person["text"] for person in standing[0]["people"]] == ["", "", "", ""]
    assert standing[0]["page"].endswith(f"/g/{lone.pk}/")
