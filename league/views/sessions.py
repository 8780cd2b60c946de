from collections.abc import Callable, Container, Iterable
from datetime import date
from itertools import chain, groupby

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_POST, require_safe

from league.core.limits import MAX_PLANNED_TABLES
from league.core.sessions import SessionPhase
from league.forms.sessions import SessionForm, SessionStateForm
from league.http.access import actor, in_league, session_led, session_of, to_be_changed
from league.http.attendance import my_part, reminder_for, shown_who_comes
from league.http.caching import published
from league.http.links import hanchan_pages, player_pages
from league.models import Hanchan, League, Session
from league.permissions import MANAGE, hide_names, is_member, may_in_session
from league.selectors.attendance import silent_in
from league.selectors.games import seats_of
from league.selectors.large_sheets import ROUND, TABLE, large_sheet, with_size
from league.selectors.planning import planned_rounds, round_played, waiting_at
from league.selectors.sessions import (
    may_be_cancelled,
    moved_tables,
    session_phases,
    session_points_total,
    session_summaries,
    years_with_sessions,
)
from league.selectors.sheet_notes import meetings_of, notes_of
from league.selectors.sheets import sheet_of
from league.services.calendar import SessionFacts, change_session, open_session, set_session_state
from league.services.imports.people import undone
from league.services.locking import lock_league
from league.services.session_numbers import NumberTakenError
from league.templatetags.tenbo import when

POINTS = "points"
VIEWS = {
    POINTS: pgettext_lazy("score table", "Points"),
    "raw": pgettext_lazy("score table", "Raw"),
    "placement": pgettext_lazy("score table", "Placements"),
    "running": pgettext_lazy("score table", "Running"),
}
"""What the cells of a score table show."""

PARTS = {ROUND: pgettext_lazy("large session", "By round"), TABLE: pgettext_lazy("large session", "By table")}
"""How the hanchan of a large session are grouped."""

OPENING = ("view", "by", "part")
"""Parameters of links to the score table, which is folded otherwise."""

COLUMNS_PER_PAGE = 50
"""Players per page of a large session."""


@require_safe
@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
    years = years_with_sessions(league)
    year = _year(request, years, league)
    sessions = league.sessions.kept().filter(date__year=year)
    sessions = sessions.select_related("ruleset_version__ruleset", "postponed_from", "stage")
    lines = session_summaries(league, sessions)
    hide_names(request.user, league, (player for line in lines for player in line.winners))
    older = max((other for other in years if other < year), default=None)
    newer = min((other for other in years if other > year), default=None)
    by_month = groupby(lines, key=lambda line: line.session.date.replace(day=1))
    months = [{"month": month, "lines": list(found)} for month, found in by_month]
    page = {"league": league, "year": date(year, 1, 1), "months": months, "older": older, "newer": newer}
    page |= {"phases": session_phases(league, (line.session for line in lines), timezone.now())}
    if request.user.has_perm(MANAGE, league):
        cancelled = league.sessions.filter(state=Session.State.WITHDRAWN).exclude(pk__in=undone(league, "sessions"))
        page["cancelled"] = cancelled.order_by("-date", "-pk")
    page |= {"hanchan": sum(line.hanchan for line in lines), "years": years}
    return render(request, "league/sessions/index.html", page)


def _year(request: HttpRequest, years: list[int], league: League) -> int:
    asked = request.GET.get("year", "")
    known = {str(year): year for year in years}
    now = league.day_of(timezone.now()).year
    # The latest year may be in the future, if sessions are already planned.
    return known.get(asked) or (now if now in years or not years else years[0])


