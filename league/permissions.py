from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import rules
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, override

from league.core.name_order import name_order
from league.models import League, Membership, Player, Session

Person: TypeAlias = User | AnonymousUser

VIEW = "league.view"
BELONG = "league.belong"
CONFIRM = "league.confirm"
JUDGE = "league.judge"
RECORD = "league.record"
SEE_PHOTOS = "league.see_photos"
MANAGE = "league.manage"
SHUT = "league.shut"
READ_BOOKS = "league.read_books"
OWN = "league.own"

READS = frozenset({VIEW, BELONG, CONFIRM, SEE_PHOTOS})
LEADS = frozenset({JUDGE, RECORD, MANAGE, SHUT, READ_BOOKS})

MAY: dict[str, frozenset[str]] = {
    Membership.Role.PLAYER: READS,
    Membership.Role.REFEREE: READS | {JUDGE},
    Membership.Role.SCORER: READS | {RECORD},
    Membership.Role.ORGANISER: READS | LEADS,
    Membership.Role.OWNER: READS | LEADS | {OWN},
}
"""Permissions by role in an active league."""


DEMO_GROUP = "demo accounts"
"""Name of the group of demo accounts; it marks them in copies of the database too."""


def let_in() -> QuerySet[User]:
    """Return the accounts that can log in; demo accounts only on a demo site."""
    users = User.objects.filter(is_active=True)
    return users if settings.DEMO else users.exclude(groups__name=DEMO_GROUP)


@dataclass(frozen=True, slots=True)
class Leading:
    """A way in which another app gives members permissions for single sessions.

    `rows`: lookup from Membership; `sessions`: returns primary keys, called only for members who have such rows.
    """

    rows: str
    sessions: Callable[[User, League], frozenset[int]]


leading: list[Leading] = []
"""Registered ways to lead single sessions; other apps append theirs when loaded."""

IN_LED_SESSIONS = frozenset({RECORD, JUDGE, MANAGE})
"""Permissions of a session's leader in that session."""


def role_in(user: Person, league: League) -> str | None:
    """Return the user's role in the league, or None. One query, cached on the user for the request."""
    if not user.is_authenticated:
        return None
    # Cached on the wrapped user, so that it is shared with the lazy `request.user`.
    known: dict[int, str | None] | None = getattr(user, "_league_roles", None)
    if known is None:
        known = {}
        setattr(user, "_league_roles", known)  # noqa: B010 - not a field of User
    if league.pk not in known:
        own = Exists(Player.objects.filter(league=league, user_id=user.pk))
        # Through the related manager, as the league may come from another database.
        memberships = league.members.filter(user_id=user.pk).annotate(bears=own).order_by("pk")
        columns = ("role", "bears", "offers", *(each.rows for each in leading))
        role, bears, offer, *leads = memberships.values_list(*columns).first() or (None, None, None)
        known[league.pk] = role
        if any(each is not None for each in leads):
            setattr(user, "_leads_in", {*getattr(user, "_leads_in", ()), league.pk})  # noqa: B010 - not a field of User
        setattr(user, "_bears_a_name", {**getattr(user, "_bears_a_name", {}), league.pk: bears})  # noqa: B010 - not a field of User
        if offer is not None:
            setattr(user, "_offered", {*getattr(user, "_offered", ()), league.pk})  # noqa: B010 - not a field of User
    return known[league.pk]


def is_offered(user: Person, league: League) -> bool:
    """Return whether the league was offered to the member. No query if the role is cached."""
    return role_in(user, league) is not None and league.pk in getattr(user, "_offered", ())


def leads_something(user: Person, league: League) -> bool:
    """Return whether a member who is not an organiser may lead single sessions. No query if the role is cached."""
    return (
        role_in(user, league) is not None
        and league.pk in getattr(user, "_leads_in", ())
        and not is_organiser(user, league)
    )


def led_sessions(user: Person, league: League) -> frozenset[int]:
    """Return primary keys of the sessions the user leads without being an organiser. Cached for the request.

    No query for users who lead none.
    """
    if not leads_something(user, league):
        return frozenset()
    known: dict[int, frozenset[int]] | None = getattr(user, "_led_sessions", None)
    if known is None:
        known = {}
        setattr(user, "_led_sessions", known)  # noqa: B010 - not a field of User
    if league.pk not in known:
        known[league.pk] = frozenset().union(*(each.sessions(cast("User", user), league) for each in leading))
    return known[league.pk]


def may_in_session(user: Person, permission: str, session: Session) -> bool:
    """Return whether the user has the permission in the session's league, or because they lead the session."""
    league = session.league
    if user.has_perm(permission, league):
        return True
    return permission in IN_LED_SESSIONS and league.is_active and session.pk in led_sessions(user, league)


