"""Initial values of the entry page.

They come from the last seating, a hanchan to correct or enter again, a held result, or the query string.
"""

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from django.http import QueryDict

from league.core.entry import HUNDREDS_DIGITS
from league.core.numbers import small_number
from league.forms.entry.fields import DRAW, OTHER, SEVERAL, EntryTable
from league.messages import negative_sign
from league.models import Hanchan, Incident, Session
from league.selectors.games import seats_of
from scoring.core.hanchan import STICK

BROUGHT = re.compile(
    r"(?:player|guest|raw|chombo|chips|deposits|yakuman|bust)_\d\w{0,12}|sticks_left|round|for_round|begun_at|note|end_reason|client_key"
)
"""Fields that a query string may fill in for scorers. Nothing is saved until they submit the form."""

SEATED = re.compile(r"(?:player|raw)_\d|sticks_left")


def fresh(table: EntryTable, *, empty_seats: bool = False) -> dict[str, Any]:
    seated = table.choices.last if len(table.choices.last) == len(table.seats) and not empty_seats else ()
    players = {f"player_{seat}": str(player.pk) for seat, player in enumerate(seated)}
    return {"client_key": uuid4(), "sticks_left": "0", "table": table.number, **players}


def brought_along(query: QueryDict, session: Session, table: int, *, is_link: bool) -> QueryDict | None:
    """Return values to prefill from a voided hanchan, a held result or the query string.

    Only scorers can use held results and query strings; table links cannot.
    """
    number = small_number(query.get("again", ""), 0)
    taken_back = session.hanchan.filter(pk=number, table=table, state=Hanchan.State.VOIDED)
    if number and (undone := taken_back.prefetch_related("seats", "incidents").first()):
        return again(undone)
    return None if is_link else _handed_over(query, session)


def _handed_over(query: QueryDict, session: Session) -> QueryDict | None:
    found: dict[str, list[str]] = {}
    number = small_number(query.get("held", ""), 0)
    if number and (held := session.held_results.filter(pk=number, settled_at=None).first()):
        found = held.typed
    elif "raw_0" in query:
        found = {name: texts for name, texts in query.lists() if BROUGHT.fullmatch(name)}
    typed = QueryDict(mutable=True)
    for name, texts in found.items():
        typed.setlist(name, texts)
    return typed or None


def of_hanchan(hanchan: Hanchan) -> dict[str, Any]:
    values: dict[str, Any] = {
        "seen_version": hanchan.version,
        "sticks_left": str(hanchan.sticks_left),
        "table": hanchan.table,
        "round": hanchan.round,
        "played_at": hanchan.played_at,
        "end_reason": hanchan.end_reason,
        "note": hanchan.note,
    }
    for seat in seats_of(hanchan):
        values |= {
            f"player_{seat.seat}": str(seat.player_id),
            f"raw_{seat.seat}": "" if seat.raw_score is None else score_text(seat.raw_score),
            f"chombo_{seat.seat}": str(seat.chombo or ""),
            f"chips_{seat.seat}": str(seat.chips),
            f"deposits_{seat.seat}": str(seat.deposits or ""),
        }
    for incident in hanchan.incidents.all():
        values |= dict(_of_incident(incident))
    if hanchan.as_is and hanchan.has_raw_scores and (rules := hanchan.ruleset_version.readable()) is not None:
        seats = seats_of(hanchan)
        total = sum(seat.raw_score or 0 for seat in seats) + STICK * hanchan.sticks_left
        values["as_is"] = total - len(seats) * (rules.start_points or 0)
    return values


def again(hanchan: Hanchan) -> QueryDict:
    """Return the values of a voided hanchan for a new one, with a new key and no round.

    The last score is marked as filled in, so that it is recalculated if others change.
    """
    typed = QueryDict(mutable=True)
    for name, value in of_hanchan(hanchan).items():
        if name not in {"seen_version", "round", "played_at"}:
            typed.setlist(name, value if isinstance(value, list) else [str(value)])
    last = max(seat.seat for seat in seats_of(hanchan))
    typed["auto"] = f"{last}:{typed[f'raw_{last}']}"
    typed["client_key"] = str(uuid4())
    return typed


def _of_incident(incident: Incident) -> Iterator[tuple[str, Any]]:
    if incident.kind == Incident.Kind.YAKUMAN:
        yield f"yakuman_{incident.seat}", incident.note
    elif incident.kind == Incident.Kind.BUST and incident.detail.get("by") == "riichi":
        yield "riichi_bust", str(incident.seat)
        yield from _shares(incident)
    elif incident.kind == Incident.Kind.BUST:
        field, winners = f"bust_{incident.seat}", incident.detail.get("winners", [])
        answer = {"draw": DRAW, "win": SEVERAL}.get(incident.detail.get("by"), OTHER)
        yield f"{field}_by", str(winners[0]) if len(winners) == 1 else answer
        yield f"{field}_who", [str(seat) for seat in incident.detail.get("tenpai") or winners]
        yield from _shares(incident)


def _shares(incident: Incident) -> Iterator[tuple[str, str]]:
    for seat, share in incident.detail.get("shares", {}).items():
        yield f"bust_{incident.seat}_share_{seat}", str(share)


def score_text(points: int) -> str:
    """Return a raw score as it would be typed: 317 for 31,700, ▲15 for −1,500."""
    sign = negative_sign() if points < 0 else ""
    hundreds = str(abs(points) // 100)
    return sign + (hundreds if len(hundreds) <= HUNDREDS_DIGITS else str(abs(points)))
