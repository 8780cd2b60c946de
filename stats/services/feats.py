"""What stands out in periods, and what players have achieved, is kept here; pages add nothing up.

A period is kept under the stamp of its board, read before the seats, as months of careers are. What changes in a month
names the players whose achievements follow, in the same transaction. docs/adr/0057 tells why nothing is lost.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from league import background
from league.core.periods import Period, PeriodKind, parse_period
from league.models import Hanchan, League
from stats.core import feats, league_records
from stats.core.league_records import evening_winners, records_of
from stats.models import Achievement, AchievementDue, Award, KeptFeats, PlayerFeats
from stats.selectors.feats import MonthSeats, due_feats, joined_records, leagues_with_due_feats, month_seats
from stats.selectors.titles import given_titles
from stats.services.months import earliest_open_month

KEEP_TASK = "stats.keep_feats"

PLAYERS_AT_ONCE = 50
"""So many players' achievements follow in one transaction."""


def sweep() -> None:
    """Have kept whatever is due in any league. Two queries."""
    for league_id in leagues_with_due_feats(earliest_open_month(timezone.now())):
        background.send(KEEP_TASK, league_id)


def keep_feats(league_id: int) -> int:
    """Keep what is due of a league, months first, then give titles and have achievements follow; return how many periods were kept.

    Each period and so many players are a transaction of their own: who is stopped between them goes on there.
    """
    league = League.objects.filter(pk=league_id).first()
    if league is None:
        return 0
    due = due_feats(league, earliest_open_month(timezone.now()))
    for kept in due:
        _keep(league, kept)
    while _give(league):
        pass
    while _derive_achievements(league):
        pass
    return len(due)


@transaction.atomic
def _keep(league: League, kept: KeptFeats) -> None:
    """Keep a period as the facts are by now, under the stamp that its board had before; one after the other."""
    kept.records, kept.awards_due = [], True
    KeptFeats.objects.bulk_create(
        [kept],
        update_conflicts=True,
        unique_fields=["league", "period"],
        update_fields=["computed_at", "version", "shape", "is_over", "records", "awards_due"],
    )
    row = KeptFeats.objects.get(league=league, period=kept.period)
    period = parse_period(kept.period, league.first_month)
    if period.kind is PeriodKind.MONTH:
        seats = month_seats(league, period)
        row.records = league_records.as_json(records_of(seats.seats))
        _keep_players(league, row, players_of(league, seats, is_over=row.is_over))
        won = evening_winners(seats.seats)
        evenings = Award.objects.filter(league=league, period=period.key, key=Award.EVENINGS)
        _write_awards(league, period, evenings, {(Award.EVENINGS, player): count for player, count in won.items()})
    else:
        row.records = league_records.as_json(joined_records(league, period))
    row.save(update_fields=["records"])


PlayersFeats = dict[int, list[Any]]
"""By player what they did in a month, as JSON."""


def players_of(league: League, seats: MonthSeats, *, is_over: bool) -> PlayersFeats:
    """Return what players did in a month."""
    return {
        player: feats.as_json(feats.month_feats(own, league.minimum_month, is_over=is_over))
        for player, own in seats.by_player.items()
    }


def _keep_players(league: League, month: KeptFeats, right: PlayersFeats) -> None:
    """Write the players' rows of a month that are others now, and note whose achievements may be."""
    stored = dict(month.players.values_list("player", "feats"))
    changed = {player for player in stored.keys() | right.keys() if stored.get(player) != right.get(player)}
    month.players.filter(player__in=changed).delete()
    PlayerFeats.objects.bulk_create(
        PlayerFeats(month=month, player_id=player, feats=right[player]) for player in sorted(changed & right.keys())
    )
    # On another day of the same month a hanchan did the same for everybody, and what was achieved with it is of that day.
    moved = Achievement.objects.filter(player__in=right.keys(), hanchan__isnull=False).exclude(day=F("hanchan__day"))
    due = changed.union(moved.values_list("player", flat=True))
    AchievementDue.objects.bulk_create(AchievementDue(league=league, player_id=player) for player in sorted(due))


