"""Why an answer was not taken, and what is sent to a group when a session is announced."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.models import Attendance

SENTENCES = {
    "closed": gettext_lazy("This session takes no more answers. Ask the organiser."),
    "own": gettext_lazy(
        "This player has answered with their own link or account, and changes it there. Or ask the organiser."
    ),
    "gone": gettext_lazy("This player is not in the list any more. Choose somebody else."),
    "often": gettext_lazy("This was changed very often within an hour. Please try again later, or ask the organiser."),
}


def attendance_sentence(code: str) -> str:
    return str(SENTENCES[code])


def answer_mark(attendance: Attendance) -> str:
    """Return what stands behind a name where seats are planned; nothing for whoever comes in time."""
    if attendance.answer == Attendance.Answer.LATE and attendance.arrives_at is not None:
        return _("late, %(time)s") % {"time": attendance.arrives_at.strftime("%H:%M")}
    return str(MARKS.get(attendance.answer, ""))


MARKS = {
    "late": pgettext_lazy("attendance", "late"),
    "absent": pgettext_lazy("attendance", "not coming"),
}


def invitation_text(session: object, when: str, venue: str, address: str) -> str:
    """Return what an organiser sends to the group."""
    head = " · ".join(part for part in (str(session), when, venue) if part)
    question = _("Are you coming? Answer here:")
    return f"{head}\n{question}\n{address}"
