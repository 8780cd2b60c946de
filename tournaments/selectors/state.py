"""Build a tournament's state from database rows; used by pages, commands and files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum
from django.utils.translation import get_language

from league.messages import joined
from league.models import Adjustment, Edition, Hanchan, League, Player, Seat, SessionPoints
from league.models.editions import ANYTHING, edition_text
from league.models.plans import EVERY_ROUND
from league.selectors.people import current_player
from league.selectors.planning import plans_of
from league.selectors.sessions import by_start
from scoring.core import PlayerResult
from tournaments.core.facts import (
    Advance,
    Closing,
    DecidedOrder,
    Draw,
    Entrant,
    OtherPoints,
    Participant,
    Remedy,
    StageResult,
    TournamentFacts,
    Withdrawal,
    hanchan_count,
)
from tournaments.core.format import SeatingMethod
from tournaments.core.ranking import RankingLine
from tournaments.core.resolution import as_known_then, resolve
from tournaments.core.state import TournamentState
from tournaments.messages.titles import line_mark
from tournaments.models import Decision, Entry, StageSession, Tournament

Kind = Decision.Kind
Moment = tuple[date, int, datetime | None, int]


@dataclass(frozen=True, slots=True)
class CurrentState:
    """The current state of a tournament.

    The state refers to players by primary key of their entries; `entries` has these with players. A player of a stage
    without an entry has the negative primary key of the player.
    """

    tournament: Tournament
    facts: TournamentFacts
    state: TournamentState
    entries: Mapping[int, Entry]
    decisions: tuple[Decision, ...]
    sessions: tuple[StageSession, ...]

    def supposing(self, **changed: Any) -> CurrentState:
        """Return the state with these facts changed."""
        facts = replace(self.facts, **changed)
        return replace(self, facts=facts, state=resolve(self.state.format, facts))

    def cut_off(self, after: Mapping[str, int]) -> CurrentState:
        facts = as_known_then(self.state.format, self.facts, after)
        return replace(self, facts=facts, state=resolve(self.state.format, facts, after))

    def furthest(self, stage: str) -> int:
        return max((hanchan_count(played) for played in self.facts.results(stage).values()), default=0)

    def told_of(self, tournament: Tournament) -> CurrentState:
        for entry in self.entries.values():
            entry.player.league = tournament.league
        # Avoid reading the format from its document again.
        tournament.format = self.state.format
        return replace(self, tournament=tournament)

    def sessions_in_order(self) -> list[StageSession]:
        """Return the sessions by stage, day and start."""
        day = self.tournament.league.day_boundary
        order = {stage.key: number for number, stage in enumerate(self.state.format.stages)}

        def place(each: StageSession) -> tuple[object, ...]:
            return order.get(each.stage, len(order)), by_start(each.session, day)[:-1], each.number, each.block, each.pk

        return sorted(self.sessions, key=place)

    def standing(self, kind: Decision.Kind, stage: str | None = None) -> list[Decision]:
        valid = (each for each in self.decisions if each.revoked_at is None and each.kind == kind)
        return [each for each in valid if stage in {None, each.stage}]

    def player(self, participant: Participant) -> Player:
        return self.entries[int(participant)].player


def state_of(tournament: Tournament, after: Mapping[str, int] | None = None) -> CurrentState:
    """Return the current state; `after` limits stages to a number of hanchan for each player."""
    entries = entries_of(tournament)
    sessions = tuple(tournament.sessions.select_related("session__postponed_from").order_by("number", "block", "pk"))
    decisions = tuple(tournament.decisions.all())
    played = _StagePlay({entry.player_id: pk for pk, entry in entries.items()}, sessions)
    standing: dict[str, list[Decision]] = defaultdict(list)
    for each in decisions:
        if each.revoked_at is None:
            standing[each.kind].append(each)
    results = played.by_stage()
    facts = TournamentFacts(
        **_drawn(tournament, entries, played, sessions, standing[Kind.DRAW]),
        entrants=tuple(Entrant(pk, entry.seed) for pk, entry in entries.items() if not entry.is_substitute),
        played=results,
        blocks_played=played.blocks_played,
        withdrawals=tuple(left for each in standing[Kind.WITHDRAWN] for left in _withdrawn(each)),
        advances=tuple(
            Advance(each.stage, each.to, tuple(each.body["players"]), tuple(each.proposal))
            for each in standing[Kind.ADVANCE]
        ),
        orders=tuple(DecidedOrder(each.stage, tuple(each.body["players"])) for each in standing[Kind.ORDER]),
        draws=tuple(
            Draw(each.stage, {key: tuple(players) for key, players in each.body["blocks"].items()})
            for each in standing[Kind.DRAW]
        ),
        house=house_of_stages(decisions),
        closings=tuple(
            Closing(each.stage, tuple(each.body["players"]), tuple(each.body["unranked"]))
            for each in standing[Kind.CLOSED]
        ),
        missed=_missed(each for each in decisions if each.revoked_at is not None),
        rounds=played.rounds({stage.key for stage in tournament.format.stages if stage.is_by_standing}),
    )
    state = resolve(tournament.format, facts, after)
    return CurrentState(tournament, facts, state, {**entries, **played.strangers()}, decisions, sessions)


def entries_of(tournament: Tournament) -> dict[int, Entry]:
    """Return entries by primary key, in order; merged players are replaced by the player they were merged into."""
    rows = tournament.entries.select_related("player__merged_into").order_by("number")
    entries = {}
    for entry in rows:
        entry.player = current_player(entry.player)
        entry.player.league = tournament.league
        entries[entry.pk] = entry
    return entries


def _withdrawn(decision: Decision) -> Iterator[Withdrawal]:
    body = decision.body
    for pk in body["entries"]:
        substitute = body.get("substitutes", {}).get(str(pk))
        left = Withdrawal(decision.stage, pk, substitute, disqualified=body.get("disqualified", False))
        yield _settled(left, body.get("short", {}).get(str(pk)))


def _settled(withdrawal: Withdrawal, settled: Mapping[str, Any] | None) -> Withdrawal:
    if settled is not None and settled["remedy"] == Remedy.NEXT:
        return replace(withdrawal, successor=settled["player"])
    if settled is None or settled["remedy"] == Remedy.SUBSTITUTE:
        return withdrawal
    spared: Counter[Participant] = Counter()
    if settled["remedy"] == Remedy.NOBODY:
        spared.update(pk for row in settled["seats"] for pk in row["players"] if pk != withdrawal.participant)
    return replace(withdrawal, provided_for=len(settled["seats"]), spared=spared)


def house_of_stages(decisions: Iterable[Decision]) -> dict[str, frozenset[Participant]]:
    found: dict[str, frozenset[Participant]] = {}
    for each in decisions:
        settled = each.body.get("short", {}).values() if each.kind == Kind.WITHDRAWN else ()
        players = {row["player"] for row in settled if row["remedy"] == Remedy.HOUSE}
        found[each.stage] = found.get(each.stage, frozenset()) | players
    return found


def _missed(revoked: Iterable[Decision]) -> dict[str, Counter[Participant]]:
    found: dict[str, Counter[Participant]] = defaultdict(Counter)
    for each in revoked:
        short = each.body.get("short", {}) if each.kind == Kind.WITHDRAWN else {}
        for pk, settled in short.items():
            places = [(row.get("moved_to", row["session"]), row["round"], row["table"]) for row in settled["seats"]]
            found[each.stage][int(pk)] += len(_played_places(places, int(pk)))
    return found


def _drawn(
    tournament: Tournament,
    entries: Mapping[int, Entry],
    played: _StagePlay,
    sessions: Iterable[StageSession],
    draws: Iterable[Decision],
) -> dict[str, Any]:
    """Return who has a seat in each hanchan drawn, and what late players missed, where some sit out or came late."""
    seated: dict[str, tuple[tuple[str, frozenset[Participant]], ...]] = {}
    late: dict[str, dict[Participant, int]] = {}
    for draw in draws:
        stage, there, blocks = tournament.format.stage(draw.stage), draw.entries(), draw.body["blocks"].values()
        came = [pk for pk, each in entries.items() if not each.is_substitute and pk not in there]
        if not stage.is_by_standing or not tournament.format.is_entered(stage):
            came = []
        has_byes = any(len(players) % tournament.format.table_size for players in blocks)
        if not came and (not has_byes or stage.seating is SeatingMethod.FIXED):
            continue
        here = {each.session_id: each for each in sessions if each.stage == stage.key}
        rounds: dict[tuple[int, int], dict[str, set[Participant]]] = defaultdict(lambda: defaultdict(set))
        for (session, number, _), players in plans_of(here).items():
            at = here[session].number, number
            names = {played.entry_of.get(player.pk, -player.pk) for player in players}
            rounds[at][here[session].block] |= names | played.players[stage.key, *at]
        drawn = [rounds[at] for at in sorted(rounds)]
        if all(number != EVERY_ROUND for _, number in rounds):
            seated[stage.key] = tuple((block, frozenset(found)) for each in drawn for block, found in each.items())
        # Byes go to those who have had the fewest, so late players are seated in the first hanchan drawn after they came.
        late[stage.key] = {
            pk: next((at for at, each in enumerate(drawn) if any(pk in found for found in each.values())), len(drawn))
            for pk in came
        }
    return {"seated": seated, "late": late}


def _played_places(places: Sequence[tuple[int, int, int]], leaver: int) -> set[tuple[int, int, int]]:
    there = Hanchan.objects.valid().filter(session__in={session for session, _, _ in places})
    there = there.exclude(seats__player__entries=leaver)
    return set(places) & set(there.values_list("session", "round", "table"))


class _StagePlay:
    def __init__(self, entry_of: dict[int, int], sessions: Iterable[StageSession]) -> None:
        self.entry_of = entry_of
        self.stages = {each.session_id: each for each in sessions}
        self.unknown: set[int] = set()
        self.blocks_played: dict[str, dict[Participant, str]] = defaultdict(dict)
        self.round_of: dict[object, tuple[str, int, int]] = {}
        self.players: dict[tuple[str, int, int], set[Participant]] = defaultdict(set)

    def by_stage(self) -> dict[str, dict[Participant, list[StageResult]]]:
        found: dict[str, dict[Participant, list[tuple[Moment, StageResult]]]] = defaultdict(lambda: defaultdict(list))
        for session, player, moment, result in (*self._hanchan(), *self._without_hanchan(), *self._adjusted()):
            stage = self.stages[session]
            participant = self._participant(player)
            found[stage.stage][participant].append((moment, result))
            if stage.block:
                self.blocks_played[stage.stage][participant] = stage.block
        return {
            stage: {
                participant: [result for _, result in sorted(results, key=lambda each: each[0])]
                for participant, results in lines.items()
            }
            for stage, lines in found.items()
        }

    def rounds(self, stages: Collection[str]) -> dict[object, int]:
        """Return the number of each hanchan within its stage, after `by_stage`."""
        order = {stage: sorted({each for each in self.round_of.values() if each[0] == stage}) for stage in stages}
        return {each: order[place[0]].index(place) + 1 for each, place in self.round_of.items() if place[0] in stages}

    def strangers(self) -> dict[int, Entry]:
        players = Player.objects.filter(pk__in=self.unknown) if self.unknown else ()
        return {-player.pk: Entry(pk=-player.pk, player=player, number=0, is_substitute=True) for player in players}

    def _participant(self, player: int) -> int:
        if player in self.entry_of:
            return self.entry_of[player]
        self.unknown.add(player)
        return -player

    # A season has thousands of seats, and all pages of a tournament need them, so read plain rows.

    def _hanchan(self) -> Iterator[tuple[int, int, Moment, StageResult]]:
        seats = Seat.objects.counted().filter(hanchan__session__in=self.stages).order_by()
        where = ("hanchan__session", "hanchan__round", "player", "day", "played_at", "hanchan")
        rows = seats.values_list(*where, "points", "placement", "raw_score", "total_only")
        for session, number, player, day, played_at, hanchan, points, placement, raw, total_only in rows:
            self.round_of[hanchan] = place = self.stages[session].stage, self.stages[session].number, number
            self.players[place].add(self._participant(player))
            result = PlayerResult(points, placement, raw, hanchan, total_only)
            yield session, player, (day, 1, played_at, hanchan), result

    def _without_hanchan(self) -> Iterator[tuple[int, int, Moment, StageResult]]:
        rows = SessionPoints.objects.filter(session__in=self.stages, withdrawn=False)
        for session, player, day, pk, points, hanchan in rows.values_list(
            "session", "player", "day", "pk", "points", "hanchan"
        ):
            yield session, player, (day, 0, None, pk), OtherPoints(points, hanchan or 0)

    def _adjusted(self) -> Iterator[tuple[int, int, Moment, StageResult]]:
        # Session penalties count once the session is over.
        rows = Adjustment.objects.filter(session__in=self.stages, withdrawn=False)
        for session, player, day, pk, points in rows.values_list("session", "player", "day", "pk", "points"):
            yield session, player, (day, 2, None, pk), OtherPoints(points)


def reader_name(player: Player) -> str:
    return player.name if get_language() == "ja" else player.romanised or player.name


def reader_names(current: CurrentState) -> dict[str, str]:
    """Return the names visible to the reader by primary key of the entry as text, as conditions take them."""
    return {str(pk): reader_name(entry.player) for pk, entry in current.entries.items()}


def mark_of(current: CurrentState, line: RankingLine) -> str:
    replaced = "" if line.replaces is None else reader_name(current.player(line.replaces))
    moved_up = any(each.successor == line.participant for each in current.facts.withdrawals)
    return line_mark(line, replaced, moved_up=moved_up)


def absent(current: CurrentState, stage: str, block: str) -> list[Participant]:
    """Return who withdrew from a block before the first hanchan, without a substitute."""
    draw, played = current.facts.draw(stage), current.facts.results(stage)
    gone = {each.participant for each in current.facts.withdrawals if each.stage == stage and not each.substitute}
    return [each for each in sorted(gone - set(played), key=str) if (draw.block_of(each) if draw else "") == block]


def reader_language() -> str:
    return get_language() or "ja"


def names_of(current: CurrentState, players: Iterable[Participant]) -> str:
    return joined(reader_name(current.player(participant)) for participant in players)


def tournament_at(league: League, key: str) -> Tournament | None:
    return next(_read(league, _tournaments().filter(key=key)), None)


def tournaments_of(league: League) -> list[Tournament]:
    return list(_read(league, _tournaments().order_by("-pk")))


def _read(league: League, tournaments: QuerySet[Any]) -> Iterator[Tournament]:
    for tournament in tournaments.filter(league=league):
        tournament.league, tournament.edition = league, edition_text(tournament.marks)
        yield tournament


@cache
def _tournaments() -> QuerySet[Any]:
    """Return the query for tournaments. Building it takes longer than running it, and every page runs it."""
    played = StageSession.objects.filter(tournament=OuterRef(OuterRef("pk")))
    within = Q(scope__in=played.values("session")) | Q(scope__in=played.values("session__postponed_from"))
    changes = Edition.objects.filter(Q(scope=ANYTHING) | within, league=OuterRef("league")).order_by()
    marks = Subquery(changes.values("league").annotate(sum=Sum("mark")).values("sum"))
    return Tournament.objects.select_related("ruleset_version__ruleset").annotate(marks=marks)
