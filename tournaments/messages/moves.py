"""Sentences about moves between stages: entering, advancing, eliminated."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.messages.numbers import in_language
from tournaments.core.format import Best, Destination, Entrants, Format, Outcome, Ranks, Source, Stage, is_from
from tournaments.core.notation import places_given
from tournaments.messages.titles import rank_text, ranks_text, seeds_text


def are_tables(stage: Stage) -> bool:
    sizes = {block.size for block in stage.blocks}
    return all(key.isdecimal() for key in stage.block_keys) and len(sizes) == 1 and sizes <= {3, 4}


def moves_into(stage: Stage, format_: Format) -> Iterator[str]:
    for source in stage.sources:
        if isinstance(source, Entrants):
            yield _entrants(source)
        elif isinstance(source, Best):
            yield _best_in(source, format_)
        else:
            yield _ranks_in(source, format_)


def _entrants(source: Entrants) -> str:
    if source.is_everybody:
        return _("All entrants play.")
    return _("For %(seeds)s, the tournament starts in this stage.") % {"seeds": seeds_text(source.first, source.last)}


def _best_in(source: Best, format_: Format) -> str:
    facts = {"stage": _name(source, format_), "count": source.count, "rank": rank_text(source.rank)}
    text = ngettext(
        "The best player ranked %(rank)s in their block of %(stage)s advances here (wild card).",
        "The best %(count)s players ranked %(rank)s in their block of %(stage)s advance here (wild cards).",
        source.count,
    )
    return text % facts


def _ranks_in(source: Ranks, format_: Format) -> str:
    count = places_given([source], {each.key: each for each in format_.stages}, format_.entrants)
    facts = {
        "stage": _name(source, format_),
        "ranks": ranks_text(source.first, source.last),
        "block": source.block,
        "count": count,
    }
    several = len(format_.stage(source.stage).blocks) > 1
    if source.block:
        text = _("From block %(block)s of %(stage)s: %(ranks)s.")
    elif several and are_tables(format_.stage(source.stage)):
        text = _("From each table of %(stage)s: %(ranks)s (%(count)s players in total).")
    elif several and count is not None:
        text = _("From each block of %(stage)s: %(ranks)s (%(count)s players in total).")
    elif several:
        text = _("From each block of %(stage)s: %(ranks)s.")
    else:
        text = _("From %(stage)s: %(ranks)s.")
    return text % facts


def moves_on(stage: Stage, format_: Format) -> Iterator[str]:
    ways = [
        (source, to)
        for to in format_.destinations_from(stage.key)
        for source in to.sources
        if isinstance(source, Ranks | Best) and source.stage == stage.key
    ]
    for source, to in sorted(ways, key=lambda way: way[0].first if isinstance(way[0], Ranks) else way[0].rank):
        yield _onward(stage, source, to)
    if _leaves_some(stage, format_):
        yield _("All others are eliminated.")


def _onward(stage: Stage, source: Ranks | Best, to: Destination) -> str:
    if isinstance(source, Best):
        return _best_out(source, to)
    width = 2 if source.last is None else source.last - source.first + 1
    facts = {
        "ranks": ranks_text(source.first, source.last),
        "count": width,
        "block": source.block,
        "to": in_language(to.name),
    }
    if isinstance(to, Outcome):
        return _arrival(stage, source) % facts
    return _further(stage, source, width) % facts


def _further(stage: Stage, source: Ranks, width: int) -> str:
    several = len(stage.blocks) > 1
    if source.block:
        text = ngettext(
            "In block %(block)s, %(ranks)s advances to %(to)s.",
            "In block %(block)s, %(ranks)s advance to %(to)s.",
            width,
        )
    elif several and are_tables(stage):
        text = ngettext(
            "At each table, %(ranks)s advances to %(to)s.", "At each table, %(ranks)s advance to %(to)s.", width
        )
    elif several:
        text = ngettext(
            "In each block, %(ranks)s advances to %(to)s.", "In each block, %(ranks)s advance to %(to)s.", width
        )
    elif source.first == 1 and source.last is not None:
        text = ngettext("The winner advances to %(to)s.", "The best %(count)s advance to %(to)s.", width)
    else:
        text = ngettext("%(ranks)s advances to %(to)s.", "%(ranks)s advance to %(to)s.", width)
    return text


def _arrival(stage: Stage, source: Ranks) -> str:
    if source.block:
        return _("Block %(block)s, %(ranks)s: %(to)s.")
    if len(stage.blocks) > 1 and are_tables(stage):
        return _("Each table, %(ranks)s: %(to)s.")
    if len(stage.blocks) > 1:
        return _("Each block, %(ranks)s: %(to)s.")
    return _("%(ranks)s: %(to)s.")


def _best_out(source: Best, to: Destination) -> str:
    facts = {"count": source.count, "rank": rank_text(source.rank), "to": in_language(to.name)}
    if isinstance(to, Outcome):
        text = ngettext(
            "The best %(rank)s of all blocks: %(to)s.", "The best %(count)s of all %(rank)s: %(to)s.", source.count
        )
    else:
        text = ngettext(
            "The best %(rank)s of all blocks advances to %(to)s.",
            "The best %(count)s players ranked %(rank)s across all blocks advance to %(to)s.",
            source.count,
        )
    return text % facts


def _leaves_some(stage: Stage, format_: Format) -> bool:
    destinations = format_.destinations_from(stage.key)
    if not any(isinstance(to, Stage) for to in destinations):
        return False
    sources = [source for to in destinations for source in to.sources if is_from(source, stage.key)]
    return any(not _covers(sources, block.key, block.size) for block in stage.blocks)


def _covers(sources: list[Source], block: str, size: int | None) -> bool:
    taken = [each for each in sources if isinstance(each, Ranks) and each.block in {None, block}]
    expected = 1
    for source in sorted(taken, key=lambda each: each.first):
        if source.first > expected:
            return False
        if source.last is None:
            return True
        expected = source.last + 1
    return size is not None and expected > size


def _name(source: Ranks | Best, format_: Format) -> str:
    return in_language(format_.stage(source.stage).name)
