"""Results enter, are corrected and taken back here; nowhere else does a hanchan change."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from league.core.periods import moment_on
from league.models import (
    Confirmation,
    Hanchan,
    Incident,
    League,
    Player,
    Revision,
    RulesetVersion,
    Seat,
    Session,
)
from league.permissions import MANAGE
from league.selectors.games import game_of, seats_of, snapshot_from, snapshot_of
from league.selectors.planning import next_round
from league.services.boards import mark_stale
from league.services.history import Actor, Change, write_revision
from scoring.core import FinishedGame, Ledger, Part, ScoringRules, score, write_game

SAME_RESULT_WITHIN = timedelta(hours=12)
"""Four equal names with equal scores inside this time are taken for the same hanchan entered twice."""

EVENING = time(19, 0)
"""When a result of an earlier date is taken to have been played, unless somebody says so."""


class ResultError(Exception):
    """A result that cannot be stored. `code` names the reason, `values` what a sentence about it needs."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


class SameResultError(ResultError):
    """The same four players with the same scores were recorded a moment ago."""

    def __init__(self, existing: Hanchan) -> None:
        super().__init__("same_result")
        self.existing = existing


class ChangedMeanwhileError(ResultError):
    """Somebody else changed the hanchan after it was opened for correction."""

    def __init__(self, current: Hanchan) -> None:
        super().__init__("changed_meanwhile")
        self.current = current


@dataclass(frozen=True, slots=True)
class HanchanResult:
    """What was played, as one value: the players from the first dealer on and what the table shows at the end."""

    players: tuple[Player, ...]
    game: FinishedGame
    note: str = ""
    end_reason: str = Hanchan.EndReason.NORMAL
    yakuman: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TableAndTime:
    """Where and when it was played; what is None is worked out from the session."""

    table: int = 1
    round: int | None = None
    played_at: datetime | None = None
    ruleset_version: RulesetVersion | None = None
    key: str | None = None
    client_key: uuid.UUID = field(default_factory=uuid.uuid4)


@dataclass(frozen=True, slots=True)
class RecordedHanchan:
    """The stored hanchan, and whether this call made it or found it already there."""

    hanchan: Hanchan
    is_new: bool


@transaction.atomic
def record_hanchan(
    *, session: Session, result: HanchanResult, placing: TableAndTime, by: Actor, even_if_same: bool = False
) -> RecordedHanchan:
    """Store a finished hanchan with its points, its history and the boards it makes stale.

    The same `placing.client_key` twice is one hanchan. Raises ResultError, SameResultError, and ScoringError when the
    rules cannot score the game.
    """
    if existing := _with_client_key(placing.client_key, session.league):
        return RecordedHanchan(existing, is_new=False)
    # Two phones of one table may send a result at the same moment, each under a key of its own: one after the other.
    Session.objects.select_for_update(of=("self",), no_key=True).get(pk=session.pk)
    version = placing.ruleset_version or session.ruleset_version
    check_players(result.players, session)
    seats = derived_seats(result, version.read())
    moment = placing.played_at or default_moment(session, timezone.now())
    if not even_if_same:
        _refuse_same(session.league, result, moment, placing.client_key)
    hanchan = new_hanchan(session, result, placing, version, moment)
    hanchan.recorded_by, hanchan.recorded_through, hanchan.device = by.user, by.link, by.device
    confirms = confirms_alone(session.league, by)
    hanchan.state = Hanchan.State.CONFIRMED if confirms else Hanchan.State.RECORDED
    try:
        with transaction.atomic():
            hanchan.save(force_insert=True)
    except IntegrityError:
        # The other request with this key won the race; its hanchan is the answer to both.
        if existing := _with_client_key(placing.client_key, session.league):
            return RecordedHanchan(existing, is_new=False)
        raise
    incidents = _attach(hanchan, seats, result)
    change = Change(Revision.Action.RECORDED, after=snapshot_from(hanchan, seats, incidents))
    write_revision(session.league, hanchan, change, by)
    if confirms:
        _agree(hanchan, by)
    mark_stale(session.league, [hanchan.day])
    return RecordedHanchan(hanchan, is_new=True)


