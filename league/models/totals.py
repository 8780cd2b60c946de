"""What sessions and versions of rules come to, kept so that no page adds it up: derived from the facts, never edited."""

from __future__ import annotations

from django.db import models

from league.models.leagues import RulesetVersion
from league.models.play import Session


class SessionTotal(models.Model):
    """What a session came to at one of its editions; with any other edition of it the row says nothing.

    `edition` is the number that `selectors.editions` counts. `seats` and
    `players` are those that count. `best`: for each ledger the highest points, in 1/1000 pt, and who has them by
    primary key; empty where nobody has any. `strays` where something that counts was played on another day than its own.
    """

    session = models.OneToOneField(
        Session, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True, related_name="+"
    )
    edition = models.BigIntegerField()
    seats = models.PositiveIntegerField()
    players = models.PositiveIntegerField()
    best = models.JSONField(default=dict)
    strays = models.BooleanField(default=False)

    class Meta:
        indexes = (models.Index(fields=("session",), condition=models.Q(strays=True), name="session_total_strays"),)

    def __str__(self) -> str:
        return f"{self.session_id}: {self.seats}"


class RuleUse(models.Model):
    """How many hanchan stand under a version of rules, as far as that was gathered up; `standing` were not taken back.

    The number is this one and what all rows of RuleUseChange add to it. Both are written by triggers of the database
    (league/models/edition_scopes.py).
    """

    ruleset_version = models.OneToOneField(
        RulesetVersion, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True, related_name="+"
    )
    hanchan = models.BigIntegerField(default=0)
    standing = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.ruleset_version_id}: {self.hanchan}"


class RuleUseChange(models.Model):
    """What one statement added to the hanchan under a version of rules, or took away."""

    ruleset_version = models.ForeignKey(
        RulesetVersion, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    hanchan = models.BigIntegerField()
    standing = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.ruleset_version_id}: {self.hanchan:+d}"
