"""Permissions in a league, for views, templates and the admin."""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from typing import TypeAlias, cast

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
"""Permissions by role while the league is open. Referees and scorers have different ones."""


DEMO_GROUP = "demo accounts"
"""Group of demo accounts. It stays in the database wherever it goes."""


def let_in() -> QuerySet[User]:
    """Return the accounts that can be used here: those of the demonstration only on a demonstration."""
    users = User.objects.filter(is_active=True)
    return users if settings.DEMO else users.exclude(groups__name=DEMO_GROUP)


@dataclass(frozen=True, slots=True)
class Leading:
    """Lets an app above give members rights for sessions.

    `rows`: lookup from a membership. `sessions`: primary keys; only called for members with such rows.
    """

    rows: str
    sessions: Callable[[User, League], frozenset[int]]


leading: list[Leading] = []
"""How members lead sessions of a league that they do not lead. Apps above add theirs when they are loaded."""

IN_LED_SESSIONS = frozenset({RECORD, JUDGE, MANAGE})
"""Permissions of a session's leader."""


def role_in(user: Person, league: League) -> str | None:
    """Return the user's role in the league, or None. One query, remembered on the user for the request."""
    if not user.is_authenticated:
        return None
    # Cached on the real user, so that the lazy one finds it too.
    known: dict[int, str | None] | None = getattr(user, "_league_roles", None)
    if known is None:
        known = {}
        setattr(user, "_league_roles", known)  # noqa: B010 - a user has no such field
    if league.pk not in known:
        own = Exists(Player.objects.filter(league=league, user_id=user.pk))
        # Through the league, which may have come from another database.
        memberships = league.members.filter(user_id=user.pk).annotate(bears=own).order_by("pk")
        columns = ("role", "bears", "offers", *(each.rows for each in leading))
        role, bears, offer, *leads = memberships.values_list(*columns).first() or (None, None, None)
        known[league.pk] = role
        if any(each is not None for each in leads):
            setattr(user, "_leads_in", {*getattr(user, "_leads_in", ()), league.pk})  # noqa: B010 - nor this
        setattr(user, "_bears_a_name", {**getattr(user, "_bears_a_name", {}), league.pk: bears})  # noqa: B010 - neither
        if offer is not None:
            setattr(user, "_offered", {*getattr(user, "_offered", ()), league.pk})  # noqa: B010 - nor this
    return known[league.pk]


def is_offered(user: Person, league: League) -> bool:
    """Return whether the member has an open offer of the league. No query if the role is known."""
    return role_in(user, league) is not None and league.pk in getattr(user, "_offered", ())


def leads_something(user: Person, league: League) -> bool:
    """Return whether this member leads something in the league that they do not lead. No query where the role is known."""
    return (
        role_in(user, league) is not None
        and league.pk in getattr(user, "_leads_in", ())
        and not is_organiser(user, league)
    )


def led_sessions(user: Person, league: League) -> frozenset[int]:
    """Return sessions that the user directs in addition to their role. Cached per request.

    No query for others.
    """
    if not leads_something(user, league):
        return frozenset()
    known: dict[int, frozenset[int]] | None = getattr(user, "_led_sessions", None)
    if known is None:
        known = {}
        setattr(user, "_led_sessions", known)  # noqa: B010 - a user has no such field
    if league.pk not in known:
        known[league.pk] = frozenset().union(*(each.sessions(cast("User", user), league) for each in leading))
    return known[league.pk]


def leads_sessions(user: Person, league: League) -> bool:
    return bool(led_sessions(user, league))


def may_in_session(user: Person, permission: str, session: Session) -> bool:
    """Return whether the user may do this in a session: as the league says, or because they lead the session."""
    league = session.league
    if user.has_perm(permission, league):
        return True
    return permission in IN_LED_SESSIONS and league.is_active and session.pk in led_sessions(user, league)


def _holds(user: Person, league: League | None, permission: str) -> bool:
    if league is None:
        return False
    held = role_in(user, league)
    return held is not None and permission in MAY[held]


@rules.predicate
def is_member(user: Person, league: League | None) -> bool:
    """Whether the user belongs to the league in any role."""
    return _holds(user, league, VIEW)


@rules.predicate
def is_referee(user: Person, league: League | None) -> bool:
    """Whether the user may say of every result that it is correct or not."""
    return _holds(user, league, JUDGE)


