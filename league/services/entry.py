"""Results as the entry page hands them in: guests who are not in the list yet become players with their first hanchan."""

from dataclasses import dataclass, replace
from typing import TypeAlias

from django.db import transaction

from league.models import Hanchan, League, Player, Session
from league.services.held_results import moment_of_held_result, settle_held_result
from league.services.history import Actor
from league.services.people import PlayerFacts, player_of
from league.services.photos import CleanedPhoto, add_photo
from league.services.results import HanchanResult, RecordedHanchan, TableAndTime, correct_hanchan, record_hanchan
from scoring.core import FinishedGame

Seated: TypeAlias = Player | PlayerFacts
"""Somebody at the table: a player, or what is known of one who is not in the list yet."""


@dataclass(frozen=True, slots=True)
class TypedResult:
    """What was entered, first dealer first. Somebody the league does not know yet is there as facts."""

    seated: tuple[Seated, ...]
    game: FinishedGame
    note: str = ""
    end_reason: str = Hanchan.EndReason.NORMAL
    yakuman: tuple[tuple[int, str], ...] = ()
    photo: CleanedPhoto | None = None


@transaction.atomic
def record_entry(
    *, session: Session, entry: TypedResult, placing: TableAndTime, by: Actor, even_if_same: bool = False
) -> RecordedHanchan:
    """Record what was entered, guests included, or nothing at all. Raises what record_hanchan raises."""
    result = _result_of(entry, session.league, by)
    if placing.played_at is None:
        placing = replace(placing, played_at=moment_of_held_result(placing.client_key, session))
    recorded = record_hanchan(session=session, result=result, placing=placing, by=by, even_if_same=even_if_same)
    if not recorded.is_new:
        # The same submission was quicker elsewhere; the guests of this one must not stay behind as strangers.
        transaction.set_rollback(True)
    else:
        settle_held_result(recorded.hanchan, by)
        if entry.photo is not None:
            add_photo(hanchan=recorded.hanchan, picture=entry.photo, by=by)
    return recorded


@transaction.atomic
def correct_entry(
    *, hanchan: Hanchan, seen_version: int, entry: TypedResult, placing: TableAndTime, by: Actor, reason: str
) -> Hanchan:
    """Correct a hanchan by what was entered, guests included, or not at all. Raises what correct_hanchan raises."""
    result = _result_of(entry, hanchan.league, by)
    return correct_hanchan(
        hanchan=hanchan, seen_version=seen_version, result=result, placing=placing, by=by, reason=reason
    )


def _result_of(entry: TypedResult, league: League, by: Actor) -> HanchanResult:
    players = tuple(player_of(league, person, by) for person in entry.seated)
    return HanchanResult(players, entry.game, entry.note, entry.end_reason, entry.yakuman)
