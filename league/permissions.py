"""Who may do what in a league: decided here, used by views, templates and the admin alike."""

from typing import TypeAlias

import rules
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists

from league.models import League, Membership, Player

Person: TypeAlias = User | AnonymousUser

VIEW = "league.view"
CONFIRM = "league.confirm"
RECORD = "league.record"
SEE_PHOTOS = "league.see_photos"
MANAGE = "league.manage"
SHUT = "league.shut"
READ_BOOKS = "league.read_books"
OWN = "league.own"

RANKS = {role: power for power, role in enumerate(reversed(Membership.Role.values))}
"""How much a role may do: every role may do what the lower ones may."""


def role_in(user: Person, league: League) -> str | None:
    """Return the user's role in the league, or None. One query, remembered on the user for the request."""
    if not user.is_authenticated:
        return None
    # Through the lazy user of a request, so that whoever asks with it or with the user in it finds the same.
    known: dict[int, str | None] | None = getattr(user, "_league_roles", None)
    if known is None:
        known = {}
        setattr(user, "_league_roles", known)  # noqa: B010 - a user has no such field
    if league.pk not in known:
        own = Exists(Player.objects.filter(league=league, user_id=user.pk))
        memberships = Membership.objects.filter(league=league, user_id=user.pk).annotate(bears=own).order_by("pk")
        role, bears = memberships.values_list("role", "bears").first() or (None, None)
        known[league.pk] = role
        setattr(user, "_bears_a_name", {**getattr(user, "_bears_a_name", {}), league.pk: bears})  # noqa: B010 - neither
    return known[league.pk]


def _has_at_least(user: Person, league: League | None, role: Membership.Role) -> bool:
    if league is None:
        return False
    held = role_in(user, league)
    return held is not None and RANKS[held] >= RANKS[role]


@rules.predicate
def is_member(user: Person, league: League | None) -> bool:
    """Whether the user belongs to the league in any role."""
    return _has_at_least(user, league, Membership.Role.PLAYER)


@rules.predicate
def is_scorer(user: Person, league: League | None) -> bool:
    """Whether the user may enter and correct results."""
    return _has_at_least(user, league, Membership.Role.SCORER)


@rules.predicate
def is_organiser(user: Person, league: League | None) -> bool:
    """Whether the user may change people, sessions, rules and settings."""
    return _has_at_least(user, league, Membership.Role.ORGANISER)


@rules.predicate
def is_owner(user: Person, league: League | None) -> bool:
    """Whether the user may give and take roles."""
    return _has_at_least(user, league, Membership.Role.OWNER)


@rules.predicate
def is_readable(user: Person, league: League | None) -> bool:
    """Whether the league is open to everybody."""
    return league is not None and league.is_public


@rules.predicate
def is_shown(_user: Person, league: League | None) -> bool:
    """Whether the league has not been taken down: that hides it from everybody but its owners."""
    return league is not None and league.state != League.State.TAKEN_DOWN


@rules.predicate
def is_active(_user: Person, league: League | None) -> bool:
    """Whether anything in the league may change: an archived one can only be read."""
    return league is not None and league.is_active


rules.add_perm(VIEW, (is_readable | is_member) & is_shown | is_owner)
rules.add_perm(CONFIRM, is_member & is_active)
rules.add_perm(RECORD, is_scorer & is_active)
rules.add_perm(SEE_PHOTOS, is_member & is_shown | is_owner)
rules.add_perm(MANAGE, is_organiser & is_active)
# A secret that went too far is taken back also where nothing else changes any more.
rules.add_perm(SHUT, is_organiser & is_active | is_owner)
rules.add_perm(READ_BOOKS, is_organiser & is_shown | is_owner)
rules.add_perm(OWN, is_owner)

CHANGES = {CONFIRM, RECORD, MANAGE, SHUT}
"""What nobody may do in a league that is over."""


def is_private(league: League) -> bool:
    """Whether not everybody may read the league."""
    return not AnonymousUser().has_perm(VIEW, league)


def may_read_name(user: Person, player: Player, league: League) -> bool:
    """Whether the user may read the player's name; everybody else reads a number instead.

    A name that is kept from everybody is read by its bearer alone, whoever else asks. docs/adr/0048 says where people who
    must choose somebody read it all the same.
    """
    if player.visibility == Player.Visibility.PUBLIC or is_bearer(user, player):
        return True
    return player.visibility == Player.Visibility.MEMBERS and (is_member(user, league) or user.is_superuser)


def bears_a_name(user: Person, league: League) -> bool:
    """Whether one of the league's players is who is logged in: asked with the role, and once more of who has none."""
    if not user.is_authenticated:
        return False
    role_in(user, league)
    bears: bool | None = getattr(user, "_bears_a_name", {}).get(league.pk)
    return Player.objects.filter(league=league, user_id=user.pk).exists() if bears is None else bears


def is_bearer(user: Person, player: Player) -> bool:
    """Whether the player is who is logged in; nobody is on a page that is rendered for many."""
    return user.pk is not None and player.user_id == user.pk


def may_show_name(user: Person, player: Player, league: League) -> bool:
    """Whether the user may say who reads a player's name: its bearer, or an organiser for them."""
    return is_bearer(user, player) or user.has_perm(MANAGE, league)


def may_erase(user: Person, player: Player, league: League) -> bool:
    """Whether the user may have a player's name erased: its bearer, or an owner at their wish."""
    return is_bearer(user, player) or user.has_perm(OWN, league)
