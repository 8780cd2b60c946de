"""The check of an upload: rows with open questions, rows that do not add up, rows with points only."""

import csv
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from league.core.imports.mending import Mending
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.tables import ImportFileError
from league.exports.hanchan import FileLayout, hanchan_table, hanchan_within
from league.exports.table import FORMATS, text_chunks
from league.http.import_batches import seen
from league.models import Hanchan, ImportBatch, League
from league.services.history import SYSTEM
from league.services.imports.checks import EVERY_ONE
from league.services.imports.mending import mend, mendable
from league.services.imports.people import GUEST, NEW
from league.services.imports.reports import checked
from league.services.imports.running import run_import
from league.services.imports.steps import (
    change_reading,
    decide_names,
    discard_draft,
    preview_file,
    set_options,
    take_as_they_are,
)
from league.services.imports.values import ImportReport
from league.services.planning import TablePlan, plan_tables
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from tests.league.factories import make_league, make_players, make_session, make_user, points_of
from tests.league.imports.files import FOUR, batch_of, books_of, file_of, game

pytestmark = pytest.mark.django_db

RIGHT = (31700, 31300, 25500, 11500)
SHORT, LONG = (40000, 30000, 20000, 2300), (25000, 40200, 18100, 17700)


@pytest.fixture
def league() -> League:
    return make_league(card="cinderella")


def uploaded(league: League, content: str) -> ImportBatch:
    batch = batch_of(league, content)
    decide_names(batch, {}, unknown=NEW)
    return batch


def of_raw(league: League, *raws: tuple[int, int, int, int]) -> ImportBatch:
    return uploaded(league, file_of(*(game("2025-11-21", raw=raw) for raw in raws)))


def of_points(*lines: tuple[str, str, str, str], places: str = "") -> str:
    rows = ["日付,回戦,選手,ポイント" + (",着順" if places else "")]
    for number, points in enumerate(lines, 1):
        for seat, (name, said) in enumerate(zip(FOUR, points, strict=True)):
            rows.append(f"2025-11-21,{number},{name},{said}" + (f",{places[seat]}" if places else ""))
    return "\n".join(rows)


def run(batch: ImportBatch) -> list[Hanchan]:
    run_import(batch.pk, SYSTEM, lambda progress: None)
    league = League.objects.get(pk=batch.league_id)
    assert [str(found) for proof in proofs for found in proof.check(league, ProofTally())] == []
    return list(Hanchan.objects.order_by("round", "pk"))


# --- Rows that do not add up -----------------------------------------------------------------------------------------


def test_rows_that_do_not_add_up_wait_until_all_of_them_are_taken_as_they_are(league: League) -> None:
    batch = of_raw(league, RIGHT, SHORT, LONG)
    report = checked(batch)
    assert (report.added, report.errors, report.unbalanced, report.is_ready) == (1, 2, 2, False)
    with pytest.raises(ImportFileError, match="not_ready"):
        run(batch)
    take_as_they_are(batch, EVERY_ONE, "the book of 2019")
    report = checked(batch)
    assert (report.added, report.errors, report.as_is, report.is_ready) == (3, 0, 2, True)
    stored = run(batch)
    assert sorted((each.as_is, each.note) for each in stored) == [
        (False, ""),
        (True, "the book of 2019"),
        (True, "the book of 2019"),
    ]


def test_rows_are_taken_one_by_one_on_the_page_of_the_check(league: League, client: Client) -> None:
    batch = of_raw(league, RIGHT, SHORT, LONG)
    client.force_login(make_user("ono", league=league, role="organiser"))
    address = reverse("league:import_check", args=[league.slug, batch.pk])
    page = client.get(address).content.decode()
    lines = [row.line for row in client.get(address).context["found"].object_list if row.may_be_taken]
    assert page.count('name="as_is"') == len(lines) == 2
    client.post(address, {"as_is_listed": lines, "as_is": lines[:1], "as_is_why": "", "leave_out": "on"})
    batch.refresh_from_db()
    report = checked(batch)
    assert (report.added, report.errors, report.as_is, report.is_ready) == (2, 1, 1, True)
    [odd] = [each for each in run(batch) if each.as_is]
    assert str(batch) in odd.note


def ticked(client: Client, batch: ImportBatch, lines: list[int]) -> ImportReport:
    address = reverse("league:import_check", args=[batch.league.slug, batch.pk])
    listed = [row.line for row in client.get(address).context["found"].object_list if row.may_be_taken]
    client.post(address, {"as_is_listed": listed, "as_is": lines, "as_is_why": ""})
    batch.refresh_from_db()
    return checked(batch)


