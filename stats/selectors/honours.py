"""What a player can be proud of: titles of periods that are over, evenings won, achievements."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Case, CharField, Max, OuterRef, Q, Subquery, Sum, Value, When
from django.db.models.functions import Length

from league.core.periods import Period, PeriodKind, month_of, parse_period, year_of
from league.models import League, Player
from stats.core.feats import Feat
from stats.models import Achievement, Award, OwnTitle

KINDS = (PeriodKind.ALL, PeriodKind.YEAR, PeriodKind.MONTH)
"""Titles of the widest periods come first."""


@dataclass(frozen=True, slots=True)
class HeldTitle:
    """A title that a player has held `times` in periods of a kind, the last time in `latest`. `own`: what a league calls its own."""

    key: str
    own: dict[str, str]
    kind: PeriodKind
    times: int
    latest: Period


@dataclass(frozen=True, slots=True)
class Achieved:
    """Something achieved: on which day, with which hanchan; None where it was the whole month."""

    feat: Feat
    day: date
    hanchan: int | None

    @property
    def month(self) -> str:
        """The key of the month."""
        return month_of(self.day).key


@dataclass(frozen=True, slots=True)
class Honours:
    """Everything of it. `evenings`: how many evenings were won."""

    titles: tuple[HeldTitle, ...]
    evenings: int
    achievements: tuple[Achieved, ...]

    @property
    def are_any(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.titles or self.evenings or self.achievements)


def honours_of(league: League, player: Player, today: date) -> Honours:
    """Return what a player can be proud of. Two queries, whatever was played."""
    titles, evenings = _awards(league, player, today)
    rows = Achievement.objects.filter(player=player).values_list("key", "day", "hanchan")
    achieved = {Feat(key): Achieved(Feat(key), day, hanchan) for key, day, hanchan in rows}
    return Honours(titles, evenings, tuple(achieved[feat] for feat in Feat if feat in achieved))


def _awards(league: League, player: Player, today: date) -> tuple[tuple[HeldTitle, ...], int]:
    this_month, this_year = month_of(today).key, year_of(today, league.first_month).key
    own = OwnTitle.objects.filter(league=league, key=OuterRef("key"))
    rows = Award.objects.filter(league=league, player=player).alias(width=Length("period"))
    over = Q(width=len(this_month), period__lt=this_month) | Q(width=len(this_year), period__lt=this_year)
    grouped = (
        rows.filter(over | Q(period="all") | Q(key=Award.EVENINGS))
        .annotate(
            kind=Case(
                When(width=len(this_month), then=Value(PeriodKind.MONTH.value)),
                When(width=len(this_year), then=Value(PeriodKind.YEAR.value)),
                default=Value(PeriodKind.ALL.value),
                output_field=CharField(),
            ),
            own=Subquery(own.values("name")[:1]),
            own_en=Subquery(own.values("name_en")[:1]),
        )
        .values_list("key", "kind", "own", "own_en")
        .annotate(times=Sum("count"), latest=Max("period"))
    )
    titles, evenings = [], 0
    for key, kind, name, name_en, times, latest in grouped:
        if key == Award.EVENINGS:
            evenings = times
            continue
        names = {"ja": name, "en": name_en or name} if name else {}
        titles.append(HeldTitle(key, names, PeriodKind(kind), times, parse_period(latest, league.first_month)))
    titles.sort(key=lambda title: (KINDS.index(title.kind), title.key != "overall", title.key))
    return tuple(titles), evenings
