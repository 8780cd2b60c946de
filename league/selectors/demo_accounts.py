from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.db.models import QuerySet

from league.permissions import DEMO_GROUP

PASSWORD = "tenbo-demo"  # noqa: S105 - public on purpose, and only in the demo
ADMIN = "admin"


def demo_accounts() -> QuerySet[User]:
    """Return the active accounts that were created for the demo."""
    return User.objects.filter(is_active=True, groups__name=DEMO_GROUP).order_by("pk")


def is_shut_out(user: User) -> bool:
    """Return whether a demo account tries to log in outside the demo. One query outside the demo."""
    return not settings.DEMO and user.groups.filter(name=DEMO_GROUP).exists()


def with_known_password(users: Iterable[User]) -> list[User]:
    found = list(users)
    # They share a password hash initially, and checking a hash is slow on purpose.
    right = {each for each in {user.password for user in found} if check_password(PASSWORD, each)}
    return [user for user in found if user.password in right]


def has_demo_accounts() -> bool:
    """Return whether demo accounts can be used. One query in the demo, else none."""
    return bool(settings.DEMO) and demo_accounts().exists()
