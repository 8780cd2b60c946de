import gc
import io
import re
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from league.models import Board, Hanchan, League, Revision, Seat, Standing
from league.models.triggers import drop_triggers, triggers
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.proofs.registry import proofs
from league.services.proofs.values import Difference, Proof, ProofTally
from league.services.results import void_hanchan
from tests.conftest import built_once
from tests.league.factories import DAY, make_league, make_players, make_session, play, settle
from tests.league.managing.test_rescoring import peak

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league(shared: League) -> League:
    return League.objects.get(pk=shared.pk)


@built_once()
def shared() -> League:
    """Return a league of three months and two years with every kind of fact that derived data depends on."""
    league = make_league(parameters={"bust": {"ends": "below_zero"}, "chombo": {"kind": "total", "amount": -40}})
    players = make_players(league, 6)
    for number, day in enumerate((DAY, DAY + timedelta(days=20), DAY + timedelta(days=50))):
        session = make_session(league, day)
        play(session, players=players[:4])
        play(session, (20000, 26000, 24000, 30000), players[2:6], chombo=(0, 1, 0, 0), yakuman=[(1, "国士無双")])
        play(session, (-1000, 26000, 45000, 30000), players[:4], note=f"{number}")
    void_hanchan(hanchan=Hanchan.objects.order_by("pk")[1], by=SYSTEM, reason="doubled")
    twin = make_players(league, 1)[0]
    play(session, players=[twin, *players[:3]])
    merge_players(source=twin, target=players[5], by=SYSTEM, reason="one person")
    make_league("other")
    settle()
    return league


def verify(*args: str) -> tuple[int, str]:
    output = io.StringIO()
    try:
        call_command("verify", *args, "--quiet", stdout=output, stderr=io.StringIO())
    except CommandError as error:
        return int(str(error).split()[0]), output.getvalue()
    return 0, output.getvalue()


def spoil(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount > 0


@pytest.mark.merge
def test_intact_league_has_no_differences(league: League) -> None:
    left, told = verify()
    assert left == 0, told
    assert [line for line in told.splitlines() if not line.startswith(" ")] == ["camarade", "other"]
    for proof in proofs:
        assert re.search(rf"  {proof.name}: \d+ {proof.counted}, digest [0-9a-f]{{16}}, ok\n", told)
    assert verify() == (left, told)
    assert verify("other")[1] == told[told.index("other") :]


LAST = "(SELECT max(id) FROM league_hanchan)"
ONE = "(SELECT min(id) FROM league_seat)"
LINE = "(SELECT max(id) FROM league_standing WHERE period = '{}')"
A_SEAT = {
    "points": "points = points + 100, base = base + 100",
    "settlement": "settlement = settlement - 1",
    "oka": "oka = oka + 5, uma = uma - 5",
    "bust": "bust = bust + 5, other = other - 5",
    "chip_points": "chip_points = 7, base = base - 7",
    "placement": "placement = 5 - placement",
    "sharing": "sharing = 2",
    "is_bust": "is_bust = NOT is_bust",
    "total_only": "total_only = -1",
    "day": "day = '2025-11-02'",
    "played_at": "played_at = '2025-11-02 12:00:00+00:00'",
    "league_id": "league_id = (SELECT id FROM league_league WHERE slug = 'other')",
    "counted": "counted = NOT counted",
}
A_LINE = [
    field.attname
    for field in Standing._meta.concrete_fields
    if field.attname not in {"id", "league_id", "period", "player_id", "decided_by"}
]


@pytest.mark.merge
@pytest.mark.parametrize("column", A_SEAT)
def test_corrupt_seat_is_found_and_repaired(league: League, column: str) -> None:
    before = Seat.objects.order_by("pk").values().first()
    spoil(f"UPDATE league_seat SET {A_SEAT[column]} WHERE id = {ONE}")
    left, told = verify("camarade")
    assert left
    assert re.search(rf"hanchan \d+ seat 0: {column} is", told)
    left, told = verify("--repair")
    assert left == 0, told
    assert Seat.objects.order_by("pk").values().first() == before
    assert verify()[0] == 0


@pytest.mark.merge
@pytest.mark.parametrize("period", ["2025-11", "2025", "all"])
def test_every_corrupt_column_of_a_standing_is_found_and_repaired(league: League, period: str) -> None:
    before = Standing.objects.filter(period=period).order_by("player_id").values(*A_LINE)
    right = list(before)
    changes = ", ".join(f"{column} = coalesce({column}, 0) + 1" for column in A_LINE)
    spoil(f"UPDATE league_standing SET {changes} WHERE id = {LINE.format(period)}")
    left, told = verify()
    assert left == len(A_LINE), told
    assert set(re.findall(rf"board {period} player \d+: (\w+) is", told)) == set(A_LINE)
    left, told = verify("--repair")
    assert left == 0, told
    assert list(before.all()) == right


@pytest.mark.merge
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        pytest.param(
            f"DELETE FROM league_standing WHERE id = {LINE.format('2025-11')}", r"line is 'missing'", id="line gone"
        ),
        pytest.param(
            "UPDATE league_standing SET period = '2019-01' WHERE id = " + LINE.format("2025-11"),
            r"board 2019-01 player \d+: line is 'there'",
            id="line of no board",
        ),
        pytest.param("DELETE FROM league_board WHERE period = '2025-11'", "itself: line is 'missing'", id="board gone"),
        pytest.param("UPDATE league_board SET hanchan = 99 WHERE period = 'all'", "itself: hanchan is 99", id="board"),
        pytest.param("UPDATE league_board SET lines = 99 WHERE period = '2025'", "itself: lines is 99", id="lines"),
        pytest.param("UPDATE league_board SET last_day = '2025-11-01' WHERE period = '2025-11'", "last_day", id="day"),
        pytest.param(
            f"UPDATE league_hanchan SET day = '2024-01-01' WHERE id = {LAST}", "day is", id="day of a hanchan"
        ),
    ],
)
def test_corrupt_board_or_day_is_found_and_repaired(league: League, statement: str, said: str) -> None:
    spoil(statement)
    left, told = verify()
    assert left
    assert re.search(said, told), told
    assert verify()[0] == left
    left, told = verify("--repair")
    assert left == 0, told
    assert verify()[0] == 0


