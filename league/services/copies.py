"""People in the databases of leagues: a copy of who they are, without anything by which somebody could come in.

What a league's rows say of somebody leads to the copy, as keys must; who they are is read at home, but for the names that
a statement reads together with such rows.
"""

# ruff: noqa: S608 - the statements are put together from the names of columns; every value is a parameter

import logging
from collections.abc import Collection, Iterable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, InterfaceError, connections, models, transaction

from league.databases import HOME, SITE, home, is_of_the_site, present_place

logger = logging.getLogger(__name__)

COPIED = ("id", "username", "first_name", "last_name", "is_active", "date_joined")
EMPTY = {"password": "!", "email": "", "is_staff": False, "is_superuser": False}
"""What a copy does not have: nobody logs in by it, or gets mail by it."""

NAMES = (*COPIED, *EMPTY)
CHANGED = ", ".join(f"{name} = EXCLUDED.{name}" for name in COPIED[1:])
OTHER = " IS DISTINCT FROM ".join(
    f"({', '.join(f'{table}.{name}' for name in COPIED[1:])})" for table in ("auth_user", "EXCLUDED")
)
NEW = f"INSERT INTO auth_user ({', '.join(NAMES)}) VALUES ({', '.join(['%s'] * len(NAMES))})"
MERGED = f"{NEW} ON CONFLICT (id) DO UPDATE SET {CHANGED} WHERE {OTHER}"
"""Somebody who is as they were is not written: whoever logs in, or enters a result, would wait for that."""
KNOWN = f"UPDATE auth_user SET {', '.join(f'{name} = %s' for name in COPIED[1:])} WHERE id = %s"
ASIDE = "UPDATE auth_user SET username = '#' || id WHERE username = %s AND id <> %s"
"""Somebody who has the name now had another one here; who had it is told anew when they come."""

_copied: set[tuple[object, ...]] = set()
MOST_NOTED = 50_000


def copy_person(user: User, database: str) -> None:
    """Have a copy of somebody in a database as they are now; nothing to do for whoever this process has copied already."""
    if (database, *_facts(user)) in _copied:
        return
    # As they are at home: who asks may have been renamed since they were read.
    facts = _facts(User.objects.using(home()).filter(pk=user.pk).first() or user)
    with transaction.atomic(using=_alias(database)):
        _store(connections[_alias(database)], facts)
    # What is taken back was not copied.
    transaction.on_commit(lambda: _note((database, *facts)), using=_alias(database))


def _facts(user: User) -> tuple[object, ...]:
    return tuple(getattr(user, name) for name in COPIED)


def _note(copy: tuple[object, ...]) -> None:
    if len(_copied) >= MOST_NOTED:
        _copied.clear()
    _copied.add(copy)


def copy_people(numbers: Collection[int], connection: Any) -> set[int]:
    """Have copies of these people through a connection, as they are at home; return those who are not there."""
    found = User.objects.using(home()).filter(pk__in=numbers).order_by("pk").values_list(*COPIED)
    if connection is not connections[home()]:
        for facts in found:
            _store(connection, facts)
    return {*numbers} - {facts[0] for facts in found}


def _store(connection: Any, facts: tuple[Any, ...]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(ASIDE, [facts[1], facts[0]])
        cursor.execute(MERGED, [*facts, *EMPTY.values()])


def _alias(database: str) -> str:
    return HOME if present_place().database == database else database


def tell_of_change(
    sender: object,
    instance: User,
    created: bool,  # noqa: FBT001
    using: str,
    update_fields: Collection[str] | None = None,
    **_signal: object,
) -> None:
    """Have the copies of somebody follow; connected to the signal of a stored account."""
    del sender
    # Whoever logs in is noted at home alone.
    is_told = update_fields is None or {*update_fields} & {*COPIED}
    if is_told and not created and using in {HOME, SITE} and present_place().database == HOME:
        transaction.on_commit(lambda: _bring_along(instance))


def _bring_along(user: User) -> None:
    facts = tuple(getattr(user, name) for name in COPIED)
    for database in settings.LEAGUE_DATABASES:
        try:
            with transaction.atomic(using=database), connections[database].cursor() as cursor:
                cursor.execute(ASIDE, [facts[1], facts[0]])
                cursor.execute(KNOWN, [*facts[1:], facts[0]])
        except (DatabaseError, InterfaceError) as error:
            logger.warning("The database %s hears later that an account was changed: %s", database, error)


def copy_whom_it_names(sender: type[models.Model], instance: models.Model, **_signal: object) -> None:
    """Have copies of those whom a row of a league names, before it is stored; connected to the signal of all rows."""
    database = present_place().database
    if database == HOME or is_of_the_site(sender):
        return
    for user in _named(instance):
        copy_person(user, database)


def _named(instance: models.Model) -> Iterable[User]:
    for field in instance._meta.concrete_fields:
        if isinstance(field, models.ForeignKey) and field.related_model is User:
            user = getattr(instance, field.name) if getattr(instance, field.attname) is not None else None
            if isinstance(user, User):
                yield user
