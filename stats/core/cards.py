"""Share pictures as SVG. Callers supply the text measurement and the font."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from unicodedata import combining


@dataclass(frozen=True, slots=True)
class CardRow:
    """A line of a list: rank as text, name, value, and a small note."""

    mark: str
    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CardFigure:
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class ShareCard:
    """A share picture: a title, a subtitle and a list, figures or sentences.

    `place`: the league, above the title. The picture shows the first five `rows`; without rows at most six `figures` in a grid; without
    either only the title and `words`.
    """

    place: str
    title: str
    line: str = ""
    rows: tuple[CardRow, ...] = ()
    figures: tuple[CardFigure, ...] = ()
    words: tuple[str, ...] = ()


Measure = Callable[[str, int], int]
"""Returns the width of a text at a font size, both in pixels, rounded up."""

ELLIPSIS = "…"


def clipped(text: str, size: int, width: int, measure: Measure) -> str:
    """Return the text, or as much of its beginning as fits followed by …; empty if not even that fits."""
    if measure(text, size) <= width:
        return text
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if measure(_cut(text, middle), size) <= width:
            fits = middle
        else:
            too_long = middle
    shown = _cut(text, fits)
    return shown if measure(shown, size) <= width else ""


def _cut(text: str, length: int) -> str:
    """Shorten text to a length including the final …, without splitting a combining character."""
    while 0 < length < len(text) and combining(text[length]):
        length -= 1
    return text[:length].rstrip() + ELLIPSIS


WIDTH, HEIGHT = 1200, 630
MARGIN = 64
RIGHT = WIDTH - MARGIN

FELT, PANEL, PAPER = "#103129", "#1a4a3e", "#fbf3dc"
INK, LIGHT, SOFT = "#10231d", "#fffdf8", "#d3e4db"
STICK, DOT = "#fffaf0", "#bd3a1e"

FAMILY = "Noto Sans JP"
BRAND = "Tenbo"

MAX_ROWS, MAX_FIGURES, MAX_WORDS = 5, 6, 4
ROWS_FROM = 256

# Characters not allowed in XML.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def card_svg(card: ShareCard, measure: Measure) -> str:
    if card.rows:
        below = _rows(card.rows[:MAX_ROWS], measure)
    elif card.figures:
        below = _figures(card.figures[:MAX_FIGURES], measure)
    else:
        below = _words(card.words[:MAX_WORDS], measure)
    parts = (f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{FELT}"/>', *_head(card, measure), *below)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FAMILY}">{"".join(parts)}</svg>'
    )


def _head(card: ShareCard, measure: Measure) -> Iterator[str]:
    left, middle = RIGHT - 132, 72
    yield f'<rect x="{left}" y="{middle - 10}" width="132" height="20" rx="10" fill="{STICK}"/>'
    yield f'<circle cx="{left + 66}" cy="{middle}" r="6" fill="{DOT}"/>'
    yield _text(RIGHT, 118, BRAND, 26, SOFT, "end")
    yield _text(MARGIN, 96, clipped(card.place, 34, 860, measure), 34, SOFT)
    yield _text(MARGIN, 168, clipped(card.title, 60, WIDTH - 2 * MARGIN, measure), 60, LIGHT)
    yield _text(MARGIN, 222, clipped(card.line, 32, WIDTH - 2 * MARGIN, measure), 32, SOFT)


def _rows(rows: tuple[CardRow, ...], measure: Measure) -> Iterator[str]:
    step = 66 if len(rows) > 4 else 82
    size = 38 if len(rows) > 4 else 42
    for number, row in enumerate(rows):
        top = ROWS_FROM + number * step
        first = number == 0
        colour, small = (INK, INK) if first else (LIGHT, SOFT)
        yield _panel(MARGIN - 24, top, WIDTH - 2 * MARGIN + 48, step - 8, PAPER if first else PANEL)
        base = top + (step - 8) // 2 + size * 37 // 100
        yield from _row(row, base, size, (colour, small), measure)


def _row(row: CardRow, base: int, size: int, colours: tuple[str, str], measure: Measure) -> Iterator[str]:
    colour, small = colours
    value = clipped(row.value, size, 330, measure)
    detail = clipped(row.detail, 28, 220, measure)
    room = RIGHT - MARGIN - 100 - measure(value, size) - 32
    yield _text(MARGIN, base, clipped(row.mark, size, 84, measure), size, small)
    yield _text(RIGHT, base, value, size, colour, "end")
    if detail:
        end = RIGHT - max(measure(value, size) + 32, 220)
        yield _text(end, base, detail, 28, small, "end")
        room = end - measure(detail, 28) - MARGIN - 100 - 24
    yield _text(MARGIN + 100, base, clipped(row.name, size, room, measure), size, colour)


def _figures(figures: tuple[CardFigure, ...], measure: Measure) -> Iterator[str]:
    """Yield numbers in a grid of three columns; the first is emphasised."""
    wide, high, gap = 352, 152, 24
    for number, figure in enumerate(figures):
        column, line = number % 3, number // 3
        x, y = MARGIN - 16 + column * (wide + gap), ROWS_FROM + 8 + line * (high + gap)
        first = number == 0
        yield _panel(x, y, wide, high, PAPER if first else PANEL)
        yield _text(x + 24, y + 46, clipped(figure.label, 28, wide - 48, measure), 28, INK if first else SOFT)
        yield _text(x + 24, y + 122, clipped(figure.value, 64, wide - 48, measure), 64, INK if first else LIGHT)


def _words(words: Iterable[str], measure: Measure) -> Iterator[str]:
    for number, sentence in enumerate(words):
        size = 44
        yield _text(MARGIN, 320 + number * 74, clipped(sentence, size, WIDTH - 2 * MARGIN, measure), size, LIGHT)


def _panel(x: int, y: int, width: int, height: int, fill: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="12" fill="{fill}"/>'


def _text(x: int, y: int, text: str, size: int, fill: str, anchor: str = "start") -> str:
    said = escape(_FORBIDDEN.sub("", text))
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{said}</text>' if said else ""
    )
