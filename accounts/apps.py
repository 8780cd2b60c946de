"""The accounts app as Django knows it."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Invitations, claims, people's own page and choices; the league below knows nothing of it."""

    name = "accounts"

    def ready(self) -> None:
        """Let the league's history and inbox tell of invitations and claims, and choices hold from a log-in on."""
        # Models can be imported no earlier.
        from django.contrib.auth.signals import user_logged_in  # noqa: PLC0415

        from accounts.http.choices import welcome  # noqa: PLC0415
        from accounts.selectors import history, inbox  # noqa: PLC0415

        history.register()
        inbox.register()
        user_logged_in.connect(welcome, dispatch_uid="accounts.choices")
