import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.core import signing
from django.test import Client

from league.services.history import SYSTEM
from league.services.links import code_of, issue_link, link_for
from tests.conftest import ROOT
from tests.league.factories import make_league, make_session, make_user

SECRET = "a key that is only long - for tests"
SHOWN = 'settings.DATABASES["default"]["ENGINE"], settings.CELERY_BROKER_URL, settings.SECRET_KEY'


def load_settings(folder: Path, shown: str = SHOWN, **environment: str) -> subprocess.CompletedProcess[str]:
    code = f"from config import settings; print({shown})"
    outside = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    outside |= {"VAR_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=outside | environment, capture_output=True, text=True, check=False
    )


POSTGRESQL = "postgresql://a@b/c"


@pytest.mark.long
@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        pytest.param("SECRET_KEY", "", "SECRET_KEY is not set; give it a long random text", id="no secret"),
        pytest.param("SECRET_KEY", "changeme", "SECRET_KEY is too short", id="short secret"),
        pytest.param(
            "SECRET_KEY_FALLBACKS", f"{SECRET},changeme", "SECRET_KEY_FALLBACKS is too short", id="old secret"
        ),
        pytest.param("DEBUG", "maybe", "DEBUG is 'maybe'; write on or off.", id="switch"),
        pytest.param("EMAIL_URL", "smtp://a.example:smtp", "EMAIL_URL cannot be read", id="port of mail in words"),
        pytest.param("EMAIL_URL", "smtp://a.example?tls=maybe", "EMAIL_URL cannot be read; write smtp://", id="mail"),
        pytest.param("EMAIL_URL", "a.example", "EMAIL_URL must begin with one of smtp://", id="host of mail alone"),
        pytest.param("LINE_KEY", "half", "LINE_KEY cannot be read; write it as id:secret.", id="half a key"),
        pytest.param("TIME_ZONE", "Asia/Edo", "TIME_ZONE is 'Asia/Edo'; write one such as Asia/Tokyo.", id="time zone"),
        pytest.param("ALLOWED_HOSTS", "https://a.example", "write host names only", id="address for a host"),
        pytest.param("DATABASE_URL", "mysql://a/b", "DATABASE_URL must begin with one of postgresql://", id="database"),
        pytest.param("DATABASE_URL", "postgresql://a@b:port/c", "DATABASE_URL cannot be read", id="port in words"),
        pytest.param("DATABASE_URL", "postgresql://a@b", "DATABASE_URL names no database", id="no database"),
        pytest.param("EDGE", "nginx", "EDGE is 'nginx'; write on or off.", id="edge by name"),
        pytest.param("STATIC_ORIGIN", "static.example", "write an origin such as https://", id="host for files"),
        pytest.param("STATIC_ORIGIN", "https://a.example,https://b.example", "write one.", id="two origins for files"),
        pytest.param("PROXIES", "nginx", "PROXIES is 'nginx'; write a whole number from 0 to 9.", id="proxy by name"),
        pytest.param("DATABASE_TIMEOUT", "0", "write a whole number from 1 to 3600.", id="no time at all"),
        pytest.param("DATABASE_TIMEOUT", "٣", "write a whole number from 1 to 3600.", id="foreign digits"),
        pytest.param("PHOTOS_URL", "minio://a", "PHOTOS_URL must begin with one of s3://", id="another store"),
        pytest.param(
            "PHOTOS_URL", "s3://a:b@A_b", "PHOTOS_URL cannot be read; write s3://id:secret@bucket", id="no bucket"
        ),
        pytest.param(
            "PHOTOS_URL", "s3://a:b@a-bucket?path=x", "PHOTOS_URL cannot be read", id="unknown option of a store"
        ),
        pytest.param(
            "PHOTOS_URL",
            "s3://a:b@a-bucket?endpoint=store.example",
            "its endpoint is an origin",
            id="store without a scheme",
        ),
        pytest.param("PHOTOS_URL", "s3://a-bucket", "PHOTOS_URL has no key for the store", id="store without a key"),
        pytest.param("REDIS_URL", "amqp://a", "REDIS_URL must begin with one of redis://, rediss://", id="broker"),
    ],
)
def test_invalid_settings_are_refused_with_a_message(tmp_path: Path, variable: str, value: str, sentence: str) -> None:
    answer = load_settings(tmp_path, **{"SECRET_KEY": SECRET, "DATABASE_URL": POSTGRESQL, variable: value})
    assert answer.returncode != 0
    assert sentence in answer.stderr.splitlines()[-1]


