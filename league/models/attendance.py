from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.core.sessions import MAX_WORD_LENGTH
from league.models.leagues import by_user
from league.models.play import Session
from league.models.players import Player
from league.models.secret_links import SecretLink


class AttendanceLink(SecretLink):
    """A secret link for telling whether a player is coming to a session; without a `player` everyone shares it.

    It expires with the session's day.
    """

    PURPOSE = "tenbo.attendance-link"

    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, related_name="attendance_links", verbose_name=_("session")
    )
    player = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.PROTECT, related_name="+", verbose_name=_("player")
    )

    class Meta:
        ordering = ("session", "-pk")
        verbose_name = _("attendance link")
        verbose_name_plural = _("attendance links")
        constraints = (
            models.UniqueConstraint(
                fields=("session",), condition=Q(revoked_at=None, player=None), name="attendance_link_for_all_once"
            ),
            models.UniqueConstraint(
                fields=("session", "player"), condition=Q(revoked_at=None), name="attendance_link_for_one_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.session} / {self.player}" if self.player else str(self.session)

    def told(self) -> dict[str, object]:
        return {"session": str(self.session), "name": self.player.name if self.player else ""}


class Attendance(models.Model):
    """A player's answer for a session. It stays with the player as of then; pages follow merges.

    `given`: who answered; the shared link cannot overwrite a player's own answer. `version`: counts changes.
    """

    class Answer(models.TextChoices):
        NONE = "", pgettext_lazy("attendance", "no answer")
        COMING = "coming", pgettext_lazy("attendance", "coming")
        LATE = "late", pgettext_lazy("attendance", "will be late")
        ABSENT = "absent", pgettext_lazy("attendance", "not coming")

    class Given(models.TextChoices):
        SELF = "self", _("by the player")
        SHARED = "shared", _("through the shared link")
        ORGANISER = "organiser", _("by an organiser")

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="attendance", verbose_name=_("session"))
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="attendance", verbose_name=_("player"))
    answer = models.CharField(_("answer"), max_length=10, choices=Answer, blank=True)
    arrives_at = models.TimeField(_("arrives at"), null=True, blank=True)
    word = models.CharField(_("comment"), max_length=MAX_WORD_LENGTH, blank=True)
    given = models.CharField(_("answered by"), max_length=10, choices=Given, default=Given.ORGANISER)
    by = by_user()
    link = models.ForeignKey(AttendanceLink, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now=True)
    version = models.PositiveIntegerField(_("revision"), default=1)

    class Meta:
        ordering = ("session", "pk")
        verbose_name = _("attendance")
        verbose_name_plural = _("attendance")
        constraints = (
            models.UniqueConstraint(fields=("session", "player"), name="attendance_player_once"),
            models.CheckConstraint(
                condition=Q(answer__in=("", "coming", "late", "absent")), name="attendance_answer_known"
            ),
            models.CheckConstraint(
                condition=Q(given__in=("self", "shared", "organiser")), name="attendance_given_known"
            ),
            models.CheckConstraint(condition=Q(arrives_at=None) | Q(answer="late"), name="attendance_arrives_late"),
            models.CheckConstraint(condition=Q(version__gte=1), name="attendance_version_positive"),
        )

    def __str__(self) -> str:
        return f"{self.player}: {self.get_answer_display()}"
