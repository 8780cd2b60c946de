"""How often a password may be tried: slow for whoever guesses, and never a way to shut somebody else out.

A device that has logged in to an account counts for itself there: whatever strangers do, they have no part in its tries.
Everybody else shares those of the address for all names, of the account at their address, and of the account everywhere.

They are asked in this order, and the first that refuses is the last that counts: what one address is refused is aimed at
nobody. In one hour, which touches five quarters at most, an address gets at 50 tries of an account and at 4 mails of a mailbox: fewer
than there are, so that no single address uses them up for the others.
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
        return _use(self._limits())

    def succeeded(self) -> None:
        """Take the try back: the password was right. What strangers tried at the account stays counted."""
        for limit, caller in self._limits():
            if limit is KNOWN_DEVICE:
                limit.forget(caller)
            else:
                limit.give_back(caller)

    def open_again(self) -> None:
        """Let the account be tried anew: everywhere, at this address, and on this device whether it is known or not.

        What the address tried at all names stays counted: a known device is not asked for it, and whoever has an account of
        their own would else buy guesses at others' with mails to themselves.
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
    """Use a mail that lets somebody in or says that an address is theirs; return whether it may still be sent."""
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
