"""What is kept of players' months is what their seats come to."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from league.core.periods import Period, PeriodKind, parse_period
from league.models import League
from league.selectors.moment import one_moment
from league.services.boards import periods_with_play
from league.services.proofs.registry import proofs
from league.services.proofs.values import Difference, Proof, ProofTally
from stats.core.careers import Career, as_json
from stats.models import KeptMonth, PlayerMonth
from stats.selectors.career_seats import careers_of, rows_in
from stats.selectors.careers import up_to_date
from stats.services.proof_of_feats import FEATS

PARTS = [field.name for field in fields(Career)]
"""What a career has, in the order in which it is kept."""

_Careers = dict[int, Any]
"""Careers by player, as JSON."""


def check_careers(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield careers of months that are kept and are not what their seats come to. A month that is not kept is only late."""
    for month in _months(league):
        kept, right = _both(league, month)
        if right:
            tally.add(month.key, json.dumps(right, sort_keys=True))
        if kept is not None:
            yield from _differences(month, kept, right)


def forget_months(league: League) -> None:
    """Forget the months that are kept wrong: their pages read the seats until the sweep has them kept anew."""
    for month in _months(league):
        kept, right = _both(league, month)
        if kept is not None and kept != right:
            KeptMonth.objects.filter(league=league, period=month.key).delete()


def _months(league: League) -> list[Period]:
    """Return every month that has facts, a board, or is kept; in order."""
    found = {period.key: period for period in periods_with_play(league) if period.kind is PeriodKind.MONTH}
    for key in KeptMonth.objects.filter(league=league).values_list("period", flat=True):
        found.setdefault(key, parse_period(key, league.first_month))
    return [found[key] for key in sorted(found)]


def _both(league: League, month: Period) -> tuple[_Careers | None, _Careers]:
    """Return the careers of a month as they are kept, None where none are that say anything, and as their seats are."""
    with one_moment():
        valid = up_to_date(KeptMonth.objects.filter(league=league, period=month.key)).first()
        rows = PlayerMonth.objects.filter(month=valid).values_list("player", "career")
        kept = None if valid is None else dict(rows)
        careers = careers_of(rows_in(league, month))
    return kept, {player: json.loads(json.dumps(as_json(career))) for player, career in careers.items()}


def _differences(month: Period, kept: Mapping[int, Any], right: Mapping[int, Any]) -> Iterator[Difference]:
    for player in sorted(kept.keys() | right.keys()):
        row = f"month {month.key} player {player}"
        if player not in kept or player not in right:
            stored, wanted = ("there" if player in each else "missing" for each in (kept, right))
            yield Difference(row, "career", stored, wanted)
        elif not isinstance(kept[player], list) or len(kept[player]) != len(PARTS):
            yield Difference(row, "career", kept[player], right[player])
        else:
            for name, stored, wanted in zip(PARTS, kept[player], right[player], strict=True):
                if stored != wanted:
                    yield Difference(row, name, stored, wanted)


CAREERS = Proof("careers", "months", check_careers, forget_months)


def register() -> None:
    """Have what is kept of players and periods proven with the rest of their league."""
    proofs.extend(proof for proof in (CAREERS, FEATS) if proof not in proofs)
