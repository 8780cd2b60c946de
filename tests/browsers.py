"""Where a Chromium is, and how it is brought to a machine that has none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
"""A browser that keeps to itself: no look-ups of its own, no sandbox that root could not have."""


def find_browser() -> str | None:
    """Return a Chromium: the one that $CHROMIUM names, or the first on the path."""
    if named := os.environ.get("CHROMIUM"):
        return named if Path(named).exists() else None
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def bring(program: str, packages: list[str]) -> None:
    """Install Debian packages that provide a program; end the run in one sentence where that cannot be done."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
        subprocess.run(["apt-get", "update", "-qq"], env=quiet, check=False, stdout=subprocess.DEVNULL)
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
        if subprocess.run(command, env=quiet, check=False, stdout=subprocess.DEVNULL).returncode == 0:
            return
    sys.exit(f"The tests need {program}; install it with: apt-get install {' '.join(packages)}")
