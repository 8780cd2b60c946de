"""How much load one link may make, and where a request comes from.

Load is counted in the cache: with several processes they share Redis, else each counts alone. What guards a secret is
counted in the database (services/attempts.py).
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network

from django.core.cache import caches
from django.http import HttpRequest


@dataclass(frozen=True, slots=True)
class Limit:
    """Tries per window in seconds, from the first one."""

    name: str
    tries: int
    seconds: int

    def use(self, caller: str) -> bool:
        """Use one try; return whether it was still allowed. A cache that does not answer allows everything."""
        key = self._key(caller)
        caches["notes"].add(key, 0, self.seconds)
        try:
            return (caches["notes"].incr(key) or 0) <= self.tries
        except ValueError:  # it ended between the two, or the cache is down
            return True

    def _key(self, caller: str) -> str:
        return f"limit:{self.name}:{caller}"


def address_of(request: HttpRequest) -> str:
    """Return where a request comes from; of an IPv6 address the part that one visitor cannot change; "" for no address."""
    try:
        address = ip_address(str(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        return ""
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address.packed, IPV6_SUBSCRIBER), strict=False))


IPV6_SUBSCRIBER = 64
"""Bits of an IPv6 address that identify a subscriber."""
