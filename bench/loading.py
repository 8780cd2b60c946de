"""Seasons into the database by COPY, every derived column worked out by the core, as if each hanchan had been entered."""

import heapq
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any

from django.db import connection, models, transaction

from bench.product import COLUMN_OF_PART, count_uses_of_rules, league_with_rules
from bench.seasons import BOUNDARY, Played, Season, played
from league.models import Hanchan, Incident, League, Player, Revision, Seat, Session
from scoring.core import Ledger, ScoringRules

KEYS = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
PARTS = ("base", "oka", "uma", "bust", "chip_points", "other")
ROWS_AT_ONCE = 20_000


def load(seasons: Sequence[Season]) -> list[League]:
    """Store the seasons and return their leagues, boards not yet worked out. Needs a database of its own.

    Hanchan come in the order in which they were played, those of all leagues mixed, so that they lie in the tables as
    years of entering would have left them: what lies close together decides which index the database takes.
    """
    with transaction.atomic(), _without_checks():
        leagues = [_LeagueRows(season) for season in seasons]
        free = _highest(Hanchan) + 1
        for chunk in _chunks(heapq.merge(*map(_played, leagues), key=_moment)):
            _copy(list(enumerate(chunk, start=free)))
            free += len(chunk)
        _advance(Hanchan)
        count_uses_of_rules()
    analyze()
    return [rows.league for rows in leagues]


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


class _LeagueRows:
    """A league with players and sessions, and the rows of its hanchan as COPY takes them."""

    def __init__(self, season: Season) -> None:
        self.season = season
        self.league, self.version = league_with_rules(season.slug, time_zone=season.zone, day_boundary=BOUNDARY)
        self.rules: ScoringRules = self.version.read()
        players = Player.objects.bulk_create(
            Player(league=self.league, key=f"p{number}", name=f"選手{number + 1}", kana=f"せんしゅ{number + 1}")
            for number in range(season.players)
        )
        self.players = [player.pk for player in players]
        self.sessions = self._copy_sessions()

    def _copy_sessions(self) -> dict[date, int]:
        """Store one closed session for every day, and return their primary keys."""
        first = _highest(Session) + 1
        sessions = {day: first + number for number, (day, _) in enumerate(self.season.days)}
        copy_into(
            Session,
            ("id", "league", "key", "number", "date", "ruleset_version", "state"),
            (
                (pk, self.league.pk, f"s{number}", number, day, self.version.pk, Session.State.CLOSED)
                for number, (day, pk) in enumerate(sessions.items(), start=1)
            ),
        )
        _advance(Session)
        return sessions

    def hanchan(self, pk: int, each: Played) -> tuple[object, ...]:
        """Return the row of a hanchan, in the order of HANCHAN."""
        key = uuid.uuid5(KEYS, str(pk))
        place = (self.sessions[each.day], f"h{pk}", key, each.table, each.round, each.moment, each.day)
        return (pk, self.league.pk, *place, self.version.pk, each.moment)

    def seats(self, pk: int, each: Played) -> Iterator[tuple[object, ...]]:
        """Yield the rows of its seats, in the order of SEAT."""
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

    def revision(self, pk: int, each: Played) -> tuple[object, ...]:
        """Return the first line of its history, in the order of REVISION."""
        scored = each.scored
        seats = [
            {"player": self.players[player], "raw": raw, "points": points}
            for player, raw, points in zip(each.players, scored.game.raw, scored.ranking, strict=True)
        ]
        after = {"table": each.table, "round": each.round, "state": Hanchan.State.RECORDED, "seats": seats}
        action = Revision.Action.RECORDED
        return (self.league.pk, "hanchan", pk, action, each.moment, "bench", json.dumps(after))


Of = tuple[_LeagueRows, Played]
"""A hanchan and whose it is."""


def _played(rows: _LeagueRows) -> Iterator[Of]:
    return ((rows, each) for each in played(rows.season, rows.rules))


def _moment(of: Of) -> datetime:
    return of[1].moment


def _chunks(all_of_them: Iterator[Of]) -> Iterator[list[Of]]:
    while chunk := list(islice(all_of_them, ROWS_AT_ONCE)):
        yield chunk


HANCHAN = (
    *("id", "league", "session", "key", "client_key", "table", "round", "played_at", "day"),
    *("ruleset_version", "recorded_at"),
)
SEAT = (
    *("hanchan", "league", "player", "seat", "raw_score", "day", "played_at", "placement", "sharing"),
    *("is_bust", "points", "settlement", *PARTS, "total_only"),
)
REVISION = ("league", "subject", "subject_id", "action", "at", "source", "after")


def _copy(numbered: list[tuple[int, Of]]) -> None:
    """Store hanchan with their seats, busts and first line of history."""
    copy_into(Hanchan, HANCHAN, (rows.hanchan(pk, each) for pk, (rows, each) in numbered))
    copy_into(Seat, SEAT, (row for pk, (rows, each) in numbered for row in rows.seats(pk, each)))
    busts = (row for pk, (_, each) in numbered for row in _busts(pk, each))
    copy_into(Incident, ("hanchan", "seat", "kind", "detail"), busts)
    copy_into(Revision, REVISION, (rows.revision(pk, each) for pk, (rows, each) in numbered))


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
