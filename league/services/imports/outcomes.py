"""What becomes of a game of the file."""

from dataclasses import dataclass, field

from league.core.imports.games import ImportedGame
from league.models import Hanchan
from league.services.imports.contents import FileRules
from league.services.imports.sessions import SessionTarget
from league.services.imports.values import ImportNote
from scoring.core import FinishedGame


@dataclass(slots=True)
class CheckedGame:
    """A game of the file and what becomes of it; `existing` is the hanchan that it changes or repeats.

    `worked_out`: its raw scores follow from the points of the file. `why_as_is`: what its note says where the file has none.
    """

    game: ImportedGame
    status: str = "added"
    notes: list[ImportNote] = field(default_factory=list)
    finished: FinishedGame | None = None
    place: SessionTarget | None = None
    rules: FileRules | None = None
    existing: int | None = None
    version: int = 0
    worked_out: bool = False
    why_as_is: str = ""

    def fail(self, note: ImportNote) -> None:
        """Note why the game cannot be stored."""
        self.status = "error"
        self.notes.append(note)


def wants_voided(game: ImportedGame) -> bool:
    """Whether the file holds the game as taken back."""
    return game.state == Hanchan.State.VOIDED
