"""What a check found, as pages show it."""

from league.core.imports.games import Game
from league.services.imports.checks import Checked, Outcome, to_be_made
from league.services.imports.values import SHOWN_ROWS, Report, RowStatus


def report_on(checked: Checked, *, leaves_out_errors: bool) -> Report:
    """Return the figures of a check and the games of which it is."""
    people, places = to_be_made(checked)
    rows = [_row(outcome) for outcome in checked.outcomes]
    found = Report(
        games=len(rows),
        added=len(checked.with_status("added")),
        changed=len(checked.with_status("changed")),
        same=len(checked.with_status("same")),
        errors=len(checked.with_status("error")),
        warnings=sum(row.is_warned for row in rows),
        people=tuple(people),
        sessions=tuple(place.label for place in places),
        rows=tuple(sorted(rows, key=lambda row: (row.status != "error", not row.notes))[:SHOWN_ROWS]),
        problems=checked.contents.problems,
        notes=checked.contents.notes,
    )
    return found.leaving_out(errors=leaves_out_errors)


def _row(outcome: Outcome) -> RowStatus:
    return RowStatus(outcome.game.lines, outcome.status, label_of(outcome.game), tuple(outcome.notes))


def label_of(game: Game) -> str:
    """Return what people recognise a game by: the day and the names."""
    day = game.session.day.isoformat() if game.session else ""
    return f"{day} {'・'.join(name for name in game.names if name)}".strip()
