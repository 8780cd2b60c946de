"""Deleting uploaded files and photos that may contain a name, because parts of them cannot be replaced."""

from collections.abc import Collection, Iterable, Sequence

from league.core.masking import spellings
from league.core.spreadsheets.tables import is_workbook
from league.models import HeldPhoto, HeldResult, ImportBatch, League, Photo, Player, Revision
from league.services.history import Actor, Change, write_revision
from league.services.imports.steps import discard_draft
from league.services.photo_moves import remove_pictures_of

ENCODINGS = ("utf-8", "cp932", "cp1252", "utf-16")


def may_hold(data: bytes, names: Sequence[str]) -> bool:
    """Return whether a file may contain one of the names; True for workbooks and unreadable files."""
    if not data:
        return False
    if is_workbook(data):
        return True
    wanted = {"".join(name.split()).casefold() for name in spellings(names)}
    is_read = False
    for encoding in ENCODINGS:
        try:
            text = "".join(data.decode(encoding).split()).casefold()
        except UnicodeError:
            continue
        is_read = True
        if any(name in text for name in wanted):
            return True
    return not is_read


def files_with(league: League, names: Sequence[str]) -> list[ImportBatch]:
    return [batch for batch in league.imports.order_by("-pk").iterator(5) if may_hold(bytes(batch.data), names)]


def drop_files(league: League, names: Sequence[str]) -> int:
    """Delete uploaded files that may contain one of the names; return how many. Imported results stay."""
    found = files_with(league, names)
    for batch in found:
        if not discard_draft(batch):
            ImportBatch.objects.filter(pk=batch.pk).update(data=b"")
    return len(found)


def photos_of(league: League, people: Iterable[Player]) -> list[Photo]:
    """Return the photos of all hanchan these people played, newest first, with the image data deferred."""
    found = Photo.objects.filter(hanchan__league=league, hanchan__seats__player__in=list(people)).distinct()
    return list(found.defer("data").select_related("hanchan__session").order_by("-pk"))


def drop_photos(league: League, photos: Iterable[Photo], kept: Collection[int], by: Actor, reason: str) -> int:
    """Delete the photos except those in `kept` (primary keys), with a revision each; return how many."""
    gone = [photo for photo in photos if photo.pk not in kept]
    for photo in gone:
        before = {"hanchan": photo.hanchan_id, "size": f"{photo.width} × {photo.height}"}
        write_revision(league, photo, Change(Revision.Action.WITHDRAWN, before, reason=reason), by)
    Photo.objects.filter(pk__in=[photo.pk for photo in gone]).delete()
    remove_pictures_of(gone)
    return len(gone)


def drop_held_photos(league: League, people: Collection[int], names: Sequence[str]) -> int:
    """Delete photos of held results that name one of the people; return how many."""
    wanted = spellings(names)
    held = HeldResult.objects.filter(league=league).values_list("pk", "typed")
    named = [pk for pk, typed in held if _names_one(typed, people, wanted)]
    gone, _ = HeldPhoto.objects.filter(held__in=named).delete()
    return gone


def _names_one(typed: object, people: Collection[int], wanted: Sequence[str]) -> bool:
    text = str(typed)
    seats = typed.items() if isinstance(typed, dict) else ()
    numbers = {str(each) for key, values in seats if key.startswith("player_") for each in _listed(values)}
    return any(name in text for name in wanted) or bool(numbers & {str(pk) for pk in people})


def _listed(values: object) -> list[object]:
    return values if isinstance(values, list) else [values]
