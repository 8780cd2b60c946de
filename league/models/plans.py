from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from league.core.board_lines import PLACES
from league.core.limits import MAX_PUBLIC_REASON_LENGTH
from league.models.leagues import League, by_user
from league.models.play import Session
from league.models.players import Player

EVERY_ROUND = 0
"""Round of a plan for the whole session: the table's players stay together."""


class PlannedSeat(models.Model):
    """A planned seat of a table in a round. Seat 0 is the first dealer.

    At tables of five or more, `waits` marks those who sit out first; then the players take turns.
    """

    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, related_name="planned_seats", verbose_name=_("session")
    )
    table = models.PositiveSmallIntegerField(_("table"))
    round = models.PositiveSmallIntegerField(_("round"), default=EVERY_ROUND)
    seat = models.PositiveSmallIntegerField(_("seat"))
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="planned_in", verbose_name=_("player"))
    waits = models.BooleanField(_("sits out first"), default=False)

    class Meta:
        ordering = ("session", "round", "table", "seat")
        verbose_name = _("planned seat")
        verbose_name_plural = _("planned seats")
        constraints = (
            models.UniqueConstraint(fields=("session", "table", "round", "seat"), name="planned_seat_once"),
            models.UniqueConstraint(fields=("session", "round", "player"), name="planned_seat_player_once"),
            models.CheckConstraint(condition=Q(seat__range=(0, 7)), name="planned_seat_range"),
            models.CheckConstraint(condition=Q(table__gte=1), name="planned_seat_table_positive"),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.round} / {self.table} / {self.seat}"


_NO_PLACES = Q(**{f"{place}__isnull": True for place in PLACES})
_ALL_PLACES = Q(
    **{f"{place}__isnull": False for place in PLACES},
    hanchan__isnull=False,
    hanchan=F("first") + F("second") + F("third") + F("fourth"),
)


class SessionPoints(models.Model):
    """A player's points for a session, known only as a total.

    `hanchan`: number of hanchan in the total, null if unknown. `first` … `fourth`: published counts of placements,
    which add up to `hanchan`.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, related_name="points_without_hanchan", verbose_name=_("session")
    )
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="points_without_hanchan", verbose_name=_("player")
    )
    points = models.BigIntegerField(_("points"))
    hanchan = models.PositiveSmallIntegerField(_("number of hanchan"), null=True, blank=True)
    first = models.PositiveSmallIntegerField(_("1st places"), null=True, blank=True)
    second = models.PositiveSmallIntegerField(_("2nd places"), null=True, blank=True)
    third = models.PositiveSmallIntegerField(_("3rd places"), null=True, blank=True)
    fourth = models.PositiveSmallIntegerField(_("4th places"), null=True, blank=True)
    day = models.DateField(_("league day"))
    note = models.CharField(_("note"), max_length=MAX_PUBLIC_REASON_LENGTH, blank=True)
    withdrawn = models.BooleanField(_("withdrawn"), default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = by_user()

    class Meta:
        ordering = ("session", "pk")
        verbose_name = _("points without hanchan")
        verbose_name_plural = _("points without hanchan")
        indexes = (models.Index(fields=("league", "day"), name="session_points_league_day"),)
        constraints = (
            models.UniqueConstraint(
                fields=("session", "player"), condition=Q(withdrawn=False), name="session_points_player_once"
            ),
            models.CheckConstraint(condition=~Q(hanchan=0), name="session_points_stand_for_some"),
            models.CheckConstraint(condition=_NO_PLACES | _ALL_PLACES, name="session_points_places_add_up"),
        )

    def __str__(self) -> str:
        return f"{self.player}: {self.session}"


class Adjustment(models.Model):
    """Points added to a player's total by hand, with a reason. Withdrawn if wrong, never deleted."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="adjustments", verbose_name=_("league"))
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="adjustments", verbose_name=_("player"))
    day = models.DateField(_("date"))
    points = models.BigIntegerField(_("points"))
    reason = models.CharField(_("reason"), max_length=MAX_PUBLIC_REASON_LENGTH)
    session = models.ForeignKey(
        Session,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="adjustments",
        verbose_name=_("session"),
        help_text=_("If you choose a session, the points also count in its tournament stage."),
    )
    withdrawn = models.BooleanField(_("withdrawn"), default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = by_user()

    class Meta:
        ordering = ("-day", "-pk")
        verbose_name = _("adjustment")
        verbose_name_plural = _("adjustments")
        indexes = (models.Index(fields=("league", "day"), name="adjustment_league_day"),)
        constraints = (models.CheckConstraint(condition=~Q(reason=""), name="adjustment_reason_given"),)

    def __str__(self) -> str:
        return f"{self.player}: {self.reason}"
