"""The whole site as one file: of one moment, whole or refused, and the same wherever it is brought back."""

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from league.models import Hanchan, League, Session
from league.services.backups import archive as backup_archive
from league.services.backups import making, restoring
from league.services.backups.archive import (
    AT_ONCE,
    FORMAT,
    MANIFEST,
    BackupError,
    Column,
    Manifest,
    StoredTable,
    check_seal,
    new_archive,
    opened_archive,
)
from league.services.backups.making import write_backup
from league.services.backups.restoring import check_backup, restore_backup
from league.services.backups.rows import ROWS_AT_ONCE, row_chunks, store_rows
from league.services.backups.tables import NOT_KEPT, applied_migrations, tables_at
from league.services.backups.triggers import triggers_set_aside
from league.services.boards import Progress, unwatched
from league.services.ending import ask_to_end
from league.services.history import SYSTEM
from league.services.stored_json import as_stored
from tests.conftest import needs_postgresql
from tests.keeping.sites import exports, fill, managed, piped, told
from tests.league.factories import make_league, make_session, play
from tests.league.managing.test_rescoring import peak
from tests.league.races import at_once
from tests.production.databases import new_database

pytestmark = pytest.mark.merge

KEPT_CHANGES = {"league_job", "league_staleperiod"}
"""Work that was under way is interrupted; whoever looks at a site refreshes what is stale."""


@dataclass
class Site:
    """A site with everything in it, its backup, its exports and what it says of itself."""

    backup: Path
    exports: dict[str, str]
    facts: dict[str, Any]
    proof: str


def manifest_of(path: Path) -> Manifest:
    with opened_archive(path) as archive:
        return archive.manifest


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("keptsite")
    with new_database("postgresql", folder) as database:
        fill(database, folder)
        facts = json.loads(told(database, SAID))
        # It chains what waits of the history, and no two chains are alike: the backup is of the chain that it tells of.
        proof = managed(database, "verify", "--quiet")
        managed(database, "backup", folder / "site.zip")
        yield Site(folder / "site.zip", exports(database), facts, proof)


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
before = Session.objects.create(league=league, key="next", number=9998, date="2020-01-01",
                                ruleset_version=league.current_version)
moved = edition_of(league) != edition
next_key = before.pk
before.delete()
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
    "an edition moves": moved,
    "the next session's key": next_key,
    "history": refused("UPDATE league_revision SET reason = 'x'"),
    "merged": refused(f"UPDATE league_seat SET player_id = {merged.pk} WHERE id = (SELECT min(id) FROM league_seat)"),
}))
"""


@pytest.mark.parametrize("engine", ["postgresql", "sqlite"])
def test_a_site_comes_back_whole_in_either_database(site: Site, engine: str, tmp_path: Path) -> None:
    with new_database(engine, tmp_path) as database:
        assert "is restored" in managed(database, "restore", site.backup)
        assert exports(database) == site.exports
        # Row for row, to the byte: what is written of the copy is what was written of the site.
        managed(database, "backup", tmp_path / "again.zip")
        before, after = manifest_of(site.backup), manifest_of(tmp_path / "again.zip")
        assert [each.name for each in before.tables] == [each.name for each in after.tables]
        pairs = zip(before.tables, after.tables, strict=True)
        assert {one.name for one, other in pairs if one != other} <= KEPT_CHANGES
        assert managed(database, "verify", "--quiet") == site.proof
        facts = json.loads(told(database, SAID))
    assert facts.pop("jobs") == ["interrupted", "interrupted"]
    assert site.facts["jobs"] == ["running", "waiting"]
    assert facts.pop("log-ins") == 0
    assert site.facts["log-ins"] == 1
    assert facts["an edition moves"]
    assert facts.pop("edition") != site.facts["edition"]
    assert set(facts["pages"].values()) == {200}
    assert set(facts["tournaments"].values()) == {200}
    # The site has made one session more when it told of itself.
    assert facts.pop("the next session's key") == site.facts["the next session's key"] + 1
    assert facts.pop("history")
    assert facts.pop("merged")
    known = {name: site.facts[name] for name in facts}
    assert facts == known


def test_a_site_moves_from_sqlite_to_postgresql(site: Site, tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.mkdir()
    large.mkdir()
    with new_database("sqlite", small) as one, new_database("postgresql", large) as other:
        managed(one, "restore", site.backup)
        assert b"is restored" in piped(other, "restore", "-", given=piped(one, "backup", "-"))
        assert exports(other) == site.exports


# --- Refused -------------------------------------------------------------------------------------------------------------


def sealed_with(path: Path, source: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Write a backup whose manifest says something else, with a seal that is right."""
    with zipfile.ZipFile(source) as old, path.open("wb") as stream, new_archive(stream) as (archive, _):
        manifest = json.loads(old.read(MANIFEST))
        change(manifest)
        for table in manifest["tables"]:
            if table["member"] in old.namelist() and table["member"] not in archive._archive.namelist():
                archive._archive.writestr(table["member"], old.read(table["member"]))
        archive._archive.writestr(MANIFEST, json.dumps(manifest))
    return path


