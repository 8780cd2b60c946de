"""The present edition of a league, as pages read it together with the league."""

from django.db import connection

from league.models import League
from league.selectors.editions import EDITION, edition_text


def edition_of(league: League) -> str:
    """Return the present edition of a league."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {EDITION.format(league='%s')}", [league.pk] * 4)
        return edition_text(*cursor.fetchone())
