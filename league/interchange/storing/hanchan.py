"""The hanchan of a session, scored by the same derivation as entry at the table."""

from collections.abc import Iterator
from datetime import UTC, timedelta

from league.interchange.problems import refuse
from league.interchange.schema import HanchanDocument, SessionDocument
from league.interchange.storing.progress import Path, StoredSoFar, StoredVersion
from league.models import Session
from league.services.bulk import HanchanPlace, PreparedHanchan, prepare
from league.services.results import HanchanResult, ResultError, beginning_of
from scoring.core import FinishedGame, GameError, ScoringError, format_points, read_game


def prepared_hanchan(
    work: StoredSoFar, session: Session, rules: StoredVersion, entry: SessionDocument, path: Path
) -> Iterator[PreparedHanchan]:
    """Yield the scored hanchan of a session; what they leave out follows from the ones before."""
    rounds: dict[int, int] = {}
    moment = beginning_of(session) - timedelta(minutes=1)
    for index, hanchan in enumerate(entry.hanchan):
        where = (*path, index)
        own = work.rules_for(hanchan.ruleset, hanchan.ruleset_version, rules) or rules
        round_number = hanchan.round or rounds.get(hanchan.table, 0) + 1
        rounds[hanchan.table] = max(round_number, rounds.get(hanchan.table, 0))
        moment = hanchan.played_at or moment + timedelta(minutes=1)
        slot = HanchanPlace(
            session=session,
            version=own.version,
            rules=own.rules,
            table=hanchan.table,
            round=round_number,
            played_at=moment.astimezone(UTC),
            key=hanchan.key,
            state=hanchan.state,
        )
        yield _scored(work, slot, hanchan, where)


def _scored(work: StoredSoFar, slot: HanchanPlace, entry: HanchanDocument, path: Path) -> PreparedHanchan:
    try:
        result = HanchanResult(
            players=tuple(work.players[seat.player] for seat in entry.seats),
            game=_game(entry, path),
            note=entry.note,
            end_reason=entry.end_reason,
            yakuman=tuple((yakuman.seat, yakuman.note) for yakuman in entry.yakuman),
            worked_out=entry.worked_out,
        )
        return prepare(slot, result, work.by)
    except ScoringError as error:
        where = path if error.seat is None else (*path, "seats", error.seat)
        raise refuse(where, str(error)) from error
    except ResultError as error:
        raise refuse(path, f"{error.code} {error.values}") from error


def _game(entry: HanchanDocument, path: Path) -> FinishedGame:
    table = {
        **_scores(entry),
        "as_is": entry.as_is,
        "sticks_left": entry.sticks_left,
        "busts": entry.busts,
        "chombo": entry.chombo,
        "chips": [seat.chips for seat in entry.seats],
        "deposits": [seat.deposits for seat in entry.seats],
    }
    try:
        return read_game(table)
    except GameError as error:
        where, _, complaint = str(error).partition(": ")
        raise refuse((*path, where), f"{complaint}; please correct it") from error


def _scores(entry: HanchanDocument) -> dict[str, object]:
    """Return the raw scores, or the points that are given instead, with the placements where those are too."""
    raw = [seat.raw for seat in entry.seats if seat.raw is not None]
    if raw:
        return {"raw": raw}
    placements = [seat.placement for seat in entry.seats if seat.placement is not None]
    points = [format_points(seat.points) for seat in entry.seats if seat.points is not None]
    return {"points": points, "placements": placements}
