import base64
import hashlib
import json
import re
import subprocess
from typing import Any

import pytest
import yaml
from django.conf import settings

from tests.conftest import ROOT
from tests.size import settings_read

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVING = ("web", "worker", "jobs", "beat")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


@pytest.mark.parametrize("name", ["proxy", "worker", "jobs", "beat", "database", "broker"])
def test_compose_services_have_health_checks(name: str) -> None:
    assert COMPOSE["services"][name]["healthcheck"]["test"]


def test_each_worker_has_one_queue() -> None:
    commands = [service.get("command", ()) for service in COMPOSE["services"].values()]
    queues = [words[words.index("--queues") + 1] for words in commands if "--queues" in words]
    assert sorted(queues) == sorted(settings.CELERY_TASK_QUEUES)
    assert all("--queues" in words for words in commands if "celery" in words and "worker" in words)


def test_compose_has_no_default_secret() -> None:
    text = (ROOT / "compose.yaml").read_text("utf-8")
    for secret in ("SECRET_KEY", "POSTGRES_PASSWORD", "POSTGRES_PAGES_PASSWORD"):
        assert all(mark.startswith(":?") for mark in re.findall(rf"\$\{{{secret}\b([^}}]*)\}}", text))


def test_only_migrations_connect_as_the_table_owner() -> None:
    addresses = {
        name: part.get("environment", {}).get("DATABASE_URL", "") for name, part in COMPOSE["services"].items()
    }
    assert {name for name, address in addresses.items() if "postgresql://tenbo:" in address} == {"migrate"}
    assert {name for name, address in addresses.items() if "postgresql://tenbo_pages:" in address} == set(SERVING)
    assert {name for name, address in addresses.items() if "OWNER_DATABASE_URL" in address} == {"migrate"}


NOT_IN_A_CONTAINER = {
    "DEBUG": "shows everybody what is only for who works on the code",
    "DEMO": "lets everybody in",
    "EMBEDDED": "is for one process alone, without servers",
    "VAR_DIR": "holds what a site without servers keeps",
}
"""Settings that compose.yaml does not pass on, with the reason."""


@pytest.mark.long
@pytest.mark.parametrize("name", [*SERVING, "migrate"])
def test_compose_passes_on_exactly_the_known_settings(name: str) -> None:
    passed = set(COMPOSE["services"][name]["environment"])
    # Lets the owner of the tables set the other role's password.
    assert passed - {"SERVING_PASSWORD"} == settings_read() - set(NOT_IN_A_CONTAINER)


def test_compose_settings_are_variables() -> None:
    fixed = {
        (service, name): value
        for service in SERVING
        for name, value in COMPOSE["services"][service]["environment"].items()
        if not re.match(rf"\$\{{{name}[:?-]", value)
    }
    assert fixed == {}


def documented(heading: str) -> set[str]:
    page = (ROOT / "docs" / "operating" / "settings.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[^|]+) \|", page.partition(f"\n{heading}\n")[2].partition("\n#")[0], re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_documented_settings_are_those_read() -> None:
    assert documented("## Environment variables") == settings_read()


def test_compose_variables_are_documented() -> None:
    named = set(re.findall(r"\$\{(\w+)[:?-]", (ROOT / "compose.yaml").read_text("utf-8")))
    assert documented("## Variables of compose.yaml") == named - settings_read()


def instructions(word: str) -> list[str]:
    lines = re.sub(r"\\\n\s*", "", DOCKERFILE).splitlines()
    return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]


def test_image_never_runs_as_root() -> None:
    assert instructions("USER") == ["10001"]
    assert DOCKERFILE.index("USER 10001") < DOCKERFILE.index("\nCMD ")


def test_image_serves_as_compose_does() -> None:
    assert json.loads(instructions("CMD")[-1]) == COMPOSE["services"]["web"]["command"]


def test_continuous_integration_runs_all_steps() -> None:
    script = ROOT / ".ci" / "run"
    commands = re.findall(r"^ *make (.+)$", script.read_text("utf-8"), re.MULTILINE)
    assert commands[:3] == ["check", "audit", 'bench BENCH="--size smallest --counts"']
    assert commands[3:] == ["test TIERS=quick,merge", "test-sqlite", "test-touched", "torture"]
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_vendored_files_match_the_manifest() -> None:
    folder = ROOT / "static" / "vendor"
    listed = {entry["file"]: entry for entry in json.loads((folder / "manifest.json").read_text("utf-8"))["files"]}
    present = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {"manifest.json"}
    assert present == set(listed)
    for name, entry in listed.items():
        assert entry["package"]
        assert entry["version"]
        assert entry["licence"]
        digest = base64.b64encode(hashlib.sha384((folder / name).read_bytes()).digest()).decode()
        assert entry["sha384"] == f"sha384-{digest}"


def test_no_package_registry_is_named() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    hosts = re.compile("pypi" + r"\.org|registry\.npmjs|files\.pythonhosted|deb\.debian")
    named = [
        name
        for name in tracked.split("\0")
        if name and (ROOT / name).is_file() and hosts.search((ROOT / name).read_text("utf-8", "ignore"))
    ]
    assert named == []
