"""もしも (what if): assumed results of future tables, read from a query string. Nothing is stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from league.core.entry import TypedScores, read_scores
from league.models import Player
from scoring.core import FinishedGame, PlayerResult, ScoringError, ScoringRules, score
from tournaments.core.facts import Participant
from tournaments.core.format import Stage
from tournaments.core.odds import TYPICAL
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress
from tournaments.messages.titles import block_name
from tournaments.selectors.needs_tables import playing
from tournaments.selectors.seating import SessionSeating
from tournaments.selectors.state import CurrentState, reader_name


@dataclass(frozen=True, slots=True)
class ComingTable:
    """A future table. `key`: for query strings, from session, round and table, or block and hanchan.

    `session`: None if unplanned; then the block plays at a single table.
    """

    key: str
    stage: str
    round: int
    table: int
    participants: tuple[Participant, ...]
    players: tuple[Player, ...]
    session: SessionSeating | None = None
    block: str = ""


def coming_tables(current: CurrentState, seatings: Iterable[SessionSeating]) -> list[ComingTable]:
    entry_of: dict[int, Participant] = {entry.player.pk: pk for pk, entry in current.entries.items()}
    return [
        ComingTable(
            key=f"s{seating.stage_session.session_id}r{each.number}t{table.number}",
            stage=seating.stage.key,
            round=each.number,
            table=table.number,
            participants=tuple(entry_of.get(seat.player.pk, -seat.player.pk) for seat in table.seats),
            players=tuple(seat.player for seat in table.seats),
            session=seating,
        )
        for seating in seatings
        if not seating.is_over
        for each in seating.rounds
        for table in each.tables
        if table.hanchan is None
    ]


def by_stage(tables: Iterable[ComingTable]) -> dict[str, list[tuple[Participant, ...]]]:
    found: dict[str, list[tuple[Participant, ...]]] = {}
    for table in tables:
        found.setdefault(table.stage, []).append(table.participants)
    return found


def tables_of_stage(current: CurrentState, progress: StageProgress, tables: Iterable[ComingTable]) -> list[ComingTable]:
    found = [table for table in tables if table.stage == progress.stage.key]
    for ranking in progress.rankings:
        found += _of_one_table(current, progress.stage, ranking, found)
    return found


def _of_one_table(
    current: CurrentState, stage: Stage, ranking: BlockRanking, seated: Iterable[ComingTable]
) -> list[ComingTable]:
    lines = playing(ranking)
    if len(lines) != current.state.format.table_size:
        return []
    there = {line.participant for line in lines}
    planned = sum(set(table.participants) == there for table in seated)
    left = min(line.left for line in lines)
    participants = tuple(sorted(there, key=str))
    players = tuple(current.player(participant) for participant in participants)
    number = list(stage.block_keys).index(ranking.block) + 1
    return [
        ComingTable(f"b{number}h{hanchan}", stage.key, hanchan, 1, participants, players, block=ranking.block)
        for hanchan in range(stage.planned - left + planned + 1, stage.planned + 1)
    ]


MOST_TABLES = 16
"""Maximum number of tables to enter results for, the next ones first."""

MOST_LETTERS = 40
"""Maximum length of a raw score."""

LEVEL = "0"
"""Query value for a table where all players get ±0."""


@dataclass(frozen=True, slots=True)
class SupposedSeat:
    """A seat of a future table: typed score, chosen placement (0: none), and resulting points (1/1000 pt)."""

    name: str
    score_field: str
    place_field: str
    typed: str
    chosen: int
    raw: int | None = None
    points: int | None = None


@dataclass(frozen=True, slots=True)
class SupposedTable:
    """A future table with assumed results. `problem`: why it does not count; `is_level`: all players get ±0."""

    key: str
    title: str
    seats: tuple[SupposedSeat, ...]
    is_level: bool
    problem: str = ""
    results: Mapping[Participant, PlayerResult] | None = None

    @property
    def counts(self) -> bool:
        return self.results is not None


@dataclass(frozen=True, slots=True)
class Supposition:
    """All assumed results. `more`: number of tables left out; `unknown`: the query string has invalid parts."""

    tables: tuple[SupposedTable, ...]
    presets: tuple[tuple[str, str], ...]
    more: int
    unknown: bool

    @property
    def counting(self) -> int:
        return sum(table.counts for table in self.tables)


def supposition_of(
    current: CurrentState,
    progress: StageProgress,
    tables: Sequence[ComingTable],
    rules: ScoringRules,
    asked: Mapping[str, str],
) -> Supposition:
    shown = tables[:MOST_TABLES]
    ranks = {line.participant: line.position for ranking in progress.rankings for line in ranking.lines}
    found = tuple(_table(current, table, rules, ranks, asked) for table in shown)
    fields = {field for table in found for seat in table.seats for field in (seat.score_field, seat.place_field)}
    return Supposition(
        found,
        tuple(_presets(shown)),
        len(tables) - len(shown),
        unknown=bool(set(asked) - fields - {table.key for table in found}),
    )


def _table(
    current: CurrentState,
    table: ComingTable,
    rules: ScoringRules,
    ranks: Mapping[Participant, int],
    asked: Mapping[str, str],
) -> SupposedTable:
    seats = tuple(
        SupposedSeat(
            name=reader_name(player),
            score_field=f"{table.key}.{seat}",
            place_field=f"{table.key}p{seat}",
            typed=asked.get(f"{table.key}.{seat}", "")[:MOST_LETTERS],
            chosen=_place(asked.get(f"{table.key}p{seat}", ""), len(table.players)),
        )
        for seat, player in enumerate(table.players)
    )
    found = SupposedTable(table.key, _title(table), seats, is_level=asked.get(table.key) == LEVEL)
    if found.is_level:
        known = [each for each in table.participants if each in current.entries]
        return replace(found, results={each: PlayerResult(0, 1, rules.start_points, table.key) for each in known})
    raw, problem = _raw(seats, table, rules, ranks)
    if raw is None:
        return replace(found, problem=problem)
    try:
        scored = score(FinishedGame(raw), rules)
    except ScoringError:
        return replace(found, problem=_("These scores are not possible under the rules."))
    results = {
        participant: PlayerResult(points, placement, own, table.key)
        for participant, points, placement, own in zip(
            table.participants, scored.ranking, scored.order.placements, raw, strict=True
        )
        if participant in current.entries
    }
    seats = tuple(
        replace(seat, raw=own, points=points) for seat, own, points in zip(seats, raw, scored.ranking, strict=True)
    )
    return replace(found, seats=seats, results=results)


def _place(text: str, players: int) -> int:
    return int(text) if text in {str(place) for place in range(1, players + 1)} else 0


def _raw(
    seats: Sequence[SupposedSeat], table: ComingTable, rules: ScoringRules, ranks: Mapping[Participant, int]
) -> tuple[tuple[int, ...] | None, str]:
    if any(seat.typed.strip() for seat in seats):
        typed = read_scores([seat.typed for seat in seats], 0, rules.start_points or 0, fills=True)
        problem = _problem(typed, seats, rules)
        return (None if problem else typed.scores), problem
    chosen = [seat.chosen for seat in seats if seat.chosen]
    if not chosen:
        return None, ""
    if len(set(chosen)) < len(chosen):
        return None, _("Two players have the same placement.")
    return _typical(_order(seats, table, ranks), rules), ""


def _problem(typed: TypedScores, seats: Sequence[SupposedSeat], rules: ScoringRules) -> str:
    if typed.errors:
        return _("%(name)s: enter a raw score.") % {"name": seats[min(typed.errors)].name}
    if typed.scores is None:
        return _("Enter all scores but one.")
    expected = len(seats) * (rules.start_points or 0)
    if sum(typed.scores) != expected:
        return _("The scores add up to %(sum)s instead of %(expected)s.") % {
            "sum": f"{sum(typed.scores):,}",
            "expected": f"{expected:,}",
        }
    return ""


def _order(seats: Sequence[SupposedSeat], table: ComingTable, ranks: Mapping[Participant, int]) -> list[int]:
    rest = [seat for seat, each in enumerate(seats) if not each.chosen]
    rest.sort(key=lambda seat: ranks.get(table.participants[seat], len(ranks) + 1))
    chosen = {each.chosen: seat for seat, each in enumerate(seats) if each.chosen}
    return [chosen[place] if place in chosen else rest.pop(0) for place in range(1, len(seats) + 1)]


def _typical(order: Sequence[int], rules: ScoringRules) -> tuple[int, ...]:
    usual = TYPICAL[len(order)][0]
    moved = ((rules.start_points or 0) * len(order) - sum(usual)) // len(order)
    return tuple(usual[order.index(seat)] + moved for seat in range(len(order)))


def _title(table: ComingTable) -> str:
    facts = {"round": table.round, "table": table.table}
    if table.session is None:
        return " ".join(filter(None, (block_name(table.block), _("Round %(round)s") % facts)))
    return f"{table.session.title} · " + _("Round %(round)s, table %(table)s") % facts


def _presets(tables: Sequence[ComingTable]) -> Iterable[tuple[str, str]]:
    names: dict[Participant, str] = {}
    queries: dict[Participant, dict[str, str]] = {}
    for table in tables:
        for seat, participant in enumerate(table.participants):
            names[participant] = reader_name(table.players[seat])
            # Only one of two presets at a table can be chosen, so each link sets the whole table.
            queries.setdefault(participant, {})[f"{table.key}p{seat}"] = "1"
    for participant, query in queries.items():
        yield _("%(name)s always 1st") % {"name": names[participant]}, urlencode(query)
    if tables:
        yield _("Everyone ±0"), urlencode({table.key: LEVEL for table in tables})


def supposed(current: CurrentState, stage: str, supposition: Supposition) -> CurrentState:
    played = {participant: list(results) for participant, results in current.facts.results(stage).items()}
    for table in supposition.tables:
        for participant, result in (table.results or {}).items():
            played.setdefault(participant, []).append(result)
    return current.supposing(played={**current.facts.played, stage: played})
