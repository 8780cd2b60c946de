"""Where somebody reads what they are told: their address for mails, and their language."""

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User

from accounts.models import NoticeChoices


def mail_address_of(user: User) -> str:
    """Return the address to which mails for somebody go: one that they have shown to be theirs; empty for none. One query."""
    verified = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary", "pk")
    return str(verified.values_list("email", flat=True).first() or "")


def language_of(user: User) -> str:
    """Return the language in which somebody is written to. One query, none where their choices are at hand."""
    try:
        language = user.notice_choices.language
    except NoticeChoices.DoesNotExist:
        language = ""
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def mails_are_on() -> bool:
    """Return whether this site sends mails at all."""
    return bool(settings.EMAIL_HOST)
