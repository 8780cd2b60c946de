"""Texts that were lawfully taken out of the history."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.models.leagues import League
from league.models.signed import Signed


class Redaction(Signed):
    """That texts of one fact of the history were replaced: which fact, who did it, when and why. Rows are only added.

    `texts`: {path: digest} of the texts as they were chained. `digest`: of the fact as it has stood since, with the salt
    that its link has held since. `closed_at` is set in the transaction that stored the row; from then on the fact is
    guarded as before. docs/adr/0048.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="redactions", db_index=False)
    kind = models.CharField(max_length=12)
    fact = models.BigIntegerField()
    texts = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("redaction")
        verbose_name_plural = _("redactions")
        indexes = (
            models.Index(fields=("league", "kind", "fact"), name="redaction_fact"),
            models.Index(fields=("kind", "fact"), condition=models.Q(closed_at=None), name="redaction_open"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.fact}"