@pytest.mark.long
def test_corrected_row_with_another_wrong_sum_is_asked_about_again(league: League, client: Client) -> None:
    client.force_login(make_user("ono", league=league, role="organiser"))
    batch = of_raw(league, RIGHT, SHORT, LONG)
    assert (ticked(client, batch, [6, 10]).as_is, checked(batch).errors) == (2, 0)
    mend(batch, [Mending(6, 6, "40000", "40100")], SYSTEM)
    report = checked(batch)
    assert (report.as_is, report.errors, report.unbalanced) == (1, 1, 1)
    # Applying anything other than the preview is refused.
    address = reverse("league:import_check", args=[league.slug, batch.pk])
    client.post(address, {"as_is_listed": [10], "as_is": [10], "as_is_why": ""})
    batch.refresh_from_db()
    assert (checked(batch).as_is, checked(batch).errors) == (1, 1)
    assert (ticked(client, batch, [6, 10]).as_is, checked(batch).errors) == (2, 0)
    assert [each.as_is for each in run(batch)] == [False, True, True]


def two_sheets(league: League) -> ImportBatch:
    sheets = [
        [line.split(",") for line in file_of(game("2025-11-21", raw=raw)).splitlines()]
        for raw in (SHORT, (41000, 29000, 20000, 2300))
    ]
    return batch_of(league, books_of({"2019": sheets[0], "2020": sheets[1]}), "book.xlsx")


@pytest.mark.long
@pytest.mark.both_databases
def test_answers_about_a_line_expire_with_its_sheet(league: League) -> None:
    batch = two_sheets(league)
    change_reading(batch, replace(preview_file(batch).reading, sheet="2019", columns=()))
    decide_names(batch, {}, unknown=NEW)
    take_as_they_are(batch, [2], "")
    mendings = [Mending(2, 7, "", "of 2019"), Mending(None, 4, "青木", "青木一"), Mending(3, 6, "30000", "30000 ")]
    mend(batch, mendings, SYSTEM)
    assert checked(batch).as_is == 1
    change_reading(batch, replace(preview_file(batch).reading, sheet="2020", columns=()))
    batch.refresh_from_db()
    report = checked(batch)
    assert (report.as_is, report.errors, report.unbalanced) == (0, 1, 1)
    assert not any("of 2019" in row.cells for row in mendable(batch).rows.values())
    assert (batch.mended, batch.mendings.filter(before="").count()) == (2, 0)


@pytest.mark.long
def test_answers_about_all_rows_survive_other_choices(league: League) -> None:
    batch = two_sheets(league)
    reading = replace(preview_file(batch).reading, sheet="2019", columns=())
    change_reading(batch, reading)
    decide_names(batch, {}, unknown=NEW)
    take_as_they_are(batch, [2], "")
    change_reading(batch, replace(preview_file(batch).reading, year=2025))
    assert checked(batch).as_is == 1
    take_as_they_are(batch, EVERY_ONE, "")
    change_reading(batch, replace(reading, sheet="2020"))
    assert checked(batch).as_is == 1


def test_accepting_a_sum_does_not_cover_other_errors(league: League) -> None:
    batch = of_raw(league, (40000, 30000, 20000, 2350))
    take_as_they_are(batch, EVERY_ONE, "")
    report = checked(batch)
    assert (report.errors, report.unbalanced, report.as_is) == (1, 0, 0)


# --- Points only -----------------------------------------------------------------------------------------------------


def test_raw_scores_are_worked_out_from_points_where_one_set_gives_them(league: League) -> None:
    batch = uploaded(league, of_points(("55.0", "9.0", "-20.0", "-44.0")))
    assert checked(batch).is_ready
    [hanchan] = run(batch)
    assert hanchan.given == "worked_out"
    assert [*hanchan.seats.order_by("seat").values_list("raw_score", flat=True)] == [45000, 29000, 20000, 6000]
    assert points_of(hanchan) == [55_000, 9_000, -20_000, -44_000]


def test_points_stay_alone_where_the_rules_do_not_allow_it(league: League) -> None:
    rounded = make_league("rounded", card="free-10-30")
    batch = uploaded(rounded, of_points(("45.0", "9.0", "-20.0", "-34.0"), places="1234"))
    report = checked(batch)
    assert (report.added, report.warnings, report.is_ready) == (1, 0, True)
    [hanchan] = run(batch)
    assert (hanchan.given, points_of(hanchan)) == ("points", [45_000, 9_000, -20_000, -34_000])


def test_placements_of_the_file_are_kept(league: League) -> None:
    batch = uploaded(league, of_points(("10", "10", "-10", "-10"), places="2143"))
    [hanchan] = run(batch)
    assert hanchan.given == "points"
    assert [*hanchan.seats.order_by("seat").values_list("placement", flat=True)] == [2, 1, 4, 3]


def test_points_that_do_not_add_up_wait_like_raw_scores(league: League) -> None:
    batch = uploaded(league, of_points(("45.0", "9.0", "-20.0", "-33.0")))
    report = checked(batch)
    assert (report.errors, report.unbalanced) == (1, 1)
    take_as_they_are(batch, EVERY_ONE, "")
    [hanchan] = run(batch)
    assert (hanchan.given, hanchan.as_is) == ("points", True)


