from tests.torture.altered import LOCKS_OFF, RETAKE_OFF, TWICE
from tests.torture.faults import HANGING, KILLS, ON_SQLITE
from tests.torture.trial import Trial

BOUNDARIES = Trial(
    "boundaries of months and days, each message twice",
    boundaries=True,
    flags=(TWICE,),
    zones=("tokyo", "york", "berlin"),
    faults=("kill board worker in task",),
    times=1,
    results=84,
    pace=0.02,
    work=(),
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

PLAN = (
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
        "hangs and shortages",
        faults=(*HANGING, "Redis full", "Redis read-only", "connections used up"),
        times=len(HANGING) + 3,
        results=60,
        waits=False,
        zones=("york",),
        work=(),
    ),
    Trial("disk full", faults=("disk full",), times=1, results=20, zones=("tokyo",), work=()),
    BOUNDARIES,
    *CONTROLS,
    Trial("kills (SQLite)", faults=tuple(ON_SQLITE), times=3, results=30, engine="sqlite", zones=("tokyo",), work=()),
)
