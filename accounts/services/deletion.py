"""How an account goes: what was played stays the leagues', and nothing leads back to the person.

At the word nobody can log in any more and whatever is the person's alone is gone. The traces that somebody leaves in years
of results are taken away afterwards, in short steps, while pages call them a former member already.
"""

import logging
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import DatabaseError, InterfaceError, connection, models, transaction
from django.utils import timezone

from accounts.models import ClosedAccount
from accounts.selectors.memberships import leagues_left_without, left_without_here
from accounts.selectors.preferences import preferences_of
from league import background
from league.databases import HOME, all_databases, is_of_the_site, present_place, working_in
from league.models import Hanchan, League, Membership, Player
from league.selectors.left_behind import left_behind, without_left_behind
from league.services.erasing.accounts import FormerHolder, leagues_that_tell, redact_account_name
from league.services.history import Actor
from league.services.locking import hold
from league.services.people import PeopleError, link_user, remove_member

logger = logging.getLogger(__name__)

END_TASK = "accounts.end_account"

AT_ONCE = 2_000
"""So many hanchan forget in one statement who entered them: none takes as long as a page may."""

A_TURN = timedelta(minutes=5)
"""For so long a worker takes traces away before other work has its turn; the next sweep goes on."""


LATE = timedelta(minutes=10)
"""So long after the word somebody may still store what they began before: far longer than any request lasts."""


class DeletionError(Exception):
    """An account that cannot go yet. `leagues` would have no owner; without any, the site would have no administrator."""

    def __init__(self, leagues: list[League]) -> None:
        super().__init__(", ".join(league.slug for league in leagues))
        self.leagues = leagues


class PartAwayError(Exception):
    """A database of leagues does not answer: nothing was changed, since the account could be closed but in part."""


def close_account(*, user: User, source: str) -> None:
    """Close an account for good, with everything that is the person's alone. Raises DeletionError, PartAwayError.

    Roles go, with a line in each league's history; players of the lists are nobody's log-in any more; sessions end
    everywhere. What it takes does not grow with what was played: the rest is `end_account`'s. Where leagues live in several
    databases the home one comes last: until then the person can log in, and ask again.
    """
    _ask_all_databases()
    if hindered := leagues_left_without(user):
        raise DeletionError(hindered)
    _keep_an_administrator(user)
    called = {"name": user.get_username(), "former_names": preferences_of(user).former_names}
    for database in reversed(all_databases()):
        with working_in(database):
            here = User.objects.using(database).filter(pk=user.pk).first() if database != HOME else user
            if here is not None:
                _close_here(here, source, called)


def _ask_all_databases() -> None:
    for database in settings.LEAGUE_DATABASES:
        try:
            with working_in(database):
                User.objects.using(database).exists()
        except (DatabaseError, InterfaceError) as error:
            raise PartAwayError(database) from error


@transaction.atomic
def _close_here(user: User, source: str, called: dict[str, Any]) -> None:
    """Close an account in the present database, of which the person is, or has a copy there."""
    theirs = without_left_behind(Membership.objects.filter(user=user, role=Membership.Role.OWNER)).values("league")
    hold(Membership.objects.filter(league__in=theirs, role=Membership.Role.OWNER))
    if hindered := left_without_here(user):
        raise DeletionError(list(hindered))
    _keep_an_administrator(user)
    by = Actor(user, source)
    try:
        mine = without_left_behind(Membership.objects.filter(user=user))
        for membership in mine.select_related("league", "user").order_by("league"):
            remove_member(membership=membership, by=by)
    except PeopleError as error:
        raise DeletionError(leagues_left_without(user)) from error
    players = without_left_behind(Player.objects.filter(user=user))
    for player in players.select_related("league", "user").order_by("pk"):
        link_user(player=player, user=None, by=by)
    _take_own_rows(user)
    _make_nobody(user)
    ClosedAccount.objects.get_or_create(user=user, defaults=called)
    background.send(END_TASK, user.pk)


def _keep_an_administrator(user: User) -> None:
    if user.is_superuser and not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists():
        raise DeletionError([])


def _take_own_rows(user: User) -> None:
    """Delete what would go with the account: keys, addresses, sessions, choices, notices, claims."""
    is_home = present_place().database == HOME
    if is_home:
        Session.objects.filter(session_key__in=UserSession.objects.filter(user=user).values("session_key")).delete()
    for key in User._meta.related_objects:
        is_here = is_home or not is_of_the_site(key.related_model)
        if is_here and key.on_delete is models.CASCADE and key.related_model is not ClosedAccount:
            key.related_model._base_manager.filter(**{key.field.name: user}).delete()


def _make_nobody(user: User) -> None:
    """Leave a row that nobody can come in by, and that says nothing of who it was."""
    if present_place().database == HOME:
        user.groups.clear()
        user.user_permissions.clear()
    user.username = f"退会者 #{user.pk}"
    user.first_name = user.last_name = user.email = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.set_unusable_password()
    user.save(using=present_place().database)


def sweep_closed_accounts() -> None:
    """Have the rest taken away of accounts that were closed. One query."""
    for pk in ClosedAccount.objects.order_by().values_list("pk", flat=True):
        background.send(END_TASK, pk)