@require_safe
@in_league()
@published
def detail(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Show a session with its score table, or in parts if it is large. `?ledger=`: ranking or settlement."""
    session = session_of(league, pk, with_size(league.sessions.select_related("stage__tournament")))
    ledger = _asked(request, "ledger", League.RankingLedger.values, league.ledger)
    session_points = session_points_total(session)
    plan = [each for each in planned_rounds(session) if each.shown] if session.state == Session.State.OPEN else []
    waiting = waiting_at(session) if plan else {}
    comes = shown_who_comes(session, request.user, timezone.now())
    seated = list(chain(*waiting.values(), *(players for each in plan for _, _, players in each.shown)))
    rows = session_points.rows if session_points else ()
    hide_names(request.user, league, [*seated, *(row.player for row in rows)])
    phases = session_phases(league, [session], timezone.now())
    is_ahead = phases[session.pk] == SessionPhase.PLANNED
    can_manage = may_in_session(request.user, MANAGE, session)
    silent = silent_in(session, comes) if comes and can_manage else []
    reminder = reminder_for(request, session, silent) if silent and comes and comes.is_open else None
    is_tonight = phases[session.pk] == SessionPhase.TONIGHT and session.start_time is None
    is_wanted = comes and comes.is_open and not (can_manage and is_tonight and not (reminder and reminder["has_link"]))
    if comes and not (is_wanted or any(each.attendance.pk for each in comes.everybody)):
        comes = None
    page = {
        "league": league,
        "session": session,
        "session_points": session_points,
        "plan": plan,
        "tables": range(1, session.tables + 1),
        "results_missing": sum(len(each.missing) for each in plan if each.number),
        "waiting": list(waiting.items()),
        "phases": phases,
        "is_over": phases[session.pk] == SessionPhase.OVER,
        "is_ahead": is_ahead,
        "asks_now": is_ahead and comes is not None and not comes.has_answers,
        "moved": moved_tables(session) if getattr(session, "has_parts", False) else (),
        "may_cancel": is_ahead and can_manage and may_be_cancelled(session),
        "is_member": is_member(request.user, league),
        "comes": comes,
        "all_seated": comes and plan and {line.player for line in (*comes.coming, *comes.late)} <= {*seated},
        "silent": silent,
        "reminder": reminder,
        "answer": my_part(session, request.user, comes) if comes and comes.is_open else None,
    }
    shown = _large if getattr(session, "is_large", False) else _evening
    page |= {"player_pages": player_pages(league), "is_open": not request.GET.keys().isdisjoint(OPENING)}
    return render(request, "league/sessions/detail.html", page | shown(request, session, ledger))


def _evening(request: HttpRequest, session: Session, ledger: str) -> dict[str, object]:
    """Return the context of a score table. `?view=`: what its cells show."""
    view = _asked(request, "view", VIEWS, POINTS)
    sheet = sheet_of(session, ledger)
    played, behind = round_played(session, (hanchan.table for hanchan in sheet.standing))
    is_split = any(seat.points != seat.settlement for hanchan in sheet.standing for seat in seats_of(hanchan))
    hide_names(request.user, session.league, (column.player for column in sheet.columns))
    return {
        "sheet": sheet,
        "columns": sheet.ranking,
        "behind": behind if session.state == Session.State.OPEN else {},
        "missing_tables": sorted(chain.from_iterable(behind.values())),
        "round_to_draw": played + 1 if played and not behind else None,
        "view": view,
        "views": _switch("view", VIEWS.items(), view, ledger=ledger),
        "ledgers": _ledgers(request, ledger) if is_split else [],
        "notes": notes_of(sheet.standing, sheet.voided),
        "meetings": meetings_of(sheet),
    }


def _large(request: HttpRequest, session: Session, ledger: str) -> dict[str, object]:
    """Return the context of a large session. `?by=`: group by round or table; `?part=`: which of them."""
    by = _asked(request, "by", PARTS, ROUND)
    sheet = large_sheet(session, ledger, by, request.GET.get("part", ""))
    seated = (seat.player for table in sheet.tables for seat, _points in table.seats)
    hide_names(request.user, session.league, [*(column.player for column in sheet.columns), *seated])
    return {
        "sheet": sheet,
        "columns": Paginator(sheet.ranking, COLUMNS_PER_PAGE).get_page(request.GET.get("page")),
        "hanchan_pages": hanchan_pages(session.league),
        "by": _switch("by", PARTS.items(), by, ledger=ledger),
        "parts": _switch(
            "part", [(each.name, each.name) for each in sheet.parts], sheet.shown.name, by=by, ledger=ledger
        ),
        "ledgers": _ledgers(request, ledger),
        "notes": notes_of(sheet.standing, sheet.voided),
    }


def _asked(request: HttpRequest, name: str, known: Container[str], otherwise: str) -> str:
    asked = request.GET.get(name, "")
    return asked if asked in known else otherwise


def _ledgers(request: HttpRequest, ledger: str) -> list[dict[str, object]]:
    shown = {name: request.GET[name] for name in OPENING if name in request.GET}
    return _switch("ledger", League.RankingLedger.choices, ledger, **shown)


def _switch(name: str, choices: Iterable[tuple[str, object]], now: str, **others: str) -> list[dict[str, object]]:
    """Return the links of a switch; each keeps the other parameters."""
    return [
        {"url": f"?{urlencode({name: value, **others})}", "label": label, "current": value == now}
        for value, label in choices
    ]


@in_league(MANAGE)
def new(request: HttpRequest, league: League) -> HttpResponse:
    """Open a session; defaults are today, the last session's venue and the current rules."""
    if league.current_version is None:
        messages.warning(request, _("Choose the league's rules first. Every session needs rules."))
        return redirect("league:rules_choose", league.slug)
    form = SessionForm(request.POST or None, league=league, initial=_proposal(league), is_new=True)
    session = _stored(form, lambda facts: open_session(league=league, facts=facts, by=actor(request)))
    if session is not None:
        is_ahead = session.date > league.day_of(timezone.now())
        text = _("%(session)s was scheduled: %(when)s.") if is_ahead else _("%(session)s is open.")
        messages.success(request, text % {"session": session, "when": when(session)})
        if league.sessions.kept().filter(date__gt=session.date, number__gt=session.number, number_typed=False).exists():
            messages.info(request, _("Later sessions have new numbers, by date."))
        return redirect("league:session", league.slug, session.pk)
    page = {"league": league, "form": form, "session": None, "up": reverse("league:sessions", args=[league.slug])}
    return render(request, "league/sessions/form.html", page)


def _stored(form: SessionForm, store: Callable[[SessionFacts], Session]) -> Session | None:
    """Save the session. Return None if the form has errors."""
    if form.is_valid():
        try:
            return store(form.facts())
        except NumberTakenError:
            form.add_error("number", _("Another session has this number. Choose another one, or leave it blank."))
    return None


def _proposal(league: League) -> dict[str, object]:
    last = league.sessions.kept().order_by("-date", "-pk").first()
    return {
        "date": league.day_of(timezone.now()),
        "start_time": last.start_time if last else None,
        "venue": last.venue if last else "",
        "tables": last.tables if last else max(1, min(league.players.active().count() // 4, MAX_PLANNED_TABLES)),
        "ruleset_version": league.current_version_id,
    }


@in_league(MANAGE, instead=session_led)
def edit(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    if request.method == "POST":
        lock_league(league.pk)
    session = session_of(league, pk, to_be_changed(request, league.sessions.all(), pk))
    names = ("date", "start_time", "venue", "tables")
    facts = {name: getattr(session, name) for name in names} | {"ruleset_version": session.ruleset_version_id}
    facts |= {"title": session.own_name, "number": session.number if session.number_typed else None}
    form = SessionForm(request.POST or None, league=league, initial=facts)
    if _stored(form, lambda facts: change_session(session=session, facts=facts, by=actor(request))) is not None:
        messages.success(request, _("%(session)s was changed.") % {"session": session})
        return redirect("league:session", league.slug, session.pk)
    up = reverse("league:session", args=[league.slug, session.pk])
    page = {"league": league, "form": form, "session": session, "up": up, "has_hanchan": session.hanchan.exists()}
    return render(request, "league/sessions/form.html", page)


STATE_SET = {
    Session.State.OPEN: gettext_lazy("%(session)s is open again."),
    Session.State.CLOSED: gettext_lazy("%(session)s is closed."),
}

AFTER_REOPENING = ("enter_session", "print_cards", "table_links")


@require_POST
@in_league(MANAGE, instead=session_led)
def set_state(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = session_of(league, pk)
    form = SessionStateForm(request.POST)
    if form.is_valid():
        state = Session.State(form.cleaned_data["state"])
        if state == Session.State.WITHDRAWN and not may_be_cancelled(session):
            messages.error(request, _("This session has results or belongs to a tournament and cannot be cancelled."))
            return redirect("league:session", league.slug, session.pk)
        disputed = session.hanchan.filter(state=Hanchan.State.DISPUTED)
        if state == Session.State.CLOSED and "disputed" not in request.POST and disputed.exists():
            messages.warning(request, _("%(session)s is still open: a result is disputed.") % {"session": session})
            return redirect("league:session", league.slug, session.pk)
        set_session_state(session=session, state=state, by=actor(request))
        if state in STATE_SET:
            messages.success(request, STATE_SET[state] % {"session": session})
    then = request.POST.get("then", "")
    return redirect(f"league:{then if then in AFTER_REOPENING else 'session'}", league.slug, session.pk)
