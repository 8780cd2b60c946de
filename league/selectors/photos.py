"""The photos of a hanchan, without the pictures themselves: those are read one by one."""

from django.conf import settings
from django.utils import timezone

from league.core.signed_addresses import SigningKey, signed_address
from league.models import Hanchan, Photo

SHOWN_WITHIN = 60
"""Seconds for which a browser may fetch a picture from the store after it was allowed to."""


def photos_of(hanchan: Hanchan) -> list[Photo]:
    """Return the photos that are shown, the first one first. One query."""
    return list(hanchan.photos.filter(withdrawn=False).defer("data"))


def is_at_hand(photo: Photo) -> bool:
    """Return whether this site knows where the picture is: in its row, or in a store that it names."""
    return not photo.key or bool(settings.PHOTO_STORE)


def picture_address(photo: Photo, name: str) -> str:
    """Return a presigned address of the picture, valid for a minute; "" without a store.

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
    """Return how many photos have their picture in a store. One query."""
    return Photo.objects.exclude(key="").count()
