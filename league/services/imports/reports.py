"""What a check found, as pages show it."""

from league.core.imports.games import Game
from league.services.imports.checks import Checked, Outcome, to_be_made
from league.services.imports.values import SHOWN_ROWS, Report, RowStatus

NO_WARNING = frozenset({"changes"})
"""Notes that only explain what becomes of a game."""


def report_on(checked: Checked, *, leaves_out_errors: bool) -> Report:
    """Return the figures of a check and the games that have something to say."""
    people, places = to_be_made(checked)
    told = [outcome for outcome in checked.outcomes if outcome.notes]
    told.sort(key=lambda outcome: outcome.status != "error")
    shown = sorted(told[:SHOWN_ROWS], key=lambda outcome: outcome.game.lines)
    return Report(
        games=len(checked.outcomes),
        added=len(checked.with_status("added")),
        changed=len(checked.with_status("changed")),
        same=len(checked.with_status("same")),
        errors=len(checked.with_status("error")),
        warnings=len([outcome for outcome in told if is_warned(outcome)]),
        leaves_out_errors=leaves_out_errors,
        people=tuple(people),
        sessions=tuple(place.label for place in places),
        rows=tuple(_row(outcome, leaves_out_errors=leaves_out_errors) for outcome in shown),
        problems=checked.contents.problems,
        notes=checked.contents.notes,
    )


def is_warned(outcome: Outcome) -> bool:
    """Whether a game that can be stored should be looked at all the same."""
    return outcome.status != "error" and any(note.code not in NO_WARNING for note in outcome.notes)


def _row(outcome: Outcome, *, leaves_out_errors: bool) -> RowStatus:
    status = "left_out" if outcome.status == "error" and leaves_out_errors else outcome.status
    return RowStatus(outcome.game.lines, status, label_of(outcome.game), tuple(outcome.notes))


def label_of(game: Game) -> str:
    """Return what people recognise a game by: the day and the names."""
    day = game.session.day.isoformat() if game.session else ""
    return f"{day} {'・'.join(name for name in game.names if name)}".strip()
