from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from accounts.models import Claim
from accounts.services.invitations import WayInError, settle_claims
from league.messages import plain_name
from league.models import League, Membership, Player, Revision
from league.permissions import MANAGE
from league.selectors.people import current_player
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league, lock_players, locked
from league.services.people import link_user, set_role

State = Claim.State


@transaction.atomic
def claim_player(*, player: Player, user: User, note: str, by: Actor) -> Claim:
    """Claim a player; organisers are linked at once. Raise WayInError "taken", "is_other" or "waiting"."""
    league = lock_league(player.league_id)
    lock_players(player)
    _refuse_taken(player)
    if (mine := league.players.filter(user=user).first()) is not None:
        raise WayInError("is_other", other=plain_name(mine))
    claim = league.claims.filter(user=user, state=State.WAITING).first()
    if claim is not None and claim.player_id != player.pk:
        raise WayInError("waiting")
    if claim is None:
        claim = Claim.objects.create(league=league, player=player, user=user, note=note)
        write_revision(league, claim, Change(Revision.Action.CREATED, after=_snapshot(claim)), by)
    if user.has_perm(MANAGE, league):
        accept_claim(claim=claim, by=by)
    return claim


def _refuse_taken(player: Player) -> None:
    if player.user_id or player.merged_into_id:
        raise WayInError("taken")


@transaction.atomic
def withdraw_claim(*, claim: Claim, by: Actor) -> None:
    """Withdraw an open claim. Raise WayInError "answered"."""
    lock_league(claim.league_id)
    _close(_waiting(claim), State.WITHDRAWN, "", by)


@transaction.atomic
def accept_claim(*, claim: Claim, by: Actor) -> None:
    """Link the user to the player and make them a member.

    Raise WayInError "answered", "taken" or "has_other".
    """
    league = lock_league(claim.league_id)
    current = _waiting(claim)
    player = current_player(current.player)
    lock_players(player)
    _refuse_taken(player)
    if (other := league.players.filter(user=current.user).first()) is not None:
        raise WayInError("has_other", user=current.user.get_username(), other=plain_name(other))
    if not league.members.filter(user=current.user).exists():
        set_role(league=league, user=current.user, role=Membership.Role.PLAYER, by=by)
    link_user(player=player, user=current.user, by=by)
    _close(current, State.ACCEPTED, "", by)
    settle_claims(league, current.user, player)


@transaction.atomic
def refuse_claim(*, claim: Claim, reason: str, by: Actor) -> None:
    """Refuse a claim with a reason that the user can read. Raise WayInError "answered"."""
    lock_league(claim.league_id)
    _close(_waiting(claim), State.REFUSED, reason, by)


@transaction.atomic
def give_up_player(*, league: League, user: User, by: Actor) -> None:
    """Unlink the user from the player. Results stay with the player."""
    for player in league.players.filter(user=user):
        link_user(player=player, user=None, by=by)


def _waiting(claim: Claim) -> Claim:
    current = locked(Claim.objects.select_related("league", "player__merged_into", "user"), claim.pk)
    if current.state != State.WAITING:
        raise WayInError("answered")
    return current


def _close(claim: Claim, state: Claim.State, reason: str, by: Actor) -> None:
    before = _snapshot(claim)
    claim.state, claim.answer, claim.answered_at, claim.answered_by = state, reason, timezone.now(), by.user
    claim.save(update_fields=["state", "answer", "answered_at", "answered_by"])
    action = Revision.Action.WITHDRAWN if state == State.WITHDRAWN else Revision.Action.CHANGED
    write_revision(claim.league, claim, Change(action, before, _snapshot(claim), reason), by)


def _snapshot(claim: Claim) -> dict[str, object]:
    return {"user": claim.user.get_username(), "player": claim.player_id, "state": claim.state}
