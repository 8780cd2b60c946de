"""A small site with rows of every kind, and what is known about it; called in a process of its own."""

from datetime import date
from hashlib import sha256
from typing import Any
from uuid import uuid4

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session as Login
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F, Model
from django.test import Client
from django.utils import timezone

from league.models import Edition, HeldPhoto, HeldResult, ImportBatch, Job, League, Photo, Player, SentForm, Session
from league.services.backups import LOG_INS
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.results import void_hanchan
from league.services.session_points import enter_session_points
from stats.services.following import follow
from tests.league import factories
from tests.raised import edition_of
from tests.tournaments.factories import make_running_tournament
from tournaments.interchange.writing import write_file
from tournaments.models import Tournament


def fill() -> None:
    league = factories.make_league()
    user = factories.make_user("ishida", league=league, role="organiser")
    players, session = factories.make_players(league, 7), factories.make_session(league)
    games = [factories.play(session, players=players[first : first + 4]) for first in (0, 1, 0, 1)]
    factories.correct(games[1], (30700, 32300, 25500, 11500))
    void_hanchan(hanchan=games[3], reason="doubled", by=SYSTEM)
    adjust(player=players[0], day=factories.DAY, points=1_000, reason="bonus", by=SYSTEM)
    earlier = factories.make_session(league, date(2024, 5, 6))
    enter_session_points(session=earlier, lines=factories.sums({players[4]: 12_300}, 4), note="as printed", by=SYSTEM)
    merge_players(source=players[5], target=players[6], reason="one person", by=SYSTEM)
    make_running_tournament()
    factories.settle()
    for each in League.objects.all():
        follow(each.pk)

    data = bytes(range(256)) * 40
    digest = sha256(data).hexdigest()
    Photo.objects.create(hanchan=games[0], data=data, size=len(data), width=16, height=16, digest=digest)
    typed = {"raw": ["25000", "\u9ede\n\t\\"]}
    held = HeldResult.objects.create(
        league=league, session=session, table=1, client_key=uuid4(), typed=typed, reason="sum", sentence="足りない"
    )
    HeldPhoto.objects.create(held=held, data=b"\x00\xff\\x", width=1, height=1)
    Job.objects.create(league=league, kind=Job.Kind.REBUILD, state=Job.State.RUNNING, moved_at=timezone.now())
    Job.objects.create(league=league, kind=Job.Kind.RESCORE, state=Job.State.WAITING, sent_at=timezone.now())
    ImportBatch.objects.create(league=league, file_name="結果.csv", data="点数".encode(), made={"a": [1, None]})
    SentForm.objects.create(digest="b" * 64, answer="/camarade/")
    group = Group.objects.create(name="directors")
    group.permissions.add(Permission.objects.get(codename="change_player"))
    user.groups.add(group)
    kind = ContentType.objects.get_for_model(Player)
    LogEntry.objects.create(user=user, content_type=kind, object_id="1", object_repr="x", action_flag=2)
    _make_and_delete_session(league)
    Client(SERVER_NAME="localhost").force_login(user, backend="django.contrib.auth.backends.ModelBackend")


def known() -> dict[str, Any]:
    league = League.objects.get(slug="camarade")
    user = league.members.get().user
    held = HeldPhoto.objects.get()
    edition = edition_of(league)
    # Triggers accept what may change.
    Player.objects.update(name=F("name"))
    executor = MigrationExecutor(connection)
    return {
        "exports": {each.slug: factories.as_text(write_file(each)) for each in League.objects.all()},
        "proof": factories.run("verify", quiet=True),
        "rows": {model._meta.label: model._default_manager.count() for model in _models()},
        "jobs": sorted(Job.objects.values_list("state", flat=True)),
        "log-ins": Login.objects.count(),
        "pages": {page: Client(SERVER_NAME="localhost").get(page).status_code for page in _pages()},
        "password": user.check_password(factories.PASSWORD),
        "rights": user.has_perm("league.change_player"),
        "photo": bytes(Photo.objects.get().data).hex(),
        "held": [bytes(held.data).hex(), held.held.typed],
        "edition": edition,
        "next key": _make_and_delete_session(league),
        "migrations": len(executor.migration_plan(executor.loader.graph.leaf_nodes())),
        "refuses": [_is_refused(statement) for statement in _guarded()],
    }


def _models() -> list[type[Model]]:
    """Return all models except log-ins, which a backup leaves out, and editions, which restoring raises."""
    return [each for each in apps.get_models() if each is not Edition and each._meta.db_table not in LOG_INS]


def _pages() -> list[str]:
    leagues = [
        f"/l/{slug}/{page}" for slug in ("camarade", "cinderella") for page in ("", "standings/all/", "players/")
    ]
    tournaments = [f"/l/{each.league.slug}/t/{each.key}/" for each in Tournament.objects.select_related("league")]
    return ["/", *leagues, "/l/cinderella/tournaments/", *tournaments]


def _make_and_delete_session(league: League) -> int:
    version = league.sessions.all()[0].ruleset_version
    made = Session.objects.create(league=league, key="gone", number=9999, date=factories.DAY, ruleset_version=version)
    key: int = made.pk
    made.delete()
    return key


def _guarded() -> list[str]:
    merged = Player.objects.exclude(merged_into=None).get()
    return [
        "UPDATE league_revision SET reason = 'x'",
        f"UPDATE league_seat SET player_id = {merged.pk} WHERE id = (SELECT min(id) FROM league_seat)",
    ]


def _is_refused(statement: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError:
        return True
    return False
