"""The ranking of a block: ranks, the reason of every broken tie, the lines that are cut and how far away they are."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise

from scoring.core import PlayerResult, TieBreakReason, Tied, break_ties
from tournaments.core.facts import DecidedOrder, Participant, StageResult, Unranked, hanchan_count
from tournaments.core.format import RankBy, SeatingMethod, Stage


@dataclass(frozen=True)
class Contender:
    """A player of a stage with what they brought along. `played` in order of play.

    `hanchan_taken_over`: how many hanchan somebody else had played on the same place before. `spared`: how many are not
    played because somebody else has left; `provided_for`: how many of somebody who has left are settled. `done`:
    how many of the hanchan on their place are behind them by now, also where the stage is seen as it stood before.
    """

    participant: Participant
    played: Sequence[StageResult] = ()
    carried: int = 0
    bonus: int = 0
    seed: int | None = None
    withdrawn: bool = False
    uninvited: bool = False
    hanchan_taken_over: int = 0
    spared: int = 0
    provided_for: int = 0
    is_substitute: bool = False
    done: int = 0
    unranked: Unranked | None = None

    @cached_property
    def results(self) -> list[PlayerResult]:
        return [result for result in self.played if isinstance(result, PlayerResult)]

    @cached_property
    def chombo(self) -> int:
        """What fouls have put on the total (1/1000 pt). Source: Cinderella League 2020, "ペナルティ"."""
        return sum([result.total_only for result in self.results])

    @cached_property
    def other_points(self) -> int:
        if len(self.results) == len(self.played):
            return 0
        return sum(result.points for result in self.played if not isinstance(result, PlayerResult))

    @cached_property
    def total(self) -> int:
        """Everything that counts in the stage: hanchan, chombo, points without hanchan, carry-over and bonus."""
        hanchan = sum([result.points for result in self.results])
        return hanchan + self.chombo + self.other_points + self.carried + self.bonus

    @cached_property
    def hanchan(self) -> int:
        """How many hanchan were played, those without details included."""
        return hanchan_count(self.played)


@dataclass(frozen=True, slots=True)
class RankingLine:
    """One player's line in the ranking of a block; points in 1/1000 pt.

    `position` counts 1, 2, 3 …, `rank` is shared by equals. `chombo` and `other_points` are parts of `points`: what fouls put
    on the total, and penalties and points without hanchan. `advances_to` is where the player would advance if it ended now.
    `above` and `below` are the distances to the nearest lines. `places`: the placements taken, where they rank.
    `counts`: the line takes a rank when places are given out; who has left before the end takes none. Who is `unranked`
    stands below all others, with the rank 0.
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

    @property
    def left(self) -> int:
        return max(0, self.planned - self.played)


@dataclass(frozen=True, slots=True)
class Cut:
    """A line below a position: players above it go to one place, those below to another (None: nowhere)."""

    after: int
    above: str | None
    below: str | None


@dataclass(frozen=True, slots=True)
class BlockRanking:
    """A block as it stands. `complete`: everything planned was played. `level` are groups whom nothing separates."""

    block: str
    lines: tuple[RankingLine, ...]
    complete: bool
    cuts: tuple[Cut, ...] = ()
    level: tuple[tuple[Participant, ...], ...] = ()

    @property
    def staying(self) -> tuple[Participant, ...]:
        return tuple(line.participant for line in self.lines if not line.withdrawn)

    @property
    def counting(self) -> tuple[RankingLine, ...]:
        """The lines by which places are given out, best first: the first of these holds the first place."""
        return tuple(line for line in self.lines if line.counts)

    @property
    def started(self) -> bool:
        return any(line.played for line in self.lines)


def block_ranking(
    stage: Stage,
    block: str,
    contenders: Iterable[Contender],
    orders: Iterable[DecidedOrder],
    table_size: int,
    *,
    closed: bool = False,
) -> BlockRanking:
    """Return the ranking of a block, best first; points in 1/1000 pt. `closed`: nothing more of it is played.

    Players without a hanchan stand at ±0 and share a rank, as in the published standings of the Cinderella League.
    """
    players = tuple(contenders)
    decided = [order.players for order in orders if order.stage == stage.key]
    lines = tuple(_lines(stage, players, decided, table_size))
    if closed:
        lines = tuple(replace(line, planned=line.played) for line in lines)
    level = tuple(_level(lines))
    return BlockRanking(block, lines, closed or _is_complete(stage, players, table_size), level=level)


def ranked(
    stage: Stage,
    contenders: Iterable[Contender],
    decided: Sequence[Sequence[Participant]],
    gone: Collection[Participant] = (),
) -> Iterator[tuple[int, Contender, Tied[Participant]]]:
    """Yield rank, player and what was decided about them, best first; of equals first those who are not `gone`.

    Source of the tie-breaks: Cinderella League 2020, "補足1" and "補足2", which hold for every stage alike.
    """
    players = list(contenders)
    primary = _PRIMARY[stage.rank_by]
    first = 1
    for _, group in groupby(sorted(players, key=primary), key=primary):
        level: dict[bool, dict[Participant, Contender]] = {False: {}, True: {}}
        for each in group:
            level[each.participant in gone][each.participant] = each
        for members in level.values():
            for tied in _tied(stage, members, decided) if members else ():
                yield first + tied.offset, members[tied.player], tied
            first += len(members)


