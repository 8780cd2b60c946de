from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any

from league.models import Hanchan, Revision
from league.selectors.confirming import FACTS, RAISING, agreed_of
from league.selectors.former import signed_by
from league.selectors.games import seats_of
from league.selectors.sheets import Sheet


def notes_of(hanchan: Sequence[Hanchan], voided: Sequence[Hanchan]) -> dict[str, Any]:
    """Return the notes below a score table.

    `waiting`: hanchan to be confirmed, with the numbers of players who agree and of all. `entered`: the latest entry.
    `corrected`: corrected hanchan; `corrections`: number of corrections; `odd`: hanchan accepted with a wrong total.
    """
    entered: dict[str, Any] | None = None
    raised: dict[int, list[tuple[str, int | None]]] = defaultdict(list)
    corrections = 0
    corrected = set()
    for pk, action, by, name, source, at in _revisions([*hanchan, *voided]):
        raised[pk].append((action, by))
        if entered is None and action in FACTS:
            entered = {"at": at, "by_name": signed_by(by, name), "source": source}
        if action == Revision.Action.CORRECTED:
            corrections += 1
            corrected.add(pk)
    awaiting = [game for game in hanchan if game.is_awaiting]
    agreed = agreed_of(awaiting, raised)
    return {
        "waiting": [(game, agreed[game.pk], len(seats_of(game))) for game in awaiting],
        "disputed": tuple(game for game in hanchan if game.is_disputed),
        "confirmed": sum(game.state == Hanchan.State.CONFIRMED for game in hanchan),
        "entered": entered,
        "corrected": tuple(game for game in [*hanchan, *voided] if game.pk in corrected),
        "corrections": corrections,
        "odd": tuple(game for game in hanchan if game.as_is),
    }


def _revisions(hanchan: Sequence[Hanchan]) -> Iterable[tuple[int, str, int | None, str, str, datetime]]:
    if not hanchan:
        return ()
    keys = [game.pk for game in hanchan]
    found = Revision.objects.filter(league=hanchan[0].league_id, subject="hanchan", subject_id__in=keys)
    rows = found.filter(action__in=RAISING).order_by("-pk")
    return rows.values_list("subject_id", "action", "by_id", "by_name", "source", "at")


MAX_PLAYERS = 32
"""With more players, the matrix of meetings is unreadable."""


def meetings_of(sheet: Sheet) -> dict[str, Any] | None:
    """Return how often each pair of players in a sheet met, or None for a single table or too many players. No queries.

    `rows`: per player one count for each player, None for themselves.
    """
    if not sheet.is_split or len(sheet.columns) > MAX_PLAYERS:
        return None
    players = tuple(column.player for column in sheet.columns)
    met = Counter(
        frozenset(pair)
        for row in sheet.rows
        for _table, hanchan in row.hanchan
        for pair in combinations((seat.player_id for seat in seats_of(hanchan)), 2)
    )
    rows = [
        (one, tuple(None if one == other else met[frozenset((one.pk, other.pk))] for other in players))
        for one in players
    ]
    counts = [count for _player, row in rows for count in row if count is not None]
    return {"players": players, "rows": rows, "least": min(counts), "most": max(counts)}
