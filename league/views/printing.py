"""Printed matter for a session: table cards with QR codes, seat posters, score sheets.

Opening a page prints with existing links; a POST request issues missing ones.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from league.http.access import actor, in_league, session_led
from league.http.for_others import address_for_others
from league.http.pdf import printed
from league.models import League, Session, TableLink
from league.permissions import MANAGE, RECORD, hide_names, may_in_session
from league.selectors.printing import is_confirmed_by_players, links_of, posters, score_sheets, table_rules, tables_of
from league.services.links import code_of, issue_link

CARD_PAPERS = {"a4": gettext_lazy("A4, four cards to cut out"), "a6": gettext_lazy("A6, one card per page")}
POSTER_PAPERS = {"a3": gettext_lazy("A3"), "a4": gettext_lazy("A4")}
ON_A_POSTER = {"a3": 12, "a4": 6}
"""Tables per poster that can still be read from across the room."""

Page = dict[str, Any]


@require_http_methods(["GET", "HEAD", "POST"])
@in_league(MANAGE, instead=session_led)
def cards(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Show a card with a QR code for each table; a POST request issues missing links."""
    session = _session(league, pk)
    if request.method == "POST":
        return _issued(request, session)
    links = links_of(session, timezone.now())
    page = _page(request, session, links, CARD_PAPERS)
    tables = [{"number": number, "address": address} for number, address in page["addresses"].items()]
    page |= {
        "sheets": "league/print/cards.html",
        "title": _("Table cards"),
        "cards": tables,
        "groups": [tables[first : first + 4] for first in range(0, len(tables), 4)],
        "ends": max((link.expires_at for link in links.values()), default=None),
        "confirms": is_confirmed_by_players(league),
        "pdf_url": page["pdf_url"] if links else "",
    }
    return _printed(request, page, "cards")


@require_http_methods(["GET", "HEAD", "POST"])
@in_league(MANAGE, instead=session_led)
def seat_posters(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = _session(league, pk)
    if request.method == "POST":
        return _issued(request, session)
    page = _page(request, session, links_of(session, timezone.now()), POSTER_PAPERS)
    pages = posters(session, page["addresses"], ON_A_POSTER[page["paper"]])
    seated = (player for each in pages for table in each["tables"] for player in (*table["seated"], *table["waiting"]))
    hide_names(request.user, league, seated)
    rules = session.ruleset_version.readable()
    seats = range(rules.players or 4) if rules else range(4)
    page |= {"sheets": "league/print/posters.html", "title": _("Seat posters"), "posters": pages, "seats": seats}
    return _printed(request, page, "seats")


@require_http_methods(["GET", "HEAD", "POST"])
@in_league(RECORD, instead=session_led)
def sheets(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = _session(league, pk)
    if request.method == "POST":
        return _issued(request, session)
    rules = session.ruleset_version.readable()
    if rules is None or not rules.players:
        messages.warning(request, _("The rules of this session cannot be read, so score sheets cannot be printed."))
        return redirect("league:session", league.slug, session.pk)
    page = _page(request, session, links_of(session, timezone.now()), {})
    printed = score_sheets(session, rules, page["addresses"])
    rows = (row for sheet in printed for row in (sheet["people"], *(seated for _round, seated in sheet["lines"])))
    hide_names(request.user, league, (person for row in rows for person in row if person))
    page |= {
        "sheets": "league/print/sheets.html",
        "title": _("Score sheets"),
        "score_sheets": printed,
        "rules": rules,
        "total": rules.players * (rules.start_points or 0),
        "clauses": table_rules(rules),
    }
    return _printed(request, page, "sheets")


def _session(league: League, pk: int) -> Session:
    session = get_object_or_404(league.sessions.kept().select_related("ruleset_version__ruleset"), pk=pk)
    session.league = league
    return session


def _issued(request: HttpRequest, session: Session) -> HttpResponse:
    if not may_in_session(request.user, MANAGE, session):
        messages.warning(request, _("Only organisers can issue links. Ask one, or print without QR codes."))
        return redirect(request.get_full_path())
    known = links_of(session, timezone.now())
    missing = [table for table in tables_of(session) if table not in known]
    for table in missing:
        issue_link(session=session, table=table, by=actor(request))
    text = ngettext("A link was issued for %(count)s table.", "Links were issued for %(count)s tables.", len(missing))
    messages.success(request, text % {"count": len(missing)})
    return redirect(request.get_full_path())


def _page(request: HttpRequest, session: Session, links: Mapping[int, TableLink], papers: Mapping[str, Any]) -> Page:
    asked = request.GET.get("paper", "")
    paper = asked if asked in papers else next(iter(papers), "")
    tables = tables_of(session)
    return {
        "league": session.league,
        "session": session,
        "subject": session,
        "addresses": {table: _address(request, links.get(table)) for table in tables},
        "missing": sum(table not in links for table in tables),
        "can_issue": session.state == Session.State.OPEN and may_in_session(request.user, MANAGE, session),
        "paper": paper,
        "papers": [
            {"url": f"?{urlencode({'paper': key})}", "label": label, "current": key == paper}
            for key, label in papers.items()
        ],
        "pdf_url": f"?{urlencode({'format': 'pdf'} | ({'paper': paper} if paper else {}))}",
    }


def _address(request: HttpRequest, link: TableLink | None) -> str:
    return address_for_others(request, reverse("league:table", args=[code_of(link)])) if link else ""


def _printed(request: HttpRequest, page: Page, name: str) -> HttpResponse:
    session: Session = page["session"]
    return printed(request, page, "league/print/page.html", f"{session.league.slug}-{session.number}-{name}.pdf")
