"""Bodies of decisions: as stored, with primary keys, and as in a file, with the keys of players and sessions."""

from collections.abc import Callable, Mapping
from typing import Any

from league.interchange.problems import Step
from tournaments.models import Decision

Path = tuple[Step, ...]
Renamed = Callable[[Any, Path], Any]
"""Function that returns a player or session by the other key. The path is that of the value in a file."""

NAMES: Mapping[Decision.Kind, Mapping[str, str]] = {
    Decision.Kind.WITHDRAWN: {
        "entries": "withdrawn",
        "substitutes": "substitutes",
        "short": "short",
        "disqualified": "disqualified",
    },
    Decision.Kind.ADVANCE: {"players": "advance"},
    Decision.Kind.ORDER: {"players": "order"},
    Decision.Kind.CLOSED: {"players": "closed", "unranked": "unranked"},
    Decision.Kind.DRAW: {"blocks": "blocks", "method": "method", "seed": "seed"},
}
"""Names of the parts of a body in a file, by kind and stored name. The first one identifies the kind."""

BY_PLAYER = frozenset({"substitutes", "short"})
PARTS = {"substitutes": "player", "short": "settled", "blocks": "players"}
"""Tables whose keys are players or blocks, with the name of each entry."""

SESSIONS = frozenset({"session", "moved_to"})
PLAIN = frozenset({"remedy", "round", "table", "method", "seed", "disqualified"})
"""Names of values that are neither a player nor a session."""


def renamed(name: str, value: Any, path: Path, player: Renamed, session: Renamed) -> Any:
    """Return a part of a body with all its players and sessions by the other key."""
    if isinstance(value, Mapping):
        return {
            str(player(key, (*path, key))) if name in BY_PLAYER else key: renamed(
                str(PARTS.get(name, key)), each, (*path, key), player, session
            )
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [renamed(name, each, (*path, index), player, session) for index, each in enumerate(value)]
    if name in SESSIONS:
        return session(value, path)
    return value if name in PLAIN else player(value, path)
