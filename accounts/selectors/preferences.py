"""What somebody chose, and what follows where they chose nothing."""

from django.contrib.auth.models import User

from accounts.models import Preferences


def preferences_of(user: User) -> Preferences:
    """Return what a user chose; unsaved and empty where they never did. One query."""
    return Preferences.objects.filter(user=user.pk).first() or Preferences(user=user)


def called(user: User, preferences: Preferences) -> str:
    """Return what to call a user: as they said, else by the name of their account."""
    return preferences.called or user.get_username()
