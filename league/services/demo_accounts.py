from collections.abc import Iterable

from django.contrib.auth.models import Group, User

from league.permissions import DEMO_GROUP


def mark(users: Iterable[User]) -> None:
    """Mark accounts as part of the demo."""
    Group.objects.get_or_create(name=DEMO_GROUP)[0].user_set.add(*users)
