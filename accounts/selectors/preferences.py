"""A user's preferences, language and e-mail address."""

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User

from accounts.models import Preferences


def preferences_of(user: User) -> Preferences:
    """Return a user's preferences, unsaved defaults if there are none. One query."""
    return Preferences.objects.filter(user=user.pk).first() or Preferences(user=user)


def called(user: User, preferences: Preferences) -> str:
    """Return the display name the user chose, else the user name."""
    return preferences.called or user.get_username()


def mail_address_of(user: User) -> str:
    """Return the user's verified e-mail address, or "". One query."""
    verified = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary", "pk")
    return str(verified.values_list("email", flat=True).first() or "")


def language_of(user: User) -> str:
    """Return the language for messages to the user: preferred language, else that of the notice settings. One query."""
    preferences = preferences_of(user)
    chosen = preferences.language or preferences.notice_language
    return chosen if chosen in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def mails_are_on() -> bool:
    return bool(settings.EMAIL_HOST)
