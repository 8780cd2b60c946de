"""`python -m league.services.imports.child`: reads one file, under limits that the system keeps, and says what is in it.

It knows nothing of the site: no settings, no database, no secret; what a file could make of it is of no use to anybody.
In comes a line of JSON and then the file; out come lines of JSON.
"""

import json
import resource
import sys
from contextlib import suppress
from pathlib import Path

from league.services.imports.refusals import OVER, ImportFileError
from league.services.imports.rows import as_lines, rows_of

MAX_MEMORY = 640 * 1024 * 1024
"""Of addresses, in bytes. The largest workbook that is taken needs about half of it."""

MAX_SECONDS = 15
"""Of the processor. The largest workbook that is taken needs about a third of it."""

MAX_ANSWER = 64 * 1024 * 1024
"""Of the answer, in characters: whoever asked has to hold it."""

MAX_OPEN = 32

LIMITS = {
    resource.RLIMIT_AS: MAX_MEMORY,
    resource.RLIMIT_CPU: MAX_SECONDS,
    resource.RLIMIT_NOFILE: MAX_OPEN,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_CORE: 0,
}


GOES_FIRST = Path("/proc/self/oom_score_adj")
"""Where Linux is told which process to end when the machine has no memory left: this one rather than the site."""


def main() -> int:
    """Answer one file."""
    with suppress(OSError):
        GOES_FIRST.write_text("1000", "ascii")
    for limit, most in LIMITS.items():
        # Systems that are only developed on may know no such limit.
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (most, most))
    try:
        asked = json.loads(sys.stdin.buffer.readline())
        left = MAX_ANSWER
        for line in as_lines(rows_of(sys.stdin.buffer.read(), **asked)):
            left -= len(line)
            if left < 0:
                return OVER
            sys.stdout.write(f"{line}\n")
    except ImportFileError as error:
        sys.stdout.write(json.dumps({"refused": error.code, "values": error.values}))
    except MemoryError:
        return OVER
    return 0


if __name__ == "__main__":
    sys.exit(main())
