"""Which accounts are closed while histories still name them."""

from accounts.models import ClosedAccount
from league.selectors.former import former_accounts


def register() -> None:
    """Let pages of leagues call them former members already."""
    former_accounts.append(closed_accounts)


def closed_accounts() -> dict[int, str]:
    """Return the names of accounts that are closed, by number. One query."""
    return dict(ClosedAccount.objects.order_by().values_list("user", "name"))
