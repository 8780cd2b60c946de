"""Entry of hanchan known by points only."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from league.core.numbers import small_number
from league.forms.entry.form import Sending
from league.forms.hanchan_points import HanchanPointsForm, again
from league.http.access import actor, in_league, session_led, session_of
from league.models import Hanchan, League, Session
from league.permissions import MANAGE
from league.services.entry import record_entry
from league.services.results import OtherPeopleError, ResultError, SameResultError
from scoring.core import ScoringError


@in_league(MANAGE, instead=session_led)
def enter(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Enter a hanchan by points; raw scores are derived if the rules allow it."""
    session = session_of(league, pk)
    rules = session.ruleset_version.readable()
    if session.state != Session.State.OPEN or rules is None or rules.missing:
        messages.warning(request, _("Nothing can be entered here: the session is closed or its rules are incomplete."))
        return redirect("league:session", league.slug, session.pk)
    form = HanchanPointsForm(request.POST or None, session=session, rules=rules, initial=_taken_back(request, session))
    sending, asks = Sending.read(request.POST), False
    if form.is_valid() and form.entry is not None:
        try:
            recorded = record_entry(
                session=session,
                entry=sending.answered(form.entry),
                by=actor(request),
                even_if_same=sending.even_if_same,
            )
        except (ResultError, ScoringError) as error:
            asks = isinstance(error, (SameResultError, OtherPeopleError))
            form.refuse(error)
        else:
            messages.success(request, _said(recorded.hanchan))
            return redirect("league:hanchan", league.slug, recorded.hanchan.pk)
    page = {"league": league, "session": session, "form": form, "asks": asks}
    return render(request, "league/sessions/hanchan_points.html", page)


def _taken_back(request: HttpRequest, session: Session) -> dict[str, Any]:
    """Return the initial data for entering a voided hanchan again, or {}."""
    number = small_number(request.GET.get("again", ""), 0)
    undone = session.hanchan.filter(pk=number, state=Hanchan.State.VOIDED, given=Hanchan.Given.POINTS).first()
    return again(undone) if undone is not None else {}


def _said(hanchan: Hanchan) -> str:
    if hanchan.given == Hanchan.Given.WORKED_OUT:
        return _("Saved. Raw scores were derived from the points.")
    return _("Saved with points only.")
