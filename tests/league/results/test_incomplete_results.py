import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from league.core.periods import ALL_TIME
from league.models import Hanchan, League, Revision, Seat, Session, Standing
from league.selectors.board_parts import hanchan_in
from league.selectors.games import game_of, snapshot_of, snapshots_of
from league.selectors.played import played
from league.services.calendar import change_settings
from league.services.history import SYSTEM, Actor
from league.services.previewing import preview_impact
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from league.services.rescoring import rescore
from league.services.results import (
    void_hanchan,
)
from league.services.rules import save_version
from scoring.core import FinishedGame, ScoringError
from tests.league.factories import correct, make_league, make_session, make_user, play, points_of, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SHORT = (40_000, 30_000, 20_000, 2_300)
LINE = (45_000, 9_000, -20_000, -34_000)
NOTE = "Only the total is wrong in the book"


ODD, ALONE = "accepted as entered", "points only"


@pytest.fixture
def league() -> League:
    return make_league(card="cinderella")


def verify_differences(league: League) -> list[str]:
    return [str(found) for proof in proofs for found in proof.check(league, ProofTally())]


def stored(hanchan: Hanchan) -> Hanchan:
    return Hanchan.objects.select_related("league").get(pk=hanchan.pk)


def text(client: Client, path: str) -> str:
    answer = client.get(path, follow=True)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


def test_wrong_total_is_refused_until_it_is_accepted(league: League, session: Session) -> None:
    with pytest.raises(ScoringError) as refused:
        play(session, SHORT)
    assert refused.value.values["difference"] == -7_700
    by = Actor(make_user("organiser", league=league, role="organiser"), "web")
    hanchan = play(session, SHORT, note=NOTE, as_is=True, by=by)
    assert points_of(hanchan) == [50_000, 10_000, -20_000, -47_700]
    assert (stored(hanchan).as_is, stored(hanchan).given) == (True, "raw")
    assert verify_differences(league) == []


def test_setting_decides_whether_accepted_totals_count(client: Client, league: League, session: Session) -> None:
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
        assert verify_differences(league) == []
    change_settings(league=league, settings={"unbalanced_count": False}, by=SYSTEM)
    page = f"/en/l/camarade/sessions/{session.pk}/"
    assert "not counted" in text(client, page)
    correct(odd, (40_000, 30_000, 20_000, 10_000))
    assert "not counted" not in text(client, page)
    assert Seat.objects.counted().filter(hanchan=odd).count() == 4


def test_accepted_totals_are_rescored_and_points_only_hanchan_are_not(league: League, session: Session) -> None:
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
    assert verify_differences(league) == []


def test_points_only_hanchan_counts_in_the_standings(league: League) -> None:
    hanchan = play(make_session(league), points=LINE)
    assert (stored(hanchan).given, stored(hanchan).has_raw_scores) == ("points", False)
    seats = hanchan.seats.order_by("seat").values_list("raw_score", "points", "settlement", "base", "placement")
    assert list(seats) == [(None, points, points, points, place) for place, points in enumerate(LINE, 1)]
    settle()
    lines = Standing.objects.filter(period="all").order_by("rank")
    assert [line.total for line in lines] == list(LINE)
    assert {(line.raw_sum, line.raw_best) for line in lines} == {(0, None)}
    assert verify_differences(league) == []


def test_points_only_hanchan_gets_raw_scores_and_is_reverted(owner: Client, league: League) -> None:
    hanchan = play(make_session(league), points=LINE)
    usual = correct(hanchan, (45_000, 29_000, 20_000, 6_000))
    assert (usual.given, usual.has_raw_scores) == ("raw", True)
    assert verify_differences(league) == []
    first = Revision.objects.filter(subject="hanchan", action="recorded").get()
    again = f"/en/l/camarade/g/{hanchan.pk}/again/?revision={first.pk}"
    shown = text(owner, again)
    for says in ("+45.0", "Known data", "Points only", "Raw scores", "placement"):
        assert says in shown, says
    assert "45000" not in shown
    assert owner.post(again, {"reason": "it was right", "seen_version": usual.version}).status_code == 302
    back = stored(hanchan)
    assert (back.given, [*back.seats.values_list("raw_score", flat=True)]) == ("points", [None] * 4)
    assert game_of(stored(back)) == FinishedGame((), points=LINE, placements=(1, 2, 3, 4))
    assert verify_differences(league) == []


def test_snapshots_of_one_and_of_many_hanchan_are_equal(session: Session) -> None:
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
    assert verify_differences(league)


@pytest.mark.long
def test_pages_mark_wrong_totals_and_points_only_hanchan(client: Client, league: League, session: Session) -> None:
    odd, lone = play(session, SHORT, note=NOTE, as_is=True), play(session, points=LINE)
    settle()
    client.force_login(make_user("eguchi", league=league, role="organiser"))
    player = odd.seats.order_by("seat")[0].player_id
    for hanchan, says in ((odd, ODD), (lone, ALONE)):
        for page in (f"g/{hanchan.pk}/", f"g/{hanchan.pk}/done/"):
            assert says in text(client, f"/en/l/camarade/{page}"), page
    assert NOTE in text(client, f"/en/l/camarade/g/{odd.pk}/")
    assert "Raw scores unknown" in text(client, f"/en/l/camarade/g/{lone.pk}/")
    sheet = text(client, f"/en/l/camarade/sessions/{session.pk}/")
    assert ODD in sheet
    assert ALONE in sheet
    assert NOTE in sheet
    own = text(client, f"/en/l/camarade/p/{player}/")
    assert ODD in own
    assert ALONE in own
    assert "Without raw scores" in own


@pytest.mark.long
def test_every_page_opens_with_points_only_hanchan(client: Client, league: League, session: Session) -> None:
    lone, undone = play(session, points=LINE), play(session, points=(10_000, 10_000, -10_000, -10_000))
    owner = make_user("eguchi", league=league, role="owner")
    void_hanchan(hanchan=undone, by=Actor(owner, "owner"), reason="twice")
    settle()
    client.force_login(owner)
    game, evening, player = f"g/{lone.pk}", f"sessions/{session.pk}", lone.seats.order_by("seat")[0].player_id
    paths = [f"{game}/{page}" for page in ("", "done/", "confirm/", "undo/", "correct/", "void/")]
    paths += [
        f"{evening}/{page}/" for page in ("seats", "links", "print/cards", "print/seats", "print/sheets", "points")
    ]
    paths += [f"{evening}/{page}" for page in ("", "grid/", f"enter/?again={undone.pk}", "enter/state/")]
    paths += [f"manage/{page}" for page in ("", "history/", "adjustments/", "export/", "rules/")]
    paths += ["", "standings/", "standings/2025-11/", f"p/{player}/", f"g/{undone.pk}/", "players/", "live/"]
    for path in [*paths, f"live/session-{session.pk}.csv"]:
        answer = client.get(f"/en/l/camarade/{path}", follow=True)
        assert answer.status_code in {200, 405}, path
    again = client.post(f"/en/l/camarade/{game}/correct/preview/", {"player_0": player})
    assert again.status_code == 200
