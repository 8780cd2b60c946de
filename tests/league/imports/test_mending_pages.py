import json
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.translation import override

from league.core.imports.mending import Mending
from league.models import Hanchan, ImportBatch, ImportMending, Job, League
from league.services.history import SYSTEM
from league.services.imports import mending
from league.services.imports.mending import mendable
from league.services.imports.reports import checked, error_file
from league.services.imports.running import run_import
from league.services.imports.steps import change_reading, preview_file
from tests.journeys.html import Form, see
from tests.league.factories import make_user
from tests.league.imports.files import LIST, at, batch_of, book_of, file_of, game

pytestmark = pytest.mark.django_db

LONG = """日付,卓,回戦,席,選手,素点
2025-11-21,1,1,東,青木,31700
2025-11-21,1,1,南,石田,313oo
2025-11-21,1,1,西,上野,25500
2025-11-21,1,1,北,江口,11500
2025-11-21,1,2,東,青木,42000
2025-11-21,1,2,南,石田,28000
2025-11-21,1,2,西,上野,18500
2025-11-21,1,2,北,江口,11400
2025-11-21,1,3,東,青木,35000
2025-11-21,1,3,南,石田,30000
2025-11-21,1,3,西,上野,20000
2025-11-21,1,3,北,江口,15000
"""
"""Row two has no number, row eight a wrong sum."""

WIDE = "日付\t選手1\t素点1\t選手2\t素点2\t選手3\t素点3\t選手4\t素点4\n" + "\n".join(
    f"{day}\t青木\t{first}\t石田\t30000\t上野\t20000\t江口\t15000"
    for day, first in [("21-31-11", "35000"), ("21-31-11", "35000"), ("2025-11-22", "35100")]
)


def mending_form(client: Client, batch: ImportBatch, page: str = "") -> Form:
    answer = client.get(at(batch, "mend") + page)
    assert answer.status_code == 200, answer.headers
    return next(form for form in see(answer.content.decode()).forms if "seen" in form.controls)


def values_of(form: Form) -> dict[str, Any]:
    return {name: control.values[0] if control.values else "" for name, control in form.controls.items()}


def fix(client: Client, batch: ImportBatch, **cells: str) -> Any:
    """Submit the page with some cells changed (`c3_5` is the field c3-5); return the resulting page."""
    form = mending_form(client, batch)
    typed = {name.replace("_", "-"): text for name, text in cells.items()}
    assert typed.keys() <= form.controls.keys()
    return client.post(at(batch, "mend"), {**values_of(form), **typed}, follow=True)


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


def upload(client: Client, kind: str) -> ImportBatch:
    rows = [line.split(",") for line in LONG.splitlines()]
    ways: dict[str, dict[str, Any]] = {
        "csv": {"file": SimpleUploadedFile("2025.csv", LONG.encode("cp932"))},
        "xlsx": {"file": SimpleUploadedFile("2025.xlsx", book_of(*rows))},
        "pasted": {"rows": LONG.replace(",", "\t")},
    }
    answer = client.post(f"{LIST}new/", ways[kind])
    assert answer.status_code == 302, answer.content.decode()
    return ImportBatch.objects.latest("pk")


@pytest.mark.long
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("kind", ["csv", "xlsx", "pasted"])
def test_from_the_check_over_the_table_to_the_league(
    client: Client, league: League, organiser: User, kind: str, language: str
) -> None:
    client.cookies["django_language"] = language
    batch = upload(client, kind)
    check = client.get(at(batch, "check"))
    assert check.context["report"].errors == 2
    assert at(batch, "mend") in {link.href for link in see(check.content.decode()).links}
    first = fix(client, batch, c3_5="31300")
    assert first.redirect_chain[0][0] == at(batch, "mend")
    assert first.context["report"].errors == 1
    last = fix(client, batch, c9_5="11500")
    assert last.redirect_chain[-1][0] == at(batch, "check")
    report = last.context["report"]
    assert (report.errors, report.added) == (0, 3)
    preview = client.get(at(batch, "preview"))
    done = client.post(at(batch, "run"), {"seen": preview.context["seen"]}, follow=True)
    assert Hanchan.objects.count() == 3
    kept = [(each.line, each.column, each.before, each.after, each.by) for each in ImportMending.objects.all()]
    assert kept == [(3, 5, "313oo", "31300", organiser), (9, 5, "11400", "11500", organiser)]
    assert "<del>313oo</del>" in text_of(done)
    assert "organiser" in text_of(done)


