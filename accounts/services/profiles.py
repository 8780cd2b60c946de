from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Preferences
from league.services.attempts import TryLimit

NAMES_TRIED = TryLimit("account-name", tries=20, seconds=60 * 60)
"""Rate limit against probing for existing user names."""


class NameTakenError(Exception):
    pass


def change_profile(*, user: User, username: str, full_name: str, **preferred: str) -> Preferences:
    """Store the user's names and, as Preferences, display name and display settings. Raise NameTakenError."""
    before = User.objects.get(pk=user.pk).username
    user.username = username
    if full_name != user.get_full_name():
        user.first_name, user.last_name = full_name, ""
    try:
        with transaction.atomic():
            user.save(update_fields=["username", "first_name", "last_name"])
    except IntegrityError as error:
        raise NameTakenError from error
    preferences, _ = Preferences.objects.update_or_create(user=user, defaults=preferred)
    if before != username:
        # Histories contain the old name until the account is closed, when it is searched for.
        preferences.former_names = [*preferences.former_names, [before, timezone.now().isoformat()]]
        preferences.save(update_fields=["former_names"])
    return preferences
