from dataclasses import replace

import pytest
from django.db import IntegrityError, connection, transaction

from league.core.periods import ALL_TIME
from league.models import Hanchan, League, Revision, Seat, Standing
from league.selectors.board_parts import hanchan_in
from league.selectors.games import game_of, snapshot_of, snapshots_of
from league.selectors.played import played
from league.services.calendar import change_settings
from league.services.confirming import settle as settle_dispute
from league.services.history import SYSTEM, Actor
from league.services.previewing import preview_impact
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from league.services.rescoring import rescore
from league.services.results import (
    TableAndTime,
    correct_hanchan,
    result_of,
)
from league.services.rules import save_version
from league.services.versions import bring_back
from scoring.core import FinishedGame, ScoringError
from tests.league.factories import make_league, make_session, make_user, play, points_of, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SHORT = (40_000, 30_000, 20_000, 2_300)
LINE = (45_000, 9_000, -20_000, -34_000)
NOTE = "Only the total is wrong in the book"


@pytest.fixture
def league() -> League:
    return make_league(card="cinderella")


def differences(league: League) -> list[str]:
    return [str(found) for proof in proofs for found in proof.check(league, ProofTally())]


def stored(hanchan: Hanchan) -> Hanchan:
    return Hanchan.objects.select_related("league").get(pk=hanchan.pk)


def test_wrong_total_is_refused_until_it_is_accepted(league: League) -> None:
    session = make_session(league)
    with pytest.raises(ScoringError) as refused:
        play(session, SHORT)
    assert refused.value.values["difference"] == -7_700
    by = Actor(make_user("organiser", league=league, role="organiser"), "web")
    hanchan = play(session, SHORT, note=NOTE, as_is=True, by=by)
    assert points_of(hanchan) == [50_000, 10_000, -20_000, -47_700]
    assert (stored(hanchan).as_is, stored(hanchan).given) == (True, "raw")
    assert differences(league) == []


def correct(hanchan: Hanchan, game: FinishedGame) -> Hanchan:
    current = stored(hanchan)
    return correct_hanchan(
        hanchan=current,
        seen_version=current.version,
        result=replace(result_of(current), game=game),
        table_and_time=TableAndTime(),
        by=SYSTEM,
        reason="seen",
    )


def test_setting_decides_whether_accepted_totals_count(league: League) -> None:
    session = make_session(league)
    play(session)
    odd = play(session, SHORT, note=NOTE, as_is=True)
    settle()
    assert hanchan_in(league, ALL_TIME) == 2
    for counts, hanchan in ((False, 1), (True, 2)):
        league.refresh_from_db()
        league = change_settings(league=league, settings={"unbalanced_count": counts}, by=SYSTEM)
        settle()
        assert set(Seat.objects.filter(hanchan=odd).values_list("counted", flat=True)) == {counts}
        assert set(Standing.objects.filter(period="all").values_list("hanchan", flat=True)) == {hanchan}
        assert hanchan_in(league, ALL_TIME) == hanchan == Hanchan.objects.counted().count()
        assert stored(odd).counts is counts
        assert differences(league) == []


def test_uncounted_wrong_total_counts_once_corrected() -> None:
    league = make_league(unbalanced_count=False)
    hanchan = play(make_session(league), SHORT, note=NOTE, as_is=True)
    assert not Seat.objects.counted().exists()
    corrected = correct(hanchan, FinishedGame((40_000, 30_000, 20_000, 10_000)))
    assert (corrected.as_is, Seat.objects.counted().count()) == (False, 4)
    assert differences(league) == []


def test_settling_a_dispute_does_not_count_a_wrong_total() -> None:
    league = make_league(unbalanced_count=False, disputed_count=False)
    hanchan = play(make_session(league), SHORT, note=NOTE, as_is=True)
    Hanchan.objects.update(state="disputed")
    settle_dispute(hanchan=stored(hanchan), reason="looked at the sheet", by=SYSTEM)
    assert not Seat.objects.counted().exists()


