"""`python -m tests.torture`: kills, hangs and fills whatever Tenbo runs on while people use it, and counts what is wrong afterwards.

Prints one table. Ends with 1 if anything was lost, doubled, stored although it was refused, wrong, stuck or stale, and if
a control passed: a guard that is off must be missed.
"""

# ruff: noqa: E402 - what the tests share wants settings; the site gets its own

import argparse
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

import django

SETTINGS = {"DJANGO_SETTINGS_MODULE": "config.settings", "DEBUG": "on", "SECRET_KEY": "only-for-tests"}
for name, value in SETTINGS.items():
    os.environ.setdefault(name, value)
django.setup()

from tests.torture.plan import LONG, SHORT
from tests.torture.stack import Stack, embedded, production
from tests.torture.table import lines_of
from tests.torture.trial import Outcome, Trial, run

LEAST_KILLS, LEAST_SENT = 100, 5_000

ENGINES = {"postgresql": production, "sqlite": embedded}


def main() -> int:
    """Return 0 if everything is as it must be."""
    asked = _arguments()
    chosen = [trial for trial in (LONG if asked.long else SHORT) if _is_chosen(trial, asked)]
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
        if asked.json:
            asked.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=1), "utf-8")
    return int(not all(each.is_well for each in outcomes) or (_is_whole(asked) and not _is_enough(outcomes)))


def _is_whole(asked: argparse.Namespace) -> bool:
    return asked.long and not asked.only and not asked.without


def _is_enough(outcomes: list[Outcome]) -> bool:
    """Return whether the long form has tried what it promises."""
    kills, sent = sum(each.kills for each in outcomes), sum(each.submissions for each in outcomes)
    if kills >= LEAST_KILLS and sent >= LEAST_SENT:
        return True
    print(f"Only {kills} kills under {sent} results: the long form promises more.", file=sys.stderr)
    return False


def _arguments() -> argparse.Namespace:
    reads = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    forms = reads.add_mutually_exclusive_group()
    forms.add_argument(
        "--short", action="store_true", help="a handful of kills of every kind, and all controls; the default"
    )
    forms.add_argument(
        "--long", action="store_true", help="more than a hundred kills, every fault by itself, all controls"
    )
    reads.add_argument(
        "--only", nargs="+", default=[], metavar="FAULT", help="trials whose names have one of these in them"
    )
    reads.add_argument("--without", nargs="+", default=[], metavar="FAULT", help="leave those out")
    reads.add_argument("--seed", type=int, default=1)
    reads.add_argument("--json", type=Path, metavar="FILE", help="keep the rows")
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
    def is_named(words: list[str]) -> bool:
        return any(word.lower() in trial.name.lower() for word in words)

    if "disk full" in trial.name and os.geteuid() != 0:
        print("disk full: left out, since this account may mount no disk", file=sys.stderr)
        return False
    return (not asked.only or is_named(asked.only)) and not is_named(asked.without)


def _tried(trials: list[Trial], folder: Path, seed: int) -> Iterator[Outcome]:
    if not trials:
        return
    folder.mkdir()
    with _running(trials[0].engine, folder) as stack:
        for number, trial in enumerate(trials):
            outcome = run(stack, trial, number, seed)
            print(f"{trial.name}: {outcome.seconds:.0f} s {'' if outcome.is_well else 'WRONG'}", file=sys.stderr)
            yield outcome


@contextmanager
def _running(engine: str, folder: Path) -> Iterator[Stack]:
    with ExitStack() as ends:
        stack = ENGINES[engine](folder)
        ends.callback(stack.end)
        stack.begin()
        yield stack


if __name__ == "__main__":
    sys.exit(main())
