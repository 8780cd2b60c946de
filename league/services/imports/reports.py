"""What a check found, as pages show it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from django.utils import timezone

from league.core.imports.games import ImportedGame
from league.services.imports.checks import FileCheck, ToBeMade
from league.services.imports.outcomes import CheckedGame
from league.services.imports.sessions import renumbered
from league.services.imports.values import LISTED_ERRORS, LISTED_OF_A_KIND, ImportReport, RowStatus


def report_on(checked: FileCheck, outcomes: Iterable[CheckedGame]) -> ImportReport:
    """Return the figures of a check, and what becomes of each game as far as they are listed.

    The outcomes are looked at one after the other, and only what may be listed is kept of them.
    """
    made, counts, rows = ToBeMade(checked.people), Counter[str](), list[RowStatus]()
    like: Counter[tuple[str, bool, bool]] = Counter()
    for outcome in outcomes:
        made.take(outcome)
        row = row_of(outcome)
        counts.update(_counted(row))
        kind = row.status, row.is_warned, bool(row.notes)
        like[kind] += 1
        if like[kind] <= _most(row):
            rows.append(row)
    return ImportReport(
        games=sum(like.values()),
        added=counts["added"],
        changed=counts["changed"],
        same=counts["same"],
        errors=counts["error"],
        warnings=counts["warned"],
        asked=counts["asked"],
        unbalanced=counts["unbalanced"],
        as_is=counts["as_is"],
        people=tuple(made.names),
        sessions=tuple(place.label for place in made.sessions),
        renumbered=_renumbered(checked, made),
        rows=tuple(_listed(rows)),
        problems=checked.contents.problems,
        notes=checked.contents.notes,
    )


def _renumbered(checked: FileCheck, made: ToBeMade) -> tuple[str, ...]:
    league = checked.places.league
    found = renumbered(league, made.sessions, league.day_of(timezone.now())) if made.sessions else []
    return tuple(f"{session.date}: {session.number} → {number}" for session, number in found)


def counts_of(rows: Iterable[RowStatus]) -> Counter[str]:
    """Return how many rows there are of each status and of each kind that a report counts."""
    counts = Counter[str]()
    for row in rows:
        counts.update(_counted(row))
    return counts


def _counted(row: RowStatus) -> dict[str, int]:
    marks = {"warned": row.is_warned, "asked": row.is_asked}
    return {row.status: 1, **marks, "unbalanced": row.is_unbalanced, "as_is": row.is_as_it_is}


def _listed(rows: Iterable[RowStatus]) -> Iterator[RowStatus]:
    """Yield the first rows of each kind: those with errors, those with something to say, the others."""
    counts: Counter[tuple[str, bool]] = Counter()
    for row in sorted(rows, key=lambda row: (row.status != "error", not row.notes)):
        kind = row.status, row.is_warned
        counts[kind] += 1
        if counts[kind] <= _most(row):
            yield row


def _most(row: RowStatus) -> int:
    return LISTED_ERRORS if row.status == "error" else LISTED_OF_A_KIND


def row_of(outcome: CheckedGame) -> RowStatus:
    """Return what becomes of a game, as it is kept."""
    return RowStatus(outcome.game.lines, outcome.status, label_of(outcome.game), tuple(outcome.notes))


def label_of(game: ImportedGame) -> str:
    """Return what people recognise a game by: the day and the names."""
    day = game.session.day.isoformat() if game.session else ""
    return f"{day} {'・'.join(name for name in game.names if name)}".strip()
