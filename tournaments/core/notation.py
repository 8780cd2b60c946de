"""Read stages, outcomes and sources of places in a format file.

blocks = { A = 8, B = "rest" }     sizes · ["A", "B"] or 2: equal sizes · omitted: one block
from = [
    { entrants = "all" },                        # all entrants
    { seeds = "1-8", bonus = "20" },             # a range of seeds, with starting points
    { stage = "x", ranks = "4-5" },              # of each block; block = "A": of this block only
    { stage = "x", rank = 5, best = 1 },         # wild cards: the best of all fifth places
]
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tournaments.core import values
from tournaments.core.format import (
    Best,
    Block,
    Carry,
    Entrants,
    Fill,
    Outcome,
    RankBy,
    Ranks,
    SeatingMethod,
    Sizes,
    Source,
    Stage,
)
from tournaments.core.problems import Fields, FormatProblems, WrongValueError

EXACT = 1
TENTH = 100
"""Rounding unit of a partial carry-over (0.1 pt); full carry-over is not rounded."""

MAX_BONUS = 10_000_000

STAGE_OPTIONS: Mapping[str, tuple[Callable[[Any], Any], Any]] = {
    "sessions": (values.whole_number(1, 100), 1),
    "hanchan": (values.whole_number(1, 500), None),
    "seating": (values.one_of(SeatingMethod), SeatingMethod.MANUAL),
    "tiebreak": (values.tiebreak, ("manual",)),
    "fill": (values.one_of(Fill), Fill.DRAW),
    "rank_by": (values.one_of(RankBy), RankBy.POINTS),
    "ruleset": (values.ruleset, None),
}
"""Readers and defaults of the options of every stage; `[defaults]` can set other defaults."""


@dataclass(frozen=True, slots=True)
class StageContext:
    """Context for reading a stage: number of entrants, default values, earlier stages, and faults."""

    entrants: Sizes
    defaults: Mapping[str, Any]
    earlier: dict[str, Stage]
    problems: FormatProblems


def read_defaults(value: object, problems: FormatProblems) -> dict[str, Any]:
    fields = Fields(value, "defaults", problems)
    found = {name: fields.take(name, read, default) for name, (read, default) in STAGE_OPTIONS.items()}
    fields.close()
    return found


def path_of(kind: str, number: int, row: object) -> str:
    key = row.get("key") if isinstance(row, Mapping) else None
    return f"{kind}.{key}" if isinstance(key, str) and len(key) <= 40 else f"{kind}[{number}]"


def read_stage(row: object, path: str, context: StageContext) -> Stage:
    fields = Fields(row, path, context.problems)
    key, name = fields.need("key", values.key), fields.need("name", values.names())
    wanted = fields.take("blocks", values.blocks, {"": None})
    sources = read_sources(fields, context.problems)
    options = {name: fields.take(name, read, context.defaults[name]) for name, (read, _) in STAGE_OPTIONS.items()}
    if options["hanchan"] is None:
        options["hanchan"] = fields.need("hanchan", STAGE_OPTIONS["hanchan"][0])
    carry = _carry(fields, context.problems)
    fields.close()
    blocks = _sized(
        wanted, places_given(sources, context.earlier, context.entrants), fields.at("blocks"), context.problems
    )
    stage = Stage(key=key, name=name, blocks=blocks, sources=sources, carry=carry, **options)
    context.earlier.setdefault(key, stage)
    return stage


def read_outcome(row: object, path: str, problems: FormatProblems) -> Outcome:
    fields = Fields(row, path, problems)
    key, name = fields.need("key", values.key), fields.need("name", values.names())
    outcome = Outcome(key, name, read_sources(fields, problems))
    fields.close()
    return outcome


def read_sources(fields: Fields, problems: FormatProblems) -> tuple[Source, ...]:
    rows = fields.each("from")
    if not rows:
        problems.broken = True
        if fields.is_table and fields.table.get("from") in (None, []):
            problems.add("incomplete", fields.at("from"))
    return tuple(source for path, row in rows if (source := _source(row, path, problems)) is not None)


def _source(row: object, path: str, problems: FormatProblems) -> Source | None:
    fields = Fields(row, path, problems)
    bonus = fields.take("bonus", values.points(-MAX_BONUS, MAX_BONUS), 0)
    source: Source | None = None
    if "entrants" in fields:
        fields.need("entrants", _all)
        source = Entrants(bonus=bonus)
    elif "seeds" in fields:
        first, last = fields.need("seeds", values.ranks) or (1, None)
        source = Entrants(first, last, bonus)
    elif "best" in fields:
        stage, rank = fields.need("stage", values.key), fields.need("rank", values.whole_number(1, values.MAX_PLAYERS))
        source = Best(stage, rank, fields.need("best", values.whole_number(1, values.MAX_BLOCKS)), bonus)
    elif "stage" in fields:
        stage, (first, last) = fields.need("stage", values.key), fields.need("ranks", values.ranks) or (1, None)
        source = Ranks(stage, first, last, fields.take("block", values.block_key), bonus)
    elif fields.table:
        problems.broken = True
        problems.add("not_a_source", path)
        return None
    fields.close()
    return source


def _all(value: object) -> str:
    if value != "all":
        raise WrongValueError("not_a_choice", value=repr(value), choices="all")
    return "all"


def _carry(fields: Fields, problems: FormatProblems) -> Carry | None:
    row = fields.take("carry", values.anything)
    if row is None:
        return None
    carry = Fields(row, fields.at("carry"), problems)
    stage = carry.need("from", values.key)
    factor = carry.take("factor", values.factor, Fraction(1))
    unit = carry.take("unit", values.points(1, 100_000), EXACT if factor == 1 else TENTH)
    carry.close()
    return Carry(stage, factor, unit)


def places_given(sources: Sequence[Source], earlier: Mapping[str, Stage], entrants: Sizes) -> int | None:
    total = 0
    for source in sources:
        count = _places(source, earlier, entrants)
        if count is None:
            return None
        total += count
    return total


def _places(source: Source, earlier: Mapping[str, Stage], entrants: Sizes) -> int | None:
    if isinstance(source, Best):
        return source.count
    if isinstance(source, Entrants):
        size = entrants.most if entrants.least == entrants.most else None
        return _width(source.first, source.last, size)
    if source.stage not in earlier:
        return None
    blocks = [block for block in earlier[source.stage].blocks if source.block in {None, block.key}]
    widths = [_width(source.first, source.last, block.size) for block in blocks]
    known = [width for width in widths if width is not None]
    return sum(known) if known and len(known) == len(widths) else None


def _width(first: int, last: int | None, size: int | None) -> int | None:
    if last is None:
        return None if size is None else max(0, size - first + 1)
    return max(0, (last if size is None else min(last, size)) - first + 1)


def _sized(
    wanted: Mapping[str, int | str | None], total: int | None, path: str, problems: FormatProblems
) -> tuple[Block, ...]:
    given = sum(size for size in wanted.values() if isinstance(size, int))
    left = None if total is None else total - given
    rests = [key for key, size in wanted.items() if size == "rest"]
    even = [key for key, size in wanted.items() if size is None]
    if len(rests) > 1:
        problems.add("two_rests", path)
    elif even and left is not None and left % len(even):
        problems.add("uneven_blocks", path, places=left, blocks=len(even))
    elif left is not None and (left < 0 or (left and not rests and not even)):
        problems.add("sizes", path, room=given, places=total)
    each = left // len(even) if even and left is not None else left
    return tuple(Block(key, size if isinstance(size, int) else each) for key, size in wanted.items())
