"""Whether the parts of a format fit together: every place has one source, counts fill the tables, there is no circle."""

from collections.abc import Iterator, Sequence

from tournaments.core.format import (
    Best,
    Block,
    Destination,
    Entrants,
    Fill,
    Format,
    Outcome,
    Ranks,
    SeatingMethod,
    Source,
    Stage,
)
from tournaments.core.problems import FormatProblems

ALLOWS_BYES = frozenset({SeatingMethod.BALANCED, SeatingMethod.SWISS, SeatingMethod.STANDING, SeatingMethod.MANUAL})
"""Methods of seating where players sit out when they do not fill the tables."""


def check(format_: Format, problems: FormatProblems) -> None:
    _keys(format_, problems)
    _Sources(format_, problems).check()
    for stage in format_.stages:
        _sizes(format_, stage, problems)
        _bracket(format_, stage, problems)
    _carries(format_, problems)
    _order(format_, problems)


def path_to(destination: Destination) -> str:
    return f"{'outcome' if isinstance(destination, Outcome) else 'stage'}.{destination.key}"


def _keys(format_: Format, problems: FormatProblems) -> None:
    seen: set[str] = set()
    for each in format_.destinations():
        if each.key in seen:
            problems.add("twice", f"{path_to(each)}.key", key=each.key)
        seen.add(each.key)


class _Sources:
    def __init__(self, format_: Format, problems: FormatProblems) -> None:
        self.format, self.problems = format_, problems
        self.numbers = {stage.key: number for number, stage in reversed(list(enumerate(format_.stages)))}
        self.given: list[tuple[str, str, int, int | None, str]] = []
        """Stage, block, first and last rank that are given away, and where to."""
        self.seeds: list[tuple[int, int | None, str]] = []

    def check(self) -> None:
        for number, stage in enumerate(self.format.stages):
            self._of(stage, number)
        for outcome in self.format.outcomes:
            self._of(outcome, len(self.format.stages))
        self._seeds_are_all_used()

    def _of(self, to: Destination, number: int) -> None:
        for place, source in enumerate(to.sources):
            path = f"{path_to(to)}.from[{place}]"
            if isinstance(source, Entrants):
                self._entrants(source, path, to)
            elif source.stage not in self.numbers:
                self.problems.add("unknown_stage", f"{path}.stage", stage=source.stage)
            elif self.numbers[source.stage] >= number:
                self.problems.add("later_stage", f"{path}.stage", stage=source.stage)
            else:
                self._ranks(self.format.stages[self.numbers[source.stage]], source, path, to)

    def _entrants(self, source: Entrants, path: str, to: Destination) -> None:
        most = self.format.entrants.most
        if source.last is not None and source.last > most:
            self.problems.add("seed_too_low", path, entrants=most, seed=source.last)
        for first, last, where in self.seeds:
            if (seed := _common(source.first, source.last, first, last)) is not None:
                self.problems.add("seed_used_twice", path, seed=seed, first=where)
                return
        self.seeds.append((source.first, source.last, to.key))

    def _seeds_are_all_used(self) -> None:
        expected = 1
        most = self.format.entrants.most
        for first, last, _ in sorted(self.seeds, key=lambda seed: seed[0]):
            if first > expected:
                break
            expected = most + 1 if last is None else max(expected, last + 1)
        if expected <= most:
            self.problems.add("seed_unused", "stage", seed=expected)

    def _ranks(self, stage: Stage, source: Ranks | Best, path: str, to: Destination) -> None:
        blocks = [block for block in stage.blocks if isinstance(source, Best) or source.block in {None, block.key}]
        if not blocks and isinstance(source, Ranks):
            self.problems.add("unknown_block", f"{path}.block", stage=stage.key, block=source.block)
        if isinstance(source, Best) and source.count > len(blocks):
            self.problems.add("too_many_best", f"{path}.best", blocks=len(blocks), count=source.count)
        first, last = (source.rank, source.rank) if isinstance(source, Best) else (source.first, source.last)
        self._are_there(stage, blocks, (first, last), path)
        self._are_free(stage, blocks, (first, last), (path, to))

    def _are_there(self, stage: Stage, blocks: Sequence[Block], ranks: tuple[int, int | None], path: str) -> None:
        lowest = ranks[1] or ranks[0]
        for block in blocks:
            if block.size is not None and lowest > block.size:
                self.problems.add("rank_too_low", path, size=block.size, rank=lowest, stage=stage.key)
                return

    def _are_free(
        self, stage: Stage, blocks: Sequence[Block], ranks: tuple[int, int | None], where: tuple[str, Destination]
    ) -> None:
        path, to = where
        for block in blocks:
            for given_stage, given_block, first, last, taker in self.given:
                rank = _common(*ranks, first, last)
                if (given_stage, given_block) == (stage.key, block.key) and rank is not None:
                    place = f"{stage.key} {block.key}".rstrip()
                    self.problems.add("places_used_twice", path, rank=rank, where=place, first=taker)
                    return
        self.given += [(stage.key, block.key, *ranks, to.key) for block in blocks]


def _common(first: int, last: int | None, other_first: int, other_last: int | None) -> int | None:
    low = max(first, other_first)
    ends = [end for end in (last, other_last) if end is not None]
    return low if not ends or low <= min(ends) else None


def _sizes(format_: Format, stage: Stage, problems: FormatProblems) -> None:
    table = format_.table_size
    for block in stage.blocks:
        if block.size is None:
            continue
        path = f"{path_to(stage)}.blocks"
        if block.size < table:
            problems.add("too_few", path, size=block.size, table=table)
        elif block.size % table and stage.seating not in ALLOWS_BYES:
            problems.add("tables_not_full", path, size=block.size, table=table, seating=stage.seating.value)


def _bracket(format_: Format, stage: Stage, problems: FormatProblems) -> None:
    if stage.fill is not Fill.BRACKET:
        return
    earlier = {source.stage for source in stage.sources if isinstance(source, Ranks)}
    counts = [len(each.blocks) for each in format_.stages if each.key in earlier]
    only_ranks = all(isinstance(source, Ranks) for source in stage.sources)
    if not only_ranks or len(counts) != 1 or counts[0] % len(stage.blocks):
        problems.add("no_bracket", f"{path_to(stage)}.fill", blocks=len(stage.blocks))


def _carries(format_: Format, problems: FormatProblems) -> None:
    ancestors: dict[str, set[str]] = {}
    for stage in format_.stages:
        parents = set(_parents(stage.sources))
        ancestors[stage.key] = parents.union(*(ancestors.get(parent, set()) for parent in parents))
        if stage.carry is not None and stage.carry.stage not in ancestors[stage.key]:
            problems.add("not_an_ancestor", f"{path_to(stage)}.carry.from", stage=stage.carry.stage)


def _parents(sources: Sequence[Source]) -> Iterator[str]:
    for source in sources:
        if not isinstance(source, Entrants):
            yield source.stage


def _order(format_: Format, problems: FormatProblems) -> None:
    stages = [stage.key for stage in format_.stages]
    known = [each.key for each in format_.destinations()]
    for number, key in enumerate(format_.order):
        if key not in known:
            problems.add("unknown_stage", f"order[{number}]", stage=key)
        elif key in format_.order[:number]:
            problems.add("twice", f"order[{number}]", key=key)
    if format_.order:
        for key in stages:
            if key not in format_.order:
                problems.add("order_incomplete", "order", stage=key)
