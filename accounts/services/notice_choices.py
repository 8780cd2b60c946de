"""What somebody wants to be told is stored here; and mails are stopped by an address that was signed for them alone."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.core import signing

from accounts.models import NoticeKind, Preferences
from league.models import League

SALT = "tenbo.stop-notices"


def choose_notices(
    *, user: User, by_mail: bool | None, kinds: Collection[str], muted: Collection[League], told: tuple[str, str]
) -> None:
    """Store what somebody wants to be told; with None they get mails, or none, as before.

    `told`: where they read the site, "https://league.example/", and in which language.
    """
    chosen = {
        "unwanted": [kind for kind in NoticeKind.values if kind not in kinds],
        "muted": [league.pk for league in muted],
        "origin": told[0],
        "notice_language": told[1],
    }
    if by_mail is not None:
        chosen["by_mail"] = by_mail
    Preferences.objects.update_or_create(user=user, defaults=chosen)


def stop_code(user: User) -> str:
    return signing.Signer(salt=SALT).sign(str(user.pk)).replace(":", "-", 1)


def user_to_stop(code: str) -> User | None:
    """Return whose mails a code stops; None where nobody signed it, or that person is gone."""
    try:
        number = signing.Signer(salt=SALT).unsign(code.replace("-", ":", 1))
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=int(number)).first()


def stop_mails(user: User) -> None:
    """Send somebody no more notices by mail; their own page goes on telling them."""
    Preferences.objects.filter(user=user).update(by_mail=False)
