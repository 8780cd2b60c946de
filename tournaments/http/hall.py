"""A table's page: timer, ready state, and call for a referee."""

from typing import Any

from django.urls import reverse
from django.utils import timezone

from league.http.entry_context import EntryContext
from league.selectors.planning import next_round
from league.services.links import code_of
from tournaments.selectors.hall import hall_of, stage_session_of


def ticker_url(context: EntryContext) -> str:
    if context.by.link is not None:
        return reverse("tournaments:ticker_by_link", args=[code_of(context.by.link)])
    address = reverse("tournaments:ticker", args=[context.league.slug, context.session.pk])
    return f"{address}?table={context.table}"


TEMPLATE = "tournaments/parts/at_table.html"


def at_table(context: EntryContext) -> dict[str, Any] | None:
    """Return the hall as seen from a table.

    `url`: URL for polling and calls, if the page was opened by the table's link, otherwise empty.
    """
    found = stage_session_of(context.session.pk)
    if found is None:
        return None
    tournament, session = found.tournament, context.session.pk
    hall = hall_of(tournament, timezone.now())
    ready = hall.ready.get((session, next_round(context.session, context.table)), frozenset())
    return {
        "timer": hall.timer.at_table(session, context.table) if hall.timer else None,
        "is_ready": context.table in ready,
        "call": tournament.calls.filter(session=session, table=context.table, done_at=None).first(),
        "url": reverse("tournaments:hall", args=[code_of(context.by.link)]) if context.by.link else "",
        "ticker_url": ticker_url(context),
    }
