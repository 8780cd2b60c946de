from dataclasses import replace

import pytest

from config.uploads import MAX_UPLOAD_BYTES
from league.core.photos import MAX_PHOTO_BYTES
from league.core.spreadsheets.dates import DateOrder
from league.core.spreadsheets.tables import ImportFileError
from league.messages.imports import sentence
from league.models import League
from league.services.history import SYSTEM
from league.services.imports import steps
from league.services.imports.contents import contents_of
from league.services.imports.steps import change_reading, checked, start_import
from league.services.imports.values import MISSING, FileReading
from tests.league.factories import make_league
from tests.league.imports.files import FOUR, RAW, batch_of, file_of, game

pytestmark = pytest.mark.django_db


def codes(league: League, text: str | bytes) -> list[str]:
    return [problem.code for problem in checked(batch_of(league, text)).problems]


def test_files_of_the_size_that_is_named_come_through_whole() -> None:
    assert steps.MAX_BYTES == 8 * 1024 * 1024
    assert max(steps.MAX_BYTES, MAX_PHOTO_BYTES) < MAX_UPLOAD_BYTES


def test_only_the_name_of_the_file_is_kept(league: League) -> None:
    assert batch_of(league, file_of(), name="C:\\Users\\青木\\結果.csv").file_name == "結果.csv"
    assert batch_of(league, file_of(), name="../../x/" + "a" * 300).file_name == "a" * 200


@pytest.mark.parametrize(
    ("reading", "code"),
    [(FileReading(encoding="utf-8"), "not_encoding"), (FileReading(header_row=99), "unknown_header")],
)
def test_reading_that_cannot_be_is_refused_and_the_old_stays(league: League, reading: FileReading, code: str) -> None:
    batch = batch_of(league, file_of(game()).encode("cp932"))
    with pytest.raises(ImportFileError) as refusal:
        change_reading(batch, reading)
    assert refusal.value.code == code
    assert sentence(code, refusal.value.values)
    assert contents_of(batch).reading.encoding == "cp932"


def test_reading_can_be_chosen(league: League) -> None:
    batch = batch_of(league, file_of(game(), header="a,b,c,d,e,f,g,h"))
    assert {problem.code for problem in contents_of(batch).problems} == {"column_missing"}
    columns = ("date", "session", "table", "game", "seat", "player", "raw", "")
    assert change_reading(batch, replace(contents_of(batch).reading, columns=columns)).problems == []
    batch.refresh_from_db()
    assert contents_of(batch).reading.columns == columns
    assert checked(batch).added == 1


def test_reading_of_the_last_file_with_the_same_headings_is_remembered(league: League) -> None:
    header = "いつ,節,卓,回戦,席,だれ,いくつ,メモ"
    columns = ("date", "session", "table", "game", "seat", "player", "raw", "memo")
    first = batch_of(league, file_of(game("05/06/2025"), game(""), header=header))
    chosen = replace(contents_of(first).reading, columns=columns, date_order=DateOrder.DAY_FIRST)
    change_reading(first, replace(chosen, undated="2025-06-12", as_is=MISSING))
    start_import(first, SYSTEM)
    reading = contents_of(batch_of(league, file_of(game("07/06/2025"), game(""), header=header))).reading
    assert (reading.columns, reading.date_order) == (columns, DateOrder.DAY_FIRST)
    # Answers about one file do not apply to another.
    assert (reading.undated, reading.as_is) == ("", "")
    assert contents_of(batch_of(make_league("other"), file_of(game(), header=header))).reading.columns[0] == ""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("日付,選手,素点\n", "no_games", id="header alone"),
        pytest.param("日付,選手,着順\n11/21,青木,1\n", "column_missing", id="neither raw scores nor points"),
        pytest.param("日付,素点\n11/21,31700\n", "column_missing", id="no players"),
        pytest.param(
            "日付,選手,素点,選手1,素点1,選手2,素点2\n11/21,青木,1,石田,2,上野,3\n", "forms_mixed", id="two forms"
        ),
    ],
)
def test_file_that_cannot_be_imported_says_why(league: League, text: str, code: str) -> None:
    assert code in codes(league, text)


def test_column_given_twice_is_named(league: League) -> None:
    batch = batch_of(league, "a,b,c,d\n11/21,青木,1,2\n")
    look = change_reading(batch, replace(contents_of(batch).reading, columns=("date", "player", "raw", "raw")))
    assert [problem.code for problem in look.problems] == ["column_twice"]


def test_league_without_rules_says_so() -> None:
    assert "no_rules" in codes(make_league("new", card=None), file_of(game()))


def test_units_seats_and_totals_are_shown() -> None:
    league = make_league()
    text = (
        "日付,選手,素点\n"
        + "\n".join(f"11/21,{name},{raw // 100}" for name, raw in zip(FOUR, RAW, strict=True))
        + "\n合計,,1000\n"
    )
    report = checked(batch_of(league, text))
    assert [note.code for note in report.notes] == ["totals_skipped", "seats_by_order", "unit", "year_taken"]
    assert all(sentence(note.code, note.values) for note in report.notes)
    assert (report.added, report.people) == (1, FOUR)


def test_a_file_that_is_called_a_workbook_and_is_none_is_refused(league: League) -> None:
    for name, data in (("x.xlsx", b"\x8f\x00garbage"), ("X.XLSM", "日付,選手".encode())):
        with pytest.raises(ImportFileError, match="not_a_workbook"):
            batch_of(league, data, name)
