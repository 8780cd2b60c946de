"""The hall: hall display, round timer, ready tables, calls for a referee."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.models import League, Session
from league.models.editions import HALL
from league.models.leagues import by_user
from tournaments.core.calendar import RoundClock
from tournaments.core.ticking import Situation, every_hand
from tournaments.models.tournaments import Tournament

MAX_MESSAGE_LENGTH = 80
MOST_MINUTES = 300
MOST_EXTRA_MINUTES = 60


class HallDisplay(models.Model):
    """The state of a hall, one row per tournament, with history. Without a row all views rotate.

    `length` of the timer in seconds, 0 if there is none; `used`: milliseconds elapsed at the last start. `extra`:
    [session, table, seconds] of extra time; `ready`: [session, round, table] of tables that are ready.
    """

    edition_scope = HALL

    class Scene(models.TextChoices):
        TURNS = "turns", pgettext_lazy("wall", "Rotating")
        STANDINGS = "standings", pgettext_lazy("wall", "Standings")
        TABLES = "tables", pgettext_lazy("wall", "Table by table")
        CONDITIONS = "conditions", pgettext_lazy("wall", "What is needed")
        SEATING = "seating", pgettext_lazy("wall", "Seats")
        BRACKET = "bracket", pgettext_lazy("wall", "Bracket")
        TIMER = "timer", pgettext_lazy("wall", "Timer")
        CHAMPION = "champion", pgettext_lazy("wall", "Champion")

    class Language(models.TextChoices):
        """Language of the hall display; `AS_OPENED`: the language of the URL."""

        AS_OPENED = "", pgettext_lazy("wall", "as on the page that was opened")
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
    used = models.PositiveIntegerField(_("elapsed"), default=0)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    extra = models.JSONField(_("extra time of tables"), default=list, blank=True)
    ready = models.JSONField(_("ready tables"), default=list, blank=True)

    class Meta:
        verbose_name = _("hall display")
        verbose_name_plural = _("hall displays")

    def __str__(self) -> str:
        return f"{self.tournament}: {self.get_scene_display()}"

    @property
    def clock(self) -> RoundClock | None:
        if not self.length:
            return None
        return RoundClock(timedelta(seconds=self.length), timedelta(milliseconds=self.used), self.started_at)


class TableCall(models.Model):
    """A table's call for a referee, open until marked as done."""

    edition_scope = HALL

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="calls", verbose_name=_("tournament")
    )
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+", verbose_name=_("session"))
    table = models.PositiveSmallIntegerField(_("table"))
    called_at = models.DateTimeField(_("called at"))
    coming_at = models.DateTimeField(_("replied at"), null=True, blank=True)
    coming_name = models.CharField(_("referee on the way"), max_length=150, blank=True)
    done_at = models.DateTimeField(_("done at"), null=True, blank=True)
    done_name = models.CharField(_("handled by"), max_length=150, blank=True)

    class Meta:
        ordering = ("tournament", "called_at", "pk")
        verbose_name = _("referee call")
        verbose_name_plural = _("referee calls")
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "session", "table"), condition=Q(done_at=None), name="tablecall_one_open"
            ),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.table}"


HANDS = tuple((name, name) for name in every_hand())


class Tick(models.Model):
    """A table at one moment of a hanchan, or (`takes_back`) the withdrawal of an earlier tick. Never changed.

    `number`: hands played so far, so a riichi has the number of the hand before it. `seats`: primary keys, first dealer
    first; `scores` (raw) and `riichi` by seat. `hand`, `honba`, `sticks`: of the next hand. The table's state follows
    from all ticks in any order of arrival (tournaments/core/ticking.py). `at`: the phone's time.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", verbose_name=_("league"))
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="ticks", verbose_name=_("session"))
    table = models.PositiveSmallIntegerField(_("table"))
    round = models.PositiveSmallIntegerField(_("round"))
    number = models.PositiveSmallIntegerField(_("hands played"))
    seats = models.JSONField(_("seats"), default=list)
    scores = models.JSONField(_("raw scores"), default=list)
    hand = models.CharField(pgettext_lazy("of a hanchan", "hand"), max_length=2, blank=True, choices=HANDS)
    honba = models.PositiveSmallIntegerField(_("honba"), default=0)
    sticks = models.PositiveSmallIntegerField(_("sticks on the table"), default=0)
    riichi = models.JSONField(_("riichi"), default=list)
    takes_back = models.UUIDField(_("undoes"), null=True, blank=True)
    client_key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    at = models.DateTimeField(_("when"))
    # The row must not change, even when the account is deleted.
    by = by_user(lasting=True)

    class Meta:
        ordering = ("session", "table", "round", "pk")
        verbose_name = _("tick")
        verbose_name_plural = _("ticks")
        indexes = (models.Index(fields=("session", "table", "round"), name="tick_session_table"),)
        constraints = (
            models.CheckConstraint(condition=Q(table__gte=1) & Q(round__gte=1), name="tick_place_positive"),
            models.CheckConstraint(condition=Q(takes_back=None) | Q(hand=""), name="tick_says_one_thing"),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.round} / {self.table} / {self.number}"

    @property
    def situation(self) -> Situation | None:
        if self.takes_back is not None:
            return None
        return Situation(tuple(self.scores), self.hand, self.honba, self.sticks, tuple(self.riichi))
