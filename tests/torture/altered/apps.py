"""The app: clocks that go faster, and flags that switch something on or off while the site runs."""

from django.apps import AppConfig


class Altered(AppConfig):
    name = "tests.torture.altered"
    label = "torture_altered"

    def ready(self) -> None:
        from tests.torture.altered import clocks, deaths, locks, messages

        for part in (clocks, deaths, locks, messages):
            part.install()
