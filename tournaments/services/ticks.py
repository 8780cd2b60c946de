"""The points ticker: what is typed at a table after each hand is kept, and nothing of it is ever changed."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from league.models import Session
from league.selectors.planning import next_round
from league.services.history import Actor
from league.services.telling import tell
from tournaments.core.ticking import Situation
from tournaments.models import Tick
from tournaments.services.events import TournamentError

MOST_TICKS = 500
"""So many facts are kept of one hanchan: thirty hands, each with four riichi and as many slips."""


@dataclass(frozen=True, slots=True)
class TypedTick:
    """What a phone sends: how the table stands after `number` hands, or (`takes_back`) the key of a slip.

    `seats`: primary keys of players, first dealer first. `typed_at`: when, where the phone had to keep it.
    """

    key: UUID
    round: int
    number: int
    seats: tuple[int, ...]
    situation: Situation | None
    takes_back: UUID | None = None
    typed_at: datetime | None = None


@transaction.atomic
def record_tick(*, session: Session, table: int, typed: TypedTick, by: Actor) -> Tick:
    """Keep what was typed, once for each key. Raises TournamentError."""
    here = Tick.objects.filter(session=session, table=table, round=typed.round)
    known = Tick.objects.filter(client_key=typed.key).first()
    if known is None:
        if typed.round > next_round(session, table) + 1:
            raise TournamentError("tick_ahead")
        if here.count() >= MOST_TICKS:
            raise TournamentError("too_many_ticks")
        known, is_new = Tick.objects.get_or_create(client_key=typed.key, defaults=_columns(session, table, typed, by))
        if is_new:
            tell(session.league_id, only_hall=True)
    if (known.session_id, known.table, known.round) != (session.pk, table, typed.round):
        raise TournamentError("tick_elsewhere")
    return known


def _columns(session: Session, table: int, typed: TypedTick, by: Actor) -> dict[str, object]:
    place = {"league": session.league, "session": session, "table": table, "round": typed.round}
    said: dict[str, object] = {"number": typed.number, "at": _moment(typed), "by": by.user}
    if typed.situation is None:
        return place | said | {"takes_back": typed.takes_back}
    now = typed.situation
    return (
        place
        | said
        | {
            "seats": list(typed.seats),
            "scores": list(now.scores),
            "hand": now.hand,
            "honba": now.honba,
            "sticks": now.sticks,
            "riichi": list(now.riichi),
        }
    )


def _moment(typed: TypedTick) -> datetime:
    """Return when it was typed; a phone whose clock is ahead is taken at the server's."""
    now = timezone.now()
    return now if typed.typed_at is None else min(typed.typed_at, now)
