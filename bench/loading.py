"""Seasons into the database by COPY, every derived column worked out by the core, as if each hanchan had been entered."""

import json
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.db import connection, models, transaction

from bench.product import COLUMN_OF_PART, league_with_rules
from bench.seasons import BOUNDARY, Played, Season, played
from league.models import Hanchan, Incident, League, Player, Revision, RulesetVersion, Seat, Session
from scoring.core import Ledger, ScoringRules

KEYS = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
PARTS = ("base", "oka", "uma", "bust", "chip_points", "other")
ROWS_AT_ONCE = 20_000


@dataclass
class Next:
    """The next free primary key of each table that is filled."""

    session: int
    hanchan: int


def load(seasons: Iterable[Season]) -> list[League]:
    """Store the seasons and return their leagues, boards not yet worked out. Needs a database of its own."""
    leagues = []
    with transaction.atomic(), _without_checks():
        free = Next(_highest(Session) + 1, _highest(Hanchan) + 1)
        for season in seasons:
            leagues.append(_load_one(season, free))
        for model in (Session, Hanchan):
            _advance(model)
    analyze()
    return leagues


def analyze() -> None:
    """Let the database know how much there is of what, as it finds out by itself in time."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@contextmanager
def _without_checks() -> Iterator[None]:
    """Leave foreign keys unchecked in the present transaction: the loader makes both ends."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def _load_one(season: Season, free: Next) -> League:
    league, version = league_with_rules(season.slug, time_zone=season.zone, day_boundary=BOUNDARY)
    players = Player.objects.bulk_create(
        Player(league=league, key=f"p{number}", name=f"選手{number + 1}", kana=f"せんしゅ{number + 1}")
        for number in range(season.players)
    )
    sessions = {day: free.session + number for number, (day, _) in enumerate(season.days)}
    free.session += len(sessions)
    rows = Rows(league, version, [player.pk for player in players], sessions)
    rows.copy_sessions()
    chunk: list[tuple[int, Played]] = []
    for each in played(season, version.read()):
        chunk.append((free.hanchan, each))
        free.hanchan += 1
        if len(chunk) == ROWS_AT_ONCE:
            rows.copy(chunk)
            chunk = []
    rows.copy(chunk)
    return league


class Rows:
    """The rows of one league, as COPY takes them."""

    def __init__(self, league: League, version: RulesetVersion, players: list[int], sessions: dict[date, int]) -> None:
        self.league, self.version, self.players, self.sessions = league, version, players, sessions
        self.rules: ScoringRules = version.read()
        self.now = datetime.now(UTC)

    def copy_sessions(self) -> None:
        """Store one closed session for every day."""
        copy_into(
            Session,
            ("id", "league", "key", "number", "date", "ruleset_version", "state"),
            (
                (pk, self.league.pk, f"s{number}", number, day, self.version.pk, Session.State.CLOSED)
                for number, (day, pk) in enumerate(self.sessions.items(), start=1)
            ),
        )

    def copy(self, hanchan: list[tuple[int, Played]]) -> None:
        """Store hanchan with their seats, busts and first line of history."""
        place = ("id", "league", "session", "key", "client_key", "table", "round", "played_at", "day")
        copy_into(Hanchan, (*place, "ruleset_version", "recorded_at"), map(self._hanchan, hanchan))
        facts = ("hanchan", "league", "player", "seat", "raw_score", "day", "played_at", "placement", "sharing")
        derived = ("is_bust", "points", "settlement", *PARTS, "total_only")
        copy_into(Seat, (*facts, *derived), (row for each in hanchan for row in self._seats(*each)))
        copy_into(Incident, ("hanchan", "seat", "kind", "detail"), (row for each in hanchan for row in _busts(*each)))
        told = ("league", "subject", "subject_id", "action", "at", "source", "after")
        copy_into(Revision, told, map(self._revision, hanchan))

    def _hanchan(self, numbered: tuple[int, Played]) -> tuple[object, ...]:
        pk, each = numbered
        key = uuid.uuid5(KEYS, str(pk))
        place = (self.sessions[each.day], f"h{pk}", key, each.table, each.round, each.moment, each.day)
        return (pk, self.league.pk, *place, self.version.pk, each.moment)

    def _seats(self, pk: int, each: Played) -> Iterator[tuple[object, ...]]:
        scored = each.scored
        columns: dict[str, list[int]] = {name: [0, 0, 0, 0] for name in PARTS}
        for part, amounts in scored.parts(Ledger.RANKING).items():
            column = columns[COLUMN_OF_PART[part]]
            for seat, points in enumerate(amounts):
                column[seat] += points
        for seat, player in enumerate(each.players):
            raw = scored.game.raw[seat]
            yield (
                *(pk, self.league.pk, self.players[player], seat, raw, each.day, each.moment),
                *(scored.order.placements[seat], scored.order.sharing[seat], self.rules.is_bust(raw)),
                *(scored.ranking[seat], scored.settlement[seat]),
                *(columns[name][seat] for name in PARTS),
                scored.total_only[seat],
            )

    def _revision(self, numbered: tuple[int, Played]) -> tuple[object, ...]:
        pk, each = numbered
        scored = each.scored
        seats = [
            {"player": self.players[player], "raw": raw, "points": points}
            for player, raw, points in zip(each.players, scored.game.raw, scored.ranking, strict=True)
        ]
        after = {"table": each.table, "round": each.round, "state": Hanchan.State.RECORDED, "seats": seats}
        action = Revision.Action.RECORDED
        return (self.league.pk, "hanchan", pk, action, each.moment, "bench", json.dumps(after))


def _busts(pk: int, each: Played) -> Iterator[tuple[object, ...]]:
    for bust in each.scored.game.busts:
        detail = json.dumps({"by": bust.by, "winners": list(bust.winners)})
        yield pk, bust.seat, Incident.Kind.BUST, detail


# --- COPY ------------------------------------------------------------------------------------------------------------


def copy_into(model: type[models.Model], names: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Store rows that have these fields in this order; all other fields are as the model makes them."""
    fields = [field for field in model._meta.concrete_fields if field.name not in names and not _is_serial(field)]
    constants = tuple(_constant(field) for field in fields)
    given = [model._meta.get_field(name) for name in names]
    columns = ", ".join(f'"{field.column}"' for field in (*given, *fields))  # type: ignore[union-attr]
    with connection.cursor() as cursor, cursor.copy(f'COPY "{model._meta.db_table}" ({columns}) FROM STDIN') as copy:
        for row in rows:
            copy.write_row((*row, *constants))


def _is_serial(field: models.Field[Any, Any]) -> bool:
    return isinstance(field, models.AutoField)


def _constant(field: models.Field[Any, Any]) -> object:
    if getattr(field, "auto_now_add", False) or getattr(field, "auto_now", False):
        return datetime.now(UTC)
    value = field.get_default()
    return json.dumps(value) if isinstance(field, models.JSONField) and value is not None else value


def _highest(model: type[models.Model]) -> int:
    highest: int | None = model._default_manager.aggregate(highest=models.Max("pk"))["highest"]
    return highest or 0


def _advance(model: type[models.Model]) -> None:
    """Let the database go on counting where the loader ended."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {max(1, _highest(model))})")