def end_account(pk: int) -> bool:
    """Take away what is left of a closed account, as much of it as one turn allows; return whether nothing is left.

    Each step is a transaction of its own: whoever is killed between two of them has lost nothing, the next one goes on.
    Two at once step past each other.
    """
    until = timezone.now() + A_TURN
    while _step(pk):
        if timezone.now() > until:
            break
    return not ClosedAccount.objects.filter(pk=pk).exists()


@transaction.atomic
def _step(pk: int) -> bool:
    """Do the next step; return whether there may be another one for whoever did it."""
    waits = connection.features.has_select_for_update_skip_locked
    closed = ClosedAccount.objects.select_for_update(of=("self",), skip_locked=waits).filter(pk=pk).first()
    if closed is None or _has_to_wait(closed):
        return False
    whom = FormerHolder(closed.pk, tuple(_names(closed)))
    if closed.leagues is None:
        closed.leagues = leagues_that_tell(whom)
    elif closed.leagues:
        _read_on(closed, whom)
    elif _forget_who_entered(closed):
        pass
    elif _is_needed_elsewhere(closed):
        return False
    elif closed.name:
        # Whatever is still under way is looked for once more, by the number alone.
        closed.name, closed.former_names, closed.leagues, closed.hanchan = "", [], None, 0
    else:
        _give_up(closed)
        return False
    closed.save()
    return True


def _has_to_wait(closed: ClosedAccount) -> bool:
    """Return whether there is nothing to do for now: the next sweep asks again."""
    if not closed.name and timezone.now() < closed.closed_at + LATE:
        return True
    # Closing ends at home. Whoever was hindered there still has their account.
    if present_place().database != HOME and User.objects.filter(pk=closed.pk, is_active=True).exists():
        return True
    # What a league has left is taken away, or is the league's again if whoever moved it was killed.
    leagues: list[int] = closed.leagues or []
    return bool(leagues) and left_behind().filter(pk=leagues[0]).exists()


def _give_up(closed: ClosedAccount) -> None:
    """Delete the account, or the copy of it, in the present database; with it goes the row that says what is left to do."""
    if not left_behind().exists():
        database = present_place().database
        # By its name: an account is looked for at home wherever one works.
        User.objects.using(database).get(pk=closed.pk).delete(using=database)


def _names(closed: ClosedAccount) -> Iterator[tuple[str, datetime]]:
    if closed.name:
        yield closed.name, closed.closed_at
    for name, until in closed.former_names:
        yield name, datetime.fromisoformat(until)


def _read_on(closed: ClosedAccount, whom: FormerHolder) -> None:
    """Take the name out of the next part of a history, or go on to the next league."""
    leagues: list[int] = closed.leagues or []
    league = League.objects.filter(pk__in=leagues[:1]).first()
    link = redact_account_name(league, closed.link, whom) if league else None
    if link is None:
        closed.leagues = leagues[1:]
    closed.link = link or 0


def _forget_who_entered(closed: ClosedAccount) -> bool:
    """Take the account away from some hanchan; return whether there were any. Each part begins where the last one ended."""
    mine = without_left_behind(Hanchan.objects.filter(recorded_by=closed.pk, pk__gt=closed.hanchan)).order_by("pk")
    keys = list(mine.values_list("pk", flat=True)[:AT_ONCE])
    Hanchan.objects.filter(pk__in=keys).update(recorded_by=None)
    closed.hanchan = keys[-1] if keys else closed.hanchan
    return bool(keys)


# --- Where a closed account is known besides -------------------------------------------------------------------------


def _is_needed_elsewhere(closed: ClosedAccount) -> bool:
    """Return whether another database needs what is at home of a closed account: its name, then its number.

    One that does not answer counts as one that does.
    """
    if present_place().database != HOME:
        return False
    for database in settings.LEAGUE_DATABASES:
        try:
            with working_in(database):
                if _is_needed_here(closed):
                    return True
        except (DatabaseError, InterfaceError) as error:
            logger.warning("The database %s keeps a closed account from its end: %s", database, error)
            return True
    return False


def _is_needed_here(closed: ClosedAccount) -> bool:
    """Return whether the present database needs the name of a closed account, or its number where nobody has the name."""
    if not User.objects.using(present_place().database).filter(pk=closed.pk).exists():
        return False
    here = ClosedAccount.objects.filter(pk=closed.pk).first()
    if here is None:
        # It was copied here after it was closed, or so shortly before that nobody saw it.
        _begin_anew(closed)
    return here is None or not closed.name or bool(here.name)


def bring_closed_accounts(_league: int, people: Collection[int]) -> None:
    """Have what is left of closed accounts taken away in the present database too, where rows have come that name them.

    From the beginning, whatever was done here before; home knows the names until nobody needs them any more.
    """
    with working_in(HOME):
        closed = list(ClosedAccount.objects.filter(pk__in=people))
    for each in closed:
        _begin_anew(each)


def _begin_anew(closed: ClosedAccount) -> None:
    ClosedAccount.objects.get_or_create(user_id=closed.pk)
    known = {name: getattr(closed, name) for name in ("name", "former_names", "closed_at")}
    ClosedAccount.objects.filter(pk=closed.pk).update(**known, leagues=None, link=0, hanchan=0)
    background.send(END_TASK, closed.pk)
