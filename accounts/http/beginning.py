"""Access to setting up a site started by `make run`: visitors with the printed code, until an account exists."""

from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.selectors.league_hooks import can_begin_here
from league.permissions import let_in


def waits_for_first_account() -> bool:
    """Return whether no account can log in yet. At most one query."""
    return can_begin_here() and not let_in().exists()


def first_code() -> str:
    """Return the code for creating the first account. Without it, others on the network could create it first."""
    return salted_hmac("tenbo.first-account", "first", algorithm="sha256").hexdigest()[:20]


def is_first_code(code: str) -> bool:
    return constant_time_compare(code, first_code())
