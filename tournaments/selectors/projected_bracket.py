"""The bracket on the wall: as a picture where it can be read from the back, else round by round on cards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tournaments.messages.titles import in_language
from tournaments.selectors.picture import FilledPicture, PictureBox
from tournaments.selectors.state import CurrentState

ROOM = (700, 370)
"""So many units of a picture fit on the screen across and down where its letters are still large enough."""

MOST, MOST_TALL = 6, 3
"""So many boxes fit on a screen; of those with more rows than a table has seats, side by side."""

ROWS = 4
ROUND = 3
"""Stages with at least so many boxes have screens of their own."""


@dataclass(frozen=True, slots=True)
class BracketCard:
    """A box of the picture, and where it leads: pairs of ranks and the name of what they reach."""

    filled: PictureBox
    onward: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class BracketScreen:
    """So many boxes of the bracket as fit: a round, a part of one, or several short stages. `number` counts from 1."""

    cards: tuple[BracketCard, ...]
    number: int
    of: int

    @property
    def shape(self) -> str:
        """How the cards stand: side by side where one is tall, else in two rows."""
        return f"tall-{len(self.cards)}" if any(map(_is_tall, self.cards)) else str(len(self.cards))


def fits_as_picture(picture: FilledPicture) -> bool:
    """Return whether the letters of the picture can be read from the back of a room."""
    return picture.layout.width <= ROOM[0] and picture.layout.height <= ROOM[1]


def bracket_screens(current: CurrentState, picture: FilledPicture) -> list[BracketScreen]:
    cards = [BracketCard(each, _onward(current, picture, each)) for each in picture.boxes]
    stages = [list(found) for _, found in groupby(cards, key=lambda card: card.filled.box.key)]
    parts = list(_parts(stages))
    return [BracketScreen(tuple(part), number, len(parts)) for number, part in enumerate(parts, 1)]


def _parts(stages: Sequence[list[BracketCard]]) -> Iterator[Sequence[BracketCard]]:
    together: list[BracketCard] = []
    for stage in stages:
        is_tall = any(map(_is_tall, stage))
        if together and (is_tall or len(stage) >= ROUND or len(together) + len(stage) > MOST):
            yield together
            together = []
        if is_tall or len(stage) >= ROUND:
            screens = -(-len(stage) // (MOST_TALL if is_tall else MOST))
            size = -(-len(stage) // screens)
            yield from (stage[start : start + size] for start in range(0, len(stage), size))
        else:
            together = [*together, *stage]
    if together:
        yield together


def _is_tall(card: BracketCard) -> bool:
    return len(card.filled.rows) + bool(card.filled.more) > ROWS


def _onward(current: CurrentState, picture: FilledPicture, each: PictureBox) -> tuple[tuple[str, str], ...]:
    format_ = current.state.format
    return tuple(
        (line.words, in_language(format_.destination(line.route.to).name))
        for line in picture.lines
        if (line.route.stage, line.route.block) == (each.box.key, each.box.block)
    )
