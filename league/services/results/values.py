import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from league.core.limits import MAX_NOTE_LENGTH
from league.core.results import Likeness, derived
from league.models import (
    Hanchan,
    Incident,
    Player,
    RulesetVersion,
    Seat,
    Session,
)
from league.selectors.games import game_of, seats_of
from scoring.core import FinishedGame, ScoringRules, write_game


class ResultError(Exception):
    """The result was refused. `code` identifies the reason; `values` are interpolated into its message."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


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
    rows += [
        Incident(hanchan=hanchan, seat=seat, kind=Incident.Kind.YAKUMAN, note=note) for seat, note in result.yakuman
    ]
    return rows
