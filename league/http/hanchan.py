"""The hanchan that an address names, looked up so that only who may see it gets it."""

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from league.http.access import actor
from league.http.entry_context import EntryContext
from league.models import Hanchan, League


def hanchan_of(league: League, pk: int) -> Hanchan:
    """Return a hanchan of the league with seats, players and incidents at hand. Four queries."""
    hanchan = get_object_or_404(
        league.hanchan.select_related("session", "ruleset_version__ruleset", "recorded_by").prefetch_related(
            "seats__player", "incidents"
        ),
        pk=pk,
    )
    hanchan.league = hanchan.session.league = league
    return hanchan


def hanchan_at(context: EntryContext, pk: int) -> Hanchan:
    """Return a hanchan that belongs to this table with everything at hand. Raises Http404 for those of other tables."""
    hanchan = hanchan_of(context.league, pk)
    if not context.holds(hanchan):
        raise Http404
    hanchan.session = context.session
    return hanchan


def context_of_reader(request: HttpRequest, hanchan: Hanchan) -> EntryContext:
    """Return the table of a hanchan for somebody who came through the league's own pages."""
    return EntryContext(hanchan.session, hanchan.table, actor(request), request.user)
