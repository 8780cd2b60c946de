from datetime import date, timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from league.core.spreadsheets.tables import ImportFileError
from league.messages.imports import sentence
from league.models import Hanchan, ImportBatch, Job, League, Revision, Seat, Session
from league.selectors.boards import played_periods
from league.services.boards import Progress, StoppedError, unwatched
from league.services.calendar import SessionFacts, change_session, set_session_state
from league.services.history import SYSTEM
from league.services.imports import running, steps, undoing
from league.services.imports.checks import check
from league.services.imports.contents import contents_of
from league.services.imports.running import run_import
from league.services.imports.steps import change_reading, checked, decide_names, match_names, start_import, undo_import
from league.services.imports.undoing import undo
from league.services.imports.values import GUEST, NEW, ImportUndoReport
from league.services.jobs import cancel_job, run
from league.services.people import PlayerFacts, add_players
from league.services.results import void_hanchan
from league.services.rules import adopt_card, make_current
from tests.league.factories import correct, make_league, make_session, make_user, play, points_of, settle
from tests.league.imports.files import FOUR, answer, batch_of, file_of, game
from tests.league.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

KEYED = "日付,節,卓,回戦,席,選手,素点,メモ,半荘キー"


def imported(league: League, text: str) -> ImportBatch:
    batch = batch_of(league, text)
    assert start_import(batch, SYSTEM) is None
    return batch


def counts(league: League) -> tuple[int, ...]:
    return (
        league.hanchan.count(),
        league.sessions.count(),
        league.players.count(),
        Revision.objects.filter(league=league).count(),
    )


def keyed(key: str = "h1", **changed: Any) -> str:
    return "\n".join(f"{line},{key}" for line in game(**changed).splitlines())


def notes_of(league: League, text: str) -> list[str]:
    return [note.code for row in checked(batch_of(league, text)).rows for note in row.notes]


def test_import_adds_hanchan_with_points_sessions_and_people() -> None:
    league = make_league()
    batch = imported(
        league, file_of(game("2025-11-21", "第1節", 1, 1), game("2025-11-28", "忘年会", 2, 1, memo="楽しかった"))
    )
    first, second = league.hanchan.order_by("played_at")
    assert points_of(first) == [21700, 1300, -4500, -18500]
    assert (first.session.number, first.session.title, first.session.state) == (1, "", Session.State.CLOSED)
    assert (second.session.title, second.session.tables, second.table, second.note) == ("忘年会", 2, 2, "楽しかった")
    assert sorted(league.players.values_list("name", flat=True)) == sorted(FOUR)
    assert (batch.state, batch.run_at is not None) == (ImportBatch.State.DONE, True)
    settle()
    assert league.boards.get(period="2025-11").hanchan == 2


def test_same_import_twice_does_nothing_the_second_time(league: League) -> None:
    batch = imported(league, file_of(game()))
    before = counts(league)
    assert start_import(batch, SYSTEM) is None
    assert run_import(batch.pk, SYSTEM, unwatched)["added"] == 1
    assert counts(league) == before
    again = checked(batch_of(league, file_of(game())))
    assert (again.added, again.same, again.is_ready) == (0, 1, False)


def test_file_without_years_is_read_in_the_season_that_has_its_hanchan(league: League) -> None:
    imported(league, file_of(game("2023-11-24"), game("2023-12-22"), game("2024-01-12")))
    report = checked(batch_of(league, file_of(game("11/24"), game("12/22"), game("1/12"))))
    assert (report.games, report.same, report.days) == (3, 3, ())
    points = [f"11/24,{name},{said}" for name, said in zip(FOUR, ("21.7", "1.3", "-4.5", "-18.5"), strict=True)]
    assert checked(batch_of(league, "\n".join(["日付,選手,ポイント", *points]))).same == 1
    more = checked(batch_of(league, file_of(game("12/22"), game("2/9"), game("3/1", raw=(25000,) * 4))))
    assert (more.same, more.days) == (1, (date(2024, 2, 9), date(2024, 3, 1)))
    others = checked(batch_of(league, file_of(game("11/24", raw=(25000,) * 4))))
    assert others.days[0].year > 2024


