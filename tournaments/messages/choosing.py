"""The built-in formats to choose from, with those first that suit the people and the time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.core.format import Format
from tournaments.core.length import ADJUSTABLE, ROUNDS, USUAL, Length, Time, length_of, with_length
from tournaments.core.reading import entrant_choices, load_document, read_format
from tournaments.messages.errors import resting_sentence
from tournaments.messages.formats import card_name

COMMON = ("swiss", "elimination-4", "open-final-table", "season")

ABOUT: Mapping[str, Promise] = {
    "swiss": _(
        "Everyone plays every hanchan. After each one, players with similar points meet. The highest total wins."
    ),
    "elimination-4": _(
        "The best two of each table of four advance, the other two are out. The last four play two hanchan for the title."
    ),
    "open-final-table": _(
        "Everyone plays 8 hanchan at changing tables. The best four then play the final; all others play on for their rank."
    ),
    "season": _("You set the tables of each session yourself. The highest total of all sessions wins."),
    "classes": _(
        "Classes A, B and C play 20 hanchan each, and two players move up and down between them. The best four of "
        "class A play the final."
    ),
    "cinderella-system": _(
        "Winning a hanchan is enough; last place is out. Those in between play a second hanchan. There is no champion: "
        "four of eight advance, for example to your next event."
    ),
    "cinderella": _(
        "Two blocks of eight. Each winner goes straight to the final; ranks 2 to 5 play three playoffs for the other "
        "two seats."
    ),
    "cinderella-2018": _(
        "Three blocks of eight. The best two of each go to the semi-finals; two more get there through two playoffs. "
        "Then four play the final."
    ),
    "mleague": _(
        "Ten teams play a long season. The best six and then the best four play on, each time with half their points. "
        "A team enters as one player."
    ),
}
"""What is played and how the winner is found, in the order of the list."""


@dataclass(frozen=True, slots=True)
class FormatCard:
    """A format to choose.

    `choices`: possible numbers of players, if not a range. `adjusts`: proposed value of what can be adjusted. `resting`:
    who sits out, if anyone. `rules`: empty for the league's.
    """

    format: Format
    about: Promise
    length: Length
    choices: tuple[int, ...]
    is_for_people: bool
    is_in_time: bool
    suits: bool
    adjusts: int | None
    resting: str
    rules: str


def format_cards(people: int | None, time: str) -> list[FormatCard]:
    return list(_cards(people, Time(time) if time in list(Time) else None))


def _cards(people: int | None, time: Time | None) -> Iterator[FormatCard]:
    for key, about in ABOUT.items():
        document = load_document(key)
        choices = entrant_choices(document)
        adjusts = people if people in choices else None
        if key in ADJUSTABLE:
            usual = document["stage"][0][ADJUSTABLE[key]]
            adjusts = USUAL[key].get(time, usual) if time else usual
            document = with_length(document, key, adjusts)
        format_ = read_format(key, document, people if people in choices else None)
        length = length_of(format_)
        is_for_people = people is None or people in (choices or format_.entrants)
        is_in_time = time is None or length.rounds in ROUNDS[time]
        suits = is_for_people and is_in_time and (people is not None or time is not None or key in COMMON)
        resting = resting_sentence(people or 0, format_)
        rules = card_name(format_.ruleset) if format_.ruleset else ""
        yield FormatCard(format_, about, length, choices, is_for_people, is_in_time, suits, adjusts, resting, rules)
