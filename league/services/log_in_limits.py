"""Rate limits of passwords that strangers cannot use to lock someone out.

Devices that have logged in before have their own limit. Other attempts count for the address over all names, for the
account at that address, and for the account from everywhere, in this order; limits after the first refusal are not
counted. So one address can make at most 50 attempts on an account and cause 4 mails to a mailbox per hour, fewer than
the total limits.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from league.services.attempts import TryLimit

A_QUARTER, AN_HOUR = 15 * 60, 60 * 60

KNOWN_DEVICE = TryLimit("log-in-device", tries=10, seconds=A_QUARTER)
ACCOUNT_AND_ADDRESS = TryLimit("log-in-here", tries=10, seconds=A_QUARTER)
ACCOUNT = TryLimit("log-in-account", tries=60, seconds=AN_HOUR)
ADDRESS = TryLimit("log-in-address", tries=30, seconds=A_QUARTER)

RESETS_FROM_ADDRESS = TryLimit("reset-address", tries=10, seconds=AN_HOUR)
RESETS_OF_MAILBOX_FROM_ADDRESS = TryLimit("reset-here", tries=2, seconds=AN_HOUR)
RESETS_OF_MAILBOX = TryLimit("reset-mailbox", tries=5, seconds=AN_HOUR)

SIGN_UPS_FROM_ADDRESS = TryLimit("sign-up-address", tries=30, seconds=AN_HOUR)
"""As many as sit in a club room on its first evening, and are behind one address there."""

RETRY_AFTER = A_QUARTER


def same_account(name: str) -> str:
    """Return a user name normalised for counting, whether or not it exists."""
    return unicodedata.normalize("NFKC", name).casefold().strip()[:200]


@dataclass(frozen=True, slots=True)
class LogIn:
    """A log-in attempt: account, address, and device if known for the account."""

    account: str
    address: str
    device: str = ""

    def may_try(self) -> bool:
        """Count an attempt and return whether it was allowed.

        Counted before the password is checked, so concurrent attempts count.
        """
        return _use(self._limits())

    def succeeded(self) -> None:
        """Take the try back: the password was right. What strangers tried at the account stays counted."""
        for limit, caller in self._limits():
            if limit is KNOWN_DEVICE:
                limit.forget(caller)
            else:
                limit.give_back(caller)

    def open_again(self) -> None:
        """Reset the account's limits: everywhere, at this address and on this device.

        The address's limit over all names is kept; otherwise people could reset it with mails to their own account.
        """
        for limit, caller in [self._own(), self._here(), self._everywhere()]:
            limit.forget(caller)

    def _limits(self) -> list[tuple[TryLimit, str]]:
        return [self._own()] if self.device else [(ADDRESS, self.address), self._here(), self._everywhere()]

    def _own(self) -> tuple[TryLimit, str]:
        return KNOWN_DEVICE, f"{same_account(self.account)}@{self.device}"

    def _here(self) -> tuple[TryLimit, str]:
        return ACCOUNT_AND_ADDRESS, f"{same_account(self.account)}@{self.address}"

    def _everywhere(self) -> tuple[TryLimit, str]:
        return ACCOUNT, same_account(self.account)


def may_send_reset(email: str, address: str) -> bool:
    """Count a password or verification mail and return whether it is allowed."""
    mailbox = same_account(email)
    return _use(
        [
            (RESETS_FROM_ADDRESS, address),
            (RESETS_OF_MAILBOX_FROM_ADDRESS, f"{mailbox}@{address}"),
            (RESETS_OF_MAILBOX, mailbox),
        ]
    )


def may_sign_up_from(address: str) -> bool:
    """Use a new account; return whether it may still be made."""
    return SIGN_UPS_FROM_ADDRESS.use(address)


def _use(limits: Iterable[tuple[TryLimit, str]]) -> bool:
    """Use a try of each until one refuses; return whether none did."""
    return all(limit.use(caller) for limit, caller in limits)
