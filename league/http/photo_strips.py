"""The photos of a hanchan as a page shows them: what somebody may see of them, and where one more is handed in."""

from dataclasses import dataclass

from django.urls import reverse

from league.http.entry_context import EntryContext
from league.models import Hanchan, Photo
from league.permissions import RECORD, SEE_PHOTOS, Person, may_in_session
from league.selectors.photos import is_at_hand, photos_of


@dataclass(frozen=True, slots=True)
class ShownPhoto:
    """A photo on a page, with the addresses of the picture, empty where it cannot be shown now, and of its withdrawal."""

    photo: Photo
    url: str
    withdraw_url: str = ""


@dataclass(frozen=True, slots=True)
class PhotoStrip:
    """The photos that somebody may see of a hanchan, and where one more is handed in, if they may."""

    shots: tuple[ShownPhoto, ...]
    add_url: str = ""


def strip_for(user: Person, hanchan: Hanchan) -> PhotoStrip | None:
    """Return what a reader with or without an account sees of the photos: None for whoever is no member."""
    if not user.has_perm(SEE_PHOTOS, hanchan.league):
        return None
    slug = hanchan.league.slug
    records = may_in_session(user, RECORD, hanchan.session)
    shots = (
        ShownPhoto(
            photo,
            reverse("league:photo", args=[slug, photo.pk]) if is_at_hand(photo) else "",
            reverse("league:photo_withdraw", args=[slug, photo.pk]) if records else "",
        )
        for photo in photos_of(hanchan)
    )
    return PhotoStrip(tuple(shots), reverse("league:photo_add", args=[slug, hanchan.pk]) if records else "")


def strip_at(context: EntryContext, user: Person, hanchan: Hanchan) -> PhotoStrip | None:
    """Return what is seen of the photos at a table; through its link all of them."""
    if not context.is_link:
        return strip_for(user, hanchan)
    shots = tuple(
        ShownPhoto(photo, context.photo_url(photo) if is_at_hand(photo) else "") for photo in photos_of(hanchan)
    )
    return PhotoStrip(shots, context.of_hanchan("photo_add", hanchan))
