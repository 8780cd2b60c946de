"""A table on the hall display: totals, totals if the hanchan ended now, requirements."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from league.models import Player
from scoring.core import FinishedGame, ScoringError, score
from stats.core.charts.lines import path
from stats.core.charts.scales import WIDTH, Scale, ScaleMark, placed, ticks
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import StageProgress
from tournaments.core.ticking import Situation
from tournaments.messages.needs import LastHandSentences
from tournaments.selectors.hall import LiveTable
from tournaments.selectors.last_hands import LastHandOfTable, TableNow, last_hands_of, seated_live
from tournaments.selectors.needs import BlockNeeds, PlayerNeeds
from tournaments.selectors.needs_tables import playing
from tournaments.selectors.picture import cells, clipped
from tournaments.selectors.seating import PlannedTable, SessionSeating
from tournaments.selectors.state import CurrentState, reader_name, reader_names

STICK = 1000

HEIGHT = 1000
MARGIN, LABEL_GAP = 80, 250
"""Margins of a chart, and least distance between its labels, in 1/1000 of its height."""

NAME_CELLS = 18
"""Width available for a name beside the chart, in half-width characters."""


Standing = tuple[int, int, int | None, bool]
"""Projected rank, points, gap to the player above, and whether a line is drawn below."""


@dataclass(frozen=True, slots=True)
class ProjectedSeat:
    """A seat with projected points (1/1000 pt); `raw` is the raw score. Both are None if not shown.

    `total`: before this hanchan; `gained`: from the current scores; `now`: their sum. `rank` and `behind` are current
    ones of the block; `behind` is the gap to the player above, None for the first. `line`: None for a house player.
    """

    player: Player
    line: RankingLine | None
    total: int
    now: int
    rank: int
    behind: int | None
    is_last_above: bool
    needs: PlayerNeeds | None
    wind: int | None = None
    raw: int | None = None
    gained: int | None = None
    is_dealer: bool = False
    has_riichi: bool = False


@dataclass(frozen=True, slots=True)
class MomentumLine:
    number: int
    player: Player
    path: str
    end_y: int
    label_y: int

    @property
    def name(self) -> str:
        return clipped(reader_name(self.player), NAME_CELLS)


@dataclass(frozen=True, slots=True)
class Momentum:
    """A chart of the scores. `ticks`: gridlines at round scores."""

    lines: tuple[MomentumLine, ...]
    ticks: tuple[ScaleMark, ...]


@dataclass(frozen=True, slots=True)
class ProjectedTable:
    """A table on the hall display.

    `number`: None for an unplanned block that plays at a single table. `live`: data from the ticker. `round`: hanchan
    in progress. `needs`: requirements of its block, if the block sits at this table.
    """

    block: str
    number: int | None
    round: int | None
    seats: tuple[ProjectedSeat, ...]
    live: LiveTable | None
    momentum: Momentum | None
    needs: BlockNeeds | None


def projected_tables(
    progress: StageProgress,
    current: CurrentState,
    session_seatings: Iterable[SessionSeating],
    live: Mapping[tuple[int, int], LiveTable],
    needs: Sequence[BlockNeeds],
) -> list[ProjectedTable]:
    """Return the tables of a stage as the hall display shows them. `session_seatings`: seatings of the day shown."""
    builder = _Builder(progress, current, needs)
    found = []
    for each in session_seatings:
        for table in each.current.tables if each.current is not None else ():
            if table.hanchan is None:
                here = live.get((each.stage_session.session_id, table.number))
                found.append(builder.planned(table, each.current.number if each.current else None, here))
    return [each for each in found if each is not None] or list(builder.blocks())


@dataclass(frozen=True, slots=True)
class _Builder:
    progress: StageProgress
    current: CurrentState
    needs: Sequence[BlockNeeds]

    def planned(self, table: PlannedTable, number: int | None, live: LiveTable | None) -> ProjectedTable | None:
        winds = {seat.player.pk: seat.wind for seat in table.seats}
        live = live if live is not None and live.players else None
        if live is not None and set(live.players) != set(winds):
            winds = {player: wind for wind, player in enumerate(live.players)}
        lines = self._lines(winds)
        if not lines:
            return None
        blocks = {ranking.block for ranking, _ in lines}
        ranking = lines[0][0]
        gained = self._gained(live) if live is not None else {}
        after = self._after(ranking, gained)
        here = [line for _, line in lines]
        needs = self._needs_of(here) if len(blocks) == 1 else None
        house = self.current.facts.house.get(self.progress.stage.key, frozenset()) - {line.participant for line in here}
        others = [player for player in map(self.current.player, house) if player.pk in winds]
        seats, found = [], [self._seat(line, after, needs) for line in here]
        found += [ProjectedSeat(player, None, 0, 0, 0, None, False, None) for player in others]  # noqa: FBT003
        for each in found:
            player = each.player
            plain = replace(each, is_last_above=each.is_last_above and each.line is not here[-1], wind=winds[player.pk])
            if live is not None:
                now, place = live.situation, live.players.index(player.pk)
                plain = replace(
                    plain,
                    raw=now.scores[place],
                    gained=gained.get(player.pk),
                    is_dealer=place == now.dealer(),
                    has_riichi=place in now.riichi,
                )
            seats.append(plain)
        seats.sort(key=lambda each: (not each.rank, each.rank, each.line.position if each.line else len(winds)))
        momentum = self._momentum(seats, live) if live is not None else None
        return ProjectedTable(self._block(blocks), table.number, number, tuple(seats), live, momentum, needs)

    def blocks(self) -> Iterator[ProjectedTable]:
        for ranking in (each.as_listed for each in self.progress.rankings):
            lines = playing(ranking)
            if not 3 <= len(lines) <= 4:
                continue
            needs, after = self._needs_of(lines), self._after(ranking, {})
            seats = tuple(self._seat(line, after, needs) for line in lines)
            yield ProjectedTable(self._block({ranking.block}), None, None, seats, None, None, needs)

    def _seat(self, line: RankingLine, after: Mapping[object, Standing], needs: BlockNeeds | None) -> ProjectedSeat:
        rank, now, behind, is_last = after.get(line.participant, (line.rank, line.points, None, False))
        told = next((each for each in needs.players if each.entry.pk == line.participant), None) if needs else None
        return ProjectedSeat(self.current.player(line.participant), line, line.points, now, rank, behind, is_last, told)

    def _block(self, blocks: set[str]) -> str:
        return next(iter(blocks)) if len(blocks) == 1 and len(self.progress.stage.blocks) > 1 else ""

    def _lines(self, players: Mapping[int, int]) -> list[tuple[BlockRanking, RankingLine]]:
        return [
            (ranking, line)
            for ranking in (each.as_listed for each in self.progress.rankings)
            for line in ranking.lines
            if self.current.player(line.participant).pk in players
        ]

    def _needs_of(self, lines: Sequence[RankingLine]) -> BlockNeeds | None:
        wanted = {int(line.participant) for line in lines}
        return next((each for each in self.needs if {player.entry.pk for player in each.players} == wanted), None)

    def _gained(self, live: LiveTable) -> dict[int, int]:
        scores = live.situation.scores
        on_table = sum(live.history[0]) - sum(scores) if live.history else 0
        if on_table < 0 or on_table % STICK:
            return {}
        try:
            scored = score(FinishedGame(scores, sticks_left=on_table // STICK), live.scoring)
        except ScoringError:
            return {}
        return dict(zip(live.players, scored.ranking, strict=True))

    def _after(self, ranking: BlockRanking, gained: Mapping[int, int]) -> dict[object, Standing]:
        here = {line.participant: gained.get(self.current.player(line.participant).pk) for line in ranking.counting}
        counting = [line for line in ranking.counting if line.rank or here[line.participant] is not None]
        totals = {line.participant: line.points + (here[line.participant] or 0) for line in counting}
        order = sorted(counting, key=lambda line: (-totals[line.participant], line.position))
        # Players without a rank do not count towards lines.
        cuts = {sum(line.position <= cut.after for line in counting) for cut in ranking.cuts}
        found: dict[object, Standing] = {}
        before: int | None = None
        for place, line in enumerate(order, 1):
            now = totals[line.participant]
            rank = line.rank if not gained else place + ranking.ahead
            found[line.participant] = rank, now, None if before is None else before - now, place in cuts
            before = now
        return found

    def _momentum(self, seats: Sequence[ProjectedSeat], live: LiveTable) -> Momentum | None:
        if len(live.history) < 2:
            return None
        scores = [score for hand in live.history for score in hand]
        scale = Scale(min(scores), max(*scores, min(scores) + STICK), HEIGHT, MARGIN)
        last = len(live.history) - 1
        drawn = [each for each in seats if each.player.pk in live.players]
        columns = [[hand[live.players.index(each.player.pk)] for hand in live.history] for each in drawn]
        ends = [scale.y(values[-1]) for values in columns]
        labels = placed(ends, LABEL_GAP, LABEL_GAP // 2, HEIGHT - LABEL_GAP // 2)
        lines = (
            MomentumLine(
                number,
                each.player,
                path([(WIDTH * step // last, value) for step, value in enumerate(values)], scale),
                end,
                label,
            )
            for number, (each, values, end, label) in enumerate(zip(drawn, columns, ends, labels, strict=True), 1)
        )
        marks = tuple(ScaleMark(scale.y(value), value) for value in ticks(scale, at_most=4))
        return Momentum(tuple(lines), marks)


NAME = re.compile(r"\{(\d+)\}")
"""Placeholder for a name, filled in after equal sentences are merged."""

WIDE = 20
"""Full-width characters per line of a card at the smallest font size."""

MOST_LINES = 6
"""Lines on a card below the name, at the smallest font size."""

SHORT_CELLS = 14
"""Width of a name on a card where the whole names would take the room of a condition."""

LONGEST = 3
"""A draw that takes more lines than this is shortened."""

ONE_LINE = 76
"""Half-width characters in one line under a player of the table, at the smallest font size."""

SIZES = {"large": (4, 15), "big": (5, 17)}
"""Font sizes: lines per card, full-width characters per line."""


@dataclass(frozen=True, slots=True)
class HandCard:
    """A player's score before the hand, and the results that are enough: tsumo, ron by player, draw last.

    `said`: a short version.
    """

    player: Player
    score: int
    is_dealer: bool
    has_riichi: bool
    said: tuple[str, ...]

    @property
    def size(self) -> str:
        return next((name for name, (most, wide) in SIZES.items() if lines_of(self.said, wide) <= most), "small")

    @property
    def in_one_line(self) -> tuple[str, ...]:
        if sum(map(cells, self.said)) <= ONE_LINE:
            return self.said
        return (self.said[0], self.said[-1])


@dataclass(frozen=True, slots=True)
class HandCards:
    """Cards of all players for the last hand."""

    table: int
    live: LiveTable
    goal: LastHandOfTable
    cards: tuple[HandCard, ...]


def hand_cards(
    current: CurrentState, progress: StageProgress, live: Mapping[tuple[int, int], LiveTable]
) -> list[HandCards]:
    sessions = {each.session_id for each in current.sessions if each.stage == progress.stage.key}
    tokens = {str(pk): f"{{{pk}}}" for pk in current.entries}
    names = reader_names(current)
    found = []
    for (session, table), now, players in seated_live(current, live):
        if session in sessions:
            told = last_hands_of(current, progress, TableNow(now.scoring, players, now.situation), tokens)
            for goal in told:
                cards = [card_of(*each, players.index(each[0]), now.situation, names) for each in goal.players]
                found.append(HandCards(table, now, goal, tuple(cards)))
    return found


def card_of(player: Player, told: LastHandSentences, seat: int, now: Situation, names: Mapping[str, str]) -> HandCard:
    said = _named(told.own, names)
    if lines_of(said[-1:], WIDE) > LONGEST:
        said[-1] = gettext("On a draw: it depends on who is tenpai.")
    if lines_of(said, WIDE) > MOST_LINES:
        short = {key: short_name(name, SHORT_CELLS) for key, name in names.items()}
        said[:-1] = _named(told.own, short)[:-1]
    if lines_of(said, WIDE) > MOST_LINES:
        while len(said) > 2 and lines_of(said, WIDE) >= MOST_LINES:
            del said[-2]
        said.insert(-1, "…")
    return HandCard(player, now.scores[seat], seat == now.dealer(), seat in now.riichi, tuple(said))


def short_name(name: str, room: int) -> str:
    """Return a name that fits, with an initial if need be: E. Kurebayashi."""
    given, _space, family = name.partition(" ")
    return clipped(f"{given[0]}. {family}" if family and name.isascii() and cells(name) > room else name, room)


def _named(sentences: Sequence[str], names: Mapping[str, str]) -> list[str]:
    return [NAME.sub(lambda token: names[token[1]], sentence) for sentence in sentences]


def lines_of(sentences: Sequence[str], wide: int) -> int:
    """Return how many lines sentences take. `wide`: full-width characters per line."""
    return sum(-(-cells(text) // (2 * wide)) or 1 for text in sentences)
