"""How an account goes: what was played stays the leagues', and nothing leads back to the person."""

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db import transaction

from accounts.selectors.memberships import leagues_left_without
from league.models import Hanchan, League, Membership, Player
from league.services.erasing.accounts import redact_account_name
from league.services.history import SYSTEM, Actor
from league.services.locking import hold
from league.services.people import PeopleError, link_user, remove_member

AT_ONCE = 2_000
"""So many hanchan forget in one statement who entered them: none takes as long as a page may."""


class DeletionError(Exception):
    """An account that cannot go yet. `leagues` would have no owner; without any, the site would have no administrator."""

    def __init__(self, leagues: list[League]) -> None:
        super().__init__(", ".join(league.slug for league in leagues))
        self.leagues = leagues


@transaction.atomic
def delete_account(*, user: User, source: str) -> None:
    """Delete an account with everything that is the person's alone. Raises DeletionError.

    Roles go, with a line in each league's history; players of the lists are nobody's log-in any more; results, and who
    what was entered and changed, stay; in the histories, 退会者 did it (docs/adr/0048). Sessions everywhere find nobody.
    """
    theirs = Membership.objects.filter(user=user, role=Membership.Role.OWNER).values("league")
    hold(Membership.objects.filter(league__in=theirs, role=Membership.Role.OWNER))
    if hindered := leagues_left_without(user):
        raise DeletionError(hindered)
    if user.is_superuser and not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists():
        raise DeletionError([])
    by = Actor(user, source)
    try:
        for membership in Membership.objects.filter(user=user).select_related("league", "user").order_by("league"):
            remove_member(membership=membership, by=by)
    except PeopleError as error:
        raise DeletionError(leagues_left_without(user)) from error
    for player in Player.objects.filter(user=user).select_related("league", "user").order_by("pk"):
        link_user(player=player, user=None, by=by)
    for keys in _entered_by(user):
        Hanchan.objects.filter(pk__in=keys).update(recorded_by=None)
    redact_account_name(user, by=SYSTEM)
    user.delete()


def _entered_by(user: User) -> Iterator[list[int]]:
    """Yield the hanchan that a user entered and that still say so, some at a time."""
    mine = Hanchan.objects.filter(recorded_by=user).order_by("pk").values_list("pk", flat=True)
    while keys := list(mine[:AT_ONCE]):
        yield keys
