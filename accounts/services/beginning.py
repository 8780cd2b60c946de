"""Sets up an empty site with its first account."""

from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.selectors.not_invented import is_anything_here
from league.permissions import let_in
from league.services.backups import BackupError, put_everything_aside


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
