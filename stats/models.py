"""Derived figures of players, which are never edited, and a league's own titles."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_KEY_LENGTH
from league.models import Hanchan, League, Player
from stats.core.ratings.replay import State
from stats.core.titles import METRICS, Better, TitleRule, TitleScope, read_minimum


class KeptSums(models.Model):
    """Sums of a completed month or year: a player's Career as JSON (stats.core.careers).

    Rows without a player hold LeagueRecords (stats.core.league_records); years have only these. Invalid while the
    period's board is stale or newer (`Board.followed`).
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", db_index=False)
    period = models.CharField(max_length=7)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, related_name="+")
    sums = models.JSONField()

    class Meta:
        verbose_name = _("stored totals")
        verbose_name_plural = _("stored totals")
        constraints = (
            models.UniqueConstraint(fields=("league", "period", "player"), name="kept_sums_once"),
            models.UniqueConstraint(
                fields=("league", "period"), condition=models.Q(player=None), name="kept_sums_of_league_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.league_id} {self.period} {self.player_id}"


class Award(models.Model):
    """A player's title in a completed month or year, shared if tied. `key`: key of the title.

    With the key EVENINGS: the `count` of sessions won in a month.
    """

    EVENINGS = "evenings"

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", db_index=False)
    period = models.CharField(max_length=7)
    key = models.CharField(max_length=40)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="awards")
    count = models.PositiveIntegerField(default=1)

    class Meta:
        verbose_name = _("award")
        verbose_name_plural = _("awards")
        constraints = (models.UniqueConstraint(fields=("league", "period", "key", "player"), name="award_once"),)

    def __str__(self) -> str:
        return f"{self.period} {self.key} {self.player_id}"


class RatingState(models.Model):
    """How well both ratings predicted a league's hanchan; its row is also the lock for replays.

    Per rating: the number of predictions (`judged`), the sum of their gains over chance, and of the squared gains.
    """

    league = models.OneToOneField(League, on_delete=models.CASCADE, primary_key=True, related_name="+")
    judged = models.BigIntegerField(default=0)
    tenhou_gain = models.BigIntegerField(default=0)
    tenhou_squares = models.BigIntegerField(default=0)
    skill_gain = models.BigIntegerField(default=0)
    skill_squares = models.BigIntegerField(default=0)

    class Meta:
        verbose_name = _("rating progress")
        verbose_name_plural = _("rating progress")

    def __str__(self) -> str:
        return f"{self.league_id} {self.judged}"


class RatedHanchan(models.Model):
    """A rated hanchan. `seats`: a RatedSeat of stats.core.ratings.replay per player, from first to last placement.

    The gains are those of both predictions over chance; None with shared placements.
    """

    hanchan = models.OneToOneField(Hanchan, on_delete=models.CASCADE, primary_key=True, related_name="rated")
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", db_index=False)
    played_at = models.DateTimeField()
    day = models.DateField()
    seats = models.JSONField()
    tenhou_gain = models.BigIntegerField(null=True)
    skill_gain = models.BigIntegerField(null=True)

    class Meta:
        indexes = (models.Index(fields=("league", "played_at"), name="rated_hanchan_played"),)

    def __str__(self) -> str:
        return f"{self.league_id} {self.hanchan_id}"


class PlayerRating(models.Model):
    """A player's ratings in 1/1000: Tenhou's R, and the displayed skill with its `mu` and `sigma`.

    `met`: number of opponents; `opponents_sum`: sum of their R at the time. `day`: last day of play; `…_change`: change
    on that day.
    """

    player = models.OneToOneField(Player, on_delete=models.CASCADE, primary_key=True, related_name="+")
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    hanchan = models.PositiveIntegerField()
    tenhou = models.IntegerField()
    skill = models.IntegerField()
    mu = models.FloatField()
    sigma = models.FloatField()
    opponents_sum = models.BigIntegerField()
    met = models.PositiveIntegerField()
    day = models.DateField()
    tenhou_change = models.IntegerField()
    skill_change = models.IntegerField()

    class Meta:
        verbose_name = _("player rating")
        verbose_name_plural = _("player ratings")

    def __str__(self) -> str:
        return f"{self.player_id}: {self.tenhou}"

    @property
    def opponents(self) -> int:
        """The mean R of all opponents at the time; 0 without any."""
        return (2 * self.opponents_sum + self.met) // (2 * self.met) if self.met else 0

    @property
    def state(self) -> State:
        before = self.tenhou - self.tenhou_change, self.skill - self.skill_change
        standing = self.hanchan, self.tenhou, self.mu, self.sigma, self.opponents_sum, self.met
        return State(*standing, *before, self.day)


class OwnTitle(models.Model):
    """A league's own title. `minimum`: a number of hanchan, or a share of the highest number, such as 1/3.

    Changes are in the history; a title that is no longer awarded is withdrawn, not deleted.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="own_titles")
    key = models.CharField(max_length=MAX_KEY_LENGTH)
    name = models.CharField(_("name"), max_length=100)
    name_en = models.CharField(_("name in English"), max_length=100, blank=True)
    metric = models.CharField(_("statistic"), max_length=20, choices=[(key, key) for key in METRICS])
    better = models.CharField(_("winner"), max_length=4, choices=[(each.value, each.value) for each in Better])
    minimum = models.CharField(_("minimum hanchan"), max_length=9, default="0")
    in_months = models.BooleanField(_("monthly"), default=True)
    in_years = models.BooleanField(_("yearly"), default=True)
    of_all_time = models.BooleanField(_("of all time"), default=True)
    withdrawn = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = _("league title")
        verbose_name_plural = _("league titles")
        constraints = (models.UniqueConstraint(fields=("league", "key"), name="own_title_key_once"),)

    def __str__(self) -> str:
        return self.name

    @property
    def scopes(self) -> tuple[TitleScope, ...]:
        given = {TitleScope.MONTH: self.in_months, TitleScope.YEAR: self.in_years, TitleScope.ALL: self.of_all_time}
        return tuple(scope for scope, is_given in given.items() if is_given)

    def read(self) -> TitleRule:
        return TitleRule(
            key=self.key,
            name={"ja": self.name, "en": self.name_en or self.name},
            metric=self.metric,
            better=Better(self.better),
            minimum=dict.fromkeys(self.scopes, read_minimum(self.minimum)),
        )
