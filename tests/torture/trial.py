import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.deadlines import wait_until
from tests.production.parts import Running
from tests.torture.faults import FAULTS
from tests.torture.phones import lines_of
from tests.torture.stack import Stack

PATIENCE = 150.0
"""Seconds in which phones and organisers finish what they began."""

FRESH_WITHIN = 120.0
"""Seconds until boards must be fresh and jobs done, after the last fault and the last result."""

WORK = ("rebuild", "rescore")

HARM = ("lost", "doubled", "refused", "diverged", "stuck", "stale")


@dataclass(frozen=True)
class Trial:
    """A trial: faults, their number, and results; `guard`: the disabled safeguard of a control."""

    name: str
    faults: Sequence[str] = ()
    times: int = 0
    results: int = 100
    engine: str = "postgresql"
    guard: str = ""
    bites: Sequence[str] = ()
    flags: Sequence[str] = ()
    zones: Sequence[str] = ("tokyo", "york")
    work: Sequence[str] = WORK
    tables: int = 8
    pace: float = 0.6
    lost_answers: float = 0.03
    desk_pace: float = 0.5
    new_keys: bool = False
    corrects: bool = True
    ends_with_fault: bool = False
    waits: bool = True

    @property
    def is_control(self) -> bool:
        return bool(self.guard)


@dataclass
class Outcome:
    trial: Trial
    times: int = 0
    kills: int = 0
    submissions: int = 0
    acknowledged: int = 0
    unheard: int = 0
    errors: int = 0
    wrong: dict[str, int] = field(default_factory=dict)
    recovery: float = 0.0
    shown: list[list[str]] = field(default_factory=list)

    @property
    def is_well(self) -> bool:
        """Return whether nothing failed or, for a control, whether the missing safeguard was noticed."""
        if self.trial.is_control:
            return any(self.wrong.get(kind) for kind in self.trial.bites)
        was_tried = self.times > 0 or not self.trial.faults
        return (
            was_tried and self.acknowledged > 0 and not self.unheard and not any(self.wrong.get(kind) for kind in HARM)
        )


class Run:
    def __init__(self, stack: Stack, trial: Trial, number: int, seed: int) -> None:
        self.stack, self.trial, self.seed = stack, trial, seed
        self.name = f"t{number}"
        self.phones, self.desk = (stack.folder / f"{self.name}-{who}.jsonl" for who in ("phones", "desk"))
        self.enough, self.over = (stack.folder / f"{self.name}-{what}" for what in ("enough", "over"))
        self.outcome = Outcome(trial)
        self.dice = Random(f"{seed}-{trial.name}")

    def go(self) -> Outcome:
        trial, stack = self.trial, self.stack
        world = stack.ask("-m", "tests.torture.world", name=self.name, zones=trial.zones, tables=trial.tables)
        set_flags = [stack.flag(name) for name in trial.flags]
        crowd = self._send_out(world)
        self._do_harm(crowd[0])
        self.enough.touch()
        if trial.ends_with_fault:
            self._strike()
        wait_until(lambda: crowd[0].poll() is not None, 2 * PATIENCE)
        self.over.touch()
        for one in crowd:
            wait_until(lambda one=one: one.poll() is not None, PATIENCE + 60)  # type: ignore[misc]
        wait_until(lambda: self._open() == 0, 8.0 if trial.is_control else FRESH_WITHIN)
        for flag in set_flags:
            flag.unlink()
        self._count([league["slug"] for league in world["leagues"]])
        return self.outcome

    def _send_out(self, world: dict[str, Any]) -> list[Running]:
        trial = self.trial
        common = {
            "port": self.stack.port,
            "headers": self.stack.headers,
            "cookies": world["cookies"],
            "seed": f"{self.seed}-{trial.name}",
            "lost_answers": trial.lost_answers,
            "patience": 30.0 if trial.is_control else PATIENCE,
        }
        phones = {
            "ledger": str(self.phones),
            "places": world["places"],
            "enough": str(self.enough),
            "results": trial.results,
            "phones": 8,
            "pace": trial.pace,
            "new_keys": trial.new_keys,
        }
        desk = {
            "ledger": str(self.desk),
            "phones_ledger": str(self.phones),
            "over": str(self.over),
            "leagues": world["leagues"],
            "corrects": trial.corrects,
            "work": list(trial.work),
            "desk_pace": trial.desk_pace,
        }
        crowd = [self.stack.send_out("tests.torture.phones", common | phones)]
        if trial.corrects or trial.work:
            crowd.append(self.stack.send_out("tests.torture.desk", common | desk))
        return crowd

    def _do_harm(self, phones: Running) -> None:
        trial = self.trial
        step, last = trial.results / (trial.times + 1), 0
        for number in range(trial.times):
            # After a long step some faults are overdue; wait, so that results are being sent when the next one happens.
            due = max(step * (number + 0.5), last + step / 2)
            wait_until(lambda due=due: self._sent() >= due or phones.poll() is not None, PATIENCE)  # type: ignore[misc]
            self._strike(number)
            last = self._sent()
            if trial.waits or number == trial.times - 1:
                self._wait_until_fresh()

    def _wait_until_fresh(self) -> None:
        """Record the seconds until everything stale by now was fresh."""
        begun = time.monotonic()
        last = self.stack.number("SELECT COALESCE(MAX(id), 0) FROM league_staleperiod")
        left = f"SELECT COUNT(*) FROM league_staleperiod WHERE id <= {last}"
        wait_until(lambda: self.stack.number(left) == 0, FRESH_WITHIN)
        self.outcome.recovery = max(self.outcome.recovery, time.monotonic() - begun)

    def _strike(self, number: int = 0) -> None:
        names = self.trial.faults
        # Each fault once in turn, then at random.
        name = names[number] if number < len(names) else self.dice.choice(names)
        reached = FAULTS[name](self.stack, self.dice)
        self.outcome.times += reached
        self.outcome.kills += reached if name.startswith(("kill", "stop")) else 0

    def _sent(self) -> int:
        return sum(1 for _ in lines_of(self.phones, "entry"))

    # --- Afterwards --------------------------------------------------------------------------------------------------

    def _open(self) -> int:
        return self.stack.number(
            "SELECT (SELECT COUNT(*) FROM league_staleperiod)"
            " + (SELECT COUNT(*) FROM league_job WHERE state IN ('waiting', 'running'))"
        )

    def _count(self, slugs: list[str]) -> None:
        outcome = self.outcome
        found = self.stack.ask("-m", "tests.torture.audit", ledgers=[str(self.phones), str(self.desk)], slugs=slugs)
        outcome.wrong, outcome.shown = found["counts"], found["shown"]
        outcome.unheard = found["counts"].get("unheard", 0)
        outcome.errors = sum(line["errors"] for line in lines_of(self.phones, "answers"))
        found["states"].pop("answers heard", None)
        outcome.submissions = sum(found["states"].values())
        outcome.acknowledged = sum(n for state, n in found["states"].items() if state.endswith(" sent"))


def run(stack: Stack, trial: Trial, number: int, seed: int) -> Outcome:
    if not wait_until(stack.is_up, PATIENCE):
        sys.exit(f"The site does not answer before “{trial.name}”.")
    return Run(stack, trial, number, seed).go()