@pytest.mark.merge
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        pytest.param(f"UPDATE league_seat SET raw_score = raw_score + 1000 WHERE id = {ONE}", "raw is", id="raw score"),
        pytest.param(
            "UPDATE league_seat SET raw_score = raw_score + CASE seat WHEN 0 THEN 5000 WHEN 1 THEN -5000 ELSE 0 END"
            f" WHERE hanchan_id = {LAST}",
            "raw is",
            id="points moved from one to another",
        ),
        pytest.param(f"UPDATE league_seat SET chombo = 1 WHERE id = {ONE}", "chombo is 1", id="chombo"),
        pytest.param(f"UPDATE league_hanchan SET sticks_left = 2 WHERE id = {LAST}", "sticks_left is 2", id="sticks"),
        pytest.param(f"UPDATE league_hanchan SET note = 'x' WHERE id = {LAST}", "note is 'x'", id="note"),
        pytest.param("DELETE FROM league_incident WHERE kind = 'yakuman'", r"incidents is \[", id="yakuman gone"),
        pytest.param(
            "UPDATE league_seat SET player_id = (SELECT min(id) FROM league_player WHERE number = '5')"
            f" WHERE id = {ONE}",
            "player is",
            id="somebody else",
        ),
        pytest.param(f"DELETE FROM league_seat WHERE id = {ONE}", "number of seats is 3", id="seat gone"),
    ],
)
def test_corrupt_fact_is_reported_but_not_repaired(league: League, statement: str, said: str) -> None:
    spoil(statement)
    before = facts_and_points()
    left, told = verify()
    assert left
    assert re.search(rf"hanchan \d+.*: {said}", told), told
    left, told = verify("--repair")
    assert left, told
    assert facts_and_points() == before


def facts_and_points() -> list[Any]:
    return [*Seat.objects.order_by("pk").values(), *Hanchan.objects.order_by("pk").values(), Revision.objects.count()]


@pytest.mark.merge
def test_shorter_history_entry_is_no_difference_to_the_facts(league: League) -> None:
    seats = list(Seat.objects.filter(hanchan=Hanchan.objects.order_by("pk")[0]).order_by("seat"))
    Revision.objects.create(
        league=league,
        subject="hanchan",
        subject_id=seats[0].hanchan_id,
        action=Revision.Action.CHANGED,
        after={"seats": [{"raw": seat.raw_score} for seat in seats]},
    )
    assert verify()[0] == 0
    spoil(f"UPDATE league_seat SET raw_score = raw_score + 100 WHERE id = {seats[2].pk}")
    assert "seat 2: raw is" in verify()[1]


def test_stale_boards_are_no_difference(league: League) -> None:
    play(Hanchan.objects.order_by("pk")[0].session)
    Board.objects.update(version=1)
    stored = list(Standing.objects.order_by("pk").values())
    assert verify()[0] == 0
    # The check left nothing behind.
    assert list(Standing.objects.order_by("pk").values()) == stored


@pytest.mark.merge
def test_digest_identifies_the_state_of_a_league(league: League) -> None:
    def digests() -> list[str]:
        found = []
        for proof in proofs:
            tally = ProofTally()
            assert list(proof.check(league, tally)) == []
            found.append(tally.digest)
        return found

    before = digests()
    assert digests() == before
    play(Hanchan.objects.order_by("pk")[0].session, (40000, 30000, 20000, 10000))
    assert [one == other for one, other in zip(before, digests(), strict=True)].count(True) <= len(proofs) - 4


@pytest.mark.merge
def test_missing_triggers_are_reported_and_recreated(league: League) -> None:
    if connection.vendor == "postgresql":
        connection.check_constraints()
    drop_triggers()
    left, told = verify("camarade")
    assert left == len(triggers())
    assert "the trigger league_seat_present" in told
    assert verify("--repair", "camarade")[0] == 0


@pytest.mark.long
def test_memory_does_not_grow_with_the_league(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.selectors.played.CHUNK", 20)
    sessions = [hanchan.session for hanchan in Hanchan.objects.order_by("pk")[:3]]
    peaks = []
    for more in (40, 20, 120):
        for _ in range(more):
            play(sessions[0])
        settle()
        peaks.append({proof.name: peak(partial(found_by, proof, league)) for proof in proofs})
    # Careers and feats are checked one month of hanchan at a time, ratings one slice at a time.
    bounded = [proof for proof in proofs if proof.name not in {"careers", "feats", "ratings"}]
    _, before, after = peaks

    def grown(proof: Proof) -> bool:
        return after[proof.name] >= 1.3 * before[proof.name]

    for proof in filter(grown, bounded):
        # Other activity in the process can only add to the peak.
        after[proof.name] = min(peak(partial(found_by, proof, league)) for _ in range(3))
    assert not [proof.name for proof in bounded if grown(proof)], peaks


def found_by(proof: Proof, league: League) -> list[Difference]:
    return list(proof.check(league, ProofTally(let_go)))


def let_go(count: int) -> None:
    if count % 10 == 0:
        gc.collect()
