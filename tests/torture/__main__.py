"""`python -m tests.torture`: break the parts of a site while people use it, and count what is wrong afterwards.

Parts are killed, frozen or filled up. Prints the figures of each trial. Exits with 1 if anything was lost, stored twice, stored although
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
from tests.torture.trial import Outcome, Trial, run

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


def lines_of(outcomes: Sequence[Outcome]) -> Iterable[str]:
    for each in outcomes:
        facts = {name: value for name, value in vars(each).items() if name not in {"trial", "shown"}}
        yield f"{each.trial.name} ({each.trial.guard or each.trial.engine}): {_word(each)} {facts}"
        if each.trial.is_control or not each.is_well:
            yield from (f"  {kind}: {text}" for kind, text in each.shown)


def _word(outcome: Outcome) -> str:
    if outcome.trial.is_control:
        return "missed, as it must be" if outcome.is_well else "DID NOT BITE"
    return "well" if outcome.is_well else "WRONG"


if __name__ == "__main__":
    sys.exit(main())
