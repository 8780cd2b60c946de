"""What the database itself refuses, on both databases, whoever writes: to rewrite the history, and rows on merged names.

Services read players before they write; between the two somebody may merge them. No check in Python closes that gap, so
the tables do: `player_present` keeps rows off a name that has become somebody else's, `player_takes_all_along` keeps a
merge from leaving any behind, `player_in_no_circle` keeps a name from becoming part of itself (docs/adr/0032).
"""

# ruff: noqa: S608 - the statements are put together from the names of tables; no value goes into them

from collections.abc import Iterator

PRESENT, ALL_ALONG, NO_CIRCLE = "player_present", "player_takes_all_along", "player_in_no_circle"

PLAYER = "league_player"
OWNED = ("league_seat", "league_adjustment", "league_sessionpoints")
"""The tables whose rows go along with a merge."""


class KeptHistory:
    """Refuses to change or delete a revision, on both databases.

    Texts alone may go, together with the moment at which they were redacted (docs/adr/0048); and rows of a league go whose
    time has come.
    """

    TABLE = "league_revision"
    FIXED = ("id", "league_id", "subject", "subject_id", "action", "at", "by_id")

    tables = frozenset({TABLE})

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes the guard of the table."""
        if table == self.TABLE:
            yield from self._on_postgresql(f"{schema}.") if schema else self._on_sqlite()

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes it away."""
        if table != self.TABLE:
            return
        if postgresql:
            yield f"DROP FUNCTION IF EXISTS {table}_stays() CASCADE"
        else:
            yield from (f"DROP TRIGGER IF EXISTS {table}_stays_{event}" for event in ("update", "delete"))

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield nothing: what was written while there was no guard stays as it is."""
        yield from ()

    def _on_postgresql(self, schema: str) -> Iterator[str]:
        yield f"""
        CREATE FUNCTION {self.TABLE}_stays() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'UPDATE' THEN
                IF {self._is_redacted("IS NOT DISTINCT FROM")} THEN
                    RETURN NEW;
                END IF;
            ELSIF {self._is_due("now()", schema)} THEN
                RETURN OLD;
            END IF;
            RAISE EXCEPTION '{self.TABLE} only grows: % is refused', TG_OP;
        END $$"""
        yield (
            f"CREATE TRIGGER {self.TABLE}_stays BEFORE UPDATE OR DELETE ON {self.TABLE}"
            f" FOR EACH ROW EXECUTE FUNCTION {self.TABLE}_stays()"
        )

    def _on_sqlite(self) -> Iterator[str]:
        now = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
        for event, lawful in {"update": self._is_redacted("IS"), "delete": self._is_due(now, "")}.items():
            refusal = f"SELECT RAISE(ABORT, '{self.TABLE} only grows: {event.upper()} is refused')"
            yield (
                f"CREATE TRIGGER {self.TABLE}_stays_{event} BEFORE {event.upper()} ON {self.TABLE}"
                f" WHEN NOT ({lawful}) BEGIN {refusal}; END"
            )

    def _is_redacted(self, same: str) -> str:
        figures = " AND ".join(f"OLD.{column} {same} NEW.{column}" for column in self.FIXED)
        return f"NEW.redacted_at IS NOT NULL AND NOT (NEW.redacted_at {same} OLD.redacted_at) AND {figures}"

    @staticmethod
    def _is_due(now: str, schema: str) -> str:
        return f"EXISTS (SELECT 1 FROM {schema}league_league WHERE id = OLD.league_id AND ends_at <= {now})"


class MergedNames:
    """The triggers that refuse, made and kept with those that count (league/models/edition_triggers.py)."""

    TRIGGERS = ("present_insert", "present_update", "no_circle", "all_along")

    @property
    def tables(self) -> frozenset[str]:
        """The tables that are guarded."""
        return frozenset({PLAYER, *OWNED})

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes the guards of a table."""
        if table in OWNED:
            yield from _rows_on_postgresql(table, f"{schema}.") if schema else _rows_on_sqlite(table)
        elif table == PLAYER:
            yield from _players_on_postgresql(f"{schema}.") if schema else _players_on_sqlite()

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes the guards of a table away."""
        if table in self.tables:
            where = f" ON {table}" if postgresql else ""
            yield from (f"DROP TRIGGER IF EXISTS {table}_{name}{where}" for name in self.TRIGGERS)

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield nothing: what was written while there were no guards stays as it is."""
        yield from ()


# --- PostgreSQL ---------------------------------------------------------------------------------------------------------


