"""How often anything of a league has changed: what its pages are kept by. docs/adr/0030 says how it is counted."""

from __future__ import annotations

from django.db import models

from league.models.leagues import League
from league.models.play import Session


class Edition(models.Model):
    """How many changes of a league have been gathered up, and when the last of them was made.

    The edition of a league is this number and one for each row of EditionRise. Both are written by triggers of the
    database alone (league/models/edition_triggers.py), so that nothing that writes can forget them. `moved_at` is in
    microseconds since 1970: a restored backup counts on from an earlier number, at another moment.
    """

    league = models.OneToOneField(
        League, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True, related_name="+"
    )
    number = models.BigIntegerField(default=0)
    moved_at = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.league_id}: {self.number}"


class EditionRise(models.Model):
    """One change of a league that has not been gathered up: only ever added, so that no writer waits for another."""

    league = models.ForeignKey(
        League, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    at = models.BigIntegerField()

    class Meta:
        indexes = (models.Index(fields=("league", "at"), name="edition_rise_league"),)

    def __str__(self) -> str:
        return f"{self.league_id} {self.at}"


class SessionEdition(models.Model):
    """How many changes of a session and of what was played in it have been gathered up; counted as a league's are."""

    session = models.OneToOneField(
        Session, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True, related_name="+"
    )
    number = models.BigIntegerField(default=0)
    moved_at = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.session_id}: {self.number}"


class SessionRise(models.Model):
    """One change of a session that has not been gathered up."""

    session = models.ForeignKey(
        Session, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    at = models.BigIntegerField()

    class Meta:
        indexes = (models.Index(fields=("session", "at"), name="session_rise_session"),)

    def __str__(self) -> str:
        return f"{self.session_id} {self.at}"
