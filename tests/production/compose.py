"""Commands and variables of the services in compose.yaml, adapted to this machine's servers."""

import os
import platform
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT

SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]

HOST = "tenbo.example"
SECRET = "0123456789abcdef" * 4

PROGRAMS = Path(sys.executable).parent


def environment(home: Path, database: str, redis: str | None = None) -> dict[str, str]:
    """Return the environment of compose.yaml's web service, with the tests' database and Redis."""
    # The default backup folder exists only in the image.
    given = {"SECRET_KEY": SECRET, "ALLOWED_HOSTS": HOST, "BACKUP_DIR": ""}
    named = {name: filled(str(value), given) for name, value in SERVICES["web"]["environment"].items()}
    named |= {
        "DATABASE_URL": database,
        "REDIS_URL": os.environ["REDIS_URL"] if redis is None else redis,
        "HOME": str(home),
    }
    return named | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOSTNAME": platform.node()}


def command(service: str, **replaced: str) -> list[str]:
    return [replaced.get(word, word) for word in SERVICES[service]["command"]]


VARIABLE = re.compile(r"\$\{(\w+)(?:(:?[-?])([^{}]*))?\}")


def filled(text: str, given: Mapping[str, str]) -> str:
    """Substitute variables in a compose value: given ones, else their defaults, which may contain others."""

    def value(match: re.Match[str]) -> str:
        name, mark, default = match[1], match[2] or "", match[3] or ""
        is_set = bool(given.get(name)) if mark.startswith(":") else name in given
        if is_set:
            return given[name]
        return default if mark.endswith("-") else "unset"

    while VARIABLE.search(text):
        text = VARIABLE.sub(value, text)
    return text


def replaced(text: str, given: Mapping[str, str]) -> str:
    for word, instead in given.items():
        assert word in text, word
        text = text.replace(word, instead)
    return text
