"""The tournaments app as Django knows it."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        """Let the league's history tell of tournaments and chain their decisions, count and prove what changes in them."""
        # Models can be imported no earlier.
        from league.models.edition_scopes import watched  # noqa: PLC0415
        from league.models.growing import fact_kinds, growing, kept  # noqa: PLC0415
        from league.permissions import leading  # noqa: PLC0415
        from tournaments.http import hall  # noqa: PLC0415
        from tournaments.management import proofs  # noqa: PLC0415
        from tournaments.messages import history  # noqa: PLC0415
        from tournaments.models import DECISIONS, DECISIONS_GROW, REVOCATIONS, TICKS_GROW, TOURNAMENTS  # noqa: PLC0415
        from tournaments.permissions import OF_TOURNAMENTS  # noqa: PLC0415
        from tournaments.selectors import league_hooks  # noqa: PLC0415

        if OF_TOURNAMENTS not in leading:
            leading.append(OF_TOURNAMENTS)
        hall.register()
        history.register()
        league_hooks.register()
        proofs.register()
        if TOURNAMENTS not in watched:
            watched.extend((TOURNAMENTS, DECISIONS_GROW, TICKS_GROW, DECISIONS, REVOCATIONS))
            growing.extend((DECISIONS_GROW, TICKS_GROW))
            kept.append("tournaments_tournament")
            fact_kinds.extend((DECISIONS, REVOCATIONS))
