"""The history chained by digests: its links, and what waits for the next one. docs/adr/0037 tells how it is read."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.core.chain import shortened
from league.models.leagues import League


class ChainLink(models.Model):
    """Facts of a league's history with their digests, chained to everything before. Rows are only ever added.

    `facts`: [[kind, number], …] in their order. `digests` and `salts`: 32 bytes for each of them.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="chain", db_index=False)
    number = models.PositiveBigIntegerField(_("number"))
    at = models.DateTimeField(_("chained at"))
    facts = models.JSONField(_("facts"), default=list)
    digests = models.BinaryField()
    salts = models.BinaryField()
    previous = models.CharField(_("link before"), max_length=64)
    hash = models.CharField(_("head"), max_length=64)

    class Meta:
        ordering = ("league", "number")
        verbose_name = _("link of the chain")
        verbose_name_plural = _("links of the chain")
        constraints = (
            # Two links at one place would be a fork.
            models.UniqueConstraint(fields=("league", "number"), name="chainlink_number_once"),
            models.UniqueConstraint(fields=("league", "hash"), name="chainlink_hash_once"),
        )

    def __str__(self) -> str:
        return f"{self.number}: {self.fingerprint}"

    @property
    def fingerprint(self) -> str:
        """The head as it is shown and noted."""
        return shortened(self.hash)


class UnchainedFact(models.Model):
    """A fact that no link holds yet. The database notes it with the fact itself, so that nothing can forget it."""

    league = models.ForeignKey(
        League, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    kind = models.CharField(max_length=12)
    fact = models.BigIntegerField()

    class Meta:
        indexes = (models.Index(fields=("league", "id"), name="unchained_league"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.fact}"
