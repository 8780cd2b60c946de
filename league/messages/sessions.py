"""Texts about sessions: phase, attendance, seating, and error messages."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.sessions import SessionPhase
from league.messages import plain_name
from league.models import Attendance, Player, Session
from scoring.messages import points_text

NOT_ANSWERED = {
    "closed": _("This session no longer accepts answers. Ask the organiser."),
    "own": _(
        "This player has answered with their own link or account and can change the answer there. Otherwise, "
        "ask the organiser."
    ),
    "gone": _("This player is no longer in the list. Choose another player."),
    "often": _("Too many changes within an hour. Try again later, or ask the organiser."),
}


def attendance_sentence(code: str) -> str:
    return str(NOT_ANSWERED[code])


def answer_mark(attendance: Attendance) -> str:
    """Return the attendance to show after a name in seat plans: late or not coming, else ""."""
    if attendance.answer == Attendance.Answer.LATE and attendance.arrives_at is not None:
        return gettext("late, %(time)s") % {"time": attendance.arrives_at.strftime("%H:%M")}
    return str(MARKS.get(attendance.answer, ""))


MARKS = {"late": pgettext_lazy("attendance", "will be late"), "absent": pgettext_lazy("attendance", "not coming")}


def invitation_text(session: Session, when: str, address: str) -> str:
    head = " · ".join(part for part in (plain_name(session.league), str(session), when, session.venue) if part)
    question = gettext("Are you coming? Answer here:")
    return f"{head}\n{question}\n{address}"


NOT_PLANNED = {
    "table_size": _("Table %(table)s needs %(size)s players."),
    "too_many_wait": _("More than %(most)s players would sit out at table %(table)s. Add another table."),
    "not_in_league": _("%(name)s is no longer in this league's list of players. Choose another player."),
    "player_twice": _("%(name)s would have two seats in the same round."),
    "by_round": _(
        "The tables of this session are planned round by round. Change them on the page where they were planned."
    ),
}


def planning_sentence(code: str, values: Mapping[str, object]) -> str:
    return str(NOT_PLANNED[code]) % values


WIND_MARKS = (
    pgettext_lazy("seat, one letter", "E"),
    pgettext_lazy("seat, one letter", "S"),
    pgettext_lazy("seat, one letter", "W"),
    pgettext_lazy("seat, one letter", "N"),
)


PHASES: Mapping[SessionPhase, Promise] = {
    SessionPhase.PLANNED: pgettext_lazy("session", "planned"),
    SessionPhase.TONIGHT: pgettext_lazy("session", "today"),
    SessionPhase.RUNNING: pgettext_lazy("session", "under way"),
    SessionPhase.AWAITED: pgettext_lazy("session", "results missing"),
    SessionPhase.OVER: pgettext_lazy("session", "finished"),
    SessionPhase.POSTPONED: pgettext_lazy("session", "postponed"),
    SessionPhase.WITHDRAWN: pgettext_lazy("session", "cancelled"),
}

LOUDNESS: Mapping[SessionPhase, str] = {
    SessionPhase.TONIGHT: "good",
    SessionPhase.RUNNING: "good",
    SessionPhase.AWAITED: "warn",
    SessionPhase.POSTPONED: "warn",
    SessionPhase.WITHDRAWN: "warn",
}
"""CSS emphasis by phase; planned and past sessions have none."""

NOT_ENTERED = {
    "no_lines": _("Choose at least one player and enter the points."),
    "hanchan": _("A total can cover 1 to %(most)s hanchan. Leave blank if unknown."),
    "places": _("%(player)s has %(places)s placements but %(hanchan)s hanchan. Correct one of them."),
    "withdrawn": _("The points of %(name)s have been withdrawn. Enter them again."),
    "not_in_league": _("%(name)s is no longer a player in this league. Choose again."),
    "entered": _("%(name)s already has points without hanchan in this session. Withdraw them first."),
    "unbalanced": _(
        "The points add up to %(total)s instead of 0. Correct them, or if they were published this way, say "
        "so in the note."
    ),
}


def session_points_sentence(code: str, values: Mapping[str, object]) -> str:
    texts = {name: points_text(value) if name == "total" else value for name, value in values.items()}  # type: ignore[arg-type]
    if isinstance(player := values.get("player"), Player):
        texts["player"] = plain_name(player)
    return str(NOT_ENTERED[code]) % texts
