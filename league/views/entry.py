"""Result entry: choose a table, type the scores, save. A scorer's page and a table link come here alike."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from league.core.limits import MAX_PLANNED_TABLES
from league.core.numbers import small_number
from league.forms.entry import actions, prefill
from league.forms.entry.form import EntryForm
from league.forms.entry.page import EntryPage
from league.forms.entry.sending import Sending
from league.forms.photos import picture_in
from league.http import answers, ended_links
from league.http.access import actor, in_league, wants_json
from league.http.entry_context import EntryContext, context_of_scorer
from league.http.rate_limits import Limit
from league.models import Hanchan, HeldResult, League, Session
from league.permissions import RECORD
from league.selectors.entry import open_sessions, recorded_under
from league.selectors.planning import TableState, next_round, table_states
from league.services.calendar import NoRulesError, SessionFacts, open_session
from league.services.entry import record_entry
from league.services.live_typing import forget_typing, note_typing, typed_elsewhere
from league.services.photos import PhotoError, add_photo
from league.services.results import ResultError, SameResultError
from league.views.receipts import SAVED_BEFORE
from scoring.core import ScoringError

A_MOMENT = timedelta(minutes=3)
"""So long ago somebody who opens the page may not know that a result was saved."""


RESULTS = Limit("table-link-results", tries=20, seconds=60)
"""What a phone that was without network all evening delivers at once, and more."""

MAX_RESULTS = 60
"""Hanchan through one link: no table plays so many in an evening, those taken back included."""


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
    last = league.sessions.kept().order_by("-number").first()
    return SessionFacts(today, venue=last.venue if last else "", tables=last.tables if last else 1)


@in_league(RECORD)
def enter(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Show a table's entry page to a scorer, or save what was typed on it."""
    return entry_at(request, context_of_scorer(request, league, pk))


