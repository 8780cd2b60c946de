"""Merged players, similar names, memberships, and offers to take over a league."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import get_language

from league.core.name_order import name_order
from league.core.readings import alike, folded, sight
from league.core.spreadsheets.names import NamedPerson
from league.models import Adjustment, Hanchan, League, LeagueOffer, Membership, Player, Seat
from league.permissions import Person

SHOWN_MEETINGS = 5


def listing_order(player: Player) -> str:
    """Return the key that sorts players by the name that the page's language shows."""
    is_stored = get_language() == "ja" or not player.romanised
    return player.sort_key if is_stored else name_order(player.romanised, "", "")


def named_person(player: Player, aliases: Iterable[str]) -> NamedPerson:
    return NamedPerson(player.pk, player.name, player.kana, player.romanised, player.number, tuple(aliases))


def current_player(player: Player) -> Player:
    """Follow merges to the remaining player. A circle of merges, possible in old databases, is left before it closes."""
    seen = {player.pk}
    while player.merged_into is not None and player.merged_into_id not in seen:
        player = player.merged_into
        seen.add(player.pk)
    return player


def merge_preview(source: Player, target: Player) -> dict[str, Any]:
    """Return what merging `source` into `target` would change. Five queries."""
    seats = Seat.objects.filter(player=source)
    adjustments = Adjustment.objects.filter(player=source)
    days = {*seats.order_by().values_list("day", flat=True), *adjustments.order_by().values_list("day", flat=True)}
    periods = {period.key: period for day in days for period in source.league.periods_of(day)}
    met = Hanchan.objects.filter(seats__player=source).filter(seats__player=target).select_related("session")
    return {
        "hanchan": seats.count(),
        "sessions": seats.order_by().values("hanchan__session").distinct().count(),
        "adjustments": adjustments.count(),
        "periods": tuple(sorted(periods.values(), key=lambda period: (period.end, period.start), reverse=True)),
        "meetings": tuple(met.order_by("-played_at")[:SHOWN_MEETINGS]),
        "meeting_count": met.count(),
    }


def written_alike(league: League, players: Collection[Player]) -> list[tuple[Player, Player]]:
    """Pair players with another whose name differs only in width, case or variant characters. One query."""
    by_likeness: dict[str, list[Player]] = defaultdict(list)
    for other in league.players.active().order_by("pk"):
        by_likeness[alike(other.name)].append(other)
    pairs = []
    for player in players:
        others = (other for other in by_likeness[alike(player.name)] if other.name != player.name)
        if (found := next(others, None)) is not None:
            pairs.append((player, found))
    return pairs


def looking_like(names: Iterable[str], players: Iterable[Player]) -> list[Player]:
    """Return players whose names look like one of these but have other letters, such as Cyrillic ones."""
    plain_by_sight: dict[str, set[str]] = defaultdict(set)
    for name in names:
        plain_by_sight[sight(name)].add(folded(name))
    if not plain_by_sight:
        return []
    return [each for each in players if plain_by_sight.get(sight(each.name), set()) - {folded(each.name)}]


def membership_of(user: Person, league: League) -> Membership | None:
    return Membership.objects.filter(league=league, user=user.pk).select_related("league", "user").first()


def is_only_owner(member: Membership) -> bool:
    """Return whether the member is the league's only owner. One query for owners."""
    if member.role != Membership.Role.OWNER:
        return False
    owners = Membership.objects.filter(league=member.league_id, role=Membership.Role.OWNER)
    return not owners.exclude(pk=member.pk).exists()


def offer_of(league: League) -> LeagueOffer | None:
    """Return the league's valid offer to take it over, or None. One query."""
    return _standing().filter(league=league).first()


def offer_to(user: Person, league: League) -> LeagueOffer | None:
    return _standing().filter(league=league, to__user=user.pk).first()


def offers_to(user: Person) -> list[LeagueOffer]:
    """Return the valid offers to a user to take over leagues. One query."""
    return list(_standing().filter(to__user=user.pk).exclude(league__state=League.State.TAKEN_DOWN))


def _standing() -> QuerySet[LeagueOffer]:
    """Return valid offers: not expired, and made by a current owner."""
    valid = LeagueOffer.objects.filter(ends_at__gt=timezone.now(), by__role=Membership.Role.OWNER)
    return valid.select_related("league", "to__user", "by__user")
