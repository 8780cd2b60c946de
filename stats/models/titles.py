"""Titles that a league gives besides those that are known everywhere: facts, made by its organisers."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_KEY_LENGTH
from league.models import League
from stats.core.titles import METRICS, Better, TitleRule, TitleScope, read_minimum


class OwnTitle(models.Model):
    """A league's own title. `minimum`: a number of hanchan, or a share of the most that anybody has, such as 1/3.

    Who changed it when and why stands in the history; one that is not given any more is withdrawn.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="own_titles")
    key = models.CharField(max_length=MAX_KEY_LENGTH)
    name = models.CharField(_("name"), max_length=100)
    name_en = models.CharField(_("name in English"), max_length=100, blank=True)
    metric = models.CharField(_("given for"), max_length=20, choices=[(key, key) for key in METRICS])
    better = models.CharField(_("who wins"), max_length=4, choices=[(each.value, each.value) for each in Better])
    minimum = models.CharField(_("hanchan needed"), max_length=9, default="0")
    in_months = models.BooleanField(_("of each month"), default=True)
    in_years = models.BooleanField(_("of each year"), default=True)
    of_all_time = models.BooleanField(_("of all time"), default=True)
    withdrawn = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("title of a league")
        verbose_name_plural = _("titles of leagues")
        constraints = (models.UniqueConstraint(fields=("league", "key"), name="own_title_key_once"),)

    def __str__(self) -> str:
        return self.name

    @property
    def scopes(self) -> tuple[TitleScope, ...]:
        """In which periods it is given."""
        given = {
            TitleScope.MONTH: self.in_months,
            TitleScope.YEAR: self.in_years,
            TitleScope.ALL: self.of_all_time,
        }
        return tuple(scope for scope, is_given in given.items() if is_given)

    def read(self) -> TitleRule:
        """Return it as titles are given."""
        return TitleRule(
            key=self.key,
            name={"ja": self.name, "en": self.name_en or self.name},
            metric=self.metric,
            better=Better(self.better),
            minimum=dict.fromkeys(self.scopes, read_minimum(self.minimum)),
        )
