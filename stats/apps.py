from django.apps import AppConfig


class StatsConfig(AppConfig):
    name = "stats"

    def ready(self) -> None:
        # Models cannot be imported before the app registry is ready.
        from league.selectors.history import register_subject  # noqa: PLC0415
        from league.services.ownership import handed_on  # noqa: PLC0415
        from league.services.proofs.registry import proofs  # noqa: PLC0415
        from stats.messages import OWN_TITLES  # noqa: PLC0415
        from stats.services.proofs import CAREERS, FEATS, RATINGS  # noqa: PLC0415
        from stats.services.titles import hand_on  # noqa: PLC0415

        proofs.extend((CAREERS, FEATS, RATINGS))
        register_subject(OWN_TITLES)
        handed_on.append(hand_on)
