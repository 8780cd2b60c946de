from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine

from league.models import Board, League
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from stats.models import Award, KeptSums
from stats.services.following import follow
from stats.services.proofs import CAREERS, FEATS
from tests.keeping.test_verify import verify
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league)
    for day in (date(2025, 10, 31), date(2025, 11, 21)):
        play(make_session(league, day))
    settle()
    keep(league)
    return league


def keep(league: League) -> int:
    with time_machine.travel(LATER):
        return follow(league.pk)


def careers() -> Any:
    return KeptSums.objects.filter(player__isnull=False).order_by("period", "player")


def digest(league: League) -> str:
    tally = ProofTally()
    assert list(CAREERS.check(league, tally)) == []
    assert tally.count == 2
    return tally.digest


@pytest.mark.merge
@pytest.mark.parametrize(
    ("place", "value", "column"),
    [(0, 3, "players"), (3, [4, 4, 4], "recent"), (7, {}, "met"), (None, ["of before"], "career")],
)
def test_a_month_that_is_kept_wrong_is_found_and_forgotten(
    league: League, place: int | None, value: Any, column: str
) -> None:
    assert CAREERS in proofs
    assert verify()[0] == 0
    right = list(careers().values_list("sums", flat=True))
    one = careers().filter(period="2025-10")[0]
    one.sums = value if place is None else [*one.sums[:place], value, *one.sums[place + 1 :]]
    one.save()
    left, told = verify()
    assert left == 1
    assert f"month 2025-10 player {one.player_id}: {column} is {value!r}, the facts give" in told
    left, told = verify("--repair")
    assert left == 0, told
    assert not KeptSums.objects.filter(period="2025-10").exists()
    assert keep(league) == 1
    assert list(careers().values_list("sums", flat=True)) == right


def test_a_player_whose_month_is_missing_is_found(league: League) -> None:
    gone = careers().filter(period="2025-11")[0]
    gone.delete()
    left, told = verify()
    assert left == 1
    assert f"month 2025-11 player {gone.player_id}: career is 'missing', the facts give 'there'" in told


def test_outdated_kept_sums_are_not_wrong(league: League) -> None:
    KeptSums.objects.update(sums=["what was kept then"])
    Board.objects.update(followed=False)
    assert verify()[0] == 0


def test_digest_depends_only_on_facts(league: League) -> None:
    before = digest(league)
    KeptSums.objects.all().delete()
    assert digest(league) == before


@pytest.mark.merge
@pytest.mark.parametrize("what", ["records", "evenings", "title"])
def test_records_and_awards_that_are_kept_wrong_are_found_and_put_right(league: League, what: str) -> None:
    assert FEATS in proofs
    right = list(Award.objects.order_by("period", "key", "player").values_list("period", "key", "player", "count"))
    match what:
        case "records":
            KeptSums.objects.filter(period="2025", player=None).update(sums=[0, {}, {}])
        case "evenings":
            Award.objects.filter(period="2025-10", key=Award.EVENINGS).update(count=7)
        case "title":
            Award.objects.filter(period="2025", key="overall").delete()
    left, told = verify()
    assert left == 1, told
    left, told = verify("--repair")
    assert left == 0, told
    keep(league)
    assert (
        list(Award.objects.order_by("period", "key", "player").values_list("period", "key", "player", "count")) == right
    )
    assert verify()[0] == 0
