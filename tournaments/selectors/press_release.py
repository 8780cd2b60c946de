"""The text that goes to the press: every session table and the standings after it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from league.models import Seat
from tournaments.core.state import StageProgress
from tournaments.messages.press_release import press_block, press_line, press_standing
from tournaments.messages.titles import block_name, stage_name
from tournaments.selectors.grid import SessionTable, session_tables
from tournaments.selectors.names import reader_name
from tournaments.selectors.needs import BlockNeeds
from tournaments.selectors.needs_told import press_needs
from tournaments.selectors.state import CurrentState


def press_release(
    current: CurrentState,
    progress: StageProgress,
    seats: Sequence[Seat],
    block: str | None = None,
    needs: Sequence[BlockNeeds] = (),
) -> str:
    """Return the standings of a stage, what is needed in what is left of it, and the results of its sessions, the latest first."""
    parts = [text for key, text in (*_standings(current, progress), *press_needs(needs)) if block in {None, key}]
    tables = session_tables(current, progress, seats)
    parts += [_session(each) for each in tables if block is None or each.stage_session.block in {"", block}]
    return "\n\n".join(parts) + "\n" if parts else ""


def _standings(current: CurrentState, progress: StageProgress) -> list[tuple[str, str]]:
    found = []
    for ranking in progress.rankings:
        if ranking.lines:
            parts = [stage_name(progress.stage), block_name(ranking.block) if len(progress.stage.blocks) > 1 else ""]
            title = _("%(title)s, standings") % {"title": " ".join(part for part in parts if part)}
            lines = [press_standing(reader_name(current.player(line.participant)), line) for line in ranking.lines]
            found.append((ranking.block, press_block(title, lines)))
    return found


def _session(each: SessionTable) -> str:
    facts = {"title": each.title, "table": each.table}
    title = _("%(title)s, table %(table)s") % facts if each.table is not None else each.title
    return press_block(title, (press_line(line.rank, reader_name(line.player), line.points) for line in each.rows))