def test_the_same_points_once_more_are_the_same_hanchan(league: League) -> None:
    content = of_points(("45.0", "9.0", "-20.0", "-34.0"), ("-44.0", "55.0", "9.0", "-20.0"))
    run(uploaded(league, content))
    again = checked(uploaded(league, content))
    assert (again.added, again.same) == (0, 2)


@pytest.mark.long
def test_scores_stay_worked_out_where_a_file_changes_something_else(league: League) -> None:
    [hanchan] = run(uploaded(league, of_points(("45.0", "9.0", "-20.0", "-34.0"))))
    assert hanchan.given == "worked_out"
    table = hanchan_table(
        league,
        hanchan_within(league),
        make_user("ono", league=league, role="owner"),
        FileLayout(RowShape.WIDE, exact=True),
    )
    head, *rows = csv.reader(b"".join(text_chunks(table, FORMATS["csv"])).decode("utf-8-sig").splitlines())
    place = head.index("分かっていたもの")
    head[place], rows[0][place] = "その他", ""
    rows[0][head.index("卓")] = "3"
    [changed] = run(batch_of(league, "\n".join(",".join(row) for row in (head, *rows))))
    assert (changed.pk, changed.version, changed.table, changed.given) == (hanchan.pk, 2, 3, "worked_out")


SLIP = (34700, 31300, 25500, 8500)
OTHER = (25000, 40200, 18100, 16700)


def test_a_row_like_one_before_it_waits_for_an_answer(league: League) -> None:
    batch = of_raw(league, RIGHT, SLIP, OTHER)
    report = checked(batch)
    assert (report.added, report.asked, report.is_ready) == (3, 1, False)
    with pytest.raises(ImportFileError, match="not_ready"):
        run(batch)
    set_options(batch, leave_out_errors=False, take_asked=True)
    assert checked(batch).is_ready
    run(batch)
    assert Hanchan.objects.count() == 3


def test_a_row_like_a_stored_hanchan_waits_for_an_answer(league: League, client: Client) -> None:
    run(of_raw(league, RIGHT))
    batch = of_raw(league, SLIP, OTHER)
    client.force_login(make_user("ono", league=league, role="organiser"))
    address = reverse("league:import_check", args=[league.slug, batch.pk])
    page = client.get(address).content.decode()
    assert "ほぼ同じ素点の結果" in page
    assert 'name="take_asked"' in page
    client.post(address, {"take_asked": "on"})
    batch.refresh_from_db()
    assert checked(batch).is_ready


def test_a_row_of_other_people_than_planned_waits_for_an_answer(league: League) -> None:
    session = make_session(league)
    planned = make_players(league, 8)[4:]
    plan_tables(session=session, plans=[TablePlan(1, tuple(planned), 1)], by=SYSTEM)
    batch = batch_of(
        league, file_of(game("2025-11-21", table=1, number=1), game("2025-11-21", table=1, number=2, raw=OTHER))
    )
    report = checked(batch)
    assert (report.added, report.asked, report.is_ready) == (2, 1, False)
    set_options(batch, leave_out_errors=False, take_asked=True)
    run(batch)
    assert session.hanchan.count() == 2


def test_other_hanchan_of_the_same_four_need_no_question(league: League) -> None:
    report = checked(of_raw(league, RIGHT, OTHER))
    assert (report.added, report.asked, report.is_ready) == (2, 0, True)


def test_concurrent_decision_during_a_check_is_not_taken_as_seen(league: League) -> None:
    batch = batch_of(league, file_of(game()))
    decide_names(batch, {}, unknown=GUEST)
    opened = ImportBatch.objects.get(pk=batch.pk)
    decide_names(batch, {}, unknown=NEW)
    checked(opened)
    assert seen(opened) != seen(ImportBatch.objects.get(pk=batch.pk))


def test_of_many_alike_the_first_are_listed(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.services.imports.reports.LISTED_OF_A_KIND", 1)
    monkeypatch.setattr("league.services.imports.reports.LISTED_ERRORS", 1)
    wrong = [game(f"2025-11-{day}", raw=(31800, 31300, 25500, 11500)) for day in (27, 28)]
    batch = uploaded(league, file_of(game("2025-11-20"), *wrong, game("2025-11-29")))
    report = checked(batch)
    assert (report.added, report.errors) == (2, 2)
    assert [(row.status, min(row.lines)) for row in report.rows] == [("error", 6), ("added", 2)]


def test_choice_during_a_check_starts_another(league: League) -> None:
    batch = uploaded(league, file_of(game()))
    at_work = ImportBatch.objects.get(pk=batch.pk)
    decide_names(batch, {}, unknown="")
    assert checked(at_work).people == FOUR
    batch.refresh_from_db()
    assert batch.report is None
    assert checked(batch).errors == 1


def test_upload_deleted_during_its_check_is_no_error(league: League) -> None:
    batch = batch_of(league, file_of(game(raw=(31800, 31300, 25500, 11500))))
    at_work = ImportBatch.objects.get(pk=batch.pk)
    assert discard_draft(batch)
    assert checked(at_work).errors == 1
