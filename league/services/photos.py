"""Photos of score sheets and tables: shrunk, stripped of metadata, and stored with the hanchan."""

import hashlib
import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import TypeVar

from django.db import transaction
from PIL import Image, ImageOps

from league.core import photos
from league.core.errors import RefusedError
from league.models import Hanchan, HeldPhoto, HeldResult, Photo, Revision
from league.services.history import Actor, Change, write_revision

T = TypeVar("T")

FORMATS = ("JPEG", "PNG", "WEBP")
"""Accepted formats, detected by content; file names and declared types are ignored."""

UNPACKED_WHOLE = ("PNG", "WEBP")
"""Formats that are decoded at full size; a JPEG can be decoded at about the target size."""

QUALITY = 80


class PhotoError(RefusedError):
    """The photo was refused. `code` is a key of messages.photos.SENTENCES."""


@dataclass(frozen=True, slots=True)
class CleanedPhoto:
    jpeg: bytes
    width: int
    height: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.jpeg).hexdigest()


def clean_photo(data: bytes) -> CleanedPhoto:
    """Decode a photo and return it upright, shrunk and without metadata. Raise PhotoError.

    It is re-encoded from its pixels, so nothing else in the file is kept.
    """
    if not data:
        raise PhotoError("empty")
    if len(data) > photos.MAX_PHOTO_BYTES:
        raise PhotoError("too_large")
    source = _attempt(lambda: Image.open(io.BytesIO(data), formats=FORMATS), "unknown")
    with source:
        if source.width * source.height > photos.MAX_PIXELS:
            raise PhotoError("too_many_pixels")
        if source.format in UNPACKED_WHOLE and source.width * source.height > photos.MAX_PIXELS_WHOLE:
            raise PhotoError("too_many_pixels_whole")
        if source.format == "JPEG" and photos.scans_in(data) > photos.MAX_SCANS:
            raise PhotoError("too_many_scans")
        if not photos.is_legible(source.width, source.height):
            raise PhotoError("too_narrow")
        with _AT_ONCE:
            return _attempt(lambda: _painted(source), "broken")


_AT_ONCE = BoundedSemaphore(2)
"""Limit of photos processed at once, as each may need hundreds of megabytes."""


def _attempt(work: Callable[[], T], code: str) -> T:
    """Run `work`; convert any exception of the library to a PhotoError."""
    try:
        return work()
    except Image.DecompressionBombError as error:
        raise PhotoError("too_many_pixels") from error
    except Exception as error:
        raise PhotoError(code) from error


def _painted(source: Image.Image) -> CleanedPhoto:
    # Decode a JPEG at about the target size, with a tenth of the time and memory.
    source.draft("RGB", photos.fitting_size(*source.size))
    source.load()
    # Shrink first: each copy of a large photo takes a hundred megabytes or more.
    small = _shrunk(_in_eight_bits(source))
    upright = _flat(ImageOps.exif_transpose(small))
    fresh = Image.frombytes("RGB", upright.size, upright.tobytes())
    file = io.BytesIO()
    fresh.save(file, "JPEG", quality=QUALITY, optimize=True)
    return CleanedPhoto(file.getvalue(), *fresh.size)


def _shrunk(image: Image.Image) -> Image.Image:
    if image.mode in {"1", "P", "PA"}:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    small = image.resize(photos.fitting_size(*image.size), Image.Resampling.LANCZOS, reducing_gap=2.0)
    small.info.update(image.info)
    return small


def _in_eight_bits(image: Image.Image) -> Image.Image:
    """Return a 16-bit image in 8 bits, which the other steps can process."""
    if not image.mode.startswith("I"):
        return image
    eight = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    eight.info.update(image.info)
    return eight


def _flat(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    ground = Image.new("RGB", layer.size, "white")
    ground.paste(layer, mask=layer.getchannel("A"))
    return ground


@transaction.atomic
def add_photo(*, hanchan: Hanchan, picture: CleanedPhoto, by: Actor) -> Photo:
    """Add a photo to a hanchan; the same picture is stored only once. Raise PhotoError "enough" above the limit.

    The photo is stored in its row; a task later moves it to the photo store, if there is one.
    """
    Hanchan.objects.select_for_update(of=("self",)).get(pk=hanchan.pk)
    known = hanchan.photos.defer("data").filter(digest=picture.digest).first()
    if known is not None and not known.withdrawn:
        return known
    if hanchan.photos.filter(withdrawn=False).count() >= photos.MAX_PER_HANCHAN:
        raise PhotoError("enough")
    if known is not None:
        return _set_withdrawn(known, Change(Revision.Action.RESTORED), by, withdrawn=False)
    photo = Photo.objects.create(
        hanchan=hanchan,
        data=picture.jpeg,
        size=len(picture.jpeg),
        width=picture.width,
        height=picture.height,
        digest=picture.digest,
        added_by=by.user,
        source=by.source,
    )
    write_revision(hanchan.league, photo, Change(Revision.Action.CREATED, after=_snapshot(photo)), by)
    return photo


def store_held_photo(held: HeldResult, picture: CleanedPhoto) -> None:
    facts = {"data": picture.jpeg, "width": picture.width, "height": picture.height}
    HeldPhoto.objects.update_or_create(held=held, defaults=facts)


def take_over_photo(held: HeldResult, hanchan: Hanchan, by: Actor) -> None:
    photo = HeldPhoto.objects.filter(held=held).first()
    if photo is not None:
        with suppress(PhotoError):
            add_photo(hanchan=hanchan, picture=CleanedPhoto(bytes(photo.data), photo.width, photo.height), by=by)
            photo.delete()


@transaction.atomic
def withdraw_photo(*, photo: Photo, reason: str, by: Actor) -> Photo:
    photos = Photo.objects.select_for_update(of=("self",)).defer("data").select_related("hanchan__league")
    current = photos.get(pk=photo.pk)
    if current.withdrawn:
        return current
    return _set_withdrawn(current, Change(Revision.Action.WITHDRAWN, reason=reason.strip()), by, withdrawn=True)


def _set_withdrawn(photo: Photo, change: Change, by: Actor, *, withdrawn: bool) -> Photo:
    before = _snapshot(photo)
    photo.withdrawn = withdrawn
    photo.save(update_fields=["withdrawn"])
    write_revision(photo.hanchan.league, photo, Change(change.action, before, _snapshot(photo), change.reason), by)
    return photo


def _snapshot(photo: Photo) -> dict[str, object]:
    return {"hanchan": photo.hanchan_id, "size": f"{photo.width} × {photo.height}", "digest": photo.digest}
