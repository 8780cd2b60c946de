"""Confirmations and disputes, and the state of a hanchan that follows from them."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from league.core.confirmation import ResultState
from league.core.limits import MAX_REASON_LENGTH
from league.models import Confirmation, Hanchan, League, Player, Revision, Seat
from league.models.editions import raise_edition
from league.selectors.confirming import Statements, facts_of, is_better, people_seen, statements_on
from league.selectors.games import snapshot_of
from league.services.boards import mark_stale
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league
from league.services.results import ResultError, locked_hanchan, set_result_state

MAX_STATEMENTS = 300
"""Statements per hanchan."""


@dataclass(frozen=True, slots=True)
class NewStatement:
    """A statement about one version of a hanchan; without a player it is an organiser's."""

    verdict: Confirmation.Verdict
    version: int
    player: Player | None
    note: str = ""

    @property
    def agrees(self) -> bool:
        return self.verdict == Confirmation.Verdict.AGREES


@dataclass(frozen=True, slots=True)
class StatementOutcome:
    hanchan: Hanchan
    is_current: bool


@transaction.atomic
def say(*, hanchan: Hanchan, statement: NewStatement, by: Actor) -> StatementOutcome:
    """Store a statement and update the hanchan's state. Repeating the last statement changes nothing.

    Statements about an outdated version are stored without effect. Raise ResultError "not_at_table", or
    "reason_missing" if an organiser settles a dispute without a reason.
    """
    # Lock the league first, in the same order as a change of settings, which decide whether disputed results count.
    lock_league(hanchan.league_id)
    current = locked_hanchan(hanchan)
    is_current = not current.is_voided and facts_of(current).since <= statement.version <= current.version
    player = statement.player
    # A correction may have replaced the player since.
    sat_there = player is None or current.seats.filter(player=player).exists()
    if player is not None and not sat_there and (is_current or player.pk not in people_seen(current)):
        raise ResultError("not_at_table", name=player.name)
    statements = statements_on(current)
    if statement.version > current.version or len(statements.current) + len(statements.outdated) >= MAX_STATEMENTS:
        return StatementOutcome(current, is_current=False)
    if (
        is_current
        and statement.player is None
        and statement.agrees
        and statements.agreement.disputed
        and not statement.note.strip()
    ):
        raise ResultError("reason_missing")
    if not _is_repeated(statements, statement, by):
        _keep(current, statement, by)
        raise_edition(current.league_id, current.session_id)
        if is_current:
            _change_state(current, statement, by)
    return StatementOutcome(current, is_current)


def settle(*, hanchan: Hanchan, reason: str, by: Actor) -> StatementOutcome:
    """Settle a dispute as an organiser. Raise ResultError "reason_missing"."""
    if not reason.strip():
        raise ResultError("reason_missing")
    statement = NewStatement(Confirmation.Verdict.AGREES, hanchan.version, None, reason)
    return say(hanchan=hanchan, statement=statement, by=by)


def _is_repeated(statements: Statements, statement: NewStatement, by: Actor) -> bool:
    words = (*statements.outdated, *statements.current)
    own = [each for each in words if each.player_id == (statement.player.pk if statement.player else None)]
    if not own:
        return False
    last = own[-1]
    known = (last.verdict, last.version, last.device, last.by_id)
    is_same = known == (statement.verdict, statement.version, by.device, by.user.pk if by.user else None)
    return is_same and statement.note.strip()[:MAX_REASON_LENGTH] in {"", last.note}


def _keep(current: Hanchan, statement: NewStatement, by: Actor) -> None:
    Confirmation.objects.create(
        hanchan=current,
        version=max(statement.version, 1),
        verdict=statement.verdict,
        player=statement.player,
        by=by.user,
        by_name=by.name,
        device=by.device,
        source=by.source,
        note=statement.note.strip()[:MAX_REASON_LENGTH],
    )


def _change_state(current: Hanchan, statement: NewStatement, by: Actor) -> None:
    agreement = statements_on(current).agreement
    before, was_disputed = snapshot_of(current), current.is_disputed
    if was_disputed and agreement.state == ResultState.RECORDED and _was_confirmed(current):
        set_result_state(current, ResultState.CONFIRMED)
    elif is_better(agreement, current.state):
        set_result_state(current, agreement.state)
    elif statement.agrees:
        return
    action = Revision.Action.DISPUTED
    if statement.agrees:
        action = Revision.Action.SETTLED if was_disputed else Revision.Action.CONFIRMED
    change = Change(action, before, snapshot_of(current), statement.note.strip()[:MAX_REASON_LENGTH])
    write_revision(current.league, current, change, by)


def _was_confirmed(current: Hanchan) -> bool:
    revisions = Revision.objects.filter(league=current.league_id, subject="hanchan", subject_id=current.pk)
    began = revisions.filter(action=Revision.Action.DISPUTED).exclude(before__state=Hanchan.State.DISPUTED)
    return began.order_by("-pk").values_list("before__state", flat=True).first() == Hanchan.State.CONFIRMED


def recount(league: League) -> None:
    """Update which disputed and unbalanced results count, after the league's setting has changed.

    Call in the transaction that changed the league.
    """
    doubtful = Hanchan.objects.valid().filter(Q(state=Hanchan.State.DISPUTED) | Q(as_is=True), league=league)
    rows = dict(doubtful.select_for_update(of=("self",)).order_by("pk").values_list("pk", "day"))
    counted = Hanchan.objects.counted().filter(pk__in=rows)
    Seat.objects.filter(hanchan__in=rows).update(counted=Exists(counted.filter(pk=OuterRef("hanchan"))))
    mark_stale(league, rows.values())


def confirm_anew(league: League, by: Actor) -> None:
    """Confirm results that satisfy the league's new policy; no result loses its confirmation."""
    pending = Hanchan.objects.filter(league=league, confirmations__isnull=False).awaiting().distinct()
    for pk in list(pending.order_by("pk").values_list("pk", flat=True)):
        current = Hanchan.objects.get(pk=pk)
        current = locked_hanchan(current)
        agreement = statements_on(current).agreement
        if agreement.state == ResultState.CONFIRMED and current.state == Hanchan.State.RECORDED:
            before = snapshot_of(current)
            set_result_state(current, agreement.state)
            write_revision(league, current, Change(Revision.Action.CONFIRMED, before, snapshot_of(current)), by)
