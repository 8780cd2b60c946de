"""Share pictures: what a chat shows of a link, and what somebody saves."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from stats.exports.cards.registry import BOARD, EVENING, HANCHAN, PLAIN, PLAYER
from stats.exports.cards.site import site_card, site_version
from stats.http.cards import card_view, picture

board = card_view(BOARD)
session = card_view(EVENING)
hanchan = card_view(HANCHAN)
player = card_view(PLAYER)
league = card_view(PLAIN)


@require_safe
def site(request: HttpRequest) -> HttpResponse:
    """Return the picture of the site itself."""
    return picture(request, site_card(), site_version())
