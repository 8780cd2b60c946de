"""What only grows, on both databases, whoever writes; and what of it goes into the chain of a league's history.

A row of these tables is stored once. The database refuses to change it, to delete it and to empty the table; where a row
may be completed once, as a decision is by its revocation, nothing else of it may change. With each row the database notes
that it is to be chained, in the same statement: whatever writes cannot forget it (docs/adr/0037).
"""

# ruff: noqa: S608 - the statements are put together from the names of tables; no value goes into them

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

UNCHAINED, LINKS, REDACTIONS_TABLE = "league_unchainedfact", "league_chainlink", "league_redaction"

SQLITE_NOW = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
"""The moment as SQLite stores one, to compare with."""

SINCE = frozenset({UNCHAINED, LINKS, REDACTIONS_TABLE})
"""Tables without which there is no chain."""

OPEN = "SELECT 1 FROM {schema}league_redaction AS redaction WHERE redaction.closed_at IS NULL AND {whose}"
"""Finds a redaction that is being made: it is stored, the rows it speaks of change, and it is closed, all at once."""


@dataclass(frozen=True, slots=True)
class OnlyGrows:
    """The triggers that refuse. `completed`: columns that are filled once, the first of them says whether they are.

    `others` are what no completion changes. `league`: the league of a `{row}`, as SQL; rows of a league that is due to be
    deleted may go (docs/adr/0051). Texts in the columns `redacted` go while a redaction of the row is open, and the columns
    `fixed` never change; `whose` tells such a redaction by the row, as SQL (docs/adr/0048).
    """

    table: str
    completed: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    league: str = "{row}.league_id"
    redacted: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    whose: str = ""

    EVENTS = ("update", "delete", "truncate")

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs."""
        return SINCE | {self.table}

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes the guards of the table."""
        if table == self.table:
            yield from self._on_postgresql(f"{schema}.") if schema else self._on_sqlite()

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes the guards of the table away."""
        if table != self.table:
            return
        if postgresql:
            yield f"DROP FUNCTION IF EXISTS {table}_refuses() CASCADE"
        else:
            yield from (f"DROP TRIGGER IF EXISTS {table}_refuses_{event}" for event in self.EVENTS)

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield nothing: what was changed while there were no guards is found by the chain."""
        yield from ()

    def _on_postgresql(self, schema: str) -> Iterator[str]:
        lawful = ""
        if self.redacted:
            # A trigger's own condition may ask no other table on PostgreSQL.
            lawful = f"""
            IF TG_OP = 'UPDATE' THEN
                IF {self._redaction("IS NOT DISTINCT FROM", schema)} THEN
                    RETURN NEW;
                END IF;
            END IF;"""
        yield f"""
        CREATE FUNCTION {self.table}_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                IF {self._is_due("now()", schema)} THEN
                    RETURN OLD;
                END IF;
            END IF;{lawful}
            RAISE EXCEPTION '{self.table} only grows: % is refused', TG_OP;
        END $$"""
        refuses = f"EXECUTE FUNCTION {self.table}_refuses()"
        unless = f" WHEN (NOT ({self._completion('IS NOT DISTINCT FROM')}))" if self.completed else ""
        yield f"CREATE TRIGGER {self.table}_refuses_update BEFORE UPDATE ON {self.table} FOR EACH ROW{unless} {refuses}"
        yield f"CREATE TRIGGER {self.table}_refuses_delete BEFORE DELETE ON {self.table} FOR EACH ROW {refuses}"
        yield f"CREATE TRIGGER {self.table}_refuses_truncate BEFORE TRUNCATE ON {self.table} FOR EACH STATEMENT {refuses}"

    def _on_sqlite(self) -> Iterator[str]:
        allowed = [self._completion("IS")] if self.completed else []
        allowed += [self._redaction("IS", "")] if self.redacted else []
        for event in ("update", "delete"):
            lawful = " OR ".join(allowed) if event == "update" else self._is_due(SQLITE_NOW)
            unless = f" WHEN NOT ({lawful})" if lawful else ""
            refusal = f"SELECT RAISE(ABORT, '{self.table} only grows: {event.upper()} is refused')"
            yield (
                f"CREATE TRIGGER {self.table}_refuses_{event} BEFORE {event.upper()} ON {self.table}{unless}"
                f" BEGIN {refusal}; END"
            )

    def _is_due(self, now: str, schema: str = "") -> str:
        """Return what holds of a row that may go, since the time of its league has come."""
        league = self.league.format(row="OLD", schema=schema)
        return f"EXISTS (SELECT 1 FROM {schema}league_league WHERE id = {league} AND ends_at <= {now})"

    def _completion(self, same: str) -> str:
        """Return what holds of a change that completes a row and does nothing else."""
        first = self.completed[0]
        return f"(OLD.{first} IS NULL AND NEW.{first} IS NOT NULL AND {_kept(self.others, same)})"

    def _redaction(self, same: str, schema: str) -> str:
        """Return what holds of a change of texts that a redaction tells of."""
        is_open = OPEN.format(schema=schema, whose=self.whose)
        return f"({_kept(self.fixed, same)} AND EXISTS ({is_open}))"


