"""Which games of a file are taken as they are although they do not add up."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from league.core.imports.games import ImportedGame
from league.models import ImportBatch

AS_IS, WHY_AS_IS = "as_is", "why_as_is"
"""Where `ImportBatch.options` keeps which games that do not add up are taken as they are, and why."""

EVERY_ONE = "all"
"""Every game that does not add up; else the first lines of those that are meant."""


@dataclass(frozen=True, slots=True)
class AsIs:
    """Which games of a file are taken as they are although they do not add up, and what their note says."""

    chosen: str | tuple[int, ...]
    why: str

    @classmethod
    def of(cls, batch: ImportBatch) -> "AsIs":
        """Return what was decided for an upload."""
        chosen = batch.options.get(AS_IS) or ()
        why = batch.options.get(WHY_AS_IS) or _("Import of %(file)s") % {"file": str(batch)}
        return cls(chosen if isinstance(chosen, str) else tuple(chosen), why)

    def takes(self, game: ImportedGame) -> bool:
        """Return whether a game of the file is meant."""
        return (
            game.as_is or self.chosen == EVERY_ONE or (isinstance(self.chosen, tuple) and game.lines[0] in self.chosen)
        )
