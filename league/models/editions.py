"""How often anything of a league has changed: what its pages are kept by. docs/adr/0030 says how it is counted."""

from __future__ import annotations

from django.db import models

from league.models.leagues import League
from league.models.play import Session


class GatheredChanges(models.Model):
    """How many changes of something have been gathered up, and when the last of them was made.

    Its edition is this number and one for each change that has not been gathered. All are written by triggers of the
    database alone (league/models/edition_triggers.py), so that nothing that writes can forget them. `moved_at` is in
    microseconds since 1970: a restored backup counts on from an earlier number, at another moment. The primary key is
    that of whatever changed.
    """

    number = models.BigIntegerField(default=0)
    moved_at = models.BigIntegerField(default=0)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.pk}: {self.number}"


class Edition(GatheredChanges):
    """What has been gathered up of a league's changes; EditionRise has the others."""

    league = models.OneToOneField(
        League, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True, related_name="+"
    )


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


class SessionEdition(GatheredChanges):
    """What has been gathered up of the changes of a session and of what was played in it; SessionRise has the others."""

    session = models.OneToOneField(
        Session, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True, related_name="+"
    )


class SessionRise(models.Model):
    session = models.ForeignKey(
        Session, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    at = models.BigIntegerField()

    class Meta:
        indexes = (models.Index(fields=("session", "at"), name="session_rise_session"),)

    def __str__(self) -> str:
        return f"{self.session_id} {self.at}"
