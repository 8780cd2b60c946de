"""Share pictures as answers: of public leagues alone, kept for good under the version that their page names."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from league.http.caching import digest, edition_of, remembered, version_of
from league.models import League
from league.permissions import is_private
from league.selectors.addresses import former_league_at, league_at
from stats.core.cards import ShareCard
from stats.exports.cards import CardKind, kept_card
from stats.exports.pictures import card_png

FOR_GOOD = "public, max-age=31536000, immutable"
"""Of an address with the version of today: what it shows never changes."""

FOR_A_WHILE = "public, max-age=300"
"""Seconds of any other: it shows what there is now."""

SHOWN = "shown"
"""Whoever asks is answered alike, whoever they are: what stands there nobody needs a permission for."""


def card_view(kind: CardKind) -> Callable[..., HttpResponse]:
    """Return the view of a kind of picture. A private league has none for anybody, as one that does not exist."""

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
    """Return the league at an address that everybody may read, also under an address that it had. Raises Http404."""
    league = league_at(slug)
    if league is not None and not is_private(league):
        return league
    if league is not None and league.slug == slug:
        # As much work as for an address that nobody has: how long it takes tells nothing.
        former_league_at(slug)
    setattr(request, "is_private", True)  # noqa: B010 - no such field
    setattr(request, "is_refused", True)  # noqa: B010 - nor this one
    raise Http404


def picture(request: HttpRequest, card: ShareCard, version: str) -> HttpResponse:
    """Return a picture, or a 304 to whoever has it. `version`: that of its page as it is now."""
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