@pytest.mark.long
def test_settings_never_repeat_a_password(tmp_path: Path) -> None:
    for variable in ("DATABASE_URL", "REDIS_URL"):
        answer = load_settings(tmp_path, **{"SECRET_KEY": SECRET, variable: "nonsense://me:hush@there"})
        assert answer.returncode != 0
        assert "hush" not in answer.stderr


POOLED = 'settings.DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"]'
STORE = 'settings.PHOTO_STORE.get("address"), settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["img-src"]'
MAIL = (
    "settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD"
    ", settings.EMAIL_USE_TLS, settings.DEFAULT_FROM_EMAIL"
)
SERVERS = (
    '[[each["HOST"], each["PORT"], each["OPTIONS"]["target_session_attrs"]] for each in settings.DATABASES.values()]'
)
AMAZON = "https://a-bucket.s3.eu-west-1.amazonaws.com"


@pytest.mark.long
@pytest.mark.parametrize(
    ("shown", "variables", "expected"),
    [
        pytest.param(SHOWN, {}, f"django.db.backends.sqlite3 memory:// {SECRET}", id="no servers, so embedded"),
        pytest.param(
            SHOWN,
            {"DATABASE_URL": POSTGRESQL, "REDIS_URL": "redis://d:1/0"},
            f"config.postgresql redis://d:1/0 {SECRET}",
            id="servers",
        ),
        pytest.param(POOLED, {"DATABASE_URL": POSTGRESQL, "DATABASE_POOLED": "on"}, "True", id="a pooler"),
        pytest.param(POOLED, {"DATABASE_URL": POSTGRESQL, "DATABASE_POOLED": "off"}, "False", id="no pooler"),
        pytest.param(STORE, {"PHOTOS_URL": ""}, "None [\"'self'\", 'data:']", id="no store"),
        pytest.param(
            STORE,
            {"PHOTOS_URL": "s3://a:b@a-bucket?region=eu-west-1"},
            f"{AMAZON} [\"'self'\", 'data:', '{AMAZON}']",
            id="a store of Amazon's own",
        ),
        pytest.param(
            STORE,
            {"PHOTOS_URL": "s3://a:b@a-bucket?endpoint=http://store:9000/&public=https://photos.example"},
            "http://store:9000/a-bucket [\"'self'\", 'data:', 'https://photos.example']",
            id="a store with an address for browsers",
        ),
        pytest.param(
            STORE,
            {"PHOTOS_URL": "s3://a:b@a-bucket?endpoint=https://Store.example:443"},
            "https://store.example/a-bucket [\"'self'\", 'data:', 'https://store.example']",
            id="a store at a port that browsers leave out",
        ),
        pytest.param(
            MAIL,
            {"EMAIL_URL": "smtp://me%40a.example:p%2Fq@mail.example:25?tls=off&from=Tenbo+%3Ctenbo@a.example%3E"},
            "mail.example 25 me@a.example p/q False Tenbo <tenbo@a.example>",
            id="a mail server",
        ),
        pytest.param(MAIL, {}, " 587   True tenbo@localhost", id="no mail server"),
        pytest.param(
            "settings.CSRF_TRUSTED_ORIGINS[:2]",
            {"ALLOWED_HOSTS": "a.example,.b.example"},
            "['https://a.example', 'https://*.b.example']",
            id="hosts are trusted origins",
        ),
        pytest.param(
            SERVERS,
            {"DATABASE_URL": "postgresql://me:p%2Fq@one:5433,two/c"},
            "[['one,two', '5433,5432', 'read-write']]",
            id="several database servers",
        ),
        pytest.param(
            "settings.SECRET_KEY_FALLBACKS",
            {"SECRET_KEY_FALLBACKS": f"{SECRET.upper()}, {SECRET[::-1]}"},
            f"{[SECRET.upper(), SECRET[::-1]]}",
            id="earlier secrets",
        ),
        pytest.param("settings.SECRET_KEY_FALLBACKS", {}, "[]", id="no earlier secrets"),
    ],
)
def test_environment_gives_settings(tmp_path: Path, shown: str, variables: dict[str, str], expected: str) -> None:
    answer = load_settings(tmp_path, shown, SECRET_KEY=SECRET, **variables)
    assert answer.stdout == f"{expected}\n", answer.stderr


