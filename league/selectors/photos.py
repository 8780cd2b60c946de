"""Metadata and URLs of a hanchan's photos; image data is loaded one photo at a time."""

from django.conf import settings
from django.utils import timezone

from league.core.signed_addresses import SigningKey, signed_address
from league.models import Hanchan, Photo

SHOWN_WITHIN = 60
"""Seconds for which a presigned URL is valid."""


def photos_of(hanchan: Hanchan) -> list[Photo]:
    """Return the photos of a hanchan that were not withdrawn, without image data. One query."""
    return list(hanchan.photos.filter(withdrawn=False).defer("data"))


def is_at_hand(photo: Photo) -> bool:
    """Return whether the image can be loaded: from the database, or from a configured photo store."""
    return not photo.key or bool(settings.PHOTO_STORE)


def picture_address(photo: Photo, name: str) -> str:
    """Return a presigned URL of the image, valid for a minute; "" without a photo store.

    `name`: file name for saving.
    """
    store = settings.PHOTO_STORE
    if not store:
        return ""
    key = SigningKey(store["id"], store["secret"], store["region"])
    shown_as = {"response-content-type": "image/jpeg", "response-content-disposition": f'inline; filename="{name}"'}
    address = f"{store['public']}/{photo.key}"
    return signed_address(address, "GET", key, timezone.now(), seconds=SHOWN_WITHIN, query=shown_as)


def count_in_store() -> int:
    """Return the number of photos in the photo store. One query."""
    return Photo.objects.exclude(key="").count()
