from collections.abc import Collection

from django.contrib.auth.models import Group, User

from league.permissions import DEMO_GROUP
from league.selectors.demo_accounts import unmarked_accounts


def mark(users: Collection[User]) -> None:
    """Mark accounts as part of the demo."""
    if users:
        Group.objects.get_or_create(name=DEMO_GROUP)[0].user_set.add(*users)


def mark_demo_accounts() -> None:
    """Mark the accounts of a demo made by an older version that did not mark them."""
    mark(unmarked_accounts())
