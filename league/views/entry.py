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

from league.core.numbers import small_number
from league.forms.entry import prefill
from league.forms.entry.form import EntryForm
from league.forms.entry.page import EntryPage
from league.forms.entry.sending import Sending
from league.forms.photos import picture_in
from league.http import answers, ended_links
from league.http.access import actor, in_league, wants_json
from league.http.entry_context import SAVED_BEFORE, EntryContext, by_table_link, context_of_scorer
from league.http.rate_limits import Limit
from league.messages import plain_name
from league.models import Hanchan, HeldResult, League, Session
from league.permissions import RECORD
from league.selectors.entry import open_sessions, recorded_under
from league.selectors.games import seats_of
from league.selectors.planning import TableState, next_round, table_states
from league.services.calendar import NoRulesError, SessionFacts, open_session
from league.services.entry import TypedResult, record_entry
from league.services.live_typing import forget_typing, note_typing, typed_elsewhere
from league.services.photos import PhotoError, add_photo
from league.services.results import RecordedHanchan, ResultError, SameResultError
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
    return _enter(request, context_of_scorer(request, league, pk))


@require_POST
@in_league(RECORD)
def preview(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return the parts of a scorer's entry page that follow from what is typed so far."""
    return _preview(request, context_of_scorer(request, league, pk))


@by_table_link(even_late=True)
def enter_by_link(request: HttpRequest, context: EntryContext) -> HttpResponse:
    """Show the entry page of a link's table, or save what was typed on it."""
    return _enter(request, context)


@require_POST
@by_table_link()
def preview_by_link(request: HttpRequest, context: EntryContext) -> HttpResponse:
    """Return the parts of the entry page that follow from what is typed so far at the table of a link."""
    return _preview(request, context)


# --- Both ways in ----------------------------------------------------------------------------------------------------


def _enter(request: HttpRequest, context: EntryContext) -> HttpResponse:
    """Show a table's entry page; save what was typed, or say what is wrong and keep it."""
    if request.method == "POST":
        return _save(request, context)
    if not context.is_open:
        return _closed(request, context)
    seats = request.GET.get("seats", "draw" if "draw" in request.GET else "same")
    table = context.entry_table(turns=seats == "rotate")
    if typed := _brought_along(request, context):
        form = EntryForm(typed, table=table)
    else:
        form = EntryForm(table=table, initial=prefill.fresh(table, empty_seats=seats == "draw"))
    return _entry_page(request, context, EntryPage(form))


BROUGHT = re.compile(
    r"(?:player|guest|raw|chombo|chips|deposits|yakuman|bust)_\d\w{0,12}|sticks_left|round|note|end_reason|client_key"
)
"""What an address may fill into a scorer's page. Nothing of it is stored before the person has seen and saved it."""


def _brought_along(request: HttpRequest, context: EntryContext) -> QueryDict | None:
    """Return what the page is to be filled with: a held result, one that was undone, or what stands in the address."""
    if undone := _undone(request, context):
        return prefill.again(undone)
    typed = QueryDict(mutable=True)
    if held := _held(request, context):
        for name, texts in held.typed.items():
            typed.setlist(name, texts)
    elif "raw_0" in request.GET and not context.is_link:
        for name, texts in request.GET.lists():
            if BROUGHT.fullmatch(name):
                typed.setlist(name, texts)
    return typed or None


def _held(request: HttpRequest, context: EntryContext) -> HeldResult | None:
    """Return the held result that the page is to be filled with; scorers complete them, links do not."""
    number = small_number(request.GET.get("held", ""), 0)
    if context.is_link or not number:
        return None
    return context.session.held_results.filter(pk=number, settled_at=None).first()


def _undone(request: HttpRequest, context: EntryContext) -> Hanchan | None:
    """Return the hanchan of this table that was taken back and is typed again."""
    number = small_number(request.GET.get("again", ""), 0)
    taken_back = context.session.hanchan.filter(pk=number, table=context.table, state=Hanchan.State.VOIDED)
    return taken_back.prefetch_related("seats", "incidents").first() if number else None


def _closed(request: HttpRequest, context: EntryContext) -> HttpResponse:
    missing = context.rules.missing if context.rules else ()
    page = {"league": context.league, "session": context.session, "missing": missing, "entry_context": context}
    return render(request, "league/entry/closed.html", page)


def _save(request: HttpRequest, context: EntryContext) -> HttpResponse:
    """Save what was typed, once; or say why not, and keep it on the page."""
    sending, same = Sending.read(request.POST), None
    if existing := recorded_under(context.league, sending.client_key):
        return _saved_already(request, context, sending, existing)
    if not context.is_open:
        return _not_open(request, context, sending)
    if context.by.link is not None and sending.saves and not RESULTS.use(str(context.by.link.pk)):
        return ended_links.busy(request)
    page = EntryPage(EntryForm(sending.typed, request.FILES, table=context.entry_table()))
    if sending.saves and page.form.is_valid() and page.entry is not None:
        try:
            return _saved(request, context, _recorded(context, sending, page.entry))
        except SameResultError as error:
            same = error.existing
        except (ResultError, ScoringError) as error:
            page.form.refuse(error)
    return _not_saved(request, context, sending, page, same)


def _recorded(context: EntryContext, sending: Sending, entry: TypedResult) -> RecordedHanchan:
    """Return the stored result. Raises what record_entry raises, and ResultError "link_full"."""
    if context.by.link is not None and context.by.link.hanchan.count() >= MAX_RESULTS:
        raise ResultError("link_full")
    return record_entry(
        session=context.session,
        entry=entry,
        by=context.by,
        kept_since=sending.kept_since,
        even_if_same=sending.even_if_same,
    )


def _saved(request: HttpRequest, context: EntryContext, recorded: RecordedHanchan) -> HttpResponse:
    """Lead to what was saved just now."""
    forget_typing(context.session, context.table)
    if wants_json(request):
        return answers.saved(context, recorded.hanchan, is_new=recorded.is_new)
    return redirect(context.receipt_url(recorded.hanchan))


def _not_saved(
    request: HttpRequest, context: EntryContext, sending: Sending, page: EntryPage, same: Hanchan | None
) -> HttpResponse:
    """Say what is wrong or what it is the same as, unless another phone stored it while this one was being read."""
    if existing := recorded_under(context.league, sending.client_key):
        return _saved_already(request, context, sending, existing)
    if wants_json(request):
        return answers.same(context, same, page, sending) if same else answers.refused(context, page, sending)
    return _entry_page(request, context, page, same)


def _saved_already(request: HttpRequest, context: EntryContext, sending: Sending, hanchan: Hanchan) -> HttpResponse:
    """Lead to what this page was saved as; say so if something else is typed on it now."""
    differs = False
    if context.rules is not None and not context.rules.missing:
        form = EntryForm(sending.typed, request.FILES, table=context.entry_table())
        form.full_clean()
        differs = not _says(form, hanchan)
        if form.picture is not None and not differs and context.holds(hanchan):
            # Another phone was quicker with the same result; the photo is on this one alone.
            with suppress(PhotoError):
                add_photo(hanchan=hanchan, picture=form.picture, by=context.by)
    if wants_json(request):
        return answers.saved(context, hanchan, is_new=False, differs=differs)
    if not context.holds(hanchan):
        return redirect(context.enter_url)
    return redirect(context.receipt_url(hanchan, SAVED_BEFORE if differs else ""))


def _says(form: EntryForm, hanchan: Hanchan) -> bool:
    """Return whether the page says what a stored hanchan says: the same people with the same scores."""
    seats = seats_of(hanchan)
    names = [plain_name(seat.player) for seat in seats]
    # A guest who has become a player since can be chosen by now, so that the form refuses the name; it stands there still.
    guests = [str(form[f"guest_{seat}"].value() or "").strip() for seat in form.table.seats]
    typed = [plain_name(person) if person else guests[seat] for seat, person in enumerate(form.people)]
    return typed == names and form.reading.scores == tuple(seat.raw_score for seat in seats)


def _not_open(request: HttpRequest, context: EntryContext, sending: Sending) -> HttpResponse:
    """Say that nothing can be entered here; what a phone had to keep is held with its photo."""
    if not wants_json(request):
        return _closed(request, context)
    is_closed = context.session.state != Session.State.OPEN
    return answers.not_open(context, sending, picture_in(request.FILES), is_closed=is_closed)


def _entry_page(
    request: HttpRequest, context: EntryContext, page: EntryPage, same: Hanchan | None = None
) -> HttpResponse:
    session, number, form = context.session, context.table, page.form
    several = max(session.tables, number) > 1 and not context.is_link
    states = table_states(session) if several else {}
    tables = [
        {"url": f"?{urlencode({'table': other})}", "label": _table_label(other, states), "current": other == number}
        for other in range(1, max(session.tables, number) + 1)
    ]
    shown = {
        "league": context.league,
        "session": session,
        "entry_context": context,
        "form": form,
        "page": page,
        "tables": tables if several else (),
        "plan": list(states.values()),
        "round": next_round(session, number),
        "same": same,
        "same_url": context.receipt_url(same) if same and context.holds(same) else "",
        "shows_errors": form.is_bound and (request.method != "POST" or Sending.read(request.POST).saves),
        "preview_url": context.preview_url,
    }
    return render(request, "league/entry/enter.html", shown | _news(request, context, form))


def _news(request: HttpRequest, context: EntryContext, form: EntryForm) -> dict[str, object]:
    """Return what other phones do at this table. Whoever goes on from a receipt knows what was saved."""
    typing = typed_elsewhere(context.session, context.table, context.by.device)
    if form.is_bound or "seats" in request.GET:
        return {"typing": typing}
    saved = context.session.hanchan.standing().filter(table=context.table, recorded_at__gt=timezone.now() - A_MOMENT)
    last = saved.order_by("-recorded_at").first()
    return {"typing": typing, "saved": last, "saved_url": context.receipt_url(last) if last else ""}


def _table_label(table: int, states: Mapping[int, TableState]) -> str:
    """Return the number of a table, with how many of its planned hanchan are in."""
    state = states.get(table)
    return f"{table} ({state.played}/{state.planned})" if state and state.planned else str(table)


def _preview(request: HttpRequest, context: EntryContext) -> HttpResponse:
    """Return the parts of the entry page that follow from what is typed so far; a second phone sees the scores."""
    if context.rules is None or context.rules.missing:
        return HttpResponse(status=204)
    page = EntryPage(EntryForm(request.POST, table=context.entry_table()))
    if context.by.device and not recorded_under(context.league, Sending.read(request.POST).client_key):
        # A preview that arrives after its own result was saved is not being typed any more.
        note_typing(context.session, context.table, context.by.device, {row.name: row.typed for row in page.seats})
    return render(request, "league/entry/preview.html", {"league": context.league, "page": page})
