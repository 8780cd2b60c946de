"""Earlier versions of a hanchan: what would stand if one of them came back, and bringing it back as a correction."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from league.models import Hanchan, Incident, Player, Revision
from league.selectors.confirming import RAISING
from league.selectors.conflicts import same_facts
from league.selectors.games import Snapshot, snapshot_from
from league.selectors.merging import current_player
from league.services.history import Actor
from league.services.results import Placing, Result, ResultError, correct_hanchan, derived_seats, incidents_of
from scoring.core import read_game


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier state of a hanchan as it could be entered again: who sat there has been merged since, perhaps."""

    result: Result
    placing: Placing


def version_of(hanchan: Hanchan, revision: Revision) -> Version:
    """Return the state that a revision of the hanchan left. Raises ResultError "no_such_version"."""
    state: Snapshot | None = revision.after if isinstance(revision.after, dict) else None
    if state is None or (revision.subject, revision.subject_id) != ("hanchan", hanchan.pk):
        raise ResultError("no_such_version")
    known = Player.objects.select_related("merged_into").in_bulk([seat["player"] for seat in state["seats"]])
    if any(seat["player"] not in known for seat in state["seats"]):
        raise ResultError("no_such_version")
    players = tuple(current_player(known[seat["player"]]) for seat in state["seats"])
    placing = Placing(state["table"], state["round"], datetime.fromisoformat(state["played_at"]))
    return Version(_result(state, players), placing)


def _result(state: Snapshot, players: tuple[Player, ...]) -> Result:
    busts: list[dict[str, Any]] = []
    yakuman: list[tuple[int, str]] = []
    for incident in state["incidents"]:
        if incident["kind"] == Incident.Kind.BUST:
            busts.append({"seat": incident["seat"], **incident["detail"]})
        elif incident["kind"] == Incident.Kind.YAKUMAN:
            yakuman.append((incident["seat"], incident["note"]))
    counts = {
        what: values if any(values := [seat[what] for seat in state["seats"]]) else []
        for what in ("chombo", "chips", "deposits")
    }
    raw = [seat["raw"] for seat in state["seats"]]
    game = read_game({"raw": raw, "sticks_left": state["sticks_left"], "busts": busts, **counts})
    return Result(players, game, state["note"], state["end_reason"], tuple(yakuman))


def bring_back(*, hanchan: Hanchan, revision: Revision, seen_version: int, by: Actor, reason: str) -> Hanchan:
    """Let an earlier version stand again, scored by the rules of today, as a correction with a reason.

    Raises ResultError "no_such_version" and what correct_hanchan raises.
    """
    version = version_of(hanchan, revision)
    return correct_hanchan(
        hanchan=hanchan,
        seen_version=seen_version,
        result=version.result,
        placing=version.placing,
        by=by,
        reason=reason,
    )


def as_typed(hanchan: Hanchan, result: Result, placing: Placing) -> Snapshot:
    """Return the state that a correction would leave, without storing it. Raises ScoringError."""
    typed = Hanchan(
        pk=hanchan.pk,
        league=hanchan.league,
        table=placing.table,
        round=placing.round or hanchan.round,
        played_at=placing.played_at or hanchan.played_at,
        ruleset_version=hanchan.ruleset_version,
        sticks_left=result.game.sticks_left,
        end_reason=result.end_reason,
        note=result.note,
        state=hanchan.state,
    )
    seats = derived_seats(result, hanchan.ruleset_version.read())
    return snapshot_from(typed, seats, incidents_of(typed, result))


def restorable(hanchan: Hanchan, revisions: Iterable[Revision]) -> set[int]:
    """Return which revisions of a hanchan, given latest first, left a state that differs from the one that stands."""
    states = {
        revision.pk: revision.after
        for revision in revisions
        if revision.action in RAISING and isinstance(revision.after, dict)
    }
    if not states or hanchan.is_voided:
        return set()
    current = next(iter(states.values()))
    return {pk for pk, state in states.items() if not same_facts(state, current)}
