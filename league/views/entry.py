"""The entry of results: which evening, the table, the receipt, undo."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from league.forms import entry_actions, entry_prefill
from league.forms.entry import EntryForm
from league.forms.entry_fields import HIGHEST_NUMBER, EntryTable
from league.forms.entry_page import EntryPage
from league.models import Hanchan, League, Session
from league.permissions import RECORD
from league.selectors.boards import board_state
from league.selectors.entry import open_sessions, recorded_under, seating_choices
from league.selectors.names import hide_names
from league.selectors.planning import TableState, next_round, table_states
from league.selectors.receipts import effect_of, receipt_lines
from league.services.calendar import NoRulesError, SessionFacts, open_session
from league.services.entry import record_entry
from league.services.results import ResultError, SameResultError, void_hanchan
from league.views.access import actor, in_league
from league.views.hanchan import UNDONE, hanchan_of, people_of
from scoring.core import Ruleset, RulesetError, ScoringError

UNDO_SECONDS = 30
UNDO_GRACE = 10
"""Seconds for the way of the last tap; the button is gone before."""


@in_league(RECORD)
def choose(request: HttpRequest, league: League) -> HttpResponse:
    """Lead to the table of tonight's session, let one be chosen, or start it."""
    today = league.day_of(timezone.now())
    tonight, others = open_sessions(league, today)
    if len(tonight) == 1:
        return redirect("league:enter_session", league.slug, tonight[0].pk)
    if request.method == "POST" and not tonight:
        try:
            session = open_session(league=league, facts=_tonight(league, today), by=actor(request))
        except NoRulesError:
            messages.warning(request, _("The league has no rules yet. An organiser chooses them first."))
        else:
            return redirect("league:enter_session", league.slug, session.pk)
    page = {"league": league, "today": today, "tonight": tonight, "others": others}
    return render(request, "league/entry/choose.html", page)


def _tonight(league: League, today: date) -> SessionFacts:
    last = league.sessions.order_by("-number").first()
    return SessionFacts(today, venue=last.venue if last else "", tables=last.tables if last else 1)


