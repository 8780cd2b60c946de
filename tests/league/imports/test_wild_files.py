from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from django.conf import settings

from league.core.imports.games import ImportedGame
from league.core.spreadsheets.dates import DateOrder
from league.messages.imports import sentence
from league.models import Hanchan, ImportBatch, League
from league.services.history import SYSTEM
from league.services.imports.contents import contents_of
from league.services.imports.steps import change_reading, checked, create_batch, start_import
from league.services.imports.values import MISSING, ImportReport
from league.services.rules import adopt_card, make_current
from tests.league.factories import make_league
from tests.league.imports import wild
from tests.league.imports.files import answer, batch_of

pytestmark = pytest.mark.django_db

HONEST = wild.FORM_ROWS - wild.FORM_SLIPS


def as_it_comes(league: League, content: str | bytes, name: str = "wild.csv") -> tuple[ImportBatch, ImportReport]:
    batch = batch_of(league, content, name)
    return batch, checked(batch)


def games_in(batch: ImportBatch) -> list[ImportedGame]:
    return list(contents_of(batch).games)


def codes(report: ImportReport) -> set[str]:
    assert all(sentence(note.code, note.values) for note in report.notes)
    return {note.code for note in report.notes}


@pytest.mark.parametrize(
    ("make", "name", "readable", "of"),
    [
        pytest.param(wild.form_answers, "form.csv", HONEST, wild.FORM_ROWS, id="answers to a form"),
        pytest.param(
            lambda: wild.form_answers(with_dates=False), "form.csv", HONEST, wild.FORM_ROWS, id="with stamps alone"
        ),
        pytest.param(wild.dated_sheet, "dates.csv", wild.SHEET_ROWS, wild.SHEET_ROWS, id="years of two digits"),
        pytest.param(wild.club_sheet, "club.csv", 96, 96, id="four names with their scores"),
    ],
)
def test_file_of_a_club_is_readable_as_it_comes(
    league: League, make: Callable[[], str | bytes], name: str, readable: int, of: int
) -> None:
    _batch, report = as_it_comes(league, make(), name)
    assert (report.problems, report.games, report.added) == ((), of, readable)
    assert report.errors == of - readable


@pytest.mark.parametrize("with_dates", [True, False])
def test_day_of_a_forms_time_stamp_is_taken_only_without_dates_and_said(league: League, *, with_dates: bool) -> None:
    batch, report = as_it_comes(league, wild.form_answers(with_dates=with_dates))
    played = [day for day, _names, _raw in wild.games(wild.FORM_ROWS, wild.ABROAD, date(2025, 3, 1))]
    # The last hanchan of an evening were typed after midnight.
    assert [game.session.day for game in games_in(batch) if game.session] == played
    assert ("days_of_stamps" in codes(report)) is not with_dates
    assert any("Timestamp" in sentence(note.code, note.values) for note in report.notes) is not with_dates


def test_columns_called_points_are_raw_scores_where_they_add_up_like_them(league: League) -> None:
    batch, report = as_it_comes(league, wild.form_answers())
    look = contents_of(batch)
    headed = zip(look.headers, look.reading.columns, strict=True)
    assert {target for header, target in headed if "points" in header} == {"raw1", "raw2", "raw3", "raw4"}
    assert "taken_as_raw" in codes(report)


def test_a_choice_of_columns_is_not_overruled_by_the_sums(league: League) -> None:
    batch, _report = as_it_comes(league, wild.dated_sheet())
    reading = contents_of(batch).reading
    columns = tuple(column.replace("raw", "points") for column in reading.columns)
    assert change_reading(batch, replace(reading, columns=columns)).reading.columns == columns


def test_first_dealer_comes_first_in_any_column_order(league: League) -> None:
    batch, report = as_it_comes(league, wild.club_sheet())
    wanted = [names for _day, names, _raw in wild.games(96, wild.AT_HOME, date(2025, 4, 5))]
    assert [tuple(game.names) for game in games_in(batch)] == wanted
    assert all(game.seats_known for game in games_in(batch))
    assert "seats_by_dealer" in codes(report)


WIDE = "date,east,score,south,score,west,score,north,score\n"
SCORES = "A,31700,B,31300,C,25500,D,11500\n"


