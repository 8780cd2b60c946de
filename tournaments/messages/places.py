"""Short names for places, where they lead, and the lines between them."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.core.format import Best, Destination, Format, Ranks, Source, Stage
from tournaments.core.notation import places_given
from tournaments.core.ranking import Cut
from tournaments.core.state import TakenPlace
from tournaments.messages.ranks import rank_text, seeds_text
from tournaments.messages.titles import in_language


def destination_label(key: str | None, format_: Format) -> str:
    """Return what a stage or an outcome is called; None is where the tournament ends for a player."""
    return _("Out") if key is None else in_language(format_.destination(key).name)


def cut_label(cut: Cut, format_: Format) -> str:
    """Return what the line below a rank is called, such as "Line to the final (1st)"."""
    if cut.above is None:
        return _("Line above %(to)s") % {"to": destination_label(cut.below, format_)}
    return _("Line to %(to)s (%(rank)s)") % {
        "to": destination_label(cut.above, format_),
        "rank": rank_text(cut.after),
    }


def place_label(place: TakenPlace, format_: Format, seed: int | None = None) -> str:
    """Return where a place was won, in short: A-4, Playoff 1 1st, seed 3; nothing for an entrant without a seed."""
    if place.stage is None:
        return seeds_text(seed, seed) if seed is not None else ""
    if place.position is None:
        return destination_label(place.stage, format_)
    return rank_label(format_.stage(place.stage), place.block, place.position, format_)


def rank_label(stage: Stage, block: str, position: int, format_: Format) -> str:
    """Return a rank of a stage in short: A-4, and with the name of the stage where another has such a block too."""
    facts = {"stage": in_language(stage.name), "block": block, "position": position, "rank": rank_text(position)}
    if not block:
        return pgettext("place", "%(stage)s %(rank)s") % facts
    text = (
        pgettext("place at a table", "T%(block)s-%(position)s")
        if block.isdecimal()
        else pgettext("place in a block", "%(block)s-%(position)s")
    ) % facts
    if sum(block in each.block_keys for each in format_.stages) == 1:
        return text
    return pgettext("place", "%(stage)s %(place)s") % {**facts, "place": text}


def place_labels(to: Destination, format_: Format) -> tuple[str, ...]:
    """Return the places of a stage or an outcome in short, in their order, as long as nobody holds them.

    Sources that depend on how many enter are left out.
    """
    return tuple(label for source in to.sources for label in _labels(source, format_))


def _labels(source: Source, format_: Format) -> Iterator[str]:
    if isinstance(source, Best):
        yield from (_best(source, number) for number in range(1, source.count + 1))
    elif isinstance(source, Ranks):
        yield from _ranks(source, format_)
    elif not source.is_everybody:
        count = places_given([source], {}, format_.entrants) or 0
        yield from (seeds_text(seed, seed) for seed in range(source.first, source.first + count))


def _ranks(source: Ranks, format_: Format) -> Iterator[str]:
    stage = format_.stage(source.stage)
    for block in stage.blocks:
        last = source.last or block.size
        if source.block in {None, block.key} and last is not None:
            yield from (rank_label(stage, block.key, each, format_) for each in range(source.first, last + 1))


def _best(source: Best, number: int) -> str:
    if source.count == 1:
        return pgettext("place", "Best %(rank)s") % {"rank": rank_text(source.rank)}
    return pgettext("place", "Best %(rank)s, no. %(number)s") % {"rank": rank_text(source.rank), "number": number}
