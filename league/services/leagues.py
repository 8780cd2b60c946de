"""A league begins here."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, connections, transaction

from league.databases import HOME, home, present_place
from league.models import League, LeagueAddress, Membership, Revision
from league.selectors.addresses import is_free
from league.selectors.places import ADDRESS_LOCK
from league.services.history import Actor, Change, write_revision
from league.services.rules import adopt_card


class AddressTakenError(Exception):
    """Another league already has this address."""


@dataclass(frozen=True, slots=True)
class LeagueFacts:
    """What a new league is told about itself; everything else can be set later."""

    name: str
    slug: str
    time_zone: str
    card_key: str
    card_name: str
    name_en: str = ""
    is_public: bool = True


def store_new_league(league: League) -> None:
    """Store a league under an address that no league has or had. Raises AddressTakenError."""
    try:
        with transaction.atomic():
            league.save(force_insert=True)
    except IntegrityError as error:
        raise AddressTakenError from error
    # Asked afterwards: whoever gives an address up at this moment has stored that by now.
    take_address(league, league.slug)


def take_address(league: League, slug: str) -> None:
    """See to it that an address is no other league's, in the transaction that stores it. Raises AddressTakenError.

    Where leagues live in several databases one at a time takes an address. That it leads elsewhere is noted at home at
    once, and means nothing if the transaction is undone.
    """
    if not settings.LEAGUE_DATABASES:
        if not is_free(slug, besides=league):
            raise AddressTakenError
        return
    database = present_place().database
    if database != HOME:
        _alone(slug, HOME)
    with transaction.atomic(using=home()):
        _alone(slug, home())
        if not is_free(slug, besides=league):
            raise AddressTakenError
        LeagueAddress.objects.filter(slug__iexact=slug).exclude(league_number=league.pk).delete()
        if database != HOME:
            LeagueAddress.objects.get_or_create(slug=slug, defaults={"league_number": league.pk, "database": database})


def _alone(slug: str, alias: str) -> None:
    with connections[alias].cursor() as cursor:
        cursor.execute(ADDRESS_LOCK.format(how="advisory_xact_lock"), [slug])


@transaction.atomic
def create_league(*, facts: LeagueFacts, owner: User, by: Actor) -> League:
    """Store a new league that belongs to `owner` and plays by a card. Raises AddressTakenError."""
    league = League(
        name=facts.name,
        name_en=facts.name_en,
        slug=facts.slug,
        time_zone=facts.time_zone,
        is_public=facts.is_public,
    )
    store_new_league(league)
    Membership.objects.create(league=league, user=owner, role=Membership.Role.OWNER)
    after = {"name": facts.name, "slug": facts.slug, "time_zone": facts.time_zone, "is_public": facts.is_public}
    write_revision(league, league, Change(Revision.Action.CREATED, after=after), by)
    adopt_card(league=league, card_key=facts.card_key, name=facts.card_name, by=by)
    return league
