"""Photos of a hanchan: upload, display to members and at the table, and withdrawal."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from league.forms.entry.fields import PhotoForm
from league.forms.names import ReasonForm
from league.http.access import actor, hanchan_led, in_league, photo_led
from league.http.caching import plain_tag, unchanged, with_tag
from league.http.entry_context import EntryContext, by_table_link
from league.http.hanchan import context_of_reader
from league.models import Hanchan, HeldPhoto, League, Photo
from league.permissions import MANAGE, RECORD, SEE_PHOTOS
from league.selectors.photos import is_at_hand, picture_address
from league.services.history import Actor
from league.services.photos import PhotoError, add_photo, withdraw_photo

PLACE = "photos"


@require_safe
@in_league(SEE_PHOTOS)
def show(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return an image; browsers may store it but must revalidate it."""
    photo = get_object_or_404(_shown(league).defer("data"), pk=pk)
    tag = plain_tag(photo.pk, photo.digest)
    return unchanged(request, tag) or (_picture(photo) if photo.key else with_tag(_picture(photo), tag))


@require_safe
@by_table_link()
def show_by_link(_request: HttpRequest, context: EntryContext, pk: int) -> HttpResponse:
    photos = _shown(context.league).filter(hanchan__session=context.session, hanchan__table=context.table)
    return _picture(get_object_or_404(photos, pk=pk))


def _shown(league: League) -> QuerySet[Photo]:
    return Photo.objects.filter(hanchan__league=league, withdrawn=False)


@require_safe
@in_league(MANAGE)
def show_held(_request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _jpeg(get_object_or_404(HeldPhoto, held=pk, held__league=league).data, f"held-{pk}.jpg")


def _picture(photo: Photo) -> HttpResponse:
    """Return the image, or redirect to a presigned URL in the photo store. Raise Http404 if it is unavailable."""
    name = f"hanchan-{photo.hanchan_id}-{photo.pk}.jpg"
    if not photo.key:
        return _jpeg(photo.data, name)
    address = picture_address(photo, name)
    if not address:
        raise Http404
    return HttpResponseRedirect(address)


def _jpeg(data: bytes | memoryview, name: str) -> HttpResponse:
    headers = {
        "Content-Disposition": f'inline; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Robots-Tag": "noindex",
    }
    return HttpResponse(bytes(data), content_type="image/jpeg", headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
@in_league(RECORD, instead=hanchan_led)
def add(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    hanchan = _hanchan(league, pk)
    answer = _added(request, context_of_reader(request, hanchan), hanchan, "hanchan")
    if answer.status_code == 302:
        messages.success(request, _("The photo was added to the hanchan. Members of the league can see it."))
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@by_table_link()
def add_by_link(request: HttpRequest, context: EntryContext, pk: int) -> HttpResponse:
    hanchan = _hanchan(context.league, pk)
    if not context.holds(hanchan):
        raise Http404
    return _added(request, context, hanchan, "receipt")


def _added(request: HttpRequest, context: EntryContext, hanchan: Hanchan, up: str) -> HttpResponse:
    form = PhotoForm(request.POST, request.FILES) if request.method == "POST" else PhotoForm()
    url = context.of_hanchan(up, hanchan)
    if _kept(form, hanchan, context.by):
        return HttpResponseRedirect(f"{url}#{PLACE}")
    page = {"league": context.league, "entry_context": context, "hanchan": hanchan, "form": form, "up": url}
    return render(request, "league/photos/add.html", page)


def _hanchan(league: League, pk: int) -> Hanchan:
    hanchan = get_object_or_404(league.hanchan.select_related("session"), pk=pk)
    hanchan.league = hanchan.session.league = league
    return hanchan


def _kept(form: PhotoForm, hanchan: Hanchan, by: Actor) -> bool:
    if not form.is_valid():
        return False
    try:
        add_photo(hanchan=hanchan, picture=form.picture(), by=by)
    except PhotoError as error:
        form.refuse(error)
        return False
    return True


@in_league(RECORD, instead=photo_led)
def withdraw(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    photo = get_object_or_404(Photo.objects.defer("data"), hanchan__league=league, pk=pk)
    if photo.withdrawn:
        messages.info(request, _("This photo was already removed."))
        return redirect("league:hanchan", league.slug, photo.hanchan_id)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        withdraw_photo(photo=photo, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The photo was removed and is no longer visible. The reason is in the history."))
        return redirect("league:hanchan", league.slug, photo.hanchan_id)
    page = {"league": league, "photo": photo, "hanchan": _hanchan(league, photo.hanchan_id), "form": form}
    return render(request, "league/photos/withdraw.html", {**page, "is_at_hand": is_at_hand(photo)})
