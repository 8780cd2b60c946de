from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.db.models import F, Q


def log_in_name(typed: str) -> str:
    """Return the user name for the input, or the input if it matches no account or several. One query.

    User names take precedence over e-mail addresses, and verified addresses over unverified ones.
    """
    if "@" not in typed:
        return typed
    rows = User.objects.filter(
        Q(username=typed) | Q(email__iexact=typed) | Q(emailaddress__email=typed.lower(), emailaddress__verified=True)
    ).values_list("username", "emailaddress__email", "emailaddress__verified")
    verified = {name for name, email, is_verified in rows if is_verified and email == typed.lower()}
    found = verified or {name for name, *_ in rows}
    return typed if len(found) != 1 or typed in {name for name, *_ in rows} else found.pop()


def user_at(address: str) -> User | None:
    """Return the account with this e-mail address, or None if there is none or more than one. One query."""
    at = Q(email__iexact=address) | Q(emailaddress__email=address.lower(), emailaddress__verified=True)
    told = {"at": F("emailaddress__email"), "is_verified": F("emailaddress__verified")}
    found = list(User.objects.filter(at, is_active=True).annotate(**told))
    verified = {user for user in found if getattr(user, "is_verified") and getattr(user, "at") == address.lower()}  # noqa: B009
    best = verified or {*found}
    return best.pop() if len(best) == 1 else None


def ways_in_of(user: User) -> int:
    """Return the number of the account's log-in methods: password, passkeys, external services."""
    passkeys: int = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN).count()
    services: int = SocialAccount.objects.filter(user=user).count()
    return int(user.has_usable_password()) + passkeys + services
