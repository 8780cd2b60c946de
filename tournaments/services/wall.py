"""Choosing what the wall of a tournament shows."""

from dataclasses import asdict, dataclass

from django.db import transaction

from league.services.history import Actor
from tournaments.models import Tournament, WallDirection
from tournaments.services.events import changed, created, lock_tournament, write_history


@dataclass(frozen=True, slots=True)
class WallWish:
    """What somebody wants to see on the wall: a scene of WallDirection, a short message, a language or none."""

    scene: str = WallDirection.Scene.TURNS
    message: str = ""
    language: str = ""


@transaction.atomic
def direct_wall(*, tournament: Tournament, wish: WallWish, by: Actor) -> WallDirection:
    """Let the wall show this from now on; who wants what it shows already changes nothing."""
    lock_tournament(tournament)
    direction = WallDirection.objects.filter(tournament=tournament).first()
    before = _said(direction) if direction else None
    direction = direction or WallDirection(tournament=tournament)
    for name, value in asdict(wish).items():
        setattr(direction, name, value)
    if _said(direction) != before:
        direction.save()
        after = _said(direction)
        write_history(tournament, direction, created(after) if before is None else changed(before, after), by)
    return direction


def _said(direction: WallDirection) -> dict[str, str]:
    return {
        "tournament": direction.tournament.name,
        "scene": str(direction.scene),
        "message": direction.message,
        "language": str(direction.language),
    }
