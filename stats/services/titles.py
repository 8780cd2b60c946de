"""A league's own titles: create, change, withdraw, restore. Each is recorded in the history."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.forms import model_to_dict

from league.models import League, Revision
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league
from stats.models import OwnTitle
from stats.services.following import follow_anew

PREFIX = "own-"
"""Prefix of the keys of leagues' own titles, to keep them apart from built-in ones."""

MAX_TITLES = 50
"""Maximum number of a league's own titles, including withdrawn ones."""


class TooManyTitlesError(Exception):
    """The league already has MAX_TITLES titles."""


TITLE_FIELDS = ("name", "name_en", "metric", "better", "minimum", "in_months", "in_years", "of_all_time")
"""Fields of a title that organisers can change."""

Values = Mapping[str, Any]
"""Values of TITLE_FIELDS."""


@transaction.atomic
def create_title(*, league: League, values: Values, by: Actor, key: str = "", withdrawn: bool = False) -> OwnTitle:
    """Create a title. Without a `key` it gets the next free one. Raise TooManyTitlesError."""
    lock_league(league.pk)
    known = set(OwnTitle.objects.filter(league=league).values_list("key", flat=True))
    if len(known) >= MAX_TITLES:
        raise TooManyTitlesError
    key = key or next(free for n in range(1, MAX_TITLES + 1) if (free := f"{PREFIX}{n}") not in known)
    title = OwnTitle.objects.create(league=league, key=key, withdrawn=withdrawn, **values)
    write_revision(league, title, Change(Revision.Action.CREATED, after=values_of(title)), by)
    follow_anew(league)
    return title


@transaction.atomic
def change_title(*, title: OwnTitle, values: Values, reason: str, by: Actor) -> bool:
    """Change a title; return whether anything changed."""
    current = OwnTitle.objects.select_for_update(of=("self",)).select_related("league").get(pk=title.pk)
    before = values_of(current)
    for name, value in values.items():
        setattr(current, name, value)
    after = values_of(current)
    if before == after:
        return False
    current.save()
    write_revision(current.league, current, Change(Revision.Action.CHANGED, before, after, reason.strip()), by)
    follow_anew(current.league)
    return True


@transaction.atomic
def set_withdrawn(*, title: OwnTitle, withdrawn: bool, reason: str, by: Actor) -> None:
    """Withdraw or restore a title. Idempotent."""
    current = OwnTitle.objects.select_for_update(of=("self",)).select_related("league").get(pk=title.pk)
    if current.withdrawn is withdrawn:
        return
    current.withdrawn = withdrawn
    current.save(update_fields=["withdrawn"])
    action = Revision.Action.WITHDRAWN if withdrawn else Revision.Action.RESTORED
    write_revision(current.league, current, Change(action, after={"name": current.name}, reason=reason.strip()), by)
    follow_anew(current.league)


def hand_on(league: League, copy: League, by: Actor) -> None:
    for title in OwnTitle.objects.filter(league=league, withdrawn=False).order_by("pk"):
        create_title(league=copy, values=values_of(title), by=by, key=title.key)


def values_of(title: OwnTitle) -> dict[str, Any]:
    return model_to_dict(title, TITLE_FIELDS)
