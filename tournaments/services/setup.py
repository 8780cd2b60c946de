"""Setting up a tournament: creating it, entering players, and assigning rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from league.models import League, Membership, Player, Revision, Ruleset, RulesetVersion, Session
from league.services.calendar import set_strict_entry
from league.services.history import Actor, Change
from league.services.locking import lock_league
from league.services.rules import adopt_card
from scoring.core import load_card
from scoring.messages.numbers import in_language
from tournaments.messages.history import TAKEN_OFF
from tournaments.models import Director, Entry, Tournament
from tournaments.selectors.inbox import takes_late_entrants
from tournaments.selectors.state import state_of
from tournaments.services.events import (
    TournamentError,
    changed,
    created,
    lock_tournament,
    lock_undrawn,
    names_of,
    write_history,
)
from tournaments.services.registration_terms import enter, note_entered, note_taken_off


def version_of_card(league: League, card: str, by: Actor) -> RulesetVersion:
    """Return the current version of a built-in rule card, added to the league if needed.

    Raise TournamentError "rules_incomplete" if an organiser must first decide what the card leaves open.
    """
    known = Ruleset.objects.filter(league=league, card=card).order_by("pk").last()
    if known is None:
        if load_card(card).ruleset.missing:
            raise TournamentError("rules_incomplete", rules=in_language(dict(load_card(card).name)))
        return adopt_card(league=league, card_key=card, name=in_language(dict(load_card(card).name)), by=by)
    newest = known.versions.order_by("number").reverse()[0]
    if newest.read().missing:
        raise TournamentError("rules_incomplete", rules=str(newest))
    return newest


DETAILS = ("name", "name_en", "ruleset_version", "strict_entry", "shows_chances", "note")
"""Editable details of a tournament."""


@transaction.atomic
def create_tournament(*, tournament: Tournament, by: Actor) -> Tournament:
    """Store a new tournament; if it has no rules, it gets those of its format, or else the league's.

    Raise FormatError, and TournamentError "key_taken", "no_rules", "table_size" or "rules_incomplete".
    """
    league, format_ = tournament.league, tournament.format
    # If the form is submitted twice, the second request waits here and finds the key taken.
    lock_league(league.pk)
    if league.tournaments.filter(key=tournament.key).exists():
        raise TournamentError("key_taken", key=tournament.key)
    if not tournament.ruleset_version_id:
        version = version_of_card(league, format_.ruleset, by) if format_.ruleset else league.current_version
        if version is None:
            raise TournamentError("no_rules")
        tournament.ruleset_version = version
    if (rules := tournament.ruleset_version.readable()) and rules.players not in {None, format_.table_size}:
        raise TournamentError("table_size", rules=str(tournament.ruleset_version))
    own = {stage.key: stage.ruleset for stage in format_.stages if stage.ruleset and stage.ruleset != format_.ruleset}
    tournament.stage_rules = {stage: version_of_card(league, card, by).pk for stage, card in own.items()}
    tournament.save(force_insert=True)
    write_history(tournament, tournament, created(_snapshot(tournament)), by)
    return tournament


@transaction.atomic
def change_tournament(*, tournament: Tournament, facts: Mapping[str, Any], by: Actor) -> Tournament:
    """Change some details of a tournament.

    `facts`: new values by name. Its `stage_rules` has ruleset versions by stage; None removes a stage's own rules.
    """
    lock_tournament(tournament)
    # Another user may have saved the tournament since the page was opened.
    tournament.refresh_from_db(fields=[*DETAILS, "stage_rules"])
    before, was_strict = _snapshot(tournament), tournament.strict_entry
    for name in DETAILS:
        setattr(tournament, name, facts.get(name, getattr(tournament, name)))
    # Sessions that are already planned keep their rules.
    own = tournament.stage_rules | {stage: rules and rules.pk for stage, rules in facts.get("stage_rules", {}).items()}
    tournament.stage_rules = {stage: version for stage, version in own.items() if version is not None}
    if tournament.strict_entry != was_strict:
        for session in Session.objects.filter(stage__tournament=tournament, state=Session.State.OPEN).order_by("pk"):
            set_strict_entry(session=session, strict=tournament.strict_sessions, by=by)
    tournament.save()
    if before != _snapshot(tournament):
        write_history(tournament, tournament, changed(before, _snapshot(tournament)), by)
    return tournament


def _snapshot(tournament: Tournament) -> dict[str, object]:
    rules = {stage: str(version) for stage, version in tournament.rules_by_stage().items()}
    return {
        "key": tournament.key,
        "name": tournament.name,
        "name_en": tournament.name_en,
        "format": tournament.format_key,
        "rules": str(tournament.ruleset_version),
        **({"stage_rules": rules} if rules else {}),
        "note": tournament.note,
        "state": str(tournament.state),
        "strict_entry": tournament.strict_entry,
        "shows_chances": tournament.shows_chances,
    }


@transaction.atomic
def enter_players(*, tournament: Tournament, players: Sequence[Player], by: Actor) -> list[Entry]:
    """Enter players. Raise TournamentError "drawn" if it is too late, "not_in_league", "full"."""
    lock_tournament(tournament)
    if tournament.state != Tournament.State.PREPARING and not takes_late_entrants(state_of(tournament)):
        raise TournamentError("drawn")
    known = set(tournament.entries.values_list("player_id", flat=True))
    new = [player for player in dict.fromkeys(players) if player.pk not in known]
    most = tournament.format.entrants.most
    if len(known) + len(new) > most:
        raise TournamentError("full", most=most, number=len(known) + len(new))
    entries = [enter(tournament, player, is_substitute=False) for player in new]
    if entries:
        note_entered(tournament, new)
        write_history(tournament, tournament, created({"entries": names_of(entries)}), by)
    return entries


@transaction.atomic
def remove_entry(*, entry: Entry, by: Actor) -> None:
    """Remove an entry before the draw. Raise TournamentError "drawn"."""
    tournament = entry.tournament
    lock_undrawn(tournament)
    before = {"entries": [entry.player.name], TAKEN_OFF: entry.player_id}
    write_history(tournament, tournament, Change(Revision.Action.CHANGED, before, None), by)
    entry.delete()
    note_taken_off(tournament, entry.player, by)


@transaction.atomic
def set_seeds(*, tournament: Tournament, seeds: Mapping[Entry, int | None], by: Actor) -> None:
    """Set the seeds of entries. Raise TournamentError "drawn", or "seed_twice" if two entries have the same seed."""
    lock_undrawn(tournament)
    wanted = {entry.pk: entry.seed for entry in tournament.entries.all()}
    wanted |= {entry.pk: seed for entry, seed in seeds.items()}
    given = [seed for seed in wanted.values() if seed is not None]
    if twice := {seed for seed in given if given.count(seed) > 1}:
        raise TournamentError("seed_twice", seed=min(twice))
    before = {entry.player.name: entry.seed for entry in seeds}
    for entry, seed in seeds.items():
        entry.seed = seed
        entry.save(update_fields=["seed"])
    after = {entry.player.name: entry.seed for entry in seeds}
    if before != after:
        write_history(tournament, tournament, changed({"seeds": before}, {"seeds": after}), by)


def close_entries(tournament: Tournament) -> None:
    entered = tournament.entries.filter(is_substitute=False).count()
    sizes = tournament.format.entrants
    if entered not in sizes:
        raise TournamentError("wrong_number", number=entered, least=sizes.least, most=sizes.most)
    if tournament.state == Tournament.State.PREPARING:
        tournament.state = Tournament.State.RUNNING
        tournament.save(update_fields=["state"])


@transaction.atomic
def make_director(*, tournament: Tournament, membership: Membership, by: Actor) -> Director:
    lock_tournament(tournament)
    director, is_new = Director.objects.get_or_create(tournament=tournament, membership=membership)
    if is_new:
        write_history(tournament, director, created(_said(tournament, membership)), by)
    return director


@transaction.atomic
def remove_director(*, director: Director, by: Actor) -> None:
    tournament, membership = director.tournament, director.membership
    lock_tournament(tournament)
    if not Director.objects.filter(pk=director.pk).exists():
        return
    write_history(tournament, director, Change(Revision.Action.WITHDRAWN, _said(tournament, membership)), by)
    director.delete()


def _said(tournament: Tournament, membership: Membership) -> dict[str, str]:
    return {"tournament": tournament.name, "user": membership.user.get_username()}
