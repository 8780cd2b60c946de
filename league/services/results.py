"""Recording, correcting and voiding hanchan. Nothing else writes them."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from league.core.errors import RefusedError
from league.core.limits import MAX_NOTE_LENGTH
from league.core.periods import moment_on
from league.core.results import LENGTH_OF_A_HANCHAN, SAME_EVENING, Likeness, derived, likeness_in_time
from league.core.seating import next_round
from league.models import Confirmation, Hanchan, Incident, League, Player, Revision, RulesetVersion, Seat, Session
from league.permissions import MANAGE, may_in_session
from league.selectors.entry import planned_instead
from league.selectors.games import game_of, seats_of, snapshot_from, snapshot_of
from league.selectors.planning import only_rounds, planned_in, table_plans
from league.services.boards import mark_stale
from league.services.history import Actor, Change, write_revision
from league.services.locking import hold_players, lock_league, locked
from scoring.core import FinishedGame, ScoringRules, write_game


class ResultError(RefusedError):
    """The result was refused."""


class SameResultError(ResultError):
    """A stored hanchan may be the same one; `likeness` says why."""

    def __init__(self, existing: Hanchan, likeness: Likeness = Likeness.EQUAL) -> None:
        super().__init__(_CODES[likeness], round=existing.round)
        self.existing = existing
        self.likeness = likeness


_CODES = {Likeness.EQUAL: "same_result", Likeness.NEAR: "similar_result", Likeness.ROUND: "round_taken"}


class OtherPeopleError(ResultError):
    """Other players are `planned` for this round and table; empty if none are."""

    def __init__(self, table: int, round_number: int, planned: tuple[Player, ...]) -> None:
        super().__init__("other_people", table=table, round=round_number)
        self.table, self.round, self.planned = table, round_number, planned


class ChangedMeanwhileError(ResultError):
    """The hanchan was changed after it was opened for correction."""

    def __init__(self, current: Hanchan) -> None:
        super().__init__("changed_meanwhile")
        self.current = current


@dataclass(frozen=True, slots=True)
class HanchanResult:
    """A result: players and final scores, first dealer first.

    `yakuman`: (seat, note) pairs. `worked_out`: the raw scores were derived from points.
    """

    players: tuple[Player, ...]
    game: FinishedGame
    note: str = ""
    end_reason: str = Hanchan.EndReason.NORMAL
    yakuman: tuple[tuple[int, str], ...] = ()
    worked_out: bool = False

    @property
    def given(self) -> Hanchan.Given:
        if self.game.points:
            return Hanchan.Given.POINTS
        return Hanchan.Given.WORKED_OUT if self.worked_out else Hanchan.Given.RAW


@dataclass(frozen=True, slots=True)
class TableAndTime:
    """Place and time of a hanchan; None values are derived from the session.

    `meant_round`: the round shown since `typed_since`, while the result was typed; used if it is still free.
    `even_if_others`: the user has confirmed that other players than planned played.
    """

    table: int = 1
    round: int | None = None
    played_at: datetime | None = None
    ruleset_version: RulesetVersion | None = None
    key: str | None = None
    client_key: uuid.UUID = field(default_factory=uuid.uuid4)
    meant_round: int | None = None
    typed_since: datetime | None = None
    even_if_others: bool = False


@dataclass(frozen=True, slots=True)
class RecordedHanchan:
    hanchan: Hanchan
    is_new: bool


def note_of_as_is(note: str, why: str) -> str:
    """Return the note of an accepted wrong total. Raise ResultError if it is empty or too long."""
    text = " ".join(filter(None, dict.fromkeys((note.strip(), why.strip()))))
    if not text:
        raise ResultError("as_is_unexplained")
    if len(text) > MAX_NOTE_LENGTH:
        raise ResultError("note_too_long", most=MAX_NOTE_LENGTH)
    return text


def with_origin(result: HanchanResult, known: HanchanResult) -> HanchanResult:
    """Return an edited result; if its scores are unchanged, they stay marked as derived from points."""
    is_kept = known.worked_out and not result.game.points and _scores(result) == _scores(known)
    return replace(result, worked_out=True) if is_kept else result


def _scores(result: HanchanResult) -> set[tuple[int, int]]:
    return {(player.pk, raw) for player, raw in zip(result.players, result.game.raw, strict=False)}


def result_of(hanchan: Hanchan) -> HanchanResult:
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
        worked_out=hanchan.given == Hanchan.Given.WORKED_OUT,
    )


class DerivedSeat(NamedTuple):
    """A seat with everything that scoring derives; the fields have the names of those of `Seat`.

    From `placement` on they are the columns of `league.core.results`, in the same order.
    """

    player: Player
    seat: int
    raw_score: int | None
    chips: int
    deposits: int
    chombo: int
    placement: int
    sharing: int
    is_bust: bool
    points: int
    settlement: int
    base: int
    oka: int
    uma: int
    bust: int
    chip_points: int
    other: int
    total_only: int

    @property
    def player_id(self) -> int:
        return self.player.pk


def plain_seats(result: HanchanResult, rules: ScoringRules) -> list[DerivedSeat]:
    """Return the seats of a result, first dealer first, with points in 1/1000 pt. Raise ScoringError."""
    game = result.game
    nothing = (0,) * game.size
    facts = zip(
        result.players,
        range(game.size),
        game.raw or (None,) * game.size,
        game.chips or nothing,
        game.deposits or nothing,
        game.chombo or nothing,
        strict=True,
    )
    return [DerivedSeat(*typed, *columns) for typed, columns in zip(facts, derived(game, rules), strict=True)]


def derived_seats(result: HanchanResult, rules: ScoringRules) -> list[Seat]:
    """Return unsaved Seat rows of a result. Raise ScoringError."""
    return [Seat(**seat._asdict()) for seat in plain_seats(result, rules)]


def new_hanchan(
    session: Session, result: HanchanResult, table_and_time: TableAndTime, version: RulesetVersion, moment: datetime
) -> Hanchan:
    return Hanchan(
        league=session.league,
        session=session,
        key=table_and_time.key or f"h-{table_and_time.client_key.hex}",
        client_key=table_and_time.client_key,
        table=table_and_time.table,
        round=table_and_time.round or 1,
        played_at=moment,
        day=session.league.day_of(moment),
        ruleset_version=version,
        end_reason=result.end_reason,
        sticks_left=result.game.sticks_left,
        note=result.note,
        given=result.given,
        as_is=result.game.as_is,
    )


def seated(hanchan: Hanchan, seats: Iterable[Seat]) -> list[Seat]:
    """Fill the columns copied from the hanchan, so that boards can be summed from seats alone; return seats by player.

    Inserting a seat locks its player's key; the order by player is the one in which merges lock players.
    """
    rows = sorted(seats, key=lambda seat: seat.player_id)
    for seat in rows:
        seat.hanchan, seat.league = hanchan, hanchan.league
        seat.day, seat.played_at = hanchan.day, hanchan.played_at
        seat.counted = hanchan.counts
    return rows


def store_rows(hanchan: Hanchan, seats: Sequence[Seat], result: HanchanResult) -> list[Incident]:
    Seat.objects.bulk_create(seated(hanchan, seats))
    return Incident.objects.bulk_create(incidents_of(hanchan, result))


def incidents_of(hanchan: Hanchan, result: HanchanResult) -> list[Incident]:
    game: dict[str, Any] = write_game(result.game)
    rows = []
    for bust in game.get("busts", []):
        detail = {key: value for key, value in bust.items() if key != "seat"}
        rows.append(Incident(hanchan=hanchan, seat=bust["seat"], kind=Incident.Kind.BUST, detail=detail))
    for seat, count in enumerate(result.game.chombo):
        rows += [Incident(hanchan=hanchan, seat=seat, kind=Incident.Kind.CHOMBO) for _ in range(count)]
    yakuman = Incident.Kind.YAKUMAN
    rows += [Incident(hanchan=hanchan, seat=seat, kind=yakuman, note=note) for seat, note in result.yakuman]
    return rows


EVENING = time(19, 0)
"""Time of play if a past session has no start time."""

Span = tuple[datetime, datetime]


def record_hanchan(
    *, session: Session, result: HanchanResult, table_and_time: TableAndTime, by: Actor, even_if_same: bool = False
) -> RecordedHanchan:
    """Store a finished hanchan with its points and history, and mark its boards as stale.

    A repeated `table_and_time.client_key` returns the stored hanchan. Raise ResultError, SameResultError,
    OtherPeopleError, or ScoringError if the rules cannot score the game.
    """
    return once(
        lambda: stored_hanchan(session, result, table_and_time, by, even_if_same=even_if_same),
        table_and_time,
        session.league,
    )


def once(stores: Callable[[], RecordedHanchan], table_and_time: TableAndTime, league: League) -> RecordedHanchan:
    """Run `stores` in a transaction; if another request used the client key first, return its hanchan.

    The conflict appears as an IntegrityError, after which the transaction is rolled back.
    """
    try:
        with transaction.atomic():
            return stores()
    except IntegrityError:
        existing = _with_client_key(table_and_time.client_key, league)
        if existing is None:
            raise
        return RecordedHanchan(existing, is_new=False)


def stored_hanchan(
    session: Session, result: HanchanResult, table_and_time: TableAndTime, by: Actor, *, even_if_same: bool
) -> RecordedHanchan:
    """Do the work of `record_hanchan` in the caller's transaction.

    Raise IntegrityError if a concurrent request with the same client key was faster. The session's row is locked, so
    that two phones sending the same result under different keys are handled one after the other.
    """
    version = table_and_time.ruleset_version or session.ruleset_version
    check_players(result.players, session)
    if result.game.as_is:
        check_as_is(result, session, by)
    seats = derived_seats(result, version.read())
    Session.objects.select_for_update(no_key=True).only("pk").get(pk=session.pk)
    existing = _with_client_key(table_and_time.client_key, session.league)
    if existing is not None:
        return RecordedHanchan(existing, is_new=False)
    moment = table_and_time.played_at or default_moment(session, timezone.now())
    hanchan = new_hanchan(session, result, table_and_time, version, moment)
    hanchan.recorded_by, hanchan.recorded_through, hanchan.device = by.user, by.link, by.device
    confirms = confirms_alone(session, by)
    hanchan.state = Hanchan.State.CONFIRMED if confirms else Hanchan.State.RECORDED
    if not even_if_same:
        _refuse_repeat(hanchan, result, table_and_time)
    _number(hanchan, result, table_and_time)
    hanchan.save(force_insert=True)
    incidents = store_rows(hanchan, seats, result)
    change = Change(Revision.Action.RECORDED, after=snapshot_from(hanchan, seats, incidents))
    write_revision(session.league, hanchan, change, by)
    mark_stale(session.league, [hanchan.day], [player.pk for player in result.players])
    if confirms:
        agree(hanchan, by)
    return RecordedHanchan(hanchan, is_new=True)


def _number(hanchan: Hanchan, result: HanchanResult, table_and_time: TableAndTime) -> None:
    """Set the round: the typed one, the one shown while typing if still free, else the next. Raise OtherPeopleError."""
    session, plans = hanchan.session, table_plans(hanchan.session, hanchan.table)
    if table_and_time.round is None:
        rounds = session.hanchan.valid().filter(table=hanchan.table).order_by()
        played, meant = [*rounds.values_list("round", flat=True)], table_and_time.meant_round
        hanchan.round = meant if meant and meant not in played else next_round(played, only_rounds(plans))
    if table_and_time.even_if_others or not plans:
        return
    # A planned player may have been merged since.
    if {player.pk for player in planned_in(plans, hanchan.round)} != {player.pk for player in result.players}:
        refuse_others(session, hanchan.table, hanchan.round, result.players)


def _refuse_repeat(hanchan: Hanchan, result: HanchanResult, table_and_time: TableAndTime) -> None:
    """Raise SameResultError if a stored hanchan may be the same one.

    It may be if its scores are equal or nearly equal, at any table since typing began, as a draft may be an hour old;
    or if it took the round that was shown while typing.
    """
    begun, moment = table_and_time.typed_since, hanchan.played_at
    span = (begun if begun and begun < moment and table_and_time.played_at is None else moment), moment
    others = Hanchan.objects.valid().prefetch_related("seats")
    # Filtered by the first player's seats and time, for which there is an index.
    evening = others.filter(
        league=hanchan.league,
        seats__player=result.players[0],
        seats__played_at__range=(span[0] - SAME_EVENING, span[1] + SAME_EVENING),
    )
    for kind, existing in _alike(result, span, evening.order_by("pk")):
        raise SameResultError(existing, kind)
    if table_and_time.round is None and table_and_time.meant_round is not None:
        since = (table_and_time.typed_since or timezone.now()) - LENGTH_OF_A_HANCHAN
        of_round = others.filter(session=hanchan.session, table=hanchan.table, round=table_and_time.meant_round)
        taken = of_round.filter(recorded_at__gte=since).order_by("-played_at", "-pk").first()
        if taken is not None:
            raise SameResultError(taken, Likeness.ROUND)


def _alike(result: HanchanResult, span: Span, evening: Iterable[Hanchan]) -> list[tuple[Likeness, Hanchan]]:
    scores = result.game.raw or result.game.points
    wanted = {player.pk: score for player, score in zip(result.players, scores, strict=True)}
    found: dict[Likeness, Hanchan] = {}
    for other in evening:
        apart = abs(other.played_at - min(max(other.played_at, span[0]), span[1]))
        points = {seat.player_id: seat.points if seat.raw_score is None else seat.raw_score for seat in seats_of(other)}
        if kind := likeness_in_time(wanted, points, apart):
            found[kind] = other
    return [(kind, found[kind]) for kind in (Likeness.EQUAL, Likeness.NEAR) if kind in found]


def refuse_others(session: Session, table: int, number: int, players: Sequence[Player]) -> None:
    expected = planned_instead(session, table, number, players)
    if expected is not None:
        raise OtherPeopleError(table, number, expected)


def _with_client_key(client_key: uuid.UUID, league: League) -> Hanchan | None:
    found = Hanchan.objects.filter(client_key=client_key).select_related("session", "league").first()
    if found is not None and found.league_id != league.pk:
        raise ResultError("client_key_taken")
    return found


def check_players(players: Sequence[Player], session: Session) -> None:
    seen: set[int] = set()
    for player in players:
        if player.league_id != session.league_id or player.merged_into_id is not None:
            raise ResultError("not_in_league", name=player.name)
        if player.pk in seen:
            raise ResultError("player_twice", name=player.name)
        seen.add(player.pk)


def check_as_is(result: HanchanResult, session: Session, by: Actor) -> None:
    """Raise ResultError unless an organiser (or a command) accepts the wrong total, with a note.

    Locks the league, because its setting decides whether the result counts.
    """
    if by.link is not None or (by.user is not None and not may_in_session(by.user, MANAGE, session)):
        raise ResultError("as_is_refused")
    if not result.note.strip():
        raise ResultError("as_is_unexplained")
    session.league.unbalanced_count = lock_league(session.league_id).unbalanced_count


def default_moment(session: Session, now: datetime) -> datetime:
    league = session.league
    if league.day_of(now) == session.date:
        return now
    last = session.hanchan.aggregate(last=Max("played_at"))["last"]
    if last is not None and league.day_of(last + timedelta(minutes=1)) == session.date:
        moment: datetime = last + timedelta(minutes=1)
        return moment
    return beginning_of(session)


def beginning_of(session: Session) -> datetime:
    league = session.league
    return moment_on(session.date, session.start_time or EVENING, league.time_zone, league.day_boundary)


def confirms_alone(session: Session, by: Actor) -> bool:
    """Return whether a result entered by this user needs no further confirmation."""
    is_asked = session.league.confirmed_by == League.ConfirmedBy.ORGANISER
    return is_asked and by.user is not None and may_in_session(by.user, MANAGE, session)


def agree(hanchan: Hanchan, by: Actor) -> None:
    Confirmation.objects.create(
        hanchan=hanchan,
        version=hanchan.version,
        verdict=Confirmation.Verdict.AGREES,
        by=by.user,
        by_name=by.name,
        source=by.source,
    )


@transaction.atomic
def correct_hanchan(
    *, hanchan: Hanchan, seen_version: int, result: HanchanResult, table_and_time: TableAndTime, by: Actor, reason: str
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
    put_in(current, result, table_and_time)
    current.day = current.league.day_of(current.played_at)
    confirms = confirms_alone(current.session, by)
    if not current.is_voided:
        current.state = Hanchan.State.CONFIRMED if confirms else Hanchan.State.RECORDED
    _save_as_next(current)
    players = {player.pk for player in result.players} | _keep_numbers(seats, current)
    current.seats.all().delete()
    current.incidents.all().delete()
    incidents = store_rows(current, seats, result)
    after = snapshot_from(current, seats, incidents)
    write_revision(current.league, current, Change(Revision.Action.CORRECTED, before, after, reason.strip()), by)
    if confirms:
        agree(current, by)
    mark_stale(current.league, [day_before, current.day], players)
    return current


def put_in(hanchan: Hanchan, result: HanchanResult, table_and_time: TableAndTime) -> None:
    """Put what a user typed into the columns of a hanchan, unsaved."""
    hanchan.table = table_and_time.table
    hanchan.round = table_and_time.round or hanchan.round
    hanchan.played_at = table_and_time.played_at or hanchan.played_at
    hanchan.sticks_left = result.game.sticks_left
    hanchan.note, hanchan.end_reason = result.note, result.end_reason
    hanchan.given, hanchan.as_is = result.given, result.game.as_is


def _stays_as_it_is(hanchan: Hanchan, result: HanchanResult) -> bool:
    before = Hanchan.objects.prefetch_related("seats", "incidents").get(pk=hanchan.pk)
    return before.as_is and bool(result.note.strip()) and game_of(before) == result.game


def void_hanchan(*, hanchan: Hanchan, by: Actor, reason: str, seen_version: int | None = None) -> Hanchan:
    """Void a hanchan: it stays visible but no longer counts.

    With `seen_version`, raise ChangedMeanwhileError unless it is current.
    """
    return _set_state(hanchan, Hanchan.State.VOIDED, Change(Revision.Action.VOIDED, reason=reason), by, seen_version)


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
