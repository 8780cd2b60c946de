"""Where the leagues of a site with several databases live, and under which addresses they are found."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.databases import HOME


class DatabaseNumber(models.Model):
    """The number of a database among those of a site: from it follows which primary keys rows get that begin there."""

    of_the_site = True

    name = models.CharField(_("database"), max_length=40, unique=True)
    number = models.PositiveIntegerField(unique=True)

    def __str__(self) -> str:
        return f"{self.number}: {self.name}"


class LeagueAddress(models.Model):
    """An address of a league that lives in another database than the home one, be it the present one or a former."""

    of_the_site = True

    slug = models.SlugField(_("address"), max_length=50, unique=True)
    league_number = models.BigIntegerField(db_index=True)
    database = models.CharField(_("database"), max_length=40)

    class Meta:
        verbose_name = _("address in another database")
        verbose_name_plural = _("addresses in other databases")

    def __str__(self) -> str:
        return f"{self.slug}: {self.database}"


class AwayLeague(models.Model):
    """A league that has left this database. What is left of it here counts for nothing and is taken away."""

    league_id = models.BigIntegerField(unique=True)
    database = models.CharField(_("lives in"), max_length=40)
    at = models.DateTimeField(_("since"), auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.league_id}: {self.database}"


class LeagueMove(models.Model):
    """A league's way from one database to another, as it was gone. `counts`: how many rows of each table.

    `left_by`: the transaction with which it left the one, as rows there know it.
    """

    of_the_site = True

    class State(models.TextChoices):
        """How far it is."""

        COPYING = "copying", _("Being copied")
        SWITCHED = "switched", _("Lives there; what is left is taken away")
        DONE = "done", _("Done")

    league_number = models.BigIntegerField(db_index=True)
    slug = models.CharField(_("address"), max_length=50)
    source = models.CharField(_("from"), max_length=40, default=HOME)
    target = models.CharField(_("to"), max_length=40)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.COPYING)
    counts = models.JSONField(default=dict)
    left_by = models.CharField(max_length=20, blank=True)
    begun_at = models.DateTimeField(_("begun"), auto_now_add=True)
    switched_at = models.DateTimeField(null=True)
    still = models.PositiveIntegerField(_("milliseconds in which nobody could write"), default=0)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("move of a league")
        verbose_name_plural = _("moves of leagues")

    def __str__(self) -> str:
        return f"{self.slug}: {self.source} → {self.target}"
