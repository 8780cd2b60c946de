from collections.abc import Collection

from django.contrib.auth.models import Group, User

from league.permissions import DEMO_GROUP
from league.selectors.demo_accounts import unmarked_accounts


def mark(users: Collection[User]) -> None:
    """Note that accounts came with the demonstration."""
    if users:
        Group.objects.get_or_create(name=DEMO_GROUP)[0].user_set.add(*users)


def mark_demo_accounts() -> None:
    """Mark the accounts of a demonstration that was made before there was a mark."""
    mark(unmarked_accounts())
