"""A database of leagues that was brought back, as it was some time ago: who has left it since lives where the register says."""

from collections.abc import Iterator

from league.databases import HOME, present_place
from league.models import AwayLeague, League, LeagueAddress


def note_who_left() -> Iterator[str]:
    """Note of each league of the present database that lives elsewhere by now that it has left.

    Yields a sentence for each of them, and for each that should be here and is not.
    """
    database = present_place().database
    living = dict(LeagueAddress.objects.values_list("league_number", "database"))
    here = dict(League.objects.values_list("pk", "slug"))
    for number, slug in sorted(here.items()):
        lives = living.get(number, HOME)
        if lives != database:
            AwayLeague.objects.get_or_create(league_id=number, defaults={"database": lives})
            yield f"{slug} moved since: it lives in {'home' if lives == HOME else lives}, and what came back of it counts for nothing."
    AwayLeague.objects.filter(
        league_id__in=[number for number in here if living.get(number, HOME) == database]
    ).delete()
    for slug in (
        LeagueAddress.objects.filter(database=database).exclude(league_number__in=here).values_list("slug", flat=True)
    ):
        yield f"{slug} came here after this backup was made, and is not in it: bring it back from a backup of where it was."
