"""Row locks. Order: league, session, players, hanchan, seats; rows of one model by primary key.

Inserting a row with a foreign key to a league takes a key-share lock on the league. Leagues are therefore locked FOR NO
KEY UPDATE, so that entering results does not wait for changes of settings.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, IntegrityError
from django.db.models import Model, QuerySet

from league.engine import hold_keys
from league.models import Hanchan, League, Player, Seat

Done = TypeVar("Done")
Row = TypeVar("Row", bound=Model)

UNDONE = frozenset({"40001", "40P01"})
"""SQLSTATE of a transaction rolled back because of another one: serialization failure, deadlock."""

TRIES = 3
"""Attempts per transaction."""


def was_undone(error: DatabaseError) -> bool:
    """Return whether the database rolled back a transaction only because of a concurrent one."""
    return getattr(error.__cause__, "sqlstate", None) in UNDONE


def met_another(error: DatabaseError) -> bool:
    """Return whether an error may be caused by a concurrent transaction.

    Data was validated before, so an IntegrityError means that a conflicting row was stored after the check.
    """
    return isinstance(error, IntegrityError) or was_undone(error)


def persevering(transaction: Callable[[], Done], begins_again: Callable[[DatabaseError], bool] = was_undone) -> Done:
    """Run a transaction; retry it if `begins_again` says that a concurrent one caused the error."""
    for _ in range(TRIES - 1):
        try:
            return transaction()
        except DatabaseError as error:
            if not begins_again(error):
                raise
    return transaction()


def locked(rows: QuerySet[Row], pk: int) -> Row:
    """Lock and return a row with its joined rows.

    PostgreSQL omits a row whose joined foreign key changed while waiting for the lock, so the query is repeated once.
    """
    keeping = rows.select_for_update(of=("self",))
    try:
        return keeping.get(pk=pk)
    except ObjectDoesNotExist:
        return keeping.get(pk=pk)


def hold(rows: QuerySet[Row]) -> None:
    """Lock rows without joins until the transaction ends, so that they can then be read with joins.

    With joins, a row whose foreign key changed while waiting would be omitted. Other transactions can still insert rows that
    refer to these.
    """
    list(rows.select_related(None).order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))


def lock_league(pk: int) -> League:
    """Lock and return a league; serialises changes to its settings, rules and sessions."""
    return League.objects.select_for_update(no_key=True).get(pk=pk)


def lock_players(*players: Player) -> None:
    """Lock players against merging and new seats; refresh `merged_into` and `user`."""
    rows = Player.objects.select_for_update().filter(pk__in=[player.pk for player in players]).order_by("pk")
    standing = {pk: (merged_into, user) for pk, merged_into, user in rows.values_list("pk", "merged_into", "user")}
    for player in players:
        player.merged_into_id, player.user_id = standing[player.pk]


def hold_players(players: Iterable[Player]) -> None:
    hold_keys(Player, [player.pk for player in players])


def lock_hanchan_of(player: Player) -> None:
    rows = Hanchan.objects.select_for_update(of=("self",), no_key=True).filter(seats__player=player).order_by("pk")
    list(rows.values_list("pk", flat=True))


def lock_seats(numbers: Sequence[int]) -> None:
    """Lock the seats of these hanchan until the transaction ends, in order of primary key."""
    list(Seat.objects.select_for_update().filter(hanchan__in=numbers).order_by("pk").values_list("pk"))
