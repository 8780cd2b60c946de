"""Remote control of the hall display: scenes, messages, timer, calls, and ready tables."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from league.core.limits import MAX_ROUND, MAX_TABLE
from league.core.numbers import small_number
from league.http.access import actor
from league.http.entry_context import EntryContext, by_table_link
from league.models import Session
from league.permissions import JUDGE
from tournaments.forms.hall import USUAL_MINUTES, ProjectorForm, TimerForm
from tournaments.http.hall import TEMPLATE, at_table
from tournaments.http.pages import RefusalsOn, in_tournament, kept_state, page, with_clock
from tournaments.models import HallDisplay, Tournament
from tournaments.selectors.hall import hall_display, hall_of, open_calls, stage_session_of
from tournaments.selectors.projector import seatings_now
from tournaments.selectors.seating import SessionSeating, session_seatings
from tournaments.services.hall import (
    answer_call,
    call_referee,
    direct_projector,
    give_time,
    mark_ready,
    set_timer,
    turn_timer,
)


@in_tournament(JUDGE)
def remote(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    form = ProjectorForm(request.POST or None, instance=hall_display(tournament))
    if form.is_valid():
        direct_projector(tournament=tournament, wish=form.cleaned_data, by=actor(request))
        return _back(tournament)
    minutes = form.instance.length // 60 or USUAL_MINUTES
    return _page(request, tournament, form, TimerForm(initial={"minutes": minutes}))


@require_POST
@in_tournament(JUDGE)
def timer(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    act, by = request.POST.get("act", ""), actor(request)
    form = TimerForm(request.POST if act in {"set", "set_go"} else None)
    if form.is_bound and not form.is_valid():
        return _page(request, tournament, ProjectorForm(instance=hall_display(tournament)), form)
    ways: dict[str, Callable[[], object]] = {
        "set": lambda: set_timer(tournament=tournament, minutes=form.cleaned_data["minutes"], starts=False, by=by),
        "set_go": lambda: set_timer(tournament=tournament, minutes=form.cleaned_data["minutes"], starts=True, by=by),
        "start": lambda: turn_timer(tournament=tournament, runs=True, by=by),
        "pause": lambda: turn_timer(tournament=tournament, runs=False, by=by),
        "extra": lambda: give_time(
            tournament=tournament,
            session=_session(request, tournament),
            table=small_number(request.POST.get("table", ""), 0, digits=len(str(MAX_TABLE))),
            minutes=small_number(request.POST.get("minutes", ""), 0, digits=3),
            by=by,
        ),
    }
    with RefusalsOn(request):
        ways.get(act, lambda: None)()
    return _back(tournament)


@require_POST
@in_tournament(JUDGE)
def call(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    found = get_object_or_404(tournament.calls.select_related("tournament__league"), pk=pk)
    answer_call(call=found, done=request.POST.get("answer") == "done", by=actor(request))
    return _back(tournament)


@require_POST
@in_tournament(JUDGE)
def ready(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    tables = [small_number(text, 0, digits=len(str(MAX_TABLE))) for text in request.POST.getlist("table")[:MAX_TABLE]]
    number = small_number(request.POST.get("round", ""), 0, digits=len(str(MAX_ROUND)))
    if number and any(tables):
        mark_ready(
            tournament=tournament,
            session=_session(request, tournament),
            number=number,
            tables=[*filter(None, tables)],
            by=actor(request),
            ready=request.POST.get("act") != "back",
        )
    return _back(tournament)


def _session(request: HttpRequest, tournament: Tournament) -> Session:
    """Return a session of the tournament. Raise Http404."""
    pk = small_number(request.POST.get("session", ""), 0, digits=18)
    return get_object_or_404(tournament.sessions.select_related("session"), session=pk).session


def _back(tournament: Tournament) -> HttpResponseRedirect:
    return redirect("tournaments:remote", tournament.league.slug, tournament.key)


def _page(request: HttpRequest, tournament: Tournament, form: ProjectorForm, minutes: TimerForm) -> HttpResponse:
    current = kept_state(tournament)
    now = seatings_now(current.state, session_seatings(current))
    hall = hall_of(tournament, timezone.now())
    extra = hall.timer.extra if hall.timer else {}
    facts = {
        "heading": _("Hall display, timer and calls"),
        "form": form,
        "shown": HallDisplay.Scene(form.initial["scene"]).label,
        "minutes": minutes,
        "timer": hall.timer,
        "calls": open_calls(tournament),
        "places": [_place(each, hall.ready, extra) for each in now],
    }
    return with_clock(page(request, tournament, "director/remote", facts))


def _place(seating: SessionSeating, ready_at: Mapping[tuple[int, int], frozenset[int]], extra: Any) -> dict[str, Any]:
    current, session = seating.current, seating.stage_session.session_id
    assert current is not None
    is_ready = ready_at.get((session, current.number), frozenset())
    tables = [
        {
            "number": table.number,
            "is_ready": table.number in is_ready,
            "extra": extra.get((session, table.number), 0) // 60,
        }
        for table in current.tables
        if table.hanchan is None
    ]
    return {
        "title": seating.title,
        "session": session,
        "round": current.number,
        "tables": tables,
        "all_ready": all(table["is_ready"] for table in tables),
    }


@by_table_link()
def hall(request: HttpRequest, context: EntryContext) -> HttpResponse:
    if request.method == "POST":
        if (found := stage_session_of(context.session.pk)) is not None:
            call_referee(tournament=found.tournament, session=context.session, table=context.table, by=context.by)
        return redirect(context.enter_url)
    return with_clock(render(request, TEMPLATE, {"part": at_table(context, polled=True)}))
