"""What a check found, as pages show it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from league.core.imports.games import ImportedGame
from league.services.imports.checks import CheckedGame, CheckResult, to_be_made
from league.services.imports.values import LISTED_OF_A_KIND, ImportReport, RowStatus


def report_on(checked: CheckResult) -> ImportReport:
    """Return the figures of a check, and what becomes of each game as far as they are listed."""
    people, places = to_be_made(checked)
    rows = [_row(outcome) for outcome in checked.outcomes]
    return ImportReport(
        games=len(rows),
        added=len(checked.with_status("added")),
        changed=len(checked.with_status("changed")),
        same=len(checked.with_status("same")),
        errors=len(checked.with_status("error")),
        warnings=sum(row.is_warned for row in rows),
        asked=sum(row.is_asked for row in rows),
        people=tuple(people),
        sessions=tuple(place.label for place in places),
        rows=tuple(_listed(rows)),
        problems=checked.contents.problems,
        notes=checked.contents.notes,
    )


def _listed(rows: Iterable[RowStatus]) -> Iterator[RowStatus]:
    """Yield the first rows of each kind: those with errors, those with something to say, the others."""
    counts: Counter[tuple[str, bool]] = Counter()
    for row in sorted(rows, key=lambda row: (row.status != "error", not row.notes)):
        kind = row.status, row.is_warned
        counts[kind] += 1
        if counts[kind] <= LISTED_OF_A_KIND:
            yield row


def _row(outcome: CheckedGame) -> RowStatus:
    return RowStatus(outcome.game.lines, outcome.status, label_of(outcome.game), tuple(outcome.notes))


def label_of(game: ImportedGame) -> str:
    """Return what people recognise a game by: the day and the names."""
    day = game.session.day.isoformat() if game.session else ""
    return f"{day} {'・'.join(name for name in game.names if name)}".strip()
