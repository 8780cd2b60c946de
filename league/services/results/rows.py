"""The rows that a result is stored in: the hanchan, its seats with what scoring derives, what happened besides."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from league.models import Hanchan, Incident, RulesetVersion, Seat, Session
from league.services.results.derived import plain_seats
from league.services.results.values import HanchanResult, TableAndTime
from scoring.core import ScoringRules, write_game


def derived_seats(result: HanchanResult, rules: ScoringRules) -> list[Seat]:
    """Return unsaved seats with everything that scoring derives from the result. Raises ScoringError."""
    return [Seat(**seat._asdict()) for seat in plain_seats(result, rules)]


def new_hanchan(
    session: Session, result: HanchanResult, table_and_time: TableAndTime, version: RulesetVersion, moment: datetime
) -> Hanchan:
    """Return the unsaved hanchan of a result; `table_and_time` has its number within the table, else it is the first."""
    return Hanchan(
        league=session.league,
        session=session,
        key=table_and_time.key or f"h-{table_and_time.client_key.hex}",
        client_key=table_and_time.client_key,
        table=table_and_time.table,
        round=table_and_time.round or 1,
        played_at=moment,
        day=session.league.day_of(moment),
        ruleset_version=version,
        end_reason=result.end_reason,
        sticks_left=result.game.sticks_left,
        note=result.note,
        given=result.given,
        as_is=result.game.as_is,
    )


def seated(hanchan: Hanchan, seats: Iterable[Seat]) -> list[Seat]:
    """Return the seats with the copies that let a board be summed from them alone."""
    rows = list(seats)
    for seat in rows:
        seat.hanchan, seat.league = hanchan, hanchan.league
        seat.day, seat.played_at = hanchan.day, hanchan.played_at
        seat.counted = hanchan.counts
    return rows


def store_rows(hanchan: Hanchan, seats: Sequence[Seat], result: HanchanResult) -> list[Incident]:
    """Store seats and incidents under a hanchan that has just been saved; return the incidents."""
    Seat.objects.bulk_create(seated(hanchan, seats))
    return Incident.objects.bulk_create(incidents_of(hanchan, result))


def incidents_of(hanchan: Hanchan, result: HanchanResult) -> list[Incident]:
    """Return the unsaved incidents of a result: busts with their cause, chombo, yakuman."""
    game: dict[str, Any] = write_game(result.game)
    rows = []
    for bust in game.get("busts", []):
        detail = {key: value for key, value in bust.items() if key != "seat"}
        rows.append(Incident(hanchan=hanchan, seat=bust["seat"], kind=Incident.Kind.BUST, detail=detail))
    for seat, count in enumerate(result.game.chombo):
        rows += [Incident(hanchan=hanchan, seat=seat, kind=Incident.Kind.CHOMBO) for _ in range(count)]
    rows += [
        Incident(hanchan=hanchan, seat=seat, kind=Incident.Kind.YAKUMAN, note=note) for seat, note in result.yakuman
    ]
    return rows
