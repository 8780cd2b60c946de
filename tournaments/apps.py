from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        # Models cannot be imported before the app registry is ready.
        from league.permissions import leading  # noqa: PLC0415
        from league.services.erasing.tables import TOLD  # noqa: PLC0415
        from tournaments.http import hall  # noqa: PLC0415
        from tournaments.management import proofs  # noqa: PLC0415
        from tournaments.messages import history  # noqa: PLC0415
        from tournaments.permissions import OF_TOURNAMENTS  # noqa: PLC0415
        from tournaments.selectors import league_hooks  # noqa: PLC0415

        if OF_TOURNAMENTS not in leading:
            leading.append(OF_TOURNAMENTS)
        hall.register()
        history.register()
        league_hooks.register()
        proofs.register()
        texts = ("body", "proposal", "reason", "by_name", "revoked_by_name", "revoked_reason")
        told = ("tournaments.Decision", "tournament__league", texts)
        if told not in TOLD:
            TOLD.append(told)
