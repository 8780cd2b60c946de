"""What the last hand of a stage's last hanchan means for the players at the table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from league.models import Player
from scoring.core import ScoringRules
from tournaments.core.needs.case import Case, Hand
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress
from tournaments.core.ticking import Situation, is_last, tick_rules
from tournaments.messages.needs import LastHandSentences, last_hand_sentences
from tournaments.messages.titles import block_name, hand_line
from tournaments.selectors import needs_tables
from tournaments.selectors.hall import LiveTable, live_tables
from tournaments.selectors.state import CurrentState, reader_language, reader_names


@dataclass(frozen=True, slots=True)
class TableNow:
    rules: ScoringRules
    players: tuple[Player, ...]
    situation: Situation


@dataclass(frozen=True, slots=True)
class LastHandOfTable:
    """A last hand for a line of a block, players as in the standings. `line`: its name, empty for the title.

    `others_play`: players at other tables have not finished either; their current points are used.
    """

    title: str
    line: str
    others_play: bool
    players: tuple[tuple[Player, LastHandSentences], ...]


def last_hands_of(
    current: CurrentState, progress: StageProgress, table: TableNow, names: Mapping[str, str]
) -> tuple[LastHandOfTable, ...]:
    """Return a table's last hand for each line, in the reader's language.

    `names`: names in its sentences by primary key of the entry as text.
    """
    if not is_last(table.situation.hand, tick_rules(table.rules)):
        return ()
    entry_of = {entry.player.pk: pk for pk, entry in current.entries.items()}
    seats = tuple(entry_of.get(player.pk, 0) for player in table.players)
    ranking = next((each for each in progress.rankings if _is_last_hanchan(each, seats)), None)
    if ranking is None or not needs_tables.has_known_places(progress.stage, ranking, len(seats)):
        return ()
    return tuple(
        _told(
            ranking,
            needs_tables.line_of(current, progress.stage, ranking, goal),
            _case(progress, ranking, goal, table.rules, seats),
            table,
            names,
        )
        for goal in needs_tables.goals_of(ranking, progress.stage, current.state.format)
    )


def _is_last_hanchan(ranking: BlockRanking, seats: Sequence[int]) -> bool:
    left = {line.participant: line.left for line in needs_tables.playing(ranking)}
    return bool(seats) and all(left.get(each) == 1 for each in seats)


def _case(progress: StageProgress, ranking: BlockRanking, goal: int, rules: ScoringRules, seats: Sequence[int]) -> Case:
    points = needs_tables.totals_of(progress.stage, ranking)
    players = tuple(map(str, seats))
    return Case(
        needs_tables.rules_that_count(progress.stage, rules),
        players,
        {player: points[player] for player in players},
        goal,
        earlier=tuple(str(line.participant) for line in ranking.counting if not (line.undecided or line.shared)),
        others={player: total for player, total in points.items() if player not in players},
        last_decides=needs_tables.last_decides(progress, ranking, len(seats)),
    )


def _told(ranking: BlockRanking, line: str, case: Case, table: TableNow, names: Mapping[str, str]) -> LastHandOfTable:
    hand = _hand(case, table.situation)
    said = last_hand_sentences(case, hand, reader_language(), names.__getitem__, is_title=not line)
    left = {str(line.participant): line.left for line in ranking.as_listed.lines}
    seated = dict(zip(case.players, table.players, strict=True))
    return LastHandOfTable(
        title=block_name(ranking.block),
        line=line,
        others_play=any(left[each] for each in case.others),
        players=tuple((seated[name], said[name]) for name in left if name in seated),
    )


def _hand(case: Case, now: Situation) -> Hand:
    seats = case.players
    dealer = now.dealer()
    riichi = frozenset(seats[seat] for seat in now.riichi)
    return Hand(
        seats=seats[dealer:] + seats[:dealer],
        first_dealer=seats[0],
        scores=dict(zip(seats, now.scores, strict=True)),
        honba=now.honba,
        sticks=now.sticks,
        riichi=riichi,
        deposits=dict.fromkeys(riichi, 1),
    )


@dataclass(frozen=True, slots=True)
class TableUnderWay:
    table: int
    line: str
    scores: tuple[tuple[Player, int], ...]
    last_hands: tuple[LastHandOfTable, ...]


def tables_under_way(current: CurrentState, progress: StageProgress, *, brief: bool = False) -> list[TableUnderWay]:
    """Return a stage's tables in play; `brief`: without their last hands. Players without an entry are left out."""
    sessions = [each.session_id for each in current.sessions if each.stage == progress.stage.key]
    found = []
    for (_, table), now, players in seated_live(current, live_tables(sessions)):
        seated = TableNow(now.scoring, players, now.situation)
        told = () if brief else last_hands_of(current, progress, seated, reader_names(current))
        scores = tuple(zip(players, now.situation.scores, strict=True))
        found.append(TableUnderWay(table, hand_line(now.situation), scores, told))
    return found


def seated_live(
    current: CurrentState, live: Mapping[tuple[int, int], LiveTable]
) -> Iterator[tuple[tuple[int, int], LiveTable, tuple[Player, ...]]]:
    known = {entry.player.pk: entry.player for entry in current.entries.values()}
    for place, now in sorted(live.items()):
        if now.players and all(pk in known for pk in now.players):
            yield place, now, tuple(known[pk] for pk in now.players)
