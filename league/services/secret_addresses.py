"""Secrets that stand in addresses: worked out from a stored nonce by the site's key, and found by their hash alone."""

import base64
from hashlib import sha256
from uuid import UUID

from django.utils.crypto import salted_hmac

from league.selectors.link_keys import believed_keys

SECRET_BYTES = 16


def worked_out(purpose: str, nonce: UUID, key: str, row: int | None = None) -> str:
    """Return the secret of 128 bits that a key makes of a nonce, for a purpose; of a row's number with it, where given."""
    message = nonce.hex if row is None else f"{row}:{nonce.hex}"
    digest = salted_hmac(purpose, message, secret=key, algorithm="sha256").digest()
    return base64.b32encode(digest[:SECRET_BYTES]).decode().rstrip("=").lower()


def hash_of(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def shown_again(purpose: str, nonce: UUID, secret_hash: str) -> str:
    """Return the secret with this hash; nothing where the site has lost the key that it was made with."""
    secrets = (worked_out(purpose, nonce, key) for key in believed_keys())
    return next((secret for secret in secrets if hash_of(secret) == secret_hash), "")
