from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine

from league.models import Board, League
from league.services.history import SYSTEM
from league.services.proofs.registry import proofs
from league.services.proofs.values import Proof, ProofTally
from league.services.results import void_hanchan
from stats.models import Award, KeptSums, PlayerRating, RatedHanchan, RatingState
from stats.services.following import follow
from stats.services.proofs import CAREERS, FEATS, RATINGS
from tests.keeping.test_verify import verify
from tests.league.factories import make_league, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def league() -> League:
    league = make_league(players=4)
    for day, hour in ((date(2025, 10, 31), 10), (date(2025, 11, 21), 10), (date(2025, 11, 21), 11)):
        play(make_session(league, day), played_at=datetime(day.year, day.month, day.day, hour, tzinfo=UTC))
    settle()
    keep(league)
    return league


def keep(league: League) -> int:
    with time_machine.travel(LATER):
        return follow(league.pk)


def careers() -> Any:
    return KeptSums.objects.filter(player__isnull=False).order_by("period", "player")


def kept() -> list[Any]:
    return [
        list(careers().values_list("period", "player", "sums")),
        list(Award.objects.order_by("period", "key", "player").values_list("period", "key", "player", "count")),
        list(PlayerRating.objects.order_by("player").values_list("player", "tenhou", "met")),
        list(RatedHanchan.objects.order_by("played_at").values_list("pk", "seats")),
    ]


def digest(league: League, proof: Proof) -> str:
    tally = ProofTally()
    assert list(proof.check(league, tally)) == []
    assert tally.count > 0
    return tally.digest


def spoil_career(place: int | None, value: Any) -> None:
    one = careers().filter(period="2025-10")[0]
    one.sums = value if place is None else [*one.sums[:place], value, *one.sums[place + 1 :]]
    one.save()


def spoil(model: Any, column: str, value: Any) -> None:
    model.objects.filter(pk=model.objects.order_by("pk")[0].pk).update(**{column: value})


def remove(rows: Any) -> None:
    rows[0].delete()


SPOILED: dict[str, tuple[Callable[[], object], str]] = {
    "number of players": (lambda: spoil_career(0, 3), "players is 3, the facts give"),
    "recent placements": (lambda: spoil_career(3, [4, 4, 4]), "recent is [4, 4, 4], the facts give"),
    "opponents": (lambda: spoil_career(7, {}), "met is {}, the facts give"),
    "career of an older version": (lambda: spoil_career(None, ["old"]), "career is ['old'], the facts give"),
    "missing career": (lambda: remove(careers()), "career is 'missing', the facts give 'there'"),
    "records": (lambda: KeptSums.objects.filter(period="2025", player=None).update(sums=[0, {}, {}]), ""),
    "sessions": (lambda: Award.objects.filter(period="2025-10", key=Award.EVENINGS).update(count=7), ""),
    "title": (lambda: Award.objects.filter(period="2025", key="overall").delete(), ""),
    "rating": (lambda: spoil(PlayerRating, "tenhou", 1_600_000), "tenhou is 1600000, the facts give"),
    "rated opponents": (lambda: spoil(PlayerRating, "met", 3), "met is 3, the facts give"),
    "judged hanchan": (lambda: spoil(RatingState, "judged", 4), "judged is 4, the facts give 3"),
    "gain": (lambda: spoil(RatedHanchan, "tenhou_gain", 7), "gains is (7, "),
    "missing rating": (lambda: remove(PlayerRating.objects.order_by("player")), "rating is 'missing'"),
    "missing rated hanchan": (lambda: remove(RatedHanchan.objects.order_by("pk")), "rating is 'missing'"),
}


@pytest.mark.merge
@pytest.mark.parametrize("what", SPOILED)
def test_corrupt_figure_is_found_and_repaired(league: League, what: str) -> None:
    assert {CAREERS, FEATS, RATINGS} <= {*proofs}
    assert verify()[0] == 0
    right = kept()
    spoils, message = SPOILED[what]
    spoils()
    left, told = verify()
    assert left == 1, told
    assert message in told
    left, told = verify("--repair")
    assert left == 0, told
    keep(league)
    assert kept() == right
    assert verify()[0] == 0


@pytest.mark.merge
def test_difference_in_ratings_names_hanchan_and_player(league: League) -> None:
    second, third = RatedHanchan.objects.order_by("played_at")[1:3]
    second.seats[0][7] += 1
    third.seats[1][8] += 1e-6
    third.seats[2][8] += 1e-12
    for each in (second, third):
        each.save()
    left, output = verify()
    assert left == 2
    assert f"hanchan {second.pk} player {second.seats[0][0]} of ratings: tenhou is" in output
    assert f"hanchan {third.pk} player {third.seats[1][0]} of ratings: mu is" in output


@pytest.mark.merge
def test_outdated_figures_are_no_difference(league: League) -> None:
    before = digest(league, CAREERS), digest(league, RATINGS)
    KeptSums.objects.update(sums=["what was kept then"])
    Board.objects.update(followed=False)
    assert verify()[0] == 0
    KeptSums.objects.all().delete()
    assert digest(league, CAREERS) == before[0]
    void_hanchan(hanchan=league.hanchan.latest("played_at"), by=SYSTEM, reason="twice")
    settle()
    assert verify()[0] == 0
    assert digest(league, RATINGS) != before[1]
    RatingState.objects.all().delete()
    assert verify()[0] == 0
