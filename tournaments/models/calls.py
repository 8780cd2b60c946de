"""What tables and directors call to each other: "referee, please" and "your table is ready"."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.models import Session
from tournaments.models.tournaments import Tournament


class TableCall(models.Model):
    """A table that asks for a referee; open until somebody says that it is done."""

    is_only_of_hall = True

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


class ReadyTable(models.Model):
    is_only_of_hall = True

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="ready_tables", verbose_name=_("tournament")
    )
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+", verbose_name=_("session"))
    round = models.PositiveSmallIntegerField(_("round"))
    table = models.PositiveSmallIntegerField(_("table"))
    at = models.DateTimeField(_("ready since"))

    class Meta:
        ordering = ("tournament", "session", "round", "table")
        verbose_name = _("table that is ready")
        verbose_name_plural = _("tables that are ready")
        constraints = (
            models.UniqueConstraint(fields=("tournament", "session", "round", "table"), name="readytable_once"),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.table}"
