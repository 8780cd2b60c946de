"""Faults of a format: code, path, and values for the message."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.core.plain import translatable as _
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
    Stage,
)


@dataclass(frozen=True, slots=True)
class FormatProblem:
    """One fault of a format. `path`: its location, such as `stage.po2.from[1].ranks`."""

    code: str
    path: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        text = FAULTS[self.code] % self.values
        return f"{self.path}: {text}" if self.path else text


class FormatError(ValueError):
    def __init__(self, problems: Iterable[FormatProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UnknownFormatError(LookupError):
    pass


class WrongValueError(ValueError):
    def __init__(self, code: str, **values: object) -> None:
        self.code, self.values = code, values
        super().__init__(code)


FAULTS = {
    # Unreadable values
    "not_toml": _("Line %(line)s cannot be read as TOML. Check quotation marks, brackets and commas there."),
    "too_long": _("The text is too long."),
    "too_many": _("%(count)s is too many; the limit is %(most)s."),
    "unknown_key": _("Unknown entry. Use one of these: %(choices)s."),
    "incomplete": _("This entry is missing. Add it."),
    "not_a_table": _("Enter a table in braces here."),
    "not_a_list": _("Enter a list in square brackets here."),
    "not_text": _("%(value)s is not text of at most %(most)s characters."),
    "not_names": _("Enter a name, or a table with ja and en."),
    "not_a_key": _("%(value)s is not a valid short name. Use letters, digits and hyphens."),
    "not_whole": _("%(value)s is not a whole number."),
    "out_of_range": _("%(value)s is not between %(low)s and %(high)s."),
    "not_points": _("%(value)s is not a number of points with at most three decimals."),
    "not_a_factor": _('%(value)s is not a fraction between 0 and 1. Write it as "1/2".'),
    "not_ranks": _('%(value)s is not a rank or range. Write it as "3", "4-5" or "5-".'),
    "not_a_choice": _("%(value)s is not one of these: %(choices)s."),
    "not_entrants": _("Enter a number of players, a list of numbers, or a table with min and max."),
    "not_blocks": _("Enter a number of blocks, a list of names, or a table of names with sizes."),
    "not_a_source": _("Enter who plays: entrants, seeds, stage with ranks, or stage with rank and best."),
    # Contradictions
    "entrants_reversed": _("The minimum, %(low)s, is above the maximum, %(high)s."),
    "wrong_entrants": _("This cannot be played by %(number)s players. Possible numbers: %(choices)s."),
    "stages_and_knockout": _("Use either stages or a knock-out, not both."),
    "open_knockout": _("A knock-out needs a number of players, or a list of numbers."),
    "no_knockout": _(
        "%(number)s players at tables of %(table)s, with %(advance)s advancing from each, do not lead to a "
        "single final table."
    ),
    "sizes": _("The blocks have %(room)s spots, but %(places)s players advance. The numbers must match."),
    "uneven_blocks": _("%(places)s players cannot be split into %(blocks)s equal blocks. Set a size for each block."),
    "two_rests": _("Only one block can take all remaining players. Set a size for the others."),
    "too_few": _("%(size)s players do not fill a table of %(table)s."),
    "tables_not_full": _(
        "%(size)s players do not fill tables of %(table)s, and with the seating “%(seating)s” no one sits "
        "out. Choose another size, or the seating “balanced”."
    ),
    "twice": _("%(key)s is used twice. Choose another name."),
    "unknown_stage": _("There is no stage %(stage)s."),
    "later_stage": _("Players can only come from earlier stages. %(stage)s is not earlier."),
    "unknown_block": _("Stage %(stage)s has no block %(block)s."),
    "rank_too_low": _("Blocks in stage %(stage)s have %(size)s players, so there is no rank %(rank)s."),
    "places_used_twice": _(
        "Rank %(rank)s in %(where)s already advances to %(first)s. Each rank can advance to only one stage."
    ),
    "seed_used_twice": _("Seed %(seed)s already starts in %(first)s. Each seed can start in only one stage."),
    "seed_unused": _("Seed %(seed)s does not start anywhere. Assign it to a stage."),
    "seed_too_low": _("There are %(entrants)s players, so there is no seed %(seed)s."),
    "too_many_best": _("The best %(count)s cannot be taken from %(blocks)s blocks."),
    "not_an_ancestor": _("No one advances here from %(stage)s, so its points cannot be carried over."),
    "no_bracket": _("A bracket needs ranks from one stage whose number of blocks is a multiple of %(blocks)s."),
    "order_incomplete": _("Stage %(stage)s is missing from the order."),
}
"""Faults and remedies by code."""


class FormatProblems:
    """Collected faults. `broken`: too much is unreadable to check the rest."""

    def __init__(self) -> None:
        self.found: list[FormatProblem] = []
        self.broken = False

    def add(self, code: str, path: str, **values: object) -> None:
        self.found.append(FormatProblem(code, path, values))

    def stop(self) -> None:
        if self.found:
            raise FormatError(self.found)


class Fields:
    def __init__(self, value: object, path: str, problems: FormatProblems) -> None:
        self.path, self.problems = path, problems
        self.asked: list[str] = []
        self.is_table = isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
        self.table: Mapping[str, Any] = value if self.is_table and isinstance(value, Mapping) else {}
        if not self.is_table:
            problems.broken = True
            problems.add("not_a_table", path)

    def __contains__(self, name: str) -> bool:
        return self.table.get(name) is not None

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def take(self, name: str, read: Callable[[Any], Any], default: Any = None) -> Any:
        self.asked.append(name)
        if name not in self:
            return default
        try:
            return read(self.table[name])
        except WrongValueError as error:
            self.problems.add(error.code, self.at(name), **error.values)
            return default

    def need(self, name: str, read: Callable[[Any], Any]) -> Any:
        """Return a required value, None if missing or faulty."""
        before = len(self.problems.found)
        value = self.take(name, read)
        if name not in self and self.is_table:
            self.problems.add("incomplete", self.at(name))
        if len(self.problems.found) > before:
            self.problems.broken = True
        return value

    def each(self, name: str) -> list[tuple[str, Any]]:
        return [(f"{self.at(name)}[{number}]", row) for number, row in enumerate(self.take(name, as_list, []))]

    def close(self) -> None:
        for key in self.table:
            if key not in self.asked:
                self.problems.add("unknown_key", self.at(key), choices=", ".join(self.asked))


def as_list(value: object) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise WrongValueError("not_a_list")
    return list(value)


ALLOWS_BYES = frozenset({SeatingMethod.BALANCED, SeatingMethod.SWISS, SeatingMethod.STANDING, SeatingMethod.MANUAL})
"""Seating methods that allow byes."""


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
        """Ranks already assigned: stage, block, first and last rank, and destination."""
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
        for first, last, _to in sorted(self.seeds, key=lambda seed: seed[0]):
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
        parents = {source.stage for source in stage.sources if not isinstance(source, Entrants)}
        ancestors[stage.key] = parents.union(*(ancestors.get(parent, set()) for parent in parents))
        if stage.carry is not None and stage.carry.stage not in ancestors[stage.key]:
            problems.add("not_an_ancestor", f"{path_to(stage)}.carry.from", stage=stage.carry.stage)


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