def _holds(user: Person, league: League | None, permission: str) -> bool:
    if league is None:
        return False
    held = role_in(user, league)
    return held is not None and permission in MAY[held]


def _role_with(permission: str) -> Any:
    """Return a predicate for users whose role in the league comes with the permission."""
    return rules.predicate(lambda user, league: _holds(user, league, permission))


is_member = _role_with(VIEW)
"""Whether the user has any role in the league."""
is_referee = _role_with(JUDGE)
"""Whether the user's role may confirm and dispute every result."""
is_scorer = _role_with(RECORD)
"""Whether the user's role may enter and correct results."""
is_organiser = _role_with(MANAGE)
"""Whether the user's role may change players, sessions, rules and settings."""
is_owner = _role_with(OWN)
"""Whether the user's role may manage members and the league as a whole."""


@rules.predicate
def is_readable(user: Person, league: League | None) -> bool:
    return league is not None and league.is_public


@rules.predicate
def is_shown(_user: Person, league: League | None) -> bool:
    """Return whether the league is neither taken down nor being deleted."""
    return league is not None and league.state != League.State.TAKEN_DOWN and not league.has_ended(timezone.now())


@rules.predicate
def is_active(_user: Person, league: League | None) -> bool:
    """Return whether anything in the league may change; an archived league is read-only."""
    return league is not None and league.is_active


rules.add_perm(VIEW, (is_readable | is_member) & is_shown | is_owner)
rules.add_perm(BELONG, is_member & is_shown | is_owner)
rules.add_perm(CONFIRM, is_member & is_active)
rules.add_perm(JUDGE, is_referee & is_active)
rules.add_perm(RECORD, is_scorer & is_active)
rules.add_perm(SEE_PHOTOS, is_member & is_shown | is_owner)
rules.add_perm(MANAGE, is_organiser & is_active)
# Links can be revoked even in a league that is no longer active.
rules.add_perm(SHUT, is_organiser & is_active | is_owner)
rules.add_perm(READ_BOOKS, is_organiser & is_shown | is_owner)
rules.add_perm(OWN, is_owner)

CHANGES = {CONFIRM, JUDGE, RECORD, MANAGE, SHUT}
"""Permissions that end when the league is no longer active."""


def is_private(league: League) -> bool:
    return not AnonymousUser().has_perm(VIEW, league)


def may_read_name(user: Person, player: Player, league: League) -> bool:
    """Return whether the user may read the player's name; others see a number.

    The player always may. Forms for choosing players show hidden names as well (docs/adr/0048).
    """
    if player.visibility == Player.Visibility.PUBLIC or is_bearer(user, player):
        return True
    return player.visibility == Player.Visibility.MEMBERS and (is_member(user, league) or user.is_superuser)


def bears_a_name(user: Person, league: League) -> bool:
    """Return whether the user is one of the league's players. One query for users without a role."""
    if not user.is_authenticated:
        return False
    role_in(user, league)
    bears: bool | None = getattr(user, "_bears_a_name", {}).get(league.pk)
    return Player.objects.filter(league=league, user_id=user.pk).exists() if bears is None else bears


def is_bearer(user: Person, player: Player) -> bool:
    """Return whether the user is the player; False on pages cached for several readers."""
    return user.pk is not None and player.user_id == user.pk


def may_show_name(user: Person, player: Player, league: League) -> bool:
    """Return whether the user may set who can see the player's name: the player, or an organiser."""
    return is_bearer(user, player) or user.has_perm(MANAGE, league)


def may_erase(user: Person, player: Player, league: League) -> bool:
    """Return whether the user may erase the player's name: the player, or an owner on their behalf."""
    return is_bearer(user, player) or user.has_perm(OWN, league)


def hide_names(user: Person, league: League, players: Iterable[Player]) -> None:
    """Replace names that the user may not read by numbers. The players must not be saved afterwards.

    One query for the user's role, cached for the request.
    """
    for player in players:
        if not may_read_name(user, player, league):
            player.name = _number_of(player)
            with override("en"):
                player.romanised = _number_of(player)
            player.kana = player.number = player.club = ""
            # Keys from imported files may be names.
            player.key = f"p-{player.pk}"
            player.sort_key = name_order(player.name, "", "")


def as_everybody_reads(league: League, players: Iterable[Player]) -> list[Player]:
    """Return copies of the players as an anonymous visitor sees them."""
    shown = [copy(player) for player in players]
    hide_names(AnonymousUser(), league, shown)
    return shown


def _number_of(player: Player) -> str:
    return gettext("Player %(number)s") % {"number": f"{player.pk:03d}"}