@require_POST
@in_league(RECORD)
def preview(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return the parts of a scorer's entry page that follow from what is typed so far."""
    return preview_at(request, context_of_scorer(request, league, pk))


# --- At a desk -------------------------------------------------------------------------------------------------------


def entry_at(request: HttpRequest, desk: EntryContext) -> HttpResponse:
    """Show a table's entry page; save what was typed, or say what is wrong and keep it."""
    sending = Sending.read(request.POST)
    if existing := recorded_under(desk.league, sending.client_key):
        return _saved_already(request, desk, existing)
    if not desk.is_open:
        return _closed(request, desk, sending)
    if request.method == "POST":
        return _save(request, desk, sending)
    seats = request.GET.get("seats", "draw" if "draw" in request.GET else "same")
    table = desk.entry_table(turns=seats == "rotate")
    if typed := _brought_along(request, desk):
        form = EntryForm(typed, table=table)
        form.full_clean()
    else:
        form = EntryForm(table=table, initial=prefill.fresh(table, empty_seats=seats == "draw"))
    return _entry_page(request, desk, form)


BROUGHT = re.compile(
    r"(?:player|guest|raw|chombo|chips|deposits|yakuman|bust)_\d\w{0,12}|sticks_left|round|note|end_reason|client_key"
)
"""What an address may fill into a scorer's page. Nothing of it is stored before the person has seen and saved it."""


def _brought_along(request: HttpRequest, desk: EntryContext) -> QueryDict | None:
    """Return what the page is to be filled with: a held result, one that was undone, or what stands in the address."""
    if undone := _undone(request, desk):
        return prefill.again(undone)
    typed = QueryDict(mutable=True)
    if held := _held(request, desk):
        for name, texts in held.typed.items():
            typed.setlist(name, texts)
    elif "raw_0" in request.GET and not desk.is_link:
        for name, texts in request.GET.lists():
            if BROUGHT.fullmatch(name):
                typed.setlist(name, texts)
    return typed or None


def _held(request: HttpRequest, desk: EntryContext) -> HeldResult | None:
    """Return the held result that the page is to be filled with; scorers complete them, links do not."""
    number = small_number(request.GET.get("held", ""), 0)
    if desk.is_link or not number:
        return None
    return desk.session.held_results.filter(pk=number, settled_at=None).first()


def _undone(request: HttpRequest, desk: EntryContext) -> Hanchan | None:
    """Return the hanchan of this table that was taken back and is typed again."""
    number = small_number(request.GET.get("again", ""), 0)
    taken_back = desk.session.hanchan.filter(pk=number, table=desk.table, state=Hanchan.State.VOIDED)
    return taken_back.prefetch_related("seats", "incidents").first() if number else None


def _closed(request: HttpRequest, desk: EntryContext, sending: Sending) -> HttpResponse:
    missing = desk.rules.missing if desk.rules else ()
    is_closed = desk.session.state != Session.State.OPEN
    if wants_json(request) and request.method == "POST":
        return answers.not_open(desk, sending, picture_in(request.FILES), is_closed=is_closed)
    page = {"league": desk.league, "session": desk.session, "missing": missing, "desk": desk}
    return render(request, "league/entry/closed.html", page)


def _saved_already(request: HttpRequest, desk: EntryContext, hanchan: Hanchan) -> HttpResponse:
    """Lead to what this page was saved as; say so if something else is typed on it now."""
    differs = False
    if desk.rules is not None and not desk.rules.missing:
        form = EntryForm(actions.applied(request.POST), request.FILES, table=desk.entry_table())
        form.full_clean()
        differs = not form.tells_of(hanchan)
        if form.picture is not None and not differs and desk.holds(hanchan):
            # Another phone was quicker with the same result; the photo is on this one alone.
            with suppress(PhotoError):
                add_photo(hanchan=hanchan, picture=form.picture, by=desk.by)
    if wants_json(request):
        return answers.saved(desk, hanchan, is_new=False, differs=differs)
    if not desk.holds(hanchan):
        return redirect(desk.enter_url)
    up = desk.of_hanchan("receipt", hanchan)
    return redirect(f"{up}?said={SAVED_BEFORE}" if differs else up)


def _save(request: HttpRequest, desk: EntryContext, sending: Sending) -> HttpResponse:
    form = EntryForm(actions.applied(request.POST), request.FILES, table=desk.entry_table())
    same = None
    if desk.by.link is not None and actions.saves(request.POST) and not RESULTS.use(str(desk.by.link.pk)):
        return ended_links.busy(request)
    if form.is_valid() and actions.saves(request.POST):
        try:
            _refuse_floods(desk)
            recorded = record_entry(
                session=desk.session,
                entry=form.entry(),
                placing=sending.placed(form.placing(), desk.session, desk.table if desk.is_link else None),
                by=desk.by,
                even_if_same=actions.even_if_same(request.POST),
            )
        except SameResultError as error:
            same = error.existing
        except (ResultError, ScoringError) as error:
            form.refuse(error)
        else:
            forget_typing(desk.session, desk.table)
            if wants_json(request):
                return answers.saved(desk, recorded.hanchan, is_new=recorded.is_new)
            return redirect(desk.of_hanchan("receipt", recorded.hanchan))
    return _not_saved(request, desk, sending, form, same)


def _not_saved(
    request: HttpRequest, desk: EntryContext, sending: Sending, form: EntryForm, same: Hanchan | None
) -> HttpResponse:
    """Say what is wrong or what it is the same as, unless another phone stored it while this one was being read."""
    if existing := recorded_under(desk.league, sending.client_key):
        return _saved_already(request, desk, existing)
    if wants_json(request):
        return answers.same(desk, same, form, sending) if same else answers.refused(desk, form, sending)
    return _entry_page(request, desk, form, same)


def _refuse_floods(desk: EntryContext) -> None:
    """Raise ResultError once more came through a table's link than any evening has."""
    if desk.by.link is not None and desk.by.link.hanchan.count() >= MAX_RESULTS:
        raise ResultError("link_full")


def _entry_page(request: HttpRequest, desk: EntryContext, form: EntryForm, same: Hanchan | None = None) -> HttpResponse:
    session, number = desk.session, desk.table
    several = max(session.tables, number) > 1 and not desk.is_link
    states = table_states(session) if several else {}
    tables = [
        {"url": f"?{urlencode({'table': other})}", "label": _table_label(other, states), "current": other == number}
        for other in sorted({*range(1, max(session.tables, min(number, MAX_PLANNED_TABLES)) + 1), number})
    ]
    page = {
        "league": desk.league,
        "session": session,
        "desk": desk,
        "form": form,
        "page": EntryPage(form),
        "tables": tables if several else (),
        "plan": list(states.values()),
        "round": next_round(session, number),
        "same": same,
        "same_url": desk.of_hanchan("receipt", same) if same and desk.holds(same) else "",
        "shows_errors": form.is_bound and (request.method != "POST" or actions.saves(request.POST)),
        "preview_url": desk.preview_url,
    }
    return render(request, "league/entry/enter.html", page | _news(request, desk, form))


def _news(request: HttpRequest, desk: EntryContext, form: EntryForm) -> dict[str, object]:
    """Return what other phones do at this table. Whoever goes on from a receipt knows what was saved."""
    typing = typed_elsewhere(desk.session, desk.table, desk.by.device)
    if form.is_bound or "seats" in request.GET:
        return {"typing": typing}
    saved = desk.session.hanchan.standing().filter(table=desk.table, recorded_at__gt=timezone.now() - A_MOMENT)
    last = saved.order_by("-recorded_at").first()
    return {"typing": typing, "saved": last, "saved_url": desk.of_hanchan("receipt", last) if last else ""}


def _table_label(table: int, states: Mapping[int, TableState]) -> str:
    """Return the number of a table, with how many of its planned hanchan are in."""
    state = states.get(table)
    return f"{table} ({state.played}/{state.planned})" if state and state.planned else str(table)


def preview_at(request: HttpRequest, desk: EntryContext) -> HttpResponse:
    """Return the parts of the entry page that follow from what is typed so far; a second phone sees the scores."""
    if desk.rules is None or desk.rules.missing:
        return HttpResponse(status=204)
    form = EntryForm(request.POST, table=desk.entry_table())
    form.full_clean()
    page = EntryPage(form)
    if desk.by.device and not recorded_under(desk.league, Sending.read(request.POST).client_key):
        # A preview that arrives after its own result was saved is not being typed any more.
        note_typing(desk.session, desk.table, desk.by.device, {row.name: row.typed for row in page.seats})
    return render(request, "league/entry/preview.html", {"league": desk.league, "page": page})
