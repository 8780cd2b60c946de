import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction
from django.test import Client

from league.core.spreadsheets.tables import ImportFileError
from league.models import (
    Adjustment,
    Confirmation,
    Hanchan,
    ImportBatch,
    League,
    Player,
    Revision,
    RulesetVersion,
    Seat,
    Session,
    SessionPoints,
    TableLink,
)
from league.selectors import played
from league.selectors.games import game_of
from league.selectors.people import current_player
from league.services.boards import OnProgress, Progress, refresh_league, unwatched
from league.services.calendar import change_settings, set_strict_entry
from league.services.confirming import NewStatement, StatementOutcome, say, settle
from league.services.history import SYSTEM, Actor
from league.services.imports.running import run_import
from league.services.imports.sessions import numbering_of
from league.services.people import PeopleError, merge_players, separate_players
from league.services.rescoring import rescore
from league.services.results import (
    ChangedMeanwhileError,
    ResultError,
    TableAndTime,
    correct_hanchan,
    record_hanchan,
    result_of,
    void_hanchan,
)
from league.services.rules import make_current
from tests.conftest import needs_postgresql
from tests.deadlines import wait_until
from tests.league.boards.test_worker import in_thread
from tests.league.entry_contexts import JSON, at, link_of, typed
from tests.league.factories import make_league, make_session, next_version, play, state_of
from tests.league.imports.files import batch_of, file_of, game
from tests.league.managing.test_rescoring import rows_of
from tests.league.races import PATIENCE, at_once, somebody_waits_for_a_lock
from tests.league.results.test_parts import as_explained

pytestmark = pytest.mark.django_db(transaction=True)

AGREES, DISPUTES = Confirmation.Verdict.AGREES, Confirmation.Verdict.DISPUTES


def tapping(hanchan: Hanchan, seat: int, verdict: Confirmation.Verdict = AGREES) -> Callable[[], StatementOutcome]:
    player = hanchan.seats.select_related("player").get(seat=seat).player
    by = Actor(None, "table link", device=f"own-{seat}")
    return lambda: say(hanchan=hanchan, statement=NewStatement(verdict, 1, player), by=by)


def correcting(hanchan: Hanchan) -> Callable[[], Hanchan]:
    result = result_of(hanchan)
    return lambda: correct_hanchan(
        hanchan=hanchan, seen_version=1, result=result, table_and_time=TableAndTime(), by=SYSTEM, reason="a slip"
    )


def copies_are_right() -> bool:
    counted = set(Hanchan.objects.counted().values_list("pk", flat=True))
    return all(seat.counted is (seat.hanchan_id in counted) for seat in Seat.objects.all())


@pytest.mark.parametrize("attempt", range(3))
def test_concurrent_taps_of_all_players_confirm_once(attempt: int) -> None:
    hanchan = play(make_session(make_league(confirmed_by="all")))
    outcomes = at_once(*(tapping(hanchan, seat) for seat in random.Random(attempt).sample([0, 1, 2, 3] * 2, 8)))
    assert all(isinstance(each, StatementOutcome) for each in outcomes), outcomes
    assert state_of(hanchan) == "confirmed"
    assert hanchan.confirmations.count() == 4
    assert Revision.objects.filter(subject="hanchan", action="confirmed").count() == 1


@pytest.mark.parametrize("attempt", range(4))
def test_concurrent_tap_does_not_confirm_a_correction(attempt: int) -> None:
    del attempt
    hanchan = play(make_session(make_league(confirmed_by="one")))
    said, again = at_once(tapping(hanchan, 1), correcting(hanchan))
    assert isinstance(said, StatementOutcome), said
    assert isinstance(again, Hanchan), again
    # Whichever came first, the new facts are not confirmed by old responses.
    assert (state_of(hanchan), Hanchan.objects.get(pk=hanchan.pk).version) == ("recorded", 2)
    assert hanchan.confirmations.count() == 1


@pytest.mark.parametrize("attempt", range(4))
def test_concurrent_dispute_and_void_end_voided(attempt: int) -> None:
    del attempt
    hanchan = play(make_session(make_league(disputed_count=False)))
    said, undone = at_once(
        tapping(hanchan, 3, DISPUTES), lambda: void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo")
    )
    assert isinstance(said, StatementOutcome), said
    assert isinstance(undone, Hanchan), undone
    assert state_of(hanchan) == "voided"
    assert hanchan.confirmations.count() == 1
    assert copies_are_right()


