"""Share pictures over HTTP: public leagues only, immutable under the version in their URL."""

from collections.abc import Callable
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from fontTools.ttLib import TTFont
from resvg_py import svg_to_bytes

from league.http.caching import digest, edition_of, remembered, version_of
from league.models import League
from league.permissions import is_private
from league.selectors.addresses import former_league_at, league_at
from stats.core.cards import FAMILY, ShareCard, card_svg
from stats.exports.cards import CardKind, kept_card, site_card, site_version

FOR_GOOD = "public, max-age=31536000, immutable"
"""Cache-Control for a URL with the current version."""

FOR_A_WHILE = "public, max-age=300"
"""Cache-Control for any other version: the response shows the current picture."""

SHOWN = "shown"
"""Permission of views that respond the same to all visitors: public data only."""


def card_view(kind: CardKind) -> Callable[..., HttpResponse]:
    """Return the view of a kind of picture. It responds 404 for private leagues, as for unknown ones."""

    @require_safe
    def card(request: HttpRequest, slug: str, **given: Any) -> HttpResponse:
        request.user = AnonymousUser()
        league = public_league(request, slug)
        with timezone.override(league.time_zone):
            shown = kept_card(kind, league, given)
        return picture(request, shown, version_of(edition_of(league)))

    card.permission = SHOWN  # type: ignore[attr-defined]
    return card


def public_league(request: HttpRequest, slug: str) -> League:
    """Return the public league with this slug, current or former. Raise Http404."""
    league = league_at(slug)
    if league is not None and not is_private(league):
        return league
    if league is not None and league.slug == slug:
        # Do the same queries as for an unknown slug, so that timing reveals nothing.
        former_league_at(slug)
    setattr(request, "is_private", True)  # noqa: B010 - no such field
    setattr(request, "is_refused", True)  # noqa: B010 - nor this one
    raise Http404


def picture(request: HttpRequest, card: ShareCard, version: str) -> HttpResponse:
    """Return a picture, or 304 if the client has it. `version`: the page's current version."""
    tag = f'"{digest(get_language(), card)}"'
    known = parse_etags(request.headers.get("If-None-Match", ""))
    answer: HttpResponse
    if tag in known or f"W/{tag}" in known:
        answer = HttpResponseNotModified()
    else:
        answer = HttpResponse(remembered(("card picture", card), lambda: card_png(card)), content_type="image/png")
    answer.headers["ETag"] = tag
    answer.headers["Cache-Control"] = FOR_GOOD if request.GET.get("v") == version else FOR_A_WHILE
    setattr(answer, "is_everybodys", True)  # noqa: B010 - no such field
    return answer


@require_safe
def site_picture(request: HttpRequest) -> HttpResponse:
    return picture(request, site_card(), site_version())


# --- Drawing with the bundled font only, so that every machine draws the same bytes ----------------------------------

FONT = Path(settings.BASE_DIR) / "static" / "vendor" / "fonts" / "NotoSansJP_500Medium.ttf"

UNKNOWN = ".notdef"


@cache
def _widths() -> tuple[dict[int, int], int, int]:
    """Return the advance widths of the font by character, the width of the missing-glyph box, and the units per em.

    Read once per drawing process, which takes about a third of a second.
    """
    with TTFont(FONT, lazy=True) as font:
        metrics = font["hmtx"].metrics
        widths = {letter: metrics[glyph][0] for letter, glyph in font.getBestCmap().items()}
        return widths, metrics[UNKNOWN][0], font["head"].unitsPerEm


def measure(text: str, size: int) -> int:
    """Return the width of a text at a font size, in pixels, rounded up and without kerning."""
    widths, unknown, units = _widths()
    return ceil(sum(widths.get(ord(letter), unknown) for letter in text) * size / units)


def card_png(card: ShareCard) -> bytes:
    return bytes(
        svg_to_bytes(
            svg_string=card_svg(card, measure), font_files=[str(FONT)], skip_system_fonts=True, font_family=FAMILY
        )
    )