def _rows_on_postgresql(table: str, schema: str) -> Iterator[str]:
    players = f"{schema}{PLAYER}"
    yield _function(
        f"{table}_present_rows",
        f"""
        PERFORM 1 FROM {players} WHERE id IN (SELECT player_id FROM written) ORDER BY id FOR KEY SHARE;
        IF EXISTS (SELECT 1 FROM {players} WHERE merged_into_id IS NOT NULL AND id IN (SELECT player_id FROM written)) THEN
            {_refusal(PRESENT)}
        END IF;""",
    )
    yield (
        f"CREATE TRIGGER {table}_present_insert AFTER INSERT ON {table} REFERENCING NEW TABLE AS written"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {table}_present_rows()"
    )
    yield _function(
        f"{table}_present_row",
        f"""
        PERFORM 1 FROM {players} WHERE id = NEW.player_id AND merged_into_id IS NULL FOR KEY SHARE;
        IF NOT FOUND THEN
            {_refusal(PRESENT)}
        END IF;""",
    )
    yield (
        f"CREATE TRIGGER {table}_present_update AFTER UPDATE OF player_id ON {table} FOR EACH ROW"
        f" WHEN (OLD.player_id IS DISTINCT FROM NEW.player_id) EXECUTE FUNCTION {table}_present_row()"
    )


def _players_on_postgresql(schema: str) -> Iterator[str]:
    circle = f"""
        above := NEW.merged_into_id;
        WHILE above IS NOT NULL LOOP
            IF above = NEW.id THEN
                {_refusal(NO_CIRCLE)}
            END IF;
            SELECT merged_into_id INTO above FROM {schema}{PLAYER} WHERE id = above FOR SHARE;
        END LOOP;"""
    yield _function(f"{PLAYER}_no_circle", circle, "DECLARE above bigint;")
    left = " OR ".join(f"EXISTS (SELECT 1 FROM {schema}{table} WHERE player_id = NEW.id)" for table in OWNED)
    yield _function(f"{PLAYER}_all_along", f"IF {left} THEN {_refusal(ALL_ALONG)} END IF;")
    for name in ("no_circle", "all_along"):
        yield (
            f"CREATE TRIGGER {PLAYER}_{name} AFTER UPDATE OF merged_into_id ON {PLAYER} FOR EACH ROW"
            " WHEN (NEW.merged_into_id IS NOT NULL AND OLD.merged_into_id IS DISTINCT FROM NEW.merged_into_id)"
            f" EXECUTE FUNCTION {PLAYER}_{name}()"
        )


def _function(name: str, body: str, declare: str = "") -> str:
    return f"""
    CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
    {declare}
    BEGIN
        {body}
        RETURN NULL;
    END $$"""


def _refusal(guard: str) -> str:
    return f"RAISE EXCEPTION '{guard}' USING ERRCODE = 'check_violation', CONSTRAINT = '{guard}';"


# --- SQLite: one writer at a time, so what is read here is what stands ---------------------------------------------------


def _rows_on_sqlite(table: str) -> Iterator[str]:
    merged = f"(SELECT merged_into_id FROM {PLAYER} WHERE id = NEW.player_id) IS NOT NULL"
    yield _before(table, "present_insert", "INSERT", merged, PRESENT)
    is_other = "OLD.player_id <> NEW.player_id"
    yield _before(table, "present_update", "UPDATE OF player_id", f"{is_other} AND {merged}", PRESENT)


def _players_on_sqlite() -> Iterator[str]:
    circle = (
        f"NEW.id IN (WITH RECURSIVE chain(id) AS (SELECT NEW.merged_into_id UNION SELECT merged_into_id FROM {PLAYER}"
        f" JOIN chain USING (id)) SELECT id FROM chain WHERE id IS NOT NULL)"
    )
    is_merged = "NEW.merged_into_id IS NOT NULL"
    yield _before(PLAYER, "no_circle", "UPDATE OF merged_into_id", f"{is_merged} AND {circle}", NO_CIRCLE)
    left = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE player_id = NEW.id)" for table in OWNED)
    is_new = f"{is_merged} AND OLD.merged_into_id IS NOT NEW.merged_into_id"
    yield _before(PLAYER, "all_along", "UPDATE OF merged_into_id", f"{is_new} AND ({left})", ALL_ALONG)


def _before(table: str, name: str, event: str, when: str, guard: str) -> str:
    return (
        f"CREATE TRIGGER {table}_{name} BEFORE {event} ON {table} WHEN {when} BEGIN SELECT RAISE(ABORT, '{guard}'); END"
    )
