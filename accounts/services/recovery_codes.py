"""Ten one-time recovery codes per account; only hashes are stored.

A code has 79 random bits, too many to recover it from its hash by trying.
"""

import hashlib
import secrets

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db import transaction

COUNT, GROUPS, LETTERS = 10, 4, 4
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Characters that are not confused with each other: 31, almost five bits each."""


def new_codes(user: User) -> list[str]:
    """Create ten new codes and invalidate the old ones."""
    codes = [
        "-".join("".join(secrets.choice(ALPHABET) for _ in range(LETTERS)) for _ in range(GROUPS)) for _ in range(COUNT)
    ]
    kept = {"digests": [_digest(code) for code in codes]}
    Authenticator.objects.update_or_create(
        user=user, type=Authenticator.Type.RECOVERY_CODES, defaults={"data": kept, "last_used_at": None}
    )
    return codes


def codes_left(user: User) -> int:
    kept = Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).first()
    return len(kept.data.get("digests", [])) if kept else 0


@transaction.atomic
def use_code(name: str, code: str) -> User | None:
    """Use up a code and return its user, or None. Takes the same time for unknown users."""
    digest = _digest(code)
    codes = Authenticator.objects.filter(
        user__username=name, user__is_active=True, type=Authenticator.Type.RECOVERY_CODES
    )
    kept = codes.select_for_update(of=("self",)).select_related("user").first()
    left = kept.data.get("digests", []) if kept else []
    if kept is None or digest not in left:
        return None
    kept.data = {"digests": [each for each in left if each != digest]}
    kept.save(update_fields=["data"])
    kept.record_usage()
    user: User = kept.user
    return user


def _digest(code: str) -> str:
    plain = "".join(letter for letter in code.lower() if letter in ALPHABET)
    return hashlib.sha256(plain.encode()).hexdigest()
