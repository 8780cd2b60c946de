"""What is kept of periods is what their seats come to, and achievements are what follows from it."""

from collections.abc import Iterator
from typing import Any

from league.core.periods import Period, PeriodKind
from league.models import League, Player
from league.selectors.moment import one_moment
from league.services.boards import periods_with_play
from league.services.proofs.values import Difference, Proof, ProofTally
from stats.core.league_records import LeagueRecords, as_json, joined, records_of
from stats.models import Achievement, AchievementDue, KeptFeats
from stats.selectors.feats import month_seats, still_true
from stats.services.feats import PLAYERS_AT_ONCE, achievements_of, keep_feats, players_of

_PlayersFeats = dict[int, list[Any]]
"""By player what they did in a month, as JSON."""


def check_feats(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield what is kept and does not follow from the facts. What is not kept is only late, and what is due."""
    are_right = True
    for _, difference in _wrong_periods(league, tally):
        if difference is not None:
            are_right = False
            yield difference
    if are_right:
        yield from _wrong_achievements(league)


def put_right(league: League) -> None:
    """Forget what is kept wrong, keep it anew, and have all achievements follow anew."""
    wrong = {key for key, difference in _wrong_periods(league, ProofTally()) if difference is not None}
    KeptFeats.objects.filter(league=league, period__in=wrong).delete()
    players = league.players.values_list("pk", flat=True)
    AchievementDue.objects.bulk_create(AchievementDue(league=league, player_id=player) for player in players)
    keep_feats(league.pk)


def _wrong_periods(league: League, tally: ProofTally) -> Iterator[tuple[str, Difference | None]]:
    """Yield each period with what is wrong in it, None where that is nothing: months from their seats, others from months."""
    months: list[tuple[Period, LeagueRecords]] = []
    for period in periods_with_play(league):
        with one_moment():
            row = still_true(KeptFeats.objects.filter(league=league, period=period.key)).first()
            kept = {} if row is None else dict(row.players.values_list("player", "feats"))
            players: _PlayersFeats = {}
            if period.kind is PeriodKind.MONTH:
                seats = month_seats(league, period)
                right = records_of(seats.seats)
                months.append((period, right))
                players = players_of(league, seats, is_over=row.is_over if row else True)
            else:
                right = joined([records for month, records in months if month.start in period])
        tally.add(period.key, right)
        yield period.key, None
        if row is not None:
            for difference in _differences(period.key, (row.records, kept), (as_json(right), players)):
                yield period.key, difference


def _differences(key: str, kept: tuple[Any, _PlayersFeats], right: tuple[Any, _PlayersFeats]) -> Iterator[Difference]:
    if kept[0] != right[0]:
        yield Difference(f"period {key}", "records", kept[0], right[0])
    for player in sorted(kept[1].keys() | right[1].keys()):
        stored, wanted = kept[1].get(player), right[1].get(player)
        if stored != wanted:
            yield Difference(f"month {key} player {player}", "feats", stored, wanted)


def _wrong_achievements(league: League) -> Iterator[Difference]:
    """Yield achievements that do not follow from what is kept; those of players who are due are only late."""
    due = AchievementDue.objects.filter(league=league).values("player")
    players = list(Player.objects.filter(league=league).exclude(pk__in=due).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(players), PLAYERS_AT_ONCE):
        some = players[start : start + PLAYERS_AT_ONCE]
        rows = Achievement.objects.filter(player__in=some).values_list("player", "key", "hanchan", "day")
        stored = {(player, key): (hanchan, day) for player, key, hanchan, day in rows}
        right = achievements_of(league, some)
        for player, key in sorted(stored.keys() | right.keys()):
            one, other = stored.get((player, key)), right.get((player, key))
            if one != other:
                yield Difference(f"player {player}", f"achievement {key}", one, other)


FEATS = Proof("feats", "periods", check_feats, put_right)
