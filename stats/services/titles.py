"""A league's own titles: create, change, withdraw, restore. Each is recorded in the history."""

from dataclasses import asdict, dataclass

from django.db import transaction

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


@dataclass(frozen=True, slots=True)
class TitleFacts:
    """Fields of a league's own title, named as in OwnTitle."""

    name: str
    metric: str
    better: str
    name_en: str = ""
    minimum: str = "0"
    in_months: bool = True
    in_years: bool = True
    of_all_time: bool = True


@transaction.atomic
def create_title(*, league: League, facts: TitleFacts, by: Actor, key: str = "", withdrawn: bool = False) -> OwnTitle:
    """Create a title. Without a `key` it gets the next free one. Raise TooManyTitlesError."""
    lock_league(league.pk)
    known = set(OwnTitle.objects.filter(league=league).values_list("key", flat=True))
    if len(known) >= MAX_TITLES:
        raise TooManyTitlesError
    key = key or next(free for n in range(1, MAX_TITLES + 1) if (free := f"{PREFIX}{n}") not in known)
    title = OwnTitle.objects.create(league=league, key=key, withdrawn=withdrawn, **asdict(facts))
    write_revision(league, title, Change(Revision.Action.CREATED, after=_state(title)), by)
    follow_anew(league)
    return title


@transaction.atomic
def change_title(*, title: OwnTitle, facts: TitleFacts, reason: str, by: Actor) -> bool:
    """Change a title; return whether anything changed."""
    current = OwnTitle.objects.select_for_update(of=("self",)).select_related("league").get(pk=title.pk)
    before = _state(current)
    for name, value in asdict(facts).items():
        setattr(current, name, value)
    after = _state(current)
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
        create_title(league=copy, facts=facts_of(title), by=by, key=title.key)


def facts_of(title: OwnTitle) -> TitleFacts:
    return TitleFacts(**{name: getattr(title, name) for name in TitleFacts.__dataclass_fields__})


def _state(title: OwnTitle) -> dict[str, object]:
    return asdict(facts_of(title))
