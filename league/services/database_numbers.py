"""No two databases give rows the same key, so that a league keeps its keys wherever it goes."""

from django.apps import apps
from django.db import connections, models, transaction
from django.db.models import Max

from league.databases import is_of_the_site
from league.models import DatabaseNumber

APART = 2**36
"""So many keys a database has for each table: enough for ages, and whole numbers of scripts reach for 100,000 databases."""

NUMBER_ON = """
    SELECT setval(sequence, %s) FROM (SELECT pg_get_serial_sequence(%s, %s)::regclass AS sequence) AS found
    WHERE sequence IS NOT NULL AND coalesce(pg_sequence_last_value(sequence), 0) < %s
"""


@transaction.atomic
def number_on_from(database: str) -> int:
    """Have a database give keys of its own, once and for good; return where they begin."""
    number = DatabaseNumber.objects.filter(name=database).values_list("number", flat=True).first()
    if number is None:
        number = (DatabaseNumber.objects.aggregate(last=Max("number"))["last"] or 0) + 1
        DatabaseNumber.objects.create(name=database, number=number)
    first = number * APART
    with connections[database].cursor() as cursor:
        for model in apps.get_models():
            key = model._meta.pk
            if isinstance(key, models.BigAutoField) and not is_of_the_site(model):
                cursor.execute(NUMBER_ON, [first, model._meta.db_table, key.column, first])
    return first