@transaction.atomic
def correct_hanchan(
    *, hanchan: Hanchan, seen_version: int, result: HanchanResult, placing: TableAndTime, by: Actor, reason: str
) -> Hanchan:
    """Replace the facts of a hanchan and derive its points anew; what was there stays in the history.

    Nobody has agreed to the new facts yet, and nobody disputes them: they are confirmed anew.
    Raises ChangedMeanwhileError unless `seen_version` is still the current one, ResultError, ScoringError.
    """
    current = locked_hanchan(hanchan)
    if current.version != seen_version:
        raise ChangedMeanwhileError(current)
    if not reason.strip():
        raise ResultError("reason_missing")
    check_players(result.players, current.session)
    version = placing.ruleset_version or current.ruleset_version
    seats = derived_seats(result, version.read())
    before, day_before = snapshot_of(current), current.day
    current.ruleset_version = version
    current.table = placing.table
    current.round = placing.round or current.round
    current.played_at = placing.played_at or current.played_at
    current.day = current.league.day_of(current.played_at)
    current.sticks_left = result.game.sticks_left
    current.note, current.end_reason = result.note, result.end_reason
    confirms = confirms_alone(current.league, by)
    if not current.is_voided:
        current.state = Hanchan.State.CONFIRMED if confirms else Hanchan.State.RECORDED
    _bump(current)
    _keep_numbers(seats, current)
    current.seats.all().delete()
    current.incidents.all().delete()
    incidents = _attach(current, seats, result)
    after = snapshot_from(current, seats, incidents)
    change = Change(Revision.Action.CORRECTED, before, after, reason.strip())
    write_revision(current.league, current, change, by)
    if confirms:
        _agree(current, by)
    mark_stale(current.league, [day_before, current.day])
    return current


def void_hanchan(*, hanchan: Hanchan, by: Actor, reason: str, seen_version: int | None = None) -> Hanchan:
    """Take a hanchan back: it stays readable and counts nowhere.

    With `seen_version`, raises ChangedMeanwhileError unless that is still the current one.
    """
    change = Change(Revision.Action.VOIDED, reason=reason)
    return _set_state(hanchan, Hanchan.State.VOIDED, change, by, seen_version)


def restore_hanchan(*, hanchan: Hanchan, by: Actor, reason: str) -> Hanchan:
    """Let a hanchan that was taken back count again."""
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
    _bump(current)
    current.seats.update(counted=current.counts)
    write_revision(current.league, current, Change(change.action, before, snapshot_of(current), reason), by)
    mark_stale(current.league, [current.day])
    return current


def set_result_state(current: Hanchan, state: str) -> None:
    """Store whether a locked hanchan is confirmed or disputed; its facts, its points and its revision stay.

    Undo and correction of what somebody saw before that keep working: only the facts have a revision.
    """
    counted = current.counts
    current.state = state
    current.save(update_fields=["state"])
    if current.counts is not counted:
        current.seats.update(counted=current.counts)
        mark_stale(current.league, [current.day])


def confirms_alone(league: League, by: Actor) -> bool:
    """Return whether a result that this person enters needs nobody else: an organiser's, where organisers confirm."""
    is_asked = league.confirmed_by == League.ConfirmedBy.ORGANISER
    return is_asked and by.user is not None and by.user.has_perm(MANAGE, league)


def _agree(hanchan: Hanchan, by: Actor) -> None:
    """Keep that an organiser stands for what they entered."""
    Confirmation.objects.create(
        hanchan=hanchan,
        version=hanchan.version,
        verdict=Confirmation.Verdict.AGREES,
        by=by.user,
        by_name=by.name,
        source=by.source,
    )


def derived_seats(result: HanchanResult, rules: ScoringRules) -> list[Seat]:
    """Return unsaved seats with everything that scoring derives from the result. Raises ScoringError."""
    game = result.game
    scored = score(game, rules)
    busted = {bust.seat for bust in game.busts}
    seats = []
    for number, (player, seat) in enumerate(zip(result.players, scored.seats, strict=True)):
        row = Seat(
            player=player,
            seat=number,
            raw_score=game.raw[number],
            chips=_at(game.chips, number),
            deposits=_at(game.deposits, number),
            chombo=_at(game.chombo, number),
            placement=seat.placement,
            sharing=seat.sharing,
            is_bust=number in busted or rules.is_bust(game.raw[number]),
            points=seat.points[Ledger.RANKING],
            settlement=seat.points[Ledger.SETTLEMENT],
            total_only=seat.total_only,
        )
        for line in seat.lines:
            column = PART_COLUMNS[line.part]
            setattr(row, column, getattr(row, column) + line.points)
        seats.append(row)
    return seats


PART_COLUMNS = {
    Part.BASE: "base",
    Part.OKA: "oka",
    Part.UMA: "uma",
    Part.BUST: "bust",
    Part.CHIPS: "chip_points",
    Part.FEES: "other",
    Part.PENALTIES: "other",
    Part.LEFTOVER: "base",
    Part.ROUNDING: "base",
    Part.FLOOR: "base",
}
"""Where a part of the points is kept. Leftover sticks, rounding and the floor belong with the base."""


def result_of(hanchan: Hanchan) -> HanchanResult:
    """Return a stored hanchan as the value it was recorded from."""
    return HanchanResult(
        players=tuple(seat.player for seat in seats_of(hanchan)),
        game=game_of(hanchan),
        note=hanchan.note,
        end_reason=hanchan.end_reason,
        yakuman=tuple(
            (incident.seat, incident.note)
            for incident in hanchan.incidents.all()
            if incident.kind == Incident.Kind.YAKUMAN
        ),
    )


