"""The way of a league from one database to another: copied while people play, still for a moment, then it lives there.

Everything arrives in one transaction that is committed last, so nobody sees half of it, and whoever is killed on the way
has moved nothing. For a moment nobody stores anything in the league; what was stored since it was copied goes along, both
sides are compared, the one says that the league has left, and the other has it.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, ProgrammingError, connections, transaction
from django.utils import timezone

from league import background
from league.databases import ALL_LEAGUES, HAS_LEFT, HOME, LOCK, all_databases, working_in
from league.models import AwayLeague, FormerAddress, Job, League, LeagueAddress, LeagueMove
from league.selectors.moment import one_moment
from league.selectors.places import has_left, place_of_address
from league.services.copies import copy_people
from league.services.database_numbers import first_key, number_on_from
from league.services.moving.arrivals import arrive
from league.services.moving.claims import Claim, ClaimedError, LostClaimError, claimed
from league.services.moving.rows import (
    DifferingError,
    bring_up_to_date,
    copy_rows,
    copy_sent_forms,
    differing,
    largest_key,
    moved_tables,
    people_named,
    take_some,
    written_there,
)

Export = Callable[[League], Iterable[str]]
"""Writes a whole league as a file."""

Tell = Callable[[str], object]

STILL = 1_500
"""Milliseconds for which the move waits for those who are just storing something; others wait behind it."""

STILL_AT_MOST = 120_000
"""Milliseconds after which the source lets everybody on whose mover says nothing more."""

TRIES, PAUSE = 20, 0.5
"""So often it tries, and seconds between two tries in which everybody else has their turn."""

ENDING = 10_000
"""Milliseconds within which a server has ended what somebody began who was killed."""

SETTLED = timedelta(seconds=10)
"""For so long what was left behind stays: whoever was reading it is done by then."""

UNDER_WAY = (Job.State.WAITING, Job.State.RUNNING)

REFRESH_TASK = "league.refresh_standings"

LOCKED = "55P03"


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
    if place is None or not place.league:
        raise MoveError(f"There is no league {slug!r}.")
    number = place.league
    with _alone(slug, number) as claim:
        _finish_before(number, claim, how)
        place = place_of_address(slug, anew=True) or place
        if place.database == target:
            last = LeagueMove.objects.filter(league_number=number, target=target).first()
            return last or LeagueMove(league_number=number, slug=slug, target=target, state=LeagueMove.State.DONE)
        move = LeagueMove.objects.create(league_number=number, slug=slug, source=place.database, target=target)
        try:
            _go(move, claim, how)
        except BaseException:
            # Whatever it was: nobody waits for a league that has left and has not arrived.
            with suppress(DatabaseError, InterfaceError, MoveError):
                _find_out(move)
            raise
        take_away(move, claim, how)
    return move


@contextmanager
def _alone(slug: str, league: int) -> Iterator[Claim]:
    try:
        with claimed(league) as claim:
            yield claim
    except ClaimedError as error:
        raise MoveError(f"Somebody else is moving {slug} just now; wait until that is done.") from error
    except LostClaimError as error:
        raise MoveError("The home database hung up in between; the same command goes on.") from error


def _finish_before(league: int, claim: Claim, how: Moving) -> None:
    """Bring a way to its end on which somebody was killed."""
    unfinished = LeagueMove.objects.filter(league_number=league).exclude(state=LeagueMove.State.DONE)
    for move in list(unfinished.order_by("pk")):
        if move.state == LeagueMove.State.SWITCHED or _find_out(move):
            how.tell("An earlier move had arrived already.")
            take_away(move, claim, how)
        else:
            how.tell("An earlier move was interrupted and has changed nothing; it begins anew.")


def free_interrupted() -> None:
    """Let people go on in leagues whose mover was killed in between; called by the sweep, at home. Nothing without several."""
    if not settings.LEAGUE_DATABASES:
        return
    for move in list(LeagueMove.objects.filter(state=LeagueMove.State.COPYING)):
        with suppress(ClaimedError, MoveError, DatabaseError, InterfaceError), claimed(move.league_number):
            _find_out(move)


def _find_out(move: LeagueMove) -> bool:
    """Return whether a league that was being copied has arrived; if not, nothing has happened, and it lives where it did."""
    number = move.league_number
    _wait_for_the_end(move)
    with working_in(move.source):
        is_gone = has_left(number)
    with working_in(move.target):
        is_there = League.objects.filter(pk=number).exists() and not has_left(number)
    if is_gone and is_there:
        _switch(move)
        return True
    if is_gone:
        with working_in(move.source), transaction.atomic():
            AwayLeague.objects.filter(league_id=number).delete()
    LeagueMove.objects.filter(pk=move.pk).delete()
    return False


def _wait_for_the_end(move: LeagueMove) -> None:
    """Wait until no server does any more what somebody began who was killed. Raises MoveError if one does for long."""
    for database in (move.source, move.target):
        try:
            with transaction.atomic(using=database), connections[database].cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {ENDING}")
                cursor.execute(f"SELECT {LOCK.format(how='')}", [move.league_number])
        except DatabaseError as error:
            if getattr(error.__cause__, "sqlstate", "") != LOCKED:
                raise
            raise MoveError(f"{_named(database)} has not ended an earlier move yet; try again in a minute.") from error


# --- There ------------------------------------------------------------------------------------------------------------


def _go(move: LeagueMove, claim: Claim, how: Moving) -> None:
    """Bring a league from one database to the other."""
    number, source, target = move.league_number, connections[move.source], connections[move.target]
    _refuse_while_working(move)
    with transaction.atomic(using=move.source):
        # Here it is for what is taken away afterwards: whoever may not do that moves nothing.
        _set_triggers_aside(source, move.source)
    number_on_from(move.target, max(largest_key(source, number), first_key(move.source)))
    # Before all else, and by themselves: whoever logs in there waits for nobody.
    people = people_named(source, number)
    _copy_people(move, people)
    with transaction.atomic(using=move.target):
        _set_triggers_aside(target, move.target)
        with target.cursor() as cursor:
            # Whoever finds out how far this is waits until it is done or gone.
            cursor.execute(f"SELECT {LOCK.format(how='')}", [number])
            cursor.execute(HAS_LEFT, [number])
            if cursor.fetchone():
                # A backup brought something back that had left.
                _take_all(target, number)
        since = _copy(move, how)
        stood_still_at = _keep_still(move, since, people, claim)
        with target.cursor() as cursor:
            cursor.execute("DELETE FROM league_awayleague WHERE league_id = %s", [number])
    _switch(move, stood_still_at)
    how.tell(f"{move.slug} lives in {_named(move.target)}; nobody could write for {move.still} ms.")


def _copy_people(move: LeagueMove, people: set[int]) -> None:
    try:
        copy_people(people, connections[move.target])
    except LookupError as error:
        raise MoveError(
            f"{move.slug} names somebody whose account is just being taken away; try again in a few minutes."
        ) from error


def _copy(move: LeagueMove, how: Moving) -> str:
    """Copy everything as it stands at one moment, compare both as files and row by row, and return which transactions come after it."""
    number, source, target = move.league_number, connections[move.source], connections[move.target]
    with working_in(move.source), one_moment():
        with source.cursor() as cursor:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
            since = _short(cursor.fetchone()[0])
        for table in moved_tables():
            copy_rows(source, target, table, table.rows_of(number))
        copy_sent_forms(source, target)
        how.tell(f"{move.slug} is copied; both are compared as files.")
        files = [_digest_of(each, number, how.export) for each in (move.source, move.target)]
        unequal = differing(source, target, number)
    if files[0] != files[1]:
        raise MoveError(f"The copy of {move.slug} is not the same file as the league; nothing was changed.")
    _refuse_differing(move, unequal)
    return since


def _short(transaction_number: str) -> str:
    """Return the number of a transaction as rows know it."""
    return str(int(transaction_number) % 2**32)


def _refuse_differing(move: LeagueMove, tables: list[str]) -> None:
    if tables:
        raise MoveError(f"The copy of {move.slug} differs in {', '.join(tables)}; nothing was changed.")


def _digest_of(database: str, league: int, export: Export) -> str:
    with working_in(database):
        digest = sha256()
        for piece in export(League.objects.select_related("current_version").get(pk=league)):
            digest.update(piece.encode())
        return digest.hexdigest()


def _keep_still(move: LeagueMove, since: str, people: set[int], claim: Claim) -> float:
    """Let nobody store anything in the league, bring the copy up to date, compare, and say that it has left."""
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic(using=move.source):
                begun = _hold(move)
                _refuse_while_working(move)
                people |= _follow(move, since)
                with working_in(move.target):
                    # After all was compared: this changes what arrived.
                    arrive(move.league_number, people)
                claim.check()
                _say_that_it_left(move)
        except DatabaseError as error:
            if getattr(error.__cause__, "sqlstate", "") != LOCKED:
                raise
            if not left:
                raise MoveError(
                    f"So much is stored in {_named(move.source)} that {move.slug} never stood still; nothing was changed. "
                    "Try again at a quieter moment."
                ) from error
            time.sleep(PAUSE)
        else:
            return begun
    raise AssertionError


def _hold(move: LeagueMove) -> float:
    """Have everybody wait who wants to store something in the league; return since when they do."""
    with connections[move.source].cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {STILL}")
        cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {STILL_AT_MOST}")
        begun = time.monotonic()
        for held in (ALL_LEAGUES, move.league_number):
            cursor.execute(f"SELECT {LOCK.format(how='')}", [held])
        cursor.execute("SET LOCAL lock_timeout = 0")
    return begun


def _follow(move: LeagueMove, since: str) -> set[int]:
    """Bring over what was stored since the league was copied; return whom that names."""
    number, source, target = move.league_number, connections[move.source], connections[move.target]
    people = people_named(source, number, since)
    _copy_people(move, people)
    try:
        move.counts = {table.name: bring_up_to_date(source, target, table, number, since) for table in moved_tables()}
    except DifferingError as error:
        _refuse_differing(move, [str(error)])
    copy_sent_forms(source, target, since)
    return people


def _say_that_it_left(move: LeagueMove) -> None:
    with connections[move.source].cursor() as cursor:
        cursor.execute(
            "INSERT INTO league_awayleague (league_id, database, at) VALUES (%s, %s, now())"
            " RETURNING pg_current_xact_id()::text",
            [move.league_number, move.target],
        )
        move.left_by = _short(cursor.fetchone()[0])
    # Noted before it counts: whoever takes away what was left wants to know, also after a crash.
    move.save(update_fields=["counts", "left_by"])


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
            f"The database {_named(database)} does not let {role} set triggers aside, as a move has to. Move as the role "
            f"that owns the tables, to which alone a superuser says on that server, once: {GRANT.format(role=role)}"
        ) from error


def _named(database: str) -> str:
    return "home" if database == HOME else database


# --- What is left behind ----------------------------------------------------------------------------------------------


def take_away(move: LeagueMove, claim: Claim, how: Moving) -> None:
    """Take away what a league has left behind, some rows at a time. Raises MoveError where somebody has changed a fact of it."""
    assert move.switched_at is not None
    time.sleep(max(0.0, (move.switched_at + how.settled - timezone.now()).total_seconds()))
    claim.check()
    connection, number = connections[move.source], move.league_number
    if changed := written_there(connection, number, move.left_by):
        raise MoveError(
            f"Somebody has changed what {move.slug} left behind in {_named(move.source)} ({', '.join(changed)}), past "
            "Tenbo. It stays there until you have looked at it; the league itself lives and is whole. Delete the row of "
            f"league_leaguemove with id {move.pk} to keep it there for good."
        )
    for table in moved_tables():
        is_left = True
        while is_left:
            with transaction.atomic(using=move.source):
                _refuse_unless_away(connection, number)
                _set_triggers_aside(connection, move.source)
                is_left = take_some(connection, table, number) > 0
    move.state = LeagueMove.State.DONE
    move.save(update_fields=["state"])
    how.tell(f"What {move.slug} had left behind in {_named(move.source)} is taken away.")


def _take_all(connection: Any, league: int) -> None:
    for table in moved_tables():
        while take_some(connection, table, league):
            pass


def _refuse_unless_away(connection: Any, league: int) -> None:
    """Hold it that a league has left: nothing of one that lives here is taken away. Raises MoveError."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM league_awayleague WHERE league_id = %s FOR SHARE", [league])
        if cursor.fetchone() is None:
            raise MoveError("The league lives here again; nothing more of it is taken away.")
