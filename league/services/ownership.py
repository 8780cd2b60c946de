"""Owners' actions on a whole league: changing its slug, copying, archiving and reopening it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.forms.models import model_to_dict

from league.models import FormerAddress, League, Membership, Player, Revision, Ruleset, RulesetVersion
from league.services.history import Actor, Change, write_revision
from league.services.leagues import AddressTakenError, store_new_league, take_address
from league.services.locking import lock_league
from league.services.people import add_player, facts_of, link_user

COPIED = (
    "description",
    "time_zone",
    "day_boundary",
    "first_month",
    "is_public",
    "minimum_month",
    "minimum_year",
    "minimum_all",
    "tiebreak",
    "ledger",
    "metric",
    "entry_mode",
    "confirmed_by",
    "disputed_count",
    "unbalanced_count",
)
"""Settings included in a copy and in an export."""


@dataclass(frozen=True, slots=True)
class CopyFacts:
    """Name, slug and players of a copy."""

    name: str
    slug: str
    players: Sequence[Player]
    name_en: str = ""


handed_on: list[Callable[[League, League, Actor], None]] = []
"""Callbacks that copy further data, with league, copy and actor. Other apps append theirs when loaded."""


@transaction.atomic
def change_address(*, league: League, slug: str, by: Actor) -> League:
    """Change the league's slug; URLs with a former one redirect permanently.

    Raise AddressTakenError.
    """
    current = lock_league(league.pk)
    before = current.slug
    if before == slug:
        return league
    take_address(current, slug)
    FormerAddress.objects.filter(league=current, slug=slug).delete()
    FormerAddress.objects.create(league=current, slug=before)
    try:
        with transaction.atomic():
            League.objects.filter(pk=current.pk).update(slug=slug)
    except IntegrityError as error:
        raise AddressTakenError from error
    league.slug = slug
    write_revision(league, league, Change(Revision.Action.CHANGED, {"slug": before}, {"slug": slug}), by)
    return league


@transaction.atomic
def set_league_state(*, league: League, state: League.State, reason: str, by: Actor) -> League:
    """Archive a league, take it down, or open it again. Setting the current state changes nothing."""
    current = lock_league(league.pk)
    before = str(current.state)
    league.state = state
    if before == state:
        return league
    League.objects.filter(pk=current.pk).update(state=state)
    change = Change(Revision.Action.CHANGED, {"state": before}, {"state": str(state)}, reason.strip())
    write_revision(league, league, change, by)
    return league


@transaction.atomic
def copy_league(*, league: League, facts: CopyFacts, owner: User, by: Actor) -> League:
    """Create a league with another's settings, rulesets and chosen players, but no results.

    Raise AddressTakenError.
    """
    copy = League(name=facts.name, name_en=facts.name_en, slug=facts.slug)
    for name in COPIED:
        setattr(copy, name, getattr(league, name))
    store_new_league(copy)
    Membership.objects.create(league=copy, user=owner, role=Membership.Role.OWNER)
    after = {"name": facts.name, "slug": facts.slug, "copied_from": league.name}
    write_revision(copy, copy, Change(Revision.Action.CREATED, after=after), by)
    _copy_rules(league, copy, by)
    for player in facts.players:
        new = add_player(league=copy, facts=facts_of(player), by=by, key=player.key)
        if player.user_id == owner.pk:
            link_user(player=new, user=owner, by=by)
    for hand_on in handed_on:
        hand_on(league, copy, by)
    return copy


def _copy_rules(league: League, copy: League, by: Actor) -> None:
    """Copy the current ruleset in its current version, and all others in their latest version."""
    for ruleset in league.rulesets.prefetch_related("versions"):
        current = league.current_version
        is_current = current is not None and current.ruleset_id == ruleset.pk
        version = current if is_current else ruleset.versions.order_by("-number").first()
        if version is None:
            continue
        taken = Ruleset.objects.create(league=copy, **model_to_dict(ruleset, ("key", "name", "name_en", "card")))
        write_revision(copy, taken, Change(Revision.Action.CREATED, after=version.parameters), by)
        new = RulesetVersion.objects.create(
            ruleset=taken, number=1, parameters=version.parameters, note=version.note, created_by=by.user
        )
        if is_current:
            copy.current_version = new
            copy.save(update_fields=["current_version"])
