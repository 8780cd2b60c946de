"""Which accounts are closed while histories still name them."""

from accounts.models import ClosedAccount
from league.selectors.former import former_accounts


def register() -> None:
    """Let pages of leagues call them former members already."""
    former_accounts.append(closed_accounts)


def closed_accounts() -> dict[int, tuple[str, ...]]:
    """Return what accounts that are closed were called, by number. One query."""
    rows = ClosedAccount.objects.order_by().values_list("user", "name", "former_names")
    return {number: (name, *(each for each, _until in former)) for number, name, former in rows}
