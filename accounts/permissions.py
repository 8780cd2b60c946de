import rules

from league.models import League, Membership
from league.permissions import (
    CHANGES,
    MAY,
    Person,
    is_active,
    is_member,
    is_organiser,
    is_owner,
    is_readable,
    is_shown,
    role_in,
)

CLAIM = "accounts.claim"

rules.add_perm(CLAIM, rules.is_authenticated & (is_readable | is_member) & is_shown & is_active)
CHANGES.add(CLAIM)


def roles_to_give(person: Person, league: League) -> tuple[Membership.Role, ...]:
    """Return the roles a user may invite to: owners all roles, organisers those below theirs."""
    if person.is_superuser or is_owner(person, league):
        return tuple(Membership.Role)
    if not is_organiser(person, league):
        return ()
    own = MAY[role_in(person, league) or Membership.Role.PLAYER]
    return tuple(role for role in Membership.Role if MAY[role] < own)