@pytest.mark.django_db
def test_every_flipped_byte_is_noticed(site: Site, tmp_path: Path) -> None:
    whole, path = site.backup.read_bytes(), tmp_path / "damaged.zip"
    for place in (0, 10, len(whole) // 3, len(whole) // 2, len(whole) - 1000, len(whole) - 80, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(BackupError, match="damaged"):
            restore_backup(path, unwatched)
    for length in (0, 3, 71, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(BackupError, match="cut short"):
            restore_backup(path, unwatched)
    path.write_bytes(whole + b"\n")
    with pytest.raises(BackupError, match="damaged"):
        check_backup(path)
    assert not League.objects.exists()
    assert check_seal(site.backup) == sha256(whole[:-71]).hexdigest()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(lambda told: told.update(format="tenbo-backup/2"), "newer Tenbo", id="newer format"),
        pytest.param(lambda told: told["migrations"]["league"].append("9999_more"), "league 9999_more", id="migration"),
        pytest.param(lambda told: told["migrations"].update(chat=["0001_x"]), "chat 0001_x", id="another app"),
        pytest.param(lambda told: told.update(format="else"), "no backup of Tenbo", id="something else"),
        pytest.param(lambda told: told.pop("tables") and told.update(tables=3), "manifest", id="no tables"),
    ],
)
def test_a_newer_backup_is_refused(
    site: Site, tmp_path: Path, change: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    path = sealed_with(tmp_path / "other.zip", site.backup, lambda told: None)
    assert check_backup(path).rows
    with zipfile.ZipFile(site.backup) as old, path.open("wb") as stream, new_archive(stream) as (archive, _):
        manifest = json.loads(old.read(MANIFEST))
        change(manifest)
        archive._archive.writestr(MANIFEST, json.dumps(manifest))
    with pytest.raises(CommandError, match=sentence) as refusal:
        call_command("restore", path, stdout=io.StringIO(), stderr=io.StringIO())
    assert "\n" not in str(refusal.value)
    assert not League.objects.exists()


@pytest.mark.django_db
def test_an_archive_says_only_of_itself_that_it_cannot_be_read(site: Site, tmp_path: Path) -> None:
    for error in (KeyError("somebody's own"), OSError(28, "No space left on device")):
        with pytest.raises(type(error)), opened_archive(site.backup):
            raise error
    path = sealed_with(
        tmp_path / "x.zip", site.backup, lambda told: told["tables"][0].update(member="rows/none.ndjson")
    )
    with pytest.raises(BackupError, match="no backup of Tenbo"):
        check_backup(path)


@pytest.mark.django_db
def test_what_is_no_backup_is_refused_in_one_sentence(tmp_path: Path) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("hello", "hello")
    for path, sentence in ((other, "damaged"), (tmp_path / "none.zip", "cannot be read"), (tmp_path, "cannot be read")):
        with pytest.raises(CommandError, match=sentence):
            call_command("restore", path)
    with pytest.raises(CommandError, match="Name a file"):
        call_command("backup")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("backup", tmp_path / "no" / "such" / "folder.zip", stderr=io.StringIO())
    assert "cannot be written" in str(call_list())


def crafted(path: Path, *lines: bytes, manifest: bytes = b"") -> Path:
    """Write an archive whose seal is right and whose rows, or whose manifest, Tenbo would never write."""
    table = StoredTable("league_league", "rows/league_league.ndjson", [Column("id", "plain")], rows=1)
    told = Manifest(FORMAT, "2026-01-01T00:00:00Z", "1", "sqlite", applied_migrations(), [table])
    with path.open("wb") as stream, new_archive(stream) as (archive, _):
        with archive._archive.open(table.member, "w") as member:
            for line in lines:
                member.write(line)
        table.sha256 = sha256(b"".join(lines)).hexdigest()
        archive._archive.writestr(MANIFEST, manifest or json.dumps(as_stored(told)))
    return path


@pytest.mark.django_db
@pytest.mark.parametrize("options", [["--check"], []], ids=["looking", "restoring"])
def test_a_line_that_no_row_can_be_is_refused_before_all_of_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    path = crafted(tmp_path / "long.zip", b"[", *[b"1" * AT_ONCE] * 24, b"]\n")
    monkeypatch.setattr(backup_archive, "MAX_LINE", 2 * AT_ONCE)

    def bring_back() -> None:
        with pytest.raises(CommandError, match="no backup of Tenbo"):
            call_command("restore", path, *options, stdout=io.StringIO(), stderr=io.StringIO())

    assert peak(bring_back) < 10 * AT_ONCE
    assert not League.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"no JSON\n", id="no JSON"),
        pytest.param(b"[1, 2]\n", id="too many values"),
        pytest.param(b"1\n", id="no list"),
        pytest.param(b"[" * 100_000 + b"\n", id="nested without end"),
        pytest.param(b"[" + b"[]," * AT_ONCE + b"1]\n", id="many small lists"),
    ],
)
def test_a_line_that_is_no_row_is_refused_in_one_sentence(tmp_path: Path, line: bytes) -> None:
    path = crafted(tmp_path / "odd.zip", line)
    with pytest.raises(CommandError, match="no row of Tenbo") as refusal:
        call_command("restore", path, stdout=io.StringIO(), stderr=io.StringIO())
    assert "\n" not in str(refusal.value)


