"""What has an edition of its own within a league, and what is counted per version of rules: triggers besides the league's.

A scope is a kind of row, such as a session, whose changes and those of the rows it shows are counted as a league's are:
on PostgreSQL each statement adds a row for each that it touched, on SQLite the number itself is raised. Who is told of
the scopes there are is `league.models.edition_triggers`; docs/adr/0030 has the reasons.
"""

# ruff: noqa: S608 - the statements are put together from the names of tables; no value goes into them

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from league.models.guards import KeptHistory, MergedNames

NOW_POSTGRESQL = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
NOW_SQLITE = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000 + abs(random() % 1000)"

SUM_UP_EVERY = 64
"""So many changes are left lying until a writer takes those that it touched together, if no other one is at it."""

SUMMING_UP = """
    CREATE OR REPLACE FUNCTION {edition}_sum_up(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM 1 FROM {edition} WHERE {column} = wanted FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            WITH gone AS (DELETE FROM {rise} WHERE {column} = wanted RETURNING at),
                 sums AS (SELECT count(*) AS number, max(at) AS moved_at FROM gone)
            UPDATE {edition} AS edition SET number = edition.number + sums.number,
                                            moved_at = greatest(edition.moved_at, sums.moved_at)
            FROM sums WHERE {column} = wanted AND sums.number > 0;
        END IF;
    END $$
"""

EVENTS = {"insert": "NEW", "update": "NEW", "delete": "OLD"}
"""What happens to rows, and which side of it names whose they are."""


