"""Earlier versions of a hanchan, and restoring them as corrections."""

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from datetime import datetime

from league.core.kept_states import readable_state
from league.models import Hanchan, Incident, Player, Revision
from league.selectors.confirming import RAISING
from league.selectors.games import Snapshot, game_in, snapshot_from
from league.selectors.hanchan_facts import same_facts
from league.selectors.people import current_player
from league.services import results
from league.services.history import Actor
from scoring.core import InputError


def version_of(hanchan: Hanchan, revision: Revision) -> tuple[results.HanchanResult, results.TableAndTime]:
    """Return the state stored by a revision, ready to be stored again; players merged since are replaced.

    Raise ResultError "no_such_version" if it is not one of this hanchan, is unreadable, or has unknown players.
    """
    state = readable_state(revision.after)
    if (revision.subject, revision.subject_id) != ("hanchan", hanchan.pk) or state is None:
        raise results.ResultError("no_such_version")
    seated = [seat["player"] for seat in state["seats"]]
    known = Player.objects.select_related("merged_into").in_bulk(seated)
    if not known.keys() >= set(seated):
        raise results.ResultError("no_such_version")
    try:
        game = game_in(state)
    except InputError as error:
        raise results.ResultError("no_such_version") from error
    result = results.HanchanResult(
        players=tuple(current_player(known[pk]) for pk in seated),
        game=game,
        note=state["note"],
        end_reason=state["end_reason"],
        yakuman=tuple(
            (each["seat"], each["note"]) for each in state["incidents"] if each["kind"] == Incident.Kind.YAKUMAN
        ),
        worked_out=state.get("given") == Hanchan.Given.WORKED_OUT,
    )
    moment = datetime.fromisoformat(state["played_at"])
    return result, results.TableAndTime(state["table"], state["round"], moment)


def bring_back(*, hanchan: Hanchan, revision: Revision, seen_version: int, by: Actor, reason: str) -> Hanchan:
    """Restore an earlier version as a correction, scored with the hanchan's current rules.

    Raise ResultError "no_such_version" and the errors of `correct_hanchan`.
    """
    result, table_and_time = version_of(hanchan, revision)
    return results.correct_hanchan(
        hanchan=hanchan,
        seen_version=seen_version,
        result=result,
        table_and_time=replace(table_and_time, even_if_others=True),
        by=by,
        reason=reason,
    )


def as_typed(hanchan: Hanchan, result: results.HanchanResult, table_and_time: results.TableAndTime) -> Snapshot:
    """Return the snapshot a correction would have, without storing it. Raise ScoringError."""
    typed = copy(hanchan)
    results.put_in(typed, result, table_and_time)
    seats = results.derived_seats(result, hanchan.ruleset_version.read())
    return snapshot_from(typed, seats, results.incidents_of(typed, result))


def restorable(hanchan: Hanchan, revisions: Iterable[Revision]) -> set[int]:
    """Return primary keys of the revisions (given latest first) whose state differs from the current one."""
    states = {
        revision.pk: state
        for revision in revisions
        if revision.action in RAISING and (state := readable_state(revision.after)) is not None
    }
    if not states or hanchan.is_voided:
        return set()
    current = next(iter(states.values()))
    return {pk for pk, state in states.items() if not same_facts(state, current)}