def test_one_wrong_row_stops_everything_unless_it_is_left_out(league: League) -> None:
    batch = batch_of(league, file_of(game(number=1), game(raw=(31800, 31300, 25500, 11500), number=2)))
    report = checked(batch)
    assert (report.added, report.errors, report.is_ready) == (1, 1, False)
    row, right = report.rows
    assert (right.lines, right.status, right.notes) == ("2–5", "added", ())
    assert (row.lines, row.status) == ("6–9", "error")
    assert "100" in sentence(row.notes[0].code, row.notes[0].values)
    with pytest.raises(ImportFileError, match="not_ready"):
        start_import(batch, SYSTEM)
    assert not league.hanchan.exists()
    answer(batch, leave_out_errors=True)
    start_import(batch, SYSTEM)
    assert league.hanchan.count() == 1
    assert [row.status for row in checked(batch).rows] == ["left_out", "added"]


def test_crash_in_the_middle_leaves_nothing(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(league, file_of(game(), game("2025-11-28", names=("青木", "石田", "上野", "大野"))))
    ImportBatch.objects.update(state=ImportBatch.State.RUNNING)
    before = counts(league)
    monkeypatch.setattr(running, "mark_stale", Mock(side_effect=OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        run_import(batch.pk, SYSTEM, unwatched)
    batch.refresh_from_db()
    assert (counts(league), batch.state, batch.made) == (before, ImportBatch.State.FAILED, None)
    monkeypatch.undo()
    start_import(batch, SYSTEM)
    assert league.hanchan.count() == 2


def test_large_import_is_a_job_to_be_cancelled_and_restarted(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.services.imports.steps.AT_ONCE", 1)
    batch = batch_of(league, file_of(game(), game("2025-11-28")))
    cancelled = start_import(batch, SYSTEM)
    assert cancelled is not None
    cancel_job(cancelled)
    run(cancelled.pk)
    assert not league.hanchan.exists()
    job = start_import(batch, SYSTEM)
    assert job is not None
    assert (batch.state, batch.job, start_import(batch, SYSTEM)) == (ImportBatch.State.RUNNING, job, job)
    with pytest.raises(ImportFileError, match="running"):
        change_reading(batch, contents_of(batch).reading)
    run(job.pk)
    job.refresh_from_db()
    batch.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"batch": batch.pk, "added": 2, "same": 0})
    assert (batch.state, league.hanchan.count()) == (ImportBatch.State.DONE, 2)
    with pytest.raises(ImportFileError, match="already_run"):
        decide_names(batch, {})


@pytest.mark.django_db(transaction=True)
def test_import_that_is_cancelled_while_it_writes_leaves_nothing() -> None:
    league = make_league()
    batch = batch_of(league, file_of(game()))
    before = counts(league)
    seen: list[Progress] = []

    def stop(progress: Progress) -> None:
        seen.append(progress)
        if progress.done > progress.total // 2:
            raise StoppedError

    if connection.vendor != "postgresql":
        run_import(batch.pk, SYSTEM, stop)
        assert league.hanchan.count() == 1
        return
    with pytest.raises(StoppedError):
        run_import(batch.pk, SYSTEM, stop)
    assert (counts(league), len(seen)) == (before, 3)


def test_games_go_to_the_session_of_their_day(league: League) -> None:
    session = make_session(league, title="第5節")
    play(session)
    text = file_of(game(raw=(25000, 25000, 25000, 25000)), game("2025-11-28", "第6節"))
    assert checked(batch_of(league, text)).joined == ((session.date, session.number, "第5節"),)
    imported(league, text)
    assert [hanchan.round for hanchan in session.hanchan.order_by("round")] == [1, 2]
    new = league.sessions.exclude(pk=session.pk).get()
    assert (new.number, new.title) == (6, "")


def test_new_sessions_take_the_rules_of_their_time(league: League) -> None:
    before = make_session(league, date(2025, 11, 14)).ruleset_version
    now = adopt_card(league=league, card_key="mleague", name="M", by=SYSTEM)
    make_current(league=league, version=now, by=SYSTEM)
    days = ("2025-10-31", "2025-11-07", "2025-11-21")
    batch = batch_of(league, file_of(*map(game, days)))
    assert checked(batch).versions == tuple(sorted((before.pk, now.pk)))
    start_import(batch, SYSTEM)
    used = dict(league.sessions.values_list("date", "ruleset_version"))
    assert [used[date.fromisoformat(day)] for day in days] == [before.pk, before.pk, now.pk]


def test_two_sessions_on_one_day_want_a_name(league: League) -> None:
    make_session(league, title="昼")
    evening = make_session(league, title="夜")
    assert notes_of(league, file_of(game())) == ["session_unclear"]
    imported(league, file_of(game(session="夜")))
    assert evening.hanchan.count() == 1


def test_game_with_a_key_of_the_league_is_there_already(league: League) -> None:
    imported(league, file_of(keyed(), header=KEYED))
    other = file_of(keyed(raw=(31800, 31200, 25500, 11500)), header=KEYED)
    nameless = file_of(keyed(names=("青木", "石田", "上野", "")), header=KEYED)
    same = file_of(keyed(memo="直した"), header=KEYED)
    for text, notes in ((same, []), (nameless, []), (other, ["stored_differs"])):
        report = checked(batch_of(league, text))
        assert (report.same, report.added, report.is_ready) == (1, 0, False)
        assert [note.code for note in report.rows[0].notes] == notes


def test_voided_game_is_imported_again(league: League) -> None:
    undo_import(imported(league, file_of(keyed(), header=KEYED)), by=SYSTEM)
    assert league.hanchan.get().is_voided
    again = imported(league, file_of(keyed(), header=KEYED))
    assert league.hanchan.valid().count() == 1
    undo_import(again, by=SYSTEM)
    assert Seat.objects.filter(counted=True).count() == 0


def test_doubles_in_the_file_are_taken_once_or_pointed_out(league: League) -> None:
    report = checked(batch_of(league, file_of(game(), game(), game(number=1), game(number=2))))
    assert (report.added, report.same, report.warnings) == (3, 1, 3)
    assert checked(batch_of(league, file_of(keyed("a"), keyed("a"), header=KEYED))).errors == 1
    assert checked(batch_of(league, file_of(keyed("a"), keyed("b"), header=KEYED))).added == 2


def test_points_of_the_file_are_compared_and_ours_are_kept(league: League) -> None:
    lines = ["11/21,青木,31700,1,22", "11/21,石田,31300,3,1.3", "11/21,上野,25500,,", "11/21,江口,11500,4,-18.5"]
    report = checked(batch_of(league, "\n".join(["日付,選手,素点,着順,ポイント", *lines])))
    assert (report.added, report.warnings, report.is_ready) == (1, 1, True)
    assert [note.code for note in report.rows[0].notes] == ["points_differ", "placement_differs"]
    assert "21.7" in sentence("points_differ", report.rows[0].notes[0].values)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(file_of(game(names=("青木", "石田", "上野", "青木さん"))), "player_twice", id="one person twice"),
        pytest.param(file_of(game(raw=(31750, 31250, 25500, 11500))), "scoring", id="not hundreds"),
        pytest.param(file_of(game(raw=(52000, 31000, 18000, -1000))), "scoring", id="bust that nobody explains"),
    ],
)
def test_game_that_cannot_be_stored_says_why(league: League, text: str, code: str) -> None:
    assert code in notes_of(league, text)


