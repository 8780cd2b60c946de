"""Derive the state of a tournament from its facts.

    facts → block rankings → proposals → decisions → players of the next stage → …

A stage depends only on earlier stages of the format.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from tournaments.core.facts import (
    Participant,
    StageResult,
    TournamentFacts,
    Unranked,
    Withdrawal,
    hanchan_count,
    results_after,
)
from tournaments.core.format import Destination, Entrants, Fill, Format, Stage, is_from
from tournaments.core.places import place_count, propose
from tournaments.core.ranking import BlockRanking, Contender, block_ranking, with_cuts
from tournaments.core.state import AdvancementPath, FinalRank, StageProgress, StageState, TakenPlace, TournamentState


def final_ranks(
    format_: Format,
    stages: Sequence[StageProgress],
    arrivals: Mapping[str, Sequence[TakenPlace]],
    disqualified: frozenset[Participant],
) -> Iterator[FinalRank]:
    """Yield players in final order: last stages first, unranked players last; equal ranks of several blocks are tied.

    In each stage who left early comes after those who played to the end.
    """
    placed: set[Participant] = set()
    unranked: dict[Participant, FinalRank] = {}
    by_key = {each.stage.key: each for each in stages}
    for key in format_.order or tuple(reversed(by_key)):
        progress = by_key.get(key)
        if progress is not None and progress.state is not StageState.DECIDED:
            # Players still in this stage will finish ahead of all below; their exact rank is open.
            placed |= {place.participant for place in progress.places} - disqualified
            continue
        # A title goes to whom it was given; an outcome has no ranking.
        title = format_.title_of(key) if progress else None
        arrived = arrivals.get(title.key if title else key, ())
        won = [FinalRank(each.participant, 1, each.stage or "", each.block, each.position or 0) for each in arrived]
        for group in (won, *(_level_lines(progress) if progress else ())):
            there = [each for each in group if each.participant not in placed]
            for each in there:
                mark = Unranked.DISQUALIFIED if each.participant in disqualified else each.unranked
                if mark is not None:
                    unranked.setdefault(each.participant, replace(each, rank=0, unranked=mark))
            rest = [each for each in there if each.participant not in unranked]
            yield from (replace(final_rank, rank=len(placed) + final_rank.rank) for final_rank in rest)
            placed |= {final_rank.participant for final_rank in rest}
    yield from unranked.values()


def _level_lines(progress: StageProgress) -> Iterator[list[FinalRank]]:
    """Yield a stage's lines in groups of ties: block by block if blocks are classes, otherwise rank by rank."""
    by_block = progress.stage.fill is Fill.ORDER
    lines = [
        (
            (number if by_block else 0, not line.counts, line.rank),
            FinalRank(line.participant, 1, progress.stage.key, ranking.block, line.position, line.unranked),
        )
        for number, ranking in enumerate(progress.rankings)
        for line in ranking.lines
    ]
    for _, group in groupby(sorted(lines, key=itemgetter(0)), key=itemgetter(0)):
        yield [final_rank for _, final_rank in group]


def resolve(format_: Format, facts: TournamentFacts, after: Mapping[str, int] | None = None) -> TournamentState:
    """Return the state. `after` limits stages to a number of hanchan for each player, without what was decided later."""
    facts = as_known_then(format_, facts, after or {})
    resolution = _Resolution(format_, facts, after or {})
    stages = tuple(_with_ahead(format_, [resolution.stage(stage) for stage in format_.stages]))
    arrivals = {to.key: tuple(place for place in resolution.places(to) if place.approved) for to in format_.outcomes}
    disqualified = frozenset(each.participant for each in facts.withdrawals if each.disqualified)
    return TournamentState(format_, stages, arrivals, tuple(final_ranks(format_, stages, arrivals, disqualified)))


def as_known_then(format_: Format, facts: TournamentFacts, after: Mapping[str, int]) -> TournamentFacts:
    later = {key for stage in after for key in dependent_stages(format_, stage)}

    def is_known(each: Withdrawal) -> bool:
        played = hanchan_count(facts.results(each.stage).get(each.participant, ()))
        return each.stage not in later and (each.stage not in after or played < format_.stage(each.stage).planned)

    return replace(
        facts,
        advances=tuple(each for each in facts.advances if each.stage not in after),
        orders=tuple(each for each in facts.orders if each.stage not in after),
        closings=tuple(each for each in facts.closings if each.stage not in after),
        withdrawals=tuple(filter(is_known, facts.withdrawals)),
    )


