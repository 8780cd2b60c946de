from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time

from django.db import transaction
from django.utils import timezone

from league.core.errors import RefusedError
from league.core.periods import written_time
from league.models import Attendance, AttendanceLink, Player, Revision, Session
from league.selectors.attendance import attendance_of, closing_of
from league.services.attempts import TryLimit
from league.services.history import Actor, Change, write_revision
from league.services.locking import hold, locked

Given = Attendance.Given

CHANGES = TryLimit("attendance-changes", tries=20, seconds=3600)
"""Changes to one player's answer per hour, except by organisers: each change is kept in the history."""

ANSWERS = TryLimit("attendance-answers", tries=300, seconds=3600)
"""Answers through one link per hour."""


class AttendanceError(RefusedError):
    """An answer was refused; `code` is "closed", "own", "gone" or "often"."""


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """An answer (an Attendance.Answer value), the arrival time of a late player, and a comment."""

    answer: str
    arrives_at: time | None = None
    word: str = ""


def hold_player(player: Player) -> None:
    """Lock the player's answers until the transaction ends, and reload `merged_into`."""
    hold(Player.objects.filter(pk=player.pk))
    player.refresh_from_db(fields=["merged_into"])


@transaction.atomic
def answer_session(
    *, session: Session, player: Player, facts: AnswerFacts, given: Given, by: Actor, link: AttendanceLink | None = None
) -> Attendance:
    """Store an answer; the same answer again changes nothing.

    Raise AttendanceError "closed" (organisers may still answer while the session is open), "own" if the shared link
    would overwrite the player's own answer, "gone" if the player was merged or is in another league, and "often" above
    a rate limit.
    """
    hold_player(player)
    if player.merged_into_id is not None or player.league_id != session.league_id:
        raise AttendanceError("gone")
    if session.state != Session.State.OPEN or (given != Given.ORGANISER and timezone.now() >= closing_of(session)):
        raise AttendanceError("closed")
    standing = attendance_of(session, player)
    if standing is not None and AnswerFacts(standing.answer, standing.arrives_at, standing.word) == facts:
        return standing
    if given == Given.SHARED and standing is not None and standing.given == Given.SELF:
        raise AttendanceError("own")
    if given != Given.ORGANISER and not (
        CHANGES.use(f"{session.pk}:{player.pk}") and (link is None or ANSWERS.use(str(link.pk)))
    ):
        raise AttendanceError("often")
    # An answer stored for a player since merged into this one stays; this player gets a new row.
    own = standing if standing is not None and standing.player_id == player.pk else None
    before = attendance_snapshot(own) if own else None
    row = own or Attendance(session=session, player=player, version=0)
    row.answer, row.arrives_at, row.word = facts.answer, facts.arrives_at, facts.word
    row.given, row.by, row.link = given, by.user, link
    row.version += 1
    row.save()
    action = Revision.Action.CHANGED if own else Revision.Action.CREATED
    write_revision(session.league, row, Change(action, before, attendance_snapshot(row)), by)
    return row


def attendance_snapshot(row: Attendance) -> Mapping[str, object]:
    return {
        "session": str(row.session),
        "name": row.player.name,
        "answer": str(row.answer),
        "arrives_at": written_time(row.arrives_at),
        "word": row.word,
        "given": str(row.given),
    }


@transaction.atomic
def set_answers_until(*, session: Session, until: datetime | None, by: Actor) -> Session:
    """Set the deadline for answers to a session; None means until it starts."""
    current = locked(Session.objects.select_related("league"), session.pk)
    if current.answers_until != until:
        before, after = ({"answers_until": each and each.isoformat()} for each in (current.answers_until, until))
        current.answers_until = until
        current.save(update_fields=["answers_until"])
        write_revision(current.league, current, Change(Revision.Action.CHANGED, before, after), by)
    return current
