"""Access to setting up a site started by `make run`: visitors with the printed code, until an account exists."""

from django.utils.crypto import constant_time_compare, salted_hmac


def first_code() -> str:
    """Return the code for creating the first account. Without it, others on the network could create it first."""
    return salted_hmac("tenbo.first-account", "first", algorithm="sha256").hexdigest()[:20]


def is_first_code(code: str) -> bool:
    return constant_time_compare(code, first_code())
