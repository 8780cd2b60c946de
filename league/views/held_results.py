from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from league.forms.names import ReasonForm
from league.http.access import actor, in_league
from league.models import HeldPhoto, HeldResult, League, Session
from league.permissions import MANAGE
from league.selectors.pending import held_results_as_typed
from league.services.held_results import dismiss_held_result


@in_league(MANAGE)
def held(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    shown = get_object_or_404(HeldResult.objects.select_related("session", "hanchan"), league=league, pk=pk)
    shown.session.league = shown.league = league
    if shown.hanchan is not None:
        return redirect("league:hanchan", league.slug, shown.hanchan.pk)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        dismiss_held_result(held=shown, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The result was dismissed. What was entered stays in the history."))
        return redirect("league:manage", league.slug)
    enter = reverse("league:enter_session", args=[league.slug, shown.session_id])
    page = {
        "league": league,
        "heading": _("Held result"),
        "held": shown,
        "typed": held_results_as_typed(league, [shown])[0],
        "photo": HeldPhoto.objects.filter(held=shown).defer("data").first(),
        "form": form,
        "is_open": shown.session.state == Session.State.OPEN,
        "enter_url": f"{enter}?{urlencode({'table': shown.table, 'held': shown.pk})}",
    }
    return render(request, "league/manage/held.html", page)
