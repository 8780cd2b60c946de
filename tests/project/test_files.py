"""Files that no other tool looks at: containers, continuous integration, vendored scripts."""

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

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def test_compose_has_every_part() -> None:
    assert set(COMPOSE["services"]) == {"proxy", "web", "worker", "jobs", "beat", "migrate", "database", "broker"}


@pytest.mark.parametrize("name", sorted(COMPOSE["services"]))
def test_compose_service_waits_for_services_that_exist(name: str) -> None:
    assert set(COMPOSE["services"][name].get("depends_on", {})) <= set(COMPOSE["services"])


@pytest.mark.parametrize("name", ["proxy", "worker", "jobs", "beat", "database", "broker"])
def test_compose_service_tells_its_health(name: str) -> None:
    assert COMPOSE["services"][name]["healthcheck"]["test"]


def test_no_worker_has_both_quick_and_long_work_in_front_of_it() -> None:
    commands = [service.get("command", ()) for service in COMPOSE["services"].values()]
    queues = [words[words.index("--queues") + 1] for words in commands if "--queues" in words]
    assert sorted(queues) == sorted(settings.CELERY_TASK_QUEUES)
    assert all("--queues" in words for words in commands if "celery" in words and "worker" in words)


def test_compose_has_no_default_secret() -> None:
    text = (ROOT / "compose.yaml").read_text("utf-8")
    for secret in ("SECRET_KEY", "POSTGRES_PASSWORD", "POSTGRES_PAGES_PASSWORD"):
        assert all(mark.startswith(":?") for mark in re.findall(rf"\$\{{{secret}\b([^}}]*)\}}", text))


def test_only_what_migrates_comes_as_the_owner_of_the_tables() -> None:
    addresses = {
        name: part.get("environment", {}).get("DATABASE_URL", "") for name, part in COMPOSE["services"].items()
    }
    assert {name for name, address in addresses.items() if address.startswith("postgresql://tenbo:")} == {"migrate"}
    serving = {name for name, address in addresses.items() if address.startswith("postgresql://tenbo_pages:")}
    assert serving == {"web", "worker", "jobs", "beat"}
    assert "grant_roles tenbo_pages" in COMPOSE["services"]["migrate"]["command"][-1]


def variables() -> set[str]:
    """Return the names of the environment variables that the settings read."""
    return set(re.findall(r'environment\.\w+\(\s*"(\w+)"', (ROOT / "config" / "settings.py").read_text("utf-8")))


def test_compose_names_only_variables_that_the_settings_read() -> None:
    assert set(COMPOSE["services"]["web"]["environment"]) <= variables()


def test_every_variable_is_explained() -> None:
    page = (ROOT / "docs" / "operating.md").read_text("utf-8")
    assert {name for name in variables() if f"`{name}`" not in page} == set()


def instructions(word: str) -> list[str]:
    """Return what stands behind an instruction of the Dockerfile, in order; long lines are joined."""
    lines = re.sub(r"\\\n\s*", "", DOCKERFILE).splitlines()
    return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]


def test_image_never_runs_as_root() -> None:
    assert instructions("USER") == ["10001"]
    assert DOCKERFILE.index("USER 10001") < DOCKERFILE.index("\nCMD ")


def test_image_serves_as_compose_does() -> None:
    assert json.loads(instructions("CMD")[-1]) == COMPOSE["services"]["web"]["command"]


def test_image_knows_how_to_tell_its_health() -> None:
    (check,) = instructions("HEALTHCHECK")
    assert json.loads(check.partition("CMD ")[2])[0] == "python"


def test_continuous_integration_runs_check_and_test() -> None:
    script = ROOT / ".ci" / "run"
    assert re.findall(r"^make (\w+)$", script.read_text("utf-8"), re.MULTILINE) == ["check", "audit", "test"]
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_vendored_files_are_what_the_manifest_says() -> None:
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


def test_no_registry_is_named() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    hosts = re.compile("pypi" + r"\.org|registry\.npmjs|files\.pythonhosted|deb\.debian")
    named = [
        name
        for name in tracked.split("\0")
        if name and (ROOT / name).is_file() and hosts.search((ROOT / name).read_text("utf-8", "ignore"))
    ]
    assert named == []
