"""What a user chose, their language, and their address for mail."""

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User

from accounts.models import Preferences


def preferences_of(user: User) -> Preferences:
    """Return what a user chose; unsaved and empty where they never did. One query."""
    return Preferences.objects.filter(user=user.pk).first() or Preferences(user=user)


def called(user: User, preferences: Preferences) -> str:
    """Return what to call a user: as they said, else by the name of their account."""
    return preferences.called or user.get_username()


def mail_address_of(user: User) -> str:
    """Return the address to which mails for somebody go: one that they have shown to be theirs; empty for none. One query."""
    verified = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary", "pk")
    return str(verified.values_list("email", flat=True).first() or "")


def language_of(user: User) -> str:
    """Return the language in which somebody is told: the one they chose, else that in which they chose their notices. One query."""
    preferences = preferences_of(user)
    chosen = preferences.language or preferences.notice_language
    return chosen if chosen in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def mails_are_on() -> bool:
    return bool(settings.EMAIL_HOST)
