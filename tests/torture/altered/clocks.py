"""Whoever waits for minutes before something is taken for lost waits for seconds; nothing else about it changes."""

from datetime import timedelta

from league import background
from league.services import jobs
from tests.torture.altered import flags


def install() -> None:
    """Let the clocks go faster, and let the sweep of jobs be switched off."""
    background.SWEEP_EVERY = 2.0
    vars(jobs).update(LOST_AFTER=timedelta(seconds=6), SILENT_AFTER=timedelta(seconds=15))
    sweep = jobs.sweep

    def sweep_unless_off() -> None:
        if not flags.is_set(flags.RETAKE_OFF):
            sweep()

    jobs.sweep = sweep_unless_off
