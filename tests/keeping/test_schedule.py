"""A backup a day by itself: whole or not at all, the old ones taken away, and the last one's age known."""

import io
import os
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from league import background
from league.models import Backup, League
from league.selectors.backups import backup_state
from league.services.backups import schedule
from league.services.backups.archive import BackupError
from league.services.backups.restoring import check_backup
from league.services.boards import Progress, unwatched
from league.tasks import back_up, sweep_stale_periods
from tests.deadlines import wait_until
from tests.league.factories import make_league, make_session, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Iterator[Path]:
    settings.BACKUP_DIR, settings.BACKUP_KEEP = str(tmp_path), 3
    yield tmp_path
    assert not list(tmp_path.glob(".tenbo-*")), "unfinished files are left"


def let_pass(**time: float) -> None:
    for row in Backup.objects.all():
        Backup.objects.filter(pk=row.pk).update(begun_at=row.begun_at - timedelta(**time))


def test_a_backup_is_made_once_a_day(folder: Path) -> None:
    play(make_session(make_league()))
    assert backup_state().last is None
    back_up()
    back_up()
    [path] = folder.glob("*")
    assert re.fullmatch(r"tenbo-\d{8}-\d{6}\.zip", path.name)
    facts = backup_state().last
    assert facts is not None
    assert (facts.file, facts.size, facts.ok) == (str(path), path.stat().st_size, True)
    assert facts.age < timedelta(minutes=5)
    assert check_backup(path).rows
    let_pass(hours=23)
    assert not schedule.is_due()
    let_pass(hours=1.1)
    assert schedule.is_due()


def test_the_newest_backups_are_kept(folder: Path) -> None:
    for day in range(1, 6):
        (folder / f"tenbo-2020010{day}-000000.zip").write_bytes(b"old")
    own = {"mine.zip", "tenbo-before-upgrade.zip", "tenbo-2020.zip"}
    for name in own:
        (folder / name).write_bytes(b"mine")
    left = folder / ".tenbo-20200101-000000-1.part"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    made = schedule.back_up_into(folder, unwatched)
    kept = {path.name for path in folder.glob("*")}
    assert kept == own | {"tenbo-20200104-000000.zip", "tenbo-20200105-000000.zip", Path(made.file).name}


def test_a_backup_that_fails_leaves_nothing_and_says_so(folder: Path) -> None:
    def full(progress: Progress) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(BackupError, match="cannot be written: No space left on device"):
        schedule.back_up_into(folder, full)
    assert list(folder.glob("*")) == []
    state = backup_state()
    assert state.last is None
    assert state.failed is not None
    assert "No space left" in state.failed.error
    # It is tried again, but not every minute.
    assert not schedule.is_due()
    let_pass(hours=1.1)
    assert schedule.is_due()
    output = io.StringIO()
    call_command("backup", "--list", stdout=output)
    assert "No space left on device" in output.getvalue()
    back_up()
    call_command("backup", "--list", stdout=output)
    assert re.search(r"tenbo-\S+\.zip  \d+ bytes", output.getvalue())
    assert backup_state().failed is None


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), ValueError("odd")], ids=repr)
def test_one_that_dies_of_anything_is_no_backup(folder: Path, error: BaseException) -> None:
    def dies(progress: Progress) -> None:
        raise error

    with pytest.raises(type(error)):
        schedule.back_up_into(folder, dies)
    assert list(folder.glob("*")) == []
    assert backup_state().last is None
    failed = backup_state().failed
    assert failed is not None
    assert failed.error.endswith(f"cannot be written: {str(error) or type(error).__name__}.")


def test_what_a_killed_process_left_stands_in_nobodys_way(folder: Path) -> None:
    left = folder / f".mine-{os.getpid()}.part"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    path = folder / "mine.zip"
    schedule.back_up_to(path, unwatched)
    assert check_backup(path).rows
    assert [*folder.iterdir()] == [path]


def test_one_that_was_cut_off_is_no_backup(folder: Path) -> None:
    Backup.objects.create(file=str(folder / "tenbo-1.zip"))
    assert backup_state().last is None
    assert not schedule.is_due()
    let_pass(hours=2)
    assert schedule.is_due()


def test_without_a_folder_nobody_makes_backups(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_DIR = ""
    back_up()
    sweep_stale_periods()
    assert not Backup.objects.exists()
    call_command("backup", tmp_path / "by-hand.zip", "--quiet", stdout=io.StringIO())
    assert backup_state().last is not None
    with pytest.raises(CommandError):
        call_command("backup")


@pytest.mark.merge
@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_the_embedded_worker_makes_it(folder: Path, settings: Any) -> None:
    settings.REDIS_URL = ""
    make_league()
    background.wake()
    assert wait_until(lambda: backup_state().last is not None, 60)
    background.retire()
    [path] = folder.glob("*")
    assert check_backup(path).tables
    assert timezone.now() - Backup.objects.get().begun_at < timedelta(minutes=10)
    assert League.objects.count() == 1
