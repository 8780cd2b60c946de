"""A tournament is created, people enter it, and they are drawn into blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from league.messages import plain_name
from league.models import League, Player, Revision, RulesetVersion, Session
from league.services.calendar import set_strict_entry
from league.services.history import Actor, Change
from tournaments.core.format import Fill, Stage
from tournaments.core.reading import read_format
from tournaments.core.seating import draw_blocks
from tournaments.models import Decision, Entry, Tournament
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import TournamentError, changed, created, lock_tournament, names_of, write_history

MAX_SEED = 2**31 - 1

METHODS: Mapping[Fill, Literal["draw", "order", "snake"]] = {
    Fill.DRAW: "draw",
    Fill.ORDER: "order",
    Fill.SNAKE: "snake",
    Fill.BRACKET: "order",
}
"""How blocks are filled, for the draw; the order of a bracket is already that of the winners."""


@dataclass(frozen=True, slots=True)
class TournamentDetails:
    """What is written about a tournament."""

    key: str
    name: str
    name_en: str = ""
    note: str = ""
    ruleset_version: RulesetVersion | None = None
    strict_entry: bool = True


@transaction.atomic
def create_tournament(
    *, league: League, facts: TournamentDetails, format_key: str, document: Mapping[str, Any], by: Actor
) -> Tournament:
    """Store a new tournament with its own copy of a format.

    Raises FormatError, and TournamentError "key_taken" or "no_rules".
    """
    read_format(format_key, document)
    version = facts.ruleset_version or league.current_version
    if version is None:
        raise TournamentError("no_rules")
    if league.tournaments.filter(key=facts.key).exists():
        raise TournamentError("key_taken", key=facts.key)
    tournament = Tournament.objects.create(
        league=league,
        key=facts.key,
        name=facts.name,
        name_en=facts.name_en,
        note=facts.note,
        format_key=format_key,
        document=dict(document),
        ruleset_version=version,
        strict_entry=facts.strict_entry,
    )
    write_history(tournament, tournament, created(_snapshot(tournament)), by)
    return tournament


@transaction.atomic
def change_tournament(*, tournament: Tournament, facts: TournamentDetails, by: Actor) -> Tournament:
    """Change what is written about a tournament and, of its sessions that are not over, how results are entered.

    Its format and address stay.
    """
    lock_tournament(tournament)
    # Somebody else may have saved other things since the page was opened.
    tournament.refresh_from_db(fields=["name", "name_en", "note", "ruleset_version", "strict_entry"])
    before = _snapshot(tournament)
    tournament.name, tournament.name_en, tournament.note = facts.name, facts.name_en, facts.note
    tournament.ruleset_version = facts.ruleset_version or tournament.ruleset_version
    if tournament.strict_entry != facts.strict_entry:
        tournament.strict_entry = facts.strict_entry
        for session in Session.objects.filter(stage__tournament=tournament, state=Session.State.OPEN).order_by("pk"):
            set_strict_entry(session=session, strict=tournament.strict_sessions, by=by)
    tournament.save()
    if before != _snapshot(tournament):
        write_history(tournament, tournament, changed(before, _snapshot(tournament)), by)
    return tournament


def _snapshot(tournament: Tournament) -> dict[str, object]:
    return {
        "key": tournament.key,
        "name": tournament.name,
        "name_en": tournament.name_en,
        "format": tournament.format_key,
        "rules": str(tournament.ruleset_version),
        "note": tournament.note,
        "state": str(tournament.state),
        "strict_entry": tournament.strict_entry,
    }


@transaction.atomic
def enter_players(*, tournament: Tournament, players: Sequence[Player], by: Actor) -> list[Entry]:
    """Add entries in the order given; who has entered already stays as entered.

    Raises TournamentError "drawn" once blocks are drawn, "not_in_league", "full".
    """
    lock_tournament(tournament)
    _refuse_after_draw(tournament)
    known = set(tournament.entries.values_list("player_id", flat=True))
    new = [player for player in dict.fromkeys(players) if player.pk not in known]
    most = tournament.format.entrants.most
    if len(known) + len(new) > most:
        raise TournamentError("full", most=most, number=len(known) + len(new))
    entries = [_enter(tournament, player, is_substitute=False) for player in new]
    if entries:
        write_history(tournament, tournament, created({"entries": names_of(entries)}), by)
    return entries


def _enter(tournament: Tournament, player: Player, *, is_substitute: bool) -> Entry:
    if player.league_id != tournament.league_id or player.merged_into_id is not None:
        raise TournamentError("not_in_league", name=plain_name(player))
    number = (tournament.entries.aggregate(highest=Max("number"))["highest"] or 0) + 1
    return Entry.objects.create(tournament=tournament, player=player, number=number, is_substitute=is_substitute)


def enter_substitute(tournament: Tournament, player: Player) -> Entry:
    """Return the entry of somebody who comes in later; who has entered already cannot stand in for another."""
    if tournament.entries.filter(player=player).exists():
        raise TournamentError("entered_already", name=plain_name(player))
    return _enter(tournament, player, is_substitute=True)


@transaction.atomic
def remove_entry(*, entry: Entry, by: Actor) -> None:
    """Take somebody off the list while nothing is drawn; later it is a withdrawal. Raises TournamentError "drawn"."""
    tournament = entry.tournament
    lock_tournament(tournament)
    _refuse_after_draw(tournament)
    write_history(tournament, tournament, Change(Revision.Action.CHANGED, {"entries": [entry.player.name]}, None), by)
    entry.delete()


@transaction.atomic
def set_seeds(*, tournament: Tournament, seeds: Mapping[Entry, int | None], by: Actor) -> None:
    """Give entries their seeds. Raises TournamentError "drawn", or "seed_twice" for a number given to two."""
    lock_tournament(tournament)
    _refuse_after_draw(tournament)
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


def _refuse_after_draw(tournament: Tournament) -> None:
    if tournament.state != Tournament.State.PREPARING:
        raise TournamentError("drawn")


def close_entries(tournament: Tournament) -> None:
    """Close the entries: from now on people withdraw instead of being taken off the list."""
    entered = tournament.entries.filter(is_substitute=False).count()
    sizes = tournament.format.entrants
    if entered not in sizes:
        raise TournamentError("wrong_number", number=entered, least=sizes.least, most=sizes.most)
    if tournament.state == Tournament.State.PREPARING:
        tournament.state = Tournament.State.RUNNING
        tournament.save(update_fields=["state"])


@dataclass(frozen=True, slots=True)
class BlockDraw:
    """Blocks of a stage with the primary keys of entries, and how they came about."""

    blocks: Mapping[str, Sequence[int]]
    method: str = "hand"
    seed: int | None = None


def draw_by_lot(*, tournament: Tournament, stage: str, seed: int) -> BlockDraw:
    """Return the blocks that the seed gives by the format's way of filling; nothing is stored.

    The same seed and the same entries always give the same blocks. Raises TournamentError "wrong_number".
    """
    current = state_of(tournament)
    progress = current.state.stage(stage)
    players = [int(place.participant) for place in progress.places]
    sizes = block_sizes(progress.stage, len(players))
    seeds = {pk: number for pk in players if (number := current.entries[pk].seed) is not None}
    if not current.state.format.is_entered(progress.stage):
        seeds = {}
    # The strongest first, for blocks that are filled by strength.
    players.sort(key=lambda pk: (pk not in seeds, seeds.get(pk, 0)))
    blocks = draw_blocks(players, sizes, seed=seed, method=METHODS[progress.stage.fill], seeds=seeds)
    return BlockDraw(dict(zip(progress.stage.block_keys, blocks, strict=True)), "lot", seed)


def block_sizes(stage: Stage, players: int) -> list[int]:
    """Return how many go into each block. Raises TournamentError "wrong_number" when it does not come out even."""
    fixed = sum(block.size or 0 for block in stage.blocks)
    open_blocks = sum(block.size is None for block in stage.blocks)
    rest = players - fixed
    if rest < 0 or (rest > 0 and not open_blocks):
        raise TournamentError("wrong_number", number=players, least=fixed, most=fixed)
    shares = iter([rest // open_blocks + (number < rest % open_blocks) for number in range(open_blocks)])
    return [block.size if block.size is not None else next(shares) for block in stage.blocks]


@transaction.atomic
def draw(*, tournament: Tournament, stage: str, drawn: BlockDraw, by: Actor, reason: str = "") -> Decision:
    """Store who plays in which block of a stage; an earlier draw of it is revoked.

    Raises TournamentError: "wrong_number", "not_in_stage", "twice", "played" once something was played in the stage.
    """
    lock_tournament(tournament)
    current = state_of(tournament)
    progress = current.state.stage(stage)
    if current.state.format.is_entered(progress.stage):
        close_entries(tournament)
    _check_draw(current, stage, drawn)
    for earlier in tournament.decisions.valid().filter(kind=Decision.Kind.DRAW, stage=stage):
        revoke_decision(earlier, by, reason or "drawn again")
    body = {
        "blocks": {key: list(players) for key, players in drawn.blocks.items()},
        "method": drawn.method,
        "seed": drawn.seed,
    }
    decision = store_decision(tournament, Decision(kind=Decision.Kind.DRAW, stage=stage, body=body, reason=reason), by)
    after = {key: names_of(current.entries[pk] for pk in players) for key, players in drawn.blocks.items()}
    write_history(tournament, decision, created({"stage": stage, "blocks": after, "seed": drawn.seed}, reason), by)
    return decision


def _check_draw(current: CurrentState, stage: str, drawn: BlockDraw) -> None:
    progress = current.state.stage(stage)
    if any(ranking.started for ranking in progress.rankings):
        raise TournamentError("played")
    placed = [pk for players in drawn.blocks.values() for pk in players]
    wanted = {int(place.participant) for place in progress.places}
    if len(set(placed)) != len(placed):
        twice = next(pk for pk in placed if placed.count(pk) > 1)
        raise TournamentError("twice", name=current.entries[twice].player.name)
    if set(placed) != wanted:
        odd = next(iter(set(placed) ^ wanted))
        name = current.entries[odd].player.name if odd in current.entries else str(odd)
        raise TournamentError("not_in_stage" if odd in placed else "missing_in_draw", name=name)
    for block in progress.stage.blocks:
        players = drawn.blocks.get(block.key, ())
        if block.size is not None and len(players) != block.size and not progress.vacancies:
            raise TournamentError("block_size", block=block.key, number=len(players), size=block.size)


def store_decision(tournament: Tournament, decision: Decision, by: Actor) -> Decision:
    """Store a decision as of now."""
    decision.tournament, decision.at = tournament, timezone.now()
    decision.by, decision.by_name = by.user, by.name
    decision.save(force_insert=True)
    return decision


def revoke_decision(decision: Decision, by: Actor, reason: str) -> None:
    """Let a decision count no more; it stays readable."""
    decision.revoked_at, decision.revoked_by_name, decision.revoked_reason = timezone.now(), by.name, reason
    decision.save(update_fields=["revoked_at", "revoked_by_name", "revoked_reason"])
