import gzip
import io
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from league.models import Hanchan, League, Session
from league.services.backups import BackupError, back_up_to, suffix
from league.services.ending import ask_to_end
from league.services.history import SYSTEM
from league.services.restoring import check_backup
from tests.conftest import needs_postgresql
from tests.keeping.sites import manage, piped, told
from tests.league.factories import make_league, make_session, play
from tests.production.databases import ENGINES, new_database

pytestmark = pytest.mark.merge

FILES = {"sqlite": "site.sqlite3.gz", "postgresql": "site.pgdump.gz"}


@dataclass
class Site:
    engine: str
    database: str
    backup: Path
    known: dict[str, Any]


SCRIPT = """
import json, sys
from django.core.management import CommandError, call_command
from league.models import Hanchan
from tests.keeping.filled import fill, known
"""

FILLED = """
call_command("migrate", verbosity=0)
fill()
print(json.dumps(known()))
# The backup is from before the library's last migration.
call_command("migrate", "account", "0008", verbosity=0)
"""


@pytest.fixture(scope="module", params=ENGINES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("keptsite")
    with new_database(request.param, folder) as database:
        known = json.loads(told(database, SCRIPT + FILLED))
        file = folder / FILES[request.param]
        file.write_bytes(piped(database, "backup", "-"))
        yield Site(request.param, database, file, known)


def test_site_is_restored_completely_and_migrated(site: Site, tmp_path: Path) -> None:
    with new_database(site.engine, tmp_path) as database:
        assert b"is restored" in piped(database, "restore", "-", given=site.backup.read_bytes())
        restored = json.loads(told(database, SCRIPT + "print(json.dumps(known()))"))
    assert len(restored["exports"]) == 2
    assert restored["refuses"] == [True, True]
    assert {*restored["pages"].values()} == {200}
    assert restored["edition"] != site.known["edition"]
    # Reading its state created one session.
    changed = {
        "jobs": (["running", "waiting"], ["interrupted", "interrupted"]),
        "log-ins": (1, 0),
        "next key": (site.known["next key"], site.known["next key"] + 1),
    }
    assert {name: (site.known[name], restored[name]) for name in changed} == changed
    same = restored.keys() - {*changed, "edition"}
    assert {name: restored[name] for name in same} == {name: site.known[name] for name in same}


REFUSED = """
before, refusals = Hanchan.objects.count(), []
for file in sys.argv[1:]:
    try:
        call_command("restore", file, "--replace")
    except CommandError as error:
        refusals.append(str(error))
print(json.dumps([refusals, before, Hanchan.objects.count()]))
"""


def test_damaged_or_newer_backup_is_refused_and_changes_nothing(site: Site, tmp_path: Path) -> None:
    whole = site.backup.read_bytes()
    flipped = [whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :] for at in (0, 40, len(whole) // 2)]
    unpacked = gzip.decompress(whole)
    packed_again = [gzip.compress(unpacked[: len(unpacked) * part // 10]) for part in (5, 9)]
    damaged = [*flipped, *packed_again, whole[:-20], whole[: len(whole) // 2], b""]
    wanted = ["damaged"] * len(damaged)
    if site.engine == "sqlite":
        newer = "INSERT INTO django_migrations (app, name, applied) VALUES ('league', '0999', '2030-01-01')"
        damaged += [changed_copy(unpacked, tmp_path, change) for change in ("DROP TABLE django_migrations", newer)]
        wanted += ["damaged", "Update Tenbo"]
    files = [tmp_path / str(number) for number in range(len(damaged))]
    for file, content in zip(files, damaged, strict=True):
        file.write_bytes(content)
    refusals, before, after = json.loads(told(site.database, SCRIPT + REFUSED, *files))
    for refusal, sentence in zip(refusals, wanted, strict=True):
        assert sentence in refusal
        assert "nothing was changed" in refusal
    assert before == after > 0


def test_backup_of_the_other_database_engine_is_refused(site: Site, tmp_path: Path) -> None:
    with new_database(next(engine for engine in ENGINES if engine != site.engine), tmp_path) as database:
        refused = manage(database, "restore", site.backup)
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert "export_league and import_league" in refused.stderr


def test_invalid_backup_is_refused_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "x"
    for content in (b"PK\x03\x04", b"hello", gzip.compress(b"hello"), gzip.compress(b"")):
        file.write_bytes(content)
        with pytest.raises(BackupError, match="nothing was changed"):
            check_backup(file)
    with pytest.raises(BackupError, match="cannot be read: No such file"):
        check_backup(tmp_path / "none")


def changed_copy(unpacked: bytes, folder: Path, statement: str) -> bytes:
    plain = folder / "plain"
    plain.write_bytes(unpacked)
    with closing(sqlite3.connect(plain)) as database:
        database.execute(statement)
        database.commit()
    return gzip.compress(plain.read_bytes())


def back_up(path: Path) -> Path:
    return back_up_to(path.with_name(path.name + suffix()))


def restore(path: Path, *options: str) -> None:
    call_command("restore", path, *options, stdout=io.StringIO(), stderr=io.StringIO())


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_restore_into_a_database_in_use_requires_replace(tmp_path: Path) -> None:
    first = play(make_session(make_league("first")))
    ask_to_end(league=League.objects.get(), by=SYSTEM)
    file = back_up(tmp_path / "first")
    League.objects.filter(slug="first").update(slug="second")
    play(first.session)
    with pytest.raises(CommandError, match="not empty, it has 1 leagues"):
        call_command("restore", file)
    assert League.objects.get().slug == "second"
    assert Hanchan.objects.count() == 2
    restore(file, "--replace")
    assert League.objects.get().slug == "first"
    # A league that was due for deletion when the backup was made is not deleted now.
    assert League.objects.get().ends_at is None
    assert Hanchan.objects.get().key == first.key
    assert Hanchan.objects.get().pk < play(Session.objects.get()).pk


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_restore_requires_the_owner_of_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(make_session(make_league()))
    file = back_up(tmp_path / "first")
    role = f"serves_{os.getpid()}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {role} LOGIN")
    try:
        monkeypatch.setitem(connection.settings_dict, "USER", role)
        with pytest.raises(CommandError, match="the role that owns the tables; nothing was changed"):
            restore(file, "--replace")
    finally:
        monkeypatch.undo()
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute(f"DROP ROLE {role}")
    assert Hanchan.objects.count() == 1


@pytest.mark.parametrize(
    "failing", [OSError(28, "No space left on device"), sqlite3.OperationalError("disk I/O error")]
)
@pytest.mark.django_db
def test_failed_backup_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: Exception) -> None:
    monkeypatch.setattr("league.services.backups.write_backup", Mock(side_effect=failing))
    with pytest.raises(BackupError, match=r"cannot be written: (No space left on device|disk I/O error)"):
        back_up(tmp_path / "x")
    assert not [*tmp_path.iterdir()]
