"""The way of a league from one database to another: copied while people play, still for a moment, then it lives there.

Everything arrives in one transaction that is committed last, so nobody sees half of it, and whoever is killed on the way
has moved nothing. For a moment nobody stores anything in the league; what was stored since it was copied goes along, both
sides are compared, the one says that the league has left, and the other has it.
"""

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.db import DatabaseError, ProgrammingError, connections, transaction
from django.utils import timezone

from league import background
from league.databases import ALL_LEAGUES, HOME, LOCK, all_databases, working_in
from league.models import AwayLeague, FormerAddress, Job, League, LeagueAddress, LeagueMove
from league.selectors.moment import one_moment
from league.selectors.places import has_left, place_of_address
from league.services.copies import copy_people
from league.services.moving.rows import (
    bring_up_to_date,
    copy_rows,
    copy_sent_forms,
    moved_tables,
    people_named,
    prints_of,
    take_some,
)

logger = logging.getLogger(__name__)

Export = Callable[[League], Iterable[str]]
"""Writes a whole league as a file."""

Tell = Callable[[str], object]

STILL = 1_500
"""Milliseconds for which the move waits for those who are just storing something; others wait behind it."""

TRIES, PAUSE = 20, 0.5
"""So often it tries, and seconds between two tries in which everybody else has their turn."""

SETTLED = timedelta(seconds=10)
"""For so long what was left behind stays: whoever was reading it is done by then."""

UNDER_WAY = (Job.State.WAITING, Job.State.RUNNING)

REFRESH_TASK = "league.refresh_standings"


class MoveError(Exception):
    """A league that cannot be moved as things are. Says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Moving:
    """What a move needs to know: how a league is written as a file, whom to tell how far it is, and how long what was left stays."""

    export: Export
    tell: Tell
    settled: timedelta = SETTLED


def move_league(slug: str, target: str, how: Moving) -> LeagueMove:
    """Have a league live in another database, and return how that went. Once more, or after a crash, it goes on.

    Raises MoveError.
    """
    if target not in all_databases():
        known = ", ".join(each for each in all_databases() if each != HOME) or "none; set LEAGUE_DATABASES"
        raise MoveError(f"There is no database {target!r}. Known ones: home, {known}.")
    place = place_of_address(slug, anew=True)
    if place is None or place.league is None:
        raise MoveError(f"There is no league {slug!r}.")
    _finish_before(place.league, how)
    place = place_of_address(slug, anew=True) or place
    number = place.league or 0
    if place.database == target:
        last = LeagueMove.objects.filter(league_number=number, target=target).first()
        return last or LeagueMove(league_number=number, slug=slug, target=target, state=LeagueMove.State.DONE)
    move = LeagueMove.objects.create(league_number=number, slug=slug, source=place.database, target=target)
    _go(move, how)
    take_away(move, how)
    return move


def _finish_before(league: int, how: Moving) -> None:
    """Bring a way to its end on which somebody was killed."""
    unfinished = LeagueMove.objects.filter(league_number=league).exclude(state=LeagueMove.State.DONE)
    for move in list(unfinished.order_by("pk")):
        if move.state == LeagueMove.State.COPYING:
            _resume(move, how.tell)
        if move.state == LeagueMove.State.SWITCHED:
            take_away(move, how)


def _resume(move: LeagueMove, tell: Tell) -> None:
    """Find out how far a way was gone: the league has left, or nothing has happened."""
    number = move.league_number
    with working_in(move.source):
        is_gone = has_left(number)
    with working_in(move.target):
        is_there = League.objects.filter(pk=number).exists() and not has_left(number)
    if is_gone and is_there:
        tell("It had arrived already.")
        _switch(move)
        return
    if is_gone:
        with working_in(move.source), transaction.atomic():
            AwayLeague.objects.filter(league_id=number).delete()
    tell("An earlier move was interrupted and has changed nothing; it begins anew.")
    move.delete()
    move.state = LeagueMove.State.DONE


# --- There ------------------------------------------------------------------------------------------------------------


def _go(move: LeagueMove, how: Moving) -> None:
    """Bring a league from one database to the other."""
    number, target = move.league_number, connections[move.target]
    _refuse_while_working(move)
    with transaction.atomic(using=move.target):
        _set_triggers_aside(target, move.target)
        since = _copy(move, how)
        stood_still_at = _keep_still(move, since)
        with target.cursor() as cursor:
            cursor.execute("DELETE FROM league_awayleague WHERE league_id = %s", [number])
    _switch(move, stood_still_at)
    how.tell(f"{move.slug} lives in {_named(move.target)}; nobody could write for {move.still} ms.")


def _copy(move: LeagueMove, how: Moving) -> str:
    """Copy everything as it stands at one moment, compare both as files, and return which transactions came after it."""
    number, source, target = move.league_number, connections[move.source], connections[move.target]
    with working_in(move.source), one_moment():
        with source.cursor() as cursor:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
            since = str(int(cursor.fetchone()[0]) % 2**32)
        copy_people(people_named(source, number), target)
        for table in moved_tables():
            copy_rows(source, target, table, table.rows_of(number))
        how.tell(f"{move.slug} is copied; both are compared as files.")
        files = [_digest_of(each, number, how.export) for each in (move.source, move.target)]
    if files[0] != files[1]:
        raise MoveError(f"The copy of {move.slug} is not the same file as the league; nothing was changed.")
    return since


def _digest_of(database: str, league: int, export: Export) -> str:
    with working_in(database):
        digest = sha256()
        for piece in export(League.objects.select_related("current_version").get(pk=league)):
            digest.update(piece.encode())
        return digest.hexdigest()


def _keep_still(move: LeagueMove, since: str) -> float:
    """Let nobody store anything in the league, bring the copy up to date, compare, and say that it has left."""
    number, source, target = move.league_number, connections[move.source], connections[move.target]
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic(using=move.source):
                with source.cursor() as cursor:
                    cursor.execute(f"SET LOCAL lock_timeout = {STILL}")
                    begun = time.monotonic()
                    for held in (ALL_LEAGUES, number):
                        cursor.execute(f"SELECT {LOCK.format(how='')}", [held])
                    cursor.execute("SET LOCAL lock_timeout = 0")
                _refuse_while_working(move)
                copy_people(people_named(source, number), target)
                for table in moved_tables():
                    bring_up_to_date(source, target, table, number, since)
                copy_sent_forms(source, target)
                here, there = prints_of(source, target, league=number)
                if differing := sorted(name for name in here if here[name] != there[name]):
                    raise MoveError(f"The copy of {move.slug} differs in {', '.join(differing)}; nothing was changed.")
                move.counts = {name: count for name, (count, _) in here.items()}
                move.prints = {name: list(each) for name, each in here.items()}
                with source.cursor() as cursor:
                    cursor.execute(
                        "INSERT INTO league_awayleague (league_id, database, at) VALUES (%s, %s, now())",
                        [number, move.target],
                    )
        except DatabaseError as error:
            if getattr(error.__cause__, "sqlstate", "") != "55P03" or not left:
                raise
            time.sleep(PAUSE)
        else:
            return begun
    raise AssertionError


def _switch(move: LeagueMove, stood_still_at: float | None = None) -> None:
    """Tell everybody where the league lives."""
    with working_in(move.target):
        slugs = [League.objects.values_list("slug", flat=True).get(pk=move.league_number)]
        slugs += FormerAddress.objects.filter(league=move.league_number).values_list("slug", flat=True)
    with transaction.atomic():
        LeagueAddress.objects.filter(league_number=move.league_number).delete()
        if move.target != HOME:
            LeagueAddress.objects.bulk_create(
                LeagueAddress(slug=slug, league_number=move.league_number, database=move.target) for slug in slugs
            )
        move.state, move.switched_at = LeagueMove.State.SWITCHED, timezone.now()
        if stood_still_at is not None:
            move.still = round((time.monotonic() - stood_still_at) * 1000)
        move.save()
    with working_in(move.target):
        background.send(REFRESH_TASK, move.league_number)


def _refuse_while_working(move: LeagueMove) -> None:
    """Raise MoveError while something is under way that would be done twice, or half here and half there."""
    with working_in(move.source):
        job = Job.objects.filter(league=move.league_number, state__in=UNDER_WAY).first()
        league = League.objects.get(pk=move.league_number)
    if job is not None:
        raise MoveError(f"Long work of {move.slug} is under way ({job.kind}); move the league when it is done.")
    if league.ends_at is not None:
        raise MoveError(f"{move.slug} is going to be deleted; it is not moved.")


GRANT = "GRANT SET ON PARAMETER session_replication_role TO {role}"


def _set_triggers_aside(connection: Any, database: str) -> None:
    """Have rows stored and taken as they are: no trigger counts, refuses or checks what has been through it once."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
    except ProgrammingError as error:
        role = connection.settings_dict["USER"]
        raise MoveError(
            f"The database {_named(database)} does not let {role} set triggers aside, as a move has to. On it a superuser "
            f"says once: {GRANT.format(role=role)}"
        ) from error


