"""The accounts app as Django knows it."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Invitations, claims, people's own page and choices; the league below knows nothing of it."""

    name = "accounts"

    def ready(self) -> None:
        """Let the league tell of what happens here: in its history, its inbox, its notices and to its host."""
        # Models can be imported no earlier.
        from django.contrib.auth.signals import user_logged_in  # noqa: PLC0415

        from accounts.http.choices import welcome  # noqa: PLC0415
        from accounts.selectors import league_hooks, league_notices  # noqa: PLC0415
        from league.services.erasing.tables import texts_beside  # noqa: PLC0415

        league_hooks.register()
        league_notices.register()
        texts_beside.append(("accounts.NoticeMail", ("error",)))
        # Settings chosen while logged out apply from log-in on.
        user_logged_in.connect(welcome, dispatch_uid="accounts.choices")
