from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Preferences
from league.services.attempts import TryLimit

NAMES_TRIED = TryLimit("account-name", tries=20, seconds=60 * 60)
"""Rate limit against probing for existing user names."""


class NameTakenError(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Profile:
    username: str
    full_name: str
    called: str


@dataclass(frozen=True, slots=True)
class Choices:
    """Display settings; empty values mean the default."""

    language: str
    sign: str
    theme: str


def change_profile(*, user: User, profile: Profile, choices: Choices) -> Preferences:
    """Store profile and display settings. Raise NameTakenError."""
    before = User.objects.get(pk=user.pk).username
    user.username = profile.username
    if profile.full_name != user.get_full_name():
        user.first_name, user.last_name = profile.full_name, ""
    try:
        with transaction.atomic():
            user.save(update_fields=["username", "first_name", "last_name"])
    except IntegrityError as error:
        raise NameTakenError from error
    facts = {"called": profile.called, "language": choices.language, "sign": choices.sign, "theme": choices.theme}
    preferences, _ = Preferences.objects.update_or_create(user=user, defaults=facts)
    if before != profile.username:
        # Histories contain the old name until the account is closed, when it is searched for.
        preferences.former_names = [*preferences.former_names, [before, timezone.now().isoformat()]]
        preferences.save(update_fields=["former_names"])
    return preferences
