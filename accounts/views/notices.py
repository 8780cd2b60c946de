from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.forms.account import NoticesForm
from accounts.messages.evenings import league_words
from accounts.models import NoticeKind
from accounts.selectors.notices import leagues_of, listed_notices
from accounts.selectors.preferences import mail_address_of, mails_are_on, preferences_of
from accounts.services.calendars import calendar_secret_of
from accounts.services.notices import choose_notices, stop_mails, user_to_stop
from league.http.codes import LINK_HEADERS
from league.http.for_others import address_for_others
from league.http.idempotent import answer_once
from league.models import League


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def index(request: HttpRequest) -> HttpResponse:
    return answer_once(request, lambda: _index(request))


def _index(request: HttpRequest) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)
    leagues = leagues_of(user)
    has_mail = mails_are_on() and bool(mail_address_of(user))
    choices = preferences_of(user)
    initial = {
        "by_mail": choices.by_mail,
        "kinds": [kind for kind in NoticeKind.values if kind not in choices.unwanted],
        "leagues": [league.pk for league in leagues if league.pk not in choices.muted],
    }
    form = NoticesForm(request.POST or None, initial=initial, leagues=leagues, has_mail=has_mail)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data.get("leagues", ())
        choose_notices(
            user=user,
            by_mail=form.cleaned_data.get("by_mail"),
            kinds=form.cleaned_data["kinds"],
            muted=[league for league in leagues if league.pk not in wanted],
            told=(address_for_others(request, "/"), get_language() or ""),
        )
        messages.success(request, _("Preferences saved."))
        return redirect("accounts:notices")
    page = {
        "form": form,
        "mails_are_on": mails_are_on(),
        "address": mail_address_of(user),
        "notices": listed_notices(user, timezone.now()),
        "calendars": _calendars(request, user, leagues),
        "has_calendar": choices.calendar_hash is not None,
    }
    return render(request, "accounts/notices.html", page)


def _calendars(request: HttpRequest, user: User, leagues: list[League]) -> list[tuple[str, str]]:
    """Return names and absolute URLs of the user's calendars; empty without a calendar secret."""
    secret = calendar_secret_of(preferences_of(user))
    if not secret:
        return []
    ways = [
        (_("All my leagues"), reverse("accounts:calendar_mine", args=[secret])),
        (_("Only sessions where I have a seat"), reverse("accounts:calendar_seats", args=[secret])),
    ]
    ways += [(league_words(each), reverse("accounts:calendar_by_secret", args=[secret, each.pk])) for each in leagues]
    return [(title, address_for_others(request, way)) for title, way in ways]


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, code: str) -> HttpResponse:
    """Unsubscribe. Mail programs may POST here without showing the page (RFC 8058)."""
    setattr(request, "is_private", True)  # noqa: B010 - no such field
    user = user_to_stop(code)
    if user is None:
        raise Http404
    if request.method == "POST":
        with transaction.atomic():
            stop_mails(user)
    answer = render(request, "accounts/notices_stop.html", {"is_done": request.method == "POST"})
    for name, value in LINK_HEADERS.items():
        answer.headers[name] = value
    return answer
