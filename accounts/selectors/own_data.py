"""All data stored about a user, without data about others.

Of a result, only the user's own line is included. Changes are listed by time, place and kind, because their contents
name others.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, Q, QuerySet

from accounts.models import Claim, Preferences
from league.models import Confirmation, Hanchan, League, Membership, Photo, Player, Revision, Seat

Row = dict[str, Any]
Section = Callable[[User], Iterable[Row]]

SCHEMA = "tenbo-own-data/1"

AT_ONCE = 2_000
"""Rows read per statement, to stay below the statement timeout of a page."""


def rows_of(model: type[Model], /, *names: str, by: str = "user", **renamed: str) -> Section:
    """Return a section with a user's rows of a model: columns under their own names, and under other ones."""

    def section(user: User) -> Iterable[Row]:
        columns = {**renamed, **{name: name for name in names}}
        rows = model._default_manager.filter(**{by: user}).order_by("pk").values_list(*columns.values())
        return (dict(zip(columns, row, strict=True)) for row in rows)

    return section


def account(user: User) -> Iterator[Row]:
    names = ("username", "first_name", "last_name", "email", "date_joined", "last_login", "is_staff", "is_superuser")
    yield {name: getattr(user, name) for name in names} | {"has_password": user.has_usable_password()}


def players(user: User) -> Iterator[Row]:
    names = ("key", "name", "kana", "romanised", "number", "club", "is_guest", "visibility", "is_active", "created_at")
    for player in _players(user).select_related("league").prefetch_related("aliases"):
        aliases = [alias.name for alias in player.aliases.all()]
        yield {"league": player.league.slug, **{name: getattr(player, name) for name in names}, "aliases": aliases}


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


def changes(user: User) -> Iterator[Row]:
    names = ("by", "subject", "subject_id", "action", "at", "source", "reason")
    for league in League.objects.filter(
        Q(pk__in=Membership.objects.filter(user=user).values("league"))
        | Q(pk__in=Player.objects.filter(user=user).values("league"))
        | Q(pk__in=Hanchan.objects.filter(recorded_by=user).values("league"))
    ).order_by("pk"):
        for row in _in_slices(Revision.objects.filter(league=league), names):
            if row.pop("by") == user.pk:
                yield {"league": league.slug, **row}


def notices(user: User) -> Iterator[Row]:
    for chosen in Preferences.objects.filter(user=user).exclude(origin=""):
        muted = League.objects.filter(pk__in=chosen.muted).order_by("pk").values_list("slug", flat=True)
        yield {
            "by_mail": chosen.by_mail,
            "unwanted": chosen.unwanted,
            "language": chosen.notice_language,
            "muted_leagues": list(muted),
        }


SECTIONS: dict[str, Section] = {
    "account": account,
    "preferences": rows_of(Preferences, "called", "language", "sign", "theme"),
    "memberships": rows_of(Membership, "role", league="league__slug", name="league__name"),
    "players": players,
    "hanchan": hanchan,
    "confirmations": rows_of(
        Confirmation,
        *("verdict", "note", "device", "source", "at"),
        by="by",
        league="hanchan__league__slug",
        hanchan="hanchan__key",
    ),
    "photos": rows_of(
        Photo, "added_at", "withdrawn", by="added_by", league="hanchan__league__slug", hanchan="hanchan__key"
    ),
    "changes": changes,
    "claims": rows_of(
        Claim, *("note", "state", "answer", "created_at", "answered_at"), league="league__slug", player="player__key"
    ),
    "notices": notices,
    "addresses": rows_of(EmailAddress, "email", "verified", "primary"),
    # Passkeys and recovery codes, without the secrets.
    "keys": rows_of(Authenticator, "type", "created_at", "last_used_at"),
    "devices": rows_of(UserSession, "created_at", "last_seen_at", "ip", "user_agent"),
}
"""Sections of the file, in order. Apps that store personal data add theirs (docs/own-data.md)."""


def _players(user: User) -> QuerySet[Player]:
    return Player.objects.filter(user=user).order_by("pk")


def _in_slices(every: QuerySet[Any], names: Iterable[str]) -> Iterator[Row]:
    """Yield rows in batches by primary key, omitting the key."""
    last = 0
    while rows := list(every.filter(pk__gt=last).order_by("pk").values("pk", *names)[:AT_ONCE]):
        last = rows[-1]["pk"]
        for row in rows:
            del row["pk"]
            yield row


def own_data_chunks(user: User) -> Iterator[str]:
    """Yield the data as JSON text: an object with a list per section, one row per line."""
    yield f'{{"schema": {json.dumps(SCHEMA)}'
    for name, rows in SECTIONS.items():
        yield f",\n{json.dumps(name)}: ["
        separator = "\n"
        for row in rows(user):
            yield separator + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
            separator = ",\n"
        yield "\n]"
    yield "\n}\n"