@pytest.mark.long
def test_the_wrong_cell_is_marked_and_its_neighbours_can_be_changed(
    client: Client, league: League, organiser: User
) -> None:
    batch = batch_of(league, LONG)
    form = mending_form(client, batch)
    lines = {int(name[1:].split("-")[0]) for name in form.controls if name.startswith("c") and "-" in name}
    assert lines == {2, 3, 4, 5, 6, 7, 8, 9}
    first, second = client.get(at(batch, "mend")).context["games"]
    wrong = [
        (row.line, cell.field.value(), cell.sentences) for row in first.rows for cell in row.cells if cell.is_wrong
    ]
    assert [(line, text) for line, text, _said in wrong] == [(3, "313oo")]
    assert "313oo" in wrong[0][2][0]
    assert len([cell for row in second.rows for cell in row.cells if cell.is_wrong]) == 4
    fix(client, batch, c3_5="31300", c2_4="江口", c5_4="青木", c9_5="11500")
    assert client.get(at(batch, "check")).context["report"].errors == 0
    assert ImportMending.objects.count() == 4


@pytest.mark.long
def test_the_file_itself_stays_as_it_was_sent(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, LONG)
    fix(client, batch, c3_5="31300")
    batch.refresh_from_db()
    assert bytes(batch.data) == LONG.encode()
    assert mendable(batch).text(3, 5) == "31300"
    _name, left = error_file(batch)
    fix(client, batch, c8_5="other")
    _name, left = error_file(batch)
    assert "other" in left.decode("utf-8-sig")
    assert "31300" not in left.decode("utf-8-sig").split("other")[0].splitlines()[-1]


@pytest.mark.long
def test_abandoned_upload_is_found_with_its_corrections(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, LONG)
    fix(client, batch, c3_5="still no number")
    other = Client()
    other.force_login(make_user("second", league=league, role="organiser"))
    assert values_of(mending_form(other, batch))["c3-5"] == "still no number"
    assert "still no number" in text_of(other.get(at(batch)))
    assert f"{at(batch)}#mended" in text_of(other.get(at(batch, "check")))


@pytest.mark.both_databases
def test_repeated_wrong_text_is_corrected_once(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, WIDE)
    page = client.get(at(batch, "mend"))
    (everywhere,) = page.context["texts"]
    assert (everywhere.text, everywhere.cells) == ("21-31-11", 2)
    answer = client.post(
        at(batch, "mend"), {**values_of(mending_form(client, batch)), everywhere.field.name: "2025-11-21"}, follow=True
    )
    assert answer.context["report"].errors == 1
    (kept,) = ImportMending.objects.all()
    assert (kept.line, kept.column, kept.before, kept.after) == (None, 0, "21-31-11", "2025-11-21")
    assert [game.lines for game in answer.context["games"]] == ["4"]


def test_single_correction_precedes_the_general_one(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, WIDE)
    everywhere = client.get(at(batch, "mend")).context["texts"][0].field.name
    fix(client, batch, **{everywhere: "2025-11-21", "c3_0": "2025-11-20"})
    batch.refresh_from_db()
    assert [mendable(batch).text(line, 0) for line in (2, 3)] == ["2025-11-21", "2025-11-20"]


@pytest.mark.long
@pytest.mark.both_databases
def test_two_users_see_each_others_corrections(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, LONG)
    mine = mending_form(client, batch)
    other = Client()
    other.force_login(make_user("second", league=league, role="organiser"))
    fix(other, batch, c3_5="31400", c9_5="11500")
    answer = client.post(at(batch, "mend"), {**values_of(mine), "c3-5": "31300"})
    assert answer.status_code == 200
    assert "31400" in str(answer.context["form"].errors["c3-5"])
    again = next(form for form in see(answer.content.decode()).forms if "seen" in form.controls)
    assert values_of(again)["c3-5"] == "31300"
    # Fields changed only by the other user are merged.
    assert values_of(again)["c9-5"] == "11500"
    last = client.post(at(batch, "mend"), values_of(again), follow=True)
    assert last.context["report"].errors == 0
    assert list(ImportMending.objects.filter(line=3).values_list("after", flat=True)) == ["31400", "31300"]


