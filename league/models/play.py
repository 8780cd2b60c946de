from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from league.core import limits
from league.core.periods import Period
from league.models.leagues import League, RulesetVersion, by_user
from league.models.players import Player


class SessionQuerySet(models.QuerySet["Session"]):
    def kept(self) -> SessionQuerySet:
        """Return the sessions that are not withdrawn; an undone import leaves withdrawn ones."""
        return self.exclude(state=Session.State.WITHDRAWN)


class Session(models.Model):
    """A meeting on one date, with one or more tables that each play several hanchan."""

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        CLOSED = "closed", _("Closed")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="sessions", verbose_name=_("league"))
    key = models.CharField(_("key"), max_length=limits.MAX_KEY_LENGTH)
    number = models.PositiveIntegerField(_("number"))
    number_typed = models.BooleanField(_("number entered by hand"), default=False, db_default=False)
    date = models.DateField(_("date"))
    start_time = models.TimeField(_("start"), null=True, blank=True)
    title = models.CharField(_("title"), max_length=limits.MAX_TITLE_LENGTH, blank=True)
    title_en = models.CharField(
        _("title in English"), max_length=limits.MAX_TITLE_LENGTH, blank=True, default="", db_default=""
    )
    venue = models.CharField(_("venue"), max_length=limits.MAX_VENUE_LENGTH, blank=True)
    ruleset_version = models.ForeignKey(
        RulesetVersion, on_delete=models.PROTECT, related_name="sessions", verbose_name=_("rules")
    )
    tables = models.PositiveSmallIntegerField(_("planned tables"), default=1)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.OPEN)
    postponed_from = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="postponed_parts",
        verbose_name=_("postponed from"),
    )
    strict_entry = models.BooleanField(_("all scores are entered"), null=True, blank=True, default=None)
    answers_until = models.DateTimeField(_("answers accepted until"), null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering = ("-date", "-number", "-pk")
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        # Every page looks for the sessions of certain days.
        indexes = (models.Index(fields=("league", "date"), name="session_league_date"),)
        constraints = (
            models.UniqueConstraint(fields=("league", "key"), name="session_key_once"),
            # Untitled sessions are identified by number; withdrawing a session frees its number.
            models.UniqueConstraint(
                fields=("league", "number"), condition=Q(title="") & ~Q(state="withdrawn"), name="session_number_once"
            ),
            models.CheckConstraint(condition=Q(tables__gte=1), name="session_tables_positive"),
        )

    def __str__(self) -> str:
        return self.own_name or gettext("Session %(number)s") % {"number": self.number}

    @property
    def own_name(self) -> str:
        """The title in the reader's language."""
        return self.title if get_language() == "ja" or not self.title_en else self.title_en

    @property
    def is_strict(self) -> bool:
        """Whether every score has to be typed; the league's setting applies if the session has none."""
        if self.strict_entry is None:
            return self.league.entry_mode == League.EntryMode.STRICT
        return self.strict_entry


class HanchanQuerySet(models.QuerySet["Hanchan"]):
    def valid(self) -> HanchanQuerySet:
        """Return the hanchan that are not voided."""
        return self.exclude(state=Hanchan.State.VOIDED)

    def counted(self) -> HanchanQuerySet:
        """Return hanchan that count; disputed ones and accepted wrong totals only if the league lets them."""
        settled = self.valid().exclude(state=Hanchan.State.DISPUTED, league__disputed_count=False)
        return settled.exclude(as_is=True, league__unbalanced_count=False)

    def awaiting(self) -> HanchanQuerySet:
        """Return results that still need to be confirmed; closing their tournament settles them."""
        asked = self.filter(state=Hanchan.State.RECORDED).exclude(league__confirmed_by=League.ConfirmedBy.NOBODY)
        asked = asked.exclude(session__stage__tournament__state="finished")
        return asked.filter(Q(league__confirmed_since=None) | Q(played_at__gte=F("league__confirmed_since")))

    def in_period(self, period: Period) -> HanchanQuerySet:
        return self.filter(day__gte=period.start, day__lt=period.end)

    def in_order_of_play(self) -> HanchanQuerySet:
        return self.order_by("played_at", "pk")


class Hanchan(models.Model):
    """A game of mahjong at a table. Its seats contain raw scores and derived points.

    `given`: what was known of the result; with points only, seats have no raw scores. `as_is`: a wrong total was
    accepted, explained in `note` (docs/adr/0040).
    """

    class State(models.TextChoices):
        RECORDED = "recorded", _("Recorded")
        CONFIRMED = "confirmed", _("Confirmed")
        DISPUTED = "disputed", _("Disputed")
        VOIDED = "voided", _("Voided")

    class Given(models.TextChoices):
        """What was known of the result."""

        RAW = "raw", _("Raw scores")
        WORKED_OUT = "worked_out", _("Raw scores derived from points")
        POINTS = "points", _("Points only")

    class EndReason(models.TextChoices):
        NORMAL = "", _("After the last hand")
        BUST = "bust", _("Bust")
        AGARI_YAME = "agari_yame", _("Agari-yame: the dealer stopped after a win")
        TENPAI_YAME = "tenpai_yame", _("Tenpai-yame: the dealer stopped after a draw")
        COLD = "cold", _("Early end at a score limit")
        EXTENSION = "extension", _("Ended in the extension")
        RIICHI_BUST = "riichi_bust", _("Riichi without enough points")
        CHOMBO = "chombo", _("Chombo")
        TIME = "time", _("Time")

    # No separate index for a column that another index begins with (docs/adr/0028).
    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="hanchan", db_index=False, verbose_name=_("league")
    )
    session = models.ForeignKey(
        Session, on_delete=models.PROTECT, related_name="hanchan", db_index=False, verbose_name=_("session")
    )
    key = models.CharField(_("key"), max_length=limits.MAX_KEY_LENGTH)
    client_key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    table = models.PositiveSmallIntegerField(_("table"))
    round = models.PositiveSmallIntegerField(_("round"))
    played_at = models.DateTimeField(_("played at"))
    day = models.DateField(_("league day"), editable=False)
    ruleset_version = models.ForeignKey(
        RulesetVersion, on_delete=models.PROTECT, related_name="hanchan", db_index=False, verbose_name=_("rules")
    )
    end_reason = models.CharField(
        _("how it ended"), max_length=20, choices=EndReason, default=EndReason.NORMAL, blank=True
    )
    sticks_left = models.PositiveSmallIntegerField(_("leftover riichi sticks"), default=0)
    note = models.CharField(_("note"), max_length=limits.MAX_NOTE_LENGTH, blank=True)
    given = models.CharField(
        _("what is known"), max_length=10, choices=Given, default=Given.RAW, db_default=Given.RAW.value
    )
    as_is = models.BooleanField(_("wrong total accepted"), default=False, db_default=False)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.RECORDED)
    version = models.PositiveIntegerField(_("revision"), default=1)
    recorded_at = models.DateTimeField(auto_now_add=True)
    recorded_by = by_user(db_index=False)
    recorded_through = models.ForeignKey(
        "TableLink",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="hanchan",
        editable=False,
        db_index=False,
    )
    device = models.CharField(_("device"), max_length=40, blank=True, editable=False)

    objects = HanchanQuerySet.as_manager()

    class Meta:
        ordering = ("-played_at", "-pk")
        verbose_name = _("hanchan")
        verbose_name_plural = _("hanchan")
        constraints = (
            models.UniqueConstraint(fields=("league", "key"), name="hanchan_key_once"),
            models.CheckConstraint(condition=Q(table__gte=1), name="hanchan_table_positive"),
            models.CheckConstraint(condition=Q(round__gte=1), name="hanchan_round_positive"),
            models.CheckConstraint(condition=Q(version__gte=1), name="hanchan_version_positive"),
            models.CheckConstraint(
                condition=Q(state__in=("recorded", "confirmed", "disputed", "voided")), name="hanchan_state_known"
            ),
            models.CheckConstraint(condition=Q(given__in=("raw", "worked_out", "points")), name="hanchan_given_known"),
            models.CheckConstraint(condition=~Q(given="points") | Q(sticks_left=0), name="hanchan_points_alone"),
            models.CheckConstraint(condition=Q(as_is=False) | ~Q(note=""), name="hanchan_as_is_explained"),
        )
        indexes = (
            models.Index(fields=("league", "day"), name="hanchan_league_day"),
            models.Index(fields=("ruleset_version", "day"), name="hanchan_version_day"),
            models.Index(fields=("session", "table", "round"), name="hanchan_session_table"),
            # Partial, as few hanchan are known only by points; a rescoring leaves them out.
            models.Index(fields=("ruleset_version",), name="hanchan_by_points", condition=Q(given="points")),
            # Partial, as one of these two columns is null in every row.
            models.Index(fields=("recorded_by",), name="hanchan_recorded_by", condition=Q(recorded_by__isnull=False)),
            models.Index(
                fields=("recorded_through",),
                name="hanchan_recorded_through",
                condition=Q(recorded_through__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.round} / {self.table}"

    @property
    def edition_scope(self) -> int:
        """The session, as a change of this row changes only that session's pages."""
        return self.session_id

    @property
    def is_voided(self) -> bool:
        return self.state == Hanchan.State.VOIDED

    @property
    def is_disputed(self) -> bool:
        return self.state == Hanchan.State.DISPUTED

    @property
    def is_awaiting(self) -> bool:
        """Whether the result still needs to be confirmed."""
        return self.state == Hanchan.State.RECORDED and self.league.asks_for(self.played_at)

    @property
    def counts(self) -> bool:
        """Whether the points count; for disputed results and accepted wrong totals the league's settings decide."""
        if self.is_voided or (self.is_disputed and not self.league.disputed_count):
            return False
        return self.league.unbalanced_count or not self.as_is

    @property
    def has_raw_scores(self) -> bool:
        return self.given != Hanchan.Given.POINTS


class SeatQuerySet(models.QuerySet["Seat"]):
    def valid(self) -> SeatQuerySet:
        """Return the seats of hanchan that are not voided."""
        return self.exclude(hanchan__state=Hanchan.State.VOIDED)

    def counted(self) -> SeatQuerySet:
        return self.filter(counted=True)

    def in_period(self, period: Period) -> SeatQuerySet:
        return self.filter(day__gte=period.start, day__lt=period.end)


class Seat(models.Model):
    """A player's seat in a hanchan. Seat 0 is the first dealer.

    The raw score and incidents are facts; all points (in 1/1000 pt) are derived from them by the version of the rules.
    Without a raw score the points are the fact, stored in `base` as well. `league`, `day`, `played_at` and `counted`
    are copied from the hanchan, so that boards can be summed from this table alone.
    """

    # No separate index for a column that another index begins with (docs/adr/0028).
    hanchan = models.ForeignKey(
        Hanchan, on_delete=models.CASCADE, related_name="seats", db_index=False, verbose_name=_("hanchan")
    )
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", db_index=False)
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="seats", db_index=False, verbose_name=_("player")
    )
    seat = models.PositiveSmallIntegerField(_("seat"))
    raw_score = models.IntegerField(_("raw score"), null=True)
    chips = models.IntegerField(_("chips"), default=0)
    deposits = models.PositiveSmallIntegerField(_("own riichi sticks on the table"), default=0)
    day = models.DateField(_("league day"))
    played_at = models.DateTimeField(_("played at"))
    counted = models.BooleanField(_("counts"), default=True)
    placement = models.PositiveSmallIntegerField(_("placement"))
    sharing = models.PositiveSmallIntegerField(_("players with this placement"), default=1)
    is_bust = models.BooleanField(_("bust"), default=False)
    points = models.BigIntegerField(_("ranking points"))
    settlement = models.BigIntegerField(_("settlement"))
    base = models.BigIntegerField(_("base"), default=0)
    oka = models.BigIntegerField(_("oka"), default=0)
    uma = models.BigIntegerField(_("uma"), default=0)
    bust = models.BigIntegerField(_("bust prize"), default=0)
    chip_points = models.BigIntegerField(_("chip points"), default=0)
    other = models.BigIntegerField(_("fees and penalties"), default=0)
    chombo = models.PositiveSmallIntegerField(_("chombo"), default=0)
    total_only = models.BigIntegerField(_("on the total"), default=0)

    objects = SeatQuerySet.as_manager()

    class Meta:
        ordering = ("hanchan", "seat")
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        constraints = (
            models.UniqueConstraint(fields=("hanchan", "seat"), name="seat_taken_once"),
            models.UniqueConstraint(fields=("hanchan", "player"), name="seat_player_once"),
            models.CheckConstraint(condition=Q(seat__range=(0, 3)), name="seat_number_range"),
            models.CheckConstraint(condition=Q(placement__range=(1, 4)), name="seat_placement_range"),
            models.CheckConstraint(condition=Q(sharing__range=(1, 4)), name="seat_sharing_range"),
            models.CheckConstraint(
                condition=Q(points=F("base") + F("oka") + F("uma") + F("bust") + F("chip_points") + F("other")),
                name="seat_parts_add_up",
            ),
            models.CheckConstraint(
                condition=Q(raw_score__isnull=False)
                | Q(points=F("base"), oka=0, uma=0, bust=0, chip_points=0, other=0, total_only=0)
                & Q(chips=0, deposits=0, chombo=0, is_bust=False),
                name="seat_points_alone",
            ),
        )
        indexes = (
            # Without points, so that a rescoring does not have to update indexes.
            models.Index(fields=("league", "day", "counted"), name="seat_league_day_counted"),
            models.Index(fields=("player", "-played_at"), name="seat_player_played"),
        )

    def __str__(self) -> str:
        return f"{self.player}: {self.raw_score}"


class Incident(models.Model):
    """An event of a hanchan that raw scores do not show: a bust and its cause, a chombo, a yakuman."""

    class Kind(models.TextChoices):
        BUST = "bust", _("Bust")
        CHOMBO = "chombo", _("Chombo")
        PENALTY = "penalty", _("Penalty")
        YAKUMAN = "yakuman", _("Yakuman")

    hanchan = models.ForeignKey(Hanchan, on_delete=models.CASCADE, related_name="incidents", verbose_name=_("hanchan"))
    seat = models.PositiveSmallIntegerField(_("seat"))
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    detail = models.JSONField(_("detail"), default=dict, blank=True)
    note = models.CharField(_("note"), max_length=limits.MAX_YAKUMAN_LENGTH, blank=True)

    class Meta:
        ordering = ("hanchan", "pk")
        verbose_name = _("incident")
        verbose_name_plural = _("incidents")
        constraints = (
            models.CheckConstraint(condition=Q(seat__range=(0, 3)), name="incident_seat_range"),
            models.UniqueConstraint(
                fields=("hanchan", "seat"), condition=Q(kind="bust"), name="incident_one_bust_per_seat"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.seat}"
