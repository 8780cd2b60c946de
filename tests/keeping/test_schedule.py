import io
import os
import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from league import background
from league.selectors.backups import daily_backups, failed_backup
from league.services import backups
from league.services.restoring import check_backup
from league.tasks import back_up, sweep_stale_periods
from tests.deadlines import wait_until
from tests.league.factories import make_league, make_session, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.BACKUP_DIR = str(tmp_path)
    monkeypatch.setattr(backups, "KEPT", 3)
    return tmp_path


def let_pass(folder: Path, **time_passed: float) -> None:
    for path in folder.iterdir():
        at = path.stat().st_mtime - timedelta(**time_passed).total_seconds()
        os.utime(path, (at, at))


def test_backup_is_made_once_a_day(folder: Path) -> None:
    play(make_session(make_league()))
    back_up()
    back_up()
    [path] = folder.iterdir()
    assert re.fullmatch(r"tenbo-\d{8}-\d{6}\.(pgdump|sqlite3)\.gz", path.name)
    [known] = daily_backups()
    assert (known.file, known.size) == (path, path.stat().st_size)
    assert timezone.now() - known.at < timedelta(minutes=5)
    check_backup(path)
    let_pass(folder, hours=23)
    assert not backups.is_due()
    let_pass(folder, hours=1.1)
    assert backups.is_due()
    # Files with future dates, from when the clock was wrong, do not prevent a backup.
    let_pass(folder, days=-400)
    assert backups.is_due()


def test_only_the_newest_backups_are_kept(folder: Path) -> None:
    for day in range(1, 6):
        (folder / f"tenbo-2020010{day}-000000{backups.suffix()}").write_bytes(b"old")
    (folder / f"tenbo-20990101-000000{backups.suffix()}").write_bytes(b"made before the clock was put back")
    own = {"mine.zip", "tenbo-before-upgrade.zip", "tenbo-2020.zip"}
    for name in own:
        (folder / name).write_bytes(b"mine")
    left = folder / ".tenbo-20200101-000000-1.part"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    made = backups.back_up_into(folder)
    kept = {path.name.partition(".")[0] for path in folder.iterdir()} - {name.partition(".")[0] for name in own}
    assert kept == {"tenbo-20200104-000000", "tenbo-20200105-000000", made.name.partition(".")[0]}


def test_failed_backup_is_reported_and_retried(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(backups, "write_backup", Mock(side_effect=OSError(28, "No space left on device")))
        with pytest.raises(backups.BackupError, match="cannot be written: No space left on device"):
            back_up()
    assert daily_backups() == []
    assert "No space left" in failed_backup()
    # It is retried, but not every minute.
    assert not backups.is_due()
    output = io.StringIO()
    call_command("backup", "--list", stdout=output)
    assert "No space left on device" in output.getvalue()
    let_pass(folder, hours=1.1)
    back_up()
    call_command("backup", "--list", stdout=output)
    assert re.search(r"tenbo-\S+  \d+ bytes", output.getvalue())
    assert failed_backup() == ""


def test_backup_is_not_due_while_one_is_under_way(folder: Path) -> None:
    (folder / f".tenbo-{timezone.now():%Y%m%d-%H%M%S}-1.part").write_bytes(b"half")
    assert not backups.is_due()
    let_pass(folder, hours=2)
    assert backups.is_due()


def test_unwritable_backup_folder_is_named(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_DIR = str(tmp_path / "none")
    back_up()
    assert failed_backup() == f"{tmp_path / 'none'} cannot be written."


def test_backups_without_a_folder_are_made_by_command(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_DIR = ""
    back_up()
    sweep_stale_periods()
    file = tmp_path / "by-hand"
    call_command("backup", file, stdout=io.StringIO())
    check_backup(file)
    assert (daily_backups(), failed_backup()) == ([], "")
    with pytest.raises(CommandError):
        call_command("backup")


@pytest.mark.merge
@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_embedded_worker_makes_the_daily_backup(folder: Path, settings: Any) -> None:
    settings.REDIS_URL = ""
    make_league()
    background.wake()
    assert wait_until(lambda: bool(daily_backups()), 60)
    background.retire()
    [made] = daily_backups()
    check_backup(made.file)
    assert abs(time.time() - made.at.timestamp()) < 600
