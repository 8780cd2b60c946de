"""URL prefixes of players and hanchan, so that long lists need not call reverse() for each row."""

from django.conf import settings
from django.urls import reverse

from league.models import League


def player_pages(league: League) -> str:
    """Return the URL prefix of player pages; append the primary key and a slash."""
    return reverse(settings.PLAYER_PAGE, args=[league.slug, 0]).removesuffix("0/")


def hanchan_pages(league: League) -> str:
    """Return the URL prefix of hanchan pages; append the primary key and a slash."""
    return reverse("league:hanchan", args=[league.slug, 0]).removesuffix("0/")
