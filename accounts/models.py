from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.core.limits import MAX_CLAIM_LENGTH, MAX_LABEL_LENGTH
from league.core.limits import MAX_NAME_LENGTH, MAX_REASON_LENGTH
from league.models import League, Membership, Player, Session
from league.models.leagues import by_user
from league.models.secret_links import SecretLink


class Preferences(models.Model):
    """A user's settings. Empty values mean the default: language by URL, signs and colours by language and device.

    `former_names`: previous user names with the time of the change, [[name, ISO time]]. `unwanted`: kinds of notices
    switched off. `muted`: primary keys of leagues without notices. `origin`: site URL for links in mails.
    `notice_language`: language of mails. `calendar_hash`: hash of the calendar secret, which is derived from
    `calendar_nonce` with the site's key (docs/adr/0019).
    """

    class Sign(models.TextChoices):
        TRIANGLE = "triangle", "▲12.3"
        MINUS = "minus", "−12.3"

    class Theme(models.TextChoices):
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preferences", verbose_name=_("user")
    )
    called = models.CharField(_("display name"), max_length=MAX_NAME_LENGTH, blank=True)
    language = models.CharField(_("language"), max_length=10, blank=True, choices=settings.LANGUAGES)
    sign = models.CharField(_("negative numbers"), max_length=10, blank=True, choices=Sign)
    theme = models.CharField(_("colours"), max_length=10, blank=True, choices=Theme)
    former_names = models.JSONField(default=list, editable=False)
    by_mail = models.BooleanField(_("e-mail notices"), default=False)
    unwanted = models.JSONField(default=list, editable=False)
    muted = models.JSONField(default=list, editable=False)
    origin = models.CharField(max_length=200, blank=True, editable=False)
    notice_language = models.CharField(max_length=10, blank=True, editable=False)
    calendar_hash = models.CharField(max_length=64, unique=True, null=True, editable=False)  # noqa: DJ001 - unique
    calendar_nonce = models.UUIDField(null=True, editable=False)

    class Meta:
        verbose_name = _("preferences")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.user)


class Invitation(SecretLink):
    """A secret link that gives a role in a league, and optionally a player.

    `used_by`: primary keys of the users who joined with it.
    """

    PURPOSE = "tenbo.invitation"

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="invitations", verbose_name=_("league"))
    role = models.CharField(_("role"), max_length=10)
    player = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.CASCADE, related_name="+", verbose_name=_("player")
    )
    label = models.CharField(_("note"), max_length=MAX_LABEL_LENGTH, blank=True)
    most_uses = models.PositiveSmallIntegerField(_("number of people"), default=1)
    used_by = models.JSONField(default=list, editable=False)
    uses = models.PositiveSmallIntegerField(_("times used"), default=0, editable=False)
    expires_at = models.DateTimeField(_("expires at"))

    class Meta:
        ordering = ("league", "-pk")
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = (
            models.CheckConstraint(condition=Q(uses__lte=F("most_uses")), name="invitation_uses_capped"),
            models.CheckConstraint(condition=Q(most_uses__gte=1), name="invitation_used_by_somebody"),
            models.CheckConstraint(condition=Q(player=None) | Q(most_uses=1), name="invitation_of_a_player_is_for_one"),
        )

    def __str__(self) -> str:
        return f"{self.league} #{self.pk}"

    def told(self) -> dict[str, object]:
        return {
            "name": self.label,
            "role": self.role,
            "player": self.player_id,
            "most_uses": self.most_uses,
            "uses": self.uses,
            "expires_at": self.expires_at.isoformat(),
        }

    @property
    def role_name(self) -> str:
        return str(Membership.Role(self.role).label)

    def has_ended(self, now: datetime) -> bool:
        return self.revoked_at is not None or self.expires_at <= now or self.uses >= self.most_uses