@pytest.mark.parametrize("attempt", range(4))
def test_concurrent_correction_and_void_let_one_win(attempt: int) -> None:
    del attempt
    hanchan = play(make_session(make_league()))
    again, undone = at_once(
        correcting(hanchan), lambda: void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo", seen_version=1)
    )
    # The first wins; the other gets a message.
    assert {type(again), type(undone)} == {Hanchan, ChangedMeanwhileError}
    assert (state_of(hanchan) == "voided") is isinstance(undone, Hanchan)


@pytest.mark.parametrize("attempt", range(6))
def test_concurrent_dispute_and_setting_keep_counts_consistent(attempt: int) -> None:
    league = make_league(disputed_count=bool(attempt % 2))
    hanchan, other = (play(make_session(league)) for _ in range(2))
    tapping(other, 2, DISPUTES)()
    setting = {"disputed_count": not attempt % 2}
    outcomes = at_once(
        tapping(hanchan, 3, DISPUTES),
        lambda: change_settings(league=League.objects.get(pk=league.pk), settings=setting, by=SYSTEM),
        tapping(other, 2),
    )
    assert not [each for each in outcomes if isinstance(each, Exception)], outcomes
    assert (state_of(hanchan), state_of(other)) == ("disputed", "recorded")
    assert copies_are_right()
    refresh_league(league.pk)


@pytest.mark.parametrize("attempt", range(3))
def test_concurrent_settling_is_recorded_once(attempt: int) -> None:
    del attempt
    hanchan = play(make_session(make_league()))
    tapping(hanchan, 3, DISPUTES)()
    outcomes = at_once(*(lambda: settle(hanchan=hanchan, reason="looked", by=SYSTEM) for _ in range(3)))
    assert not [each for each in outcomes if isinstance(each, ResultError)], outcomes
    assert state_of(hanchan) == "confirmed"
    assert Revision.objects.filter(action="settled").count() == 1


def done_meanwhile(first: Callable[[], object], second: Callable[[], object]) -> Any:
    """Start `second` before `first` commits, so that it waits for it; return its result."""

    def apart() -> object:
        try:
            return second()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            first()
            waiting = other.submit(apart)
            assert wait_until(somebody_waits_for_a_lock)
        return waiting.result(PATIENCE)


def test_confirmation_during_rescoring_is_kept() -> None:
    hanchan = play(make_session(make_league(confirmed_by="one")))
    version = next_version(hanchan.league, uma=[20, 10, -10, -20])
    said = done_meanwhile(
        lambda: rescore(hanchan.league, version.pk, SYSTEM, lambda progress: None), tapping(hanchan, 1)
    )
    assert said.hanchan.ruleset_version == version
    assert hanchan.confirmations.count() == 1


def test_setting_changed_while_rules_are_replaced_keeps_both() -> None:
    session = make_session(make_league())
    version = next_version(session.league, uma=[20, 10, -10, -20])
    changed = done_meanwhile(
        lambda: Session.objects.filter(pk=session.pk).update(ruleset_version=version),
        lambda: set_strict_entry(session=session, strict=True, by=SYSTEM),
    )
    assert (changed.ruleset_version, changed.strict_entry) == (version, True)


ATTEMPTS = 6


@pytest.fixture
def league() -> League:
    return make_league(players=6)


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
    for player in Player.objects.in_bulk([player.pk for player in result.players]).values():
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


IMPORTS = 4


RAW = ((31700, 31300, 25500, 11500), (40000, 30000, 20000, 10000), (50000, 26000, 14000, 10000))


def upload(league: League, players: list[Player]) -> ImportBatch:
    names = [player.name for player in players]
    return batch_of(league, file_of(*(game(number=number, names=names, raw=raw) for number, raw in enumerate(RAW, 1))))


