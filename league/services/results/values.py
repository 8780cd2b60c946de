"""What was played, where and when, as values; and why it cannot be stored."""

import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime

from league.core.repeats import Likeness
from league.models import (
    Hanchan,
    Incident,
    Player,
    RulesetVersion,
)
from league.selectors.games import game_of, seats_of
from scoring.core import FinishedGame


class ResultError(Exception):
    """A result that cannot be stored. `code` names the reason, `values` what a sentence about it needs."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


class SameResultError(ResultError):
    """What is there already may be the same hanchan; `likeness` says why. A person decides."""

    def __init__(self, existing: Hanchan, likeness: Likeness = Likeness.EQUAL) -> None:
        super().__init__(_CODES[likeness], round=existing.round)
        self.existing = existing
        self.likeness = likeness


_CODES = {Likeness.EQUAL: "same_result", Likeness.NEAR: "similar_result", Likeness.ROUND: "round_taken"}


class OtherPeopleError(ResultError):
    """Others are `planned` for this round and table, or nobody is. A person says whether these played all the same."""

    def __init__(self, table: int, round_number: int, planned: tuple[Player, ...]) -> None:
        super().__init__("other_people", table=table, round=round_number)
        self.table, self.round, self.planned = table, round_number, planned


class ChangedMeanwhileError(ResultError):
    """Somebody else changed the hanchan after it was opened for correction."""

    def __init__(self, current: Hanchan) -> None:
        super().__init__("changed_meanwhile")
        self.current = current


@dataclass(frozen=True, slots=True)
class HanchanResult:
    """What was played, as one value: the players from the first dealer on and what the table shows at the end.

    `worked_out`: its raw scores follow from points that were given.
    """

    players: tuple[Player, ...]
    game: FinishedGame
    note: str = ""
    end_reason: str = Hanchan.EndReason.NORMAL
    yakuman: tuple[tuple[int, str], ...] = ()
    worked_out: bool = False

    @property
    def given(self) -> Hanchan.Given:
        """What was known of it."""
        if self.game.points:
            return Hanchan.Given.POINTS
        return Hanchan.Given.WORKED_OUT if self.worked_out else Hanchan.Given.RAW


@dataclass(frozen=True, slots=True)
class TableAndTime:
    """Where and when it was played; what is None is worked out from the session.

    `meant_round` is the number that the page showed while it was typed, from `typed_since` on: it is taken where it is
    free, and asked about where somebody else's result has taken it meanwhile. `even_if_others`: these people played there,
    though others are planned.
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
    """The stored hanchan, and whether this call made it or found it already there."""

    hanchan: Hanchan
    is_new: bool


def with_origin(result: HanchanResult, known: HanchanResult) -> HanchanResult:
    """Return a result that was typed over a `known` one: just these scores of these players stay worked out from points."""
    is_kept = known.worked_out and not result.game.points and _scores(result) == _scores(known)
    return replace(result, worked_out=True) if is_kept else result


def _scores(result: HanchanResult) -> set[tuple[int, int]]:
    return {(player.pk, raw) for player, raw in zip(result.players, result.game.raw, strict=False)}


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
        worked_out=hanchan.given == Hanchan.Given.WORKED_OUT,
    )
