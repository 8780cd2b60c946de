"""Accounts that were closed at the word of who held them, and of which histories still tell."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class ClosedAccount(models.Model):
    """How far the rest of a closed account was taken away; it goes with the account, when nothing is left.

    `name`: what histories call them until then, nothing as soon as none does; `former_names` as in Preferences. `leagues`: the numbers of those to be looked through, null before anybody
    looked which; `revision`: up to which the history of the first of them was read; `hanchan`: up to which one nobody entered any more.
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