def test_names_are_found_asked_for_and_decided(league: League) -> None:
    text = file_of(
        game(names=("青木さん", "イシダ", "上野", "江口 花")),
        game("2025-11-28", names=("青木さん", "イシダ", "上野", "客")),
    )
    batch = batch_of(league, text)
    matches = {match.written: match for match in match_names(batch)}
    assert [match.how for match in match_names(batch)] == ["ask", "new", "honorific", "kana", "exact"]
    assert [player.name for player in matches["江口 花"].candidates] == ["江口"]
    assert (matches["青木さん"].count, matches["客"].count) == (2, 1)
    eguchi = league.players.get(name="江口")
    decide_names(batch, {matches["江口 花"].key: str(eguchi.pk), matches["客"].key: GUEST})
    assert {match.written: match.how for match in match_names(batch)}["江口 花"] == "chosen"
    start_import(batch, SYSTEM)
    assert (league.players.get(name="客").is_guest, league.players.count()) == (True, 5)
    assert [alias.name for alias in eguchi.aliases.all()] == ["江口 花"]
    undo_import(batch, by=SYSTEM)
    assert not eguchi.aliases.exists()
    with pytest.raises(ImportFileError, match="not_in_league"):
        decide_names(batch_of(league, text), {"客": "0"})


def test_namesakes_of_the_file_are_asked_for_when_the_league_knows_one(league: League) -> None:
    lines = ["11/21,青木,31700,90", "11/21,青木,31300,91", "11/21,上野,25500,", "11/21,江口,11500,"]
    batch = batch_of(league, "\n".join(["日付,選手,素点,会員番号", *lines]))
    assert [(match.how, len(match.candidates)) for match in match_names(batch)][:2] == [("ask", 1), ("ask", 1)]
    keys = [match.key for match in match_names(batch)]
    decide_names(batch, {keys[0]: str(league.players.get(name="青木").pk), keys[1]: NEW})
    start_import(batch, SYSTEM)
    assert league.players.filter(name="青木").count() == 2


