"""Store a checked file as a new league with its tournaments, in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction

from league.interchange.problems import Step, refuse
from league.interchange.storing import store_league
from league.models import League, Player, RulesetVersion, Session
from league.services.history import Actor
from stats.interchange import store_titles
from tournaments.core.format import Format, Stage
from tournaments.interchange.decisions import EntryList, check_block, late_entrants, stage_of, store_decisions
from tournaments.interchange.parts import format_of, store_registration, store_ticks
from tournaments.interchange.schema import TournamentDocument, WholeFile
from tournaments.models import StageSession, Tournament
from tournaments.services.events import created, write_history

Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class _Stored:
    league: League
    by: Actor
    players: Mapping[str, Player]
    sessions: Mapping[str, Session]


@transaction.atomic
def store_file(file: WholeFile, *, by: Actor, slug: str | None = None) -> League:
    """Store a file and return the league. A user in `by` becomes its owner.

    Raise InterchangeError; then nothing is stored.
    """
    league = store_league(file, by=by, slug=slug)
    store_titles(league, file.titles, by)
    players = {player.pk: player for player in league.players.all()}
    for player in players.values():
        player.merged_into = players[player.merged_into_id] if player.merged_into_id is not None else None
    stored = _Stored(
        league=league,
        by=by,
        players={player.key: player for player in players.values()},
        sessions={session.key: session for session in league.sessions.select_related("ruleset_version")},
    )
    for index, entry in enumerate(file.tournaments):
        _store_tournament(stored, entry, ("tournaments", index))
    return league


def _store_tournament(stored: _Stored, entry: TournamentDocument, path: Path) -> None:
    document, format_ = format_of(entry, sum(not each.substitute for each in entry.entries), path)
    tournament = Tournament.objects.create(
        league=stored.league,
        format_key=entry.format,
        document=document,
        ruleset_version=_rules(stored, entry, path),
        stage_rules=_stage_rules(stored, entry, format_, path),
        **entry.model_dump(include={"key", "name", "name_en", "state", "note", "strict_entry", "shows_chances"}),
    )
    stages = _store_sessions(stored, tournament, entry, format_, path)
    entered = [session for session, stage in stages if format_.is_entered(stage)]
    entry_list = EntryList(tournament, stored.players)
    for entrant in (*entry.entries, *late_entrants(entry, format_, stored.players, entered)):
        entry_list.enter(entrant)
    if entry.registration is not None:
        store_registration(tournament, entry.registration, stored.players)
    store_decisions(tournament, entry_list, entry, path)
    counts = {"entries": len(entry_list.entries), "sessions": len(stages), "decisions": len(entry.decisions)}
    after = {"key": tournament.key, "name": tournament.name, "format": tournament.format_key, **counts}
    write_history(tournament, tournament, created(after), stored.by)


def _rules(stored: _Stored, entry: TournamentDocument, path: Path) -> RulesetVersion:
    if entry.ruleset is not None:
        return _version(stored, entry.ruleset, entry.ruleset_version)
    first = stored.sessions[entry.sessions[0].session].ruleset_version if entry.sessions else None
    version = first or stored.league.current_version
    if version is None:
        raise refuse((*path, "ruleset"), 'is missing, and the league has no rules; add "rulesets"')
    return version


def _version(stored: _Stored, ruleset: str, number: int | None) -> RulesetVersion:
    versions = RulesetVersion.objects.filter(ruleset__league=stored.league, ruleset__key=ruleset)
    if number is not None:
        versions = versions.filter(number=number)
    return versions.order_by("number").reverse()[0]


def _stage_rules(stored: _Stored, entry: TournamentDocument, format_: Format, path: Path) -> dict[str, int]:
    return {
        stage_of(format_, own.stage, (*path, "stage_rules", index, "stage")).key: _version(
            stored, own.ruleset, own.ruleset_version
        ).pk
        for index, own in enumerate(entry.stage_rules)
    }


def _store_sessions(
    stored: _Stored, tournament: Tournament, entry: TournamentDocument, format_: Format, path: Path
) -> list[tuple[int, Stage]]:
    last: dict[tuple[str, str], int] = {}
    found = []
    for index, part in enumerate(entry.sessions):
        stage = stage_of(format_, part.stage, (*path, "sessions", index, "stage"))
        if part.block:
            check_block(stage, part.block, (*path, "sessions", index, "block"))
        number = part.number or last.get((part.stage, part.block), 0) + 1
        last[part.stage, part.block] = number
        session = stored.sessions[part.session]
        StageSession.objects.create(
            tournament=tournament, session=session, stage=part.stage, block=part.block, number=number
        )
        store_ticks(session, part.ticks, stored.players)
        found.append((session.pk, stage))
    return found
