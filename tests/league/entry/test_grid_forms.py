"""The sheet as forms: what was typed wrong is said at its own cell, and what is right comes out as values."""

import re
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import translation

from league.forms.grid.page import SheetOnPage
from league.forms.grid.page_rows import RowOnPage
from league.forms.grid.rows import RowForm
from league.forms.grid.sheet import SheetForm
from league.models import Session
from league.selectors.grid import SheetContext, sheet_context
from league.services.grid.checking import check_sheet
from league.services.grid.saving import RowState, SheetCheck
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db

KEY = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"


@pytest.fixture
def evening() -> Iterator[Session]:
    """A session of a league of five; sentences are English."""
    league = make_league()
    make_players(league, 5)
    with translation.override("en"):
        yield make_session(league)


def context_of(session: Session) -> SheetContext:
    rules = session.ruleset_version.readable()
    assert rules is not None
    return sheet_context(session, rules)


def sent(session: Session, *cells: str, **more: str) -> QueryDict:
    """Return what a browser sends for one row under the columns of the league's first players."""
    data = QueryDict(mutable=True)
    data.update({"columns": str(len(cells)), "rows": "1", "key_0": KEY, "round_0": "1", "table_0": "1"})
    players = list(session.league.players.order_by("pk"))
    for place, (cell, player) in enumerate(zip(cells, players, strict=False)):
        data.update({f"cell_0_{place}": cell, f"player_{place}": str(player.pk), f"guest_{place}": ""})
    for name, text in more.items():
        data[name] = text
    return data


def read(session: Session, *cells: str, **more: str) -> SheetForm:
    form = SheetForm(context_of(session), sent(session, *cells, **more))
    form.is_valid()
    return form


def checked(session: Session, *cells: str, **more: str) -> tuple[SheetForm, SheetCheck]:
    form = read(session, *cells, **more)
    check = check_sheet(form.typed_rows(), form.context.hanchan, form.context.plans)
    form.refuse(check)
    return form, check


def wrong_fields(row: RowForm) -> dict[str, list[str]]:
    return {name: [str(text) for text in texts] for name, texts in row.errors.items()}


# --- Reading ---------------------------------------------------------------------------------------------------------


def test_a_row_that_is_right_comes_out_as_values(evening: Session) -> None:
    names = [player.name for player in evening.league.players.order_by("pk")]
    form = read(evening, "115 北", "317", "", "３１３", "255 西", round_0="２", table_0="3")
    assert form.is_valid()
    (row,) = form.typed_rows()
    assert row.typed is not None
    assert [person.name for person in row.typed.people] == [names[place] for place in (1, 3, 4, 0)]
    assert row.typed.game.raw == (31700, 31300, 25500, 11500)
    assert (row.typed.round, row.typed.table, row.client_key) == (2, 3, UUID(KEY))
    cells = form.cleaned_data[0]
    assert (cells["cell_0"].score.points, cells["cell_0"].seat, cells["cell_2"]) == (11500, 3, None)


def test_a_sheet_that_is_not_sent_shows_what_is_stored(evening: Session) -> None:
    hanchan = play(evening)
    form = SheetForm.stored(context_of(evening))
    assert not form.is_bound
    assert [row.text("hanchan") for row in form.forms] == [str(hanchan.pk), "", "", "", ""]
    assert [row.text("round") for row in form.forms] == ["1", "2", "3", "4", "5"]
    assert not any(row.errors for row in form.forms)


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 9])
def test_nonsense_for_how_many_rows_there_are_means_none(evening: Session, number: str) -> None:
    assert read(evening, "1", "2", rows=number).forms == []


def test_a_row_without_scores_says_nothing_whatever_else_stands_in_it(evening: Session) -> None:
    form = read(evening, "", "抜け", "-", " ", round_0="x", table_0="?", sticks_0="!")
    assert form.is_valid()
    assert form.typed_rows()[0].typed is None
    assert form.typed_rows()[0].client_key == UUID(KEY)


def test_a_key_that_cannot_be_read_becomes_a_new_one_and_stays(evening: Session) -> None:
    (row,) = read(evening, "317", "313", "255", "115", key_0="x").forms
    assert row.typed_row().client_key == row.client_key


# --- Errors of a cell ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "errors"),
    [
        pytest.param(
            ("317", "x13", "255", "11.55"),
            {"cell_1": "Ishida: “x13” is not a score.", "cell_3": "Eguchi: “11.55” does not end in hundreds."},
            id="two that are no scores",
        ),
        pytest.param(("317", "313 東", "255 東", "115"), {"cell_2": "Ueno: this seat is taken"}, id="a seat twice"),
        pytest.param(("9" * 41, "313", "255", "115"), {"cell_0": "Aoki: “999"}, id="longer than a cell"),
        pytest.param(("99999900", "313", "255", "115"), {"cell_0": "Aoki: “99999900” is more"}, id="too large"),
        pytest.param(("317", "313", "255", ""), {"__all__": "3 scores stand in this row"}, id="of the whole row"),
    ],
)
def test_what_is_wrong_with_a_score_is_said_at_its_cell(
    evening: Session, cells: tuple[str, ...], errors: dict[str, str]
) -> None:
    form = read(evening, *cells)
    assert not form.is_valid()
    found = wrong_fields(form.forms[0])
    assert found.keys() == errors.keys()
    for name, beginning in errors.items():
        assert [text[: len(beginning)] for text in found[name]] == [beginning]
    assert form.typed_rows()[0].typed is None