@pytest.mark.django_db
@pytest.mark.parametrize("manifest", [b"{", b"[]", b"\xff", b"[" * 100_000, b" " * (65 * AT_ONCE)])
def test_a_manifest_that_is_none_is_refused_in_one_sentence(tmp_path: Path, manifest: bytes) -> None:
    path = crafted(tmp_path / "odd.zip", b"[1]\n", manifest=manifest)
    with pytest.raises(CommandError, match="no backup of Tenbo") as refusal:
        call_command("restore", path, stdout=io.StringIO(), stderr=io.StringIO())
    assert "\n" not in str(refusal.value)


@pytest.mark.django_db
def test_more_rows_than_the_manifest_tells_of_are_not_read_to_the_end(tmp_path: Path) -> None:
    path = crafted(tmp_path / "many.zip", *[b"[1]\n"] * 100_000)
    with opened_archive(path) as archive:
        seen = archive.lines(archive.manifest.tables[0])
        assert next(seen) == b"[1]\n"
        with pytest.raises(BackupError, match="does not have the rows"):
            next(seen)


def call_list() -> str:
    output = io.StringIO()
    call_command("backup", "--list", stdout=output)
    return output.getvalue()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_league_that_waited_for_its_end_waits_no_more_once_it_is_brought_back(tmp_path: Path) -> None:
    league = make_league("first")
    ask_to_end(league=league, by=SYSTEM)
    back_up(tmp_path / "first.zip")
    call_command("restore", tmp_path / "first.zip", "--replace", stdout=io.StringIO(), stderr=io.StringIO())
    assert League.objects.get().ends_at is None


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_not_empty_is_left_alone_unless_told(tmp_path: Path) -> None:
    first = play(make_session(make_league("first")))
    back_up(tmp_path / "first.zip")
    League.objects.filter(slug="first").update(slug="second")
    play(first.session)
    with pytest.raises(CommandError, match="not empty, it has 1 leagues"):
        call_command("restore", tmp_path / "first.zip")
    assert League.objects.get().slug == "second"
    assert Hanchan.objects.count() == 2
    call_command("restore", tmp_path / "first.zip", "--replace", stdout=io.StringIO(), stderr=io.StringIO())
    assert League.objects.get().slug == "first"
    assert Hanchan.objects.get().key == first.key
    assert Hanchan.objects.get().pk < play(Session.objects.get()).pk


@pytest.mark.django_db
def test_an_older_backup_replaces_nothing(tmp_path: Path) -> None:
    make_league("first")
    back_up(tmp_path / "new.zip")
    # Tenbo has one migration of its own for each app so far; the libraries have several.
    last = applied_migrations()["account"][-1]
    old = sealed_with(
        tmp_path / "old.zip", tmp_path / "new.zip", lambda told: told["migrations"]["account"].remove(last)
    )
    with pytest.raises(BackupError, match=rf"account {last}\), so it can be restored into an empty"):
        restore_backup(old, unwatched, replaces=True)
    assert League.objects.get().slug == "first"


PLAYED = """
from tests.league.factories import make_league, make_session, play
play(make_session(make_league()))
"""