def test_ways_of_writing_one_new_name_are_one_player() -> None:
    league = make_league()
    imported(league, file_of(game(), game("2025-11-28", names=("青木さん", "石田", "上野", "江口"))))
    assert league.players.count() == 4


@pytest.mark.merge
def test_name_in_another_word_order_is_asked_about_until_an_import_answers_it(league: League) -> None:
    (ono,) = add_players(league=league, people=[PlayerFacts("美咲 大野")], by=SYSTEM)

    def another(day: str, choice: str = "") -> tuple[ImportBatch, list[tuple[str, ...]]]:
        batch = batch_of(league, file_of(game(day, names=("青木", "石田", "上野", "大野美咲"))))
        decide_names(batch, {"大野美咲": choice})
        found = next(match for match in match_names(batch) if match.written == "大野美咲")
        if choice:
            start_import(batch, SYSTEM)
        return batch, [(found.how, *(player.name for player in found.candidates))]

    assert another("2025-11-21")[1] == [("ask", "美咲 大野")]
    undo_import(another("2025-11-21", NEW)[0], by=SYSTEM)
    assert another("2025-11-21")[1] == [("ask", "大野美咲", "美咲 大野")]
    another("2025-11-21", str(ono.pk))
    assert another("2025-11-28")[1] == [("ask", "美咲 大野", "大野美咲")]
    assert {match.likely for match in match_names(another("2025-11-28")[0])} == {"", str(ono.pk)}


def test_undoing_everything_sets_people_aside_and_another_import_brings_them_back(league: League) -> None:
    texts = [file_of(game(day, names=("青木", "石田", "上野", "大野"))) for day in ("2025-11-21", "2025-11-28")]
    for _ in range(2):
        first, second = [imported(league, text) for text in texts]
        ono = league.players.get(name="大野", is_active=True)
        ono.awards.get_or_create(league=league, period="2025-10", key="evenings")
        assert undo_import(first, by=SYSTEM).people == 0
        undone = undo_import(second, by=SYSTEM)
        assert (undone.voided, undone.sessions, undone.people, undone.left) == (1, 1, 1, [])
        assert [player.name for player in league.players.filter(is_active=False)] == ["大野"]
        assert not league.sessions.exclude(state=Session.State.WITHDRAWN).exists()


def test_ways_of_naming_a_session_are_one_session(league: League) -> None:
    raws = (31700, 31300, 25500, 11500), (20000, 40000, 30000, 10000), (10000, 20000, 45000, 25000)
    names = ("第1節", "1", "Session 1")
    rows = [
        game(session=name, number=at, raw=raw) for at, (name, raw) in enumerate(zip(names, raws, strict=True), start=1)
    ]
    imported(league, file_of(*rows))
    assert list(league.sessions.values_list("number", "title")) == [(1, "")]


def test_undoing_leaves_sessions_and_people_that_a_plan_names(league: League) -> None:
    batch = imported(league, file_of(game(names=("青木", "石田", "上野", "大野"))))
    league.sessions.get().planned_seats.create(table=1, round=2, seat=0, player=league.players.get(name="大野"))
    undone = undo_import(batch, by=SYSTEM)
    assert (undone.voided, undone.sessions, undone.people) == (1, 0, 0)


def test_undoing_ends_after_seven_days(league: League) -> None:
    batch = imported(league, file_of(game()))
    ImportBatch.objects.update(run_at=timezone.now() - timedelta(days=8))
    with pytest.raises(ImportFileError, match="too_late"):
        undo_import(batch, by=SYSTEM)
    with pytest.raises(ImportFileError, match="not_done"):
        undo_import(batch_of(league, file_of(game())), by=SYSTEM)


