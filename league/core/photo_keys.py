"""What the object of a photo is called in a store: by its league and by what is in it, so that sent twice it is one object."""

import re

BELOW = "photos/"
"""What the names of all photos begin with; whatever else lies in the store is somebody's own."""

_KEY = re.compile(r"photos/(?P<league>[0-9]{1,18})/(?P<digest>[0-9a-f]{64})\.jpg")


def key_of(league: int, digest: str) -> str:
    """Return the name of a picture of a league, of which the SHA-256 is known."""
    return f"{BELOW}{league}/{digest}.jpg"


def below_league(league: int) -> str:
    return f"{BELOW}{league}/"


def digest_in(key: str) -> str:
    """Return the digest that a name tells; empty for a name that is not one of a photo."""
    found = _KEY.fullmatch(key)
    return found["digest"] if found else ""
