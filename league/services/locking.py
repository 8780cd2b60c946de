"""Lock order: league, session, players, hanchan, seats; rows of one kind by primary key.

Inserting a row that refers to a league or player locks its key, as for every foreign key. Leagues are therefore locked
FOR NO KEY UPDATE, so that entries do not wait for settings.
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
"""How PostgreSQL says that it undid a transaction because of another: serialization failure, deadlock."""

TRIES = 3
"""So often at most a slice of long work is begun."""


def was_undone(error: DatabaseError) -> bool:
    """Return whether the database undid a transaction only because of another."""
    return getattr(error.__cause__, "sqlstate", None) in UNDONE


def met_another(error: DatabaseError) -> bool:
    """Return whether an error may result from a concurrent transaction.

    Data was validated before, so a constraint violation means that someone else stored it after the check.
    """
    return isinstance(error, IntegrityError) or was_undone(error)


def persevering(transaction: Callable[[], Done], begins_again: Callable[[DatabaseError], bool] = was_undone) -> Done:
    """Run a transaction; repeat it if the database rolled it back because of another one."""
    for _ in range(TRIES - 1):
        try:
            return transaction()
        except DatabaseError as error:
            if not begins_again(error):
                raise
    return transaction()


def locked(rows: QuerySet[Row], pk: int) -> Row:
    """Lock and return a row with its joined rows.

    PostgreSQL omits a row whose foreign key changed while waiting, so the query is repeated.
    """
    keeping = rows.select_for_update(of=("self",))
    try:
        return keeping.get(pk=pk)
    except ObjectDoesNotExist:
        return keeping.get(pk=pk)


def hold(rows: QuerySet[Row], *, no_key: bool = True) -> None:
    """Lock rows without joins until the transaction ends, so that they can be read with joins afterwards.

    With joins, rows whose foreign key changed while waiting would be omitted. `no_key`: others may still insert rows
    that refer to them.
    """
    list(rows.select_related(None).order_by("pk").select_for_update(no_key=no_key).values_list("pk", flat=True))


def lock_league(pk: int) -> League:
    """Lock and return a league; changes to its settings, rules and sessions are serialised."""
    return League.objects.select_for_update(no_key=True).get(pk=pk)


def lock_players(*players: Player) -> None:
    """Lock players against merging and seating; reread merges and users."""
    rows = Player.objects.select_for_update().filter(pk__in=[player.pk for player in players]).order_by("pk")
    standing = {pk: (merged_into, user) for pk, merged_into, user in rows.values_list("pk", "merged_into", "user")}
    for player in players:
        player.merged_into_id, player.user_id = standing[player.pk]


def hold_players(players: Iterable[Player]) -> None:
    hold_keys(Player, [player.pk for player in players])


def lock_hanchan_of(player: Player) -> None:
    """Lock the hanchan of a player."""
    rows = Hanchan.objects.select_for_update(of=("self",), no_key=True).filter(seats__player=player).order_by("pk")
    list(rows.values_list("pk", flat=True))


def lock_seats(numbers: Sequence[int]) -> None:
    """Keep others from the seats of these hanchan until the transaction ends, one after the other by primary key."""
    list(Seat.objects.select_for_update().filter(hanchan__in=numbers).order_by("pk").values_list("pk"))
