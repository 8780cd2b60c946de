"""What people are told of their leagues: what there is to tell, and the mails that carry it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from league.models import League, Session


class NoticeKind(models.TextChoices):
    ANNOUNCED = "announced", _("An evening is announced, moved or called off")
    SEAT = "seat", _("My seat is drawn")
    PROMOTED = "promoted", _("I go on to the next stage of a tournament")
    PLACE = "place", _("My place in a tournament that I registered for")
    TAKEN_OFF = "taken_off", _("I am taken off a tournament")
    CONFIRM = "confirm", _("A result of mine waits to be confirmed")
    DISPUTED = "disputed", _("A result of mine, or of a league that I organise, is disputed")
    CORRECTED = "corrected", _("A result of mine is corrected or taken back")


PROMPT = frozenset({NoticeKind.ANNOUNCED, NoticeKind.SEAT, NoticeKind.PROMOTED, NoticeKind.PLACE, NoticeKind.TAKEN_OFF})
"""What is told soon; the rest is told once an evening."""


class NoticeMail(models.Model):
    """A mail to one person, and how far it is. From HANDED_OVER on nobody sends it again (docs/adr/0049)."""

    class State(models.TextChoices):
        READY = "ready", _("Waiting to be sent")
        CLAIMED = "claimed", _("Being sent")
        HANDED_OVER = "handed", _("Handed over, no answer yet")
        SENT = "sent", _("Sent")
        UNKNOWN = "unknown", _("Perhaps sent")
        GIVEN_UP = "given_up", _("Given up")
        DROPPED = "dropped", _("Not wanted any more")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_mails")
    is_digest = models.BooleanField(_("of an evening"), default=False)
    message_id = models.CharField(max_length=80, unique=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.READY)
    tries = models.PositiveSmallIntegerField(_("tries"), default=0)
    made_at = models.DateTimeField(_("made"))
    next_try_at = models.DateTimeField()
    moved_at = models.DateTimeField()
    error = models.CharField(_("last error"), max_length=300, blank=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name = _("mail of notices")
        verbose_name_plural = _("mails of notices")
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
    """Something to tell one person. While it waits it follows the facts; then it stays as it was told.

    `subject`: the primary key of what `kind` is about: a session, a hanchan, a decision, a registration or a tournament. `facts`: what is told of it, no names of others.
    `path`: where it is read on the site, without the language. `at`: when it was found, then when it was told; `changed_at`: when
    something happened last that concerns it. `mail` is empty for what stands on one's own page alone.
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