class Watched(Protocol):
    """Something that triggers on a league's tables see to besides the edition of the league."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs; without them there are no triggers."""

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes its triggers on a table; `schema` stands before names on PostgreSQL, empty on SQLite."""

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes them away."""

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield what sets right what changed while there were no triggers."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Whose rows of a table are: a question for `id` that reads `{changed}`, and the columns of the row that it needs.

    `leaves`: the column whose change leaves somebody behind; `events`: what is watched.
    """

    question: str
    columns: tuple[str, ...]
    leaves: str = ""
    events: tuple[str, ...] = tuple(EVENTS)


def by_column(column: str) -> Touch:
    """Return the touch of a table that names whose its rows are."""
    return Touch(f"SELECT {column} AS id FROM {{changed}}", (column,), leaves="" if column == "id" else column)


@dataclass(frozen=True, slots=True)
class Scope:
    """A kind of rows with editions: `owner` is their table, `column` names them in the tables that count."""

    name: str
    owner: str
    column: str
    touches: Mapping[str, Touch] = field(hash=False)
    gathers: bool = True

    @property
    def edition(self) -> str:
        """The table of the numbers."""
        return f"{self.owner}edition"

    @property
    def rise(self) -> str:
        """The table of changes that have not been gathered."""
        return f"{self.owner}rise"

    @property
    def tables(self) -> frozenset[str]:
        """The tables that are written to."""
        return frozenset({self.edition, self.rise})

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes the triggers on a table."""
        if touch := self.touches.get(table):
            yield from self._on_postgresql(table, touch, f"{schema}.") if schema else self._on_sqlite(table, touch)

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes the triggers away."""
        if table not in self.touches:
            return
        if postgresql:
            yield f"DROP FUNCTION IF EXISTS {table}_{self.name} CASCADE"
            yield f"DROP FUNCTION IF EXISTS {table}_{self.name}_left CASCADE"
            return
        for event in (*EVENTS, "left"):
            yield f"DROP TRIGGER IF EXISTS {table}_{self.name}_{event}"

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield what gives each an edition that nobody has seen."""
        if not postgresql:
            yield self._raised(f"SELECT id FROM {self.owner}")
            return
        yield (
            f"INSERT INTO {self.edition} ({self.column}, number, moved_at) SELECT id, 0, 0 FROM {self.owner}"
            f" ON CONFLICT DO NOTHING"
        )
        yield f"INSERT INTO {self.rise} ({self.column}, at) SELECT id, {NOW_POSTGRESQL} FROM {self.owner}"

    def _on_postgresql(self, table: str, touch: Touch, schema: str) -> Iterator[str]:
        names = {"edition": schema + self.edition, "rise": schema + self.rise, "column": self.column}
        touched = self._touched(touch, "changed", schema)
        begins = gathers = ""
        if table == self.owner:
            yield SUMMING_UP.format(**names)
            begins = "IF TG_OP = 'INSERT' THEN INSERT INTO {edition} ({column}, number, moved_at)"
            begins = f"{begins} SELECT id, 0, 0 FROM changed ON CONFLICT DO NOTHING; END IF;".format(**names)
        if self.gathers:
            gathers = f"""
            IF FOUND AND currval('{names["rise"]}_id_seq') % {SUM_UP_EVERY} = 0 THEN
                PERFORM {names["edition"]}_sum_up(id) FROM ({touched}) AS touched;
            END IF;"""
        adds = f"INSERT INTO {names['rise']} ({self.column}, at) SELECT id, {NOW_POSTGRESQL} FROM"
        yield f"""
        CREATE FUNCTION {table}_{self.name}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                {adds} {schema}{self.owner};
                RETURN NULL;
            END IF;
            {begins}
            {adds} ({touched}) AS touched;{gathers}
            RETURN NULL;
        END $$"""
        for event in touch.events:
            yield (
                f"CREATE TRIGGER {table}_{self.name}_{event} AFTER {event.upper()} ON {table}"
                f" REFERENCING {EVENTS[event]} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {table}_{self.name}()"
            )
        yield (
            f"CREATE TRIGGER {table}_{self.name}_truncate AFTER TRUNCATE ON {table}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {table}_{self.name}()"
        )
        if touch.leaves:
            left = self._touched(touch, _row(touch, "OLD"), schema)
            yield f"""
        CREATE FUNCTION {table}_{self.name}_left() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            {adds} ({left}) AS touched;
            RETURN NULL;
        END $$"""
            yield (
                f"CREATE TRIGGER {table}_{self.name}_left AFTER UPDATE OF {touch.leaves} ON {table} FOR EACH ROW"
                f" WHEN (OLD.{touch.leaves} IS DISTINCT FROM NEW.{touch.leaves})"
                f" EXECUTE FUNCTION {table}_{self.name}_left()"
            )

    def _on_sqlite(self, table: str, touch: Touch) -> Iterator[str]:
        for event in touch.events:
            raised = self._raised(self._touched(touch, _row(touch, EVENTS[event])))
            yield f"CREATE TRIGGER {table}_{self.name}_{event} AFTER {event.upper()} ON {table} BEGIN {raised}; END"
        if touch.leaves:
            raised = self._raised(self._touched(touch, _row(touch, "OLD")))
            yield (
                f"CREATE TRIGGER {table}_{self.name}_left AFTER UPDATE OF {touch.leaves} ON {table}"
                f" WHEN OLD.{touch.leaves} IS NOT NEW.{touch.leaves} BEGIN {raised}; END"
            )

    def _touched(self, touch: Touch, changed: str, schema: str = "") -> str:
        """Return the question for those that are touched and still there, each once."""
        question = touch.question.format(changed=changed, schema=schema)
        return f"SELECT id FROM {schema}{self.owner} WHERE id IN (SELECT id FROM ({question}) AS named)"

    def _raised(self, touched: str) -> str:
        return (
            f"INSERT INTO {self.edition} ({self.column}, number, moved_at)"
            f" SELECT id, 1, {NOW_SQLITE} FROM ({touched}) AS touched WHERE true"
            f" ON CONFLICT ({self.column}) DO UPDATE SET number = number + 1, moved_at = excluded.moved_at"
        )


def _row(touch: Touch, side: str) -> str:
    """Return one row as a table of one, as the questions read it."""
    return f"(SELECT {', '.join(f'{side}.{column} AS {column}' for column in touch.columns)}) AS changed"


SESSIONS = Scope(
    "session",
    "league_session",
    "session_id",
    {
        "league_session": by_column("id"),
        "league_hanchan": by_column("session_id"),
        "league_sessionpoints": by_column("session_id"),
        "league_adjustment": by_column("session_id"),
        "league_seat": Touch(
            "SELECT hanchan.session_id AS id FROM {changed}"
            " JOIN {schema}league_hanchan AS hanchan ON hanchan.id = changed.hanchan_id",
            ("hanchan_id",),
            leaves="hanchan_id",
        ),
    },
    # Whoever adds a session up gathers its changes: those that are left tell which sessions are to be added up.
    gathers=False,
)
"""A session with its hanchan and the points that lie on it."""