def default_moment(session: Session, now: datetime) -> datetime:
    """Return when a result is taken to have been played: now, or after the last one of a past session."""
    league = session.league
    if league.day_of(now) == session.date:
        return now
    last = session.hanchan.aggregate(last=Max("played_at"))["last"]
    if last is not None and league.day_of(last + timedelta(minutes=1)) == session.date:
        moment: datetime = last + timedelta(minutes=1)
        return moment
    return moment_on(session.date, EVENING, league.time_zone, league.day_boundary)


def _at(values: Sequence[int], number: int) -> int:
    return values[number] if values else 0


def _with_client_key(client_key: uuid.UUID, league: League) -> Hanchan | None:
    found = Hanchan.objects.filter(client_key=client_key).select_related("session", "league").first()
    if found is not None and found.league_id != league.pk:
        raise ResultError("client_key_taken")
    return found


def check_players(players: Sequence[Player], session: Session) -> None:
    """Raise ResultError unless these are different, present players of the session's league."""
    seen: set[int] = set()
    for player in players:
        if player.league_id != session.league_id or player.merged_into_id is not None:
            raise ResultError("not_in_league", name=player.name)
        if player.pk in seen:
            raise ResultError("player_twice", name=player.name)
        seen.add(player.pk)


def _refuse_same(league: League, result: HanchanResult, moment: datetime, client_key: uuid.UUID) -> None:
    wanted = {(player.pk, raw) for player, raw in zip(result.players, result.game.raw, strict=True)}
    recent = Hanchan.objects.standing().filter(
        league=league,
        seats__player=result.players[0],
        played_at__range=(moment - SAME_RESULT_WITHIN, moment + SAME_RESULT_WITHIN),
    )
    # The same submission, stored by another request a moment ago, is no second hanchan: saving will find it.
    for hanchan in recent.exclude(client_key=client_key).prefetch_related("seats"):
        if {(seat.player_id, seat.raw_score) for seat in hanchan.seats.all()} == wanted:
            raise SameResultError(hanchan)


def new_hanchan(
    session: Session, result: HanchanResult, placing: TableAndTime, version: RulesetVersion, moment: datetime
) -> Hanchan:
    """Return the unsaved hanchan of a result; its number within the table is asked for unless `placing` has it."""
    return Hanchan(
        league=session.league,
        session=session,
        key=placing.key or f"h-{placing.client_key.hex}",
        client_key=placing.client_key,
        table=placing.table,
        round=placing.round or next_round(session, placing.table),
        played_at=moment,
        day=session.league.day_of(moment),
        ruleset_version=version,
        end_reason=result.end_reason,
        sticks_left=result.game.sticks_left,
        note=result.note,
    )


def _attach(hanchan: Hanchan, seats: Sequence[Seat], result: HanchanResult) -> list[Incident]:
    """Store seats and incidents under a hanchan that has just been saved; return the incidents."""
    Seat.objects.bulk_create(seated(hanchan, seats))
    return Incident.objects.bulk_create(incidents_of(hanchan, result))


def seated(hanchan: Hanchan, seats: Iterable[Seat]) -> list[Seat]:
    """Return the seats with the copies that let a board be summed from them alone."""
    rows = list(seats)
    for seat in rows:
        seat.hanchan, seat.league = hanchan, hanchan.league
        seat.day, seat.played_at = hanchan.day, hanchan.played_at
        seat.counted = hanchan.counts
    return rows


def _keep_numbers(seats: Iterable[Seat], hanchan: Hanchan) -> None:
    """Let a player's seat keep its primary key through a correction: a merge remembers the seats it moved."""
    numbers = dict(hanchan.seats.values_list("player", "pk"))
    for seat in seats:
        seat.pk = numbers.get(seat.player_id)


def incidents_of(hanchan: Hanchan, result: HanchanResult) -> list[Incident]:
    """Return the unsaved incidents of a result: busts with their cause, chombo, yakuman."""
    game: dict[str, Any] = write_game(result.game)
    rows = []
    for bust in game.get("busts", []):
        detail = {key: value for key, value in bust.items() if key != "seat"}
        rows.append(Incident(hanchan=hanchan, seat=bust["seat"], kind=Incident.Kind.BUST, detail=detail))
    for seat, count in enumerate(result.game.chombo):
        rows += [Incident(hanchan=hanchan, seat=seat, kind=Incident.Kind.CHOMBO) for _ in range(count)]
    rows += [
        Incident(hanchan=hanchan, seat=seat, kind=Incident.Kind.YAKUMAN, note=note) for seat, note in result.yakuman
    ]
    return rows


def locked_hanchan(hanchan: Hanchan) -> Hanchan:
    """Return a hanchan as it stands now, kept from others until the transaction ends."""
    return (
        Hanchan.objects.select_for_update(of=("self",))
        .select_related("league", "session__league", "ruleset_version")
        .get(pk=hanchan.pk)
    )


def _bump(hanchan: Hanchan) -> None:
    hanchan.version += 1
    hanchan.save()
