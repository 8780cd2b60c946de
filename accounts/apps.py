"""The accounts app as Django knows it."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Invitations, claims, people's own page and choices; the league below knows nothing of it."""

    name = "accounts"

    def ready(self) -> None:
        """Let there be notices of what happens in leagues, and the host see how their mails go."""
        # Models can be imported no earlier.
        from accounts.selectors import league_notices, mail_state  # noqa: PLC0415

        league_notices.register()
        mail_state.register()
