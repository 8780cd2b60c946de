"""The points ticker: what somebody at a table typed after each hand, fact after fact."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.models import League, Session
from tournaments.core.ticking import every_hand

HANDS = tuple((name, name) for name in every_hand())


class Tick(models.Model):
    """How a table stood at one moment of a hanchan, or (with `takes_back`) that an earlier tick was a slip.

    `number` hands had been played then, so that a riichi of the hand under way has the number of the hand before. `seats`:
    primary keys of players, first dealer first; `scores` raw and `riichi` by seat, as they lie on the table. `hand`,
    `honba` and `sticks` are those of the hand that is played next. Whatever stands follows from all ticks of a hanchan,
    in any order of arrival (tournaments/core/ticking.py); none is ever changed. `at`: when it was typed, by the phone.
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
    takes_back = models.UUIDField(_("takes back"), null=True, blank=True)
    client_key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    at = models.DateTimeField(_("when"))
    # Nothing of the row may change, not even when the account goes.
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )

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
