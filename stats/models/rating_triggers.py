"""Triggers that note from which moment ratings are to be replayed, in the transaction that changes a hanchan.

Whatever writes seats cannot forget it: entry, correction, voiding, merging, imports. A change of points moves no rating and
leaves no mark.
"""

# ruff: noqa: S608 - the statements are put together from the names of tables and columns; no value goes into them

from collections.abc import Iterator

from league.models import League

SEATS, MARKS = "league_seat", "stats_ratingmark"
LEAGUES = League._meta.db_table

RATED_BY = ("league_id", "hanchan_id", "player_id", "counted", "placement", "sharing", "played_at", "day")
"""The columns of a seat that ratings follow from."""

SIDES = {"insert": ("NEW",), "delete": ("OLD",), "update": ("OLD", "NEW")}
"""What happens to seats, and which sides of it were or are to be rated."""


class RatingMarks:
    """The triggers on the table of the seats: one mark for each statement and league on PostgreSQL, one a seat on SQLite."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that are written to."""
        return frozenset({MARKS})

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes the triggers."""
        if table == SEATS:
            yield from self._on_postgresql(f"{schema}.") if schema else self._on_sqlite()

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes the triggers away."""
        if table == SEATS:
            if postgresql:
                yield f"DROP FUNCTION IF EXISTS {SEATS}_rated CASCADE"
            else:
                yield from (f"DROP TRIGGER IF EXISTS {SEATS}_rated_{event}" for event in SIDES)

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield what has every league replayed from its beginning."""
        yield self._everything("")

    def _everything(self, schema: str) -> str:
        return f"INSERT INTO {schema}{MARKS} (league_id, played_at) SELECT id, NULL FROM {schema}{LEAGUES}"

    def _on_postgresql(self, schema: str) -> Iterator[str]:
        differs = " OR ".join(f"before.{column} IS DISTINCT FROM after.{column}" for column in RATED_BY)
        pairs = f"FROM before JOIN after ON after.id = before.id WHERE {differs}"
        moved = (
            f"SELECT before.league_id, before.played_at {pairs}"
            f" UNION ALL SELECT after.league_id, after.played_at {pairs}"
        )
        yield f"""
        CREATE FUNCTION {SEATS}_rated() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                {self._everything(schema)};
            ELSIF TG_OP = 'UPDATE' THEN
                {self._earliest(f"({moved}) AS moved", schema)};
            ELSE
                {self._earliest("changed", schema)};
            END IF;
            RETURN NULL;
        END $$"""
        sides = {"OLD": "OLD TABLE AS changed", "NEW": "NEW TABLE AS changed"}
        for event, (side, *more) in SIDES.items():
            named = "OLD TABLE AS before NEW TABLE AS after" if more else sides[side]
            yield (
                f"CREATE TRIGGER {SEATS}_rated_{event} AFTER {event.upper()} ON {SEATS} REFERENCING {named}"
                f" FOR EACH STATEMENT EXECUTE FUNCTION {SEATS}_rated()"
            )
        yield (
            f"CREATE TRIGGER {SEATS}_rated_truncate AFTER TRUNCATE ON {SEATS}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {SEATS}_rated()"
        )

    def _earliest(self, source: str, schema: str) -> str:
        """Return what marks each league that is still there by the earliest of these seats."""
        return (
            f"INSERT INTO {schema}{MARKS} (league_id, played_at) SELECT league_id, min(played_at) FROM {source}"
            f" WHERE league_id IN (SELECT id FROM {schema}{LEAGUES}) GROUP BY league_id"
        )

    def _on_sqlite(self) -> Iterator[str]:
        differs = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in RATED_BY)
        for event, sides in SIDES.items():
            marks = "".join(
                f"INSERT INTO {MARKS} (league_id, played_at) SELECT {side}.league_id, {side}.played_at"
                f" WHERE {side}.league_id IN (SELECT id FROM {LEAGUES}); "
                for side in sides
            )
            when = f" WHEN {differs}" if event == "update" else ""
            of = f" OF {', '.join(RATED_BY)}" if event == "update" else ""
            yield f"CREATE TRIGGER {SEATS}_rated_{event} AFTER {event.upper()}{of} ON {SEATS}{when} BEGIN {marks}END"


RATINGS_MARK = RatingMarks()