def test_what_is_wrong_beside_the_scores_is_said_at_its_field(evening: Session) -> None:
    form = read(evening, "317", "?", "255", "115", round_0="x", table_0="32768", sticks_0="-1")
    assert wrong_fields(form.forms[0]).keys() == {"round", "table", "sticks", "cell_1"}


def test_what_scoring_refuses_is_said_at_the_cell_of_its_player(evening: Session) -> None:
    form, check = checked(evening, "-1 東", "501", "300", "200")
    assert check.rows[0].state == RowState.WRONG
    assert wrong_fields(form.forms[0]).keys() == {"cell_0"}
    assert not form.is_valid()


def test_a_sum_that_is_off_is_said_of_the_whole_row(evening: Session) -> None:
    form, check = checked(evening, "317", "313", "255", "105")
    assert check.rows[0].state == RowState.WRONG
    assert wrong_fields(form.forms[0]) == {
        "__all__": ["The total is 1,000 short. Is one riichi stick still on the table?"]
    }


def test_a_hanchan_that_was_taken_back_is_said_beside_what_else_is_wrong(evening: Session) -> None:
    form = read(evening, "317", "?", "255", "115", hanchan_0="999999", version_0="x")
    assert wrong_fields(form.forms[0]).keys() == {"hanchan", "cell_1"}


# --- Errors of a column ----------------------------------------------------------------------------------------------


def test_what_is_wrong_with_a_column_is_said_at_its_field(evening: Session) -> None:
    form = read(
        evening, "317", "313", "255", "115", player_0="guest", player_1="", guest_1="星野", player_2="999999999"
    )
    assert [list(column.errors) for column in form.columns.forms] == [["guest"], ["player"], ["player"], []]
    assert wrong_fields(form.forms[0]) == {
        "__all__": ["Say at the top of the sheet whose scores these are: column 1, 2, 3."]
    }


@pytest.mark.parametrize("name", ["", "あ" * 41, "\x00"])
def test_a_guest_needs_a_name_that_can_be_stored(evening: Session, name: str) -> None:
    form = read(evening, "317", "313", "255", "115", player_0="guest", guest_0=name)
    assert list(form.columns.forms[0].errors) == ["guest"]
    assert not form.is_valid()


def test_a_column_in_which_nothing_stands_is_in_nobodys_way(evening: Session) -> None:
    form = read(evening, "", "317", "313", "255", "115", player_0="", guest_0="星野")
    assert list(form.columns.forms[0].errors) == ["player"]
    assert form.is_valid()


# --- What the page makes of it ---------------------------------------------------------------------------------------


def described(row: RowOnPage) -> dict[str, str]:
    return {each.name: each.described_by for each in (*row.fields.values(), *row.scores) if each.described_by}


def test_a_field_names_what_is_said_about_it(evening: Session) -> None:
    form, check = checked(evening, "x17", "313", "255", "115", round_0="x", table_0="x", player_2="")
    (row,) = SheetOnPage(form, check).rows
    assert [problem[:20] for problem in row.problems] == [
        "Table and round are ",
        "Aoki: “x17” is not a",
        "Say at the top of th",
    ]
    assert described(row) == {
        "round_0": "problem_0_0",
        "table_0": "problem_0_0",
        "cell_0_0": "problem_0_1",
        "cell_0_2": "player_2_error",
    }


def test_nothing_is_wrong_before_the_sheet_is_checked(evening: Session) -> None:
    (row,) = SheetOnPage(SheetForm(context_of(evening), sent(evening, "x17", "313", "255", "115"))).rows
    assert (row.status, row.problems, described(row)) == ("empty", [], {})


def test_the_page_ties_every_error_to_its_field(client: Client, evening: Session) -> None:
    client.force_login(make_user("ueno", league=evening.league, role="scorer"))
    data = sent(evening, "x17", "313 東", "255 東", "115", round_0="x", player_3="guest").dict()
    address = reverse("league:grid", args=[evening.league.slug, evening.pk])
    page = client.post(address, data | {"do": "check"}).content.decode()
    invalid = re.findall(r'name="(\w+)"[^>]*? aria-invalid="true" aria-describedby="([\w ]+)"', page)
    names = [name for name, _ids in invalid]
    assert names == ["guest_3", "round_0", "cell_0_0", "cell_0_2", "cell_0_3"]
    ids = {each for _name, several in invalid for each in several.split()}
    assert all(page.count(f'id="{each}"') == 1 for each in ids)
    mended = client.post(address, sent(evening, "317", "313", "255", "115").dict() | {"do": "check"})
    assert "aria-invalid" not in mended.content.decode()
    assert len(ids) == 4
