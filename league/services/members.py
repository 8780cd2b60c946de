from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from league.models import League, LeagueOffer, Membership, Revision
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league
from league.services.people import PeopleError, link_user, remove_member, set_role

OFFERED_FOR = timedelta(days=14)
"""How long an offer can be accepted."""


@transaction.atomic
def leave_league(*, membership: Membership, by: Actor) -> None:
    """Remove a membership at the member's own request, and unlink the user from their player.

    The player stays with all results. Raise PeopleError "last_owner".
    """
    remove_member(membership=membership, by=by)
    for player in membership.league.players.filter(user=membership.user_id).select_related("league", "user"):
        link_user(player=player, user=None, by=by)


@transaction.atomic
def offer_league(*, league: League, to: Membership, afterwards: LeagueOffer.Afterwards, by: Actor) -> LeagueOffer:
    """Offer ownership to a member, replacing an earlier offer. Raise PeopleError "gone" or "not_owner"."""
    lock_league(league.pk)
    giver = league.members.filter(user=by.user, role=Membership.Role.OWNER).first()
    if giver is None:
        raise PeopleError("not_owner")
    if giver.pk == to.pk or not league.members.filter(pk=to.pk).exists():
        raise PeopleError("gone", name=to.user.get_username())
    values = {"to": to, "by": giver, "afterwards": afterwards, "ends_at": timezone.now() + OFFERED_FOR}
    offer, _ = LeagueOffer.objects.update_or_create(league=league, defaults=values)
    _write(offer, Revision.Action.CREATED, by)
    return offer


@transaction.atomic
def withdraw_offer(*, offer: LeagueOffer, by: Actor) -> None:
    """Delete an offer, whether withdrawn by an owner or declined."""
    lock_league(offer.league_id)
    current = LeagueOffer.objects.filter(pk=offer.pk, to=offer.to_id).select_related("league", "to__user").first()
    if current is not None:
        _write(current, Revision.Action.WITHDRAWN, by)
        current.delete()


@transaction.atomic
def accept_offer(*, league: League, by: Actor) -> Membership:
    """Make the user an owner, and give the previous owner the role chosen in the offer.

    Raise PeopleError "no_offer".
    """
    lock_league(league.pk)
    offers = LeagueOffer.objects.select_related("to__user", "by__user", "by__league")
    offer = offers.filter(league=league, to__user=by.user).first()
    if offer is None or not stands(offer):
        raise PeopleError("no_offer")
    _write(offer, Revision.Action.CHANGED, by)
    giver, leaves = offer.by, offer.afterwards == LeagueOffer.Afterwards.LEAVES
    offer.delete()
    taker = set_role(league=league, user=offer.to.user, role=Membership.Role.OWNER, by=by)
    if leaves:
        leave_league(membership=giver, by=by)
    else:
        set_role(league=league, user=giver.user, role=Membership.Role.ORGANISER, by=by)
    return taker


def stands(offer: LeagueOffer) -> bool:
    """Return whether an offer can be accepted: it has not expired, and its maker is still an owner."""
    return offer.ends_at > timezone.now() and offer.by.role == Membership.Role.OWNER


def _write(offer: LeagueOffer, action: Revision.Action, by: Actor) -> None:
    said: dict[str, str | bool] = {
        "user": offer.to.user.get_username(),
        "from": offer.by.user.get_username(),
        "afterwards": offer.afterwards,
    }
    before: dict[str, str | bool] | None
    after: dict[str, str | bool] | None
    before, after = (said, None) if action == Revision.Action.WITHDRAWN else (None, said)
    if action == Revision.Action.CHANGED:
        before, after = said | {"accepted": False}, said | {"accepted": True}
    write_revision(offer.league, offer, Change(action, before, after), by)
