"""Share pictures: what a chat shows of a link, and what somebody saves."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from stats.exports.cards import BOARD, EVENING, HANCHAN, PLAIN, PLAYER, STORY, site_card, site_version
from stats.http.cards import card_view, picture

board = card_view(BOARD)
session = card_view(EVENING)
hanchan = card_view(HANCHAN)
player = card_view(PLAYER)
league = card_view(PLAIN)
story = card_view(STORY)


@require_safe
def site(request: HttpRequest) -> HttpResponse:
    return picture(request, site_card(), site_version())
