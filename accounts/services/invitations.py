from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.core.limits import MAX_OPEN_INVITATIONS
from accounts.models import Claim, Invitation
from accounts.permissions import roles_to_give
from league.core.errors import RefusedError
from league.messages import plain_name
from league.models import League, Membership, Player, Revision
from league.permissions import MAY, is_shown
from league.selectors.people import current_player
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league, lock_players, locked
from league.services.people import link_user, set_role
from league.services.secret_links import make_link, opened_by, take_back


@dataclass(frozen=True, slots=True)
class WantedInvitation:
    """The settings of a new invitation: role, number of people, expiry. Only organisers see its `label`."""

    role: str
    expires_at: datetime
    player: Player | None = None
    label: str = ""
    most_uses: int = 1


@transaction.atomic
def invite(*, league: League, wanted: WantedInvitation, by: Actor) -> Invitation:
    """Create an invitation. Raise WayInError "role", "many" or "player_gone"."""
    lock_league(league.pk)
    if by.user is None or wanted.role not in roles_to_give(by.user, league):
        raise WayInError("role")
    open_ones = league.invitations.filter(revoked_at=None, expires_at__gt=timezone.now(), uses__lt=F("most_uses"))
    if open_ones.count() >= MAX_OPEN_INVITATIONS:
        raise WayInError("many")
    if wanted.player is not None:
        lock_players(wanted.player)
        if wanted.player.league_id != league.pk or wanted.player.merged_into_id or wanted.player.user_id:
            raise WayInError("player_gone")
    return make_link(
        Invitation,
        league,
        by,
        league=league,
        role=wanted.role,
        player=wanted.player,
        label=wanted.label,
        most_uses=wanted.most_uses,
        expires_at=wanted.expires_at,
    )


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, by: Actor) -> None:
    """Revoke an invitation. People who joined with it stay. Idempotent."""
    current = locked(Invitation.objects.select_related("league"), invitation.pk)
    take_back(current, current.league, by)


def invitation_of(code: str) -> Invitation | None:
    """Return the invitation with this code, valid or not. One query."""
    return opened_by(code, Invitation.objects.select_related("league", "player__merged_into", "created_by"))


def is_open(invitation: Invitation, now: datetime) -> bool:
    """Return whether the invitation can be used. It also expires when its creator may no longer give the role."""
    if invitation.has_ended(now):
        return False
    inviter = invitation.created_by
    if inviter is None or not inviter.is_active or not is_shown(inviter, invitation.league):
        return False
    player = player_of(invitation)
    return (player is None or player.user_id is None) and invitation.role in roles_to_give(inviter, invitation.league)


def player_of(invitation: Invitation) -> Player | None:
    """Return the player of the invitation, following merges."""
    return current_player(invitation.player) if invitation.player else None


def has_come_by(invitation: Invitation | None, user: User) -> bool:
    """Return whether the user joined with this invitation and is still a member. One query."""
    is_member = Membership.objects.filter(league=invitation.league_id if invitation else 0, user=user).exists()
    return is_member and invitation is not None and user.pk in invitation.used_by


@transaction.atomic
def join_by(*, invitation: Invitation, user: User, by: Actor, now: datetime) -> Player | None:
    """Give the user the role and player of the invitation; return their player in the league, or None.

    Roles are never lowered. A user who gains nothing does not use up the invitation. Raise WayInError "ended",
    "archived" or "has_player".
    """
    league = lock_league(invitation.league_id)
    current = locked(Invitation.objects.select_related("league", "player__merged_into", "created_by"), invitation.pk)
    mine = league.players.filter(user=user).first()
    if has_come_by(current, user):
        return mine
    if not is_open(current, now) or user.pk in current.used_by:
        raise WayInError("ended")
    if not league.is_active:
        raise WayInError("archived", league=league)
    player = player_of(current)
    if player is not None and mine is not None:
        raise WayInError("has_player", other=plain_name(mine))
    if _raise_role(league, user, current.role, by) or player is not None:
        _note_use(current, user, by)
    if player is not None:
        link_user(player=player, user=user, by=by)
        settle_claims(league, user, player)
    return player or mine


def _raise_role(league: League, user: User, role: str, by: Actor) -> bool:
    """Give a role if it adds permissions and removes none; return whether it was given."""
    held = league.members.filter(user=user).values_list("role", flat=True).first()
    if held is not None and not MAY[held] < MAY[role]:
        return False
    set_role(league=league, user=user, role=Membership.Role(role), by=by)
    return True


def _note_use(invitation: Invitation, user: User, by: Actor) -> None:
    before = _used(invitation, "")
    invitation.uses += 1
    invitation.used_by = [*invitation.used_by, user.pk]
    invitation.save(update_fields=["uses", "used_by"])
    change = Change(Revision.Action.CHANGED, before, _used(invitation, user.get_username()))
    write_revision(invitation.league, invitation, change, by)


def _used(invitation: Invitation, username: str) -> Mapping[str, object]:
    return {"name": invitation.label, "uses": invitation.uses, "user": username}


def settle_claims(league: League, user: User, player: Player) -> None:
    waiting = Claim.objects.filter(league=league, user=user, state=Claim.State.WAITING)
    waiting.filter(player=player).update(state=Claim.State.ACCEPTED, answered_at=timezone.now())
    waiting.update(state=Claim.State.WITHDRAWN, answered_at=timezone.now())


class WayInError(RefusedError):
    """An invitation or claim that is not possible. `code`: key of the reason in accounts/messages/ways_in.py."""
