"""Where addresses of many things of one kind begin: a long list asks for it once, not line by line."""

from django.conf import settings
from django.urls import reverse

from league.models import League


def player_pages(league: League) -> str:
    """Return the prefix of player addresses; primary key and slash follow."""
    return reverse(settings.PLAYER_PAGE, args=[league.slug, 0]).removesuffix("0/")


def hanchan_pages(league: League) -> str:
    """Return the prefix of hanchan addresses; primary key and slash follow."""
    return reverse("league:hanchan", args=[league.slug, 0]).removesuffix("0/")
