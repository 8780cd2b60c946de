"""Calls between tables and directors: a referee is asked for and comes, a table is ready."""

from django.db import transaction
from django.utils import timezone

from league.models import Revision, Session
from league.services.history import Actor, Change
from tournaments.models import ReadyTable, TableCall, Tournament
from tournaments.services.events import created, lock_tournament, write_history


@transaction.atomic
def call_referee(*, tournament: Tournament, session: Session, table: int, by: Actor) -> TableCall:
    """Let a table ask for a referee; one that waits for one already is not written down again."""
    lock_tournament(tournament)
    call, is_new = TableCall.objects.get_or_create(
        tournament=tournament, session=session, table=table, done_at=None, defaults={"called_at": timezone.now()}
    )
    if is_new:
        write_history(tournament, call, created(_place(session, table)), by)
    return call


@transaction.atomic
def answer_call(*, call: TableCall, done: bool, by: Actor) -> TableCall:
    """Say that somebody is coming, or that it is done; what was said before stays."""
    tournament = call.tournament
    lock_tournament(tournament)
    call = TableCall.objects.select_related("tournament__league", "session").get(pk=call.pk)
    if call.done_at or (call.coming_at and not done):
        return call
    if done:
        call.done_at, call.done_name = timezone.now(), by.name
    else:
        call.coming_at, call.coming_name = timezone.now(), by.name
    call.save()
    said = _place(call.session, call.table) | {"answer": "done" if done else "coming"}
    write_history(tournament, call, Change(Revision.Action.CHANGED, None, said), by)
    return call


@transaction.atomic
def mark_ready(*, tournament: Tournament, session: Session, number: int, tables: list[int], by: Actor) -> None:
    """Let the players of these tables of a hanchan know that they may sit down; those that know stay as they are."""
    lock_tournament(tournament)
    place = {"tournament": tournament, "session": session, "round": number}
    for table in tables:
        ready, is_new = ReadyTable.objects.get_or_create(**place, table=table, defaults={"at": timezone.now()})
        if is_new:
            write_history(tournament, ready, created(_place(session, table) | {"round": number}), by)


@transaction.atomic
def take_ready_back(*, tournament: Tournament, session: Session, number: int, tables: list[int], by: Actor) -> None:
    lock_tournament(tournament)
    for ready in tournament.ready_tables.filter(session=session, round=number, table__in=tables):
        said = _place(session, ready.table) | {"round": number}
        write_history(tournament, ready, Change(Revision.Action.WITHDRAWN, said), by)
        ready.delete()


def _place(session: Session, table: int) -> dict[str, object]:
    return {"session": str(session), "table": table}
