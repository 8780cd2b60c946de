"""A table of a tournament and its directors: what the table is told anew, and its call for a referee."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from league.http.entry_context import EntryContext, by_table_link
from tournaments.http.clock import with_clock
from tournaments.http.hall import TEMPLATE, at_table
from tournaments.selectors.hall import stage_session_of
from tournaments.services.hall import call_referee


@by_table_link()
def hall(request: HttpRequest, context: EntryContext) -> HttpResponse:
    """Return what is told at the table of a link now; or call a referee to it."""
    if request.method == "POST":
        if (found := stage_session_of(context.session.pk)) is not None:
            call_referee(tournament=found.tournament, session=context.session, table=context.table, by=context.by)
        return redirect(context.enter_url)
    return with_clock(render(request, TEMPLATE, {"part": at_table(context)}))
