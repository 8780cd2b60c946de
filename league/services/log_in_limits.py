"""Rate limits for passwords, designed so that strangers cannot lock an account's owner out.

A device that has logged in to the account before has its own limit. Other attempts count for the IP address, for the
account from that address, and for the account from anywhere, in this order; counting ends at the first refusal. One
address can thus use up at most 50 attempts on an account and 4 mails to a mailbox per hour, fewer than the limits for
the account and the mailbox.
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
"""Enough for a whole club that signs up on its first evening from one IP address."""

RETRY_AFTER = A_QUARTER


def same_account(name: str) -> str:
    """Return a user name normalised for counting, whether or not the account exists."""
    return unicodedata.normalize("NFKC", name).casefold().strip()[:200]


@dataclass(frozen=True, slots=True)
class LogIn:
    """A log-in attempt: account name, IP address, and device if it has logged in to the account before."""

    account: str
    address: str
    device: str = ""

    def may_try(self) -> bool:
        """Count an attempt and return whether it is allowed.

        Call before checking the password, so that concurrent attempts are counted.
        """
        return _use(self._limits())

    def succeeded(self) -> None:
        """Refund the attempt, because the password was right. Failed attempts of others stay counted."""
        for limit, caller in self._limits():
            if limit is KNOWN_DEVICE:
                limit.forget(caller)
            else:
                limit.give_back(caller)

    def open_again(self) -> None:
        """Reset the account's limits: from anywhere, from this address and on this device.

        The limit of the IP address over all accounts is kept; otherwise an attacker could reset it with mails to their
        own account.
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
    """Count a password reset or verification mail and return whether it may be sent."""
    mailbox = same_account(email)
    return _use(
        [
            (RESETS_FROM_ADDRESS, address),
            (RESETS_OF_MAILBOX_FROM_ADDRESS, f"{mailbox}@{address}"),
            (RESETS_OF_MAILBOX, mailbox),
        ]
    )


def may_sign_up_from(address: str) -> bool:
    """Count a sign-up and return whether it is allowed."""
    return SIGN_UPS_FROM_ADDRESS.use(address)


def _use(limits: Iterable[tuple[TryLimit, str]]) -> bool:
    """Count a try for each limit up to the first refusal; return whether all allow it."""
    return all(limit.use(caller) for limit, caller in limits)