class RuleUses:
    """How many hanchan stand under each version of rules: numbers that are added and taken away, never counted again."""

    SUMS, CHANGES, TABLE = "league_ruleuse", "league_ruleusechange", "league_hanchan"
    COLUMNS = "(ruleset_version_id, hanchan, standing)"

    @property
    def tables(self) -> frozenset[str]:
        """The tables that are written to."""
        return frozenset({self.SUMS, self.CHANGES})

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes the triggers on the table of the hanchan."""
        if table == self.TABLE:
            yield from self._on_postgresql(f"{schema}.") if schema else self._on_sqlite()

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes the triggers away."""
        if table == self.TABLE:
            if postgresql:
                yield f"DROP FUNCTION IF EXISTS {table}_uses CASCADE"
            else:
                yield from (f"DROP TRIGGER IF EXISTS {table}_uses_{event}" for event in EVENTS)

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield what counts once from the beginning."""
        if postgresql:
            # A hanchan that is stored between two of these statements would be lost or count twice.
            yield f"LOCK TABLE {self.TABLE} IN SHARE ROW EXCLUSIVE MODE"
        yield f"DELETE FROM {self.CHANGES}"
        yield f"DELETE FROM {self.SUMS}"
        yield f"INSERT INTO {self.SUMS} {self.COLUMNS} {self._summed(f'{self._counted(1)} FROM {self.TABLE}')}"

    def _on_postgresql(self, schema: str) -> Iterator[str]:
        inserted, deleted = f"{self._counted(1)} FROM changed", f"{self._counted(-1)} FROM gone"
        adds = f"INSERT INTO {schema}{self.CHANGES} {self.COLUMNS}"
        yield f"""
        CREATE FUNCTION {self.TABLE}_uses() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                DELETE FROM {schema}{self.CHANGES};
                DELETE FROM {schema}{self.SUMS};
            ELSIF TG_OP = 'INSERT' THEN
                {adds} {self._summed(inserted)};
            ELSIF TG_OP = 'DELETE' THEN
                {adds} {self._summed(deleted)};
            ELSE
                {adds} {self._summed(f"{inserted} UNION ALL {deleted}")};
            END IF;
            RETURN NULL;
        END $$"""
        sides = {"insert": "NEW TABLE AS changed", "delete": "OLD TABLE AS gone"}
        for event, tables in (sides | {"update": " ".join(sides.values())}).items():
            yield (
                f"CREATE TRIGGER {self.TABLE}_uses_{event} AFTER {event.upper()} ON {self.TABLE}"
                f" REFERENCING {tables} FOR EACH STATEMENT EXECUTE FUNCTION {self.TABLE}_uses()"
            )
        yield (
            f"CREATE TRIGGER {self.TABLE}_uses_truncate AFTER TRUNCATE ON {self.TABLE}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {self.TABLE}_uses()"
        )

    def _on_sqlite(self) -> Iterator[str]:
        ways = {"insert": {"NEW": 1}, "delete": {"OLD": -1}, "update": {"OLD": -1, "NEW": 1}}
        for event, sides in ways.items():
            changes = "".join(f"{self._changed(side, sign)}; " for side, sign in sides.items())
            of = " OF ruleset_version_id, state" if event == "update" else ""
            yield (
                f"CREATE TRIGGER {self.TABLE}_uses_{event} AFTER {event.upper()}{of} ON {self.TABLE} BEGIN {changes}END"
            )

    def _changed(self, side: str, sign: int) -> str:
        row = f"(SELECT {side}.ruleset_version_id AS ruleset_version_id, {side}.state AS state)"
        return (
            f"INSERT INTO {self.SUMS} {self.COLUMNS} {self._counted(sign)} FROM {row} WHERE true"
            " ON CONFLICT (ruleset_version_id) DO UPDATE"
            " SET hanchan = hanchan + excluded.hanchan, standing = standing + excluded.standing"
        )

    @staticmethod
    def _counted(sign: int) -> str:
        standing = f"CASE WHEN state = 'voided' THEN 0 ELSE {sign} END"
        return f"SELECT ruleset_version_id, {sign} AS hanchan, {standing} AS standing"

    @staticmethod
    def _summed(counted: str) -> str:
        return (
            f"SELECT ruleset_version_id, sum(hanchan), sum(standing) FROM ({counted}) AS counted"
            " GROUP BY ruleset_version_id HAVING sum(hanchan) <> 0 OR sum(standing) <> 0"
        )


watched: list[Watched] = [SESSIONS, RuleUses(), MergedNames(), KeptHistory()]
"""Whatever triggers see to besides the editions of leagues; other apps add theirs when they are loaded."""
