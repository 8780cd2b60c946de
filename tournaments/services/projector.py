"""Choosing what the wall of a tournament shows."""

from dataclasses import asdict, dataclass

from django.db import transaction

from league.services.history import Actor
from tournaments.models import ProjectorDirection, Tournament
from tournaments.services.events import changed, created, lock_tournament, write_history


@dataclass(frozen=True, slots=True)
class ProjectorWish:
    """What somebody wants to see on the wall: a scene of ProjectorDirection, a short message, a language or none."""

    scene: str = ProjectorDirection.Scene.TURNS
    message: str = ""
    language: str = ""


@transaction.atomic
def direct_projector(*, tournament: Tournament, wish: ProjectorWish, by: Actor) -> ProjectorDirection:
    """Let the wall show this from now on; who wants what it shows already changes nothing."""
    lock_tournament(tournament)
    direction = ProjectorDirection.objects.filter(tournament=tournament).first()
    before = _said(direction) if direction else None
    direction = direction or ProjectorDirection(tournament=tournament)
    for name, value in asdict(wish).items():
        setattr(direction, name, value)
    if _said(direction) != before:
        direction.save()
        after = _said(direction)
        write_history(tournament, direction, created(after) if before is None else changed(before, after), by)
    return direction


def _said(direction: ProjectorDirection) -> dict[str, str]:
    return {
        "tournament": direction.tournament.name,
        "scene": str(direction.scene),
        "message": direction.message,
        "language": str(direction.language),
    }
