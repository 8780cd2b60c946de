"""The one path from facts to course.

    facts → tables of a stage → what the ranking proposes → what people decided → players of the next stage → …

A stage rests only on stages that stand before it in the format, so the path has no circle.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from tournaments.core.facts import Advance, Participant, TournamentFacts, Withdrawal, hanchan_count, results_after
from tournaments.core.format import Destination, Entrants, Fill, Format, Stage, is_from
from tournaments.core.places import place_count, propose
from tournaments.core.ranking import BlockRanking, Contender, block_ranking, with_cuts
from tournaments.core.state import AdvancementPath, FinalRank, StageProgress, StageState, TakenPlace, TournamentState


def resolve(format_: Format, facts: TournamentFacts, after: Mapping[str, int] | None = None) -> TournamentState:
    """Return the course that the facts give. `after` cuts a stage off after so many hanchan of each player."""
    walk = _Resolution(format_, facts, after or {})
    stages = tuple(walk.stage(stage) for stage in format_.stages)
    arrivals = {
        outcome.key: tuple(seat for seat in walk.seats(outcome) if seat.approved) for outcome in format_.outcomes
    }
    return TournamentState(format_, stages, arrivals, tuple(_placings(format_, stages, arrivals)))


def downstream(format_: Format, stage: str) -> tuple[str, ...]:
    """Return the stages that rest on the decisions of a stage, in the order of the format."""
    reached = {stage}
    for each in format_.stages:
        if any(is_from(source, key) for source in each.sources for key in reached):
            reached.add(each.key)
    return tuple(each.key for each in format_.stages if each.key in reached and each.key != stage)


class _Resolution:
    """From stage to stage, with what was found so far."""

    def __init__(self, format_: Format, facts: TournamentFacts, after: Mapping[str, int]) -> None:
        self.format, self.facts, self.after = format_, facts, after
        self.done: dict[str, StageProgress] = {}
        self.numbers = {stage.key: number for number, stage in enumerate(format_.stages)}
        self.seeds = {each.participant: each.seed for each in facts.entrants}

    def stage(self, stage: Stage) -> StageProgress:
        """Return a stage as it stands; those before it have been walked."""
        seats = tuple(self.seats(stage))
        contenders = {each.participant: each for each in self._contenders(stage, seats)}
        blocks = self._blocks(stage, contenders)
        tables = tuple(
            block_ranking(
                stage, key, (contenders[who] for who in blocks[key]), self.facts.orders, self.format.table_size
            )
            for key in stage.block_keys
        )
        ways = tuple(self._way(stage, to, tables, contenders) for to in self.format.destinations_from(stage.key))
        goes_to: dict[Participant, str] = {}
        if any(table.started for table in tables):
            goes_to = {place.participant: way.to for way in reversed(ways) for place in way.proposal.places}
        found = StageProgress(
            stage=stage,
            state=self._state(stage, tables, ways, blocks[None]),
            places=seats,
            expected=self._expected(stage),
            rankings=tuple(with_cuts(table, goes_to) for table in tables),
            paths=ways,
            undrawn=tuple(blocks[None]),
        )
        self.done[stage.key] = found
        return found

    # Who plays in it

    def seats(self, to: Destination) -> Iterator[TakenPlace]:
        """Yield who holds the places of a stage or an outcome, as far as that is known."""
        taken: set[Participant] = set()
        for seat in self._present(to, self._places(to)):
            if seat.participant not in taken:
                taken.add(seat.participant)
                yield seat

    def _places(self, to: Destination) -> Iterator[TakenPlace]:
        for source in to.sources:
            if isinstance(source, Entrants):
                yield from self._entered(source)
        for course in self._sources(to):
            yield from _from_stage(course, to)

    def _sources(self, to: Destination) -> Iterator[StageProgress]:
        for key, course in self.done.items():
            if any(is_from(source, key) for source in to.sources):
                yield course

    def _entered(self, source: Entrants) -> Iterator[TakenPlace]:
        for number, entrant in enumerate(self.facts.entrants, start=1):
            seed = number if entrant.seed is None else entrant.seed
            if source.is_everybody or (source.first <= seed and (source.last is None or seed <= source.last)):
                yield TakenPlace(entrant.participant, bonus=source.bonus)

    def _present(self, to: Destination, seats: Iterable[TakenPlace]) -> Iterator[TakenPlace]:
        """Yield the seats without those who have left before, with substitutes in their places."""
        for seat in seats:
            present = seat
            while (left := self._left_before(present.participant, to)) is not None and left.substitute is not None:
                present = replace(present, participant=left.substitute, replaces=present.participant)
            if left is None:
                yield present

    def _left_before(self, who: Participant, to: Destination) -> Withdrawal | None:
        """Return how somebody left before a destination. Who has played in a stage has not left before it."""
        here = self.numbers.get(to.key, len(self.numbers))
        for each in self.facts.withdrawals:
            number = self.numbers.get(each.stage, -1)
            if each.participant == who and (number < here or (number == here and not self.facts.results(to.key).get(who))):
                return each
        return None

    def _contenders(self, stage: Stage, seats: Iterable[TakenPlace]) -> Iterator[Contender]:
        results = self.facts.results(stage.key)
        invited = {seat.participant: seat.bonus for seat in seats}
        relieved = self._relieved(stage)
        invited |= {who: 0 for who in relieved if who not in invited}
        left = {each.participant for each in self.facts.withdrawals if each.stage == stage.key}
        after, carried = self.after.get(stage.key), self._carried(stage)
        for who in dict.fromkeys((*invited, *results)):
            yield Contender(
                participant=who,
                played=results_after(results.get(who, ()), after) if after is not None else results.get(who, ()),
                carried=carried.get(who, 0),
                bonus=invited.get(who, 0),
                seed=self.seeds.get(who),
                withdrawn=who in left,
                uninvited=who not in invited,
                hanchan_taken_over=relieved.get(who, 0),
            )

    def _relieved(self, stage: Stage) -> dict[Participant, int]:
        """Return who came in during the stage, and how many hanchan were played on that place by then."""
        found: dict[Participant, int] = {}
        for each in self.facts.withdrawals:
            if each.stage == stage.key and each.substitute is not None:
                played = hanchan_count(self.facts.results(stage.key).get(each.participant, ())) + found.get(each.participant, 0)
                # Who leaves after the last hanchan is replaced from the next stage on.
                if played < stage.planned:
                    found[each.substitute] = played
        return found

    def _carried(self, stage: Stage) -> dict[Participant, int]:
        if stage.carry is None:
            return {}
        tables = self.done[stage.carry.stage].rankings
        return {line.participant: stage.carry.of(line.points) for table in tables for line in table.lines}

    def _blocks(self, stage: Stage, players: Iterable[Participant]) -> dict[str | None, list[Participant]]:
        """Return who is in which block; under None, who still has to be drawn into one."""
        blocks: dict[str | None, list[Participant]] = {key: [] for key in (*stage.block_keys, None)}
        only = stage.block_keys[0] if len(stage.blocks) == 1 else None
        for who in players:
            block = self._block_of(stage, who) or only
            blocks[block if block in blocks else only].append(who)
        return blocks

    def _block_of(self, stage: Stage, who: Participant) -> str | None:
        draw, seen = self.facts.draw(stage.key), self.facts.blocks_played.get(stage.key, {})
        block = (draw.block_of(who) if draw else None) or seen.get(who)
        replaced = {each.substitute: each.participant for each in self.facts.withdrawals if each.substitute is not None}
        if block is None and who in replaced:
            return self._block_of(stage, replaced[who])
        return block

    # Who goes on

    def _way(
        self, stage: Stage, to: Destination, tables: Sequence[BlockRanking], players: Mapping[Participant, Contender]
    ) -> AdvancementPath:
        proposal = propose(stage, to, tables, players, self.facts.orders)
        seats = [TakenPlace(place.participant) for place in proposal.places]
        proposed = tuple(seat.participant for seat in self._present(to, seats))
        decision = self.facts.advance(stage.key, to.key)
        complete = bool(tables) and all(table.complete for table in tables)
        doubtful = {who for group in proposal.level for who in group}
        flagged = decision is not None and (
            not complete or self._of_today(to, decision) - doubtful != set(proposed) - doubtful
        )
        counts = [place_count(source, stage.block_keys) for source in to.sources if is_from(source, stage.key)]
        return AdvancementPath(
            stage=stage.key,
            to=to.key,
            proposal=proposal,
            proposed=proposed,
            decision=decision,
            ready=complete and not proposal.level,
            overtaken=flagged,
            place_count=_sum(counts),
        )

    def _of_today(self, to: Destination, decision: Advance) -> set[Participant]:
        """Return what was proposed then, less those who have withdrawn since."""
        return {seat.participant for seat in self._present(to, (TakenPlace(who) for who in decision.proposal))}

    def _expected(self, stage: Stage) -> int | None:
        counts = [self._places_of_entrants(source) for source in stage.sources if isinstance(source, Entrants)]
        return _sum([*counts, *(course.path(stage.key).place_count for course in self._sources(stage))])

    def _places_of_entrants(self, source: Entrants) -> int | None:
        if source.is_everybody:
            least, most = self.format.entrants.least, self.format.entrants.most
            return most if least == most else None
        return place_count(source, ())

    def _state(
        self,
        stage: Stage,
        tables: Sequence[BlockRanking],
        ways: Sequence[AdvancementPath],
        undrawn: Sequence[Participant],
    ) -> StageState:
        if ways and all(way.decision for way in ways):
            return StageState.DECIDED
        if tables and all(table.complete for table in tables):
            return StageState.PLAYED if ways else StageState.DECIDED
        if any(table.started for table in tables):
            return StageState.RUNNING
        if not all(course.path(stage.key).decision for course in self._sources(stage)):
            return StageState.WAITING
        if undrawn:
            return StageState.UNDRAWN
        return StageState.READY if any(table.lines for table in tables) else StageState.WAITING


def _from_stage(course: StageProgress, to: Destination) -> Iterator[TakenPlace]:
    """Yield the places that a stage gives to a destination: as decided, else as proposed once it is played."""
    way = course.path(to.key)
    if way.decision is None:
        if all(table.complete for table in course.rankings):
            for place in way.proposal.places:
                seat = TakenPlace(place.participant, course.stage.key, place.block, place.position, place.source.bonus)
                yield replace(seat, approved=False)
        return
    usual = next(source.bonus for source in to.sources if is_from(source, course.stage.key))
    bonuses = {place.participant: place.source.bonus for place in way.proposal.places}
    for who in way.decision.players:
        block, position = _where(course, who)
        yield TakenPlace(who, course.stage.key, block, position, bonuses.get(who, usual))


def _where(course: StageProgress, who: Participant) -> tuple[str, int | None]:
    for table in course.rankings:
        for line in table.lines:
            if line.participant == who:
                return table.block, line.position
    return "", None


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _placings(
    format_: Format, stages: Sequence[StageProgress], arrivals: Mapping[str, Sequence[TakenPlace]]
) -> Iterator[FinalRank]:
    """Yield everybody by where the tournament ended for him: the last stages first, equals of several blocks level."""
    placed: set[Participant] = set()
    by_key = {each.stage.key: each for each in stages}
    for key in format_.order or tuple(reversed(by_key)):
        course = by_key.get(key)
        if course is not None and course.state is not StageState.DECIDED:
            # Who is still in it ends ahead of everybody below, nobody knows yet where.
            placed |= {seat.participant for seat in course.places}
            continue
        groups = _level_lines(course) if course is not None else [_arrived(arrivals[key])]
        for group in groups:
            rest = [placing for placing in group if placing.participant not in placed]
            yield from (replace(placing, rank=len(placed) + placing.rank) for placing in rest)
            placed |= {placing.participant for placing in rest}


def _arrived(seats: Sequence[TakenPlace]) -> list[FinalRank]:
    """Return those who have reached an outcome, all level."""
    return [FinalRank(seat.participant, 1, seat.stage or "", seat.block, seat.position or 0) for seat in seats]


def _level_lines(course: StageProgress) -> Iterator[list[FinalRank]]:
    """Yield the lines of a stage in groups of equals: block by block where blocks are classes, else rank by rank."""
    by_block = course.stage.fill is Fill.ORDER
    lines = [
        ((number if by_block else 0, line.rank), FinalRank(line.participant, 1, course.stage.key, table.block, line.position))
        for number, table in enumerate(course.rankings)
        for line in table.lines
    ]
    for _, group in groupby(sorted(lines, key=itemgetter(0)), key=itemgetter(0)):
        yield [placing for _, placing in group]
