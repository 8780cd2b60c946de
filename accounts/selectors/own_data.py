"""All data stored about a user, without data about others.

Of a result, only the user's own line is included. Changes are listed by time, place and kind, because their contents
name others.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from accounts.models import Claim, Preferences
from league.models import Confirmation, Hanchan, League, Membership, Photo, Player, Revision, Seat

Row = dict[str, Any]
Section = Callable[[User], Iterable[Row]]

AT_ONCE = 2_000
"""Rows read per statement, to stay below the statement timeout of a page."""


def account(user: User) -> Iterator[Row]:
    names = ("username", "first_name", "last_name", "email", "date_joined", "last_login", "is_staff", "is_superuser")
    yield {name: getattr(user, name) for name in names} | {"has_password": user.has_usable_password()}


def preferences(user: User) -> Iterator[Row]:
    for chosen in Preferences.objects.filter(user=user):
        yield {name: getattr(chosen, name) for name in ("called", "language", "sign", "theme")}


def memberships(user: User) -> Iterable[Row]:
    rows = Membership.objects.filter(user=user).order_by("pk").values_list("league__slug", "league__name", "role")
    return ({"league": slug, "name": name, "role": role} for slug, name, role in rows)


def players(user: User) -> Iterator[Row]:
    names = ("key", "name", "kana", "romanised", "number", "club", "is_guest", "visibility", "is_active", "created_at")
    for player in _players(user).select_related("league").prefetch_related("aliases"):
        aliases = [alias.name for alias in player.aliases.all()]
        facts = {name: getattr(player, name) for name in names}
        yield {"league": player.league.slug, **facts, "aliases": aliases}


def hanchan(user: User) -> Iterator[Row]:
    """Yield the user's line of every result, points in 1/1000 pt, oldest first."""
    facts = (
        "seat", "raw_score", "placement", "sharing", "points", "settlement", "base", "oka", "uma", "bust", "chip_points",
        "other", "total_only", "chips", "chombo", "is_bust", "counted", "day", "played_at",
    )  # fmt: skip
    places = {"hanchan": "hanchan__key", "session": "hanchan__session__key", "table": "hanchan__table"}
    places |= {"round": "hanchan__round", "state": "hanchan__state", "league": "league__slug", "player": "player__key"}
    for player in _players(user):
        for row in _in_slices(Seat.objects.filter(player=player), (*places.values(), *facts)):
            yield {name: row[field] for name, field in places.items()} | {name: row[name] for name in facts}


def confirmations(user: User) -> Iterator[Row]:
    rows = Confirmation.objects.filter(by=user).order_by("pk")
    names = ("verdict", "note", "device", "source", "at")
    for league, key, *said in rows.values_list("hanchan__league__slug", "hanchan__key", *names):
        yield {"league": league, "hanchan": key} | dict(zip(names, said, strict=True))


def photos(user: User) -> Iterable[Row]:
    """Return the photos that the user added: which result, and when."""
    rows = Photo.objects.filter(added_by=user).order_by("pk")
    names = ("hanchan__league__slug", "hanchan__key", "added_at", "withdrawn")
    return (
        {"league": league, "hanchan": key, "added_at": at, "withdrawn": withdrawn}
        for league, key, at, withdrawn in rows.values_list(*names)
    )


def changes(user: User) -> Iterator[Row]:
    names = ("by", "subject", "subject_id", "action", "at", "source", "reason")
    for league in _leagues(user).order_by("pk"):
        for row in _in_slices(Revision.objects.filter(league=league), names):
            if row.pop("by") == user.pk:
                yield {"league": league.slug, **row}


def claims(user: User) -> Iterator[Row]:
    names = ("note", "state", "answer", "created_at", "answered_at")
    for claim in Claim.objects.filter(user=user).select_related("league", "player").order_by("pk"):
        yield {"league": claim.league.slug, "player": claim.player.key} | {name: getattr(claim, name) for name in names}


def notices(user: User) -> Iterator[Row]:
    for chosen in Preferences.objects.filter(user=user).exclude(origin=""):
        muted = League.objects.filter(pk__in=chosen.muted).order_by("pk").values_list("slug", flat=True)
        yield {
            "by_mail": chosen.by_mail,
            "unwanted": chosen.unwanted,
            "language": chosen.notice_language,
            "muted_leagues": list(muted),
        }


def addresses(user: User) -> Iterator[Row]:
    for each in EmailAddress.objects.filter(user=user).order_by("pk"):
        yield {"email": each.email, "verified": each.verified, "primary": each.primary}


def keys(user: User) -> Iterator[Row]:
    """Yield passkeys and recovery codes with creation and last use, without the secrets."""
    for each in Authenticator.objects.filter(user=user).order_by("pk"):
        yield {"type": str(each.type), "created_at": each.created_at, "last_used_at": each.last_used_at}


def devices(user: User) -> Iterator[Row]:
    """Yield the user's login sessions, as far as devices are recorded."""
    for each in UserSession.objects.filter(user=user).order_by("pk"):
        yield {name: getattr(each, name) for name in ("created_at", "last_seen_at", "ip", "user_agent")}


SECTIONS: dict[str, Section] = {
    "account": account,
    "preferences": preferences,
    "memberships": memberships,
    "players": players,
    "hanchan": hanchan,
    "confirmations": confirmations,
    "photos": photos,
    "changes": changes,
    "claims": claims,
    "notices": notices,
    "addresses": addresses,
    "keys": keys,
    "devices": devices,
}
"""Sections of the file, in order. Apps that store personal data add theirs (docs/own-data.md)."""


def _players(user: User) -> QuerySet[Player]:
    return Player.objects.filter(user=user).order_by("pk")


def _leagues(user: User) -> QuerySet[League]:
    entered = Hanchan.objects.filter(recorded_by=user).values("league")
    return League.objects.filter(
        Q(pk__in=Membership.objects.filter(user=user).values("league"))
        | Q(pk__in=Player.objects.filter(user=user).values("league"))
        | Q(pk__in=entered)
    )


def _in_slices(every: QuerySet[Any], names: Iterable[str]) -> Iterator[Row]:
    """Yield rows in batches by primary key, omitting the key."""
    last = 0
    while rows := list(every.filter(pk__gt=last).order_by("pk").values("pk", *names)[:AT_ONCE]):
        last = rows[-1]["pk"]
        for row in rows:
            del row["pk"]
            yield row