@pytest.mark.parametrize("engine", ["postgresql", "sqlite"])
def test_an_older_backup_is_brought_forward(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    with new_database("sqlite", folder) as old, new_database(engine, tmp_path) as new:
        managed(old, "migrate", "--verbosity", "0")
        # As a site was before the library brought its last migration.
        managed(old, "migrate", "account", "0008", "--verbosity", "0")
        told(old, PLAYED)
        managed(old, "backup", tmp_path / "old.zip")
        assert len(manifest_of(tmp_path / "old.zip").migrations["account"]) == 8
        managed(new, "restore", tmp_path / "old.zip")
        assert "[ ]" not in managed(new, "showmigrations")
        assert exports(new) == exports(old)


def back_up(path: Path) -> None:
    with path.open("wb") as stream:
        write_backup(stream, unwatched)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_nothing_is_stored_of_a_backup_that_the_database_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(make_session(make_league("first")))
    back_up(tmp_path / "first.zip")
    League.objects.update(slug="second")
    # A league whose rows are missing: what points to it points nowhere.
    monkeypatch.setattr(
        restoring, "store_rows", lambda table, lines: store_rows(table, [] if table.name == "league_league" else lines)
    )
    with pytest.raises(BackupError, match="nothing was changed"):
        restore_backup(tmp_path / "first.zip", unwatched, replaces=True)
    assert League.objects.get().slug == "second"
    assert Hanchan.objects.count() == 1
    play(Session.objects.get())


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_whoever_does_not_own_the_tables_is_told(tmp_path: Path) -> None:
    play(make_session(make_league()))
    back_up(tmp_path / "x.zip")
    role = f"serves_{os.getpid()}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {role}")
        try:
            cursor.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
            cursor.execute(f"SET ROLE {role}")
            with pytest.raises(BackupError, match="must own the tables"):
                restore_backup(tmp_path / "x.zip", unwatched, replaces=True)
        finally:
            cursor.execute("RESET ROLE")
            cursor.execute(f"DROP OWNED BY {role}")
            cursor.execute(f"DROP ROLE {role}")
    assert Hanchan.objects.count() == 1


# --- Of one moment, in little memory -------------------------------------------------------------------------------------


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "is_one_moment", [True, pytest.param(False, marks=needs_postgresql)], ids=["one moment", "control"]
)
def test_what_is_entered_meanwhile_is_not_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_one_moment: bool
) -> None:
    session = make_session(make_league())
    play(session)
    if not is_one_moment:
        monkeypatch.setattr(making, "one_moment", transaction.atomic)
    entered: list[object] = []

    def somebody_enters(progress: Progress) -> None:
        if "league_league" in progress.item and not entered:
            entered.extend(at_once(lambda: play(session)))

    with (tmp_path / "x.zip").open("wb") as stream:
        write_backup(stream, somebody_enters)
    [hanchan] = entered
    assert isinstance(hanchan, Hanchan)
    rows = {table.name: table.rows for table in manifest_of(tmp_path / "x.zip").tables}
    assert (rows["league_hanchan"], rows["league_seat"]) == (1, 4 if is_one_moment else 8)


@pytest.mark.both_databases
@pytest.mark.django_db
def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    league, peaks = make_league(), []
    [table] = [each for each in tables_at(applied_migrations()) if each.name == "league_revision"]
    for count in (2 * ROWS_AT_ONCE, 6 * ROWS_AT_ONCE):
        fill_history(league, count)
        with transaction.atomic():
            written = peak(lambda: back_up(tmp_path / "x.zip"))
            rows = [line for chunk in row_chunks(table) for line in chunk]
            lines = (f"{line}\n".encode() for line in rows)
            empty_history()
            stored = peak(lambda lines=lines: [*store_rows(table, lines)] and None)  # type: ignore[misc]
        peaks.append((written, stored))
    (few_written, few_stored), (many_written, many_stored) = peaks
    assert many_written < 1.3 * few_written
    assert many_stored < 1.3 * few_stored


def fill_history(league: League, count: int) -> None:
    empty_history()
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
            INSERT INTO league_revision (league_id, subject, subject_id, action, at, by_name, source, reason, after)
            SELECT {league.pk}, 'hanchan', n, 'recorded', '2025-11-21 12:00:00', '', '', '', '{{"a": [1, 2, 3]}}'
            FROM numbers"""
        )


def empty_history() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with triggers_set_aside():
            cursor.execute("DELETE FROM league_revision")


@pytest.mark.django_db
def test_every_table_is_kept_or_left_out_for_a_reason() -> None:
    kept = {table.name for table in tables_at(applied_migrations())}
    assert kept | NOT_KEPT.keys() | {"django_migrations"} == set(connection.introspection.table_names())
    assert all(NOT_KEPT.values())


@pytest.mark.django_db
def test_tries_signs_of_life_and_what_is_added_up_for_players_stay_out(tmp_path: Path) -> None:
    back_up(tmp_path / "x.zip")
    names = {table.name for table in manifest_of(tmp_path / "x.zip").tables}
    assert not names & {"league_attempts", "league_signoflife", "stats_keptmonth", "stats_playermonth"}
    assert not names & {
        "stats_keptfeats",
        "stats_playerfeats",
        "stats_achievement",
        "stats_achievementdue",
        "stats_award",
    }
    assert {"league_board", "league_standing"} < names