def once_meanwhile(act: Callable[[], object]) -> OnProgress:
    """Return an `on_progress` that runs the action at its first call, before an import reads its rows."""
    acts = [act]

    def happens(_progress: Progress) -> None:
        if acts:
            acts.pop()()

    return happens


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(IMPORTS))
def test_import_and_merge_never_seat_a_player_twice(league: League, attempt: int) -> None:
    *others, source, target = league.players.order_by("pk")[:4]
    batch = upload(league, [*others, source, target])
    imported, merged = at_once(lambda: run_import(batch.pk, SYSTEM, unwatched), merging(source, target))
    assert left_behind() == 0
    if merged is None:
        assert isinstance(imported, ImportFileError), (attempt, imported)
        assert (imported.code, Hanchan.objects.count()) == ("not_ready", 0)
        assert ImportBatch.objects.get().state == ImportBatch.State.DRAFT
    else:
        assert isinstance(merged, PeopleError), (attempt, merged)
        assert (merged.code, imported["added"]) == ("met", 3)


@pytest.mark.both_databases
def test_import_sees_a_merge_just_before_it_starts(league: League) -> None:
    *others, source, target = league.players.order_by("pk")[:5]
    run_import(upload(league, [*others, source]).pk, SYSTEM, once_meanwhile(merging(source, target)))
    assert left_behind() == 0
    assert Seat.objects.filter(player=target).count() == len(RAW)


@needs_postgresql
def test_import_starts_again_after_a_merge_while_storing(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    *others, source, target = league.players.order_by("pk")[:5]
    batch = upload(league, [*others, source])
    merge = merging(source, target)

    def then_merged(places: Any) -> Any:
        if Player.objects.get(pk=source.pk).merged_into_id is None:
            in_thread(merge).join(PATIENCE)
        return numbering_of(places)

    monkeypatch.setattr("league.services.imports.running.numbering_of", then_merged)
    assert run_import(batch.pk, SYSTEM, unwatched)["added"] == len(RAW)
    assert (left_behind(), Seat.objects.filter(player=target).count()) == (0, len(RAW))
    assert ImportBatch.objects.get().state == ImportBatch.State.DONE


def is_under(version: RulesetVersion) -> bool:
    found = Hanchan.objects.all()
    explained = all(rows_of(each) == as_explained(game_of(each), version.read()) for each in found)
    return explained and {each.ruleset_version_id for each in found} == {version.pk}


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(IMPORTS))
def test_import_during_a_rule_change_uses_one_version(league: League, attempt: int) -> None:
    make_session(league, date(2020, 1, 5))
    old, new = league.current_version, next_version(league, oka="0")
    assert old is not None
    batch = upload(league, list(league.players.order_by("pk")[:4]))
    imported, changed = at_once(
        lambda: run_import(batch.pk, SYSTEM, unwatched),
        lambda: make_current(league=League.objects.get(pk=league.pk), version=new, by=SYSTEM),
    )
    assert (imported["added"], changed) == (3, None), attempt
    told = Revision.objects.filter(league=league)
    recorded, decided = told.filter(subject="hanchan").earliest("pk"), told.filter(subject="league").latest("pk")
    assert is_under(old if recorded.pk < decided.pk else new), attempt


@pytest.mark.both_databases
def test_import_uses_rules_changed_just_before_it_starts(league: League) -> None:
    make_session(league, date(2020, 1, 5))
    new = next_version(league, oka="0")
    batch = upload(league, list(league.players.order_by("pk")[:4]))
    run_import(batch.pk, SYSTEM, once_meanwhile(lambda: make_current(league=league, version=new, by=SYSTEM)))
    assert is_under(new)


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(IMPORTS))
def test_merge_while_rescoring_is_told_in_order(league: League, monkeypatch: pytest.MonkeyPatch, attempt: int) -> None:
    session = make_session(league)
    for number, raw in enumerate(RAW * 2, 1):
        play(session, raw, list(league.players.order_by("pk")[:4]), round=number)
    monkeypatch.setattr(played, "CHUNK", 2)
    source, target = session.league.players.order_by("pk")[3:5]
    version = next_version(session.league, oka="0")
    found, merged = at_once(lambda: rescore(session.league, version.pk, SYSTEM, unwatched), merging(source, target))
    assert (merged, found) == (None, {"hanchan": 6, "changed": 6, "refused_count": 0}), attempt
    assert left_behind() == 0
    assert Seat.objects.filter(player=target).count() == 6
    assert is_under(version)
    merged = Revision.objects.get(action=Revision.Action.MERGED)
    for told in Revision.objects.filter(action=Revision.Action.RESCORED):
        assert told.after is not None
        named = {seat["player"] for seat in told.after["seats"]}
        assert named & {source.pk, target.pk} == {target.pk if told.pk > merged.pk else source.pk}
