from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Invitations, claims, My page and preferences. The league app does not import from here."""

    name = "accounts"

    def ready(self) -> None:
        """Register with the league app: history, inbox, notices and host pages."""
        # Models cannot be imported before the app registry is ready.
        from django.contrib.auth.signals import user_logged_in  # noqa: PLC0415

        from accounts.http.choices import welcome  # noqa: PLC0415
        from accounts.selectors import league_hooks, league_notices, notices  # noqa: PLC0415
        from league.services.erasing.tables import texts_beside  # noqa: PLC0415

        league_hooks.register()
        notices.sources.update((each.kind, each) for each in league_notices.SOURCES)
        texts_beside.append(("accounts.NoticeMail", ("error",)))
        # Apply settings chosen while logged out from log-in on.
        user_logged_in.connect(welcome, dispatch_uid="accounts.choices")
