"""Which games of a file are taken as they are although they do not add up."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from league.core.imports.games import ImportedGame
from league.models import ImportBatch

AS_IS, WHY_AS_IS = "as_is", "why_as_is"
"""Where `ImportBatch.options` keeps which games that do not add up are taken as they are, and why."""

EVERY_ONE = "all"
"""Every game that does not add up; else the first lines of those that are meant, each with how much its sum is off."""


@dataclass(frozen=True, slots=True)
class AsIs:
    """Which games of a file are taken as they are although they do not add up, and what their note says.

    `chosen` is EVERY_ONE, or by first line how much the sum was off that was taken; "" for whatever it is.
    """

    chosen: str | Mapping[int, str]
    why: str

    @classmethod
    def of(cls, batch: ImportBatch) -> "AsIs":
        """Return what was decided for an upload."""
        why = batch.options.get(WHY_AS_IS) or _("Import of %(file)s") % {"file": str(batch)}
        return cls(_chosen(batch), why)

    def takes(self, game: ImportedGame, off_by: object) -> bool:
        """Return whether a game of the file is meant, with a sum that is off by so much."""
        if game.as_is or isinstance(self.chosen, str):
            return game.as_is or self.chosen == EVERY_ONE
        return self.chosen.get(game.lines[0]) in {"", str(off_by)}


def _chosen(batch: ImportBatch) -> str | dict[int, str]:
    stored = batch.options.get(AS_IS) or {}
    if isinstance(stored, str):
        return stored
    # What was decided before sums were kept with it is a list of lines.
    sums = stored if isinstance(stored, dict) else dict.fromkeys(stored, "")
    return {int(line): off_by for line, off_by in sums.items()}


def lines_taken(batch: ImportBatch) -> set[int]:
    """Return the first lines of the games that were taken as they are one by one."""
    chosen = _chosen(batch)
    return set() if isinstance(chosen, str) else set(chosen)


def decided_before(batch: ImportBatch, lines: Collection[int]) -> dict[str, str]:
    """Return what was decided about these lines, as it is kept."""
    chosen = _chosen(batch)
    return {} if isinstance(chosen, str) else {str(line): chosen[line] for line in sorted(lines) if line in chosen}


def forget_lines(batch: ImportBatch) -> None:
    """Forget what was said of single lines and cells that were empty, as other rows may stand there now.

    What was decided about every game stays, and so do mendings of a text: they hold wherever it stands.
    """
    if not isinstance(_chosen(batch), str):
        batch.options = {name: each for name, each in batch.options.items() if name != AS_IS}
    if batch.mended:
        batch.mendings.filter(before="").delete()
        batch.mended = batch.mendings.count()
    batch.save(update_fields=["options", "mended"])
