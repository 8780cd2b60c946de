"""PostgreSQL privileges of the serving role: it can read and write rows, but does not own the tables.

They belong to the migrating role, so the serving role cannot drop or truncate them, or disable the triggers that
protect the history. SQLite has no roles.
"""

from collections.abc import Iterator, Sequence

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from league.engine import has_roles


class RoleError(Exception):
    """The role cannot be used for serving; the message says why and what to do."""


_OTHERS = """
    SELECT rolsuper, rolcreaterole OR rolcreatedb, pg_has_role(rolname, current_user, 'MEMBER'),
        EXISTS (SELECT 1 FROM pg_class WHERE relowner = pg_roles.oid AND relnamespace = current_schema()::regnamespace)
    FROM pg_roles WHERE rolname = %s
"""


@transaction.atomic
def grant_role(role: str, password: str = "") -> int:
    """Grant a role the privileges for serving and revoke all others; return the number of tables.

    Create the role and set its password if the current role may do that; otherwise a superuser has to. Raise RoleError.
    """
    if not has_roles():
        raise RoleError("Only PostgreSQL has roles; protect an SQLite file with file permissions.")
    with connection.cursor() as cursor:
        _make(cursor, role, password)
        _refuse_mighty(cursor, role)
        cursor.execute("SELECT quote_ident(current_schema()), quote_ident(current_database())")
        schema, database = cursor.fetchone()
        tables = sorted(connection.introspection.table_names(cursor))
        for statement in _grants(_quoted(role), schema, database, tables):
            cursor.execute(statement)
    return len(tables)


def makes_roles() -> bool:
    """Return whether the current role may create roles and set their passwords."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
        return bool(cursor.fetchone()[0])


def _make(cursor: CursorWrapper, role: str, password: str) -> None:
    cursor.execute(
        "SELECT current_user, current_database(), EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s)", [role]
    )
    owner, database, is_there = cursor.fetchone()
    if owner == role:
        raise RoleError(f"{role} owns the tables and migrates them; use another role to serve pages.")
    if not is_there and not makes_roles():
        raise RoleError(
            f"The server of {database} has no role {role}, and {owner} may make none. A superuser says there once: "
            f"CREATE ROLE {role} LOGIN PASSWORD '…'"
        )
    if not is_there:
        cursor.execute(f"CREATE ROLE {_quoted(role)} LOGIN")
    if password and makes_roles():
        # Statements on roles take no parameters.
        cursor.execute("SELECT quote_literal(%s)", [password])
        cursor.execute(f"ALTER ROLE {_quoted(role)} PASSWORD {cursor.fetchone()[0]}".replace("%", "%%"))


def _refuse_mighty(cursor: CursorWrapper, role: str) -> None:
    cursor.execute(_OTHERS, [role])
    is_superuser, makes_roles, is_owner, owns = cursor.fetchone()
    if is_superuser or makes_roles:
        raise RoleError(
            f"{role} has administrator rights in this PostgreSQL; use a role without such rights to serve pages."
        )
    if is_owner or owns:
        raise RoleError(f"{role} owns tables here, or may act as their owner; use another role to serve pages.")


def _grants(role: str, schema: str, database: str, tables: Sequence[str]) -> Iterator[str]:
    yield f"REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC, {role}"
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM PUBLIC, {role}"
    yield f"GRANT CONNECT ON DATABASE {database} TO {role}"
    yield f"GRANT USAGE ON SCHEMA {schema} TO {role}"
    yield f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}"
    for table in tables:
        rights = "SELECT" if table == "django_migrations" else "SELECT, INSERT, UPDATE, DELETE"
        yield f"GRANT {rights} ON {schema}.{_quoted(table)} TO {role}"


def _quoted(name: str) -> str:
    # In a quoted identifier a quote is doubled.
    return '"' + name.replace('"', '""') + '"'
