"""Complete sites in their own databases, and the output of commands and scripts about them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, AnyStr

from tests.conftest import ROOT

BEGIN = """
import django
django.setup()
"""


def manage(database: str, *args: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return _run(database, environment, "manage.py", *args, text=True)


def managed(database: str, *args: object, **environment: str) -> str:
    return _output(manage(database, *args, **environment))


def piped(database: str, *args: str, given: bytes = b"") -> bytes:
    done: subprocess.CompletedProcess[bytes] = _run(database, {}, "manage.py", *args, input=given)
    return _output(done)


def told(database: str, script: str, *args: object) -> str:
    done: subprocess.CompletedProcess[str] = _run(database, {}, "-c", BEGIN + script, *args, text=True)
    return _output(done)


def _run(database: str, more: dict[str, str], *line: object, **how: Any) -> subprocess.CompletedProcess[Any]:
    settings = {"DATABASE_URL": database, "REDIS_URL": "", "DJANGO_SETTINGS_MODULE": "config.settings", "DEBUG": "on"}
    command = [sys.executable, *map(str, line)]
    return subprocess.run(command, cwd=ROOT, env=os.environ | settings | more, capture_output=True, check=False, **how)


def _output(done: subprocess.CompletedProcess[AnyStr]) -> AnyStr:
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def exports(database: str) -> dict[str, str]:
    files: dict[str, str] = json.loads(told(database, EXPORTED))
    return files


EXPORTED = """
import io, json
from django.core.management import call_command
from league.models import League
files = {slug: io.StringIO() for slug in League.objects.order_by("slug").values_list("slug", flat=True)}
for slug, file in files.items():
    call_command("export_league", slug, stdout=file)
print(json.dumps({slug: file.getvalue() for slug, file in files.items()}))
"""


def fill(database: str, folder: Path) -> None:
    managed(database, "migrate", "--verbosity", "0")
    managed(database, "load_demo")
    told(database, LEFT_BESIDES, folder)


LEFT_BESIDES = """
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.utils import timezone
from league.models import *
from league.services.history import SYSTEM, Actor
from league.services.people import merge_players
from league.services.session_points import withdraw_session_points
from league.services.results import void_hanchan

league = League.objects.get(slug="camarade")
user = User.objects.get(username="ishida")
first = Hanchan.objects.filter(league=league).order_by("pk").first()
data = bytes(range(256)) * 40
digest = sha256(data).hexdigest()
Photo.objects.create(hanchan=first, data=data, size=len(data), width=16, height=16, digest=digest)
held = HeldResult.objects.create(
    league=league, session=first.session, table=1, client_key=uuid4(), typed={"raw": ["25000", "\\u9ede\\n\\t\\\\"]},
    reason="sum", sentence="足りない", entered_at=timezone.now(),
)
HeldPhoto.objects.create(held=held, data=b"\\x00\\xff\\\\x", width=1, height=1)
Job.objects.create(league=league, kind="rebuild", state="running", moved_at=timezone.now())
Job.objects.create(league=league, kind="rescore", state="waiting", sent_at=timezone.now())
ImportBatch.objects.create(league=league, file_name="結果.csv", data="点数".encode(), report=None, made={"a": [1, None]})
SentForm.objects.create(digest="b" * 64, answer="/camarade/")
group = Group.objects.create(name="directors")
group.permissions.add(Permission.objects.get(codename="change_player"))
user.groups.add(group)
LogEntry.objects.create(
    user=user, content_type=ContentType.objects.get_for_model(Player), object_id="1", object_repr="x", action_flag=2
)
void_hanchan(hanchan=Hanchan.objects.filter(league=league).order_by("pk")[3], reason="doubled", by=SYSTEM)
source, target = [Player.objects.create(league=league, key=f"twin-{n}", name=f"双子{n}") for n in (1, 2)]
merge_players(source=source, target=target, reason="one person", by=SYSTEM)
gone = Session.objects.create(league=league, key="gone", number=9999, date="2020-01-01", ruleset_version=first.session.ruleset_version)
gone.delete()
client = Client(SERVER_NAME="localhost")
client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
"""
"""Data besides leagues: photos, jobs, held results, permissions, log-ins, deleted rows."""
