"""Management of a session's table links by organisers."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.limits import MAX_TABLE
from league.core.numbers import small_number
from league.http.access import actor, in_league, session_led
from league.http.for_others import address_for_others
from league.models import League, Session
from league.permissions import MANAGE
from league.services.history import Actor
from league.services.links import allow_guests, code_of, default_end, issue_link, issue_links, opens_pages, revoke_link


@in_league(MANAGE, instead=session_led)
def index(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = get_object_or_404(league.sessions, pk=pk)
    session.league = league
    if request.method == "POST":
        _done(request, session)
        return redirect("league:table_links", league.slug, session.pk)
    lines = _lines(request, session)
    told = [f"{_('Table %(table)s') % line}: {line['address']}" for line in lines if line["address"]]
    page = {
        "league": league,
        "session": session,
        "lines": lines,
        "text": "\n".join(told),
        "lacks_links": any(not line["address"] for line in lines),
    }
    return render(request, "league/links/index.html", page)


def _lines(request: HttpRequest, session: Session) -> list[dict[str, Any]]:
    """Return the tables and their links; `address` is "" if the link is missing or has expired."""
    links, now = {link.table: link for link in session.table_links.filter(revoked_at=None)}, timezone.now()
    lines = []
    for table in sorted({*range(1, session.tables + 1), *links}):
        link, address = links.get(table), ""
        if link is not None and opens_pages(link, now):
            address = address_for_others(request, reverse("league:table", args=[code_of(link)]))
        lines.append({"table": table, "link": link, "address": address, "has_ended": link is not None and not address})
    return lines


def _done(request: HttpRequest, session: Session) -> None:
    """Perform the action of the pressed button; unknown ones are ignored."""
    wish, _dash, number = request.POST.get("do", "").partition("-")
    if wish == "issue":
        issue_links(session=session, by=actor(request))
        messages.success(request, _("All tables now have a link."))
    elif wish in CHANGES and (table := _table_in(session, number)):
        messages.success(request, CHANGES[wish](session, table, actor(request)))


def _table_in(session: Session, text: str) -> int:
    """Return the table number in a button's value, or 0 if the session has neither the table nor a link for it."""
    table = small_number(text, 0, digits=len(str(MAX_TABLE)))
    has_link = session.table_links.filter(table=table).exists()
    return table if 1 <= table <= session.tables or has_link else 0


def _renew(session: Session, table: int, by: Actor) -> str:
    issue_link(session=session, table=table, by=by, expires_at=default_end(session, timezone.now()))
    return _("Table %(table)s has a new link. The previous one no longer works.") % {"table": table}


def _revoke(session: Session, table: int, by: Actor) -> str:
    """Revoke all links of a table."""
    for link in session.table_links.filter(table=table, revoked_at=None):
        revoke_link(link=link, by=by)
    return _("The link for table %(table)s was revoked and no longer works.") % {"table": table}


def _allow_guests(session: Session, table: int, by: Actor) -> str:
    for link in session.table_links.filter(table=table, revoked_at=None):
        most = allow_guests(link=link, by=by).most_guests
        return _("The link for table %(table)s now allows up to %(most)s guests.") % {"table": table, "most": most}
    return _("Table %(table)s has no link.") % {"table": table}


CHANGES: dict[str, Callable[[Session, int, Actor], str]] = {"new": _renew, "revoke": _revoke, "guests": _allow_guests}
