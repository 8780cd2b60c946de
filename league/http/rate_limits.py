"""Rate limits against load, and the client's IP address.

Counts are kept in the cache: in Redis if several processes share it, else per process. Limits that protect secrets are
counted in the database (services/attempts.py).
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network

from django.core.cache import caches
from django.http import HttpRequest


@dataclass(frozen=True, slots=True)
class Limit:
    """`tries` per window of `seconds`, which starts with the first try."""

    name: str
    tries: int
    seconds: int

    def use(self, caller: str) -> bool:
        """Count one try and return whether it was allowed. If the cache is down, everything is allowed."""
        key = f"limit:{self.name}:{caller}"
        caches["notes"].add(key, 0, self.seconds)
        try:
            return (caches["notes"].incr(key) or 0) <= self.tries
        except ValueError:  # expired between the two calls, or the cache is down
            return True


def address_of(request: HttpRequest) -> str:
    """Return the client's IP address, IPv6 shortened to the subscriber's network; "" if there is none."""
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
"""Length of the IPv6 prefix that identifies a subscriber."""
