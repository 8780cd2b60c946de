"""Who made whom bust, as the entry page asks it and scoring wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from league.core.entry import parse_whole
from league.core.raw_scores import RawScoreError
from league.forms.entry.fields import OTHER, EntryTable
from league.forms.points import PointsField
from scoring.core import Bust
from scoring.core.points import POINT

Errors = tuple[tuple[str, ValidationError], ...]


@dataclass(frozen=True, slots=True)
class BustAnswers:
    """The busts of a table. One that nobody has explained yet stands among them as one without a prize."""

    busts: tuple[Bust, ...]
    errors: Errors

    @classmethod
    def read(
        cls, table: EntryTable, scores: Sequence[int], answers: Mapping[str, Any], names: Sequence[str]
    ) -> BustAnswers:
        """Return the busts that the scores and the answers tell of."""
        busts, errors = [], []
        for seat in busted_seats(table, scores, answers):
            try:
                busts.append(_bust(seat, table, answers, names[seat]))
            except BustError as error:
                busts.append(Bust(seat, OTHER))
                errors.append((error.field, error.reason))
        return cls(tuple(busts), tuple(errors))


class BustError(Exception):
    """An answer that is missing or cannot be read."""

    def __init__(self, field: str, reason: ValidationError) -> None:
        super().__init__(field)
        self.field = field
        self.reason = reason


def busted_seats(table: EntryTable, scores: Sequence[int], answers: Mapping[str, Any]) -> list[int]:
    """Return the seats that are bust and of which the rules want to know why."""
    offender = answers.get("riichi_bust")
    return [
        seat
        for seat in table.seats
        if str(seat) == offender or (table.asks_busts and table.rules.is_bust(scores[seat]))
    ]


def _bust(seat: int, table: EntryTable, answers: Mapping[str, Any], name: str) -> Bust:
    if answers.get("riichi_bust") == str(seat):
        return Bust(seat, "riichi", shares=_shares(seat, table, answers))
    by = answers.get(f"bust_{seat}_by") or ""
    who = tuple(sorted(int(other) for other in answers.get(f"bust_{seat}_who") or ()))
    match by:
        case "":
            text = _("%(name)s is bust. Say who won the points, or that it was a draw.") % {"name": name}
            raise BustError(f"bust_{seat}_by", ValidationError(text, "missing"))
        case "several" | "draw" if not who:
            text = _("%(name)s is bust: tick the players it was.") % {"name": name}
            raise BustError(f"bust_{seat}_who", ValidationError(text, "missing"))
        case "several":
            return Bust(seat, "win", winners=who)
        case "draw":
            return Bust(seat, "draw", tenpai=who)
        case "other":
            return Bust(seat, OTHER, shares=_shares(seat, table, answers))
    return Bust(seat, "win", winners=(int(by),))


def _shares(seat: int, table: EntryTable, answers: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Return how the table divides the prize, in points or chips; nothing where the rules do."""
    if not table.asks_shares or table.rules.bust is None:
        return ()
    shares = []
    for other in table.seats:
        field = f"bust_{seat}_share_{other}"
        text = str(answers.get(field) or "").strip()
        if not text:
            continue
        try:
            amount = PointsField().read(text) if table.rules.bust.prize_in == "points" else parse_whole(text) * POINT
        except ValidationError as error:
            raise BustError(field, error) from error
        except RawScoreError as error:
            raise BustError(field, ValidationError(_("Write a whole number of chips."))) from error
        shares.append((other, amount))
    return tuple(shares)
