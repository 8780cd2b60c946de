from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from league.models import League, Membership, Player


@dataclass(frozen=True, slots=True)
class OwnLeague:
    league: League
    membership: Membership | None
    players: tuple[Player, ...]

    @property
    def is_owner(self) -> bool:
        return self.membership is not None and self.membership.role == Membership.Role.OWNER


def own_leagues(user: User) -> list[OwnLeague]:
    """Return the user's leagues that they may read, active leagues first, then by name. Two queries."""
    rows = Membership.objects.filter(user=user).select_related("league__current_version")
    memberships = {each.league_id: each for each in rows}
    players: dict[int, list[Player]] = {}
    mine = Player.objects.filter(user=user).active().select_related("league__current_version")
    for player in mine.filter(league__in=League.objects.visible_to(user).values("pk")):
        players.setdefault(player.league_id, []).append(player)
    leagues = {pk: each.league for pk, each in memberships.items()}
    leagues |= {pk: each[0].league for pk, each in players.items() if pk not in leagues}
    found = [OwnLeague(each, memberships.get(pk), tuple(players.get(pk, ()))) for pk, each in leagues.items()]
    # Only owners see a league that was taken down.
    shown = [each for each in found if each.is_owner or each.league.state != League.State.TAKEN_DOWN]
    return sorted(shown, key=lambda each: (not each.league.is_active, each.league.name, each.league.pk))


def leagues_left_without(user: User) -> list[League]:
    """Return the leagues whose only owner is this user. One query."""
    others = Membership.objects.filter(league=OuterRef("pk"), role=Membership.Role.OWNER).exclude(user=user)
    owned = League.objects.filter(members__user=user, members__role=Membership.Role.OWNER)
    return list(owned.filter(~Exists(others)).order_by("name", "pk"))