def _tied(
    stage: Stage, members: Mapping[Participant, Contender], decided: Sequence[Sequence[Participant]]
) -> Iterable[Tied[Participant]]:
    if len(members) == 1:
        return [Tied(participant, 0) for participant in members]
    if not any(each.played for each in members.values()):
        # Nobody of them has played: there is nothing to compare, but a stage that is closed may send some of them on.
        is_decided = any(members.keys() <= set(order) for order in decided)
        shared = [Tied(participant, 0, shared=True) for participant in members]
        return break_ties({participant: [] for participant in members}, ["manual"], decided) if is_decided else shared
    # Equal ranks may be shared until a line runs through them; then a person decides, whatever the list says.
    tiebreak = [*(name for name in stage.tiebreak if name not in {"shared", "manual"}), "manual"]
    seeds = {participant: each.seed for participant, each in members.items() if each.seed is not None}
    return break_ties(
        {participant: each.results for participant, each in members.items()}, tiebreak, decided, {"seed": seeds}
    )


_PRIMARY: Mapping[RankBy, Callable[[Contender], tuple[int, ...]]] = {
    RankBy.POINTS: lambda each: (-each.total,),
    # Who has played more comes first: before the first hanchan nobody holds a place.
    RankBy.PLACEMENT: lambda each: (-len(each.results), sum(result.placement for result in each.results)),
}


def planned_each(stage: Stage, players: int, table_size: int) -> int:
    """Return how many hanchan of a stage a player plays where so many do not fill the tables and sit out in turn."""
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
    # Who left before the end takes no place, so nothing has to be decided between them and others.
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
            planned=max(0, planned - each.hanchan_taken_over - each.spared),
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
        )


def _level(lines: Sequence[RankingLine]) -> Iterator[tuple[Participant, ...]]:
    for _, group in groupby((line for line in lines if line.unranked is None), key=lambda line: line.rank):
        players = tuple(line.participant for line in group)
        if len(players) > 1:
            yield players


def _is_complete(stage: Stage, players: Sequence[Contender], table_size: int) -> bool:
    """Return whether everything planned was played; who has withdrawn is not waited for.

    Where the players do not fill the tables some sit out each hanchan, so the seats taken are counted instead. A place
    that somebody has left counts as long as its hanchan are provided for.
    """
    active = _without_replaced([each for each in players if _plays_to_the_end(each, stage)])
    provided_for = _provided_for(stage, players)
    played = [each.hanchan + each.hanchan_taken_over + each.spared for each in active]
    places = len(active) + len(provided_for)
    if places < table_size:
        return False
    if places % table_size == 0 or stage.seating is SeatingMethod.FIXED:
        return all(hanchan >= stage.planned for hanchan in played)
    # Seats taken before somebody left count as well, so that alone does not tell that the last round is over.
    is_last_round = places == len(players) or max(played, default=0) >= stage.planned
    taken = sum(played) + sum(each.hanchan + each.provided_for for each in provided_for)
    return is_last_round and taken >= places // table_size * table_size * stage.planned


def _provided_for(stage: Stage, players: Sequence[Contender]) -> list[Contender]:
    """Return who has left seats that are settled; where tables follow from the standings the next ones go without."""
    if stage.seating not in {SeatingMethod.FIXED, SeatingMethod.BALANCED}:
        return []
    return [each for each in players if each.provided_for and not _plays_to_the_end(each, stage)]


def _without_replaced(players: Sequence[Contender]) -> list[Contender]:
    """Return the players less one who has not played for each who plays without a place: the hanchan tell who plays."""
    strangers = sum(each.uninvited for each in players)
    idle = [each for each in players if not each.hanchan and not each.uninvited][:strangers]
    return [each for each in players if each not in idle]


def with_cuts(
    ranking: BlockRanking, leads: Mapping[Participant, str], advances_to: Mapping[Participant, str]
) -> BlockRanking:
    """Return the ranking with where everybody would go, the lines between the places, and the distances to them.

    `leads`: where the ranks of players lead, whether they are still there or not.
    """
    if not leads:
        return ranking
    cuts = [
        (upper, lower)
        for upper, lower in pairwise(ranking.counting)
        if leads.get(upper.participant) != leads.get(lower.participant)
    ]
    lines = []
    for line in ranking.lines:
        above = [upper.points for upper, _ in cuts if line.counts and upper.position < line.position]
        below = [lower.points for _, lower in cuts if line.counts and lower.position > line.position]
        distances = (above[-1] - line.points if above else None, line.points - below[0] if below else None)
        lines.append(
            replace(line, advances_to=advances_to.get(line.participant), above=distances[0], below=distances[1])
        )
    drawn = tuple(
        Cut(upper.position, leads.get(upper.participant), leads.get(lower.participant)) for upper, lower in cuts
    )
    return replace(ranking, lines=tuple(lines), cuts=drawn)
