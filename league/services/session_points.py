"""Points of a session known only as totals, such as an old season from a newsletter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from league.core.board_lines import PLACES
from league.core.errors import RefusedError
from league.core.limits import MAX_SESSION_HANCHAN
from league.messages import plain_name
from league.models import Adjustment, Player, Revision, Session, SessionPoints
from league.services.boards import mark_stale
from league.services.calendar import adjustment_snapshot
from league.services.history import Actor, Change, write_revision
from league.services.locking import hold, locked


class SessionPointsError(RefusedError):
    pass


@dataclass(frozen=True, slots=True)
class PublishedSum:
    """A player's published points (1/1000 pt), number of hanchan, and counts of 1st to 4th places."""

    points: int
    hanchan: int | None = None
    places: tuple[int, int, int, int] | None = None

    @property
    def columns(self) -> dict[str, int | None]:
        """Values of the model's columns. If placements are known, the number of hanchan follows from them."""
        hanchan = sum(self.places) if self.places and self.hanchan is None else self.hanchan
        places = self.places or (None,) * len(PLACES)
        return {"points": self.points, "hanchan": hanchan, **dict(zip(PLACES, places, strict=True))}


@transaction.atomic
def enter_session_points(
    *, session: Session, lines: Mapping[Player, PublishedSum], note: str = "", by: Actor
) -> list[SessionPoints]:
    """Store each player's total for a session, for the number of hanchan it covers.

    Raise SessionPointsError "no_lines", "hanchan" or "places" (see `check_sum`), "not_in_league", "entered" if a player
    already has points, and "unbalanced" with `total` if the sum is not 0 and there is no note.
    """
    note = note.strip()
    Session.objects.select_for_update().get(pk=session.pk)
    _check(session, lines, note)
    stored = [
        SessionPoints.objects.create(
            league=session.league,
            session=session,
            player=player,
            day=session.date,
            note=note,
            created_by=by.user,
            **each.columns,
        )
        for player, each in lines.items()
    ]
    for each in stored:
        change = Change(Revision.Action.CREATED, after=points_snapshot(each), reason=note)
        write_revision(session.league, each, change, by)
    mark_stale(session.league, [session.date], [player.pk for player in lines])
    return stored


def _check(session: Session, lines: Mapping[Player, PublishedSum], note: str) -> None:
    if not lines:
        raise SessionPointsError("no_lines")
    entered = set(session.points_without_hanchan.filter(withdrawn=False).values_list("player", flat=True))
    for player, each in lines.items():
        check_sum(each, player)
        if player.league_id != session.league_id or player.merged_into_id is not None:
            raise SessionPointsError("not_in_league", name=plain_name(player))
        if player.pk in entered:
            raise SessionPointsError("entered", name=plain_name(player))
    if (total := sum(each.points for each in lines.values())) and not note:
        raise SessionPointsError("unbalanced", total=total)


def check_sum(published: PublishedSum, player: Player) -> None:
    """Raise SessionPointsError "hanchan" for an impossible number, or "places" if the placements do not add up to it."""
    hanchan = published.columns["hanchan"]
    if hanchan is not None and not 1 <= hanchan <= MAX_SESSION_HANCHAN:
        raise SessionPointsError("hanchan", player=player, most=MAX_SESSION_HANCHAN)
    if published.places and sum(published.places) != hanchan:
        raise SessionPointsError("places", player=player, places=sum(published.places), hanchan=hanchan)


def locked_points(points: SessionPoints) -> SessionPoints:
    """Lock and return a player's points; their session is locked first."""
    hold(Session.objects.filter(pk=points.session_id))
    return locked(SessionPoints.objects.select_related("league", "player", "session__ruleset_version"), points.pk)


@transaction.atomic
def correct_session_points(*, points: SessionPoints, published: PublishedSum, reason: str, by: Actor) -> bool:
    """Correct a player's total; return whether it changed.

    The sum over the session is not checked. Raise SessionPointsError "withdrawn", "hanchan" or "places".
    """
    points = locked_points(points)
    if points.withdrawn:
        raise SessionPointsError("withdrawn", name=plain_name(points.player))
    check_sum(published, points.player)
    before = points_snapshot(points)
    for name, value in published.columns.items():
        setattr(points, name, value)
    after = points_snapshot(points)
    if before == after:
        return False
    points.save(update_fields=[*published.columns])
    write_revision(points.league, points, Change(Revision.Action.CHANGED, before, after, reason), by)
    mark_stale(points.league, [points.day], [points.player_id])
    return True


@transaction.atomic
def withdraw_points(*, points: Adjustment | SessionPoints, reason: str, by: Actor) -> None:
    """Withdraw an adjustment or a player's points for a session; they stay visible but no longer count."""
    if not points.withdrawn:
        points.withdrawn = True
        points.save(update_fields=["withdrawn"])
        before = adjustment_snapshot(points) if isinstance(points, Adjustment) else points_snapshot(points)
        write_revision(points.league, points, Change(Revision.Action.WITHDRAWN, before, reason=reason), by)
        # The player may have been merged since it was read.
        points.refresh_from_db(fields=["player"])
        mark_stale(points.league, [points.day], [points.player_id])


def points_snapshot(points: SessionPoints) -> dict[str, Any]:
    return {
        "player": points.player_id,
        "name": points.player.name,
        "session": str(points.session),
        "day": points.day.isoformat(),
        "points": points.points,
        "hanchan": points.hanchan,
        **({place: getattr(points, place) for place in PLACES} if points.first is not None else {}),
    }
