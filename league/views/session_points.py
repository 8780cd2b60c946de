"""Sessions known by total points only: entry in one form, correction and withdrawal per player."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.forms.leagues import WithdrawForm
from league.forms.session_points import CorrectPointsForm, SessionPointsForm, more_lines, pasted_lines, proposed_lines
from league.http.access import actor, in_league, session_led, session_of
from league.models import League, Session, SessionPoints
from league.permissions import MANAGE
from league.services.session_points import (
    SessionPointsError,
    correct_session_points,
    enter_session_points,
    locked_points,
    withdraw_points,
)


@in_league(MANAGE, instead=session_led)
def enter(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = session_of(league, pk)
    problems: list[str] = []
    if request.method != "POST":
        form = SessionPointsForm(session=session, initial=proposed_lines(session))
    elif "more" in request.POST:
        form = SessionPointsForm(session=session, initial=more_lines(request.POST))
    elif "take" in request.POST:
        lines, problems = pasted_lines(request.POST, session)
        form = SessionPointsForm(session=session, initial=lines)
    else:
        form = SessionPointsForm(request.POST, session=session)
        if form.is_valid() and _stored(request, session, form):
            return redirect("league:session", league.slug, session.pk)
    page = {"league": league, "session": session, "form": form, "problems": problems}
    return render(request, "league/sessions/points.html", page)


def _stored(request: HttpRequest, session: Session, form: SessionPointsForm) -> bool:
    try:
        stored = enter_session_points(session=session, **form.cleaned_data, by=actor(request))
    except SessionPointsError as error:
        form.refuse(error)
        return False
    text = ngettext("Points of %(count)s player were saved.", "Points of %(count)s players were saved.", len(stored))
    messages.success(request, text % {"count": len(stored)})
    return True


@in_league(MANAGE)
def correct(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    listed = SessionPoints.objects.select_related("player", "league", "session__ruleset_version")
    found = get_object_or_404(listed, league=league, pk=pk)
    points = locked_points(found) if request.method == "POST" else found
    if points.withdrawn:
        messages.info(request, _("These points were already withdrawn."))
        return redirect("league:session", league.slug, points.session_id)
    form = CorrectPointsForm(request.POST or None, points=points)
    if form.is_valid() and _corrected(request, points, form):
        return redirect("league:session", league.slug, points.session_id)
    return render(request, "league/sessions/points_correct.html", {"league": league, "points": points, "form": form})


def _corrected(request: HttpRequest, points: SessionPoints, form: CorrectPointsForm) -> bool:
    reason = form.cleaned_data["reason"]
    try:
        changed = correct_session_points(points=points, published=form.published, reason=reason, by=actor(request))
    except SessionPointsError as error:
        form.refuse(error)
        return False
    messages.success(request, _("The points were corrected.") if changed else _("No changes."))
    return True


@in_league(MANAGE)
def withdraw(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    listed = SessionPoints.objects.select_related("player", "league", "session")
    points = get_object_or_404(listed, league=league, pk=pk)
    form = WithdrawForm(request.POST or None)
    if points.withdrawn:
        messages.info(request, _("These points were already withdrawn."))
        return redirect("league:session", league.slug, points.session_id)
    if form.is_valid():
        withdraw_points(points=points, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The points were withdrawn and no longer count."))
        return redirect("league:session", league.slug, points.session_id)
    return render(request, "league/sessions/points_withdraw.html", {"league": league, "points": points, "form": form})
