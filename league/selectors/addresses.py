"""Where a league is found: at its address, and at every one that it had before."""

from django.db.models import Q

from league.models import League


def league_at(slug: str) -> League | None:
    """Return the league that has this address, or had it once. One query, two for a former address."""
    leagues = League.objects.select_related("current_version__ruleset")
    return leagues.filter(slug=slug).first() or leagues.filter(former_addresses__slug=slug).first()


def is_free(slug: str, besides: League | None = None) -> bool:
    """Return whether no league has this address or had it once, big and small letters being the same. One query."""
    taken = League.objects.filter(Q(slug__iexact=slug) | Q(former_addresses__slug__iexact=slug))
    return not (taken.exclude(pk=besides.pk) if besides else taken).exists()
