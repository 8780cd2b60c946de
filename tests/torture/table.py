"""The table: one line for each trial, and below it what was wrong."""

from collections.abc import Iterable, Sequence

from tests.torture.trial import HARM, Outcome

SAID = {"refused": "refused, there", "stuck": "stuck jobs", "stale": "stale boards"}
HEADS = (
    "fault",
    "times",
    "kills",
    "sent",
    "acknowledged",
    *(SAID.get(kind, kind) for kind in HARM),
    "unheard",
    "500s",
    "fresh after",
    "",
)


def lines_of(outcomes: Sequence[Outcome]) -> Iterable[str]:
    """Yield the table, a line for the sum of what is no control, and a few things that were wrong."""
    rows = [_row(each) for each in outcomes]
    tried = [each for each in outcomes if not each.trial.is_control]
    rows.append(_sum(tried))
    widths = [max(len(row[column]) for row in (HEADS, *rows)) for column in range(len(HEADS))]
    for row in (HEADS, *rows):
        first, *rest = (
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join((first, *rest)).rstrip()
    for each in outcomes:
        yield from _explained(each)


def _row(outcome: Outcome) -> tuple[str, ...]:
    facts = (outcome.times, outcome.kills, outcome.submissions, outcome.acknowledged)
    wrong = (outcome.wrong.get(kind, 0) for kind in HARM)
    counts = (str(number) for number in (*facts, *wrong, outcome.unheard, outcome.errors))
    return (outcome.trial.name, *counts, f"{outcome.recovery:.1f} s", _word(outcome))


def _word(outcome: Outcome) -> str:
    if outcome.trial.is_control:
        return "missed, as it must be" if outcome.is_well else "DID NOT BITE"
    return "" if outcome.is_well else "WRONG"


def _sum(tried: Sequence[Outcome]) -> tuple[str, ...]:
    facts = ("times", "kills", "submissions", "acknowledged")
    numbers = [sum(getattr(each, name) for each in tried) for name in facts]
    numbers += [sum(each.wrong.get(kind, 0) for each in tried) for kind in HARM]
    numbers += [sum(getattr(each, name) for each in tried) for name in ("unheard", "errors")]
    slowest = max((each.recovery for each in tried), default=0)
    return ("all but controls", *map(str, numbers), f"{slowest:.1f} s", "")


def _explained(outcome: Outcome) -> Iterable[str]:
    if outcome.is_well and not outcome.trial.is_control:
        return
    if outcome.trial.is_control:
        yield f"{outcome.trial.name}: {outcome.trial.guard}"
    for kind, text in outcome.shown:
        yield f"  {outcome.trial.name}: {kind}: {text}"
