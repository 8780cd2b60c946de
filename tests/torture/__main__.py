"""`python -m tests.torture`: break the parts of a site while people use it, and count what is wrong afterwards.

Parts are killed, frozen or filled up. Prints one table. Exits with 1 if anything was lost, stored twice, stored although
refused, wrong, stuck or stale, or if a control passed: with a safeguard disabled, errors must show.
"""

# ruff: noqa: E402 - shared test code needs settings; the site gets its own

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import django

SETTINGS = {"DJANGO_SETTINGS_MODULE": "config.settings", "DEBUG": "on", "SECRET_KEY": "only-for-tests"}
for name, value in SETTINGS.items():
    os.environ.setdefault(name, value)
django.setup()

from tests.torture.plan import PLAN
from tests.torture.stack import embedded, production
from tests.torture.trial import HARM, Outcome, Trial, run

ENGINES = {"postgresql": production, "sqlite": embedded}


def main() -> int:
    asked = _arguments()
    chosen = [trial for trial in PLAN if _is_chosen(trial, asked)]
    if not chosen:
        print("No trial has such a name.", file=sys.stderr)
        return 2
    outcomes: list[Outcome] = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with _folder(asked.keep) as folder:
            for engine in ENGINES:
                trials = [trial for trial in chosen if trial.engine == engine]
                for outcome in _tried(trials, folder / engine, asked.seed):
                    outcomes.append(outcome)
    finally:
        print("\n".join(lines_of(outcomes)))
    return int(not all(each.is_well for each in outcomes))


def _arguments() -> argparse.Namespace:
    reads = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    reads.add_argument(
        "--only", nargs="+", default=[], metavar="FAULT", help="trials whose names have one of these in them"
    )
    reads.add_argument("--seed", type=int, default=1)
    reads.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="leave what was sent, and the logs, in this new folder"
    )
    return reads.parse_args()


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    with ExitStack() as ends:
        folder = kept or Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="tenbo-torture-")))
        folder.mkdir(exist_ok=True)
        # PostgreSQL runs under another account.
        folder.chmod(0o755)
        yield folder.resolve()


def _is_chosen(trial: Trial, asked: argparse.Namespace) -> bool:
    if "disk full" in trial.name and os.geteuid() != 0:
        print("disk full: left out, since this account may mount no disk", file=sys.stderr)
        return False
    return not asked.only or any(word.lower() in trial.name.lower() for word in asked.only)


def _tried(trials: list[Trial], folder: Path, seed: int) -> Iterator[Outcome]:
    if not trials:
        return
    folder.mkdir()
    with ENGINES[trials[0].engine](folder).running() as stack:
        for number, trial in enumerate(trials):
            outcome = run(stack, trial, number, seed)
            print(f"{trial.name}: {'' if outcome.is_well else 'WRONG'}", file=sys.stderr)
            yield outcome


# --- The table: one line per trial, with the errors below ------------------------------------------------------------

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
    """Yield the table, a line of totals, and some errors."""
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


if __name__ == "__main__":
    sys.exit(main())
