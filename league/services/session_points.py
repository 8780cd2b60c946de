"""Points of a session of which only the sums are known, such as an old season out of a newspaper."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from league.core.limits import MAX_SESSION_HANCHAN
from league.messages import plain_name
from league.models import Player, Revision, Session, SessionPoints
from league.services.boards import mark_stale
from league.services.history import Actor, Change, write_revision


class SessionPointsError(Exception):
    """Points that cannot be entered. `code` names the reason, `values` what a sentence about it needs."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@transaction.atomic
def enter_session_points(
    *, session: Session, lines: Mapping[Player, int], hanchan: int, note: str = "", by: Actor
) -> list[SessionPoints]:
    """Store each player's points (1/1000 pt) and for how many hanchan they stand; they count like adjustments.

    Raises SessionPointsError: "no_lines", "hanchan", "not_in_league", "entered" for somebody who has points of the
    session already, and "unbalanced" with `total` where the sum is not 0 and no note says why.
    """
    note = note.strip()
    Session.objects.select_for_update().get(pk=session.pk)
    _check(session, lines, hanchan, note)
    stored = [
        SessionPoints.objects.create(
            league=session.league,
            session=session,
            player=player,
            points=points,
            hanchan=hanchan,
            day=session.date,
            note=note,
            created_by=by.user,
        )
        for player, points in lines.items()
    ]
    for each in stored:
        change = Change(Revision.Action.CREATED, after=points_snapshot(each), reason=note)
        write_revision(session.league, each, change, by)
    mark_stale(session.league, [session.date], [player.pk for player in lines])
    return stored


def _check(session: Session, lines: Mapping[Player, int], hanchan: int, note: str) -> None:
    if not lines:
        raise SessionPointsError("no_lines")
    if not 1 <= hanchan <= MAX_SESSION_HANCHAN:
        raise SessionPointsError("hanchan", most=MAX_SESSION_HANCHAN)
    entered = set(session.points_without_hanchan.filter(withdrawn=False).values_list("player", flat=True))
    for player in lines:
        if player.league_id != session.league_id or player.merged_into_id is not None:
            raise SessionPointsError("not_in_league", name=plain_name(player))
        if player.pk in entered:
            raise SessionPointsError("entered", name=plain_name(player))
    if (total := sum(lines.values())) and not note:
        raise SessionPointsError("unbalanced", total=total)


@transaction.atomic
def withdraw_session_points(*, points: SessionPoints, reason: str, by: Actor) -> SessionPoints:
    """Take a player's points of a session back; they stay readable and count nowhere."""
    if not points.withdrawn:
        points.withdrawn = True
        points.save(update_fields=["withdrawn"])
        change = Change(Revision.Action.WITHDRAWN, points_snapshot(points), reason=reason)
        write_revision(points.league, points, change, by)
        # A merge may have given them to somebody else since they were read.
        points.refresh_from_db(fields=["player"])
        mark_stale(points.league, [points.day], [points.player_id])
    return points


def points_snapshot(points: SessionPoints) -> dict[str, Any]:
    """Return what the history keeps of a player's points of a session."""
    return {
        "player": points.player_id,
        "name": points.player.name,
        "session": str(points.session),
        "day": points.day.isoformat(),
        "points": points.points,
        "hanchan": points.hanchan,
    }