@pytest.mark.django_db(transaction=True)
def test_entry_continues_during_an_import() -> None:
    league = make_league(players=4)
    session = make_session(league)
    players = list(league.players.order_by("pk"))
    batch = batch_of(league, file_of(game("2025-11-28")))
    entered: list[object] = []

    def during(progress: Progress) -> None:
        if progress.done == progress.total and connection.vendor == "postgresql":
            entered.extend(at_once(lambda: play(session, players=players)))

    run_import(batch.pk, SYSTEM, during)
    assert all(isinstance(each, Hanchan) for each in entered), entered
    assert league.hanchan.count() == (2 if connection.vendor == "postgresql" else 1)


def test_future_dates_are_refused(league: League) -> None:
    ahead = league.day_of(timezone.now() + timedelta(days=2))
    assert notes_of(league, file_of(game("2099-01-01"), game("1999-01-01"))) == ["in_the_future"]
    assert notes_of(league, file_of(game(ahead.isoformat()))) == ["in_the_future"]
    assert notes_of(league, file_of(game((ahead - timedelta(days=1)).isoformat()))) == []


DAYS = ("2024-03-01", "2024-03-08", "2024-03-15")


def names(league: League) -> list[str]:
    return [str(session) for session in league.sessions.kept().order_by("date")]


def test_undone_import_gives_its_numbers_back(league: League) -> None:
    batch = imported(league, file_of(*(game(day, str(number)) for number, day in enumerate(DAYS, start=1))))
    undo_import(batch, by=SYSTEM)
    assert str(play(make_session(league)).session) == "第1節"
    imported(league, file_of(*(game(day, str(number)) for number, day in enumerate(DAYS[1:], start=2))))
    assert names(league) == ["第2節", "第3節", "第1節"]


def test_undo_gives_sessions_the_numbers_back_that_they_had_out_of_order(league: League) -> None:
    play(make_session(league))
    imported(league, file_of(game(DAYS[1])))
    batch = batch_of(league, file_of(game(DAYS[0])))
    answer(batch, by_date="1")
    start_import(batch, SYSTEM)
    assert names(league) == ["第1節", "第2節", "第3節"]
    undo_import(batch, by=SYSTEM)
    assert names(league) == ["第2節", "第1節"]


def test_withdrawn_session_that_is_opened_again_takes_the_next_number_if_its_own_is_taken(league: League) -> None:
    first = set_session_state(session=make_session(league), state=Session.State.WITHDRAWN, by=SYSTEM)
    second = make_session(league)
    set_session_state(session=first, state=Session.State.OPEN, by=SYSTEM)
    assert (str(second), str(first)) == ("第1節", "第2節")


def test_imported_number_that_is_taken_is_written_out_and_shifts_nothing(league: League) -> None:
    play(make_session(league))
    rows = [game(day, str(number)) for number, day in enumerate(DAYS, start=1)]
    imported(league, file_of(*rows))
    assert names(league) == ["第1節", "第2節", "第3節", "第1節"]
    assert str(make_session(league, date(2025, 12, 1))) == "第4節"
    assert [outcome.status for outcome in check(batch_of(league, file_of(*rows))).outcomes] == ["same"] * 3


def test_session_that_loses_its_title_gets_a_number_of_its_own(league: League) -> None:
    play(make_session(league))
    imported(league, file_of(game(DAYS[0], "1")))
    (titled,) = league.sessions.exclude(title="")
    change_session(session=titled, facts=SessionFacts(titled.date), by=SYSTEM)
    assert names(league) == ["第2節", "第1節"]


def season(evenings: int) -> str:
    games = []
    for evening in range(evenings):
        names = [f"選手{evening}{seat}" for seat in "東南西北"]
        games.append(game(str(date(2025, 1, 7) + timedelta(weeks=evening)), names=names))
    return file_of(*games)


def statements_of_importing(league: League, text: str) -> int:
    batch = batch_of(league, text)
    with CaptureQueriesContext(connection) as sent:
        run_import(batch.pk, SYSTEM, unwatched)
    return len(sent)


def test_new_people_and_new_evenings_cost_no_statement_each() -> None:
    few, many = make_league(slug="few"), make_league(slug="many")
    more = statements_of_importing(many, season(15)) - statements_of_importing(few, season(2))
    # 52 people and 13 sessions more: more rows than fit in one SQLite statement.
    assert more <= 2
    assert (many.players.count(), many.sessions.count(), many.hanchan.count()) == (60, 15, 15)


