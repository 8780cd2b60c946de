"""No two databases give rows the same key, and none a smaller one than a league has: it keeps its keys wherever it goes.

Much is told by keys: which of two answers came later, what was stored since somebody looked. So where a league arrives that
has larger keys than its new database gives, that one gives larger ones from then on.
"""

from django.apps import apps
from django.db import connections, models, transaction

from league.databases import HOME, all_databases, is_of_the_site
from league.models import DatabaseNumber

APART = 2**36
"""So many keys begin with one number: enough for ages, and whole numbers of scripts reach for 100,000 numbers."""

LARGEST = 2**53
"""No key is larger: sequences that are none of ours may be."""

NUMBER_ON = """
    SELECT setval(sequence, %s) FROM (SELECT pg_get_serial_sequence(%s, %s)::regclass AS sequence) AS found
    WHERE sequence IS NOT NULL AND coalesce(pg_sequence_last_value(sequence), 0) < %s
"""


def number_on_from(database: str, above: int = 0) -> int:
    """Have a database give keys that no other one gives, larger than `above`; return where they begin."""
    number = _number_of(database, above // APART)
    # Noted first: a number that is noted and not used does no harm.
    first = number * APART
    with transaction.atomic(using=database), connections[database].cursor() as cursor:
        for model in apps.get_models() if number else ():
            key = model._meta.pk
            if isinstance(key, models.BigAutoField) and not is_of_the_site(model):
                cursor.execute(NUMBER_ON, [first, model._meta.db_table, key.column, first])
    return first


def number_anew(database: str) -> int:
    """Have a database that was brought back give keys that nobody has: those it gave since its backup live on elsewhere.

    Returns where they begin.
    """
    given = [_given(each) for each in all_databases()]
    return number_on_from(database, (max(given) // APART + 1) * APART)


def _given(database: str) -> int:
    """Return the largest key that a database has given, or another one to what came from there."""
    with connections[database].cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(last_value), 0) FROM pg_sequences WHERE schemaname = current_schema() AND last_value < %s",
            [LARGEST],
        )
        return int(cursor.fetchone()[0])


def first_key(database: str) -> int:
    """Return where the keys begin that a database gives at present."""
    number = DatabaseNumber.objects.filter(name=database).values_list("number", flat=True).first()
    return (number or 0) * APART


@transaction.atomic
def _number_of(database: str, least: int) -> int:
    """Return the number of a database: its own, unless that is none or too small, else one above all others."""
    numbers = DatabaseNumber.objects.select_for_update()
    known = dict(numbers.values_list("name", "number"))
    # The home database begins without one.
    number = known.get(database, 0 if database == HOME else -1)
    if number < least or number < 0:
        number = max([*known.values(), least, 0]) + 1
        numbers.update_or_create(name=database, defaults={"number": number})
    return number
