"""The objects stored so far, and storing of rule sets with all versions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from league.interchange.problems import Step, refuse
from league.interchange.references import version_numbers
from league.interchange.schema import LeagueFile, RulesetDocument
from league.models import League, Player, Revision, Ruleset, RulesetVersion, Session
from league.services.history import Actor, Change, write_revision
from scoring.core import RulesetError, ScoringRules, UnknownCardError, load_card, read_ruleset, write_ruleset

Path = tuple[Step, ...]


@dataclass(slots=True)
class StoredSoFar:
    league: League
    by: Actor
    rules: dict[str, dict[int, RulesetVersion]] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    current: RulesetVersion | None = None

    def rules_for(self, key: str | None, number: int | None, otherwise: RulesetVersion | None) -> RulesetVersion | None:
        """Return the named version, by default the latest of the rule set; `otherwise` without a key."""
        if key is None:
            return otherwise
        versions = self.rules[key]
        return versions[number or max(versions)]


def store_rulesets(work: StoredSoFar, file: LeagueFile) -> None:
    for index, entry in enumerate(file.rulesets):
        work.rules[entry.key] = _store_ruleset(work, entry, ("rulesets", index))
    current = file.league
    if current.ruleset is None and "ruleset" not in current.model_fields_set and file.rulesets:
        work.current = work.rules_for(file.rulesets[0].key, None, None)
    else:
        work.current = work.rules_for(current.ruleset, current.ruleset_version, None)
    if work.current:
        work.league.current_version = work.current
        work.league.save(update_fields=["current_version"])


def _store_ruleset(work: StoredSoFar, entry: RulesetDocument, path: Path) -> dict[int, RulesetVersion]:
    written = entry.model_dump(include={"key", "name_en", "card"})
    ruleset = Ruleset.objects.create(league=work.league, name=entry.name or entry.key, **written)
    stored: dict[int, RulesetVersion] = {}
    for number, note, parameters, where in _versions(entry, path):
        written = write_ruleset(_read_rules(parameters, where))
        stored[number] = RulesetVersion.objects.create(
            ruleset=ruleset, number=number, note=note, parameters=written, created_by=work.by.user
        )
    latest = stored[max(stored)]
    write_revision(work.league, ruleset, Change(Revision.Action.CREATED, after=latest.parameters), work.by)
    return stored


def _versions(entry: RulesetDocument, path: Path) -> Iterator[tuple[int, str, Mapping[str, Any], Path]]:
    if entry.versions is not None:
        for index, version in enumerate(entry.versions):
            yield version.number, version.note, version.parameters, (*path, "versions", index, "parameters")
        return
    parameters = {**_card_parameters(entry, path), **(entry.parameters or {})}
    present = {name: value for name, value in parameters.items() if value is not None}
    yield version_numbers(entry)[0], "", present, (*path, "parameters")


def _card_parameters(entry: RulesetDocument, path: Path) -> Mapping[str, Any]:
    if not entry.card:
        return {}
    try:
        return write_ruleset(load_card(entry.card).ruleset)
    except UnknownCardError as error:
        raise refuse(
            (*path, "card"), "is not a card of this version of Tenbo; list the cards with: python -m scoring cards"
        ) from error


def _read_rules(parameters: Mapping[str, Any], path: Path) -> ScoringRules:
    try:
        return read_ruleset(parameters)
    except RulesetError as error:
        where, _, complaint = str(error).partition(": ")
        raise refuse((*path, where), f"{complaint.rstrip('.')}; please correct it") from error
