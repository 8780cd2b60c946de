import rules

from league import permissions
from league.models import League, Membership

CLAIM = "accounts.claim"

rules.add_perm(
    CLAIM,
    rules.is_authenticated
    & (permissions.is_readable | permissions.is_member)
    & permissions.is_shown
    & permissions.is_active,
)
permissions.CHANGES.add(CLAIM)


def roles_to_give(person: permissions.Person, league: League) -> tuple[Membership.Role, ...]:
    """Return the roles a user may invite to: owners all roles, organisers those below theirs."""
    if person.is_superuser or permissions.is_owner(person, league):
        return tuple(Membership.Role)
    if not permissions.is_organiser(person, league):
        return ()
    own = permissions.MAY[permissions.role_in(person, league) or Membership.Role.PLAYER]
    return tuple(role for role in Membership.Role if permissions.MAY[role] < own)
