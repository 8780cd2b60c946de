"""The accounts app as Django knows it."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Invitations, claims, people's own page and choices; the league below knows nothing of it."""

    name = "accounts"

    def ready(self) -> None:
        """Let what people chose for themselves hold from the moment they log in."""
        # Models can be imported no earlier.
        from django.contrib.auth.signals import user_logged_in  # noqa: PLC0415

        from accounts.http.choices import welcome  # noqa: PLC0415

        user_logged_in.connect(welcome, dispatch_uid="accounts.choices")
