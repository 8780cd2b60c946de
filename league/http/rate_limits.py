"""How often something may be tried. Counted in the cache: with several processes they share Redis, else each counts alone."""

from dataclasses import dataclass

from django.core.cache import caches
from django.http import HttpRequest


@dataclass(frozen=True, slots=True)
class Limit:
    """So many tries in so many seconds, counted from the first one."""

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
    """Return where a request comes from, as far as the server before this one can be believed."""
    return str(request.META.get("REMOTE_ADDR", ""))
