"""The photos of a hanchan, without the pictures themselves: those are read one by one."""

from league.models import Hanchan, Photo


def photos_of(hanchan: Hanchan) -> list[Photo]:
    """Return the photos that are shown, the first one first. One query."""
    return list(hanchan.photos.filter(withdrawn=False).defer("data"))