@pytest.mark.long
def test_corrected_name_is_asked_about(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, LONG)
    fix(client, batch, c3_5="31300", c9_5="11500", c2_4="山田")
    page = client.get(at(batch, "mend"))
    assert page.context["has_unknown_names"]
    assert "山田" in text_of(client.get(at(batch, "names")))
    client.post(at(batch, "names"), {"unknown": "new", "on": "1"})
    assert client.get(at(batch, "check")).context["report"].people == ("山田",)


def test_invalid_correction_stays_in_its_field(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, LONG)
    form = values_of(mending_form(client, batch))
    answer = client.post(at(batch, "mend"), {**form, "c3-5": "x" * 1001, "c9-5": "11500"})
    assert answer.status_code == 200
    assert answer.context["form"].errors.keys() == {"c3-5"}
    kept = values_of(next(form for form in see(answer.content.decode()).forms if "seen" in form.controls))
    assert (kept["c3-5"], kept["c9-5"]) == ("x" * 1001, "11500")
    assert not ImportMending.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"c3-5": "31300"}, id="a part of a row"),
        pytest.param({f"c99999-{column}": "1" for column in range(6)}, id="no such line"),
        pytest.param({f"c3-{column}": "1" for column in range(6, 12)}, id="no such column"),
        pytest.param({"seen": "[" * 5000, "c3-5": "\0"}, id="nonsense"),
        pytest.param({"seen": json.dumps({"c3-5": 5, "t0": ["a"]}), "t0": "x", "c0-0": "x"}, id="odd fields"),
    ],
)
def test_forms_that_no_page_sends_change_nothing(
    client: Client, league: League, organiser: User, sent: dict[str, str]
) -> None:
    batch = batch_of(league, LONG)
    answer = client.post(f"{at(batch, 'mend')}?page=%F0%9F%80%84", sent)
    assert answer.status_code in {200, 302}
    assert not ImportMending.objects.exists()


def test_rows_above_the_header_and_the_header_are_not_touched(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, LONG.replace("2025-11-21", "日付"))
    everywhere = next(each for each in client.get(at(batch, "mend")).context["texts"] if each.text == "日付")
    fix(client, batch, **{everywhere.field.name: "2025-11-21"})
    batch.refresh_from_db()
    assert mendable(batch).source.header[0].cells[0] == "日付"
    assert mendable(batch).text(2, 0) == "2025-11-21"


def test_finished_upload_cannot_be_corrected(client: Client, league: League, organiser: User) -> None:
    batch = batch_of(league, file_of(game()))
    run_import(batch.pk, SYSTEM, lambda _progress: None)
    assert client.get(at(batch, "mend")).headers["Location"] == at(batch)
    assert client.post(at(batch, "mend"), {"c2-4": "x"}).headers["Location"] == at(batch)


# --- Long files ------------------------------------------------------------------------------------------------------


def long_file(games: int, wrong: int) -> str:
    day = [f"x{number}" if number < wrong else "2025-11-21" for number in range(games)]
    rows = []
    for number, each in enumerate(day):
        step = number % 17 * 100
        first, second, third = 20_000 + 10 * step, 30_000 - 6 * step, 22_000 + 3 * step
        last = 100_000 - first - second - third
        rows.append(f"{each},{number + 1},青木,{first},石田,{second},上野,{third},江口,{last}")
    return "\n".join(["日付,回戦,選手1,素点1,選手2,素点2,選手3,素点3,選手4,素点4", *rows])


