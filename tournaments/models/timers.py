"""The timer of a round, and what single tables were given on top."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.models import Session
from tournaments.core.round_clock import RoundClock
from tournaments.models.tournaments import Tournament

MOST_MINUTES = 300
MOST_EXTRA_MINUTES = 60


class RoundTimer(models.Model):
    """The timer of a tournament: moments of the server, from which every page works out what is left.

    `length` in seconds; `used` in 1/1000 seconds, what had gone by when it was last started.
    """

    is_only_of_hall = True

    tournament = models.OneToOneField(
        Tournament, on_delete=models.CASCADE, primary_key=True, related_name="timer", verbose_name=_("tournament")
    )
    length = models.PositiveIntegerField(_("length"))
    used = models.PositiveIntegerField(_("gone by"), default=0)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)

    class Meta:
        verbose_name = _("timer")
        verbose_name_plural = _("timers")
        constraints = (models.CheckConstraint(condition=Q(length__gte=1), name="roundtimer_length_positive"),)

    def __str__(self) -> str:
        return f"{self.tournament}: {self.length // 60}"

    @property
    def clock(self) -> RoundClock:
        return RoundClock(timedelta(seconds=self.length), timedelta(milliseconds=self.used), self.started_at)


class TableTime(models.Model):
    """What a table was given on top of the timer that is set, in seconds; it goes when the timer is set anew."""

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="table_times", verbose_name=_("tournament")
    )
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+", verbose_name=_("session"))
    table = models.PositiveSmallIntegerField(_("table"))
    seconds = models.PositiveIntegerField(_("seconds"))

    class Meta:
        ordering = ("tournament", "session", "table")
        verbose_name = _("extra time of a table")
        verbose_name_plural = _("extra times of tables")
        constraints = (models.UniqueConstraint(fields=("tournament", "session", "table"), name="tabletime_table_once"),)

    def __str__(self) -> str:
        return f"{self.session} / {self.table}: {self.seconds // 60}"
