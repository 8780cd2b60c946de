"""What has been stored of a file so far, by the keys of the file."""

from dataclasses import dataclass, field

from league.interchange.problems import Step
from league.models import League, Player, RulesetVersion, Session
from league.services.history import Actor
from scoring.core import ScoringRules

Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class StoredVersion:
    version: RulesetVersion
    rules: ScoringRules


@dataclass(slots=True)
class StoredSoFar:
    """What has been stored so far, by the keys of the file."""

    league: League
    by: Actor
    rules: dict[str, dict[int, StoredVersion]] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    current: StoredVersion | None = None

    def rules_for(self, key: str | None, number: int | None, otherwise: StoredVersion | None) -> StoredVersion | None:
        """Return the version that is named; without a number the latest, without a key the other one."""
        if key is None:
            return otherwise
        versions = self.rules[key]
        return versions[number or max(versions)]