class Claim(models.Model):
    """A user's claim to be a player. `answer`: the reason given by the organisers."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        ACCEPTED = "accepted", _("Accepted")
        REFUSED = "refused", _("Refused")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="claims", verbose_name=_("league"))
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="claims", verbose_name=_("player"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims", verbose_name=_("user")
    )
    note = models.CharField(_("message to the organisers"), max_length=MAX_CLAIM_LENGTH, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.WAITING)
    answer = models.CharField(_("reason"), max_length=MAX_REASON_LENGTH, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = by_user()

    class Meta:
        ordering = ("league", "-pk")
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        constraints = (
            models.UniqueConstraint(
                fields=("league", "user"), condition=Q(state="waiting"), name="claim_one_at_a_time"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} · {self.player}"


class NoticeKind(models.TextChoices):
    ANNOUNCED = "announced", _("A session is announced, moved or cancelled")
    SEAT = "seat", _("My seat is drawn")
    PROMOTED = "promoted", _("I advance to the next stage of a tournament")
    PLACE = "place", _("My registration for a tournament")
    TAKEN_OFF = "taken_off", _("I am removed from a tournament")
    CONFIRM = "confirm", _("One of my results needs confirmation")
    DISPUTED = "disputed", _("One of my results, or one in a league I organise, is disputed")
    CORRECTED = "corrected", _("One of my results is corrected or voided")


PROMPT = frozenset({NoticeKind.ANNOUNCED, NoticeKind.SEAT, NoticeKind.PROMOTED, NoticeKind.PLACE, NoticeKind.TAKEN_OFF})
"""Kinds sent promptly; the others are sent once per session."""


class NoticeMail(models.Model):
    """One mail to one user. From the state HANDED_OVER on it is never sent again (docs/adr/0049)."""

    class State(models.TextChoices):
        READY = "ready", _("Waiting to be sent")
        CLAIMED = "claimed", _("Sending")
        HANDED_OVER = "handed", _("Waiting for the server's reply")
        SENT = "sent", _("Sent")
        UNKNOWN = "unknown", _("Delivery uncertain")
        GIVEN_UP = "given_up", _("Delivery failed")
        DROPPED = "dropped", _("No longer needed")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_mails")
    is_digest = models.BooleanField(_("session summary"), default=False)
    message_id = models.CharField(max_length=80, unique=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.READY)
    tries = models.PositiveSmallIntegerField(_("attempts"), default=0)
    made_at = models.DateTimeField(_("created"))
    next_try_at = models.DateTimeField()
    moved_at = models.DateTimeField()
    error = models.CharField(_("last error"), max_length=300, blank=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("notice e-mail")
        verbose_name_plural = _("notice e-mails")
        indexes = (
            models.Index(
                fields=("next_try_at",),
                name="notice_mail_under_way",
                condition=Q(state__in=("ready", "claimed", "handed")),
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} {self.made_at:%Y-%m-%d %H:%M}"


class Notice(models.Model):
    """A notice for one user. It is updated while it waits, and final once sent.

    `subject`: primary key of what `kind` refers to: session, hanchan, decision, registration or tournament. `facts`:
    content without other people's names. `path`: page URL without language prefix. `at`: time found, then time sent;
    `changed_at`: last change of the subject. `mail`: null if it is only shown on the user's page.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices", db_index=False)
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(_("kind"), max_length=10, choices=NoticeKind)
    subject = models.BigIntegerField()
    session = models.ForeignKey(Session, null=True, on_delete=models.CASCADE, related_name="+")
    facts = models.JSONField(default=dict)
    path = models.CharField(max_length=200)
    at = models.DateTimeField(_("when"))
    changed_at = models.DateTimeField()
    waits = models.BooleanField(default=True)
    mail = models.ForeignKey(NoticeMail, null=True, on_delete=models.SET_NULL, related_name="notices")

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        indexes = (
            models.Index(fields=("user", "kind", "subject"), name="notice_subject"),
            models.Index(fields=("user",), name="notice_waiting", condition=Q(waits=True)),
        )
        constraints = (
            models.UniqueConstraint(
                fields=("user", "kind", "subject"), condition=Q(waits=True), name="notice_waits_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} {self.kind} {self.subject}"


class ClosedAccount(models.Model):
    """Progress of removing a closed account's traces; deleted together with the account.

    `name`: user name in histories until removed; `former_names`: as in Preferences. `leagues`: primary keys still to
    process, null before they are known. `revision`, `hanchan`: last processed primary keys.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="closed_account",
        verbose_name=_("user"),
    )
    name = models.CharField(_("user name"), max_length=150)
    former_names = models.JSONField(default=list)
    closed_at = models.DateTimeField(_("closed"), auto_now_add=True)
    leagues = models.JSONField(null=True)
    revision = models.BigIntegerField(default=0)
    hanchan = models.BigIntegerField(default=0)

    class Meta:
        ordering = ("user",)
        verbose_name = _("closed account")
        verbose_name_plural = _("closed accounts")

    def __str__(self) -> str:
        return str(self.user)