def _named(database: str) -> str:
    return "home" if database == HOME else database


# --- What is left behind ----------------------------------------------------------------------------------------------


def take_away(move: LeagueMove, how: Moving) -> None:
    """Take away what a league has left behind, some rows at a time. Raises MoveError where somebody has changed a fact of it."""
    assert move.switched_at is not None
    time.sleep(max(0.0, (move.switched_at + how.settled - timezone.now()).total_seconds()))
    connection, number = connections[move.source], move.league_number
    with working_in(move.source):
        is_whole = League.objects.filter(pk=number).exists()
    [left] = prints_of(connection, league=number, only_guarded=True)
    changed = sorted(name for name, each in left.items() if each[0] and list(each) != move.prints.get(name))
    if is_whole and changed and move.counts.get("league_league") and not _is_begun(left, move):
        raise MoveError(
            f"Somebody has changed what {move.slug} left behind in {_named(move.source)} ({', '.join(changed)}), past "
            "Tenbo. It stays there until you have looked at it; the league itself lives and is whole."
        )
    for table in moved_tables():
        while True:
            with transaction.atomic(using=move.source):
                _set_triggers_aside(connection, move.source)
                taken = take_some(connection, table, number)
            if not taken:
                break
    move.state = LeagueMove.State.DONE
    move.save(update_fields=["state"])
    how.tell(f"What {move.slug} had left behind in {_named(move.source)} is taken away.")


def _is_begun(left: dict[str, tuple[int, str]], move: LeagueMove) -> bool:
    """Return whether some of it was taken away before: then there are fewer rows of something."""
    return any(count < move.counts.get(name, 0) for name, (count, _) in left.items())
