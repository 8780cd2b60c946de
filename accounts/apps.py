"""The accounts app as Django knows it."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Invitations, claims, people's own page and choices; the league below knows nothing of it."""

    name = "accounts"

    def ready(self) -> None:
        """Let the league's history and inbox tell of invitations and claims."""
        # Models can be imported no earlier.
        from accounts.selectors import history, inbox  # noqa: PLC0415

        history.register()
        inbox.register()
