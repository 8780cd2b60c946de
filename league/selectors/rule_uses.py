"""How many hanchan stand under each version of rules, and since when."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Max, Min, Q

from league.models import Hanchan, League


@dataclass(frozen=True, slots=True)
class UseOfVersion:
    """How many hanchan were scored by a version, how many of them were not taken back, and the days of these."""

    hanchan: int = 0
    standing: int = 0
    first: date | None = None
    last: date | None = None


NO_USE = UseOfVersion()


def uses_of_versions(league: League) -> dict[int, UseOfVersion]:
    """Return how much was played by each version of the league's rules, by primary key. One query."""
    stands = ~Q(state=Hanchan.State.VOIDED)
    found = Hanchan.objects.filter(league=league).order_by().values_list("ruleset_version")
    numbers = {
        "standing": Count("pk", filter=stands),
        "first": Min("day", filter=stands),
        "last": Max("day", filter=stands),
    }
    return {version: UseOfVersion(*use) for version, *use in found.annotate(hanchan=Count("pk"), **numbers)}
