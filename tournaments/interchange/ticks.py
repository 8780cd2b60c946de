"""What was typed at tables after each hand: written to a file and read from it. A file tells a slip by its place in the list."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from django.utils import timezone

from league.models import Player, Session
from tournaments.interchange.schema import TickDocument
from tournaments.models import Tick, Tournament

Document = dict[str, Any]


def ticks_by_session(tournament: Tournament, zone: ZoneInfo) -> dict[int, Document]:
    """Return what was typed in the sessions of a tournament that have any, in order of arrival. One query, two for some."""
    rows = list(Tick.objects.filter(session__stage__tournament=tournament).order_by("session", "pk"))
    if not rows:
        return {}
    keys = dict(tournament.league.players.values_list("pk", "key"))
    return {
        session: {"ticks": _document(list(ticks), keys, zone)}
        for session, ticks in groupby(rows, attrgetter("session_id"))
    }


def _document(rows: list[Tick], players: Mapping[int, str], zone: ZoneInfo) -> list[Document]:
    places = {row.client_key: place for place, row in enumerate(rows, 1)}
    return [_row(row, places, players, zone) for row in rows]


def _row(row: Tick, places: Mapping[UUID, int], players: Mapping[int, str], zone: ZoneInfo) -> Document:
    where = {"table": row.table, "round": row.round, "number": row.number, "at": row.at.astimezone(zone).isoformat()}
    if row.takes_back is not None:
        return where | {"takes_back": places.get(row.takes_back, 0)}
    sparse = {"honba": row.honba, "sticks": row.sticks, "riichi": row.riichi}
    seats = [players[pk] for pk in row.seats]
    said = {name: value for name, value in sparse.items() if value}
    return where | {"seats": seats, "scores": row.scores, "hand": row.hand} | said


def store_ticks(session: Session, documents: tuple[TickDocument, ...], players: Mapping[str, Player]) -> None:
    keys = [uuid4() for _ in documents]
    Tick.objects.bulk_create(
        Tick(
            league=session.league,
            session=session,
            seats=[players[key].pk for key in each.seats],
            scores=list(each.scores),
            riichi=list(each.riichi),
            client_key=keys[place],
            takes_back=_slip(each, keys),
            at=each.at or timezone.now(),
            **each.model_dump(include={"table", "round", "number", "hand", "honba", "sticks"}),
        )
        for place, each in enumerate(documents)
    )


def _slip(tick: TickDocument, keys: Sequence[UUID]) -> UUID | None:
    """Return the key of what a tick takes back; one that is nowhere for what had not arrived."""
    if tick.takes_back is None:
        return None
    return keys[tick.takes_back - 1] if 1 <= tick.takes_back <= len(keys) else uuid4()