@pytest.mark.long
def test_embedded_site_reads_its_secret_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("made by make run, and long enough\n")
    assert load_settings(tmp_path).stdout.endswith("made by make run, and long enough\n")
    assert load_settings(tmp_path, SECRET_KEY=SECRET).stdout.endswith(f"{SECRET}\n")


@pytest.mark.long
def test_production_does_not_import_the_demo(tmp_path: Path) -> None:
    started = "__import__('django').setup(), __import__('config.urls').urls.urlpatterns[0].name"
    invented = "[name for name in __import__('sys').modules if '.demo.' in name]"
    environment = {"SECRET_KEY": SECRET, "DJANGO_SETTINGS_MODULE": "config.settings"}
    answer = load_settings(tmp_path, f"{started}, {invented}", **environment)
    assert answer.stdout == "None healthz []\n", answer.stderr


@pytest.mark.long
def test_make_secret_creates_a_private_key_file(tmp_path: Path) -> None:
    folder = tmp_path / "a site"
    for _ in range(2):
        subprocess.run(["make", "secret"], cwd=ROOT, env=os.environ | {"VAR_DIR": str(folder)}, check=True)
        assert load_settings(folder).stdout.endswith((folder / "secret").read_text())
    assert (folder / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.django_db
@pytest.mark.parametrize("fallbacks", [[SECRET], []], ids=["believed", "forgotten"])
def test_old_secret_key_is_valid_while_it_is_a_fallback(client: Client, settings: Any, fallbacks: list[str]) -> None:
    settings.SECRET_KEY = SECRET
    session = make_session(make_league())
    link = issue_link(session=session, table=1, by=SYSTEM)
    code = code_of(link)
    reset = signing.dumps("a link in a mail")
    client.force_login(make_user("owner", league=session.league, role="owner"))
    inside = f"/l/{session.league.slug}/manage/"
    assert client.get(inside).status_code == 200
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = SECRET[::-1], fallbacks
    assert client.get(inside).status_code == (200 if fallbacks else 302)
    assert (link_for(code) is not None) is bool(fallbacks)
    # The code on newly printed cards is the one on cards in use, while that is valid.
    assert (code_of(link) == code) is bool(fallbacks)
    assert link_for(code_of(link)) == link
    with nullcontext() if fallbacks else pytest.raises(signing.BadSignature):
        assert signing.loads(reset) == "a link in a mail"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "accepts", "language", "status"),
    [
        pytest.param("/", "en", "ja", 200, id="Japanese whatever the browser prefers"),
        pytest.param("/en/", "ja", "en", 200, id="English under its prefix"),
        pytest.param("/accounts/login/", "en", "ja", 200, id="Japanese log-in"),
        pytest.param("/en/accounts/login/", "ja", "en", 200, id="English log-in"),
        pytest.param("/nothing/here/", "en", "ja", 404, id="Japanese page that is missing"),
        pytest.param("/en/nothing/here/", "ja", "en", 404, id="English page that is missing"),
    ],
)
def test_url_determines_the_language(path: str, accepts: str, language: str, status: int) -> None:
    visitor = Client(headers={"accept-language": accepts})
    visitor.cookies["django_language"] = accepts
    answer = visitor.get(path)
    assert answer.status_code == status
    assert answer.headers["Content-Language"] == language
    assert f'lang="{language}"' in answer.content.decode()


@pytest.mark.django_db
def test_content_security_policy_has_no_unsafe_source() -> None:
    policy = Client().get("/").headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy


@pytest.mark.merge
def test_commands_print_one_sentence_about_invalid_settings(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path), "SECRET_KEY": ""}
    command = [sys.executable, "manage.py", "migrate"]
    answer = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.startswith("Error: SECRET_KEY is not set;")
    assert answer.stderr.count("\n") == 1


@pytest.mark.merge
def test_garbage_collection_starts_after_imports(tmp_path: Path) -> None:
    shown = "(gc := __import__('gc')).isenabled(), __import__('django').setup(), gc.isenabled(), gc.get_freeze_count() > 100_000"
    answer = load_settings(tmp_path, shown, SECRET_KEY=SECRET, DJANGO_SETTINGS_MODULE="config.settings")
    assert answer.stdout == "False None True True\n", answer.stderr
