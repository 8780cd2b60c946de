from django.apps import AppConfig


class StatsConfig(AppConfig):
    name = "stats"

    def ready(self) -> None:
        # Models cannot be imported before the app registry is ready.
        from league.services.ownership import handed_on  # noqa: PLC0415
        from stats import messages  # noqa: PLC0415
        from stats.services import proofs  # noqa: PLC0415
        from stats.services.titles import hand_on  # noqa: PLC0415

        proofs.register()
        messages.register()
        if hand_on not in handed_on:
            handed_on.append(hand_on)
