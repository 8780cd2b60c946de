"""The built-in formats to choose from, with those that suit the people and the time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tournaments.core.format import Format
from tournaments.core.length import ADJUSTABLE, ROUNDS, Length, length_of, length_within, with_length
from tournaments.core.reading import entrant_choices, format_keys, load_document, read_format
from tournaments.messages.errors import resting_sentence
from tournaments.messages.formats import card_name

COMMON = ("swiss", "elimination-4", "open-final-table", "season")
"""Those proposed first, in this order."""


@dataclass(frozen=True, slots=True)
class FormatCard:
    """A format to choose.

    `choices`: possible numbers of players, if not a range. `adjusts`: proposed value of what can be adjusted. `resting`:
    who sits out, if anyone. `rules`: empty for the league's.
    """

    format: Format
    length: Length
    choices: tuple[int, ...]
    is_for_people: bool
    is_in_time: bool
    suits: bool
    adjusts: int | None
    resting: str
    rules: str


def format_cards(people: int | None, time: str, lengths: Mapping[str, int]) -> Iterator[FormatCard]:
    """Yield the formats. `lengths`: those chosen instead of the proposed ones, 0 for none."""
    for key in dict.fromkeys((*COMMON, *format_keys())):
        document = load_document(key)
        choices = entrant_choices(document)
        adjusts = people if people in choices else None
        format_ = read_format(key, document, adjusts)
        if key in ADJUSTABLE:
            adjusts = lengths.get(key) or length_within(document, key, time)
            format_ = read_format(key, with_length(document, key, adjusts))
        length = length_of(format_)
        is_for_people = people is None or people in (choices or format_.entrants)
        is_in_time = length.rounds in ROUNDS.get(time, range(length.rounds + 1))
        suits = is_for_people and (is_in_time or bool(lengths.get(key))) and bool(people or time or key in COMMON)
        resting = resting_sentence(people or 0, format_)
        rules = card_name(format_.ruleset) if format_.ruleset else ""
        yield FormatCard(format_, length, choices, is_for_people, is_in_time, suits, adjusts, resting, rules)
