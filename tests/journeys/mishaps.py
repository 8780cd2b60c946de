"""Things that go wrong in a tournament, and how a director deals with them. Each happens once, when it can."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from league.models import Hanchan
from tests.journeys.directing import Director
from tests.league.factories import make_players
from tournaments.core.ranking import RankingLine
from tournaments.core.state import StageState
from tournaments.models import StageSession
from tournaments.selectors.decisions import tables_of, unplayed_tables
from tournaments.selectors.state import state_of

WRONGLY_BOOKED = 90_000
"""More points than any lead after two hanchan."""


def a_table_is_postponed(director: Director) -> bool:
    if "postponed" in director.acts or not director.visitor.has_link(to="/postpone/"):
        return False
    day = datetime.now(UTC).date() + timedelta(weeks=1)
    director.visitor.follows(to="/postpone/").submits(within="/postpone/", to=day.isoformat(), reason="大雪のため")
    director.acts.append("postponed")
    return True


def somebody_leaves(director: Director, stage: str) -> bool:
    progress = state_of(director.tournament).state.stage(stage)
    if "left" in director.acts or progress.state is not StageState.DECIDED:
        return False
    return _withdraws(director, stage, progress.rankings[0].lines[1])


def somebody_leaves_under_way(director: Director) -> bool:
    """Withdraw the last player of a stage between two rounds; the others play on."""
    running = [each for each in state_of(director.tournament).state.stages if each.state is StageState.RUNNING]
    if "left" in director.acts or not running or running[0].rankings[0].lines[0].played < 2:
        return False
    if any("/enter/" in link.href for link in director.waiting()):
        return False
    return _withdraws(director, running[0].stage.key, running[0].rankings[0].lines[-1])


def somebody_is_disqualified(director: Director) -> bool:
    progress = state_of(director.tournament).state.stages[0]
    if "left" in director.acts or progress.state is not StageState.PLAYED:
        return False
    return _withdraws(director, progress.stage.key, progress.rankings[0].lines[1], disqualified="on")


def a_substitute_comes_in(director: Director) -> bool:
    running = [each for each in state_of(director.tournament).state.stages if each.state is StageState.RUNNING]
    lines = running[0].rankings[0].lines if running else ()
    if "left" in director.acts or not lines or not lines[0].left:
        return False
    (newcomer,) = make_players(director.tournament.league, 1)
    more = {"remedy": "substitute"} if _is_planned(director, running[0].stage.key, lines[0]) else {}
    return _withdraws(director, running[0].stage.key, lines[0], substitute=str(newcomer.pk), **more)


def _is_planned(director: Director, stage: str, line: RankingLine) -> bool:
    current = state_of(director.tournament)
    return bool(tables_of(unplayed_tables(current, stage), current.entries[int(line.participant)]))


def people_are_absent(director: Director, stage: str, count: int = 1) -> bool:
    """In some hanchan of a stage a non-entrant plays in place of an absent player."""
    director.strangers.setdefault(stage, count)
    return False


def a_stage_is_closed_early(director: Director, stage: str) -> bool:
    director.cut_short.add(stage)
    progress = state_of(director.tournament).state.stage(stage)
    if "closed" in director.acts or progress.state is not StageState.RUNNING:
        return False
    director.visitor.follows(to=f"/approve/{stage}/$").follows(to=f"/close/{stage}/$")
    director.visitor.submits(within="/close/", reason="会場の都合")
    director.acts.append("closed")
    return True


def _withdraws(director: Director, stage: str, line: RankingLine, **answers: str) -> bool:
    director.left = str(line.participant)
    director.visitor.follows(to=r"/withdraw/$").submits(within="/withdraw/", entry=director.left, stage=stage)
    button = next(button.text for button in director.form_with("reason").buttons if button.name != "back")
    director.visitor.submits(button, reason="体調不良のため", **answers)
    director.acts.append("left")
    return True


def a_result_is_corrected(director: Director, stage: str) -> bool:
    """After advancement, the first hanchan of a stage turns out to have swapped points.

    The correction changes who advances.
    """
    progress = state_of(director.tournament).state.stage(stage)
    if "corrected" in director.acts or progress.state is not StageState.DECIDED:
        return False
    session = director.tournament.sessions.filter(stage=stage).order_by("pk")[0].session_id
    visitor = director.visitor.follows(to=rf"/sessions/{session}/$")
    visitor.follows(to=r"^/l/.*/g/\d+/$").follows(to="/correct/$")
    number = re.search(r"/g/(\d+)/", visitor.address)
    assert number
    seats = list(Hanchan.objects.get(pk=int(number[1])).seats.order_by("seat"))
    raws = [seat.raw_score or 0 for seat in seats]
    entries = director.tournament.entries
    best, second = (entries.get(pk=line.participant).player_id for line in progress.rankings[0].lines[:2])
    for seat, raw in enumerate(raws):
        raws[seat] = raw + {best: -WRONGLY_BOOKED, second: WRONGLY_BOOKED}.get(seats[seat].player_id, 0)
    save = next(button.text for button in director.form_with("raw_0").buttons if button.value == "save")
    typed = {f"raw_{seat}": str(raw // 100) for seat, raw in enumerate(raws)}
    visitor.submits(save, reason="別の人の点数でした", **typed)
    director.acts.append("corrected")
    return True


def the_proposal_is_overruled(director: Director, stage: str) -> bool:
    """The next in the ranking advances instead of the last proposed, with a reason."""
    if "overruled" in director.acts or director.form_to(f"/step/{stage}/") is None:
        return False
    director.visitor.follows(to=f"/approve/{stage}/$")
    director.sends_others("", lambda ticked, other: [*ticked[:-1], other])
    director.acts.append("overruled")
    return True


def everybody_is_level(session: StageSession, seated: Sequence[str], stage: str) -> list[int] | None:
    start = session.session.ruleset_version.read().start_points or 25000
    return [start] * len(seated) if session.stage == stage else None
