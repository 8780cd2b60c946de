"""Closing accounts. Results stay with the leagues, without a link to the person.

Access and personal data are removed immediately. Traces in histories are removed afterwards in short steps; meanwhile
pages show "former member".
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection, models, transaction
from django.utils import timezone

from accounts.models import ClosedAccount
from accounts.selectors.memberships import leagues_left_without
from accounts.selectors.preferences import preferences_of
from league import background
from league.models import Hanchan, League, Membership, Player
from league.models.editions import raise_edition, raise_every_edition
from league.services.erasing.history import FormerHolder, leagues_that_tell, redact_account_name
from league.services.history import Actor
from league.services.locking import hold
from league.services.people import PeopleError, link_user, remove_member

END_TASK = "accounts.end_account"

AT_ONCE = 2_000
"""Hanchan per statement, to stay below the statement timeout of a page."""

A_TURN = timedelta(minutes=5)
"""Time limit per run, so that other tasks get their turn; the next sweep continues."""


LATE = timedelta(minutes=10)
"""For this long after closing, a request that began earlier may still write."""


class DeletionError(Exception):
    """An account that cannot be closed yet.

    `leagues`: those that would be left without an owner. If empty, the site would have no administrator left.
    """

    def __init__(self, leagues: list[League]) -> None:
        super().__init__(", ".join(league.slug for league in leagues))
        self.leagues = leagues


@transaction.atomic
def close_account(*, user: User, source: str) -> None:
    """Close an account and delete its personal data. Raise DeletionError.

    Removes roles (recorded in each league's history), links to players, and all login sessions. The cost does not
    depend on the number of results; `end_account` does the rest.
    """
    theirs = Membership.objects.filter(user=user, role=Membership.Role.OWNER).values("league")
    hold(Membership.objects.filter(league__in=theirs, role=Membership.Role.OWNER))
    if hindered := leagues_left_without(user):
        raise DeletionError(hindered)
    if user.is_superuser and not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists():
        raise DeletionError([])
    called = {"name": user.get_username(), "former_names": preferences_of(user).former_names}
    by = Actor(user, source)
    try:
        for membership in Membership.objects.filter(user=user).select_related("league", "user").order_by("league"):
            remove_member(membership=membership, by=by)
    except PeopleError as error:
        raise DeletionError(leagues_left_without(user)) from error
    for player in Player.objects.filter(user=user).select_related("league", "user").order_by("pk"):
        link_user(player=player, user=None, by=by)
    _take_own_rows(user)
    _make_nobody(user)
    ClosedAccount.objects.get_or_create(user=user, defaults=called)
    background.send(END_TASK, user.pk)


def _take_own_rows(user: User) -> None:
    """Delete rows that belong to the user: passkeys, e-mail addresses, sessions, preferences, notices, claims."""
    Session.objects.filter(session_key__in=UserSession.objects.filter(user=user).values("session_key")).delete()
    for key in User._meta.related_objects:
        if key.on_delete is models.CASCADE and key.related_model is not ClosedAccount:
            key.related_model._base_manager.filter(**{key.field.name: user}).delete()


def _make_nobody(user: User) -> None:
    user.groups.clear()
    user.user_permissions.clear()
    user.username = f"退会者 #{user.pk}"
    user.first_name = user.last_name = user.email = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.set_unusable_password()
    user.save()


def sweep_closed_accounts() -> None:
    """Queue `end_account` for all closed accounts. One query."""
    for pk in ClosedAccount.objects.order_by().values_list("pk", flat=True):
        background.send(END_TASK, pk)


def end_account(pk: int) -> bool:
    """Remove traces of a closed account within one time slice; return whether it is finished.

    Each step is a transaction, so it can be interrupted safely. Concurrent calls skip each other.
    """
    until = timezone.now() + A_TURN
    while _step(pk):
        if timezone.now() > until:
            break
    return not ClosedAccount.objects.filter(pk=pk).exists()


@transaction.atomic
def _step(pk: int) -> bool:
    """Run the next step; return whether there may be more."""
    waits = connection.features.has_select_for_update_skip_locked
    closed = ClosedAccount.objects.select_for_update(of=("self",), skip_locked=waits).filter(pk=pk).first()
    if closed is None or (not closed.name and timezone.now() < closed.closed_at + LATE):
        return False
    whom = FormerHolder(closed.pk, tuple(_names(closed)))
    if closed.leagues is None:
        closed.leagues = leagues_that_tell(whom)
    elif closed.leagues:
        _read_on(closed, whom)
    elif _forget_who_entered(closed):
        pass
    elif closed.name:
        # Run the steps once more for anything written meanwhile, now finding it by primary key only.
        closed.name, closed.former_names, closed.leagues, closed.hanchan = "", [], None, 0
    else:
        User.objects.get(pk=closed.pk).delete()
        raise_every_edition()
        return False
    closed.save()
    return True


def _names(closed: ClosedAccount) -> Iterator[tuple[str, datetime]]:
    if closed.name:
        yield closed.name, closed.closed_at
    for name, until in closed.former_names:
        yield name, datetime.fromisoformat(until)


def _read_on(closed: ClosedAccount, whom: FormerHolder) -> None:
    """Redact the next part of a history, or continue with the next league."""
    leagues: list[int] = closed.leagues or []
    league = League.objects.filter(pk__in=leagues[:1]).first()
    revision = redact_account_name(league, closed.revision, whom) if league else None
    if revision is None:
        closed.leagues = leagues[1:]
    closed.revision = revision or 0


def _forget_who_entered(closed: ClosedAccount) -> bool:
    """Unlink the account from a batch of hanchan; return whether there were any. Continues after the last batch."""
    mine = Hanchan.objects.filter(recorded_by=closed.pk, pk__gt=closed.hanchan).order_by("pk")
    entered = dict(mine.values_list("pk", "league")[:AT_ONCE])
    Hanchan.objects.filter(pk__in=entered).update(recorded_by=None)
    for league in sorted({*entered.values()}):
        raise_edition(league)
    closed.hanchan = max(entered, default=closed.hanchan)
    return bool(entered)
