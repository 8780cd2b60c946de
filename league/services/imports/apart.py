"""A file is read in a process of its own: the library is compiled, and nobody can interrupt it where it works.

Such a process has a limit of memory and of time, and its end is the end of one upload.
"""

import json
import logging
import subprocess
import sys
from pathlib import Path
from threading import BoundedSemaphore

from league.core.spreadsheets.decode import is_workbook
from league.services.imports.refusals import OVER, ImportFileError
from league.services.imports.rows import FileRows, from_lines, rows_of

logger = logging.getLogger(__name__)

SMALL = 64 * 1024
"""A text up to this size in bytes is read where it is: what it costs grows with it, and cannot be more than a moment."""

MAX_WAIT = 18
"""Seconds that somebody waits for a file to be read, whatever else the machine does."""

MAX_TURN = 5
"""Seconds that a file waits for its turn."""

ROOT = Path(__file__).resolve().parents[3]
COMMAND = (sys.executable, "-m", "league.services.imports.child")
SURROUNDINGS = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}

_AT_ONCE = BoundedSemaphore(2)
"""So many files are read at once for a process of the site."""


def read_file(data: bytes, encoding: str = "", delimiter: str = "", sheet: str = "") -> FileRows:
    """Return the rows of an upload, as `rows_of` does.

    Raises ImportFileError, "too_costly" where reading took more than it may and "busy" where too many files are read or
    the machine has no room for one more.
    """
    if len(data) <= SMALL and not is_workbook(data):
        return rows_of(data, encoding, delimiter)
    asked = {"encoding": encoding, "delimiter": delimiter, "sheet": sheet}
    if not _AT_ONCE.acquire(timeout=MAX_TURN):
        raise ImportFileError("busy")
    try:
        answer = _answer(json.dumps(asked).encode() + b"\n" + data)
    finally:
        _AT_ONCE.release()
    return _taken(answer)


def _answer(sent: bytes) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - our own program, and nothing of the upload in its arguments
            COMMAND, input=sent, capture_output=True, timeout=MAX_WAIT, cwd=ROOT, env=SURROUNDINGS, check=True
        )
    except OSError as error:
        raise ImportFileError("busy") from error
    except subprocess.TimeoutExpired as error:
        raise ImportFileError("too_costly") from error
    except subprocess.CalledProcessError as error:
        raise _refusal(error, len(sent)) from error
    return done.stdout


def _refusal(error: subprocess.CalledProcessError, size: int) -> ImportFileError:
    """Return what to say of a file at which the process ended: by a limit, or by a fault that the log tells."""
    if error.returncode == OVER or error.returncode < 0:
        return ImportFileError("too_costly")
    said = error.stderr.decode(errors="replace").splitlines() or [""]
    # Where and how, but nothing that may have stood in the file.
    place = next((line.strip() for line in reversed(said) if line.startswith("  File ")), "")
    logger.error("A file of %s bytes could not be read: %s %s", size, said[-1].partition(":")[0], place)
    return ImportFileError("unreadable")


def _taken(answer: bytes) -> FileRows:
    """Return what the process found, or raise what it refused the file for."""
    if answer.startswith(b'{"refused"'):
        refusal = json.loads(answer)
        raise ImportFileError(refusal["refused"], **refusal["values"])
    return from_lines(answer.splitlines())
