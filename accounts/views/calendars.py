from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.exports.calendar import MEDIA_TYPE, calendar_text
from accounts.http.personal import personal
from accounts.messages.evenings import league_words
from accounts.selectors.calendar_evenings import Evening, evenings_of
from accounts.selectors.notices import leagues_of
from accounts.services.calendars import calendar_user, renew_calendar_address, revoke_calendar_address
from league.http import ended_links
from league.http.access import in_league
from league.http.caching import digest, edition_of, publish
from league.http.codes import GUESSES, LINK_HEADERS
from league.http.for_others import address_for_others
from league.http.rate_limits import Limit, address_of
from league.http.reauthentication import freshly_logged_in, makes_secret
from league.models import League

READS = Limit("calendar-reads", tries=120, seconds=60)
"""Rate limit for all calendars of one user."""


@require_safe
@in_league()
def of_league(request: HttpRequest, league: League) -> HttpResponse:
    """Serve the calendar of a league with public data, the same for every visitor."""
    request.user, now = AnonymousUser(), timezone.now()
    return publish(
        request, edition_of(league), lambda: _calendar(request, evenings_of([league], now), league_words(league))
    )


@require_safe
def mine(request: HttpRequest, secret: str) -> HttpResponse:
    return _by_secret(request, secret, _("Mahjong"))


@require_safe
def seats(request: HttpRequest, secret: str) -> HttpResponse:
    return _by_secret(request, secret, _("Mahjong, my seats"), seated_only=True)


@require_safe
def by_secret(request: HttpRequest, secret: str, number: int) -> HttpResponse:
    """Serve the calendar of one league, public or private, to a member with a secret URL."""
    return _by_secret(request, secret, number=number)


def _by_secret(
    request: HttpRequest, secret: str, title: str = "", *, number: int | None = None, seated_only: bool = False
) -> HttpResponse:
    """Return the calendar for this secret, limited to what its user may read. Raise Http404."""
    setattr(request, "is_private", True)  # noqa: B010 - no such field
    request.user = AnonymousUser()
    user = calendar_user(secret)
    if user is None:
        if not GUESSES.use(address_of(request)):
            return ended_links.busy(request)
        raise Http404
    if not READS.use(str(user.pk)):
        return ended_links.busy(request)
    leagues = [league for league in leagues_of(user) if number in {None, league.pk}]
    if number is not None:
        if not leagues:
            raise Http404
        title = league_words(leagues[0])
    answer = _calendar(request, evenings_of(leagues, timezone.now(), user, seated_only=seated_only), title)
    for name, value in {**LINK_HEADERS, "ETag": f'"{digest(answer.content.decode())}"'}.items():
        answer.headers[name] = value
    return get_conditional_response(request, etag=answer.headers["ETag"], response=answer) or answer


def _calendar(request: HttpRequest, evenings: Sequence[Evening], title: str) -> HttpResponse:
    return HttpResponse(calendar_text(evenings, title, address_for_others(request, "/")), content_type=MEDIA_TYPE)


@require_POST
@personal
@freshly_logged_in(makes_secret)
def change(request: HttpRequest, user: User) -> HttpResponse:
    if request.POST.get("do") == "revoke":
        revoke_calendar_address(user)
        messages.success(request, _("The secret address was revoked and no longer works."))
    else:
        renew_calendar_address(user)
        messages.success(request, _("Here is your new secret address. The previous one no longer works."))
    return redirect("accounts:notices")
