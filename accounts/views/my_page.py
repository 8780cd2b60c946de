from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.http.choices import keep_choices
from accounts.http.personal import personal
from accounts.selectors.my_page import my_page
from accounts.selectors.notices import listed_notices
from accounts.selectors.preferences import called, preferences_of
from league.http.attendance import next_part
from league.selectors.people import offers_to

SHOWN_NOTICES = 3


@require_safe
@personal
def me(request: HttpRequest, user: User) -> HttpResponse:
    preferences = preferences_of(user)
    keep_choices(request, preferences)
    now = timezone.now()
    page = my_page(user, now)
    answer = next_part(user, now)
    shown = {
        "page": page,
        "notices": listed_notices(user, now)[:SHOWN_NOTICES],
        "name": preferences.called or next((each.player for each in page.places), called(user, preferences)),
        "answer": answer,
        "asks_of_only": answer is not None and [each.session for each in page.evenings] == [answer["session"]],
        "offers": offers_to(user),
    }
    return render(request, "accounts/me.html", shown)
