from dataclasses import dataclass

from django.conf import settings

NAMES = {"line": "LINE", "discord": "Discord"}


@dataclass(frozen=True, slots=True)
class Service:
    key: str
    name: str


def services() -> list[Service]:
    return [Service(key, name) for key, name in NAMES.items() if key in settings.SOCIALACCOUNT_PROVIDERS]
