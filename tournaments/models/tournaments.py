"""Stored facts of tournaments: entries, sessions and decisions.

Everything else is derived from these, the hanchan and the format by `tournaments.core.resolution`.
"""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.models import League, Membership, Player, RulesetVersion, Session
from league.models.leagues import KEY_PATTERN, by_user
from tournaments.core.format import Format
from tournaments.core.reading import read_format


class Tournament(models.Model):
    """A competition of a league, played by its own copy of a format.

    `stage_rules`: for stages with their own rules, the primary key of the ruleset version by stage key.
    """

    class State(models.TextChoices):
        PREPARING = "preparing", _("Entries open")
        RUNNING = "running", _("In progress")
        FINISHED = "finished", _("Finished")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="tournaments", verbose_name=_("league"))
    key = models.CharField(
        _("address"),
        max_length=60,
        validators=[RegexValidator(KEY_PATTERN.pattern + r"\Z", _("Use a-z, 0-9 and hyphens."))],
    )
    name = models.CharField(_("name"), max_length=100)
    name_en = models.CharField(_("name in English"), max_length=100, blank=True)
    format_key = models.CharField(_("format"), max_length=60)
    document = models.JSONField(_("full text of the format"))
    ruleset_version = models.ForeignKey(
        RulesetVersion, on_delete=models.PROTECT, related_name="+", verbose_name=_("rules")
    )
    stage_rules = models.JSONField(_("stage rules"), default=dict, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.PREPARING)
    note = models.TextField(_("note"), blank=True, max_length=2000)
    strict_entry = models.BooleanField(_("all scores are entered"), default=True)
    shows_chances = models.BooleanField(_("chances are shown"), default=True, db_default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    edition = ""
    """Cache key of the state and names as they were read; changes with them. Not stored."""

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("tournament")
        verbose_name_plural = _("tournaments")
        constraints = (models.UniqueConstraint(fields=("league", "key"), name="tournament_key_once"),)

    def __str__(self) -> str:
        return self.name

    @property
    def strict_sessions(self) -> bool | None:
        """Entry setting of the sessions: True if all scores must be typed, None for the league's setting."""
        return True if self.strict_entry else None

    @cached_property
    def format(self) -> Format:
        return read_format(self.format_key, self.document)

    def rules_by_stage(self) -> dict[str, RulesetVersion]:
        """Return the ruleset versions of stages with their own rules, by stage key. At most one query."""
        if not self.stage_rules:
            return {}
        versions = RulesetVersion.objects.select_related("ruleset").in_bulk(self.stage_rules.values())
        return {stage: versions[pk] for stage, pk in sorted(self.stage_rules.items())}


class Director(models.Model):
    """A league member who directs a tournament without being an organiser; deleted with the membership."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="directors")
    membership = models.ForeignKey(
        Membership, on_delete=models.CASCADE, related_name="directs", verbose_name=_("member")
    )
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("tournament", "pk")
        verbose_name = _("director")
        verbose_name_plural = _("directors")
        constraints = (models.UniqueConstraint(fields=("tournament", "membership"), name="director_membership_once"),)

    def __str__(self) -> str:
        return f"{self.membership.user} · {self.tournament}"


class Entry(models.Model):
    """A player's entry in a tournament. A substitute has a later entry and replaces another player."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries", verbose_name=_("player"))
    number = models.PositiveIntegerField(_("number"))
    seed = models.PositiveIntegerField(_("seed"), null=True, blank=True)
    is_substitute = models.BooleanField(_("substitute"), default=False)

    class Meta:
        ordering = ("tournament", "number")
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        constraints = (
            models.UniqueConstraint(fields=("tournament", "player"), name="entry_player_once"),
            models.UniqueConstraint(fields=("tournament", "number"), name="entry_number_once"),
            models.CheckConstraint(condition=Q(seed__isnull=True) | Q(seed__gte=1), name="entry_seed_positive"),
        )

    def __str__(self) -> str:
        return str(self.player)


class DecisionQuerySet(models.QuerySet["Decision"]):
    def valid(self) -> DecisionQuerySet:
        return self.filter(revoked_at__isnull=True)


class Decision(models.Model):
    """A decision, with the proposal it answers. Never changed, only revoked with a reason.

    Keys of `body` by kind, with primary keys of entries:

    draw: {"blocks": {"A": […]}, "method": "lot" | "hand" | …, "seed": 17}.

    advance: {"players": […]}, with `proposal` and the destination in `to`.

    withdrawn: {"entries": […], "substitutes": {"5": 17}}. With "disqualified": true the players also lose their rank in
    the stage. For tables under way: "short": {"5": {"remedy": "substitute" | "house" | "three" | "nobody" | "next",
    "player": 17, "seats": [{"session": 3, "round": 2, "table": 1, "players": […], "moved_to": 4}]}}, that is the replacement, the
    remaining hanchan with their original seats (sessions by primary key), and the session in which three players play
    them.

    order: {"players": […]}, best first.

    closed: {"players": […], "unranked": […]}: players with fewer hanchan than planned, and those of them without a
    rank.
    """

    class Kind(models.TextChoices):
        DRAW = "draw", _("Draw")
        ADVANCE = "advance", _("Who advances")
        WITHDRAWN = "withdrawn", _("Withdrawal")
        ORDER = "order", _("Order of tied players")
        CLOSED = "closed", _("Closed with the hanchan played")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="decisions")
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    stage = models.CharField(_("stage"), max_length=40)
    to = models.CharField(_("to"), max_length=40, blank=True)
    body = models.JSONField(_("decision made"))
    proposal = models.JSONField(_("original proposal"), default=list, blank=True)
    reason = models.CharField(_("reason"), max_length=MAX_REASON_LENGTH, blank=True)
    at = models.DateTimeField(_("when"))
    # SET_NULL would change the row when the account is deleted; `by_name` stays readable.
    by = by_user(lasting=True)
    by_name = models.CharField(_("who"), max_length=150, blank=True)
    revoked_at = models.DateTimeField(_("revoked on"), null=True, blank=True)
    revoked_by_name = models.CharField(_("revoked by"), max_length=150, blank=True)
    revoked_reason = models.CharField(_("reason for revoking"), max_length=MAX_REASON_LENGTH, blank=True)

    objects = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ("tournament", "pk")
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "stage", "to"),
                condition=Q(kind="advance", revoked_at__isnull=True),
                name="decision_one_advance_per_way",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=("draw", "advance", "withdrawn", "order", "closed")), name="decision_kind_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.stage}"

    @property
    def is_override(self) -> bool:
        players: list[int] = self.body.get("players", [])
        return self.kind == Decision.Kind.ADVANCE and set(players) != set(self.proposal)

    def entries(self) -> list[int]:
        body: dict[str, Any] = self.body
        blocks = [pk for players in body.get("blocks", {}).values() for pk in players]
        return [
            *body.get("players", []),
            *body.get("entries", []),
            *body.get("substitutes", {}).values(),
            *blocks,
            *[settled["player"] for settled in self.body.get("short", {}).values() if "player" in settled],
        ]


class StageSession(models.Model):
    """A session of the league whose hanchan count in a stage, for one block or (`block` empty) for all blocks.

    Sessions with the same number belong together: a postponed table is a session of its own.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="sessions")
    session = models.OneToOneField(Session, on_delete=models.PROTECT, related_name="stage", verbose_name=_("session"))
    stage = models.CharField(_("stage"), max_length=40)
    block = models.CharField(_("block"), max_length=40, blank=True)
    number = models.PositiveSmallIntegerField(_("number"), default=1)

    class Meta:
        ordering = ("tournament", "stage", "number", "block", "session")
        verbose_name = _("stage session")
        verbose_name_plural = _("stage sessions")
        constraints = (models.CheckConstraint(condition=Q(number__gte=1), name="stagesession_number_positive"),)

    def __str__(self) -> str:
        return f"{self.stage} {self.block} {self.number}"
