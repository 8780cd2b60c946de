"""Everything that a league keeps, in a few figures: to see that a refused input left nothing behind."""

from django.apps import apps
from django.db import connection

PASSING = {
    "attempts", "sentform", "edition", "editionrise", "sessionedition", "sessionrise", "tournamentedition", "tournamentrise",
}  # fmt: skip
"""What says how pages may be kept and how often something was tried, and no fact."""


def fingerprint() -> dict[str, tuple[int, int]]:
    """Return for every table with facts how many rows it has, and a sum over all that is in them."""
    tables = [
        model._meta.db_table
        for app in ("league", "tournaments")
        for model in apps.get_app_config(app).get_models()
        if model._meta.model_name not in PASSING
    ]
    each = (f"SELECT '{table}', count(*), coalesce(sum(hashtext(t::text)), 0) FROM {table} t" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(each))
        return {table: (count, int(total)) for table, count, total in cursor.fetchall()}


def changed(before: dict[str, tuple[int, int]]) -> list[str]:
    now = fingerprint()
    return [table for table, figures in before.items() if now[table] != figures]