def _kept(columns: Iterable[str], same: str) -> str:
    return " AND ".join(f'OLD."{column}" {same} NEW."{column}"' for column in columns)


def of_fact(*kinds: str) -> str:
    """Return how a redaction is told by the row of a fact of these kinds."""
    named = ", ".join(f"'{kind}'" for kind in kinds)
    return f"redaction.fact = OLD.id AND redaction.kind IN ({named})"


@dataclass(frozen=True, slots=True)
class FactKind:
    """A kind of facts that are chained, and the triggers that note them.

    `model`, `columns`: where a fact is read, and what of a row it is. `league`: the league of a `{row}`, as SQL;
    `to_league`: the same as a lookup. `completes`: the column by which a row that stands becomes such a fact.
    """

    name: str
    model: str
    columns: tuple[str, ...]
    league: str
    to_league: str
    completes: str = ""

    @property
    def table(self) -> str:
        """The table of the rows."""
        return self.model.replace(".", "_").lower()

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs."""
        return SINCE | {self.table}

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes the triggers."""
        if table == self.table:
            yield from self._on_postgresql(f"{schema}.") if schema else self._on_sqlite()

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes the triggers away."""
        if table != self.table:
            return
        if postgresql:
            yield f"DROP FUNCTION IF EXISTS {table}_chains_{self.name}() CASCADE"
            yield f"DROP FUNCTION IF EXISTS {table}_completes_{self.name}() CASCADE"
        else:
            yield from (f"DROP TRIGGER IF EXISTS {table}_{does}_{self.name}" for does in ("chains", "completes"))

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield what notes every fact that is in no link and does not wait, in the order in which they were stored."""
        each = f"(SELECT id FROM {self.table} WHERE {self._is_fact('')}"
        each += f" EXCEPT SELECT fact FROM {UNCHAINED} WHERE kind = '{self.name}' EXCEPT {self._linked(postgresql)})"
        yield self._notes(f"{self.table} AS changed WHERE changed.id IN {each}", "")

    def _linked(self, postgresql: bool) -> str:  # noqa: FBT001 - passed on
        if postgresql:
            return f"SELECT (pair->>1)::bigint FROM {LINKS}, jsonb_array_elements(facts) AS pair WHERE pair->>0 = '{self.name}'"
        value = "json_extract(pair.value, '$[1]')"
        return (
            f"SELECT {value} FROM {LINKS}, json_each({LINKS}.facts) AS pair"
            f" WHERE json_extract(pair.value, '$[0]') = '{self.name}'"
        )

    def _is_fact(self, row: str) -> str:
        return f"{row}{self.completes} IS NOT NULL" if self.completes else "true"

    def _notes(self, source: str, schema: str) -> str:
        league = self.league.format(row="changed", schema=schema)
        return (
            f"INSERT INTO {schema}{UNCHAINED} (league_id, kind, fact)"
            f" SELECT {league}, '{self.name}', changed.id FROM {source} AND {league} IS NOT NULL ORDER BY changed.id"
        )

    def _on_postgresql(self, schema: str) -> Iterator[str]:
        name = f"{self.table}_chains_{self.name}"
        yield _function(name, self._notes(f"changed WHERE {self._is_fact('changed.')}", schema))
        yield (
            f"CREATE TRIGGER {name} AFTER INSERT ON {self.table} REFERENCING NEW TABLE AS changed"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
        )
        if self.completes:
            name = f"{self.table}_completes_{self.name}"
            yield _function(name, self._notes("(SELECT NEW.*) AS changed WHERE true", schema))
            yield (
                f"CREATE TRIGGER {name} AFTER UPDATE OF {self.completes} ON {self.table} FOR EACH ROW"
                f" WHEN ({self._is_completed()}) EXECUTE FUNCTION {name}()"
            )

    def _on_sqlite(self) -> Iterator[str]:
        league = self.league.format(row="NEW", schema="")
        notes = f"INSERT INTO {UNCHAINED} (league_id, kind, fact) VALUES ({league}, '{self.name}', NEW.id)"
        is_fact = f" WHEN {self._is_fact('NEW.')}" if self.completes else ""
        yield f"CREATE TRIGGER {self.table}_chains_{self.name} AFTER INSERT ON {self.table}{is_fact} BEGIN {notes}; END"
        if self.completes:
            yield (
                f"CREATE TRIGGER {self.table}_completes_{self.name} AFTER UPDATE OF {self.completes} ON {self.table}"
                f" WHEN {self._is_completed()} BEGIN {notes}; END"
            )

    def _is_completed(self) -> str:
        return f"OLD.{self.completes} IS NULL AND NEW.{self.completes} IS NOT NULL"


