"""Icons and small charts as inline SVG."""

from collections.abc import Iterable
from functools import lru_cache

from django.templatetags.static import static
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from league.templatetags.tenbo.numbers import placement, points_text, ratio, times

SPARK_WIDTH, SPARK_HEIGHT, SPARK_EDGE = 960, 280, 32
"""In tenths of a CSS pixel, so that integers are precise enough."""


def icon(name: str) -> SafeString:
    """Return an icon from static/icons/sprite.svg, hidden from screen readers."""
    return _icon_of(static("icons/sprite.svg"), name)


@lru_cache(maxsize=1024)
def _icon_of(sprite: str, name: str) -> SafeString:
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>', sprite, name)


def sparkline(values: Iterable[int], label: str = "") -> SafeString | str:
    """Return a curve of cumulative points (1/1000 pt), oldest left, as inline SVG; "" without values.

    Each curve has its own scale, which includes zero. `label`: for screen readers.
    """
    curve = list(values)
    if not curve:
        return ""
    bottom, top = min(0, *curve), max(0, *curve)
    room, span = SPARK_HEIGHT - 2 * SPARK_EDGE, max(top - bottom, 1)
    heights = [SPARK_EDGE + room * (top - value) // span for value in curve]
    zero = SPARK_EDGE + room * top // span
    across = _spread(len(curve))
    line = " ".join([f"{x},{y}" for x, y in zip(across, heights, strict=True)])
    return SafeString(
        f'<svg class="spark" viewBox="0 0 {SPARK_WIDTH} {SPARK_HEIGHT}" role="img"'
        f' aria-label="{conditional_escape(label or points_text(curve[-1]))}">'
        f'<line class="zero" x1="0" x2="{SPARK_WIDTH}" y1="{zero}" y2="{zero}"/><polyline points="{line}"/>'
        f'<circle cx="{across[-1]}" cy="{heights[-1]}" r="28"/></svg>'
    )


def podium_bar(bar: tuple[int, int, int] | None) -> SafeString | str:
    """Return a bar as inline SVG from left end, width and zero in 1/100 percent; "" without one. Decorative."""
    if bar is None:
        return ""
    left, width, zero = (ratio(part, 100, decimals=2) for part in bar)
    return format_html(
        '<svg class="podium-bar" aria-hidden="true"><rect class="{kind}" x="{left}%" width="{width}%" height="100%"/>'
        '<line x1="{zero}%" x2="{zero}%" y1="0" y2="100%"/></svg>',
        kind="minus" if bar[0] < bar[2] else "plus", left=left, width=width, zero=zero,
    )  # fmt: skip


def placement_bar(*twelfths: int) -> SafeString | str:
    """Return a stacked bar of placement counts (in twelfths), 1st place left, as inline SVG."""
    total = sum(twelfths)
    if not total:
        return ""
    parts, start = [], 0
    for place, count in enumerate(twelfths, 1):
        if count:
            parts.append(_share(place, start, count, total))
        start += count
    said = ", ".join(f"{placement(place)} {times(count)}" for place, count in enumerate(twelfths, 1))
    return format_html(
        '<svg class="shares" role="img" aria-label="{}">{}</svg>',
        said,
        format_html_join("", "{}", ((p,) for p in parts)),
    )


@lru_cache(maxsize=256)
def _spread(count: int) -> tuple[int, ...]:
    width = SPARK_WIDTH - 2 * SPARK_EDGE
    return tuple(SPARK_EDGE + width * i // max(count - 1, 1) for i in range(count))


def _share(place: int, start: int, count: int, total: int) -> SafeString:
    left, width = (ratio(100 * part, total, decimals=2) for part in (start, count))
    middle = ratio(200 * start + 100 * count, 2 * total, decimals=2)
    return format_html(
        '<rect class="s{place}" x="{left}%" width="{width}%" height="100%"/>'
        '<line x1="{left}%" x2="{left}%" y1="0" y2="100%"/>'
        '<text class="t{place}" x="{middle}%" y="50%">{count}</text>',
        place=place, left=left, width=width, middle=middle, count=times(count) if count * 20 >= total else "",
    )  # fmt: skip
