"""`python -m tests.federation`: plays an evening of many leagues through every part of a federation, each of which is killed
in turn, and prints what that cost.

Ends with 1 if a result was lost or doubled, if a board stayed behind, if somebody was answered what nobody should be, or if
the figures are not what the results make.
"""

# ruff: noqa: E402 - what the tests share wants settings; the site gets its own

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

SETTINGS = {"DJANGO_SETTINGS_MODULE": "config.settings", "DEBUG": "on", "SECRET_KEY": "only-for-tests"}
for name, value in SETTINGS.items():
    os.environ.setdefault(name, value)

from tests.federation.costs import costs, costs_told
from tests.federation.evening import Club, Evening, lost_and_doubled, made, playing, stale, untold
from tests.federation.listening import Listeners, listening
from tests.federation.parts import Federation, started
from tests.federation.table import Row, lines_of
from tests.production.poolers import find_pgbouncer
from tests.tools import find_nginx

PATIENCE = 90.0
"""Seconds within which every board must show what was entered; the sweep finds in 60 what a message did not bring."""

PATIENCE_TOLD = 5.0
"""Seconds after which an open page that was not told counts as untold, once its board shows everything."""


@dataclass(frozen=True)
class Form:
    """How large an evening is. `down`: seconds for which a part is away; `calm`: before that and after it."""

    leagues: int
    readers: int
    phones: int
    calm: float
    down: float
    pauses: tuple[float, float]


LONG = Form(leagues=200, readers=2_000, phones=6, calm=5, down=6, pauses=(1, 40))
SHORT = Form(leagues=12, readers=100, phones=3, calm=1, down=1.5, pauses=(0.5, 20))

KILLED = (
    "edge",
    "web 1",
    "web 2",
    "worker 1",
    "worker 2",
    "worker of jobs",
    "beat",
    "pooler",
    "Redis",
    "databases of leagues",
    "standby",
)
"""Parts that are killed and come back. The primary comes last: the standby takes its place."""


@dataclass
class Rehearsal:
    """An evening under way, and what each part of it cost."""

    federation: Federation
    evening: Evening
    form: Form
    listeners: Listeners
    rows: list[Row] = field(default_factory=list)

    def try_out(self, name: str, hurt: Callable[[], None]) -> None:
        """Play, do something to the federation meanwhile, and count when everybody has come to rest."""
        self.evening.counted_anew()
        self.listeners.counted_anew()
        self.evening.is_playing.set()
        time.sleep(self.form.calm)
        hurt()
        time.sleep(self.form.calm)
        self.evening.rest()
        behind = stale(self.evening, PATIENCE)
        heard = self.evening.counted_anew()
        before = [sum(counts) for counts in zip(*((row.lost, row.doubled) for row in self.rows), strict=True)] or [0, 0]
        lost, doubled = (now - then for now, then in zip(lost_and_doubled(self.evening), before, strict=True))
        not_told = untold(self.evening, self.listeners, heard.played, PATIENCE_TOLD)
        told = self.listeners.counted_anew() if self.listeners.pages else None
        row = Row(
            name, heard.accepted, lost, doubled, len(behind), heard.slowest, heard.read, heard.unanswered,
            heard.slowest_read, dict(heard.wrong), told, not_told,
        )  # fmt: skip
        self.rows.append(row)
        print(f"{name}{'' if row.is_well else ': WRONG'}", file=sys.stderr, flush=True)

    def kill(self, name: str) -> None:
        """Kill a part, and begin it again a moment later."""
        part = self.federation.parts[name]
        part.kill()
        time.sleep(self.form.down)
        part.start()

    def move(self) -> None:
        """Move a league to each database in turn; what it leaves stays for longer than a page may be read there."""
        slug = self.evening.clubs[0].slug
        for target in ("west", "home", "east"):
            self.federation.manage("move_league", slug, "--to", target, "--settle", "3")

    def lose_primary(self) -> None:
        """Kill the primary for good, and have the standby take over."""
        self.federation.parts["primary"].kill()
        time.sleep(self.form.down)
        self.federation.promote()


def main() -> int:
    """Return 0 if everything is as it must be."""
    asked = _arguments()
    form = SHORT if asked.short else LONG
    if missing := [name for name, program in (("nginx", find_nginx()), ("pgbouncer", find_pgbouncer())) if not program]:
        print(f"Not rehearsed: this needs {' and '.join(missing)}; install with: apt-get install {' '.join(missing)}")
        # A machine that knows no such packages passes all else.
        return int(not asked.short)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    clubs: list[Club] = []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tenbo-federation-") as kept:
        folder = Path(kept)
        # Servers run under other accounts.
        folder.chmod(0o755)
        with started(folder, lambda federation: clubs.extend(made(federation, form.leagues))) as federation:
            evening = Evening(federation, clubs)
            # What things cost is for docs/sizing.md: the short form asks whether they are right.
            spent = [] if asked.short else [*costs(evening)]
            with listening(federation, [(club.number, club.page) for club in clubs]) as listeners:
                rehearsal = Rehearsal(federation, evening, form, listeners)
                try:
                    _play(rehearsal)
                finally:
                    print("\n".join(lines_of(rehearsal.rows)))
            if spent:
                print("\nCPU, in what /healthz costs a web:", *costs_told(spent), "", sep="\n")
            federation.manage("verify", "--quiet")
            federation.manage("check_chain")
    print(
        f"{form.leagues} leagues, {form.readers:,} readers, {time.monotonic() - begun:.0f} s. Every figure was verified."
    )
    if asked.json:
        asked.json.write_text(json.dumps([asdict(row) for row in rehearsal.rows], indent=1), "utf-8")
    return int(not all(row.is_well for row in rehearsal.rows))


def _arguments() -> argparse.Namespace:
    reads = argparse.ArgumentParser(prog="python -m tests.federation", description=__doc__)
    reads.add_argument("--short", action="store_true", help="a dozen leagues and a hundred readers")
    reads.add_argument("--json", type=Path, metavar="FILE", help="keep the rows")
    return reads.parse_args()


def _play(rehearsal: Rehearsal) -> None:
    form, federation = rehearsal.form, rehearsal.federation
    with playing(rehearsal.evening, form.phones, form.readers, form.pauses):
        rehearsal.try_out("nothing", lambda: None)
        for name in KILLED:
            rehearsal.try_out(name, lambda name=name: rehearsal.kill(name))  # type: ignore[misc]
        rehearsal.try_out("a league moves", rehearsal.move)
        federation.wait_for_each_other()
        rehearsal.try_out("primary, standby promoted", rehearsal.lose_primary)


if __name__ == "__main__":
    sys.exit(main())