def _function(name: str, statement: str) -> str:
    return f"""
    CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        {statement};
        RETURN NULL;
    END $$"""


OF_LEAGUE = "{row}.league_id"
OF_HANCHAN = "(SELECT league_id FROM {schema}league_hanchan WHERE id = {row}.hanchan_id)"

REVISIONS = FactKind(
    "revision",
    "league.Revision",
    ("subject", "subject_id", "action", "at", "by_id", "by_name", "source", "reason", "before", "after"),
    OF_LEAGUE,
    "league",
)
CONFIRMATIONS = FactKind(
    "confirmation",
    "league.Confirmation",
    ("hanchan_id", "version", "verdict", "player_id", "by_id", "by_name", "device", "source", "note", "at"),
    OF_HANCHAN,
    "hanchan__league",
)

REDACTIONS = FactKind(
    "redaction",
    "league.Redaction",
    ("kind", "fact", "at", "by_id", "by_name", "reason", "texts", "digest"),
    OF_LEAGUE,
    "league",
)

growing = [
    OnlyGrows(
        "league_revision",
        redacted=("by_name", "source", "reason", "before", "after"),
        fixed=("id", "league_id", "subject", "subject_id", "action", "at", "by_id"),
        whose=of_fact("revision"),
    ),
    OnlyGrows(
        "league_confirmation",
        league=OF_HANCHAN,
        redacted=("by_name", "device", "source", "note"),
        fixed=("id", "hanchan_id", "version", "verdict", "player_id", "by_id", "at"),
        whose=of_fact("confirmation"),
    ),
    OnlyGrows(
        LINKS,
        redacted=("salts",),
        fixed=("id", "league_id", "number", "at", "facts", "digests", "previous", "hash"),
        whose="redaction.league_id = OLD.league_id",
    ),
    OnlyGrows(
        REDACTIONS_TABLE,
        ("closed_at",),
        ("id", "league_id", "kind", "fact", "at", "by_id", "by_name", "reason", "texts", "digest"),
        redacted=("by_name", "reason"),
        fixed=("id", "league_id", "kind", "fact", "at", "by_id", "texts", "digest", "closed_at"),
        whose=of_fact("redaction"),
    ),
]
"""The tables that only grow; other apps add theirs when they are loaded."""

fact_kinds = [REVISIONS, CONFIRMATIONS, REDACTIONS]
"""What is chained; other apps add theirs when they are loaded."""

kept = [
    *("league_league", "league_player", "league_session", "league_hanchan"),
    *("league_adjustment", "league_sessionpoints", "league_attendance"),
]
"""The tables whose rows change and are never deleted: what is taken back stays readable. Other apps add theirs."""
