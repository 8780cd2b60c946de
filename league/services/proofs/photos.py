"""Proof of photos: each has its picture, and its content matches its digest."""

import random
from collections.abc import Iterator
from hashlib import sha256

from league.models import League, Photo
from league.services.proofs.values import Difference, Proof, ProofTally

READ_WHOLE = 100
"""Photos read in full per run, chosen at random."""

SLICE = 2000


def _check(league: League, tally: ProofTally) -> Iterator[Difference]:
    photos = Photo.objects.filter(hanchan__league=league).order_by("pk")
    numbers = []
    for number, digest in photos.values_list("pk", "digest").iterator(SLICE):
        tally.add(number, digest)
        numbers.append(number)
    empty = set(photos.filter(data=b"").values_list("pk", flat=True))
    for number in sorted(empty):
        yield _lost(number, "its picture is missing")
    # A random sample; no security depends on it.
    for number in sorted(random.sample(numbers, min(READ_WHOLE, len(numbers)))):
        data, digest = photos.values_list("data", "digest").get(pk=number)
        if number not in empty and sha256(bytes(data)).hexdigest() != digest:
            yield _lost(number, "its picture differs from the one that was added")


def _lost(number: int, why: str) -> Difference:
    return Difference(f"photo {number}", "", "", "", is_fact=True, why=why)


PHOTOS = Proof("photos", "photos", _check)
