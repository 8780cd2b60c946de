"""Files that no other tool looks at: containers, continuous integration, vendored scripts."""

import base64
import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
SERVICE_KEYS = {
    "build",
    "image",
    "restart",
    "environment",
    "depends_on",
    "ports",
    "command",
    "healthcheck",
    "volumes",
}


def test_compose_has_every_part() -> None:
    assert set(COMPOSE["services"]) == {"web", "worker", "beat", "migrate", "database", "broker"}


@pytest.mark.parametrize("name", sorted(COMPOSE["services"]))
def test_compose_service_is_well_formed(name: str) -> None:
    service = COMPOSE["services"][name]
    assert set(service) <= SERVICE_KEYS
    for dependency, condition in service.get("depends_on", {}).items():
        assert dependency in COMPOSE["services"]
        assert condition["condition"] in {"service_healthy", "service_completed_successfully"}


@pytest.mark.parametrize("name", ["worker", "beat", "database", "broker"])
def test_compose_service_tells_its_health(name: str) -> None:
    assert COMPOSE["services"][name]["healthcheck"]["test"]


def test_compose_has_no_default_secret() -> None:
    text = (ROOT / "compose.yaml").read_text("utf-8")
    for secret in ("SECRET_KEY", "POSTGRES_PASSWORD"):
        assert all(mark.startswith(":?") for mark in re.findall(rf"\$\{{{secret}([^}}]*)\}}", text))


def test_compose_names_only_variables_that_the_settings_read() -> None:
    settings = (ROOT / "config" / "settings.py").read_text("utf-8")
    for name in COMPOSE["services"]["web"]["environment"]:
        assert f'"{name}"' in settings


def test_dockerfile_is_sound() -> None:
    """Hold the file to the rules that container linters agree on."""
    lines = re.sub(r"\\\n\s*", "", DOCKERFILE).splitlines()
    words = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    known = {"FROM", "ENV", "WORKDIR", "RUN", "COPY", "USER", "EXPOSE", "HEALTHCHECK", "CMD"}
    assert {word for word, _ in words if word.isupper()} <= known
    images = [rest.split()[0] for word, rest in words if word == "FROM"]
    assert all(":" in image and not image.endswith(":latest") for image in images)
    instructions = [word for word, _ in words]
    assert [rest for word, rest in words if word == "USER"] == ["tenbo"]
    assert instructions.index("USER") < instructions.index("CMD")
    assert "HEALTHCHECK" in DOCKERFILE
    for word, rest in words:
        if word == "CMD":
            assert json.loads(rest)
        if word == "WORKDIR":
            assert rest.startswith("/")
    assert "sudo" not in DOCKERFILE
    assert "ADD " not in DOCKERFILE


def test_continuous_integration_runs_check_and_test() -> None:
    script = ROOT / ".ci" / "run"
    assert re.findall(r"^make (\w+)$", script.read_text("utf-8"), re.MULTILINE) == ["check", "test"]
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_vendored_files_are_what_the_manifest_says() -> None:
    folder = ROOT / "static" / "vendor"
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    listed = {entry["file"]: entry for entry in manifest["files"]} if isinstance(manifest, dict) else {}
    present = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {"manifest.json"}
    assert present == set(listed)
    for name, entry in listed.items():
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
