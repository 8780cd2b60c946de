"""Erasing a person: a number replaces the name everywhere; results stay (docs/adr/0048)."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.utils import timezone

from league.core.masking import mask_of, spellings
from league.core.name_order import name_order
from league.engine import forget_on_disk
from league.models import Job, League, Player, PlayerAlias, Revision
from league.services.erasing.history import GoneNames, redact_history
from league.services.erasing.tables import mask_beside, mask_tables
from league.services.erasing.uploads import drop_files, drop_held_photos, drop_photos, photos_of
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league, lock_players
from league.services.people import PeopleError

NAMELESS_KEY = re.compile(r"p-?[0-9a-f]+")
"""Keys generated here are random; keys from imported files may be names."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """The reason for an erasure, other spellings of the name, and primary keys of photos to keep."""

    reason: str
    also: tuple[str, ...] = ()
    kept_photos: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class WhatWent:
    facts: int = 0
    rows: int = 0
    files: int = 0
    photos: int = 0


def number_name(player: Player) -> str:
    return f"選手 #{player.pk}"


def number_romanised(player: Player) -> str:
    return f"Player #{player.pk}"


def everyone_of(player: Player) -> list[Player]:
    """Return a player and everyone merged into them, whose names are erased too."""
    found, below = [player], [player]
    while below:
        below = list(Player.objects.filter(merged_into__in=below).order_by("pk"))
        found += below
    return found


def names_of(people: Sequence[Player], also: Sequence[str] = ()) -> list[str]:
    aliases = PlayerAlias.objects.filter(player__in=people).order_by("pk").values_list("name", flat=True)
    numbers = {called for each in people for called in (number_name(each), number_romanised(each))}
    own = [name for each in people for name in (each.name, each.kana, each.romanised) if name not in numbers]
    keys = [each.key for each in people if not NAMELESS_KEY.fullmatch(each.key)]
    return [name for name in (*own, *aliases, *keys, *also) if name.strip()]


def is_erased(player: Player) -> bool:
    return player.erased_at is not None and not names_of(everyone_of(player))


@transaction.atomic
def erase_player(*, player: Player, asked: Erasure, by: Actor) -> WhatWent:
    """Erase a person's names everywhere; return counts of what was removed. Idempotent.

    Raise PeopleError "busy" during imports and other jobs, and "merged" for a merged player, who is erased together
    with the one they were merged into.
    """
    league = lock_league(player.league_id)
    lock_players(player)
    player.refresh_from_db()
    if player.merged_into_id:
        raise PeopleError("merged", name=player.name)
    if is_erased(player):
        return WhatWent()
    if Job.objects.filter(league=league, state__in=(Job.State.WAITING, Job.State.RUNNING)).exists():
        raise PeopleError("busy", name=player.name)
    people = everyone_of(player)
    lock_players(*people)
    forget_on_disk()
    names = names_of(people, asked.also)
    mask = mask_of(names, _others(league, people), number_name(player))
    gone = GoneNames({each.pk: number_name(each) for each in people}, spellings(names), mask)
    reason = mask(asked.reason.strip())
    photos = drop_photos(league, photos_of(league, people), asked.kept_photos, by, reason)
    drop_held_photos(league, list(gone.called), names)
    files = drop_files(league, names)
    _rename(people)
    rows = mask_tables(league, gone.wanted, mask) + mask_beside(gone.wanted, mask)
    after = {"name": number_name(player)}
    write_revision(league, player, Change(Revision.Action.ERASED, after=after, reason=reason), by)
    return WhatWent(redact_history(league, gone), rows, files, photos)


def _others(league: League, people: Sequence[Player]) -> list[str]:
    """Return the names of all other players, which are kept where they contain an erased name."""
    players = league.players.exclude(pk__in=[each.pk for each in people])
    own = players.values_list("name", "kana", "romanised")
    aliases = PlayerAlias.objects.filter(player__in=players).values_list("name", flat=True)
    return [*(name for names in own for name in names), *aliases]


def _rename(people: Sequence[Player]) -> None:
    PlayerAlias.objects.filter(player__in=people).delete()
    for each in people:
        each.name, each.romanised = number_name(each), number_romanised(each)
        each.kana = each.number = each.club = ""
        each.user, each.is_active, each.visibility = None, False, Player.Visibility.PUBLIC
        each.erased_at = timezone.now()
        if not NAMELESS_KEY.fullmatch(each.key):
            each.key = f"p-{secrets.token_hex(6)}"
        each.sort_key = name_order(each.name, "", each.romanised)
        each.save()
    told = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Player), object_id__in=[str(each.pk) for each in people]
    )
    told.update(object_repr=number_name(people[0]), change_message="")
