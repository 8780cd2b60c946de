"""Check libraries for known vulnerabilities: `python -m tests.audit` or `make audit`.

Without a network connection, report that nothing was checked and succeed.
"""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 120
UNASKED = "No service answered that knows of vulnerable libraries: nothing was checked."


def main() -> int:
    if find_spec("pip_audit") is None:
        sys.exit("pip-audit is not installed; make audit brings it.")
    line = [sys.executable, "-m", "pip_audit", "--requirement", "requirements.txt", "--disable-pip", "--require-hashes"]
    line += ["--format", "json", "--progress-spinner", "off", "--timeout", "10"]
    try:
        told = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE).stdout
    except subprocess.TimeoutExpired:
        told = ""
    status, sentences = verdict(told)
    sys.stdout.write("\n".join(sentences) + "\n")
    return status


def verdict(told: str) -> tuple[int, list[str]]:
    """Return (exit code, message) for pip-audit's output, which is not JSON if there was no connection."""
    try:
        libraries: list[dict[str, Any]] = json.loads(told)["dependencies"]
    except (ValueError, KeyError):
        return 0, [UNASKED]
    asked = [library for library in libraries if "skip_reason" not in library]
    if not asked:
        return 0, [UNASKED]
    unknown = [library["name"] for library in libraries if "skip_reason" in library]
    sentences = [f"Not known to the service, so not checked: {', '.join(unknown)}."] if unknown else []
    found = [(library, hole) for library in asked for hole in library["vulns"]]
    for library, hole in found:
        mended = ", ".join(hole["fix_versions"]) or "no release yet"
        sentences.append(f"{library['name']} {library['version']}: {hole['id']}, mended in {mended}.")
    return (1 if found else 0), sentences or [f"{len(asked)} libraries, none known to be vulnerable."]


if __name__ == "__main__":
    sys.exit(main())
