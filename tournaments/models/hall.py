"""What a hall sees and hears: what the wall shows, the timer of the round, tables that are ready, calls for a referee."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.models import Session
from league.models.editions import HALL
from tournaments.core.calendar import RoundClock
from tournaments.models.tournaments import Tournament

MAX_MESSAGE_LENGTH = 80
MOST_MINUTES = 300
MOST_EXTRA_MINUTES = 60


class HallDisplay(models.Model):
    """What the hall of a tournament is shown: one row, which the history follows. Without a row everything takes turns.

    `length` of the timer in seconds, 0 where none is set; `used` in 1/1000 seconds, what had gone by when it was last
    started: moments of the server, from which every page works out what is left. `extra`: [session, table, seconds] of
    tables that were given more time since it was set; `ready`: [session, round, table] at which people may sit down.
    """

    edition_scope = HALL

    class Scene(models.TextChoices):
        TURNS = "turns", pgettext_lazy("wall", "In turn")
        STANDINGS = "standings", pgettext_lazy("wall", "Standings")
        TABLES = "tables", pgettext_lazy("wall", "Table by table")
        CONDITIONS = "conditions", pgettext_lazy("wall", "What is needed")
        SEATING = "seating", pgettext_lazy("wall", "Who sits where")
        BRACKET = "bracket", pgettext_lazy("wall", "Bracket")
        TIMER = "timer", pgettext_lazy("wall", "Timer")
        CHAMPION = "champion", pgettext_lazy("wall", "Champion")

    class Language(models.TextChoices):
        """In which language; `AS_OPENED`: that of the address."""

        AS_OPENED = "", pgettext_lazy("wall", "as it was opened")
        JA = "ja", "日本語"
        EN = "en", "English"

    tournament = models.OneToOneField(
        Tournament, on_delete=models.CASCADE, primary_key=True, related_name="+", verbose_name=_("tournament")
    )
    scene = models.CharField(pgettext_lazy("wall", "scene"), max_length=12, choices=Scene, default=Scene.TURNS)
    message = models.CharField(pgettext_lazy("wall", "message"), max_length=MAX_MESSAGE_LENGTH, blank=True)
    language = models.CharField(
        pgettext_lazy("wall", "language"), max_length=2, choices=Language, blank=True, default=Language.AS_OPENED
    )
    length = models.PositiveIntegerField(_("length"), default=0)
    used = models.PositiveIntegerField(_("gone by"), default=0)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    extra = models.JSONField(_("extra times of tables"), default=list, blank=True)
    ready = models.JSONField(_("tables that are ready"), default=list, blank=True)

    class Meta:
        verbose_name = _("what the wall shows")
        verbose_name_plural = _("what walls show")

    def __str__(self) -> str:
        return f"{self.tournament}: {self.get_scene_display()}"

    @property
    def clock(self) -> RoundClock | None:
        if not self.length:
            return None
        return RoundClock(timedelta(seconds=self.length), timedelta(milliseconds=self.used), self.started_at)


class TableCall(models.Model):
    """A table that asks for a referee; open until somebody says that it is done."""

    edition_scope = HALL

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="calls", verbose_name=_("tournament")
    )
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+", verbose_name=_("session"))
    table = models.PositiveSmallIntegerField(_("table"))
    called_at = models.DateTimeField(_("called at"))
    coming_at = models.DateTimeField(_("coming since"), null=True, blank=True)
    coming_name = models.CharField(_("who comes"), max_length=150, blank=True)
    done_at = models.DateTimeField(_("done at"), null=True, blank=True)
    done_name = models.CharField(_("who was there"), max_length=150, blank=True)

    class Meta:
        ordering = ("tournament", "called_at", "pk")
        verbose_name = _("call for a referee")
        verbose_name_plural = _("calls for a referee")
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "session", "table"), condition=Q(done_at=None), name="tablecall_one_open"
            ),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.table}"
