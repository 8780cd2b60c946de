"""What the sheet to type into is about: a session with its rules, its hanchan and the people to choose from."""

from collections.abc import Sequence
from dataclasses import dataclass

from league.models import Hanchan, Session
from league.selectors.entry import SeatingChoices, sheet_choices
from scoring.core import ScoringRules


@dataclass(frozen=True, slots=True)
class SheetContext:
    """A session with what is stored of it, in the order of the rows, and whom its columns offer."""

    session: Session
    rules: ScoringRules
    hanchan: Sequence[Hanchan]
    choices: SeatingChoices

    @property
    def size(self) -> int:
        """How many sit at a table."""
        return self.rules.players or 0


def sheet_context(session: Session, rules: ScoringRules) -> SheetContext:
    """Return what the sheet of a session shows and offers. Seven queries."""
    found = session.hanchan.valid().select_related("ruleset_version").prefetch_related("seats__player", "incidents")
    hanchan = list(found.order_by("round", "table", "played_at", "pk"))
    for game in hanchan:
        game.session, game.league = session, session.league
    return SheetContext(session, rules, hanchan, sheet_choices(session, hanchan))
