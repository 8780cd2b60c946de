from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connections, transaction
from django.test import Client

from league.models import Adjustment, Hanchan, Player, Seat, Session, SessionPoints, TableLink
from league.selectors.people import current_player
from league.services.history import SYSTEM
from league.services.people import PeopleError, merge_players, separate_players
from league.services.results import TableAndTime, correct_hanchan, record_hanchan, result_of
from tests.deadlines import wait_until
from tests.league.entry_contexts import JSON, at, link_of, typed
from tests.league.factories import make_league, make_players, make_session, play
from tests.league.races import PATIENCE, at_once, somebody_waits_for_a_lock

pytestmark = [pytest.mark.django_db(transaction=True)]

ATTEMPTS = 6


@pytest.fixture
def session() -> Session:
    league = make_league()
    make_players(league, 6)
    return make_session(league)


def merging(source: Player, target: Player) -> Callable[[], None]:
    source, target = (Player.objects.select_related("league").get(pk=player.pk) for player in (source, target))
    return lambda: merge_players(source=source, target=target, by=SYSTEM, reason="one person")


def posting(link: TableLink, players: list[Player]) -> Callable[[], int]:
    """Return a function that posts a result of these players as a phone would, and returns the status."""
    fields = {f"player_{seat}": str(player.pk) for seat, player in enumerate(players)}
    values = typed(link.session.league, "317", "313", "255", "115", **fields)

    def post() -> int:
        try:
            return Client().post(at(link), values, headers=JSON).status_code
        finally:
            connections.close_all()

    return post


def left_behind() -> int:
    return Seat.objects.exclude(player__merged_into=None).count()


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_two_players_merged_into_each_other_at_once_are_merged_once(session: Session, attempt: int) -> None:
    first, second = session.league.players.order_by("pk")[:2]
    outcomes = at_once(merging(first, second), merging(second, first))
    refused = [outcome for outcome in outcomes if isinstance(outcome, PeopleError)]
    assert [error.code for error in refused] == ["merged"], (attempt, outcomes)
    assert Player.objects.exclude(merged_into=None).count() == 1
    assert current_player(Player.objects.get(pk=first.pk)) == current_player(Player.objects.get(pk=second.pk))


def test_result_that_waited_for_a_merge_is_refused(session: Session) -> None:
    *others, source, target = session.league.players.order_by("pk")[:5]
    send = posting(link_of(session), [*others, source])
    with ThreadPoolExecutor(1) as phone:
        with transaction.atomic():
            merging(source, target)()
            answer = phone.submit(send)
            assert wait_until(somebody_waits_for_a_lock)
        assert answer.result(PATIENCE) == 422
    assert (left_behind(), Hanchan.objects.count()) == (0, 0)


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_concurrent_merge_never_seats_a_player_twice(session: Session, attempt: int) -> None:
    *others, source, target = session.league.players.order_by("pk")[:4]
    status, merged = at_once(posting(link_of(session), [*others, source, target]), merging(source, target))
    assert left_behind() == 0
    if status == 200:
        assert isinstance(merged, PeopleError), attempt
        assert merged.code == "met"
    else:
        assert (status, merged, Hanchan.objects.count()) == (422, None, 0), attempt


@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_concurrent_correction_and_merge_both_succeed(session: Session, attempt: int) -> None:
    *others, source, target = session.league.players.order_by("pk")[:5]
    hanchan = play(session, players=[*others, source])
    result, by_hand = result_of(hanchan), TableAndTime()

    def correct() -> Hanchan:
        return correct_hanchan(
            hanchan=hanchan, seen_version=1, result=result, table_and_time=by_hand, by=SYSTEM, reason="a slip"
        )

    corrected, merged = at_once(correct, merging(source, target))
    assert merged is None, attempt
    assert isinstance(corrected, Hanchan | IntegrityError), attempt
    assert left_behind() == 0
    assert set(Seat.objects.values_list("player", flat=True)) == {player.pk for player in (*others, target)}


@pytest.mark.both_databases
def test_database_refuses_rows_of_a_merged_player(session: Session) -> None:
    *others, source, target = session.league.players.order_by("pk")[:5]
    result = result_of(play(session, players=[*others, source]))
    merge_players(source=source, target=target, by=SYSTEM, reason="one person")
    stale = Player.objects.in_bulk([player.pk for player in result.players])
    for player in stale.values():
        player.merged_into_id = None
    with pytest.raises(IntegrityError, match="player_present"), transaction.atomic():
        Seat.objects.filter(player=target).update(player=source)
    with pytest.raises(IntegrityError, match="player_present"):
        record_hanchan(session=session, result=result, table_and_time=TableAndTime(), by=SYSTEM, even_if_same=True)
    assert (left_behind(), Hanchan.objects.count()) == (0, 1)
    facts = {"league": session.league, "player": source, "day": session.date, "points": 1000}
    with pytest.raises(IntegrityError, match="player_present"), transaction.atomic():
        Adjustment.objects.create(reason="late", **facts)
    with pytest.raises(IntegrityError, match="player_present"), transaction.atomic():
        SessionPoints.objects.bulk_create([SessionPoints(session=session, hanchan=1, **facts)])
    assert Adjustment.objects.create(reason="late", **facts | {"player": target}).pk


def separating(source: Player) -> Callable[[], None]:
    source = Player.objects.select_related("league", "merged_into").get(pk=source.pk)
    return lambda: separate_players(source=source, by=SYSTEM, reason="two persons")


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_players_separated_twice_at_once_are_separated_once(session: Session, attempt: int) -> None:
    *others, source, target = session.league.players.order_by("pk")[:5]
    play(session, players=[*others, source])
    merge_players(source=source, target=target, by=SYSTEM, reason="one person")
    outcomes = at_once(separating(source), separating(source))
    refused = [outcome.code for outcome in outcomes if isinstance(outcome, PeopleError)]
    assert (refused, outcomes.count(None)) == (["not_merged"], 1), (attempt, outcomes)
    assert Seat.objects.filter(player=source).count() == 1
    merging(source, target)()
    separating(source)()
    assert Seat.objects.filter(player=source).count() == 1


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_result_sent_while_players_are_separated_stays_with_its_player(session: Session, attempt: int) -> None:
    *others, source, target = session.league.players.order_by("pk")[:5]
    # Other scores than those posted, since equal ones would prompt a question while the players are merged.
    play(session, (42000, 28000, 19000, 11000), players=[*others, source])
    merge_players(source=source, target=target, by=SYSTEM, reason="one person")
    status, separated = at_once(posting(link_of(session), [*others, target]), separating(source))
    assert (status, separated) == (200, None), attempt
    # Transferred results return; later ones of the other name do not.
    assert [Seat.objects.filter(player=each).count() for each in (source, target)] == [1, 1], attempt
    assert left_behind() == 0
