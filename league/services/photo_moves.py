"""Moves photos between the database and the S3 store, and removes orphaned objects.

A photo is first stored in its row, in the transaction of the result. A task later writes it to the store, reads it
back, and only then clears it from the row. After a crash the photo is still in the database, and an object left in the
store is overwritten or swept later.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from django.db.models import QuerySet
from django.utils import timezone

from league import background
from league.core.photos import digest_in, key_of
from league.models import Photo, SignOfLife
from league.services import photo_store

logger = logging.getLogger(__name__)

MOVE_TASK, REMOVE_TASK, SWEEP_TASK = "league.move_photos", "league.remove_pictures", "league.sweep_pictures"

SETTLED = timedelta(minutes=1)
"""Minimum age of a photo before it moves; a concurrent removal of an equal one is finished by then."""

A_TURN = timedelta(seconds=50)
"""Time limit per task, so that other tasks can run."""

ORPHANED = timedelta(days=1)
"""Minimum age of an object without a row before it is removed; rows are normally written within seconds."""

SWEPT_EVERY = timedelta(days=1)
SWEEP_SIGN = "pictures"


def in_database(now: datetime) -> QuerySet[Photo]:
    return Photo.objects.filter(key="", added_at__lt=now - SETTLED).exclude(data=b"")


def move_photos(now: datetime, until: datetime | None, on_moved: Callable[[], object] = lambda: None) -> int:
    """Move photos to the store, oldest first; return how many.

    `until`: stop at this time. Refused photos stay in the database. Raise StoreError if the store is unavailable or
    refuses every photo. Safe to run concurrently.
    """
    moved, last = 0, 0
    refused: photo_store.ObjectRefusedError | None = None
    while until is None or timezone.now() < until:
        photo = in_database(now).filter(pk__gt=last).order_by("pk").select_related("hanchan").first()
        if photo is None:
            break
        last = photo.pk
        try:
            is_moved = _move(photo)
        except photo_store.ObjectRefusedError as error:
            logger.warning("Photo %s stays in the database: %s", photo.pk, error)
            refused = error
            continue
        if is_moved:
            moved += 1
            on_moved()
    if refused is not None and not moved:
        raise refused
    return moved


def _move(photo: Photo) -> bool:
    data = bytes(photo.data)
    if sha256(data).hexdigest() != photo.digest:
        logger.warning("Photo %s differs from the one that was added and stays in the database.", photo.pk)
        return False
    key = key_of(photo.hanchan.league_id, photo.digest)
    photo_store.put_object(key, data)
    if photo_store.read_object(key) != data:
        raise photo_store.ObjectRefusedError("The photo store does not return what was written to it.")
    if not Photo.objects.filter(pk=photo.pk, key="", digest=photo.digest).update(key=key, data=b"", size=len(data)):
        # Another process has moved or deleted it: leave no copy behind.
        remove_some([key])
        return False
    return True


def bring_back(on_moved: Callable[[], object] = lambda: None) -> tuple[int, int]:
    """Copy all photos back into the database; return (copied, missing or damaged in the store).

    Raise StoreError.
    """
    came = missing = last = 0
    away = Photo.objects.exclude(key="").order_by("pk")
    while photo := away.filter(pk__gt=last).defer("data").first():
        last = photo.pk
        data = photo_store.read_object(photo.key)
        if data is None or sha256(data).hexdigest() != photo.digest:
            missing += 1
            continue
        came += Photo.objects.filter(pk=photo.pk, key=photo.key).update(key="", data=data, size=len(data))
        on_moved()
    return came, missing


def remove_pictures_of(photos: Collection[Photo]) -> None:
    keys = sorted({photo.key for photo in photos if photo.key})
    if keys and photo_store.has_store():
        background.send(REMOVE_TASK, keys)


def remove_unused(keys: Sequence[str]) -> int:
    """Remove the objects that no photo uses; return how many.

    Raise StoreError.
    """
    digests = {digest for key in keys if (digest := digest_in(key))}
    rows = Photo.objects.filter(digest__in=digests).values_list("key", "hanchan__league_id", "digest")
    gone = sorted(set(keys) - {key or key_of(league, digest) for key, league, digest in rows})
    for key in gone:
        photo_store.remove_object(key)
    return len(gone)


def sweep_pictures(after: str, now: datetime) -> str:
    """Remove a page of objects that no row uses and that are at least a day old; return the last key of the page.

    Return "" at the end of the store. Raise StoreError.
    """
    found = photo_store.list_objects(after)
    removed = remove_unused([each.key for each in found if digest_in(each.key) and each.written_at < now - ORPHANED])
    if removed:
        logger.info("%s pictures without a row were removed from the store.", removed)
    return found[-1].key if found else ""


def ask_for_moves() -> None:
    """Queue pending moves, and once a day the sweep of orphaned objects. Two queries, none without a store."""
    if not photo_store.has_store():
        return
    now = timezone.now()
    if in_database(now).exists():
        background.send(MOVE_TASK)
    if not SignOfLife.objects.filter(name=SWEEP_SIGN, seen_at__gt=now - SWEPT_EVERY, seen_at__lte=now).exists():
        background.send(SWEEP_TASK, "")


def move_some() -> None:
    now = timezone.now()
    try:
        move_photos(now, now + A_TURN)
    except photo_store.StoreError as error:
        logger.warning("Photos stay in the database for now. %s", error)


def remove_some(keys: Sequence[str]) -> None:
    try:
        remove_unused(keys)
    except photo_store.StoreError as error:
        logger.warning("%s pictures are left for the sweep. %s", len(keys), error)


def sweep_some(after: str) -> None:
    if not after:
        SignOfLife.note(SWEEP_SIGN)
    try:
        last = sweep_pictures(after, timezone.now())
    except photo_store.StoreError as error:
        logger.warning("The rest of the store will be checked tomorrow. %s", error)
        return
    if last:
        background.send(SWEEP_TASK, last)
