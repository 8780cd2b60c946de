"""Initial values of the entry page.

They come from the last seating, a hanchan to correct or enter again, a held result, or the query string.
"""

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.http import QueryDict

from league.core.entry import HUNDREDS_DIGITS
from league.core.numbers import small_number
from league.forms.entry.fields import DRAW, OTHER, SEVERAL, EntryTable
from league.messages import negative_sign
from league.models import Hanchan, Session
from league.selectors.games import seats_of
from league.services.results import HanchanResult, result_of
from scoring.core import Bust, format_points
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
    values = {
        "seen_version": hanchan.version,
        "table": hanchan.table,
        "round": hanchan.round,
        "played_at": hanchan.played_at,
    }
    return values | of_result(result_of(hanchan)) | accepted(hanchan)


def accepted(hanchan: Hanchan) -> dict[str, int]:
    """Return the difference of an accepted wrong total, as the form asks for it."""
    rules = hanchan.ruleset_version.readable() if hanchan.as_is and hanchan.has_raw_scores else None
    if rules is None:
        return {}
    seats = seats_of(hanchan)
    total = sum(seat.raw_score or 0 for seat in seats) + STICK * hanchan.sticks_left
    return {"as_is": total - len(seats) * (rules.start_points or 0)}


def of_result(result: HanchanResult) -> dict[str, Any]:
    game = result.game
    values: dict[str, Any] = {
        "sticks_left": str(game.sticks_left),
        "end_reason": result.end_reason,
        "note": result.note,
        **{f"player_{seat}": str(player.pk) for seat, player in enumerate(result.players)},
    }
    for seat in range(game.size):
        values |= {
            f"raw_{seat}": score_text(game.raw[seat]) if game.raw else "",
            f"chombo_{seat}": str(game.chombo[seat] or "") if game.chombo else "",
            f"chips_{seat}": str(game.chips[seat]) if game.chips else "0",
            f"deposits_{seat}": str(game.deposits[seat] or "") if game.deposits else "",
        }
    values |= {f"yakuman_{seat}": text for seat, text in result.yakuman}
    for bust in game.busts:
        values |= _of_bust(bust)
    return values


def again(hanchan: Hanchan) -> QueryDict:
    """Return the values of a voided hanchan for a new one, with a new key and no round.

    The last score is marked as filled in, so that it is recalculated if others change.
    """
    typed = as_sent(
        {
            name: value
            for name, value in of_hanchan(hanchan).items()
            if name not in {"seen_version", "round", "played_at"}
        }
    )
    last = max(seat.seat for seat in seats_of(hanchan))
    typed["auto"] = f"{last}:{typed[f'raw_{last}']}"
    typed["client_key"] = str(uuid4())
    return typed


def as_sent(values: Mapping[str, Any]) -> QueryDict:
    typed = QueryDict(mutable=True)
    for name, value in values.items():
        typed.setlist(name, value if isinstance(value, list) else [str(value)])
    return typed


def _of_bust(bust: Bust) -> dict[str, Any]:
    field, who = f"bust_{bust.seat}", bust.winners or bust.tenpai
    shares = {f"{field}_share_{seat}": format_points(share) for seat, share in bust.shares}
    if bust.by == "riichi":
        return {"riichi_bust": str(bust.seat), **shares}
    answer = {"draw": DRAW, "win": SEVERAL}.get(bust.by, OTHER)
    by = str(who[0]) if len(bust.winners) == 1 else answer
    return {f"{field}_by": by, f"{field}_who": [str(seat) for seat in who], **shares}


def score_text(points: int) -> str:
    """Return a raw score as it would be typed: 317 for 31,700, ▲15 for −1,500."""
    sign = negative_sign() if points < 0 else ""
    hundreds = str(abs(points) // 100)
    return sign + (hundreds if len(hundreds) <= HUNDREDS_DIGITS else str(abs(points)))
