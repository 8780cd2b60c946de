"""What compose.yaml says: the commands and variables of its services, with this machine's servers in them."""

import os
import platform
import re
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT

SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]

HOST = "tenbo.example"
SECRET = "0123456789abcdef" * 4

PROGRAMS = Path(sys.executable).parent


def environment(home: Path, database: str, redis: str = "") -> dict[str, str]:
    """Return the environment that compose.yaml gives the web service, with this database and Redis (the tests') in it."""
    given = {"SECRET_KEY": SECRET, "ALLOWED_HOSTS": HOST}
    named = {name: filled(str(value), given) for name, value in SERVICES["web"]["environment"].items()}
    named |= {"DATABASE_URL": database, "REDIS_URL": redis or os.environ["REDIS_URL"], "HOME": str(home)}
    return named | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOSTNAME": platform.node()}


def command(service: str, **replaced: str) -> list[str]:
    """Return a service's own command with some of its words replaced."""
    return [replaced.get(word, word) for word in SERVICES[service]["command"]]


def filled(text: str, given: dict[str, str]) -> str:
    """Return a compose value with its variables replaced: given ones, else their defaults."""

    def value(match: re.Match[str]) -> str:
        name, default = match[1], match[2] or ""
        return given.get(name, default.removeprefix(":-") if default.startswith(":-") else "unset")

    return re.sub(r"\$\{(\w+)(:[-?][^}]*)?\}", value, text)