def test_accepted_totals_are_rescored_and_points_only_hanchan_are_not(league: League) -> None:
    session = make_session(league)
    odd = play(session, SHORT, note=NOTE, as_is=True)
    lone = play(session, points=LINE)
    version = league.current_version
    assert version is not None
    newer = save_version(
        ruleset=version.ruleset, parameters={**version.parameters, "uma": [30, 10, -10, -30]}, note="uma", by=SYSTEM
    )
    seen = preview_impact(league, newer.pk, lambda progress: None)
    assert (seen["hanchan"], seen["changed"], seen["refused_count"], seen["given"]) == (1, 1, 0, 1)
    done = rescore(league, newer.pk, SYSTEM, lambda progress: None)
    assert (done["hanchan"], done["changed"], done["refused_count"], done["given"]) == (1, 1, 0, 1)
    assert points_of(odd) == [60_000, 10_000, -20_000, -57_700]
    assert points_of(lone) == list(LINE)
    assert stored(lone).ruleset_version_id != newer.pk
    assert differences(league) == []


def test_points_only_hanchan_counts_in_the_standings(league: League) -> None:
    hanchan = play(make_session(league), points=LINE)
    assert (stored(hanchan).given, stored(hanchan).has_raw_scores) == ("points", False)
    seats = hanchan.seats.order_by("seat").values_list("raw_score", "points", "settlement", "base", "placement")
    assert list(seats) == [(None, points, points, points, place) for place, points in enumerate(LINE, 1)]
    settle()
    lines = Standing.objects.filter(period="all").order_by("rank")
    assert [line.total for line in lines] == list(LINE)
    assert {(line.raw_sum, line.raw_best) for line in lines} == {(0, None)}
    assert differences(league) == []


def test_points_only_hanchan_gets_raw_scores_and_is_reverted(league: League) -> None:
    hanchan = play(make_session(league), points=LINE)
    usual = correct(hanchan, FinishedGame((45_000, 29_000, 20_000, 6_000)))
    assert (usual.given, usual.has_raw_scores) == ("raw", True)
    assert differences(league) == []
    first = Revision.objects.filter(subject="hanchan", action="recorded").get()
    back = bring_back(hanchan=stored(usual), revision=first, seen_version=usual.version, by=SYSTEM, reason="no")
    assert (back.given, [*back.seats.values_list("raw_score", flat=True)]) == ("points", [None] * 4)
    assert game_of(stored(back)) == FinishedGame((), points=LINE, placements=(1, 2, 3, 4))
    assert differences(league) == []


def test_snapshots_of_one_and_of_many_hanchan_are_equal(league: League) -> None:
    session = make_session(league)
    both = [play(session, points=LINE), play(session, SHORT, as_is=True, note=NOTE), play(session)]
    at_once = snapshots_of([hanchan.pk for hanchan in both])
    rows = {row.row.pk: row for row in played(Hanchan.objects.all())}
    for hanchan in both:
        alone = snapshot_of(stored(hanchan))
        assert alone == at_once[hanchan.pk]
        row = rows[hanchan.pk]
        assert row.game == game_of(stored(hanchan))
    assert "given" not in at_once[both[2].pk]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE league_seat SET raw_score = NULL",
        "UPDATE league_hanchan SET as_is = true",
        "UPDATE league_hanchan SET given = 'guessed'",
        "UPDATE league_hanchan SET given = 'points', sticks_left = 1",
    ],
)
def test_database_refuses_impossible_results(league: League, statement: str) -> None:
    play(make_session(league))
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE league_seat SET points = points + 1000, base = base + 1000 WHERE seat = 0",
        "UPDATE league_hanchan SET as_is = true, note = 'so'",
        "UPDATE league_hanchan SET given = 'raw'",
        "UPDATE league_seat SET raw_score = 25000 WHERE seat = 0",
    ],
)
def test_verify_finds_figures_changed_in_the_database(league: League, statement: str) -> None:
    play(make_session(league), points=LINE)
    settle()
    with connection.cursor() as cursor:
        cursor.execute(statement)
    assert differences(league)
