"""How far a stage is, in words."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.core.state import StageState


def stage_state(state: StageState) -> str:
    return {
        StageState.WAITING: _("Waiting for its players"),
        StageState.UNDRAWN: _("Waiting for the draw"),
        StageState.READY: _("Ready to play"),
        StageState.RUNNING: _("Under way"),
        StageState.PLAYED: _("Played; waiting for approval"),
        StageState.DECIDED: _("Decided"),
    }[state]


def short_state(state: StageState) -> str:
    return {
        StageState.WAITING: pgettext("short state of a stage", "waiting"),
        StageState.UNDRAWN: pgettext("short state of a stage", "draw to come"),
        StageState.READY: pgettext("short state of a stage", "ready"),
        StageState.RUNNING: pgettext("short state of a stage", "under way"),
        StageState.PLAYED: pgettext("short state of a stage", "played"),
        StageState.DECIDED: pgettext("short state of a stage", "decided"),
    }[state]