def test_ambiguous_order_of_dates_is_asked(league: League) -> None:
    batch, report = as_it_comes(league, WIDE + f"05/06/2026,{SCORES}")
    assert (report.waiting, report.wrong) == (1, 0)
    look = contents_of(batch)
    assert (look.guess.is_sure, look.is_asking) == (False, True)
    change_reading(batch, replace(look.reading, date_order=DateOrder.DAY_FIRST))
    report = checked(batch)
    assert (report.added, codes(report)) == (1, {"dates_said"})
    assert [game.session.day for game in games_in(batch) if game.session] == [date(2026, 6, 5)]


def test_games_without_a_date_get_the_day_of_their_stamp_if_that_is_the_answer(league: League) -> None:
    rows = (
        f"2025-11-21,1,2025/11/30 20:00:00,{SCORES}"
        f",2,2025/11/30 21:00:00,{SCORES}"
        f"2025-11-28,2,2025/11/30 22:00:00,{SCORES}"
        f",1,2025/12/01 午後 11:00:00 GMT+9,{SCORES}"
    )
    batch, _report = as_it_comes(league, WIDE.replace("date,", "date,session,timestamp,") + rows)
    look = contents_of(batch)
    assert (look.undated, look.ways) == (2, ["above", "session", "stamp", "none"])
    change_reading(batch, replace(look.reading, undated="stamp"))
    found = [game.session.day.isoformat() for game in games_in(batch) if game.session]
    assert found == ["2025-11-21", "2025-11-30", "2025-11-28", "2025-12-01"]


def test_file_without_any_date_wants_one_day_for_all(league: League) -> None:
    batch, report = as_it_comes(league, WIDE.removeprefix("date,") + SCORES)
    assert (report.problems, report.rows[0].notes, report.rows[0].seats[0][1]) == ((), (), 31700)
    look = contents_of(batch)
    assert (look.undated, look.ways) == (1, ["none"])
    change_reading(batch, replace(look.reading, undated="2025-11-21"))
    assert checked(batch).added == 1


def test_missing_points_are_not_sticks_without_an_answer(league: League) -> None:
    rows = [SCORES.replace("31700", score) for score in ("30700", "28700", "26700", "21700", "30650")]
    batch, report = as_it_comes(league, WIDE + "".join(f"2025-11-21,{row}" for row in rows))
    assert (report.added, report.errors) == (0, 5)
    # A score that exceeds the table's total, or is not in hundreds, is a typing error.
    assert contents_of(batch).short == 2
    answer(batch, as_is=MISSING)
    report = checked(batch)
    assert (report.added, report.as_is, codes(report)) == (4, 2, {"sticks_taken"})
    assert [game.sticks for game in games_in(batch)] == [1, 3, 0, 0, 0]


def test_points_of_a_lobby_tell_the_raw_scores_where_the_rules_allow(league: League) -> None:
    make_current(league=league, version=adopt_card(league=league, card_key="mleague", name="M", by=SYSTEM), by=SYSTEM)
    batch, report = as_it_comes(league, wild.lobby_log())
    assert (report.added, report.errors, codes(report)) == (40, 0, {"seats_by_place", "all_points"})
    assert not any(game.seats_known for game in games_in(batch))
    start_import(batch, SYSTEM)
    stored = Hanchan.objects.order_by("played_at", "pk").prefetch_related("seats")
    played = [raw for _day, _names, raw in wild.games(40, wild.AT_HOME, date(2026, 5, 2), seed=9)]
    # The lobby breaks ties while these rules share places, so no raw scores match its points.
    has_ties = [len(set(raw)) < 4 for raw in played]
    assert 0 < sum(has_ties) < 5
    assert [hanchan.given == Hanchan.Given.POINTS for hanchan in stored] == has_ties
    known = [sorted(seat.raw_score or 0 for seat in hanchan.seats.all()) for hanchan in stored]
    assert known == [[0] * 4 if is_tied else sorted(raw) for raw, is_tied in zip(played, has_ties, strict=True)]
    _batch, report = as_it_comes(league, wild.lobby_log())
    assert (report.added, report.same) == (0, 40)


SAMPLES = sorted((Path(settings.BASE_DIR) / "static" / "samples").iterdir())


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sample_is_imported(path: Path) -> None:
    league = make_league()
    batch = create_batch(league=league, file_name=path.name, data=path.read_bytes(), by=SYSTEM)
    report = checked(batch)
    assert (report.added, report.errors, report.warnings, report.notes) == (6, 0, 0, ())
    start_import(batch, SYSTEM)
    assert (league.hanchan.count(), league.players.count()) == (6, 6)
    assert list(league.sessions.order_by("number").values_list("number", "title")) == [(1, ""), (2, "")]