@in_league(RECORD)
def enter(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Show a table's entry page; save what was typed, or say what is wrong and keep it."""
    session = _session(league, pk)
    rules = readable_rules(session)
    if session.state == Session.State.CLOSED or rules is None or rules.missing:
        missing = rules.missing if rules else ()
        return render(request, "league/entry/closed.html", {"league": league, "session": session, "missing": missing})
    table = _table(request, session, rules)
    if existing := recorded_under(league, _client_key(request)):
        return _saved_already(request, existing, table)
    if request.method == "POST":
        return _save(request, session, table)
    form = EntryForm(table=table, initial=entry_prefill.fresh(table, empty_seats="draw" in request.GET))
    return _entry_page(request, session, form)


def _saved_already(request: HttpRequest, hanchan: Hanchan, table: EntryTable) -> HttpResponse:
    """Lead to what this page was saved as; say so if something else is typed on it now."""
    form = EntryForm(entry_actions.applied(request.POST), table=table)
    form.full_clean()
    if not form.tells_of(hanchan):
        messages.warning(
            request, _("This page was saved before, as you see it here. To change the result, correct it.")
        )
    return redirect("league:receipt", hanchan.league.slug, hanchan.pk)


def _save(request: HttpRequest, session: Session, table: EntryTable) -> HttpResponse:
    form = EntryForm(entry_actions.applied(request.POST), table=table)
    same = None
    if form.is_valid() and entry_actions.saves(request.POST):
        try:
            recorded = record_entry(
                session=session,
                entry=form.entry(),
                placing=form.placing(),
                by=actor(request),
                even_if_same=entry_actions.even_if_same(request.POST),
            )
        except SameResultError as error:
            same = error.existing
        except (ResultError, ScoringError) as error:
            form.refuse(error)
        else:
            return redirect("league:receipt", session.league.slug, recorded.hanchan.pk)
    return _entry_page(request, session, form, same)


def _entry_page(request: HttpRequest, session: Session, form: EntryForm, same: Hanchan | None = None) -> HttpResponse:
    number = form.table.number
    several = max(session.tables, number) > 1
    states = table_states(session) if several else {}
    tables = [
        {"url": f"?{urlencode({'table': other})}", "label": _table_label(other, states), "current": other == number}
        for other in range(1, max(session.tables, number) + 1)
    ]
    page = {
        "league": session.league,
        "session": session,
        "form": form,
        "page": EntryPage(form),
        "tables": tables if several else (),
        "plan": list(states.values()),
        "round": next_round(session, number),
        "same": same,
        "shows_errors": form.is_bound and entry_actions.saves(request.POST),
        "preview_url": reverse("league:enter_preview", args=[session.league.slug, session.pk]),
    }
    return render(request, "league/entry/enter.html", page)


def _table_label(table: int, states: Mapping[int, TableState]) -> str:
    """Return the number of a table, with how many of its planned hanchan are in."""
    state = states.get(table)
    return f"{table} ({state.played}/{state.planned})" if state and state.planned else str(table)


@require_POST
@in_league(RECORD)
def preview(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return the parts of the entry page that follow from what is typed so far."""
    session = _session(league, pk)
    rules = readable_rules(session)
    if rules is None or rules.missing:
        return HttpResponse(status=204)
    table = _table(request, session, rules)
    form = EntryForm(request.POST, table=table)
    form.full_clean()
    return render(request, "league/entry/preview.html", {"league": league, "page": EntryPage(form)})


def _session(league: League, pk: int) -> Session:
    session = get_object_or_404(league.sessions.select_related("ruleset_version__ruleset"), pk=pk)
    session.league = league
    return session


def readable_rules(session: Session) -> Ruleset | None:
    """Return the rules of a session, or None if they cannot be read."""
    try:
        return session.ruleset_version.read()
    except RulesetError:
        return None


def _table(request: HttpRequest, session: Session, rules: Ruleset) -> EntryTable:
    number = _table_number(request)
    return EntryTable(session.league, number, session.ruleset_version, rules, seating_choices(session, number))


def _table_number(request: HttpRequest) -> int:
    text = request.POST.get("table") or request.GET.get("table", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 1
    return number if 1 <= number <= HIGHEST_NUMBER else 1


def _client_key(request: HttpRequest) -> UUID | None:
    with suppress(ValueError):
        return UUID(request.POST.get("client_key", ""))
    return None


# --- After saving ----------------------------------------------------------------------------------------------------


@require_safe
@in_league()
def receipt(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return what was saved and what it did to the month and the year."""
    hanchan = hanchan_of(league, pk)
    effects = effect_of(hanchan)
    hide_names(request.user, league, [seat.player for seat in hanchan.seats.all()])
    hide_names(request.user, league, people_of(effects))
    page = {
        "league": league,
        "hanchan": hanchan,
        "lines": receipt_lines(hanchan, effects),
        "two": any(seat.points != seat.settlement for seat in hanchan.seats.all()),
        "effects": effects,
        "board": board_state(league, league.periods_of(hanchan.day)[0]),
        "undo_seconds": _undo_seconds(hanchan),
    }
    return render(request, "league/entry/receipt.html", page)


def _undo_seconds(hanchan: Hanchan) -> int:
    """Return for how long the hanchan may still be undone with one tap; 0 when it was changed since."""
    if hanchan.version != 1 or hanchan.is_voided:
        return 0
    left = hanchan.recorded_at + timedelta(seconds=UNDO_SECONDS) - timezone.now()
    return max(0, min(UNDO_SECONDS, int(left.total_seconds()) + 1)) if left > timedelta(0) else 0


@require_POST
@in_league(RECORD)
def undo(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Take back what was saved a moment ago; later it takes a reason."""
    hanchan = hanchan_of(league, pk)
    late = timezone.now() - hanchan.recorded_at > timedelta(seconds=UNDO_SECONDS + UNDO_GRACE)
    if late or hanchan.version != 1:
        messages.info(request, _("The time for a quick undo is over. Write a reason to take the result back."))
        return HttpResponseRedirect(reverse("league:hanchan", args=[league.slug, pk]) + "#take-back")
    void_hanchan(hanchan=hanchan, by=actor(request), reason=UNDONE)
    messages.success(request, _("The result was taken back. It counts nowhere; its page keeps it readable."))
    return redirect("league:hanchan", league.slug, pk)
