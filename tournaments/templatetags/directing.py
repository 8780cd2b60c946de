"""Words on the pages of directors."""

from collections.abc import Iterable

from django import template
from django.utils.translation import get_language

from tournaments.core.format import Format, Outcome, Stage
from tournaments.messages.errors import block_label, joined
from tournaments.messages.titles import destination_label, in_language
from tournaments.models import Entry

register = template.Library()


@register.filter
def named(thing: Stage | Outcome | Format) -> str:
    return in_language(thing.name)


@register.filter
def named_in(key: str, format_: Format) -> str:
    return destination_label(key, format_)


@register.filter
def block_of(block: str, stage: Stage) -> str:
    return block_label(block, len(stage.blocks))


@register.filter
def entry_names(entries: Iterable[Entry]) -> str:
    in_japanese = (get_language() or "ja").startswith("ja")
    players = (entry.player for entry in entries)
    return joined(player.name if in_japanese else player.romanised or player.name for player in players)
