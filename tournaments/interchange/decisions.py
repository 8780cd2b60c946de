"""Decisions of a file, stored with their proposals."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils import timezone

from league.interchange.problems import refuse
from league.models import Player, Seat, SessionPoints
from league.selectors.people import current_player
from tournaments.core.facts import Participant
from tournaments.core.format import Destination, Format, Stage
from tournaments.core.state import StageProgress
from tournaments.interchange.bodies import NAMES, Path, renamed
from tournaments.interchange.reading import check_drawn_once, player_lists
from tournaments.interchange.schema import DecisionDocument, EntryDocument, TournamentDocument
from tournaments.models import Decision, Entry, Tournament
from tournaments.selectors.state import state_of

Players = Mapping[str, Player]


class EntryList:
    def __init__(self, tournament: Tournament, players: Players) -> None:
        self.tournament, self.players = tournament, players
        self.entries: dict[str, Entry] = {}

    def enter(self, entrant: EntryDocument) -> Entry:
        entry = Entry.objects.create(
            tournament=self.tournament,
            player=self.players[entrant.player],
            number=len(self.entries) + 1,
            seed=entrant.seed,
            is_substitute=entrant.substitute,
        )
        self.entries[entrant.player] = entry
        return entry

    def number_of(self, key: str, path: Path) -> int:
        """Return the primary key of an entry, or the negative primary key of a player without one."""
        player = current_player(self.players[key])
        if key in self.entries:
            return self.entries[key].pk
        if player.pk in self._by_player():
            return self._by_player()[player.pk]
        if player.pk in self._seen:
            return -player.pk
        raise refuse(path, 'has not entered the tournament; add it to its "entries" or correct it')

    def _by_player(self) -> dict[int, int]:
        return {current_player(self.players[key]).pk: entry.pk for key, entry in self.entries.items()}

    @cached_property
    def _seen(self) -> set[int]:
        sessions = list(self.tournament.sessions.values_list("session", flat=True))
        seats = Seat.objects.filter(hanchan__session__in=sessions).values_list("player", flat=True)
        return {*seats, *SessionPoints.objects.filter(session__in=sessions).values_list("player", flat=True)}


def late_entrants(
    entry: TournamentDocument, format_: Format, players: Players, sessions: list[int]
) -> list[EntryDocument]:
    """Return entrants missing from the file's list: substitutes, and players if the list is too short.

    While the list is shorter than the format requires, all players of entry stages and of decisions are entrants.
    `sessions`: those of the entry stages.
    """
    listed = {each.player for each in entry.entries}
    regular = sum(not each.substitute for each in entry.entries)
    found: dict[str, EntryDocument] = {}
    stand_ins = [key for decision in entry.decisions for key in decision.newcomers]
    if entry.state != "preparing" and regular < format_.entrants.least:
        for key in (*_played(sessions, players), *_named(entry.decisions)):
            if key not in listed and key not in stand_ins:
                found.setdefault(key, EntryDocument(player=key))
    for key in stand_ins:
        if key not in listed:
            found.setdefault(key, EntryDocument(player=key, substitute=True))
    return list(found.values())


def _named(decisions: tuple[DecisionDocument, ...]) -> Iterator[str]:
    for decision in decisions:
        for _, keys in player_lists(decision, ()):
            yield from keys


def _played(sessions: list[int], players: Players) -> Iterator[str]:
    keys = {player.pk: key for key, player in players.items()}
    seats = Seat.objects.filter(hanchan__session__in=sessions).order_by("played_at", "hanchan", "seat")
    points = SessionPoints.objects.filter(session__in=sessions).order_by("pk")
    for pk in (*seats.values_list("player", flat=True), *points.values_list("player", flat=True)):
        yield keys[pk]


Body = dict[str, Any]


def stage_of(format_: Format, key: str, path: Path) -> Stage:
    """Return a stage. Raise InterchangeError, listing the known keys, if there is none with this key."""
    try:
        return format_.stage(key)
    except KeyError as error:
        known = ", ".join(stage.key for stage in format_.stages)
        raise refuse(path, f"is not a stage of the format; known ones are {known}") from error


def check_block(stage: Stage, key: str, path: Path) -> None:
    if key in stage.block_keys:
        return
    known = ", ".join(filter(None, stage.block_keys))
    remedy = f"known ones are {known}" if known else "the stage has only one block, without a name"
    raise refuse(path, f"is not a block of this stage; {remedy}")


def store_decisions(tournament: Tournament, entry_list: EntryList, entry: TournamentDocument, path: Path) -> None:
    now = timezone.now()
    drawn = [each.stage for each in entry.decisions if each.blocks is not None and each.revoked is None]
    for entered, blocks in _blocks_of_entries(tournament.format, entry_list, entry, path).items():
        if entered not in drawn:
            body = {"blocks": blocks, "method": "hand", "seed": None}
            Decision.objects.create(tournament=tournament, kind=Decision.Kind.DRAW, stage=entered, body=body, at=now)
    _check_circles(entry, path)
    for index, decision in enumerate(entry.decisions):
        where = (*path, "decisions", index)
        stage = stage_of(tournament.format, decision.stage, (*where, "stage"))
        for row in _DecisionInFile(tournament, entry_list, decision, stage, where).rows():
            _store(row, tournament, decision, now, where)


def _store(row: Decision, tournament: Tournament, entry: DecisionDocument, now: datetime, path: Path) -> None:
    row.tournament, row.kind, row.stage = tournament, entry.kind, entry.stage
    same = tournament.decisions.valid().filter(kind=Decision.Kind.ADVANCE, stage=row.stage, to=row.to)
    if entry.kind == Decision.Kind.ADVANCE and entry.revoked is None and same.exists():
        raise refuse(path, f"who goes from {row.stage} to {row.to} is already decided; revoke one of the decisions")
    row.reason, row.by_name, row.at = entry.reason, entry.by, entry.at or now
    if entry.revoked is not None:
        row.revoked_at = entry.revoked.at or now
        row.revoked_by_name, row.revoked_reason = entry.revoked.by, entry.revoked.reason
    row.save(force_insert=True)


def _blocks_of_entries(
    format_: Format, entry_list: EntryList, entry: TournamentDocument, path: Path
) -> dict[str, dict[str, list[int]]]:
    stages = [stage for stage in format_.stages if format_.is_entered(stage)]
    found: dict[str, dict[str, list[int]]] = {}
    for index, entrant in enumerate(entry.entries):
        if not entrant.block:
            continue
        stage = next((stage for stage in stages if entrant.block in stage.block_keys), None)
        if stage is None:
            known = ", ".join(key for each in stages for key in each.block_keys if key) or "none"
            where = (*path, "entries", index, "block")
            raise refuse(where, f"is not a block of an entry stage; known ones are {known}")
        empty: dict[str, list[int]] = {key: [] for key in stage.block_keys}
        found.setdefault(stage.key, empty)[entrant.block].append(entry_list.entries[entrant.player].pk)
    return found


def _check_circles(entry: TournamentDocument, path: Path) -> None:
    substitutes: dict[str, str] = {}
    for index, decision in enumerate(entry.decisions):
        if decision.revoked is not None:
            continue
        for key, substitute in decision.substitutes.items():
            substitutes[key] = substitute
            seen, at = {key}, key
            while (at := substitutes.get(at, "")) and at not in seen:
                seen.add(at)
            if at:
                where = (*path, "decisions", index, "substitutes", key)
                raise refuse(where, "forms a circle of substitutes; correct it")


class _DecisionInFile:
    def __init__(
        self, tournament: Tournament, entry_list: EntryList, entry: DecisionDocument, stage: Stage, path: Path
    ) -> None:
        self.tournament, self.roll, self.entry, self.stage, self.path = tournament, entry_list, entry, stage, path

    def rows(self) -> Iterator[Decision]:
        if self.entry.advance is not None:
            yield from self._advances(self.entry.advance)
        else:
            yield Decision(body=self._body())

    def _body(self) -> Body:
        for key in self.entry.blocks or {}:
            check_block(self.stage, key, (*self.path, "blocks", key))
        parts = self.entry.parts()
        names = NAMES[self.entry.kind].items()
        body = {stored: self._named(name, parts[name]) for stored, name in names if name in parts}
        if "blocks" in body:
            check_drawn_once(body["blocks"], self.path, "is already drawn under another name; remove one")
            body.setdefault("seed", None)
        return body

    def _named(self, name: str, part: Any) -> Any:
        return renamed(name, part, (*self.path, name), self.roll.number_of, self._session)

    def _session(self, key: str, path: Path) -> int:
        found = self.tournament.league.sessions.filter(key=key).values_list("pk", flat=True).first()
        if found is None:
            raise refuse(path, "is not a session of this tournament; correct it")
        return found

    def _advances(self, keys: Sequence[str]) -> Iterator[Decision]:
        players = self._named("advance", keys)
        given = self.entry.proposal
        proposal = None if given is None else self._named("proposal", given)
        if (to := self._destination()) is not None:
            proposal = (
                [int(participant) for participant in self._progress.path(to.key).proposed]
                if proposal is None
                else proposal
            )
            yield Decision(to=to.key, body={"players": players}, proposal=proposal)
            return
        by_destination = self._by_rank("advance", players)
        proposed = None if proposal is None else self._by_rank("proposal", proposal)
        for path in self._progress.paths:
            if path.to in by_destination:
                before = path.proposed if proposed is None else proposed.get(path.to, ())
                yield Decision(
                    to=path.to,
                    body={"players": by_destination[path.to]},
                    proposal=[int(participant) for participant in before],
                )

    def _destination(self) -> Destination | None:
        destinations = self.tournament.format.destinations_from(self.stage.key)
        if not destinations:
            raise refuse((*self.path, "stage"), "is a stage from which no one advances; remove the decision")
        if self.entry.to is not None:
            for each in destinations:
                if each.key == self.entry.to:
                    return each
            known = ", ".join(each.key for each in destinations)
            raise refuse((*self.path, "to"), f"is not a destination of this stage; known ones are {known}")
        stages = [each for each in destinations if isinstance(each, Stage)]
        likely = stages or destinations
        return likely[0] if len(likely) == 1 else None

    @cached_property
    def _progress(self) -> StageProgress:
        return state_of(self.tournament).state.stage(self.stage.key)

    def _by_rank(self, name: str, players: Sequence[int]) -> dict[str, list[int]]:
        leads: dict[Participant, str] = {}
        doubtful: set[Participant] = set()
        for path in self._progress.paths:
            for participant in (*path.proposed, *path.proposal.players):
                leads.setdefault(participant, path.to)
            doubtful |= {participant for group in path.proposal.level for participant in group}
        found: dict[str, list[int]] = {}
        for index, participant in enumerate(players):
            if participant not in leads or participant in doubtful:
                known = ", ".join(path.to for path in self._progress.paths)
                sentence = f'cannot be assigned by rank; write one decision for each destination with "to": {known}'
                raise refuse((*self.path, name, index), sentence)
            found.setdefault(leads[participant], []).append(participant)
        return found