@pytest.mark.long
def test_thousands_of_wrong_rows_make_small_pages(
    client: Client, league: League, organiser: User, django_assert_max_num_queries: Any
) -> None:
    batch = batch_of(league, long_file(2500, 2500))
    report = client.get(at(batch, "check")).context["report"]
    assert (report.errors, Job.objects.count()) == (2500, 0)
    with django_assert_max_num_queries(20):
        page = client.get(at(batch, "mend"))
    assert len(page.context["games"]) == mending.MAX_ROWS
    assert len(page.content) < 400_000
    assert page.context["found"].paginator.count == 1000
    form = values_of(mending_form(client, batch, "?page=3"))
    answer = client.post(
        f"{at(batch, 'mend')}?page=3", {**form, **{f"c{line}-0": "2025-11-21" for line in range(102, 152)}}, follow=True
    )
    assert answer.context["report"].errors == 2450
    assert ImportMending.objects.count() == 50


BUST = """日付,卓,回戦,席,選手,素点
2025-11-21,1,1,東,青木,60000
2025-11-21,1,1,南,石田,30000
2025-11-21,1,1,西,上野,20000
2025-11-21,1,1,北,江口,-10000
"""
BUST_WIDE = (
    "日付,選手1,素点1,選手2,素点2,選手3,素点3,選手4,素点4\n2025-11-21,青木,60000,石田,30000,上野,20000,江口,-10000"
)


@pytest.mark.long
@pytest.mark.parametrize(("text", "cell"), [(BUST, "c5-6"), (BUST_WIDE, "c2-12")], ids=["long", "wide"])
def test_a_bust_is_explained_in_a_column_that_the_file_has_not(
    client: Client, league: League, organiser: User, text: str, cell: str
) -> None:
    batch = batch_of(league, text)
    form = values_of(mending_form(client, batch))
    assert cell not in form
    answer = client.post(at(batch, "mend"), {**form, "add_busts": "1"}, follow=True)
    marked = [
        each.field.name for game in answer.context["games"] for row in game.rows for each in row.cells if each.is_wrong
    ]
    assert marked == [cell]
    assert not answer.context["lacks_busts"]
    last = fix(client, batch, **{cell: "win:E"})
    assert (last.context["report"].errors, last.context["report"].added) == (0, 1)
    preview = client.get(at(batch, "preview"))
    client.post(at(batch, "run"), {"seen": preview.context["seen"]})
    assert Hanchan.objects.get().incidents.count() == 1


TWO_HEADINGS = (
    "日付,東家,,南家,,西家,,北家,\n,選手,素点,選手,素点,選手,素点,選手,素点\n"
    "2025-11-21,青木,60000,石田,30000,上野,20000,江口,-10000"
)


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize(
    ("text", "line", "column"),
    [(BUST, 5, 6), (BUST_WIDE, 2, 12), (TWO_HEADINGS, 3, 12)],
    ids=["long", "wide", "two headings"],
)
def test_bust_answers_return_with_the_remaining_rows(
    league: League, language: str, text: str, line: int, column: int
) -> None:
    # The first hanchan got its column, but its date is still wrong.
    batch = batch_of(league, text.replace("2025-11-21", "2125-11-21"))
    mending.add_busts(batch)
    mending.mend(batch, [Mending(line, column, "", "win:E")], SYSTEM)
    with override(language):
        _name, left = error_file(batch)
    again = batch_of(league, left)
    assert {"bust", "bust4"} & set(preview_file(again).reading.columns)
    assert [note.code for row in checked(again).rows for note in row.notes] == ["in_the_future"]
    right = batch_of(league, left.replace(b"2125", b"2025"))
    report = checked(right)
    assert (report.added, report.errors) == (1, 0), report.rows


def test_the_next_file_with_the_same_headings_is_read_as_one_with_an_added_column_was(
    client: Client, league: League, organiser: User
) -> None:
    strange = BUST.replace("素点", "しるし").replace("選手", "だれ")
    batch = batch_of(league, strange)
    columns = ("date", "table", "game", "seat", "player", "raw")
    change_reading(batch, replace(preview_file(batch).reading, columns=columns))
    mending.add_busts(batch)
    mending.mend(batch, [Mending(5, 6, "", "win:E")], SYSTEM)
    assert checked(batch).is_ready
    run_import(batch.pk, SYSTEM, lambda progress: None)
    batch.refresh_from_db()
    assert batch.reading["headers"] == ["日付", "卓", "回戦", "席", "だれ", "しるし"]
    again = preview_file(batch_of(league, strange.replace("11-21", "11-28")))
    assert again.reading.columns == columns
