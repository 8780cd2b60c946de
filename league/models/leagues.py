from __future__ import annotations

import json
import re
import zoneinfo
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import connection, models
from django.db.models import Q
from django.db.models.deletion import Collector
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_KEY_LENGTH, MAX_REASON_LENGTH
from league.core.periods import Period, league_day, periods_of
from scoring.core import TIEBREAKS, Card, Ledger, RulesetError, ScoringRules, UnknownCardError, load_card, read_ruleset

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models.expressions import Combinable

    UserField = models.ForeignKey[User | Combinable | None, User | None]

A_DAY = timedelta(days=1)

KEY_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]*")


def default_tiebreak() -> list[str]:
    """Return the default order of tie-breaks."""
    return ["last_hanchan", "shared"]


def validate_time_zone(name: str) -> None:
    """Raise ValidationError unless `name` is an IANA time zone known to this system."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError(_("%(name)s is not a time zone. Enter one such as Asia/Tokyo."), params={"name": name})


def validate_tiebreak(names: object) -> None:
    """Raise ValidationError unless `names` is a list of known tie-breaks."""
    if not isinstance(names, list) or any(name not in TIEBREAKS for name in names):
        raise ValidationError(_("Unknown tie-break. Choose from: %(known)s."), params={"known": ", ".join(TIEBREAKS)})


def by_user(*, lasting: bool = False, db_index: bool = True) -> UserField:
    """Return the field for who did something: null after the account is deleted, unchanged if `lasting`."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING if lasting else models.SET_NULL,
        db_constraint=not lasting,
        db_index=db_index,
        related_name="+",
    )


class LeagueQuerySet(models.QuerySet["League"]):
    def visible_to(self, user: object) -> LeagueQuerySet:
        """Return public leagues and the user's own; a league that was taken down is visible only to its owners."""
        user_id = getattr(user, "pk", None)
        if getattr(user, "is_superuser", False):
            return self.standing()
        if not user_id:
            return self.public()
        standing = ~Q(state="taken_down") | Q(members__user=user_id, members__role="owner")
        return self.standing().filter(Q(is_public=True) | Q(members__user=user_id)).filter(standing).distinct()

    def public(self) -> LeagueQuerySet:
        return self.standing().filter(is_public=True).exclude(state="taken_down")

    def standing(self) -> LeagueQuerySet:
        """Return the leagues whose deletion has not begun; the others are not shown anywhere."""
        return self.exclude(ends_at__lte=timezone.now())


