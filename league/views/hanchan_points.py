"""A hanchan of which only the points are known, entered by an organiser."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from league.forms.hanchan_points import HanchanPointsForm
from league.http.access import actor, in_league, session_of
from league.models import Hanchan, League, Session
from league.permissions import MANAGE
from league.services.results import ResultError, SameResultError, record_hanchan
from scoring.core import ScoringError


@in_league(MANAGE)
def enter(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Enter the points of a hanchan; the raw scores are worked out from them where the rules allow it."""
    session = session_of(league, pk)
    rules = session.ruleset_version.readable()
    if session.state != Session.State.OPEN or rules is None or rules.missing:
        messages.warning(
            request, _("Nothing can be entered here: the session is closed, or its rules cannot score yet.")
        )
        return redirect("league:session", league.slug, session.pk)
    form, is_same = HanchanPointsForm(request.POST or None, session=session, rules=rules), False
    if form.is_valid():
        try:
            recorded = record_hanchan(
                session=session,
                result=form.result,
                table_and_time=form.table_and_time,
                by=actor(request),
                even_if_same="even_if_same" in request.POST,
            )
        except (ResultError, ScoringError) as error:
            is_same = isinstance(error, SameResultError)
            form.refuse(error)
        else:
            messages.success(request, _said(recorded.hanchan))
            return redirect("league:hanchan", league.slug, recorded.hanchan.pk)
    page = {"league": league, "session": session, "form": form, "is_same": is_same}
    return render(request, "league/sessions/hanchan_points.html", page)


def _said(hanchan: Hanchan) -> str:
    if hanchan.given == Hanchan.Given.WORKED_OUT:
        return _("Saved. The raw scores were worked out from the points.")
    return _("Saved with its points alone.")
