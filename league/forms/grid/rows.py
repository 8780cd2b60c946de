"""The parts of the sheet that can be typed into: a player's column, a hanchan's row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode
from uuid import UUID, uuid4

from league.core.pasting import MARKS
from league.forms.entry.fields import GUEST
from league.forms.entry.prefill import score_text
from league.messages import plain_name
from league.models import Hanchan, Player
from league.selectors.games import seats_of
from league.services.entry import Seated
from league.services.grid import SheetLine
from league.services.people import PlayerFacts
from league.services.results import HanchanResult, TableAndTime
from scoring.core import Bust, FinishedGame

MAX_ROWS, MAX_COLUMNS = 60, 24

EMPTY, SAME, ADDED, CHANGED = "empty", "same", "added", "changed"
WRONG, DOUBLE, OVERTAKEN = "wrong", "double", "overtaken"
MARKED = {WRONG, DOUBLE, OVERTAKEN}
"""What keeps a row from being saved as it stands."""


@dataclass(slots=True)
class GridColumn:
    """A player's column: the key of the one chosen, the name typed for a guest, and who that is."""

    key: str = ""
    guest: str = ""
    person: Seated | None = None
    problem: str = ""

    @property
    def name(self) -> str:
        """What the column is called."""
        return plain_name(self.person) if self.person else ""


@dataclass(slots=True)
class GridRow:
    """A row as typed, and what became of it when it was checked. `number` names the stored hanchan that it shows.

    `another`: equal to a stored hanchan or an earlier row, and yet another hanchan. `asks_more` is what the entry page is
    to be filled with, where the rules ask what a sheet has no room for.
    """

    cells: list[str]
    hanchan: Hanchan | None = None
    version: int = 0
    client_key: UUID = field(default_factory=uuid4)
    round: str = ""
    table: str = "1"
    sticks: str = ""
    status: str = EMPTY
    problems: list[str] = field(default_factory=list)
    line: SheetLine | None = None
    people: tuple[Seated, ...] = ()
    placing: TableAndTime | None = None
    before: tuple[tuple[Player, int], ...] = ()
    asks_more: str = ""
    another: bool = False
    number: str = ""

    @property
    def seated(self) -> list[tuple[Seated, int]]:
        """Who would sit where with how many points, first dealer first."""
        return list(zip(self.line.people, self.line.result.game.raw, strict=True)) if self.line else []


def on_entry_page(row: GridRow, result: HanchanResult) -> str:
    """Return a row as the entry page takes it in its address."""
    fields: dict[str, object] = {
        "table": row.table,
        "round": row.round,
        "sticks_left": row.sticks or "0",
        "client_key": row.client_key,
    }
    for seat, (person, raw) in enumerate(zip(row.people, result.game.raw, strict=True)):
        fields[f"raw_{seat}"] = score_text(raw)
        if isinstance(person, PlayerFacts):
            fields |= {f"player_{seat}": GUEST, f"guest_{seat}": person.name}
        else:
            fields[f"player_{seat}"] = person.pk
    return urlencode(fields)


def row_of(hanchan: Hanchan, keys: Sequence[str]) -> GridRow:
    """Return a stored hanchan as it would have been typed, under these columns."""
    cells = {str(seat.player_id): f"{score_text(seat.raw_score)} {MARKS[seat.seat]}" for seat in seats_of(hanchan)}
    return GridRow(
        cells=[cells.get(key, "") for key in keys],
        hanchan=hanchan,
        number=str(hanchan.pk),
        version=hanchan.version,
        round=str(hanchan.round),
        table=str(hanchan.table),
        sticks=str(hanchan.sticks_left or ""),
        status=SAME,
    )


def with_notes(known: HanchanResult, seated: Sequence[int | None], game: FinishedGame) -> HanchanResult | None:
    """Return `game` with what else is known of a stored result: busts, chombo and the like stay with their people.

    `seated` are the players' primary keys, first dealer first. None where other people sit there and something was
    noted about those who sat there before.
    """
    before = [player.pk for player in known.players]
    noted = (known.game.busts, known.yakuman, *map(any, (known.game.chombo, known.game.chips, known.game.deposits)))
    if set(seated) != set(before):
        return None if any(noted) else HanchanResult((), game, known.note, known.end_reason)
    order = [before.index(pk) for pk in seated if pk is not None]
    kept = known.game.reseated(order)
    busts = tuple(bust for bust in kept.busts if _is_still(bust, kept, game))
    moved = replace(kept, raw=game.raw, sticks_left=game.sticks_left, busts=busts)
    yakuman = tuple((order.index(seat), text) for seat, text in known.yakuman)
    return HanchanResult((), moved, known.note, known.end_reason, yakuman)


def _is_still(bust: Bust, known: FinishedGame, game: FinishedGame) -> bool:
    """Return whether somebody who was bust may be so with the score typed now."""
    raw = game.raw[bust.seat]
    return raw <= 0 or raw == known.raw[bust.seat]
