"""Result entry by scorers and by table links: choose a table, enter the scores, save."""

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
from league.core.sessions import SessionPhase
from league.forms.entry import prefill
from league.forms.entry.form import EntryForm, Sending
from league.forms.entry.page import EntryPage
from league.http import answers, ended_links
from league.http.access import actor, in_league, session_led, wants_json
from league.http.answers import other_people, same_result
from league.http.entry_context import EntryContext, by_table_link, context_of_scorer, seats_by_round
from league.http.rate_limits import Limit
from league.http.table_parts import table_parts, way_on
from league.messages import plain_name
from league.models import Hanchan, League, Player, Session
from league.permissions import RECORD, as_everybody_reads
from league.selectors.entry import open_sessions, recorded_under
from league.selectors.planning import TableState, next_round, table_states
from league.selectors.sessions import session_phases
from league.services.calendar import NoRulesError, SessionFacts, open_session
from league.services.entry import Draft, TypingPlace, forget_typing, is_stored_as, note_typing, record_entry
from league.services.photos import PhotoError, add_photo
from league.services.results import OtherPeopleError, ResultError, SameResultError
from scoring.core import ScoringError

A_MOMENT = timedelta(minutes=3)
"""A newly opened entry page mentions a result saved within this time."""


RESULTS = Limit("table-link-results", tries=20, seconds=60)


@in_league(RECORD)
def choose(request: HttpRequest, league: League) -> HttpResponse:
    now = timezone.now()
    today = league.day_of(now)
    sessions = open_sessions(league, today)
    phases = session_phases(league, sessions.all, now)
    awaiting = [session for session in sessions.tonight if phases[session.pk] != SessionPhase.OVER]
    if len(sessions.tonight) == len(awaiting) == 1:
        return redirect("league:enter_session", league.slug, sessions.tonight[0].pk)
    if request.method == "POST" and not awaiting:
        try:
            session = open_session(league=league, facts=_tonight(league, today), by=actor(request))
        except NoRulesError:
            messages.warning(request, _("The league has no rules yet. An organiser has to choose them first."))
        else:
            return redirect("league:enter_session", league.slug, session.pk)
    closed = league.sessions.filter(date=today, state=Session.State.CLOSED)
    page = {"league": league, "today": today, "sessions": sessions, "phases": phases}
    page |= {"awaiting": awaiting, "closed": () if awaiting else closed}
    page["has_players"] = league.players.active().filter(is_active=True).exists()
    return render(request, "league/entry/choose.html", page)


def _tonight(league: League, today: date) -> SessionFacts:
    last = league.sessions.kept().order_by("-date", "-pk").first()
    return SessionFacts(today, venue=last.venue if last else "", tables=last.tables if last else 1)


