import pytest

from league.core.spreadsheets.tables import ImportFileError
from league.models import Hanchan, ImportBatch, League
from league.services.history import SYSTEM
from league.services.imports.running import run_import
from league.services.imports.steps import checked, discard_draft, seen
from league.services.imports.values import GUEST
from league.services.people import PlayerFacts, add_players
from league.services.planning import TablePlan, plan_tables
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from tests.league.factories import make_league, make_players, make_session, points_of
from tests.league.imports.files import FOUR, RAW, answer, batch_of, file_of, game

pytestmark = pytest.mark.django_db

SHORT, LONG = (40000, 30000, 20000, 2300), (25000, 40200, 18100, 17700)


@pytest.fixture
def league() -> League:
    return make_league(card="cinderella")


def of_raw(league: League, *raws: tuple[int, int, int, int]) -> ImportBatch:
    return batch_of(league, file_of(*(game("2025-11-21", raw=raw) for raw in raws)))


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


def test_rows_that_do_not_add_up_wait_until_all_of_them_are_taken_as_they_are(league: League) -> None:
    batch = of_raw(league, RAW, SHORT, LONG)
    report = checked(batch)
    assert (report.added, report.errors, report.unbalanced, report.is_ready) == (1, 2, 2, False)
    with pytest.raises(ImportFileError, match="not_ready"):
        run(batch)
    answer(batch, as_is="as_is")
    report = checked(batch)
    assert (report.added, report.errors, report.as_is, report.is_ready) == (3, 0, 2, True)
    assert sorted((each.as_is, str(batch) in each.note) for each in run(batch)) == [
        (False, False),
        (True, True),
        (True, True),
    ]


def test_accepting_a_sum_does_not_cover_other_errors(league: League) -> None:
    batch = of_raw(league, (40000, 30000, 20000, 2350))
    answer(batch, as_is="as_is")
    report = checked(batch)
    assert (report.errors, report.unbalanced, report.as_is) == (1, 0, 0)


def test_accepted_sum_holds_while_names_are_asked_about(league: League) -> None:
    add_players(league=league, people=[PlayerFacts("美咲 大野")], by=SYSTEM)
    batch = batch_of(league, file_of(game(raw=SHORT, names=("大野美咲", "石田", "上野", "江口"))))
    answer(batch, as_is="as_is")
    report = checked(batch)
    assert (report.errors, report.waiting, report.as_is, report.wrong) == (1, 1, 1, 0)


def test_raw_scores_are_worked_out_from_points_where_one_set_gives_them(league: League) -> None:
    batch = batch_of(league, of_points(("55.0", "9.0", "-20.0", "-44.0")))
    assert checked(batch).is_ready
    [hanchan] = run(batch)
    assert hanchan.given == "worked_out"
    assert [*hanchan.seats.order_by("seat").values_list("raw_score", flat=True)] == [45000, 29000, 20000, 6000]
    assert points_of(hanchan) == [55_000, 9_000, -20_000, -44_000]


def test_points_stay_alone_where_the_rules_do_not_allow_it(league: League) -> None:
    rounded = make_league("rounded", card="free-10-30")
    batch = batch_of(rounded, of_points(("45.0", "9.0", "-20.0", "-34.0"), places="1234"))
    report = checked(batch)
    assert (report.added, report.warnings, report.is_ready) == (1, 0, True)
    [hanchan] = run(batch)
    assert (hanchan.given, points_of(hanchan)) == ("points", [45_000, 9_000, -20_000, -34_000])


def test_placements_of_the_file_are_kept(league: League) -> None:
    [hanchan] = run(batch_of(league, of_points(("10", "10", "-10", "-10"), places="2143")))
    assert hanchan.given == "points"
    assert [*hanchan.seats.order_by("seat").values_list("placement", flat=True)] == [2, 1, 4, 3]


def test_points_that_do_not_add_up_wait_like_raw_scores(league: League) -> None:
    batch = batch_of(league, of_points(("45.0", "9.0", "-20.0", "-33.0")))
    report = checked(batch)
    assert (report.errors, report.unbalanced) == (1, 1)
    answer(batch, as_is="as_is")
    [hanchan] = run(batch)
    assert (hanchan.given, hanchan.as_is) == ("points", True)


SLIP = (34700, 31300, 25500, 8500)
OTHER = (25000, 40200, 18100, 16700)


def test_a_row_like_one_before_it_waits_for_an_answer(league: League) -> None:
    batch = of_raw(league, RAW, SLIP, OTHER)
    report = checked(batch)
    assert (report.added, report.asked, report.is_ready) == (3, 1, False)
    with pytest.raises(ImportFileError, match="not_ready"):
        run(batch)
    answer(batch, asked="take")
    assert checked(batch).is_ready
    run(batch)
    assert Hanchan.objects.count() == 3


def test_a_row_of_other_people_than_planned_waits_for_an_answer(league: League) -> None:
    session = make_session(league)
    plan_tables(session=session, plans=[TablePlan(1, tuple(make_players(league, 8)[4:]), 1)], by=SYSTEM)
    batch = batch_of(
        league, file_of(game("2025-11-21", table=1, number=1), game("2025-11-21", table=1, number=2, raw=OTHER))
    )
    report = checked(batch)
    assert (report.added, report.asked, report.is_ready) == (2, 1, False)
    answer(batch, asked="take")
    run(batch)
    assert session.hanchan.count() == 2


def test_of_many_alike_the_first_are_listed(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.services.imports.values.LISTED_OF_A_KIND", 1)
    wrong = [game(f"2025-11-{day}", raw=(31800, 31300, 25500, 11500)) for day in (27, 28)]
    report = checked(batch_of(league, file_of(game("2025-11-20"), *wrong, game("2025-11-29"))))
    assert (report.added, report.errors) == (2, 2)
    assert [(row.status, row.lines) for row in report.rows] == [("error", "6–9"), ("added", "2–5")]


def test_choice_during_a_check_starts_another(league: League) -> None:
    batch = batch_of(league, file_of(game()))
    at_work = ImportBatch.objects.get(pk=batch.pk)
    answer(batch, unknown=GUEST)
    assert checked(at_work).people == FOUR
    batch.refresh_from_db()
    assert batch.report is None
    assert seen(batch) != seen(at_work)


def test_upload_deleted_during_its_check_is_no_error(league: League) -> None:
    batch = batch_of(league, file_of(game(raw=(31800, 31300, 25500, 11500))))
    at_work = ImportBatch.objects.get(pk=batch.pk)
    assert discard_draft(batch)
    assert checked(at_work).errors == 1
