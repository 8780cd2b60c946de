"""What a league has left behind is taken away, as long as it lives elsewhere and nobody has written there."""

import time
from typing import Any

from django.db import ProgrammingError, connections, transaction
from django.utils import timezone

from league.models import LeagueMove
from league.services.moving.plans import MoveError, Moving, said
from league.services.moving.rows import moved_tables, take_some, written_there
from league.services.moving.turns import MoveTurn

GRANT = "GRANT SET ON PARAMETER session_replication_role TO {role}"


def set_triggers_aside(connection: Any, database: str) -> None:
    """Have rows stored and taken as they are: no trigger counts, refuses or checks what has been through it once."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
    except ProgrammingError as error:
        role = connection.settings_dict["USER"]
        raise MoveError(
            f"The database {said(database)} does not let {role} set triggers aside, as a move has to. Move as the role "
            f"that owns the tables, to which alone a superuser says on that server, once: {GRANT.format(role=role)}"
        ) from error


def take_away(move: LeagueMove, turn: MoveTurn, how: Moving) -> None:
    """Take away what a league has left behind, some rows at a time. Raises MoveError where somebody has changed a fact of it."""
    assert move.switched_at is not None
    time.sleep(max(0.0, (move.switched_at + how.settled - timezone.now()).total_seconds()))
    turn.check()
    connection, number = connections[move.source], move.league_number
    if changed := written_there(connection, number, move.left_by):
        raise MoveError(
            f"Somebody has changed what {move.slug} left behind in {said(move.source)} ({', '.join(changed)}), past "
            "Tenbo. It stays there until you have looked at it; the league itself lives and is whole. Delete the row of "
            f"league_leaguemove with id {move.pk} to keep it there for good."
        )
    for table in moved_tables():
        is_left = True
        while is_left:
            with transaction.atomic(using=move.source):
                _refuse_unless_away(connection, number)
                set_triggers_aside(connection, move.source)
                is_left = take_some(connection, table, number) > 0
    move.state = LeagueMove.State.DONE
    move.save(update_fields=["state"])
    how.tell(f"What {move.slug} had left behind in {said(move.source)} is taken away.")


def take_all(connection: Any, league: int) -> None:
    """Take away all rows of a league, in the present transaction."""
    for table in moved_tables():
        while take_some(connection, table, league):
            pass


def _refuse_unless_away(connection: Any, league: int) -> None:
    """Hold it that a league has left: nothing of one that lives here is taken away. Raises MoveError."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM league_awayleague WHERE league_id = %s FOR SHARE", [league])
        if cursor.fetchone() is None:
            raise MoveError("The league lives here again; nothing more of it is taken away.")
