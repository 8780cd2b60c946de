"""What a backup tells of and does not hold: pictures that are in a store."""

import random
from collections.abc import Iterator

from league.models import Photo
from league.selectors.photos import count_in_store
from league.services.photo_store import StoreError, has_store, read_object

LOOKED_AT = 20
"""So many pictures are asked for after a restore; `verify` looks for all."""


def what_is_elsewhere() -> Iterator[str]:
    """Yield sentences about the pictures that the rows of a restored site lead to."""
    count = count_in_store()
    if not count:
        return
    yield f"{count} photos have their picture in a store, which is not in the backup."
    if not has_store():
        yield "This site names no store: set PHOTOS_URL. Until then their places say that they are kept."
        return
    keys = list(Photo.objects.exclude(key="").values_list("key", flat=True))
    asked = random.sample(keys, min(LOOKED_AT, count))
    try:
        there = sum(read_object(key) is not None for key in asked)
    except StoreError as error:
        yield f"Whether they are there is not known. {error}"
        return
    yield f"{there} of {len(asked)} that were asked for are there; `manage.py verify` looks for all of them."
