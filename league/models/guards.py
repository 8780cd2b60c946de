"""What the database itself refuses, on both databases, whoever writes: to rewrite the history, and rows on merged names.

Services read players before they write; between the two somebody may merge them. No check in Python closes that gap, so
`player_present` keeps rows off a name that has become somebody else's (docs/adr/0032).
"""

# ruff: noqa: S608 - the statements are put together from the names of tables; no value goes into them

from collections.abc import Iterator

PRESENT = "player_present"

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
    """The triggers that keep rows off names that are somebody else's."""

    tables = frozenset({PLAYER, *OWNED})

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes the guards of a table."""
        if table in OWNED:
            yield from self._on_postgresql(table, schema) if schema else self._on_sqlite(table)

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes the guards of a table away."""
        if table not in OWNED:
            return
        if postgresql:
            yield f"DROP TRIGGER IF EXISTS {table}_present ON {table}"
        else:
            yield from (f"DROP TRIGGER IF EXISTS {table}_present_{event}" for event in ("insert", "update"))

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield nothing: what was written while there were no guards stays as it is."""
        yield from ()

    @staticmethod
    def _on_postgresql(table: str, schema: str) -> Iterator[str]:
        yield f"""
        CREATE OR REPLACE FUNCTION {schema}.{PRESENT}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM 1 FROM {schema}.{PLAYER} WHERE id = NEW.player_id AND merged_into_id IS NULL FOR KEY SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION '{PRESENT}' USING ERRCODE = 'check_violation', CONSTRAINT = '{PRESENT}';
            END IF;
            RETURN NULL;
        END $$"""
        yield (
            f"CREATE TRIGGER {table}_present AFTER INSERT OR UPDATE OF player_id ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION {schema}.{PRESENT}()"
        )

    @staticmethod
    def _on_sqlite(table: str) -> Iterator[str]:
        # One writer at a time, so what is read here is what stands.
        merged = f"(SELECT merged_into_id FROM {PLAYER} WHERE id = NEW.player_id) IS NOT NULL"
        events = {"INSERT": merged, "UPDATE OF player_id": f"OLD.player_id <> NEW.player_id AND {merged}"}
        for event, refused in events.items():
            yield (
                f"CREATE TRIGGER {table}_present_{event.split()[0].lower()} BEFORE {event} ON {table} WHEN {refused}"
                f" BEGIN SELECT RAISE(ABORT, '{PRESENT}'); END"
            )
