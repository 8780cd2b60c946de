from collections.abc import Iterable

from django.db import transaction

from league.models import Hanchan, Revision, Seat
from league.selectors.games import game_of, snapshot_from, snapshot_of
from league.services.boards import mark_stale
from league.services.history import Actor, Change, write_revision
from league.services.locking import hold_players, locked
from league.services.results.recording import agree, check_as_is, check_players, confirms_alone, refuse_others
from league.services.results.values import (
    ChangedMeanwhileError,
    HanchanResult,
    ResultError,
    TableAndTime,
    derived_seats,
    store_rows,
)


@transaction.atomic
def correct_hanchan(
    *,
    hanchan: Hanchan,
    seen_version: int,
    result: HanchanResult,
    table_and_time: TableAndTime,
    by: Actor,
    reason: str,
) -> Hanchan:
    """Correct a hanchan and recalculate its points; the previous state is kept in the history.

    Confirmations and disputes start over. Raise ChangedMeanwhileError unless `seen_version` is current,
    OtherPeopleError if other players are planned at the new place, ResultError or ScoringError.
    """
    if result.game.as_is and not _stays_as_it_is(hanchan, result):
        check_as_is(result, hanchan.session, by)
    hold_players(result.players)
    current = locked_hanchan(hanchan)
    if current.version != seen_version:
        raise ChangedMeanwhileError(current)
    if not reason.strip():
        raise ResultError("reason_missing")
    check_players(result.players, current.session)
    number = table_and_time.round or current.round
    stays = (current.table, current.round) == (table_and_time.table, number)
    if not table_and_time.even_if_others and not (
        stays and {player.pk for player in result.players} == _seated(current).keys()
    ):
        refuse_others(current.session, table_and_time.table, number, result.players)
    version = table_and_time.ruleset_version or current.ruleset_version
    seats = derived_seats(result, version.read())
    before, day_before = snapshot_of(current), current.day
    current.ruleset_version = version
    current.table = table_and_time.table
    current.round = number
    current.played_at = table_and_time.played_at or current.played_at
    current.day = current.league.day_of(current.played_at)
    current.sticks_left = result.game.sticks_left
    current.note, current.end_reason = result.note, result.end_reason
    current.given, current.as_is = result.given, result.game.as_is
    confirms = confirms_alone(current.session, by)
    if not current.is_voided:
        current.state = Hanchan.State.CONFIRMED if confirms else Hanchan.State.RECORDED
    _save_as_next(current)
    players = {player.pk for player in result.players} | _keep_numbers(seats, current)
    current.seats.all().delete()
    current.incidents.all().delete()
    incidents = store_rows(current, seats, result)
    after = snapshot_from(current, seats, incidents)
    change = Change(Revision.Action.CORRECTED, before, after, reason.strip())
    write_revision(current.league, current, change, by)
    if confirms:
        agree(current, by)
    mark_stale(current.league, [day_before, current.day], players)
    return current


def _stays_as_it_is(hanchan: Hanchan, result: HanchanResult) -> bool:
    before = Hanchan.objects.prefetch_related("seats", "incidents").get(pk=hanchan.pk)
    return before.as_is and bool(result.note.strip()) and game_of(before) == result.game


def void_hanchan(*, hanchan: Hanchan, by: Actor, reason: str, seen_version: int | None = None) -> Hanchan:
    """Void a hanchan: it stays visible but no longer counts.

    With `seen_version`, raise ChangedMeanwhileError unless it is current.
    """
    change = Change(Revision.Action.VOIDED, reason=reason)
    return _set_state(hanchan, Hanchan.State.VOIDED, change, by, seen_version)


def restore_hanchan(*, hanchan: Hanchan, by: Actor, reason: str) -> Hanchan:
    return _set_state(hanchan, Hanchan.State.RECORDED, Change(Revision.Action.RESTORED, reason=reason), by)


@transaction.atomic
def _set_state(
    hanchan: Hanchan, state: Hanchan.State, change: Change, by: Actor, seen_version: int | None = None
) -> Hanchan:
    current, reason = locked_hanchan(hanchan), change.reason.strip()
    if current.is_voided is (state == Hanchan.State.VOIDED):
        return current
    if seen_version is not None and current.version != seen_version:
        raise ChangedMeanwhileError(current)
    if not reason:
        raise ResultError("reason_missing")
    before = snapshot_of(current)
    current.state = state
    _save_as_next(current)
    players = _count(current)
    write_revision(current.league, current, Change(change.action, before, snapshot_of(current), reason), by)
    mark_stale(current.league, [current.day], players)
    return current


def set_result_state(current: Hanchan, state: str) -> None:
    """Set the state of a locked hanchan to confirmed or disputed, without raising its version.

    Corrections and undo on pages opened before therefore still work.
    """
    counted = current.counts
    current.state = state
    current.save(update_fields=["state"])
    if current.counts is not counted:
        mark_stale(current.league, [current.day], _count(current))


def _count(hanchan: Hanchan) -> set[int]:
    players = _seated(hanchan).keys()
    hanchan.seats.update(counted=hanchan.counts)
    return set(players)


def _keep_numbers(seats: Iterable[Seat], hanchan: Hanchan) -> set[int]:
    """Reuse the primary keys of players' seats, because the history of merges refers to them.

    Return the primary keys of the previous players.
    """
    numbers = _seated(hanchan)
    for seat in seats:
        seat.pk = numbers.get(seat.player_id)
    return set(numbers)


def _seated(hanchan: Hanchan) -> dict[int, int]:
    """Return and lock the primary keys of seats, by player, so that no merge changes them."""
    return dict(hanchan.seats.select_for_update().order_by("pk").values_list("player", "pk"))


def locked_hanchan(hanchan: Hanchan) -> Hanchan:
    return locked(Hanchan.objects.select_related("league", "session__league", "ruleset_version"), hanchan.pk)


def _save_as_next(hanchan: Hanchan) -> None:
    hanchan.version += 1
    hanchan.save()
