"""Words on the pages of directors."""

from collections.abc import Iterable

from django import template
from django.utils.translation import get_language

from tournaments.core.format import Format, Outcome, Stage
from tournaments.messages import destination_label, in_language
from tournaments.messages.errors import block_label, joined
from tournaments.models import Entry

register = template.Library()


@register.filter
def named(thing: Stage | Outcome | Format) -> str:
    """Return what a format, a stage or an outcome is called."""
    return in_language(thing.name)


@register.filter
def named_in(key: str, format_: Format) -> str:
    """Return what the destination of this key is called."""
    return destination_label(key, format_)


@register.filter
def block_of(block: str, stage: Stage) -> str:
    """Return what a block of a stage is called, nothing where there is only one."""
    return block_label(block, len(stage.blocks))


@register.filter
def entry_names(entries: Iterable[Entry]) -> str:
    """Return the names of entries in a row, romanised on English pages."""
    in_japanese = (get_language() or "ja").startswith("ja")
    players = (entry.player for entry in entries)
    return joined(player.name if in_japanese else player.romanised or player.name for player in players)
