"""Making members of the league directors of a tournament, and taking that back."""

from django.db import transaction

from league.models import Membership, Revision
from league.services.history import Actor, Change
from tournaments.models import Director, Tournament
from tournaments.services.events import created, lock_tournament, write_history


@transaction.atomic
def make_director(*, tournament: Tournament, membership: Membership, by: Actor) -> Director:
    """Let a member of the league direct the tournament. Whoever does already stays so."""
    lock_tournament(tournament)
    director, is_new = Director.objects.get_or_create(tournament=tournament, membership=membership)
    if is_new:
        write_history(tournament, director, created(_said(tournament, membership)), by)
    return director


@transaction.atomic
def remove_director(*, director: Director, by: Actor) -> None:
    """Let somebody direct the tournament no more. Whoever did not stays so."""
    tournament, membership = director.tournament, director.membership
    lock_tournament(tournament)
    if not Director.objects.filter(pk=director.pk).exists():
        return
    write_history(tournament, director, Change(Revision.Action.WITHDRAWN, _said(tournament, membership)), by)
    director.delete()


def _said(tournament: Tournament, membership: Membership) -> dict[str, str]:
    return {"tournament": tournament.name, "user": membership.user.get_username()}
