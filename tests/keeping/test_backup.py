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

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from league.models import Hanchan, League, Session
from league.services.backups import BackupError, back_up_to, suffix
from league.services.ending import ask_to_end
from league.services.history import SYSTEM
from league.services.restoring import check_backup
from tests.conftest import needs_postgresql
from tests.keeping.sites import exports, fill, manage, managed, piped, told
from tests.league.factories import make_league, make_session, play
from tests.production.databases import ENGINES, new_database

pytestmark = pytest.mark.merge

FILES = {"sqlite": "site.sqlite3.gz", "postgresql": "site.pgdump.gz"}


@dataclass
class Site:
    engine: str
    backup: Path
    exports: dict[str, str]
    facts: dict[str, Any]
    proof: str


@pytest.fixture(scope="module", params=ENGINES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("keptsite")
    with new_database(request.param, folder) as database:
        fill(database, folder)
        facts = json.loads(told(database, SAID))
        proof = managed(database, "verify", "--quiet")
        file = folder / FILES[request.param]
        managed(database, "backup", file)
        yield Site(request.param, file, exports(database), facts, proof)


SAID = """
import json
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as Login
from django.db import DatabaseError, connection, transaction
from django.test import Client
from league.models import *
from tests.raised import edition_of
from tournaments.models import Tournament

def refused(statement):
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as error:
        return str(error).split(":")[0]

league = League.objects.get(slug="camarade")
client, pages = Client(SERVER_NAME="localhost"), [
    "/", "/l/camarade/", "/l/camarade/standings/all/", "/l/cinderella/", "/l/camarade/players/", "/l/cinderella/tournaments/"
]
edition = edition_of(league)
made = Session.objects.create(league=league, key="next", number=9998, date="2020-01-01",
                                ruleset_version=league.current_version)
next_key = made.pk
made.delete()
Player.objects.filter(pk=1).update(name=Player.objects.get(pk=1).name)
merged = Player.objects.exclude(merged_into=None).first()
print(json.dumps({
    "jobs": sorted(Job.objects.values_list("state", flat=True)),
    "log-ins": Login.objects.count(),
    "pages": {page: client.get(page).status_code for page in pages},
    "tournaments": {each.pk: client.get(f"/l/{each.league.slug}/t/{each.key}/").status_code
                    for each in Tournament.objects.all()},
    "password": User.objects.get(username="ishida").check_password("tenbo-demo"),
    "rights": User.objects.get(username="ishida").has_perm("league.change_player"),
    "photo": bytes(Photo.objects.get().data).hex(),
    "held": [bytes(HeldPhoto.objects.get().data).hex(), HeldResult.objects.get().typed],
    "edition": edition,
    "the next session's key": next_key,
    "history": refused("UPDATE league_revision SET reason = 'x'"),
    "merged": refused(f"UPDATE league_seat SET player_id = {merged.pk} WHERE id = (SELECT min(id) FROM league_seat)"),
}))
"""


def test_site_is_restored_completely(site: Site, tmp_path: Path) -> None:
    with new_database(site.engine, tmp_path) as database:
        assert "is restored" in managed(database, "restore", site.backup)
        assert exports(database) == site.exports
        assert managed(database, "verify", "--quiet") == site.proof
        facts = json.loads(told(database, SAID))
        again = tmp_path / "piped"
        again.mkdir()
        with new_database(site.engine, again) as other:
            assert b"is restored" in piped(other, "restore", "-", given=piped(database, "backup", "-"))
            assert exports(other) == site.exports
    assert facts.pop("jobs") == ["interrupted", "interrupted"]
    assert site.facts["jobs"] == ["running", "waiting"]
    assert facts.pop("log-ins") == 0
    assert site.facts["log-ins"] == 1
    assert facts.pop("edition") != site.facts["edition"]
    assert set(facts["pages"].values()) == {200}
    assert set(facts["tournaments"].values()) == {200}
    # Reading its state created one session.
    assert facts.pop("the next session's key") == site.facts["the next session's key"] + 1
    assert facts.pop("history")
    assert facts.pop("merged")
    known = {name: site.facts[name] for name in facts}
    assert facts == known


def test_damaged_backup_is_refused_and_changes_nothing(site: Site, tmp_path: Path) -> None:
    whole = site.backup.read_bytes()
    spots = (0, 40, len(whole) // 2)
    flipped = [whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :] for at in spots]
    unpacked = gzip.decompress(whole)
    packed_again = [gzip.compress(unpacked[: len(unpacked) * part // 10]) for part in (5, 9)]
    with new_database(site.engine, tmp_path) as database:
        managed(database, "migrate", "--verbosity", "0")
        for content in (*flipped, *packed_again, whole[:-20], whole[: len(whole) // 2], b""):
            (tmp_path / "bad").write_bytes(content)
            refused = manage(database, "restore", tmp_path / "bad")
            assert refused.returncode == 1
            assert "nothing was changed" in refused.stderr
            assert "Traceback" not in refused.stderr
        assert told(database, "from league.models import League; print(League.objects.count())").strip() == "0"


def test_backup_of_the_other_database_engine_is_refused(site: Site, tmp_path: Path) -> None:
    other = next(engine for engine in ENGINES if engine != site.engine)
    with new_database(other, tmp_path) as database:
        refused = manage(database, "restore", site.backup)
    assert "export_league and import_league" in refused.stderr


def test_invalid_backup_is_refused_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "x"
    for content in (b"PK\x03\x04", b"hello", gzip.compress(b"hello"), gzip.compress(b"")):
        file.write_bytes(content)
        with pytest.raises(BackupError, match="nothing was changed"):
            check_backup(file)
    with pytest.raises(BackupError, match="cannot be read: No such file"):
        check_backup(tmp_path / "none")


def changed_copy(backup: Path, path: Path, statement: str) -> Path:
    plain = path.with_suffix(".plain")
    plain.write_bytes(gzip.decompress(backup.read_bytes()))
    with closing(sqlite3.connect(plain)) as database:
        database.execute(statement)
        database.commit()
    path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("INSERT INTO django_migrations (app, name, applied) VALUES ('league', '0999', '2030-01-01')", "Update Tenbo"),
        ("DROP TABLE django_migrations", "damaged"),
    ],
)
def test_newer_or_foreign_backup_is_refused(tmp_path: Path, statement: str, sentence: str) -> None:
    with new_database("sqlite", tmp_path) as database:
        managed(database, "migrate", "--verbosity", "0")
        managed(database, "backup", tmp_path / "site.sqlite3.gz")
        other = changed_copy(tmp_path / "site.sqlite3.gz", tmp_path / "other.sqlite3.gz", statement)
        refused = manage(database, "restore", other)
    assert refused.returncode == 1
    assert sentence in refused.stderr
    assert "nothing was changed" in refused.stderr


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


def test_older_backup_is_migrated(tmp_path: Path) -> None:
    older = tmp_path / "old"
    older.mkdir()
    with new_database("sqlite", older) as old, new_database("sqlite", tmp_path) as new:
        managed(old, "migrate", "--verbosity", "0")
        told(old, "from tests.league.factories import *; play(make_session(make_league()))")
        # A site from before the library's last migration.
        managed(old, "migrate", "account", "0008", "--verbosity", "0")
        managed(old, "backup", tmp_path / "old.sqlite3.gz")
        managed(new, "restore", tmp_path / "old.sqlite3.gz")
        assert "[ ]" not in managed(new, "showmigrations")
        assert exports(new) == exports(old)


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
    def fails(stream: object) -> None:
        raise failing

    monkeypatch.setattr("league.services.backups.write_backup", fails)
    with pytest.raises(BackupError, match=r"cannot be written: (No space left on device|disk I/O error)"):
        back_up(tmp_path / "x")
    assert not [*tmp_path.iterdir()]
