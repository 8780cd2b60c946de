"""Home page, league page, glossary, and creation of leagues."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext

from league.core.periods import month_of, parse_period
from league.core.sessions import SessionPhase
from league.forms.leagues import NewLeagueForm
from league.http.access import actor, in_league
from league.http.caching import by_content, publish, published
from league.http.idempotent import answer_once
from league.messages import counted_points, period_title, tie_order
from league.messages.glossary import glossary_groups
from league.models import League, Player
from league.permissions import MANAGE, hide_names, is_offered
from league.selectors import overview
from league.selectors.confirming import asked_of, to_judge
from league.selectors.demo_accounts import has_demo_accounts
from league.selectors.inbox import requests_in
from league.selectors.people import offer_to
from league.selectors.rulebook import COMMON, card_lines, unfinished_version
from league.services.leagues import AddressTakenError, create_league
from league.tables.board_page import podium_lines
from scoring.core import load_cards


def home(request: HttpRequest) -> HttpResponse:
    every = overview.league_cards(request.user, timezone.now())
    cards = [card for card in every if card.league.is_active]
    context = {
        "over": [card.league for card in every if not card.league.is_active],
        "mine": [card for card in cards if card.role],
        "others": [card for card in cards if not card.role],
        "live": [card for card in cards if card.is_live],
        "demo": next((card.league for card in cards if card.league.slug == DEMO_LEAGUE and has_demo_accounts()), None),
    }
    return by_content(request, render(request, "league/home/home.html", context))


DEMO_LEAGUE = "camarade"
"""Slug of the league that the demo accounts belong to."""


@in_league()
@published
def league_home(request: HttpRequest, league: League) -> HttpResponse:
    now = timezone.now()
    today = league.day_of(now)
    coming = overview.coming_sessions(league, now)
    running = [session for session, phase in coming if phase is SessionPhase.RUNNING]
    podium, month, last = overview.top_three(league), month_of(today), overview.last_session(league, running)
    if podium and last and last.session.date in month and podium[0].period != month.key:
        # This month has begun, but no one has played the minimum yet.
        podium = []
    elif podium:
        month = parse_period(podium[0].period)
    context: dict[str, Any] = {"podium": podium_lines(league, podium), "last": last}
    offer = offer_to(request.user, league) if is_offered(request.user, league) else None
    asked = asked_of(request.user, league)
    judged = to_judge(request.user, league)
    hide_names(request.user, league, _people(context))
    hide_names(request.user, league, (seat.player for game in (*asked, *judged) for seat in game.seats.all()))
    phases = {session.pk: phase for session, phase in coming}
    played_by = {each.ruleset_version_id for each, _ in coming if each.date == today and not each.title}
    if last and last.session.date == today:
        phases.setdefault(last.session.pk, SessionPhase.OVER)
        played_by |= set() if last.session.title else last.rules
    context |= {
        "league": league,
        "title": period_title(month),
        "period": month,
        "is_this_month": today in month,
        "coming": [(session, phase) for session, phase in coming if last is None or session != last.session],
        "phases": phases,
        "rules_are_ahead": bool(played_by) and league.current_version_id not in played_by,
        "today": today,
        "counted": counted_points(league, league.current_version),
        "ties": tie_order(league),
        "asked": asked,
        "offers": [] if offer is None else [offer],
        "to_judge": judged,
        "requests": requests_in(league) if request.user.has_perm(MANAGE, league) else 0,
        "unfinished": unfinished_version(league),
    }
    return render(request, "league/home/league.html", context)


def _people(context: dict[str, Any]) -> list[Player]:
    """Return the players on the page; parts by other apps hide names themselves."""
    last = context["last"]
    people = [place.line.player for place in context["podium"]]
    people += [line.player for line in last.lines] if last else []
    return people


def glossary(request: HttpRequest) -> HttpResponse:
    return publish(request, (), lambda: render(request, "league/home/glossary.html", {"groups": glossary_groups()}))


@login_required
def new(request: HttpRequest) -> HttpResponse:
    return answer_once(request, lambda: _new(request))


def _new(request: HttpRequest) -> HttpResponse:
    owner = request.user
    assert isinstance(owner, User)
    cards = card_lines(load_cards())
    form = NewLeagueForm(request.POST or None, owner=owner, initial={"card": cards[0]["key"]})
    if form.is_valid():
        try:
            league = create_league(facts=form.facts(), owner=owner, by=actor(request))
        except AddressTakenError:
            form.add_error("slug", gettext("This address is taken. Choose another one."))
        else:
            return _begun(request, league)
    return render(request, "league/home/new.html", {"form": form, "common": cards[:COMMON], "others": cards[COMMON:]})


def _begun(request: HttpRequest, league: League) -> HttpResponse:
    """Redirect to a new league, or first to its rules if these are incomplete."""
    if unfinished := unfinished_version(league):
        return redirect("league:rules_edit", league.slug, unfinished.pk)
    text = gettext("%(name)s is ready. Add players, then open the first session.")
    messages.success(request, text % {"name": league.name})
    return redirect("league:league_home", league.slug)