class League(models.Model):
    class State(models.TextChoices):
        ACTIVE = "active", _("Active")
        ARCHIVED = "archived", _("Archived")
        TAKEN_DOWN = "taken_down", _("Taken down")

    class Metric(models.TextChoices):
        POINTS = "points", _("Total points")
        AVERAGE_POINTS = "average_points", _("Points per hanchan")
        AVERAGE_PLACEMENT = "average_placement", _("Average placement")

    class RankingLedger(models.TextChoices):
        """Which points of a hanchan the boards add up."""

        RANKING = Ledger.RANKING.value, _("Ranking points")
        SETTLEMENT = Ledger.SETTLEMENT.value, _("Settlement")

    class EntryMode(models.TextChoices):
        """Whether the last raw score of a table is filled in or typed."""

        FAST = "fast", _("Fast: the fourth score is filled in automatically")
        STRICT = "strict", _("Strict: every score is entered")

    class ConfirmedBy(models.TextChoices):
        """Who has to confirm a result."""

        NOBODY = "none", _("No one: results count as entered")
        ONE = "one", _("One player other than the person who entered it")
        ALL = "all", _("All players at the table")
        ORGANISER = "organiser", _("An organiser")

    slug = models.SlugField(_("address"), max_length=50, unique=True)
    name = models.CharField(_("name"), max_length=100)
    name_en = models.CharField(_("name in English"), max_length=100, blank=True)
    description = models.TextField(_("description"), blank=True, max_length=2000)
    time_zone = models.CharField(_("time zone"), max_length=64, default="Asia/Tokyo", validators=[validate_time_zone])
    day_boundary = models.TimeField(
        _("day boundary"),
        default=time(6, 0),
        help_text=_("A hanchan that ends before this time counts for the previous day."),
    )
    first_month = models.PositiveSmallIntegerField(
        _("first month of the year"), default=1, validators=[MinValueValidator(1), MaxValueValidator(12)]
    )
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.ACTIVE)
    is_public = models.BooleanField(_("public"), default=True)
    minimum_month = models.PositiveSmallIntegerField(_("minimum hanchan in a month"), default=0)
    minimum_year = models.PositiveSmallIntegerField(_("minimum hanchan in a year"), default=0)
    minimum_all = models.PositiveSmallIntegerField(_("minimum hanchan of all time"), default=0)
    tiebreak = models.JSONField(_("tie-breaks"), default=default_tiebreak, validators=[validate_tiebreak])
    ledger = models.CharField(
        _("points counted in standings"), max_length=10, choices=RankingLedger, default=RankingLedger.RANKING
    )
    metric = models.CharField(_("standings are ordered by"), max_length=20, choices=Metric, default=Metric.POINTS)
    entry_mode = models.CharField(_("result entry"), max_length=10, choices=EntryMode, default=EntryMode.FAST)
    confirmed_by = models.CharField(
        _("results are confirmed by"), max_length=10, choices=ConfirmedBy, default=ConfirmedBy.NOBODY
    )
    confirmed_since = models.DateTimeField(null=True, blank=True, editable=False)
    disputed_count = models.BooleanField(_("disputed results count until they are settled"), default=True)
    unbalanced_count = models.BooleanField(
        _("results with a wrong total count once an organiser accepts them"), default=True, db_default=True
    )
    current_version = models.ForeignKey(
        "RulesetVersion",
        verbose_name=_("current rules"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    ends_at = models.DateTimeField(_("deleted on"), null=True, blank=True, editable=False)
    # Primary key of the last revision that notices were made from (accounts/services/notices.py).
    news_read = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LeagueQuerySet.as_manager()

    edition = ""
    """The league's edition, which changes with its data. Set when the league is read for a page; not stored."""

    is_clocked = True
    """Whether sessions may exist whose pages change with the time of day. Set when the league is read; not stored."""

    class Meta:
        ordering = ("name", "pk")
        verbose_name = _("league")
        verbose_name_plural = _("leagues")
        constraints = (
            models.CheckConstraint(condition=Q(first_month__range=(1, 12)), name="league_first_month_range"),
            models.CheckConstraint(
                condition=Q(state__in=("active", "archived", "taken_down")), name="league_state_known"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @cached_property
    def clocked(self) -> list[tuple[date, time | None, datetime | None]]:
        """Sessions around today with a start time or a deadline for answers: (day, start, deadline)."""
        if not self.is_clocked:
            return []
        sessions = self.sessions.filter(by_the_clock(timezone.now().date()))
        return list(sessions.values_list("date", "start_time", "answers_until"))

    @property
    def is_active(self) -> bool:
        return self.state == League.State.ACTIVE and self.ends_at is None

    def has_ended(self, now: datetime) -> bool:
        """Return whether the waiting time before the deletion is over."""
        return self.ends_at is not None and self.ends_at <= now

    def day_of(self, moment: datetime) -> date:
        return league_day(moment, self.time_zone, self.day_boundary)

    def asks_for(self, moment: datetime) -> bool:
        if self.confirmed_by == League.ConfirmedBy.NOBODY:
            return False
        return self.confirmed_since is None or moment >= self.confirmed_since

    def periods_of(self, day: date) -> tuple[Period, Period, Period]:
        return periods_of(day, self.first_month)


class FormerAddress(models.Model):
    """A former slug, which redirects to the league and cannot be used by another one."""

    slug = models.SlugField(_("address"), max_length=50, unique=True)
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="former_addresses")
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("former address")
        verbose_name_plural = _("former addresses")

    def __str__(self) -> str:
        return self.slug


def keep_an_owner(collector: Collector, field: models.Field[Any, Any], rows: Any, using: str) -> None:
    """Delete a user's memberships with the account (`on_delete`).

    Raise ProtectedError if a league would have no owner left.
    """
    owned = [row.league_id for row in rows if row.role == Membership.Role.OWNER]
    owners = Membership.objects.filter(league__in=owned, role=Membership.Role.OWNER).order_by("pk")
    if connection.in_atomic_block:
        owners = owners.select_for_update()
    leaving = {row.pk for row in rows}
    kept = {league for pk, league in owners.values_list("pk", "league_id") if pk not in leaving}
    if last := [row for row in rows if row.role == Membership.Role.OWNER and row.league_id not in kept]:
        raise models.ProtectedError(str(_("The league needs an owner. Make someone else an owner first.")), set(last))
    models.CASCADE(collector, field, rows, using)


class Membership(models.Model):
    class Role(models.TextChoices):
        """From most to fewest permissions, except that referees and scorers have different ones."""

        OWNER = "owner", _("Owner")
        ORGANISER = "organiser", _("Organiser")
        REFEREE = "referee", _("Referee")
        SCORER = "scorer", _("Scorer")
        PLAYER = "player", _("Player")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="members", verbose_name=_("league"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=keep_an_owner, related_name="leagues", verbose_name=_("user")
    )
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.PLAYER)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("league", "pk")
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = (
            models.UniqueConstraint(fields=("league", "user"), name="membership_user_once"),
            models.CheckConstraint(
                condition=Q(role__in=("owner", "organiser", "referee", "scorer", "player")),
                name="membership_role_known",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} · {self.get_role_display()}"


class LeagueOffer(models.Model):
    """An owner's offer to transfer the league to a member, deleted when accepted or withdrawn. One per league at most."""

    class Afterwards(models.TextChoices):
        ORGANISER = "organiser", _("Organiser")
        LEAVES = "leaves", _("leaves the league")

    league = models.OneToOneField(League, on_delete=models.CASCADE, related_name="offer", verbose_name=_("league"))
    to = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="offers", verbose_name=_("to"))
    by = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+", verbose_name=_("by"))
    afterwards = models.CharField(_("afterwards"), max_length=10, choices=Afterwards, default=Afterwards.ORGANISER)
    at = models.DateTimeField(_("when"), auto_now_add=True)
    ends_at = models.DateTimeField(_("ends"))

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("handover offer")
        verbose_name_plural = _("handover offers")
        constraints = (
            models.CheckConstraint(
                condition=Q(afterwards__in=("organiser", "leaves")), name="leagueoffer_afterwards_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.league} → {self.to.user}"


class Ruleset(models.Model):
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="rulesets", verbose_name=_("league"))
    key = models.CharField(
        _("key"),
        max_length=MAX_KEY_LENGTH,
        validators=[RegexValidator(KEY_PATTERN.pattern + r"\Z", _("Use a-z, 0-9 and hyphens."))],
    )
    name = models.CharField(_("name"), max_length=100)
    name_en = models.CharField(_("name in English"), max_length=100, blank=True, default="", db_default="")
    card = models.CharField(_("based on"), max_length=MAX_KEY_LENGTH, blank=True)

    class Meta:
        ordering = ("league", "key")
        verbose_name = _("rule set")
        verbose_name_plural = _("rule sets")
        constraints = (models.UniqueConstraint(fields=("league", "key"), name="ruleset_key_once"),)

    def __str__(self) -> str:
        return self.name_of_card() or (self.name if get_language() == "ja" else self.name_en or self.name)

    def name_of_card(self) -> str | None:
        """Return the card's name in the current language, unless the league has renamed the ruleset."""
        names = card.name if (card := self.of_card()) else {}
        return names.get(get_language() or "") if self.name in names.values() else None

    def of_card(self) -> Card | None:
        """Return the card on which the ruleset is based, or None."""
        try:
            return load_card(self.card) if self.card else None
        except UnknownCardError:
            return None


class RulesetVersion(models.Model):
    """A version of a ruleset, immutable once it can score games. Hanchan refer to the version that scored them."""

    ruleset = models.ForeignKey(Ruleset, on_delete=models.CASCADE, related_name="versions", verbose_name=_("rule set"))
    number = models.PositiveIntegerField(_("version"))
    parameters = models.JSONField(_("parameters"))
    note = models.CharField(_("what changed"), max_length=MAX_REASON_LENGTH, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = by_user()

    class Meta:
        ordering = ("ruleset", "number")
        verbose_name = _("rule set version")
        verbose_name_plural = _("rule set versions")
        constraints = (
            models.UniqueConstraint(fields=("ruleset", "number"), name="ruleset_version_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="ruleset_version_number_positive"),
        )

    def __str__(self) -> str:
        return f"{self.name} v{self.number}"

    @property
    def name(self) -> str:
        """The card's name if this is the first version and unchanged from it, else the ruleset's."""
        card = self.ruleset.of_card() if self.number == 1 else None
        names = card.name if card and self.readable() == card.ruleset else {}
        return names.get(get_language() or "") or str(self.ruleset)

    def read(self) -> ScoringRules:
        return _rules_of(json.dumps(self.parameters))

    def readable(self) -> ScoringRules | None:
        """Return the rules, or None if the parameters cannot be read."""
        try:
            return self.read()
        except RulesetError:
            return None


def by_the_clock(today: date) -> Q:
    """Return the condition for sessions around a day (UTC) with a start time or a deadline for answers."""
    starting = Q(date__range=(today - A_DAY, today + A_DAY), start_time__isnull=False)
    return starting | Q(date__gte=today - A_DAY, answers_until__isnull=False)


@lru_cache(maxsize=256)
def _rules_of(parameters: str) -> ScoringRules:
    """Return the rules in a JSON text; cached, because most pages of a league need the same few."""
    return read_ruleset(json.loads(parameters))
