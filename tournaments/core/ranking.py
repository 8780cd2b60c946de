"""Block rankings: ranks, the reason for each broken tie, advancement lines and distances to them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise

from scoring.core import PlayerResult, TieBreakReason, Tied, break_ties
from tournaments.core.facts import DecidedOrder, Participant, StageResult, Unranked, hanchan_count
from tournaments.core.format import RankBy, SeatingMethod, Stage


@dataclass(frozen=True)
class Contender:
    """A player of a stage.

    `played`: results in order of play. `replaces`: the player whose place this one took. `hanchan_taken_over`:
    hanchan played by that player in this stage. `spared`: hanchan cancelled because another player left. `late`:
    hanchan drawn before the player came. `byes`: hanchan drawn without the player. `provided_for`: remaining
    hanchan of a player who left for which a solution was decided. `done`: hanchan completed in this place, even if
    the view ends earlier. `before`: results of the stages whose points are carried over.
    """

    participant: Participant
    played: Sequence[StageResult] = ()
    carried: int = 0
    bonus: int = 0
    seed: int | None = None
    withdrawn: bool = False
    uninvited: bool = False
    replaces: Participant | None = None
    hanchan_taken_over: int = 0
    spared: int = 0
    late: int = 0
    byes: int = 0
    provided_for: int = 0
    is_substitute: bool = False
    done: int = 0
    unranked: Unranked | None = None
    before: Sequence[StageResult] = ()

    @cached_property
    def results(self) -> list[PlayerResult]:
        return [result for result in self.played if isinstance(result, PlayerResult)]

    @cached_property
    def chombo(self) -> int:
        """Chombo and other penalties on the total, in 1/1000 pt. Source: Cinderella League 2020, "ペナルティ"."""
        return sum([result.total_only for result in self.results])

    @cached_property
    def other_points(self) -> int:
        if len(self.results) == len(self.played):
            return 0
        return sum(result.points for result in self.played if not isinstance(result, PlayerResult))

    @cached_property
    def total(self) -> int:
        """All points in the stage: hanchan, chombo, points without a hanchan, carry-over and bonus."""
        hanchan = sum([result.points for result in self.results])
        return hanchan + self.chombo + self.other_points + self.carried + self.bonus

    @cached_property
    def raw_scores(self) -> list[int]:
        """The known raw scores of all hanchan whose points count."""
        hanchan = (each for each in (*self.before, *self.played) if isinstance(each, PlayerResult))
        return [each.raw for each in hanchan if each.raw is not None]

    @cached_property
    def hanchan(self) -> int:
        """The number of hanchan played, including those without details."""
        return hanchan_count(self.played)


@dataclass(frozen=True, slots=True)
class RankingLine:
    """A player's line in a block ranking; points in 1/1000 pt.

    `position` is 1, 2, 3 …; `rank` is shared if tied. `chombo` (penalties) and `other_points` (points without a
    hanchan) are included in `points`. `advances_to`: destination if the stage ended now. `above`, `below`: distances to
    the nearest lines. `places`: placements, if the stage ranks by them. `counts`: whether the player's rank takes up a
    place, false for players who left early. `unranked` players come last, with rank 0.
    """

    participant: Participant
    position: int
    rank: int
    points: int
    played: int
    planned: int
    carried: int = 0
    bonus: int = 0
    chombo: int = 0
    other_points: int = 0
    decided_by: TieBreakReason | None = None
    shared: bool = False
    undecided: bool = False
    withdrawn: bool = False
    uninvited: bool = False
    advances_to: str | None = None
    above: int | None = None
    below: int | None = None
    places: tuple[int, ...] = ()
    counts: bool = True
    unranked: Unranked | None = None
    replaces: Participant | None = None

    @property
    def left(self) -> int:
        return 0 if self.withdrawn else max(0, self.planned - self.played)


@dataclass(frozen=True, slots=True)
class Cut:
    """A line below a position: players above it advance to `above`, those below it to `below` (None: eliminated)."""

    after: int
    above: str | None
    below: str | None


@dataclass(frozen=True, slots=True)
class BlockRanking:
    """A block's ranking.

    `complete`: all planned hanchan were played. `level`: groups of tied players. `leads`: destinations by rank.
    `ahead`: players of other stages who finish before these.
    """

    block: str
    lines: tuple[RankingLine, ...]
    complete: bool
    cuts: tuple[Cut, ...] = ()
    level: tuple[tuple[Participant, ...], ...] = ()
    leads: tuple[str | None, ...] = ()
    ahead: int = 0

    @property
    def staying(self) -> tuple[Participant, ...]:
        return tuple(line.participant for line in self.lines if not line.withdrawn)

    @property
    def counting(self) -> tuple[RankingLine, ...]:
        """The lines whose rank takes up a place, best first."""
        return tuple(line for line in self.lines if line.counts)

    @property
    def started(self) -> bool:
        return any(line.played for line in self.lines)

    @property
    def as_listed(self) -> "BlockRanking":
        """The ranking as shown, with the ranks after those `ahead`.

        Until it is complete, players without hanchan come after those who have played, with rank 0.

        Seating and advancement keep the order of `lines`, where they have ±0. A line with one of them above is moved
        below as many who have played, without distances, or left out while there are too few.
        """
        ranked = tuple(replace(line, rank=line.rank and line.rank + self.ahead) for line in self.lines)
        if self.complete or not self.started or any(line.carried or line.bonus for line in self.lines):
            return replace(self, lines=ranked) if self.ahead else self
        idle = {line.participant: line.rank for line in ranked if not line.played and line.unranked is None}
        order = sorted(ranked, key=lambda line: (line.unranked is not None, not line.counts, line.participant in idle))
        ranks = {line: line.rank - sum(rank < line.rank for rank in idle.values()) for line in order}
        lines = [
            replace(line, position=position, rank=0 if line.participant in idle else ranks[line])
            for position, line in enumerate(order, start=1)
        ]
        level = (tuple(each for each in group if each not in idle) for group in self.level)
        cuts = tuple(_cuts([line for line in lines if line.counts], self.leads))
        last = cuts[-1].after if cuts else 0
        if len(self.cuts) == len(cuts) and not idle.keys() & {line.participant for line in self.lines[:last]}:
            lines = list(_with_distances(lines, cuts))
        else:
            lines = [replace(line, advances_to=None, above=None, below=None) for line in lines]
            cuts = cuts if not last or lines[last - 1].rank else ()
        return replace(self, lines=tuple(lines), cuts=cuts, level=tuple(group for group in level if len(group) > 1))


def block_ranking(
    stage: Stage,
    block: str,
    contenders: Iterable[Contender],
    orders: Iterable[DecidedOrder],
    table_size: int,
    *,
    closed: bool = False,
) -> BlockRanking:
    """Return a block's ranking, best first, in 1/1000 pt. `closed`: no more hanchan will be played.

    Players without hanchan have ±0 and share a rank, as in the published standings of the Cinderella League.
    """
    players = tuple(contenders)
    decided = [order.players for order in orders if order.stage == stage.key]
    lines = tuple(_lines(stage, players, decided, table_size))
    complete = closed or _is_complete(stage, players, table_size)
    if complete:
        lines = tuple(line if line.withdrawn else replace(line, planned=line.played) for line in lines)
    return BlockRanking(block, lines, complete, level=tuple(_level(lines)))


def ranked(
    stage: Stage,
    contenders: Iterable[Contender],
    decided: Sequence[Sequence[Participant]],
    gone: Collection[Participant] = (),
) -> Iterator[tuple[int, Contender, Tied[Participant]]]:
    """Yield rank, player and deciding criterion, best first; players in `gone` come last.

    Source of tie-breaks: Cinderella League 2020, "補足1" and "補足2", for all stages.
    """
    primary = _PRIMARY[stage.rank_by]

    def level(each: Contender) -> tuple[object, ...]:
        return each.participant in gone, primary(each)

    first = 1
    for _, group in groupby(sorted(contenders, key=level), key=level):
        members = {each.participant: each for each in group}
        for tied in _tied(stage, members, decided):
            yield first + tied.offset, members[tied.player], tied
        first += len(members)


def _tied(
    stage: Stage, members: Mapping[Participant, Contender], decided: Sequence[Sequence[Participant]]
) -> Iterable[Tied[Participant]]:
    if len(members) == 1:
        return [Tied(participant, 0) for participant in members]
    if not any(each.played or each.before for each in members.values()):
        # Without any results there is nothing to compare, but some players may still advance from a closed stage.
        is_decided = any(members.keys() <= set(order) for order in decided)
        shared = [Tied(participant, 0, shared=True) for participant in members]
        return break_ties({participant: [] for participant in members}, ["manual"], decided) if is_decided else shared
    # Ranks may be shared unless an advancement line separates the tied players; then the director decides.
    tiebreak = [*(name for name in stage.tiebreak if name not in {"shared", "manual"}), "manual"]
    seeds = {participant: each.seed for participant, each in members.items() if each.seed is not None}
    best = {participant: max(each.raw_scores) for participant, each in members.items() if each.raw_scores}
    results = {participant: each.results for participant, each in members.items()}
    return break_ties(results, tiebreak, decided, {"seed": seeds, "best_raw": best})


_PRIMARY: Mapping[RankBy, Callable[[Contender], tuple[int, ...]]] = {
    RankBy.POINTS: lambda each: (-each.total,),
    # Compare the number of hanchan first: players without one have no placement yet.
    RankBy.PLACEMENT: lambda each: (-len(each.results), sum(result.placement for result in each.results)),
}


def planned_each(stage: Stage, players: int, table_size: int) -> int:
    """Return the number of hanchan per player, taking byes into account."""
    seats = players // table_size * table_size * stage.planned
    return -(-seats // players) if seats and stage.seating is not SeatingMethod.FIXED else stage.planned


def _fewest_each(stage: Stage, players: Sequence[Contender], table_size: int) -> int:
    places = sum(not each.is_substitute for each in players)
    if stage.seating is SeatingMethod.FIXED or places < table_size:
        return stage.planned
    return places // table_size * table_size * stage.planned // places


def _plays_to_the_end(each: Contender, stage: Stage) -> bool:
    return not each.withdrawn or each.hanchan >= stage.planned


def _lines(
    stage: Stage, players: Sequence[Contender], decided: Sequence[Sequence[Participant]], table_size: int
) -> Iterator[RankingLine]:
    places = sum(_plays_to_the_end(each, stage) for each in players) + len(_provided_for(stage, players))
    fewest = _fewest_each(stage, players, table_size)
    planned, counts_places = planned_each(stage, places, table_size), stage.rank_by is RankBy.PLACEMENT
    # Players who left early take no place, so ties with them need no decision.
    gone = {each.participant for each in players if each.withdrawn and each.done < fewest}
    order = [*ranked(stage, [each for each in players if each.unranked is None], decided, gone)]
    order += [(0, each, Tied(each.participant, 0)) for each in players if each.unranked is not None]
    for position, (rank, each, tied) in enumerate(order, start=1):
        yield RankingLine(
            participant=each.participant,
            position=position,
            rank=rank,
            points=each.total,
            played=each.hanchan,
            planned=max(
                each.hanchan,
                min(planned - each.hanchan_taken_over - each.spared - each.late, stage.planned - each.byes),
            ),
            carried=each.carried,
            bonus=each.bonus,
            chombo=each.chombo,
            other_points=each.other_points,
            decided_by=tied.decided_by,
            shared=tied.shared,
            undecided=tied.undecided,
            withdrawn=each.withdrawn,
            uninvited=each.uninvited,
            places=tuple(result.placement for result in each.results) if counts_places else (),
            counts=each.unranked is None and each.participant not in gone,
            unranked=each.unranked,
            replaces=each.replaces,
        )


def _level(lines: Sequence[RankingLine]) -> Iterator[tuple[Participant, ...]]:
    for _, group in groupby((line for line in lines if line.unranked is None), key=lambda line: line.rank):
        players = tuple(line.participant for line in group)
        if len(players) > 1:
            yield players


def _is_complete(stage: Stage, players: Sequence[Contender], table_size: int) -> bool:
    """Return whether all planned hanchan were played, without waiting for players who withdrew.

    With byes, count the seats taken instead. A withdrawn player still counts while the remaining hanchan are provided
    for.
    """
    entered = [each for each in players if not (each.is_substitute or each.uninvited)]
    seats = len(entered) // table_size * table_size * stage.planned
    if stage.seating is not SeatingMethod.FIXED and 0 < seats <= sum(
        min(each.hanchan + each.spared, stage.planned) for each in entered
    ):
        # All tables of all rounds have been played; who leaves afterwards changes nothing.
        return True
    active = _without_replaced([each for each in players if _plays_to_the_end(each, stage)])
    provided_for = _provided_for(stage, players)
    played = [each.hanchan + each.hanchan_taken_over + each.spared for each in active]
    late = [each.late for each in active]
    places = len(active) + len(provided_for)
    if places < table_size:
        return False
    if (places % table_size == 0 and not any(late)) or stage.seating is SeatingMethod.FIXED:
        return all(hanchan >= stage.planned for hanchan in played)
    # Seats taken before a withdrawal count too, so the number of seats alone does not show that the last round is over.
    is_last_round = places == len(players) or max(played, default=0) >= stage.planned
    taken = sum(played) + sum(each.hanchan + each.provided_for for each in provided_for)
    present = (places - sum(missed >= number for missed in late) for number in range(1, stage.planned + 1))
    return is_last_round and taken >= sum(each // table_size * table_size for each in present)


def _provided_for(stage: Stage, players: Sequence[Contender]) -> list[Contender]:
    """Return players who left and whose remaining hanchan are provided for.

    Empty where seating follows the standings, because there the tables are drawn without them.
    """
    if stage.seating not in {SeatingMethod.FIXED, SeatingMethod.BALANCED}:
        return []
    return [each for each in players if each.provided_for and not _plays_to_the_end(each, stage)]


def _without_replaced(players: Sequence[Contender]) -> list[Contender]:
    """Leave out one player without hanchan for each player who plays without having qualified."""
    strangers = sum(each.uninvited for each in players)
    idle = [each for each in players if not each.hanchan and not each.uninvited][:strangers]
    return [each for each in players if each not in idle]


def with_cuts(
    ranking: BlockRanking, leads: Mapping[Participant, str], advances_to: Mapping[Participant, str]
) -> BlockRanking:
    """Return the ranking with destinations, advancement lines, and distances to the lines.

    `leads`: destinations of the players' ranks, including players who left. No line is drawn between tied players who
    have not played.
    """
    ranking = replace(ranking, leads=tuple(leads.get(line.participant) for line in ranking.counting))
    drawn = tuple(_cuts(ranking.counting, ranking.leads))
    after = {cut.after for cut in drawn}
    edges = [(upper, lower) for upper, lower in pairwise(ranking.counting) if upper.position in after]
    is_open = any(upper.points == lower.points and not (upper.played and lower.played) for upper, lower in edges)
    if not leads or (is_open and not ranking.complete):
        return ranking
    lines = [replace(line, advances_to=advances_to.get(line.participant)) for line in ranking.lines]
    return replace(ranking, lines=tuple(_with_distances(lines, drawn)), cuts=drawn)


def _cuts(counting: Sequence[RankingLine], leads: Sequence[str | None]) -> Iterator[Cut]:
    for line, (above, below) in zip(counting, pairwise(leads), strict=False):
        if above != below:
            yield Cut(line.position, above, below)


def _with_distances(lines: Sequence[RankingLine], cuts: Sequence[Cut]) -> Iterator[RankingLine]:
    placed = [line for line in lines if line.counts and line.rank]
    for line in lines:
        is_placed = bool(line.counts and line.rank)
        over = [cut.after for cut in cuts if is_placed and cut.after < line.position][-1:]
        under = [cut.after for cut in cuts if is_placed and cut.after >= line.position][:1]
        above = [each.points for after in over for each in placed if each.position <= after]
        below = [each.points for after in under for each in placed if each.position > after]
        yield replace(
            line, above=above[-1] - line.points if above else None, below=line.points - below[0] if below else None
        )
