"""A database that was brought back, as it was some time ago: a league that has moved since lives where it is now, and there alone."""

from collections.abc import Iterator

from django.conf import settings
from django.db import transaction

from league.databases import HOME, working_in
from league.models import AwayLeague, FormerAddress, League, LeagueAddress
from league.selectors.left_behind import left_behind
from league.services.moving.plans import said


def note_who_lives_where(database: str) -> Iterator[str]:
    """Have everybody find each league where it lives, now that a database is as it was before; yield what there is to say.

    The other databases are believed: the register at home, or where that is what came back, the leagues that live elsewhere.
    """
    yield from _after_home() if database == HOME else _after(database)


def _after(database: str) -> Iterator[str]:
    living = dict(LeagueAddress.objects.values_list("league_number", "database"))
    at_home = set(League.objects.values_list("pk", flat=True))
    with working_in(database):
        here = dict(League.objects.order_by("pk").values_list("pk", "slug"))
        for number, slug in here.items():
            lives = living.get(number, HOME if number in at_home else database)
            if lives == database:
                AwayLeague.objects.filter(league_id=number).delete()
            else:
                AwayLeague.objects.update_or_create(league_id=number, defaults={"database": lives})
                yield f"{slug} has moved since: it lives in {said(lives)}, and what came back of it counts for nothing."
    for slug in _missing(database, set(here)):
        yield f"{slug} has come here since and is not in this backup: bring it back from one of where it was."


def _after_home() -> Iterator[str]:
    for database in settings.LEAGUE_DATABASES:
        with working_in(database):
            gone = set(left_behind().values_list("pk", flat=True))
            there = {number: slug for number, slug in League.objects.values_list("pk", "slug") if number not in gone}
            former = list(FormerAddress.objects.filter(league__in=there).values_list("league", "slug"))
        for slug in _missing(database, set(there)):
            yield f"{slug} has left {database} since and may not be in this backup: look where it is."
        for number, slug in there.items():
            _note(number, database, [slug, *(each for league, each in former if league == number)])
            if League.objects.filter(pk=number).exists():
                yield f"{slug} has moved since: it lives in {database}, and what came back of it counts for nothing."


def _missing(database: str, there: set[int]) -> list[str]:
    """Return the addresses that the register leads to a database in which their league is not."""
    noted = LeagueAddress.objects.filter(database=database).exclude(league_number__in=there)
    return list(noted.order_by("slug").values_list("slug", flat=True))


@transaction.atomic
def _note(number: int, database: str, slugs: list[str]) -> None:
    LeagueAddress.objects.filter(league_number=number).delete()
    LeagueAddress.objects.filter(slug__in=slugs).delete()
    LeagueAddress.objects.bulk_create(
        LeagueAddress(slug=slug, league_number=number, database=database) for slug in slugs
    )
    if League.objects.filter(pk=number).exists():
        AwayLeague.objects.update_or_create(league_id=number, defaults={"database": database})
