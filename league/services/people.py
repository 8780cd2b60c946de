import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, repeat
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from league.core.errors import RefusedError
from league.core.kept_states import readable_merge
from league.core.name_order import name_order
from league.core.spelling import cleaned
from league.messages import plain_name
from league.models import (
    Adjustment,
    Hanchan,
    League,
    Membership,
    Player,
    PlayerAlias,
    Revision,
    Seat,
    Session,
    SessionPoints,
)
from league.services.boards import mark_stale
from league.services.history import WRITTEN_TOGETHER, Actor, Change, write_revision, write_revisions
from league.services.locking import lock_hanchan_of, lock_league, lock_players, locked

UNSEEN = "?"

PLAYER_FIELDS = ("name", "kana", "romanised", "number", "club", "is_guest", "visibility", "is_active")


class PeopleError(RefusedError):
    """Players or members cannot be changed as requested."""


@dataclass(frozen=True, slots=True)
class PlayerFacts:
    name: str
    kana: str = ""
    romanised: str = ""
    number: str = ""
    club: str = ""
    is_guest: bool = False
    visibility: str = Player.Visibility.PUBLIC
    is_active: bool = True
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Clean the texts; a name of invisible characters only becomes "?"."""
        given = self.name
        for name in ("name", "kana", "romanised", "number", "club"):
            object.__setattr__(self, name, cleaned(getattr(self, name)))
        object.__setattr__(self, "name", self.name or (UNSEEN if given else ""))
        object.__setattr__(self, "aliases", tuple(filter(None, map(cleaned, self.aliases))))


def facts_of(player: Player) -> PlayerFacts:
    aliases = tuple(alias.name for alias in player.aliases.all())
    return PlayerFacts(**{name: getattr(player, name) for name in PLAYER_FIELDS}, aliases=aliases)


def add_player(*, league: League, facts: PlayerFacts, by: Actor, key: str | None = None) -> Player:
    [player] = add_players(league=league, people=[facts], by=by, keys=[key or ""])
    return player


def add_players(*, league: League, people: Iterable[PlayerFacts], by: Actor, keys: Iterable[str] = ()) -> list[Player]:
    """Create players with their history, all or none, in few queries.

    `keys`: in the order of `people`; an empty or missing key is generated.
    """
    given = list(people)
    players = [
        Player(
            league=league,
            key=key or f"p-{secrets.token_hex(6)}",
            **{name: getattr(facts, name) for name in PLAYER_FIELDS},
        )
        for facts, key in zip(given, chain(keys, repeat("")), strict=False)
    ]
    store_new_players(league, players, [sorted(_other_names(facts.name, facts.aliases)) for facts in given], by)
    return players


@transaction.atomic
def store_new_players(league: League, players: Sequence[Player], aliases: Sequence[Sequence[str]], by: Actor) -> None:
    """Store unsaved players with their aliases (one sequence per player) and the history."""
    Player.objects.bulk_create(players, WRITTEN_TOGETHER)
    named = list(zip(players, aliases, strict=True))
    rows = [PlayerAlias(player=player, name=name) for player, names in named for name in names]
    PlayerAlias.objects.bulk_create(rows, WRITTEN_TOGETHER)
    made = ((player, Change(Revision.Action.CREATED, after=_snapshot(player, names))) for player, names in named)
    write_revisions(league, made, by)


def player_of(league: League, person: Player | PlayerFacts, by: Actor) -> Player:
    """Return the player, created first if `person` is the facts of a new one."""
    return add_player(league=league, facts=person, by=by) if isinstance(person, PlayerFacts) else person


def change_player(*, player: Player, facts: PlayerFacts, by: Actor) -> Player:
    change_players(league=player.league, changes={player: facts}, by=by)
    return player


@transaction.atomic
def change_players(
    *, league: League, changes: Mapping[Player, PlayerFacts], by: Actor, reason: str = ""
) -> list[Player]:
    """Change many players, all or none; return those that changed.

    The players must be locked, with prefetched aliases. Few queries; member numbers may be swapped.
    """
    before = {player: _snapshot(player, [alias.name for alias in player.aliases.all()]) for player in changes}
    wanted = {player: _other_names(facts.name, facts.aliases) for player, facts in changes.items()}
    for player, facts in changes.items():
        for name in PLAYER_FIELDS:
            setattr(player, name, getattr(facts, name))
        player.sort_key = name_order(player.name, player.kana, player.romanised)
    after = {player: _snapshot(player, wanted[player]) for player in changes}
    changed = [player for player in changes if after[player] != before[player]]
    moved = [player.pk for player in changed if before[player]["number"] not in {"", player.number}]
    # Cleared first, so that no number is ever used twice while they are swapped.
    Player.objects.filter(pk__in=moved).update(number="")
    Player.objects.bulk_update(changed, [*PLAYER_FIELDS, "sort_key"], WRITTEN_TOGETHER)
    _set_aliases({player: wanted[player] for player in changed})
    made = ((each, Change(Revision.Action.CHANGED, before[each], after[each], reason.strip())) for each in changed)
    write_revisions(league, made, by)
    return changed


def _set_aliases(wanted: Mapping[Player, set[str]]) -> None:
    """Set the aliases of several players. At most two queries; none if nothing changes."""
    known = {player: {alias.name: alias.pk for alias in player.aliases.all()} for player in wanted}
    gone = [pk for player, names in wanted.items() for name, pk in known[player].items() if name not in names]
    new = [(player, name) for player, names in wanted.items() for name in sorted(names - known[player].keys())]
    if gone:
        PlayerAlias.objects.filter(pk__in=gone).delete()
    PlayerAlias.objects.bulk_create([PlayerAlias(player=player, name=name) for player, name in new], WRITTEN_TOGETHER)


@transaction.atomic
def link_user(*, player: Player, user: User | None, by: Actor) -> Player:
    """Link a user to the player, or unlink it (None).

    Raise IntegrityError if the user is already another player of the league, also if linked concurrently.
    """
    if player.user_id == (user and user.pk):
        return player
    before = {"user": player.user.get_username() if player.user else ""}
    player.user = user
    player.save(update_fields=["user"])
    after = {"user": user.get_username() if user else ""}
    write_revision(player.league, player, Change(Revision.Action.CHANGED, before, after), by)
    return player


def _snapshot(player: Player, aliases: Iterable[str]) -> dict[str, object]:
    return {name: getattr(player, name) for name in PLAYER_FIELDS} | {"aliases": sorted(aliases)}


def _other_names(name: str, aliases: Iterable[str]) -> set[str]:
    return {alias.strip() for alias in aliases if alias.strip()} - {name}


@transaction.atomic
def merge_players(*, source: Player, target: Player, by: Actor, reason: str) -> None:
    """Merge `source` into `target`, because they are the same person.

    The history records which rows moved, so that a merge can be undone. Raise PeopleError "met" if both played in one
    hanchan, "met_points" if both have points for one session, "two_people" if both have a user, "same" for the same
    player, and "merged" if one of them is already merged.
    """
    lock_players(source, target)
    _check_mergeable(source, target)
    lock_hanchan_of(source)
    moved = {name: list(rows.filter(player=source).values_list("pk", flat=True)) for name, rows in _owned()}
    _hand_over(moved, source, target)
    days = _days_of(moved)
    source.merged_into = target
    source.save(update_fields=["merged_into"])
    after = {"into": target.pk, "name": target.name, **moved, "user": _hand_over_user(source, target, by)}
    write_revision(source.league, source, Change(Revision.Action.MERGED, None, after, reason.strip()), by)
    mark_stale(source.league, days, [source.pk, target.pk])


@transaction.atomic
def separate_players(*, source: Player, by: Actor, reason: str) -> None:
    """Undo a merge.

    Raise PeopleError "not_merged" if there is none to undo, and "merged" if the other player has since been merged as
    well.
    """
    if (former := source.merged_into) is not None:
        lock_players(source, former)
    merge = Revision.objects.filter(
        league=source.league, subject="player", subject_id=source.pk, action=Revision.Action.MERGED
    ).first()
    moved = readable_merge(merge.after) if merge is not None else None
    if former is None or source.merged_into_id != former.pk or moved is None:
        raise PeopleError("not_merged", name=plain_name(source))
    if former.merged_into_id is not None:
        raise PeopleError("merged", name=plain_name(former))
    lock_hanchan_of(former)
    # First, because a merged player cannot get new rows.
    source.merged_into = None
    source.save(update_fields=["merged_into"])
    _hand_over(moved, former, source)
    if former.user is not None and former.user.get_username() == moved.get("user"):
        _hand_over_user(former, source, by)
    days = _days_of(moved)
    write_revision(source.league, source, Change(Revision.Action.SEPARATED, moved, None, reason.strip()), by)
    mark_stale(source.league, days, [source.pk, former.pk])


def _owned() -> tuple[tuple[str, QuerySet[Any]], ...]:
    """Return the querysets of rows that move in a merge, with their keys in the history."""
    return (
        ("seats", Seat.objects.order_by("pk")),
        ("adjustments", Adjustment.objects.order_by("pk")),
        ("session_points", SessionPoints.objects.order_by("pk")),
    )


def _hand_over(moved: Mapping[str, list[int]], giver: Player, taker: Player) -> None:
    for name, rows in _owned():
        rows.filter(pk__in=moved.get(name, ()), player=giver).update(player=taker)


def _hand_over_user(giver: Player, taker: Player, by: Actor) -> str:
    """Move the linked user to another player; return the user name, or ""."""
    user = giver.user
    if user is not None:
        link_user(player=giver, user=None, by=by)
        link_user(player=taker, user=user, by=by)
    return user.get_username() if user else ""


def _check_mergeable(source: Player, target: Player) -> None:
    if source.pk == target.pk:
        raise PeopleError("same", name=plain_name(source))
    if source.league_id != target.league_id or source.merged_into_id or target.merged_into_id:
        raise PeopleError("merged", name=plain_name(source))
    if source.user_id and target.user_id:
        raise PeopleError("two_people", name=plain_name(source), other=plain_name(target))
    if Hanchan.objects.filter(seats__player=source).filter(seats__player=target).exists():
        raise PeopleError("met", name=plain_name(source), other=plain_name(target))
    if (session := _session_in_common(source, target)) is not None:
        raise PeopleError("met_points", name=plain_name(source), other=plain_name(target), session=session)


def _session_in_common(first: Player, second: Player) -> Session | None:
    """Return a session for which both have points without hanchan, or None."""
    others = second.points_without_hanchan.filter(withdrawn=False).values("session")
    both = first.points_without_hanchan.filter(withdrawn=False, session__in=others).select_related("session").first()
    return both.session if both else None


def _days_of(moved: Mapping[str, list[int]]) -> set[date]:
    days: set[date] = set()
    for name, rows in _owned():
        days.update(rows.filter(pk__in=moved.get(name, ())).values_list("day", flat=True))
    return days


@transaction.atomic
def set_role(*, league: League, user: User, role: Membership.Role, by: Actor) -> Membership:
    """Give a user a role in the league. Raise PeopleError "last_owner" if the league would have no owner left."""
    lock_league(league.pk)
    current = Membership.objects.select_for_update().filter(league=league, user=user).first()
    if current and current.role == Membership.Role.OWNER and role != Membership.Role.OWNER:
        _refuse_last_owner(league, current)
    membership, _ = Membership.objects.update_or_create(league=league, user=user, defaults={"role": role})
    before = current and {"user": user.get_username(), "role": current.role}
    after = {"user": user.get_username(), "role": str(role)}
    write_revision(league, membership, Change(Revision.Action.CHANGED, before, after), by)
    return membership


@transaction.atomic
def remove_member(*, membership: Membership, by: Actor) -> None:
    lock_league(membership.league_id)
    current = Membership.objects.select_for_update().filter(pk=membership.pk).first()
    if current is None:
        return
    membership.role = current.role
    if membership.role == Membership.Role.OWNER:
        _refuse_last_owner(membership.league, membership)
    before = {"user": membership.user.get_username(), "role": membership.role}
    write_revision(membership.league, membership, Change(Revision.Action.WITHDRAWN, before), by)
    membership.delete()


def _refuse_last_owner(league: League, membership: Membership) -> None:
    owners = Membership.objects.select_for_update().filter(league=league, role=Membership.Role.OWNER)
    if not [owner for owner in owners if owner.pk != membership.pk]:
        raise PeopleError("last_owner")


@transaction.atomic
def show_name_to(*, player: Player, visibility: Player.Visibility, by: Actor) -> Player:
    current = locked(Player.objects.select_related("league"), player.pk)
    if current.visibility != visibility:
        before = {"visibility": current.visibility}
        Player.objects.filter(pk=current.pk).update(visibility=visibility)
        current.visibility = visibility
        change = Change(Revision.Action.CHANGED, before, {"visibility": str(visibility)})
        write_revision(current.league, current, change, by)
    return current
