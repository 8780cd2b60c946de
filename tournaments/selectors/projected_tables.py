"""A table on the wall: what everybody has, what they would have if it ended now, and what they need."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from league.models import Player
from scoring.core import FinishedGame, ScoringError, ScoringRules, score
from stats.core.charts.labels import placed
from stats.core.charts.lines import path
from stats.core.charts.scales import WIDTH, Scale, ScaleMark, ticks
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import StageProgress
from tournaments.selectors.goals import playing
from tournaments.selectors.live import LiveTable
from tournaments.selectors.names import reader_name
from tournaments.selectors.needs import BlockNeeds, PlayerNeeds
from tournaments.selectors.picture import clipped
from tournaments.selectors.seating import PlannedTable, SessionSeating
from tournaments.selectors.state import CurrentState

STICK = 1000

HEIGHT = 1000
MARGIN, LABEL_GAP = 80, 250
"""The curve in 1/1000 of its height: what is left free above and below, and how far apart names stand."""

NAME_CELLS = 18
"""So many letters of half a width fit beside it."""


@dataclass(frozen=True, slots=True)
class ProjectedSeat:
    """A player at a table of the wall. Points in 1/1000 pt, `raw` as on the sticks, both None where it is not told.

    `total`: before this hanchan; `gained`: what the scores of now bring; `now`: both together. `rank` and `behind` are of
    the block as it would stand now: `behind` how far whoever is above is ahead, None for the first.
    """

    player: Player
    line: RankingLine
    wind: int | None
    total: int
    raw: int | None
    gained: int | None
    now: int
    rank: int
    behind: int | None
    is_last_above: bool
    is_dealer: bool = False
    has_riichi: bool = False
    needs: PlayerNeeds | None = None


@dataclass(frozen=True, slots=True)
class MomentumLine:
    """One player's scores after each hand: a path in a square of 1000, and where the name stands at its end."""

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
    """The scores of a hanchan after each hand as lines. `ticks`: round scores across."""

    lines: tuple[MomentumLine, ...]
    ticks: tuple[ScaleMark, ...]


@dataclass(frozen=True, slots=True)
class ProjectedTable:
    """A table of the wall. `number`: None for a block that sits at one table and has no plan. `live`: of the ticker.

    `round`: the hanchan under way. `needs`: what its block is played for, where it sits at this table.
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
    told: tuple[ScoringRules | None, Sequence[BlockNeeds]],
) -> list[ProjectedTable]:
    """Return the tables of a stage that are being played, or come next; else its blocks that sit at one table.

    `session_seatings`: those of the day that are looked at. `told`: the rules of the stage, and what is needed in it.
    """
    rules, needs = told
    builder = _Builder(progress, current, rules, needs)
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
    rules: ScoringRules | None
    needs: Sequence[BlockNeeds]

    def planned(self, table: PlannedTable, number: int | None, live: LiveTable | None) -> ProjectedTable | None:
        """Return a table of the plan, with its scores where it is ticked; None if nobody of it stands in the stage."""
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
        raw = dict(zip(live.players, live.scores, strict=False)) if live is not None else {}
        after = self._after(ranking, gained)
        here = [line for _, line in lines]
        needs = self._needs_of(ranking, here) if len(blocks) == 1 else None
        seats = []
        for line in here:
            player = self.current.player(line.participant)
            rank, now, behind, is_last = after.get(line.participant, (line.rank, line.points, None, False))
            seat = live.players.index(player.pk) if live is not None and player.pk in live.players else None
            seats.append(
                ProjectedSeat(
                    player=player,
                    line=line,
                    wind=winds[player.pk],
                    total=line.points,
                    raw=raw.get(player.pk),
                    gained=gained.get(player.pk),
                    now=now,
                    rank=rank,
                    behind=behind,
                    is_last_above=is_last and line is not here[-1],
                    is_dealer=live is not None and seat is not None and seat == live.dealer,
                    has_riichi=live is not None and seat is not None and seat in live.riichi,
                    needs=_needs_for(needs, line),
                )
            )
        seats.sort(key=lambda each: (each.rank, each.line.position))
        momentum = self._momentum(seats, live) if live is not None else None
        return ProjectedTable(self._block(blocks), table.number, number, tuple(seats), live, momentum, needs)

    def blocks(self) -> Iterator[ProjectedTable]:
        for ranking in self.progress.rankings:
            lines = playing(ranking)
            if not 3 <= len(lines) <= 4:
                continue
            needs, after = self._needs_of(ranking, lines), self._after(ranking, {})
            seats = []
            for line in lines:
                rank, now, behind, is_last = after.get(line.participant, (line.rank, line.points, None, False))
                player = self.current.player(line.participant)
                seats.append(
                    ProjectedSeat(
                        player, line, None, line.points, None, None, now, rank, behind, is_last,
                        needs=_needs_for(needs, line),
                    )
                )  # fmt: skip
            yield ProjectedTable(self._block({ranking.block}), None, None, tuple(seats), None, None, needs)

    def _block(self, blocks: set[str]) -> str:
        return next(iter(blocks)) if len(blocks) == 1 and len(self.progress.stage.blocks) > 1 else ""

    def _lines(self, players: Mapping[int, int]) -> list[tuple[BlockRanking, RankingLine]]:
        return [
            (ranking, line)
            for ranking in self.progress.rankings
            for line in ranking.lines
            if self.current.player(line.participant).pk in players
        ]

    def _needs_of(self, ranking: BlockRanking, lines: Sequence[RankingLine]) -> BlockNeeds | None:
        wanted = {int(line.participant) for line in lines}
        return next((each for each in self.needs if {player.entry.pk for player in each.players} == wanted), None)

    def _gained(self, live: LiveTable) -> dict[int, int]:
        """Return what the scores of now would bring, by player; nothing where the rules cannot tell."""
        on_table = sum(live.history[0]) - sum(live.scores) if live.history else 0
        if self.rules is None or on_table < 0 or on_table % STICK:
            return {}
        try:
            scored = score(FinishedGame(tuple(live.scores), sticks_left=on_table // STICK), self.rules)
        except ScoringError:
            return {}
        return dict(zip(live.players, scored.ranking, strict=True))

    def _after(
        self, ranking: BlockRanking, gained: Mapping[int, int]
    ) -> dict[object, tuple[int, int, int | None, bool]]:
        """Return how the block would stand now: rank, points, how far above is, and whether the line is below them."""
        counting = ranking.counting
        totals = {
            line.participant: line.points + gained.get(self.current.player(line.participant).pk, 0) for line in counting
        }
        order = sorted(counting, key=lambda line: (-totals[line.participant], line.position))
        # Who takes no place stands above no line.
        cuts = {sum(line.position <= cut.after for line in counting) for cut in ranking.cuts}
        found: dict[object, tuple[int, int, int | None, bool]] = {}
        before: int | None = None
        for place, line in enumerate(order, 1):
            now = totals[line.participant]
            rank = line.rank if not gained else place
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


def _needs_for(needs: BlockNeeds | None, line: RankingLine) -> PlayerNeeds | None:
    if needs is None:
        return None
    return next((each for each in needs.players if each.entry.pk == line.participant), None)
