"""The accounts app as Django knows it."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Invitations, claims, people's own page and choices; the league below knows nothing of it."""

    name = "accounts"