@pytest.fixture
def batch(league: League) -> ImportBatch:
    """An import that added three hanchan with a session and a player; two others were there."""
    imported(league, file_of(keyed("a"), keyed("b"), header=KEYED))
    new = {"names": ("青木", "石田", "上野", "大野")}
    added = [keyed(key, day="2025-10-03", number=number, **new) for number, key in enumerate("cde", start=1)]
    return imported(league, file_of(keyed("a"), keyed("b"), *added, header=KEYED))


def is_as_before(league: League) -> None:
    assert sorted(league.hanchan.valid().values_list("key", "note")) == [("a", ""), ("b", "")]
    assert league.sessions.get(date="2025-10-03").state == Session.State.WITHDRAWN
    assert not league.players.get(name="大野").is_active
    told = Revision.objects.filter(reason__contains="取り込みを取り消").order_by("pk")
    assert list(told.values_list("subject", "action")) == [("hanchan", "voided")] * 3 + [("player", "changed")]
    assert Revision.objects.filter(subject="session", after__state="withdrawn").count() == 1
    settle()
    assert dict(league.boards.values_list("period", "hanchan")) == {"2025-10": 0, "2025-11": 2, "2025": 2, "all": 2}
    assert played_periods(league) == {"2025-11", "2025", "all"}


def test_undo_shows_progress_and_runs_once(league: League, batch: ImportBatch) -> None:
    seen: list[Progress] = []
    assert undo(batch.pk, SYSTEM, seen.append) == ImportUndoReport(voided=3, sessions=1, people=1)
    if connection.vendor == "postgresql":
        assert [(each.done, each.total) for each in seen] == [(3, 5)]
    with pytest.raises(ImportFileError, match="not_done"):
        undo(batch.pk, SYSTEM, unwatched)
    is_as_before(league)


@pytest.mark.long
def test_undoing_that_stops_on_the_way_takes_nothing_back(
    client: Client, league: League, batch: ImportBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "UNDONE_AT_ONCE", 0)
    job = steps.start_undo(batch, by=SYSTEM)
    assert isinstance(job, Job)
    with monkeypatch.context() as killed:
        killed.setattr(undoing._Undoing, "withdraw", Mock(side_effect=SystemExit("killed")))
        with pytest.raises(SystemExit):
            run(job.pk)
    assert league.hanchan.valid().count() == 5
    client.force_login(make_user("ishida", league=league, role="organiser"))
    for state in ("cancelled", "failed", "interrupted"):
        Job.objects.filter(pk=job.pk).update(state=state)
        page = client.get(reverse("league:job", args=[league.slug, job.pk])).content.decode()
        assert "取り込みの取り消しは途中で止まりました" in page
        assert "ファイルの内容は何も取り込まれていません" not in page
    client.post(reverse("league:import_undo", args=[league.slug, batch.pk]))
    last = Job.objects.latest("pk")
    run(last.pk)
    is_as_before(league)
    page = client.get(reverse("league:job", args=[league.slug, last.pk])).content.decode()
    assert "集計から外れました" in page


def test_rows_changed_since_are_kept_and_named(league: League, batch: ImportBatch) -> None:
    correct(league.hanchan.get(key="e"), note="また見た")
    void_hanchan(hanchan=league.hanchan.get(key="d"), by=SYSTEM, reason="twice")
    found = undo(batch.pk, SYSTEM, unwatched)
    assert (found.voided, found.sessions, len(found.left)) == (1, 0, 1)


def test_bust_without_prize_needs_no_answer() -> None:
    league = make_league(parameters={"bust": {"ends": "below_zero"}}, players=4)
    assert checked(batch_of(league, file_of(game(raw=(52000, 31000, 18000, -1000))))).added == 1


def test_three_player_tables_are_imported_under_their_rules() -> None:
    league = make_league(card="tenhou-3p")
    assert league.current_version is not None
    start = league.current_version.read().start_points or 0
    lines = [f"2025-11-21,{name},{raw}" for name, raw in zip(FOUR, (start + 1000, start, start - 1000), strict=False)]
    batch = imported(league, "\n".join(["日付,選手,素点", *lines]))
    assert (batch.state, league.hanchan.get().seats.count()) == (ImportBatch.State.DONE, 3)


def test_imported_hanchan_are_confirmed_where_results_need_it() -> None:
    league = make_league(confirmed_by="one")
    imported(league, file_of(game()))
    assert league.hanchan.get().state == "confirmed"
