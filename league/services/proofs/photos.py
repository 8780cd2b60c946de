"""Proof of photos: each is where its row says, and its content matches its digest."""

import random
from collections.abc import Iterator
from hashlib import sha256

from django.db.models import QuerySet

from league.core.photos import below_league
from league.models import League, Photo
from league.services.photo_store import StoreError, has_store, list_objects, read_object
from league.services.proofs.values import Difference, Proof, ProofTally

READ_WHOLE = 100
"""Photos read in full per run, chosen at random."""

SLICE = 2000


def _check(league: League, tally: ProofTally) -> Iterator[Difference]:
    photos = Photo.objects.filter(hanchan__league=league).order_by("pk")
    for number, digest, size, _key in photos.values_list("pk", "digest", "size", "key").iterator(SLICE):
        tally.add(number, digest, size)
    for number in photos.filter(key="", data=b"").values_list("pk", flat=True):
        yield _lost(number, "its picture is missing")
    for photo in _some(photos.filter(key="").exclude(data=b"")):
        if sha256(bytes(photo.data)).hexdigest() != photo.digest:
            yield _lost(photo.pk, "its picture differs from the one that was added")
    stored = photos.exclude(key="")
    if not stored.exists():
        return
    if not has_store():
        yield _lost_all(league, f"{stored.count()} pictures are in a store that PHOTOS_URL does not name")
        return
    try:
        yield from _in_store(league, stored)
    except StoreError as error:
        yield _lost_all(league, str(error))


def _in_store(league: League, photos: QuerySet[Photo]) -> Iterator[Difference]:
    sizes = _sizes(league)
    for number, key, size in photos.values_list("pk", "key", "size").iterator(SLICE):
        # A photo of a league imported from another database is stored under its old prefix.
        if key not in sizes and key.startswith(below_league(league.pk)):
            yield _lost(number, f"{key} is not in the store")
        elif sizes.get(key, size) != size:
            yield _lost(number, f"{key} has {sizes[key]} bytes in the store, not {size}")
    for photo in _some(photos.defer("data")):
        data = read_object(photo.key)
        if data is None and not photo.key.startswith(below_league(league.pk)):
            yield _lost(photo.pk, f"{photo.key} is not in the store")
        elif data is not None and sha256(data).hexdigest() != photo.digest:
            yield _lost(photo.pk, f"{photo.key} is not the picture that was added")


def _sizes(league: League) -> dict[str, int]:
    sizes: dict[str, int] = {}
    last = ""
    while found := list_objects(last, below_league(league.pk)):
        sizes |= {each.key: each.size for each in found}
        last = found[-1].key
    return sizes


def _some(photos: QuerySet[Photo]) -> Iterator[Photo]:
    numbers = list(photos.values_list("pk", flat=True))
    # A random sample; no security depends on it.
    for number in sorted(random.sample(numbers, min(READ_WHOLE, len(numbers)))):
        yield from photos.filter(pk=number)


def _lost(number: int, why: str) -> Difference:
    return Difference(f"photo {number}", "", "", "", is_fact=True, why=why)


def _lost_all(league: League, why: str) -> Difference:
    return Difference(f"photos of {league.slug}", "", "", "", is_fact=True, why=why)


PHOTOS = Proof("photos", "photos", _check)
