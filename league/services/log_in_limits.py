"""How often a password may be tried: slow for whoever guesses, and never a way to shut somebody else out.

A device that has logged in to an account counts for itself there: whatever strangers do, they have no part in its tries.
Everybody else shares those of the account at their address, of the account everywhere, and of the address for all names.
"""

import unicodedata
from dataclasses import dataclass

from league.services.attempts import TryLimit

A_QUARTER, AN_HOUR = 15 * 60, 60 * 60

KNOWN_DEVICE = TryLimit("log-in-device", tries=10, seconds=A_QUARTER)
ACCOUNT_AND_ADDRESS = TryLimit("log-in-here", tries=10, seconds=A_QUARTER)
ACCOUNT = TryLimit("log-in-account", tries=30, seconds=AN_HOUR)
ADDRESS = TryLimit("log-in-address", tries=30, seconds=A_QUARTER)

RESETS_OF_MAILBOX = TryLimit("reset-mailbox", tries=3, seconds=AN_HOUR)
RESETS_FROM_ADDRESS = TryLimit("reset-address", tries=10, seconds=AN_HOUR)

RETRY_AFTER = A_QUARTER


def same_account(name: str) -> str:
    """Return a user name as guesses at it are counted: whatever its width and case, known or not."""
    return unicodedata.normalize("NFKC", name).casefold().strip()[:200]


@dataclass(frozen=True, slots=True)
class LogIn:
    """Somebody who tries to log in to an account: from where, and on which device if it is known for that account."""

    account: str
    address: str
    device: str = ""

    def may_try(self) -> bool:
        """Use a try; return whether it was still allowed. Counted before the password is looked at, so that many at once are many."""
        return all([limit.use(caller) for limit, caller in self._limits()])  # noqa: C419 - each of them counts

    def succeeded(self) -> None:
        """Take the try back: the password was right. What strangers tried at the account stays counted."""
        (own, caller), *shared = self._limits()
        own.forget(caller)
        for limit, each in shared:
            limit.give_back(each)

    def _limits(self) -> list[tuple[TryLimit, str]]:
        account = same_account(self.account)
        if self.device:
            return [(KNOWN_DEVICE, f"{account}@{self.device}")]
        return [
            (ACCOUNT_AND_ADDRESS, f"{account}@{self.address}"),
            (ACCOUNT, account),
            (ADDRESS, self.address),
        ]

    def open_again(self) -> None:
        """Let the account be tried anew everywhere."""
        ACCOUNT.forget(same_account(self.account))


def may_send_reset(email: str, address: str) -> bool:
    """Use a mail for a new password; return whether it may still be sent."""
    return all([RESETS_FROM_ADDRESS.use(address), RESETS_OF_MAILBOX.use(same_account(email))])
