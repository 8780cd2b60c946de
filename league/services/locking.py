"""Who waits for whom: league, session, players, hanchan, seats are locked in this order everywhere, rows of a kind by number.

Storing a row that points to a league or a player holds that row against changes of its key, as the database does for
every foreign key. So a league is locked without its key: nobody who enters a result waits for its settings.
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
    """Return whether the database may have refused something only because of what another transaction did meanwhile.

    Whoever stores has checked before; what a constraint still refuses was stored by somebody else after that check.
    """
    return isinstance(error, IntegrityError) or was_undone(error)


def persevering(transaction: Callable[[], Done], begins_again: Callable[[DatabaseError], bool] = was_undone) -> Done:
    """Return what a transaction returns; one that the database undid because of another is begun again."""
    for _ in range(TRIES - 1):
        try:
            return transaction()
        except DatabaseError as error:
            if not begins_again(error):
                raise
    return transaction()


def locked(rows: QuerySet[Row], pk: int) -> Row:
    """Return one of these rows as it stands now, with what it is joined to, kept from others until the transaction ends.

    A row that waited for somebody who made it point elsewhere is joined to what it pointed to before: PostgreSQL locks it
    and leaves it out. Asked again, it is there.
    """
    keeping = rows.select_for_update(of=("self",))
    try:
        return keeping.get(pk=pk)
    except ObjectDoesNotExist:
        return keeping.get(pk=pk)


def hold(rows: QuerySet[Row], *, no_key: bool = True) -> None:
    """Keep these rows from others until the transaction ends, alone, so that they can be read afterwards with anything.

    Locked together with what it is joined to, a row that came to point elsewhere while it waited would be left out.
    With `no_key` others may go on storing what refers to them.
    """
    list(rows.select_related(None).order_by("pk").select_for_update(no_key=no_key).values_list("pk", flat=True))


def lock_league(pk: int) -> League:
    """Return a league as it stands now; whoever changes its settings, rules or sessions goes one after the other."""
    return League.objects.select_for_update(no_key=True).get(pk=pk)


def lock_players(*players: Player) -> None:
    """Keep these players from everybody who merges or seats them; read anew who is part of whom, and who logs in as them."""
    rows = Player.objects.select_for_update().filter(pk__in=[player.pk for player in players]).order_by("pk")
    standing = {pk: (merged_into, user) for pk, merged_into, user in rows.values_list("pk", "merged_into", "user")}
    for player in players:
        player.merged_into_id, player.user_id = standing[player.pk]


def hold_players(players: Iterable[Player]) -> None:
    hold_keys(Player, [player.pk for player in players])


def lock_hanchan_of(player: Player) -> None:
    """Keep everybody from changing the hanchan in which a player sat."""
    rows = Hanchan.objects.select_for_update(of=("self",), no_key=True).filter(seats__player=player).order_by("pk")
    list(rows.values_list("pk", flat=True))


def lock_seats(numbers: Sequence[int]) -> None:
    """Keep others from the seats of these hanchan until the transaction ends, one after the other by primary key."""
    list(Seat.objects.select_for_update().filter(hanchan__in=numbers).order_by("pk").values_list("pk"))
