from dataclasses import replace

from tests.torture.altered import LOCKS_OFF, RETAKE_OFF, TWICE
from tests.torture.faults import HANGING, KILLS, ON_SQLITE
from tests.torture.trial import Trial

BOUNDARIES = Trial(
    "month, year, zone and day boundaries",
    boundaries=True,
    zones=("tokyo", "york", "berlin"),
    faults=("kill board worker in task",),
    times=2,
    corrects=False,
)

CONTROLS = (
    Trial(
        "control: no key",
        guard="a new key with every try",
        bites=("doubled",),
        new_keys=True,
        lost_answers=0.2,
        work=(),
        corrects=False,
        results=40,
        pace=0.05,
    ),
    Trial(
        "control: no locks",
        guard="no statement locks what it reads",
        bites=("lost", "doubled", "diverged"),
        flags=(LOCKS_OFF,),
        zones=("tokyo",),
        tables=4,
        work=(),
        desk_pace=0.02,
        results=100,
        pace=0.02,
    ),
    Trial(
        "control: no outbox",
        guard="stale marks live and die with the messages",
        bites=("diverged", "stale"),
        faults=("marks lost with Redis",),
        times=1,
        ends_with_fault=True,
        work=(),
        corrects=False,
        results=60,
        pace=0.1,
    ),
    Trial(
        "control: no job is taken up again",
        guard="the sweep does not look for jobs",
        bites=("stuck",),
        flags=(RETAKE_OFF,),
        faults=("kill job worker in task",),
        times=2,
        work=("rebuild",),
        corrects=False,
        results=40,
    ),
)

SHORT = (
    Trial(
        "kills by turns",
        faults=tuple(KILLS),
        times=len(KILLS),
        results=60,
        waits=False,
        zones=("tokyo",),
        work=("rebuild",),
        desk_pace=0.1,
    ),
    Trial(
        "hangs", faults=("hang database", "hang broker", "Redis full"), times=3, results=30, zones=("york",), work=()
    ),
    Trial("disk full", faults=("disk full",), times=1, results=20, zones=("tokyo",), work=()),
    replace(BOUNDARIES, results=84, times=1, pace=0.02, work=()),
    *CONTROLS,
    Trial("kills (SQLite)", faults=tuple(ON_SQLITE), times=2, results=30, engine="sqlite", zones=("tokyo",), work=()),
)


def _kill(name: str) -> Trial:
    """Return the trial of one kind of kill; jobs run one at a time."""
    trial = Trial(name, faults=(name,), times=8, results=200, pace=0.25, waits=False)
    return replace(trial, work=("rebuild", "rescore"), desk_pace=0.1) if "job worker" in name else trial


LONG = (
    *(_kill(name) for name in KILLS),
    Trial("all kills at random", faults=tuple(KILLS), times=30, results=900, pace=0.25, waits=False),
    *(Trial(name, faults=(name,), times=3, results=100) for name in HANGING),
    *(
        Trial(name, faults=(name,), times=3, results=100)
        for name in ("Redis full", "Redis read-only", "disk full", "connections used up")
    ),
    Trial("each message twice", flags=(TWICE,), results=200),
    Trial(
        "twice, and killed",
        flags=(TWICE,),
        faults=("kill board worker before ack", "kill Redis"),
        times=6,
        results=200,
    ),
    replace(BOUNDARIES, results=300),
    *CONTROLS,
    *(Trial(name, faults=(name,), times=5, results=120, engine="sqlite") for name in ON_SQLITE),
    Trial("each message twice (SQLite)", flags=(TWICE,), results=100, engine="sqlite"),
    replace(BOUNDARIES, name="boundaries (SQLite)", results=100, engine="sqlite", faults=("kill everything (SQLite)",)),
)
