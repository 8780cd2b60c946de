"""The way of a league from one database to another: copied while people play, still for a moment, then it lives there.

Everything arrives in one transaction that is committed last, so nobody sees half of it, and whoever is killed on the way
has moved nothing. For a moment nobody stores anything in the league; what was stored since it was copied goes along, both
sides are compared, the one says that the league has left, and the other has it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections, transaction
from django.utils import timezone

from league import background
from league.databases import ALL_LEAGUES, HAS_LEFT, HOME, LOCK, all_databases, working_in
from league.models import AwayLeague, FormerAddress, Job, League, LeagueAddress, LeagueMove
from league.selectors.moment import one_moment
from league.selectors.places import has_left, place_of_address
from league.services.copies import copy_people
from league.services.database_numbers import first_key, number_on_from
from league.services.moving.arrivals import arrive
from league.services.moving.plans import Export, MoveError, Moving, said
from league.services.moving.rows import (
    DifferingError,
    bring_up_to_date,
    copy_rows,
    copy_sent_forms,
    differing,
    largest_key,
    moved_tables,
    people_named,
)
from league.services.moving.tidying import set_triggers_aside, take_all, take_away
from league.services.moving.turns import NOTICED_GONE, MoveTurn, TurnLostError, TurnTakenError, move_turn

STILL = 1_500
"""Milliseconds for which the move waits for those who are just storing something; others wait behind it."""

STILL_AT_MOST = 120_000
"""Milliseconds after which the source lets everybody on whose mover says nothing more."""

TRIES, PAUSE = 20, 0.5
"""So often it tries, and seconds between two tries in which everybody else has their turn."""

ENDING = 10_000
"""Milliseconds within which a server has ended what somebody began who was killed."""

UNDER_WAY = (Job.State.WAITING, Job.State.RUNNING)

REFRESH_TASK = "league.refresh_standings"

LOCKED = "55P03"


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
    with _alone(slug) as turn:
        _finish_before(number, turn, how)
        place = place_of_address(slug, anew=True) or place
        if place.database == target:
            last = LeagueMove.objects.filter(league_number=number, target=target).first()
            return last or LeagueMove(league_number=number, slug=slug, target=target, state=LeagueMove.State.DONE)
        move = LeagueMove.objects.create(league_number=number, slug=slug, source=place.database, target=target)
        try:
            _go(move, turn, how)
        except BaseException:
            # Whatever it was: nobody waits for a league that has left and has not arrived.
            with suppress(DatabaseError, InterfaceError, MoveError):
                _find_out(move)
            raise
        take_away(move, turn, how)
    return move


@contextmanager
def _alone(slug: str) -> Iterator[MoveTurn]:
    try:
        with move_turn() as turn:
            yield turn
    except TurnTakenError as error:
        raise MoveError(f"Somebody else is moving a league just now; {slug} can go when that is done.") from error
    except TurnLostError as error:
        raise MoveError("The home database hung up in between; the same command goes on.") from error


def _finish_before(league: int, turn: MoveTurn, how: Moving) -> None:
    """Bring a way to its end on which somebody was killed."""
    unfinished = LeagueMove.objects.filter(league_number=league).exclude(state=LeagueMove.State.DONE)
    for move in list(unfinished.order_by("pk")):
        if move.state == LeagueMove.State.SWITCHED or _find_out(move):
            how.tell("An earlier move had arrived already.")
            take_away(move, turn, how)
        else:
            how.tell("An earlier move was interrupted and has changed nothing; it begins anew.")


def free_interrupted() -> None:
    """Let people go on in leagues whose mover was killed in between; called by the sweep, at home. Nothing without several."""
    copying = LeagueMove.objects.filter(
        state=LeagueMove.State.COPYING, source__in=all_databases(), target__in=all_databases()
    )
    for key in list(copying.values_list("pk", flat=True)) if settings.LEAGUE_DATABASES else ():
        with suppress(TurnTakenError, MoveError, DatabaseError, InterfaceError), move_turn():
            # Read anew: it may have been brought to its end before this had its turn.
            for move in copying.filter(pk=key):
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
            AwayLeague.objects.filter(league_id=number, database=move.target).delete()
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
            raise MoveError(f"{said(database)} has not ended an earlier move yet; try again in a minute.") from error


# --- There ------------------------------------------------------------------------------------------------------------


def _go(move: LeagueMove, turn: MoveTurn, how: Moving) -> None:
    """Bring a league from one database to the other."""
    number, source, target = move.league_number, connections[move.source], connections[move.target]
    _refuse_while_working(move)
    with transaction.atomic(using=move.source):
        # Here it is for what is taken away afterwards: whoever may not do that moves nothing.
        set_triggers_aside(source, move.source)
    number_on_from(move.target, max(largest_key(source, number), first_key(move.source)))
    # Before all else, and by themselves: whoever logs in there waits for nobody.
    people = people_named(source, number)
    _copy_people(move, people)
    with transaction.atomic(using=move.target):
        set_triggers_aside(target, move.target)
        with target.cursor() as cursor:
            cursor.execute(NOTICED_GONE)
            # Whoever finds out how far this is waits until it is done or gone.
            cursor.execute(f"SELECT {LOCK.format(how='')}", [number])
            # Nobody is taken away there meanwhile whom the league names.
            cursor.execute("SELECT id FROM auth_user WHERE id = ANY(%s) FOR KEY SHARE", [sorted(people)])
            _refuse_missing(move, people - {key for (key,) in cursor.fetchall()})
            cursor.execute(HAS_LEFT, [number])
            if cursor.fetchone():
                # A backup brought something back that had left.
                take_all(target, number)
        since = _copy(move, how)
        stood_still_at = _keep_still(move, since, people, turn)
        with target.cursor() as cursor:
            cursor.execute("DELETE FROM league_awayleague WHERE league_id = %s", [number])
    _switch(move, stood_still_at)
    how.tell(f"{move.slug} lives in {said(move.target)}; nobody could write for {move.still} ms.")


def _copy_people(move: LeagueMove, people: set[int]) -> None:
    _refuse_missing(move, copy_people(people, connections[move.target]))


def _refuse_missing(move: LeagueMove, people: set[int]) -> None:
    if people:
        raise MoveError(
            f"{move.slug} names somebody whose account is just being taken away; try again in a few minutes."
        )


def _copy(move: LeagueMove, how: Moving) -> str:
    """Copy everything as it stands at one moment, compare both as files and row by row, and return which transactions come after it."""
    number, source, target = move.league_number, connections[move.source], connections[move.target]
    with working_in(move.source), one_moment():
        with source.cursor() as cursor:
            cursor.execute(NOTICED_GONE)
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


def _keep_still(move: LeagueMove, since: str, people: set[int], turn: MoveTurn) -> float:
    """Let nobody store anything in the league, bring the copy up to date, compare, and say that it has left."""
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic(using=move.source):
                begun = _hold(move)
                _refuse_while_working(move)
                people |= _catch_up(move, since)
                with working_in(move.target):
                    # After all was compared: this changes what arrived.
                    arrive(move.league_number, people)
                turn.check()
                _say_that_it_left(move)
        except DatabaseError as error:
            if getattr(error.__cause__, "sqlstate", "") != LOCKED:
                raise
            if not left:
                raise MoveError(
                    f"So much is stored in {said(move.source)} that {move.slug} never stood still; nothing was changed. "
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
        cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {STILL_AT_MOST}; {NOTICED_GONE}")
        begun = time.monotonic()
        for held in (ALL_LEAGUES, move.league_number):
            cursor.execute(f"SELECT {LOCK.format(how='')}", [held])
        cursor.execute("SET LOCAL lock_timeout = 0")
    return begun


def _catch_up(move: LeagueMove, since: str) -> set[int]:
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