@transaction.atomic
def _give(league: League) -> bool:
    """Give the titles of one period as its board stands; return whether any were due."""
    rows = KeptFeats.objects.select_for_update(of=("self",)).filter(league=league, awards_due=True)
    row = rows.order_by("pk").first()
    if row is None:
        return False
    period = parse_period(row.period, league.first_month)
    holders = holders_of(league, period)
    given = Award.objects.filter(league=league, period=period.key).exclude(key=Award.EVENINGS)
    _write_awards(league, period, given, dict.fromkeys(holders, 1))
    KeptFeats.objects.filter(pk=row.pk).update(awards_due=False)
    return True


def holders_of(league: League, period: Period) -> set[tuple[str, int]]:
    """Return who holds which title of a period, by key and player. Two queries."""
    return {(title.rule.key, player) for title in given_titles(league, period) for player in title.standing.holders}


def _write_awards(league: League, period: Period, given: QuerySet[Award], right: Mapping[tuple[str, int], int]) -> None:
    """Write the awards of a period, by key and player, where they are others now: who reads them is told anew only then."""
    gone, missing = _others_now((((row.key, row.player_id), row.count, row.pk) for row in given), right)
    if gone:
        Award.objects.filter(pk__in=gone).delete()
    Award.objects.bulk_create(
        Award(league=league, period=period.key, key=key, player_id=player, count=right[key, player])
        for key, player in missing
    )


Key = TypeVar("Key", tuple[str, int], tuple[int, str])


def _others_now(stored: Iterable[tuple[Key, object, int]], right: Mapping[Key, object]) -> tuple[list[int], list[Key]]:
    """Return which rows, given by key, value and primary key, say something else now, and the keys that no row says rightly."""
    rows = list(stored)
    gone = [pk for key, value, pk in rows if right.get(key) != value]
    return gone, sorted(right.keys() - {key for key, value, _ in rows if right.get(key) == value})


# --- Achievements ----------------------------------------------------------------------------------------------------


@transaction.atomic
def _derive_achievements(league: League) -> bool:
    """Have the achievements of some players follow from their months; return whether any were due."""
    due = AchievementDue.objects.filter(league=league)
    players = set(due.order_by("player").values_list("player", flat=True).distinct()[:PLAYERS_AT_ONCE])
    if players:
        # All that is due of them goes at once, and before their months are read: what comes in meanwhile stays due.
        due.filter(player__in=players).delete()
        _write_achievements(league, players, achievements_of(league, players))
    return bool(players)


Achievements = dict[tuple[int, str], tuple[int | None, date]]
"""By player and key with which hanchan, and when."""


def achievements_of(league: League, players: Iterable[int]) -> Achievements:
    """Return what players have achieved as their months are kept. Two queries."""
    rows = PlayerFeats.objects.filter(player__in=players, month__league=league).order_by("month__period")
    months: dict[int, list[tuple[str, feats.MonthFeats]]] = {}
    for player, period, kept in rows.values_list("player", "month__period", "feats"):
        months.setdefault(player, []).append((period, feats.from_json(kept)))
    found = {(player, feat.value): one for player, own in months.items() for feat, one in feats.earned(own).items()}
    days = dict(Hanchan.objects.filter(pk__in={one.hanchan for one in found.values()}).values_list("pk", "day"))
    return {
        key: (one.hanchan, days[one.hanchan] if one.hanchan else parse_period(one.month).last)
        for key, one in found.items()
    }


def _write_achievements(league: League, players: Iterable[int], right: Achievements) -> None:
    """Write the achievements of players where they are others now."""
    rows = Achievement.objects.filter(player__in=players)
    gone, missing = _others_now((((row.player_id, row.key), (row.hanchan_id, row.day), row.pk) for row in rows), right)
    if gone:
        Achievement.objects.filter(pk__in=gone).delete()
    Achievement.objects.bulk_create(
        Achievement(league=league, player_id=player, key=key, hanchan_id=hanchan, day=day)
        for player, key in missing
        for hanchan, day in [right[player, key]]
    )
