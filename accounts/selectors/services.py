"""Other services that know who somebody is, as far as the host has set them up."""

from dataclasses import dataclass

from django.conf import settings

NAMES = {"line": "LINE", "discord": "Discord"}


@dataclass(frozen=True, slots=True)
class Service:
    """Another service that knows who somebody is: the name of its addresses, and how people call it."""

    key: str
    name: str


def services() -> list[Service]:
    return [Service(key, name) for key, name in NAMES.items() if key in settings.SOCIALACCOUNT_PROVIDERS]
