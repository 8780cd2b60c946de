"""What is kept of players' months is what their seats come to, or is found and forgotten."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine

from league.models import League
from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from stats.models import KeptMonth, PlayerMonth
from stats.services.months import keep_months
from stats.services.proofs import CAREERS
from tests.keeping.test_verify import verify
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def league() -> League:
    """Return a league of two months, both kept."""
    league = make_league()
    make_players(league)
    for day in (date(2025, 10, 31), date(2025, 11, 21)):
        play(make_session(league, day))
    settle()
    keep(league)
    return league


def keep(league: League) -> int:
    with time_machine.travel(LATER):
        return keep_months(league.pk)


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
    right = list(PlayerMonth.objects.order_by("month__period", "player").values_list("career", flat=True))
    one = PlayerMonth.objects.filter(month__period="2025-10").order_by("player")[0]
    one.career = value if place is None else [*one.career[:place], value, *one.career[place + 1 :]]
    one.save()
    left, told = verify()
    assert left == 1
    assert f"month 2025-10 player {one.player_id}: {column} is {value!r}, the facts give" in told
    left, told = verify("--repair")
    assert left == 0, told
    assert list(KeptMonth.objects.values_list("period", flat=True)) == ["2025-11"]
    assert keep(league) == 1
    assert list(PlayerMonth.objects.order_by("month__period", "player").values_list("career", flat=True)) == right


def test_a_player_whose_month_is_missing_is_found(league: League) -> None:
    gone = PlayerMonth.objects.filter(month__period="2025-11").order_by("player")[0]
    gone.delete()
    left, told = verify()
    assert left == 1
    assert f"month 2025-11 player {gone.player_id}: career is 'missing', the facts give 'there'" in told


def test_what_is_kept_but_says_nothing_any_more_is_not_wrong(league: League) -> None:
    PlayerMonth.objects.update(career=["what was kept then"])
    KeptMonth.objects.update(version=0)
    assert verify()[0] == 0


def test_the_digest_is_of_the_facts_whatever_is_kept(league: League) -> None:
    before = digest(league)
    KeptMonth.objects.all().delete()
    assert digest(league) == before
