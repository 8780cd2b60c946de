"""Who may do what in a league: decided here, used by views, templates and the admin alike."""

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
"""What each role may do where the league stands open. Referees and scorers may do what the other may not."""


DEMO_GROUP = "demo accounts"
"""Who is in it came with the demonstration. It goes along wherever the database goes."""


def let_in() -> QuerySet[User]:
    """Return the accounts that can be used here: those of the demonstration only on a demonstration."""
    users = User.objects.filter(is_active=True)
    return users if settings.DEMO else users.exclude(groups__name=DEMO_GROUP)


@dataclass(frozen=True, slots=True)
class Leading:
    """How an app above the league makes members lead sessions: its rows about a membership, and which sessions they are.

    `rows`: a lookup from a membership. `sessions`: primary keys, asked only of who has such a row.
    """

    rows: str
    sessions: Callable[[User, League], frozenset[int]]


leading: list[Leading] = []
"""How members lead sessions of a league that they do not lead. Apps above add theirs when they are loaded."""

IN_LED_SESSIONS = frozenset({RECORD, JUDGE, MANAGE})
"""What may be done in a session by whoever leads it."""


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
    """Return whether somebody once offered the league to this member. No query where the role is known."""
    return role_in(user, league) is not None and league.pk in getattr(user, "_offered", ())


def leads_something(user: Person, league: League) -> bool:
    """Return whether this member leads something in the league that they do not lead. No query where the role is known."""
    return (
        role_in(user, league) is not None
        and league.pk in getattr(user, "_leads_in", ())
        and not is_organiser(user, league)
    )


def led_sessions(user: Person, league: League) -> frozenset[int]:
    """Return which sessions of the league the user leads beside the league's own roles. Remembered for the request.

    No query but for who leads something; for these what the apps above ask.
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
    """Return whether pages about sessions of the league tell this user in person what they may do there."""
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
    """Whether the league is open to everybody."""
    return league is not None and league.is_public


@rules.predicate
def is_shown(_user: Person, league: League | None) -> bool:
    """Whether the league has neither been taken down, which hides it from everybody but its owners, nor come to its end."""
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
# A secret that went too far is taken back also where nothing else changes any more.
rules.add_perm(SHUT, is_organiser & is_active | is_owner)
rules.add_perm(READ_BOOKS, is_organiser & is_shown | is_owner)
rules.add_perm(OWN, is_owner)

CHANGES = {CONFIRM, JUDGE, RECORD, MANAGE, SHUT}
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
    """Return the players under the names that may stand where anybody reads them; those that came in stay."""
    shown = [copy(player) for player in players]
    hide_names(AnonymousUser(), league, shown)
    return shown


def _number_of(player: Player) -> str:
    return gettext("Player %(number)s") % {"number": f"{player.pk:03d}"}
