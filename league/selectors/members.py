"""Who belongs to a league, who is its only owner, and to whom it is offered."""

from django.db.models import QuerySet
from django.utils import timezone

from league.models import League, LeagueOffer, Membership
from league.permissions import Person


def membership_of(user: Person, league: League) -> Membership | None:
    return Membership.objects.filter(league=league, user=user.pk).select_related("league", "user").first()


def is_only_owner(member: Membership) -> bool:
    """Return whether the league would have no owner without this member. One query for owners."""
    if member.role != Membership.Role.OWNER:
        return False
    owners = Membership.objects.filter(league=member.league_id, role=Membership.Role.OWNER)
    return not owners.exclude(pk=member.pk).exists()


def offer_of(league: League) -> LeagueOffer | None:
    """Return to whom the league is offered, if to anybody. One query."""
    return _standing().filter(league=league).first()


def offer_to(user: Person, league: League) -> LeagueOffer | None:
    return _standing().filter(league=league, to__user=user.pk).first()


def offers_to(user: Person) -> list[LeagueOffer]:
    """Return the leagues that are offered to a user. One query."""
    return list(_standing().filter(to__user=user.pk).exclude(league__state=League.State.TAKEN_DOWN))


def _standing() -> QuerySet[LeagueOffer]:
    """Return the offers that can be accepted: in time, and by somebody who is an owner still."""
    valid = LeagueOffer.objects.filter(ends_at__gt=timezone.now(), by__role=Membership.Role.OWNER)
    return valid.select_related("league", "to__user", "by__user")
