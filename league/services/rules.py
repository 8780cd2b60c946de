"""A league's rulesets: adopted from a rules card or edited; each change makes a new version."""

import re
from collections.abc import Mapping

from django.db import transaction
from django.db.models import ProtectedError
from django.forms.models import model_to_dict

from league.models import League, Revision, Ruleset, RulesetVersion
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league
from scoring.core import load_card, load_cards, read_ruleset, write_ruleset
from scoring.messages.numbers import in_language


class RulesIncompleteError(Exception):
    """The rules cannot score games yet; `missing` names the parameters to set first."""

    def __init__(self, missing: tuple[str, ...]) -> None:
        super().__init__(", ".join(missing))
        self.missing = missing


@transaction.atomic
def adopt_card(*, league: League, card_key: str, name: str, by: Actor) -> RulesetVersion:
    """Create a ruleset from a rules card and return its first version.

    It becomes current if the league has no rules yet and the card sets every required parameter. Earlier rulesets that
    were never completed are deleted, so that there is one of them at most.
    """
    card = load_card(card_key)
    lock_league(league.pk)
    _drop_unfinished(league, by)
    ruleset = Ruleset.objects.create(league=league, key=_free_key(league, card_key), name=name, card=card_key)
    parameters = write_ruleset(card.ruleset)
    version = RulesetVersion.objects.create(ruleset=ruleset, number=1, parameters=parameters, created_by=by.user)
    write_revision(league, ruleset, Change(Revision.Action.CREATED, after=version.parameters), by)
    if league.current_version is None and not card.ruleset.missing:
        make_current(league=league, version=version, by=by)
    return version


def choosable_versions(league: League) -> dict[str, RulesetVersion]:
    """Return the league's complete versions by primary key, the latest first, then the unsaved ones of other cards by card."""
    own = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset").order_by("-pk")
    complete = [version for version in own if (rules := version.readable()) and not rules.missing]
    known = [version.read() for version in complete]
    for card in load_cards():
        if not card.ruleset.missing and card.ruleset not in known:
            ruleset = Ruleset(league=league, name=in_language(card.name), card=card.key)
            complete.append(RulesetVersion(ruleset=ruleset, number=1, parameters=write_ruleset(card.ruleset)))
    return {str(version.pk or version.ruleset.card): version for version in complete}


@transaction.atomic
def save_version(
    *, ruleset: Ruleset, parameters: Mapping[str, object], note: str, by: Actor, name: str = "", name_en: str = ""
) -> RulesetVersion:
    """Store edited parameters as the next version of a ruleset; return the latest version if nothing changed.

    An incomplete version is overwritten, because no game can have been scored with it. A complete version becomes
    current in a league without rules, and in place of the current one before the first session. `name`, `name_en`:
    rename the ruleset, also in English. Raise RulesetError if the parameters contradict each other.
    """
    canonical = write_ruleset(read_ruleset(parameters))
    Ruleset.objects.select_for_update().get(pk=ruleset.pk)
    before, after = model_to_dict(ruleset, ("name", "name_en")), {"name": name, "name_en": name_en}
    if name and before != after:
        write_revision(ruleset.league, ruleset, Change(Revision.Action.CHANGED, before, after), by)
        ruleset.name, ruleset.name_en = name, name_en
        ruleset.save(update_fields=["name", "name_en"])
    latest = ruleset.versions.order_by("-number").first()
    if latest is not None and latest.parameters == canonical:
        return latest
    change = Change(Revision.Action.CHANGED, latest and latest.parameters, canonical, note)
    if latest is not None and _is_unfinished(latest):
        version = latest
        version.parameters, version.note = canonical, note
        version.save(update_fields=["parameters", "note"])
    else:
        number = latest.number + 1 if latest is not None else 1
        version = RulesetVersion.objects.create(
            ruleset=ruleset, number=number, parameters=canonical, note=note, created_by=by.user
        )
    write_revision(ruleset.league, ruleset, change, by)
    current = ruleset.league.current_version
    is_first = current is None or (current.ruleset == ruleset and not ruleset.league.sessions.exists())
    if is_first and not version.read().missing:
        make_current(league=ruleset.league, version=version, by=by)
    return version


def _is_unfinished(version: RulesetVersion) -> bool:
    rules = version.readable()
    return rules is not None and bool(rules.missing)


def _drop_unfinished(league: League, by: Actor) -> None:
    """Delete rulesets that were never completed, unless something refers to them."""
    for ruleset in league.rulesets.prefetch_related("versions"):
        versions = list(ruleset.versions.all())
        if not all(_is_unfinished(version) for version in versions):
            continue
        before = versions[-1].parameters if versions else None
        number = ruleset.pk
        try:
            with transaction.atomic():
                ruleset.delete()
        except ProtectedError:
            continue
        ruleset.pk = number
        write_revision(league, ruleset, Change(Revision.Action.WITHDRAWN, before), by)


@transaction.atomic
def make_current(*, league: League, version: RulesetVersion, by: Actor) -> None:
    """Use this version for new sessions; existing sessions and hanchan keep theirs.

    Raise RulesIncompleteError if the version cannot score games yet.
    """
    if missing := version.read().missing:
        raise RulesIncompleteError(missing)
    before = league.current_version
    league.current_version = version
    league.save(update_fields=["current_version"])
    change = Change(Revision.Action.CHANGED, {"rules": before and str(before)}, {"rules": str(version)})
    write_revision(league, league, change, by)


def _free_key(league: League, wanted: str) -> str:
    taken = set(league.rulesets.values_list("key", flat=True))
    numbers = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
    return next(key for key in (re.sub(r"[^a-z0-9-]+", "-", wanted), *numbers) if key not in taken)