@rules.predicate
def is_scorer(user: Person, league: League | None) -> bool:
    """Whether the user may enter and correct results."""
    return _holds(user, league, RECORD)


@rules.predicate
def is_organiser(user: Person, league: League | None) -> bool:
    """Whether the user may change people, sessions, rules and settings."""
    return _holds(user, league, MANAGE)


@rules.predicate
def is_owner(user: Person, league: League | None) -> bool:
    """Whether the user may give and take roles."""
    return _holds(user, league, OWN)


@rules.predicate
def is_readable(user: Person, league: League | None) -> bool:
    return league is not None and league.is_public


@rules.predicate
def is_shown(_user: Person, league: League | None) -> bool:
    """Whether the league is neither taken down (visible to owners only) nor being deleted."""
    return league is not None and league.state != League.State.TAKEN_DOWN and not league.has_ended(timezone.now())


@rules.predicate
def is_active(_user: Person, league: League | None) -> bool:
    """Whether anything in the league may change: an archived one can only be read."""
    return league is not None and league.is_active


rules.add_perm(VIEW, (is_readable | is_member) & is_shown | is_owner)
rules.add_perm(BELONG, is_member & is_shown | is_owner)
rules.add_perm(CONFIRM, is_member & is_active)
rules.add_perm(JUDGE, is_referee & is_active)
rules.add_perm(RECORD, is_scorer & is_active)
rules.add_perm(SEE_PHOTOS, is_member & is_shown | is_owner)
rules.add_perm(MANAGE, is_organiser & is_active)
# Links can be revoked even in a closed league.
rules.add_perm(SHUT, is_organiser & is_active | is_owner)
rules.add_perm(READ_BOOKS, is_organiser & is_shown | is_owner)
rules.add_perm(OWN, is_owner)

CHANGES = {CONFIRM, JUDGE, RECORD, MANAGE, SHUT}
"""Permissions that end with the league."""


def is_private(league: League) -> bool:
    return not AnonymousUser().has_perm(VIEW, league)


def may_read_name(user: Person, player: Player, league: League) -> bool:
    """Whether the user may read the player's name; others see a number.

    Hidden names are visible to their bearer, and where people have to choose players (docs/adr/0048).
    """
    if player.visibility == Player.Visibility.PUBLIC or is_bearer(user, player):
        return True
    return player.visibility == Player.Visibility.MEMBERS and (is_member(user, league) or user.is_superuser)


def bears_a_name(user: Person, league: League) -> bool:
    """Whether the user is one of the league's players; one query for users without a role."""
    if not user.is_authenticated:
        return False
    role_in(user, league)
    bears: bool | None = getattr(user, "_bears_a_name", {}).get(league.pk)
    return Player.objects.filter(league=league, user_id=user.pk).exists() if bears is None else bears


def is_bearer(user: Person, player: Player) -> bool:
    """Whether the player is the user; False on pages cached for several readers."""
    return user.pk is not None and player.user_id == user.pk


def may_show_name(user: Person, player: Player, league: League) -> bool:
    """Whether the user may say who reads a player's name: its bearer, or an organiser for them."""
    return is_bearer(user, player) or user.has_perm(MANAGE, league)


def may_erase(user: Person, player: Player, league: League) -> bool:
    """Whether the user may have a player's name erased: its bearer, or an owner at their wish."""
    return is_bearer(user, player) or user.has_perm(OWN, league)


def hide_names(user: Person, league: League, players: Iterable[Player]) -> None:
    """Put a number in place of every name that the reader may not read. The players are for showing, not for saving.

    One query for the reader's role, remembered for the request.
    """
    for player in players:
        if not may_read_name(user, player, league):
            player.name = _number_of(player)
            with override("en"):
                player.romanised = _number_of(player)
            player.kana = player.number = player.club = ""
            # Keys that came with a file are often names themselves.
            player.key = f"p-{player.pk}"
            player.sort_key = name_order(player.name, "", "")


def as_everybody_reads(league: League, players: Iterable[Player]) -> list[Player]:
    """Return copies of the players with publicly visible names."""
    shown = [copy(player) for player in players]
    hide_names(AnonymousUser(), league, shown)
    return shown


def _number_of(player: Player) -> str:
    return gettext("Player %(number)s") % {"number": f"{player.pk:03d}"}
