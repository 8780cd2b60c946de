from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        # Models cannot be imported before the app registry is ready.
        from league.http.table_parts import further_parts  # noqa: PLC0415
        from league.permissions import leading  # noqa: PLC0415
        from league.services.erasing.tables import TOLD  # noqa: PLC0415
        from league.services.proofs.registry import proofs  # noqa: PLC0415
        from tournaments.http.hall import TEMPLATE, at_table  # noqa: PLC0415
        from tournaments.management.proofs import TOURNAMENTS  # noqa: PLC0415
        from tournaments.messages import history  # noqa: PLC0415
        from tournaments.permissions import OF_TOURNAMENTS  # noqa: PLC0415
        from tournaments.selectors import league_hooks  # noqa: PLC0415

        leading.append(OF_TOURNAMENTS)
        further_parts[TEMPLATE] = at_table
        history.register()
        league_hooks.register()
        proofs.append(TOURNAMENTS)
        texts = ("body", "proposal", "reason", "by_name", "revoked_by_name", "revoked_reason")
        TOLD.append(("tournaments.Decision", "tournament__league", texts))
