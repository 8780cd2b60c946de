"""One settings file that refuses nonsense in one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

ROOT = Path(__file__).resolve().parents[2]


def load_settings(**environment: str) -> subprocess.CompletedProcess[str]:
    """Return what happens when a process with this environment reads the settings."""
    code = "from config import settings; print(settings.DATABASES['default']['ENGINE'], settings.CELERY_BROKER_URL)"
    path = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=path | environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        pytest.param({}, "SECRET_KEY is not set", id="no secret"),
        pytest.param({"SECRET_KEY": "x", "DEBUG": "maybe"}, "DEBUG is 'maybe'; write on or off.", id="switch"),
        pytest.param({"SECRET_KEY": "x", "LOG_LEVEL": "LOUD"}, "LOG_LEVEL is 'LOUD'; write one of", id="choice"),
        pytest.param({"SECRET_KEY": "x", "EMAIL_PORT": "0"}, "EMAIL_PORT is '0'; write a whole number", id="number"),
        pytest.param({"SECRET_KEY": "x", "TIME_ZONE": "Asia/Edo"}, "TIME_ZONE is 'Asia/Edo'", id="time zone"),
        pytest.param({"SECRET_KEY": "x", "DATABASE_URL": "mysql://a/b"}, "DATABASE_URL must begin with one of postgresql://", id="database"),
        pytest.param({"SECRET_KEY": "x", "REDIS_URL": "amqp://a"}, "REDIS_URL must begin with one of redis://", id="broker"),
    ],
)
def test_settings_refuse_nonsense(environment: dict[str, str], sentence: str) -> None:
    answer = load_settings(**environment)
    assert answer.returncode != 0
    assert sentence in answer.stderr


def test_settings_without_servers_are_embedded() -> None:
    answer = load_settings(SECRET_KEY="x")
    assert answer.stdout.split() == ["django.db.backends.sqlite3", "memory://"], answer.stderr


def test_settings_name_servers() -> None:
    answer = load_settings(SECRET_KEY="x", DATABASE_URL="postgresql://a@b/c", REDIS_URL="redis://d:1/0")
    assert answer.stdout.split() == ["django.db.backends.postgresql", "redis://d:1/0"], answer.stderr


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "accepts", "language"),
    [
        pytest.param("/", "en", "ja", id="Japanese whatever the browser prefers"),
        pytest.param("/en/", "ja", "en", id="English under its prefix"),
    ],
)
def test_address_decides_the_language(path: str, accepts: str, language: str) -> None:
    answer = Client(headers={"accept-language": accepts}).get(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Language"] == language
    assert f'lang="{language}"' in answer.content.decode()


@pytest.mark.django_db
def test_content_policy_has_no_exception() -> None:
    policy = Client().get("/").headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
