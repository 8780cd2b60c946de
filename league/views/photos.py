"""Photos of a hanchan: taken in at a desk, shown to the league's members and to the table, withdrawn by a scorer."""

from dataclasses import dataclass

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from league.forms.entry.reason import ReasonForm
from league.forms.photos import PhotoForm
from league.http.access import actor, in_league
from league.http.entry_context import EntryContext, at_table
from league.models import Hanchan, HeldPhoto, League, Photo
from league.permissions import MANAGE, RECORD, SEE_PHOTOS, Person
from league.selectors.photos import photos_of
from league.services.history import Actor
from league.services.photos import PhotoError, add_photo, withdraw_photo

PLACE = "photos"
"""Where on a page the photos are."""


@dataclass(frozen=True, slots=True)
class ShownPhoto:
    """A photo on a page, with the addresses of the picture and of its withdrawal."""

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
    records = user.has_perm(RECORD, hanchan.league)
    shots = (
        ShownPhoto(
            photo,
            reverse("league:photo", args=[slug, photo.pk]),
            reverse("league:photo_withdraw", args=[slug, photo.pk]) if records else "",
        )
        for photo in photos_of(hanchan)
    )
    return PhotoStrip(tuple(shots), reverse("league:photo_add", args=[slug, hanchan.pk]) if records else "")


def strip_at(desk: EntryContext, user: Person, hanchan: Hanchan) -> PhotoStrip | None:
    """Return what is seen of the photos at a desk; through a link those of its table."""
    if not desk.is_link:
        return strip_for(user, hanchan)
    shots = tuple(ShownPhoto(photo, desk.photo_url(photo)) for photo in photos_of(hanchan))
    return PhotoStrip(shots, desk.of_hanchan("photo_add", hanchan))


# --- The picture itself ----------------------------------------------------------------------------------------------


@require_safe
@in_league(SEE_PHOTOS)
def show(_request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return a picture to a member of the league."""
    return _picture(_shown(league).filter(pk=pk))


@require_safe
@at_table()
def show_at_table(_request: HttpRequest, desk: EntryContext, pk: int) -> HttpResponse:
    """Return a picture to whoever holds the link of its table."""
    photos = _shown(desk.league).filter(hanchan__session=desk.session, hanchan__table=desk.table)
    answer = _picture(photos.filter(pk=pk))
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _shown(league: League) -> QuerySet[Photo]:
    return Photo.objects.filter(hanchan__league=league, withdrawn=False)


@require_safe
@in_league(MANAGE)
def show_held(_request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return the picture that came with a held result to an organiser."""
    photo = get_object_or_404(HeldPhoto, held=pk, held__league=league)
    answer = _jpeg(photo.data, f"held-{pk}.jpg")
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _picture(photos: QuerySet[Photo]) -> HttpResponse:
    photo = get_object_or_404(photos)
    return _jpeg(photo.data, f"hanchan-{photo.hanchan_id}-{photo.pk}.jpg")


def _jpeg(data: bytes | memoryview, name: str) -> HttpResponse:
    headers = {
        "Cache-Control": "private, max-age=31536000, immutable",
        "Content-Disposition": f'inline; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Robots-Tag": "noindex",
    }
    return HttpResponse(bytes(data), content_type="image/jpeg", headers=headers)


# --- Handing in and withdrawing --------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@in_league(RECORD)
def add(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Take one more photo in, by somebody who is logged in."""
    hanchan = _hanchan(league, pk)
    answer = _added(request, EntryContext(hanchan.session, hanchan.table, actor(request)), hanchan, "hanchan")
    if answer.status_code == 302:
        messages.success(request, _("The photo is kept with the hanchan. The league's members can see it."))
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@at_table()
def add_at_table(request: HttpRequest, desk: EntryContext, pk: int) -> HttpResponse:
    """Take one more photo in through the link of the table."""
    hanchan = _hanchan(desk.league, pk)
    if not desk.holds(hanchan):
        raise Http404
    return _added(request, desk, hanchan, "receipt")


def _added(request: HttpRequest, desk: EntryContext, hanchan: Hanchan, up: str) -> HttpResponse:
    """Keep the photo and lead to the page it belongs on; otherwise ask for one, and say what was wrong."""
    form = PhotoForm(request.POST, request.FILES) if request.method == "POST" else PhotoForm()
    url = desk.of_hanchan(up, hanchan)
    if _kept(form, hanchan, desk.by):
        return HttpResponseRedirect(f"{url}#{PLACE}")
    page = {"league": desk.league, "desk": desk, "hanchan": hanchan, "form": form, "up": url}
    return render(request, "league/photos/add.html", page)


def _hanchan(league: League, pk: int) -> Hanchan:
    hanchan = get_object_or_404(league.hanchan.select_related("session"), pk=pk)
    hanchan.league = hanchan.session.league = league
    return hanchan


def _kept(form: PhotoForm, hanchan: Hanchan, by: Actor) -> bool:
    """Keep the photo, or say on the form why not."""
    if not form.is_valid():
        return False
    try:
        add_photo(hanchan=hanchan, picture=form.picture(), by=by)
    except PhotoError as error:
        form.refuse(error)
        return False
    return True


@in_league(RECORD)
def withdraw(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Take a photo out of sight, with a reason."""
    photo = get_object_or_404(Photo.objects.defer("data"), hanchan__league=league, pk=pk)
    if photo.withdrawn:
        messages.info(request, _("This photo was withdrawn already."))
        return redirect("league:hanchan", league.slug, photo.hanchan_id)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        withdraw_photo(photo=photo, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The photo was withdrawn. Nobody sees it any more; the history keeps why."))
        return redirect("league:hanchan", league.slug, photo.hanchan_id)
    page = {"league": league, "photo": photo, "hanchan": _hanchan(league, photo.hanchan_id), "form": form}
    return render(request, "league/photos/withdraw.html", page)