@in_league(RECORD, has_own_key=True, instead=session_led)
def enter(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _enter(request, context_of_scorer(request, league, pk))


@require_POST
@in_league(RECORD, has_own_key=True, instead=session_led)
def preview(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _preview(request, context_of_scorer(request, league, pk))


def _enter(request: HttpRequest, context: EntryContext) -> HttpResponse:
    if request.method == "POST":
        return _save(request, context)
    if not context.is_open:
        return answers.closed(request, context)
    seats = request.GET.get("seats", "draw" if "draw" in request.GET else "same")
    table = context.entry_table(turns=seats == "rotate")
    typed = prefill.brought_along(request.GET, context.session, context.table, is_link=context.is_link)
    initial = None if typed else prefill.fresh(table, empty_seats=seats == "draw")
    form = EntryForm(typed, table=table, initial=initial)
    return _entry_page(request, context, EntryPage(form), Sending.read(typed or QueryDict()).draft)


def _save(request: HttpRequest, context: EntryContext) -> HttpResponse:
    sending, asked = Sending.read(request.POST), None
    if existing := recorded_under(context.league, sending.client_key):
        return _saved_already(request, context, sending, existing)
    if not context.is_open:
        return answers.not_open(request, context, sending)
    if context.by.link is not None and sending.saves and not RESULTS.use(str(context.by.link.pk)):
        return ended_links.busy(request)
    form = EntryForm(sending.typed, request.FILES, table=context.posted_table(sending.typed))
    if form.is_valid() and sending.saves and form.entry is not None:
        try:
            recorded = record_entry(
                session=context.session,
                entry=sending.answered(form.entry),
                by=context.by,
                draft=sending.draft,
                even_if_same=sending.even_if_same,
            )
        except (SameResultError, OtherPeopleError) as error:
            asked = error
        except (ResultError, ScoringError) as error:
            form.refuse(error)
        else:
            # Stop showing the input to other phones, for the round as typed and as stored.
            numbers = {recorded.hanchan.round, sending.draft.round or recorded.hanchan.round}
            forget_typing([TypingPlace(context.session, context.table, number) for number in numbers])
            return answers.saved(request, context, recorded.hanchan, is_new=recorded.is_new)
    return _not_saved(request, context, sending, form, asked)


def _not_saved(
    request: HttpRequest,
    context: EntryContext,
    sending: Sending,
    form: EntryForm,
    asked: SameResultError | OtherPeopleError | None,
) -> HttpResponse:
    if existing := recorded_under(context.league, sending.client_key):
        return _saved_already(request, context, sending, existing)
    if wants_json(request):
        return answers.asked(context, asked, form, sending) if asked else answers.refused(context, form, sending)
    form.offer(context.entry_table())
    return _entry_page(request, context, EntryPage(form), sending.draft, asked=asked, sending=sending)


def _saved_already(request: HttpRequest, context: EntryContext, sending: Sending, hanchan: Hanchan) -> HttpResponse:
    """Respond with the stored result of this key; say so if the submitted one differs."""
    differs = False
    if context.rules is not None and not context.rules.missing:
        form = EntryForm(sending.typed, request.FILES, table=context.posted_table(sending.typed))
        form.full_clean()
        differs = form.entry is None or not is_stored_as(hanchan, form.entry)
        if form.picture is not None and not differs and context.holds(hanchan):
            # Another phone saved the same result first; only this one has the photo.
            with suppress(PhotoError):
                add_photo(hanchan=hanchan, picture=form.picture, by=context.by)
    return answers.saved(request, context, hanchan, is_new=False, differs=differs)


def _entry_page(
    request: HttpRequest,
    context: EntryContext,
    page: EntryPage,
    draft: Draft,
    *,
    asked: SameResultError | OtherPeopleError | None = None,
    sending: Sending | None = None,
) -> HttpResponse:
    session, number, form = context.session, context.table, page.form
    upcoming = form.table.choices.upcoming
    several = max(session.tables, number) > 1 and not context.is_link
    states = table_states(session) if several or form.table.choices.by_round else {}
    tables = [
        {"url": f"?{urlencode({'table': other})}", "label": _table_label(other, states), "current": other == number}
        for other in sorted({*range(1, max(session.tables, min(number, MAX_PLANNED_TABLES)) + 1), number})
    ]
    shown = {
        "league": context.league,
        "session": session,
        "entry_context": context,
        "form": form,
        "page": page,
        "tables": tables if several else (),
        "plan": list(states.values()) if several else (),
        "way_on": way_on(context, states),
        "asks_for_further": form.is_bound or "seats" in request.GET,
        "round": draft.round or upcoming,
        "next_round": upcoming,
        "seats": seats_by_round(form.table.choices.by_round),
        "begun_at": draft.since or timezone.now(),
        "same": same_result(context, asked, form) if isinstance(asked, SameResultError) else None,
        "others": other_people(context, asked, form) if isinstance(asked, OtherPeopleError) else None,
        "sending": sending,
        "shows_errors": form.is_bound and (sending is None or sending.saves),
        "preview_url": context.preview_url,
        "parts": table_parts(context) if form.table.choices.is_planned else (),
    }
    return render(request, "league/entry/enter.html", shown | _news(request, context, form))


def _news(request: HttpRequest, context: EntryContext, form: EntryForm) -> dict[str, object]:
    if form.is_bound or "seats" in request.GET:
        return {}
    saved = context.session.hanchan.valid().filter(table=context.table, recorded_at__gt=timezone.now() - A_MOMENT)
    last = saved.select_related("league").order_by("-recorded_at").first()
    return {"saved": last, "saved_url": context.receipt_url(last) if last else ""}


def _table_label(table: int, states: Mapping[int, TableState]) -> str:
    state = states.get(table)
    return f"{table} ({state.played}/{state.planned})" if state and state.planned else str(table)


def _preview(request: HttpRequest, context: EntryContext) -> HttpResponse:
    if context.rules is None or context.rules.missing:
        return HttpResponse(status=204)
    form = EntryForm(request.POST, table=context.posted_table(request.POST))
    page = EntryPage(form)
    sending = Sending.read(request.POST)
    if context.by.device and not recorded_under(context.league, sending.client_key):
        # Ignore previews that arrive after their result was saved.
        number = form.cleaned_data.get("round") or sending.draft.round or next_round(context.session, context.table)
        place = TypingPlace(context.session, context.table, number)
        players = [person for person in form.people if isinstance(person, Player)]
        # Other phones may use table links, so note only names that are public.
        shown = {player.pk: plain_name(player) for player in as_everybody_reads(context.league, players)}
        people = zip(form.people, form.names, strict=True)
        names = [shown.get(getattr(person, "pk", 0), name) for person, name in people]
        note_typing(place, context.by.device, names, [row.typed for row in page.seats])
    return render(request, "league/entry/preview.html", {"league": context.league, "page": page})


enter_by_link = by_table_link(even_late=True)(_enter)
preview_by_link = require_POST(by_table_link()(_preview))
