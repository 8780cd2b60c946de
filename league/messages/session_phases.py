"""How far a session is, in a word."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from league.core.session_phases import SessionPhase

PHASES: Mapping[SessionPhase, Promise] = {
    SessionPhase.PLANNED: pgettext_lazy("session", "planned"),
    SessionPhase.TONIGHT: pgettext_lazy("session", "today"),
    SessionPhase.RUNNING: pgettext_lazy("session", "under way"),
    SessionPhase.AWAITED: pgettext_lazy("session", "results missing"),
    SessionPhase.OVER: pgettext_lazy("session", "over"),
    SessionPhase.POSTPONED: pgettext_lazy("session", "postponed"),
    SessionPhase.WITHDRAWN: pgettext_lazy("session", "withdrawn"),
}

LOUDNESS: Mapping[SessionPhase, str] = {
    SessionPhase.TONIGHT: "good",
    SessionPhase.RUNNING: "good",
    SessionPhase.AWAITED: "warn",
    SessionPhase.POSTPONED: "warn",
    SessionPhase.WITHDRAWN: "warn",
}
"""How a phase stands out from the others; what is planned or over does not."""
