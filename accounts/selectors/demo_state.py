"""What is left of the demonstration, for whoever runs the site."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from league.selectors.demo_accounts import demo_accounts
from league.selectors.host import register_part


@dataclass(frozen=True, slots=True)
class DemoState:
    """The names of the accounts that are left, whether they let anybody in, and whether an empty site can begin here."""

    names: Sequence[str]
    is_on: bool
    can_begin: bool


def demo_state() -> DemoState:
    """Return what is left of the demonstration. One query."""
    names = list(demo_accounts().values_list("username", flat=True))
    return DemoState(names, settings.DEMO, can_begin_here())


def can_begin_here() -> bool:
    """Return whether this is a site in one process, which is begun in the browser."""
    return bool(settings.EMBEDDED)


def register() -> None:
    register_part("accounts/host_demo.html", demo_state)
