"""Sets up an empty site with its first account: for visitors with the code printed by `make run`, until one exists."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext

from league.models import League, Revision
from league.permissions import let_in
from league.selectors.demo_accounts import demo_accounts
from league.services.backups import BackupError, put_everything_aside

DEMO = "demo"
"""Source of the revisions made by the demo."""


def first_code() -> str:
    """Return the code for creating the first account. Without it, others on the network could create it first."""
    return salted_hmac("tenbo.first-account", "first", algorithm="sha256").hexdigest()[:20]


def is_first_code(code: str) -> bool:
    return constant_time_compare(code, first_code())


@transaction.atomic
def begin_site(name: str, password: str, *, is_first: bool) -> tuple[User, str]:
    """Create the first account; return it and the path of the old data's backup, or "".

    `is_first`: only if no account can log in. Raise BackupError without changing anything.
    """
    file = ""
    if is_first and let_in().exists():
        raise BackupError(gettext("The first account has since been created. Log in with that account."))
    if is_anything_here():
        file = str(put_everything_aside(Path(settings.VAR_DIR) / f"before-{timezone.now():%Y%m%d-%H%M%S}"))
    return User.objects.create_superuser(name, password=password), file


@dataclass(frozen=True, slots=True)
class NotInvented:
    """Names of accounts and leagues, and the number of changes that people made to the demo leagues."""

    accounts: Sequence[str]
    leagues: Sequence[League]
    changes: int

    def __bool__(self) -> bool:
        return bool(self.accounts or self.leagues or self.changes)


def not_invented() -> NotInvented:
    """Return real accounts and leagues, and the number of changes to demo leagues. Four queries."""
    told = Revision.objects.filter(source=DEMO).order_by()
    invented = list(told.values_list("league", flat=True).distinct())
    # The demo is stored all at once, so later revisions were made by people.
    last = told.aggregate(last=Max("pk"))["last"] or 0
    return NotInvented(
        accounts=list(User.objects.exclude(pk__in=demo_accounts()).order_by("pk").values_list("username", flat=True)),
        leagues=list(League.objects.exclude(pk__in=invented).order_by("pk")),
        changes=Revision.objects.filter(league__in=invented, pk__gt=last).count(),
    )


def is_anything_here() -> bool:
    """Return whether there is a league or an account. At most two queries."""
    return League.objects.exists() or User.objects.exists()
