from dataclasses import dataclass
from pathlib import Path

from tests.permissions.routes import Route, all_routes

TABLE = Path(__file__).with_name("routes.txt")

IN, LOG_IN, FORBIDDEN, MISSING = "in", "log in", "forbidden", "missing"

LEADING = frozenset({"organiser", "owner"})
MEMBERS = LEADING | {"player", "referee", "scorer", "director"}
INSIDE = {
    "player": MEMBERS,
    "referee": LEADING | {"referee"},
    "scorer": LEADING | {"scorer"},
    "director": LEADING | {"director"},
    "hall": LEADING | {"referee", "director"},
    "organiser": LEADING,
    "owner": frozenset({"owner"}),
    "bearer": LEADING | {"player"},
    "self": frozenset({"player", "owner"}),
}
"""Allowed roles by the least privileged one; referees and scorers are on the same level.

For "self" the player is the one in the URL, who may also be an owner.
"""

NAMELESS = {"anonymous", "link holder"}
"""Roles without log-in; a link opens only its own table."""

HIDDEN = {"anonymous": LOG_IN, "link holder": LOG_IN}
"""Response for users who may not read a private league; all other users get 404."""


@dataclass(frozen=True)
class Rule:
    who: str
    methods: tuple[str, ...]


def read_table() -> dict[str, Rule]:
    lines = [line.split() for line in TABLE.read_text().splitlines() if line.strip() and not line.startswith("#")]
    rules = {name: Rule(who, tuple(methods)) for name, who, *methods in lines}
    assert len(rules) == len(lines), "an address stands there twice"
    return rules


def expected(who: str, person: str, *, is_public: bool) -> str:
    if who in {"token", "keys", "embedded"} or (who == "shown" and not is_public):
        return MISSING
    if person == "superuser" or who in {"everybody", "shown", "table", "secret", "code"}:
        return IN
    is_reader = is_public or person in MEMBERS
    if who in INSIDE:
        is_in = person in INSIDE[who]
    else:
        is_known = person not in NAMELESS
        everybody = {"users": is_known, "readers": is_reader, "known": is_known and is_reader}
        is_in = everybody.get(who, False)
        assert who in {*everybody, "site", "host"}, who
    if is_in:
        return IN
    if who in {"site", "host"}:
        return LOG_IN if person in NAMELESS or who == "site" else MISSING
    if not is_reader:
        return HIDDEN.get(person, MISSING)
    return LOG_IN if person in NAMELESS else FORBIDDEN


ROUTES = {route.name: route for route in all_routes() if route.name}
RULES = read_table()


def pages_for(*kinds: str) -> list[Route]:
    """Return the pages that answer GET with these kinds of access, by default all."""
    rules = {name: rule for name, rule in RULES.items() if name in ROUTES and "GET" in rule.methods}
    return [ROUTES[name] for name, rule in rules.items() if rule.who in (kinds or {rule.who})]
