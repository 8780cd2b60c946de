"""What stands on a share picture, in the words of its language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CardRow:
    """Somebody in a list: the rank as it is written, the name, what counts, and in small what explains it."""

    mark: str
    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CardFigure:
    """A number with what it is."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class ShareCard:
    """A share picture: whose it is, its title, a line below, and a list, figures or sentences.

    `place`: the league, above the title. `rows` are listed, at most five of them; without rows `figures` stand in a
    grid, at most six; without either the picture is its title with `words` below.
    """

    place: str
    title: str
    line: str = ""
    rows: tuple[CardRow, ...] = ()
    figures: tuple[CardFigure, ...] = ()
    words: tuple[str, ...] = ()
