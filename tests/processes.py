import atexit
import ctypes
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PATIENCE = 60.0
"""Timeout in seconds for a server's first answer."""

PR_SET_PDEATHSIG = 1


def server_account() -> pwd.struct_passwd | None:
    """Return the account to run a server under: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    sys.exit("The tests run as root and need an account for PostgreSQL; make one with: adduser --system nobody")


def run(
    command: Sequence[object],
    *,
    account: pwd.struct_passwd | None = None,
    environment: Mapping[str, str] | None = None,
    cwd: Path = Path("/"),
) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        user=account.pw_uid if account else None,
        group=account.pw_gid if account else None,
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{command[0]} failed: {done.stderr.strip()}")


def spawn(
    command: Sequence[object], log: Path, stop: signal.Signals, account: pwd.struct_passwd | None = None
) -> subprocess.Popen[bytes]:
    """Start a server that gets the signal `stop` when its parent process ends."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # The child does nothing here that could need a lock of this process.
            preexec_fn=_dying_with_parent(stop),  # noqa: PLW1509
        )
    atexit.register(end, process, stop)
    return process


def _dying_with_parent(stop: signal.Signals) -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, stop)

    return ask


def end(process: subprocess.Popen[bytes], stop: signal.Signals) -> None:
    if process.poll() is None:
        process.send_signal(stop)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def tied(command: Sequence[object]) -> list[str]:
    """Return a command that ends with its parent process, however that ends."""
    words = [str(word) for word in command]
    if not sys.platform.startswith("linux"):
        return words
    ask = f"import ctypes, os, sys; ctypes.CDLL(None).prctl({PR_SET_PDEATHSIG}, {signal.SIGTERM.value}); "
    return [sys.executable, "-c", ask + "os.execvp(sys.argv[1], sys.argv[1:])", *words]


def program(command: Sequence[object], environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start a program of this project, which ends with the current process."""
    log.parent.mkdir(exist_ok=True)
    with log.open("ab") as said:
        return subprocess.Popen(
            tied(command), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )


def wait_for(process: subprocess.Popen[bytes], answers: Callable[[], bool], log: Path) -> None:
    """Wait until a server answers; exit with its log if it does not."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        if answers():
            return
        time.sleep(0.02)
    sys.exit(f"{process.args!r} did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def reserved_port() -> socket.socket:
    kept = socket.socket()
    kept.bind(("127.0.0.1", 0))
    return kept


def free_port() -> int:
    with reserved_port() as probe:
        return int(probe.getsockname()[1])