def _with_ahead(format_: Format, stages: Sequence[StageProgress]) -> Iterator[StageProgress]:
    """Yield the stages. In one that leads nowhere, ranks are final ones once the players of the stages ahead are known."""
    by_key = {each.stage.key: each for each in stages}
    order = format_.order or tuple(reversed(by_key))
    known = {each.stage.key for each in stages if each.places and not (each.state == "waiting" and each.vacancies)}
    for key, each in by_key.items():
        before = order[: order.index(key)] if key in order else ()
        is_last = known.issuperset(before) and not each.paths and len(each.rankings) == 1
        above = [ranking for other in before if is_last for ranking in by_key[other].rankings]
        ahead = len({line.participant for ranking in above for line in ranking.lines if line.unranked is None})
        yield replace(each, rankings=tuple(replace(ranking, ahead=ahead) for ranking in each.rankings))


def dependent_stages(format_: Format, stage: str) -> tuple[str, ...]:
    reached = {stage}
    for each in format_.stages:
        if any(is_from(source, key) for source in each.sources for key in reached):
            reached.add(each.key)
    return tuple(each.key for each in format_.stages if each.key in reached and each.key != stage)


class _Resolution:
    def __init__(self, format_: Format, facts: TournamentFacts, after: Mapping[str, int]) -> None:
        self.format, self.facts, self.after = format_, facts, after
        self.done: dict[str, StageProgress] = {}
        self.numbers = {stage.key: number for number, stage in enumerate(format_.stages)}
        self.seeds = {each.participant: each.seed for each in facts.entrants}

    def stage(self, stage: Stage) -> StageProgress:
        places = tuple(self.places(stage))
        contenders = {each.participant: each for each in self._contenders(stage, places)}
        blocks = self._blocks(stage, contenders)
        contenders |= self._with_byes(stage, contenders, blocks)
        is_closed = self.facts.closing(stage.key) is not None
        orders, size = self.facts.orders, self.format.table_size
        people = {key: [contenders[participant] for participant in blocks[key]] for key in stage.block_keys}
        rankings = tuple(block_ranking(stage, *each, orders, size, closed=is_closed) for each in people.items())
        destinations = self.format.destinations_from(stage.key)
        paths = _without_placed([self._path(stage, to, rankings, contenders) for to in destinations])
        leads: dict[Participant, str] = {}
        if any(ranking.started for ranking in rankings):
            leads = {place.participant: path.to for path in reversed(paths) for place in path.proposal.places}
        advances_to = {participant: path.to for path in reversed(paths) for participant in path.proposed}
        progress = StageProgress(
            stage=stage,
            state=self._state(stage, rankings, paths, is_undrawn=bool(blocks[None])),
            places=places,
            expected=self._expected(stage),
            rankings=tuple(with_cuts(ranking, leads, advances_to) for ranking in rankings),
            paths=paths,
            undrawn=tuple(blocks[None]),
            closed=is_closed,
        )
        self.done[stage.key] = progress
        return progress

    def places(self, to: Destination) -> Iterator[TakenPlace]:
        taken: set[Participant] = set()
        given = [place for source in to.sources if isinstance(source, Entrants) for place in self._entered(source)]
        given += [place for progress in self._sources(to) for place in _from_stage(progress, to)]
        for place in self._after_withdrawals(to, given):
            if place.participant not in taken:
                taken.add(place.participant)
                yield place

    def _sources(self, to: Destination) -> Iterator[StageProgress]:
        for key, progress in self.done.items():
            if any(is_from(source, key) for source in to.sources):
                yield progress

    def _entered(self, source: Entrants) -> Iterator[TakenPlace]:
        for number, entrant in enumerate(self.facts.entrants, start=1):
            seed = number if entrant.seed is None else entrant.seed
            if source.is_everybody or (source.first <= seed and (source.last is None or seed <= source.last)):
                yield TakenPlace(entrant.participant, bonus=source.bonus)

    def _after_withdrawals(self, to: Destination, places: Iterable[TakenPlace]) -> Iterator[TakenPlace]:
        """Yield the places without players who left earlier, with substitutes in their places.

        Without a substitute the place stays vacant. Ranks already won are kept, as in the Cinderella League 2020.
        """
        for place in places:
            present = place
            while (
                withdrawal := self._withdrawal_before(present.participant, to)
            ) is not None and withdrawal.substitute is not None:
                present = replace(present, participant=withdrawal.substitute, replaces=present.participant)
            if withdrawal is None:
                yield present

    def _withdrawal_before(self, participant: Participant, to: Destination) -> Withdrawal | None:
        here = self.numbers.get(to.key, len(self.numbers))
        for each in self.facts.withdrawals:
            number = self.numbers.get(each.stage, -1)
            if each.participant == participant and (
                number < here or (number == here and not self.facts.results(to.key).get(participant))
            ):
                return each
        return None

    def _contenders(self, stage: Stage, places: Sequence[TakenPlace]) -> Iterator[Contender]:
        results = self.facts.results(stage.key)
        invited = {place.participant: place.bonus for place in places}
        taken_over = self._hanchan_taken_over(stage)
        replaced = {place.participant: place.replaces for place in places}
        invited |= {participant: 0 for participant in taken_over if participant not in invited}
        here = [each for each in self.facts.withdrawals if each.stage == stage.key]
        replaced |= {each.substitute: each.participant for each in here if each.substitute in taken_over}
        left = {each.participant: each.provided_for for each in here}
        unranked = self._unranked(stage, here)
        closing = self.facts.closing(stage.key)
        as_is = set(closing.short) if closing else set[Participant]()
        house = self.facts.house.get(stage.key, frozenset()) - {each.substitute for each in here}
        spared = self._spared(stage)
        late = self.facts.late.get(stage.key, {})
        after, carried = self.after.get(stage.key, 1 << 30), self._carried(stage)
        for participant in dict.fromkeys((*invited, *results)):
            if participant in house:
                # House players do not compete.
                continue
            taken = taken_over.get(participant, 0)
            yield Contender(
                participant=participant,
                played=results_after(results.get(participant, ()), after, self.facts.rounds),
                carried=carried.get(participant, 0),
                before=self._before(stage, participant),
                bonus=invited.get(participant, 0),
                seed=self.seeds.get(participant),
                withdrawn=participant in left,
                uninvited=participant not in invited,
                replaces=replaced.get(participant),
                hanchan_taken_over=taken,
                spared=spared[participant],
                late=late.get(participant, 0),
                provided_for=left.get(participant, 0),
                is_substitute=participant in taken_over,
                done=stage.planned
                if participant in as_is
                else hanchan_count(results.get(participant, ())) + taken + spared[participant],
                unranked=unranked.get(participant),
            )

    def _unranked(self, stage: Stage, withdrawals: Iterable[Withdrawal]) -> dict[Participant, Unranked]:
        closing = self.facts.closing(stage.key)
        found = dict.fromkeys(closing.unranked if closing else (), Unranked.LEFT_OUT)
        return found | {each.participant: Unranked.DISQUALIFIED for each in withdrawals if each.disqualified}

    def _spared(self, stage: Stage) -> Counter[Participant]:
        spared = Counter(self.facts.missed.get(stage.key, {}))
        for each in self.facts.withdrawals:
            if each.stage == stage.key:
                spared.update(each.spared)
        return spared

    def _hanchan_taken_over(self, stage: Stage) -> dict[Participant, int]:
        found: dict[Participant, int] = {}
        spared = self._spared(stage)
        for each in self.facts.withdrawals:
            if each.stage == stage.key and each.substitute is not None:
                results = self.facts.results(stage.key).get(each.participant, ())
                played = hanchan_count(results) + found.get(each.participant, 0) + spared[each.participant]
                # A player who leaves after the stage's last hanchan is replaced from the next stage on.
                if played < stage.planned:
                    found[each.substitute] = played
        return found

    def _with_byes(
        self, stage: Stage, contenders: Mapping[Participant, Contender], blocks: Mapping[str | None, list[Participant]]
    ) -> dict[Participant, Contender]:
        byes: Counter[Participant] = Counter()
        for block, seated in self.facts.seated.get(stage.key, ()):
            for key in [block] if block else stage.block_keys:
                away = [each for each in blocks[key] if each not in seated and not contenders[each].withdrawn]
                # As many as a table has seats may play at another time.
                byes.update(away if len(away) < self.format.table_size else ())
        return {each: replace(contenders[each], byes=count) for each, count in byes.items()}

    def _carried(self, stage: Stage) -> dict[Participant, int]:
        if stage.carry is None:
            return {}
        rankings = self.done[stage.carry.stage].rankings
        return {line.participant: stage.carry.of(line.points) for ranking in rankings for line in ranking.lines}

    def _before(self, stage: Stage, participant: Participant) -> tuple[StageResult, ...]:
        if stage.carry is None:
            return ()
        earlier = self.format.stage(stage.carry.stage)
        return (*self._before(earlier, participant), *self.facts.results(earlier.key).get(participant, ()))

    def _blocks(self, stage: Stage, players: Iterable[Participant]) -> dict[str | None, list[Participant]]:
        """Return the players of each block; players without a block are listed under None."""
        blocks: dict[str | None, list[Participant]] = {key: [] for key in (*stage.block_keys, None)}
        only = stage.block_keys[0] if len(stage.blocks) == 1 else None
        for participant in players:
            block = self._block_of(stage, participant) or only
            blocks[block if block in blocks else only].append(participant)
        return blocks

    def _block_of(self, stage: Stage, participant: Participant) -> str | None:
        draw, played = self.facts.draw(stage.key), self.facts.blocks_played.get(stage.key, {})
        block = (draw.block_of(participant) if draw else None) or played.get(participant)
        after = {each.substitute or each.successor: each.participant for each in self.facts.withdrawals}
        replaced = {participant: left for participant, left in after.items() if participant is not None}
        if block is None and participant in replaced:
            return self._block_of(stage, replaced[participant])
        return block

    def _path(
        self, stage: Stage, to: Destination, rankings: Sequence[BlockRanking], players: Mapping[Participant, Contender]
    ) -> AdvancementPath:
        proposal = propose(stage, to, rankings, players, self.facts.orders)
        won = (
            TakenPlace(each.participant, stage.key, each.block, each.position, each.source.bonus, approved=False)
            for each in proposal.places
        )
        going = tuple(self._after_withdrawals(to, won))
        proposed = {place.participant for place in going}
        decision = self.facts.advance(stage.key, to.key)
        complete = bool(rankings) and all(ranking.complete for ranking in rankings)
        doubtful = {participant for group in proposal.level for participant in group}
        others = [self.facts.advance(stage.key, each.key) for each in self.format.destinations_from(stage.key)]
        doubtful.update(*(each.added for each in others if each is not None and each.to != to.key))
        seen = map(TakenPlace, decision.proposal) if decision is not None else ()
        present = {place.participant for place in self._after_withdrawals(to, seen)}
        overtaken = decision is not None and (not complete or present - doubtful != proposed - doubtful)
        counts = [place_count(source, stage.block_keys) for source in to.sources if is_from(source, stage.key)]
        return AdvancementPath(
            stage=stage.key,
            to=to.key,
            proposal=proposal,
            going=going,
            decision=decision,
            ready=complete and not proposal.level,
            overtaken=overtaken,
            place_count=_sum(counts),
            complete=complete,
        )

    def _expected(self, stage: Stage) -> int | None:
        least, most = self.format.entrants.least, self.format.entrants.most
        everybody = most if least == most else None
        entered = [source for source in stage.sources if isinstance(source, Entrants)]
        counts = [everybody if source.is_everybody else place_count(source, ()) for source in entered]
        return _sum([*counts, *(progress.path(stage.key).place_count for progress in self._sources(stage))])

    def _state(
        self, stage: Stage, rankings: Sequence[BlockRanking], paths: Sequence[AdvancementPath], *, is_undrawn: bool
    ) -> StageState:
        if paths and all(path.decision for path in paths):
            return StageState.DECIDED
        if rankings and all(ranking.complete for ranking in rankings):
            return StageState.PLAYED if paths else StageState.DECIDED
        if any(ranking.started for ranking in rankings):
            return StageState.RUNNING
        if not all(progress.path(stage.key).decision for progress in self._sources(stage)):
            return StageState.WAITING
        if is_undrawn:
            return StageState.UNDRAWN
        return StageState.READY if any(ranking.lines for ranking in rankings) else StageState.WAITING


def _from_stage(progress: StageProgress, to: Destination) -> Iterator[TakenPlace]:
    path = progress.path(to.key)
    if path.decision is None:
        yield from path.going if path.complete else ()
        return
    usual = next(source.bonus for source in to.sources if is_from(source, progress.stage.key))
    bonuses = {place.participant: place.source.bonus for place in path.proposal.places}
    lines = [(ranking.block, line) for ranking in progress.rankings for line in ranking.lines]
    ranks = {line.participant: (block, line.position) for block, line in lines}
    for participant in path.decision.players:
        block, position = ranks.get(participant, ("", None))
        yield TakenPlace(participant, progress.stage.key, block, position, bonuses.get(participant, usual))


def _without_placed(paths: Sequence[AdvancementPath]) -> tuple[AdvancementPath, ...]:
    """Leave out of each path's proposal the players whom a decision added to another path."""
    added = {each: path.to for path in paths if path.decision and not path.overtaken for each in path.decision.added}
    return tuple(
        replace(path, going=tuple(place for place in path.going if added.get(place.participant, path.to) == path.to))
        for path in paths
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
