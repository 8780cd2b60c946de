from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from league.models import League, Membership, Revision
from league.selectors.addresses import is_free
from league.services.history import Actor, Change, write_revision
from league.services.rules import adopt_card


class AddressTakenError(Exception):
    """Another league has or had this slug."""


@dataclass(frozen=True, slots=True)
class LeagueFacts:
    name: str
    slug: str
    time_zone: str
    card_key: str
    card_name: str
    name_en: str = ""
    is_public: bool = True


def store_new_league(league: League) -> None:
    """Store a league with a slug that no other league has or had. Raise AddressTakenError."""
    try:
        with transaction.atomic():
            league.save(force_insert=True)
    except IntegrityError as error:
        raise AddressTakenError from error
    # Checked after the insert has taken its lock: a slug given up concurrently is committed by now.
    take_address(league, league.slug)


def take_address(league: League, slug: str) -> None:
    """Check that no other league has or had the slug. Raise AddressTakenError."""
    if not is_free(slug, besides=league):
        raise AddressTakenError


@transaction.atomic
def create_league(*, facts: LeagueFacts, owner: User, by: Actor) -> League:
    """Store a new league with its owner, and a ruleset from a rules card. Raise AddressTakenError."""
    league = League(
        name=facts.name, name_en=facts.name_en, slug=facts.slug, time_zone=facts.time_zone, is_public=facts.is_public
    )
    store_new_league(league)
    Membership.objects.create(league=league, user=owner, role=Membership.Role.OWNER)
    after = {"name": facts.name, "slug": facts.slug, "time_zone": facts.time_zone, "is_public": facts.is_public}
    write_revision(league, league, Change(Revision.Action.CREATED, after=after), by)
    adopt_card(league=league, card_key=facts.card_key, name=facts.card_name, by=by)
    return league
