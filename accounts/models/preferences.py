"""How somebody wants Tenbo to look and to speak."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_NAME_LENGTH


class Preferences(models.Model):
    """What one person chose. Whatever is empty is as it is for everybody: by the address, the language, the device.

    `former_names`: what their account was called before, each with the moment until when: [[name, ISO moment]].
    `unwanted`: kinds of notices that they want to be told nothing of, `muted`: leagues of which, by primary key. `origin`: the
    address at which they read the site when they chose, for the links in mails, `notice_language` the language.
    `calendar_hash`: of the secret by which calendars read their evenings; it is worked out from `calendar_nonce` by the
    site's key (docs/adr/0019).
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
    called = models.CharField(_("how you are called"), max_length=MAX_NAME_LENGTH, blank=True)
    language = models.CharField(_("language"), max_length=10, blank=True, choices=settings.LANGUAGES)
    sign = models.CharField(_("negative numbers"), max_length=10, blank=True, choices=Sign)
    theme = models.CharField(_("colours"), max_length=10, blank=True, choices=Theme)
    former_names = models.JSONField(default=list, editable=False)
    by_mail = models.BooleanField(_("send me mails"), default=False)
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
