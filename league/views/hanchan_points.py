"""Hanchan known by points only: entry by organisers, and correction."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from league.core.numbers import small_number
from league.forms.hanchan_points import HanchanPointsForm, PointsCorrectionForm, again
from league.http.access import actor, hanchan_led, in_league, session_led, session_of
from league.http.hanchan import conflict_with, hanchan_of
from league.models import Hanchan, League, Session
from league.permissions import MANAGE, RECORD
from league.selectors.games import snapshot_of
from league.selectors.hanchan_facts import same_facts
from league.services.results import (
    ChangedMeanwhileError,
    OtherPeopleError,
    ResultError,
    SameResultError,
    correct_hanchan,
    record_hanchan,
)
from league.services.versions import as_typed
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
    asks = False
    if form.is_valid():
        try:
            recorded = record_hanchan(
                session=session,
                result=form.result,
                table_and_time=form.table_and_time,
                by=actor(request),
                even_if_same=form.is_sure,
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


@in_league(RECORD, instead=hanchan_led)
def correct(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    hanchan = hanchan_of(league, pk)
    if request.method != "POST" and hanchan.is_voided:
        messages.info(request, _("This result was voided. Restore it before you correct it."))
        return redirect("league:hanchan", league.slug, pk)
    if request.method != "POST" and hanchan.has_raw_scores:
        return redirect("league:correct", league.slug, pk)
    rules = hanchan.ruleset_version.readable()
    if rules is None or rules.missing:
        messages.warning(request, _("The rules of this hanchan cannot be read. An organiser has to fix them first."))
        return redirect("league:hanchan", league.slug, pk)
    form, conflict = PointsCorrectionForm(request.POST or None, hanchan=hanchan, rules=rules), None
    asks = False
    if form.is_valid():
        try:
            return _corrected(request, form)
        except ChangedMeanwhileError as error:
            current = error.current
            conflict = conflict_with(current, form.cleaned_data["seen_version"], form.result, form.table_and_time)
            form.saw(current.version)
        except (ResultError, ScoringError) as error:
            asks = isinstance(error, OtherPeopleError)
            form.refuse(error)
    page = {"league": league, "hanchan": hanchan, "session": hanchan.session, "form": form}
    return render(request, "league/hanchan/correct_points.html", page | {"conflict": conflict, "asks": asks})


def _corrected(request: HttpRequest, form: PointsCorrectionForm) -> HttpResponse:
    """Save the correction if anything changed. Raise the errors of `correct_hanchan`."""
    hanchan, seen = form.hanchan, form.cleaned_data["seen_version"]
    typed = as_typed(hanchan, form.result, form.table_and_time)
    if seen == hanchan.version and same_facts(snapshot_of(hanchan), typed):
        messages.info(request, _("No changes to save."))
        return redirect("league:hanchan", hanchan.league.slug, hanchan.pk)
    correct_hanchan(
        hanchan=hanchan,
        seen_version=seen,
        result=form.result,
        table_and_time=form.table_and_time,
        by=actor(request),
        reason=form.cleaned_data["reason"],
    )
    messages.success(request, _("The correction was saved. The previous result is in the history."))
    return redirect("league:hanchan", hanchan.league.slug, hanchan.pk)


def _said(hanchan: Hanchan) -> str:
    if hanchan.given == Hanchan.Given.WORKED_OUT:
        return _("Saved. Raw scores were derived from the points.")
    return _("Saved with points only.")
