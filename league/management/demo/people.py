"""Invented players and demo accounts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from league.models import Membership
from league.selectors.demo_accounts import PASSWORD, demo_accounts
from league.services.people import PlayerFacts
from scoring.core.reading import shipped_table


@dataclass(frozen=True, slots=True)
class Character:
    """An invented player; `strength`: weight of winning a hand, 10 on average."""

    facts: PlayerFacts
    strength: int = 10


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """A demo account; `player`: key of its player."""

    username: str
    role: Membership.Role
    player: str


def _character(strength: int = 10, **facts: Any) -> Character:
    return Character(PlayerFacts(**facts), strength)


PEOPLE: Mapping[str, dict[str, Character]] = {
    league: {key: _character(**each) for key, each in people.items()}
    for league, people in shipped_table(__package__, "people.toml").items()
}
"""Players by league and key."""

ACCOUNTS = (
    DemoAccount("aoki", Membership.Role.OWNER, "aoki"),
    DemoAccount("ishida", Membership.Role.ORGANISER, "ishida"),
    DemoAccount("ueno", Membership.Role.SCORER, "ueno"),
    DemoAccount("eguchi", Membership.Role.PLAYER, "eguchi"),
)


def demo_logins() -> list[dict[str, str]]:
    """Return user name, password and role of the demo accounts; empty if there are none. One query."""
    there = set(demo_accounts().values_list("username", flat=True))
    there_are = [account for account in ACCOUNTS if account.username in there]
    return [{"username": each.username, "password": PASSWORD, "role": str(each.role.label)} for each in there_are]
