"""A table's page: timer, ready state, and call for a referee."""

from typing import Any

from django.urls import reverse
from django.utils import timezone

from league.http.entry_context import EntryContext
from league.messages import joined
from league.models.plans import EVERY_ROUND
from league.selectors.planning import next_round
from league.services.links import code_of
from tournaments.models import Decision, Entry
from tournaments.permissions import DIRECT
from tournaments.selectors.decisions import unsettled
from tournaments.selectors.hall import hall_of, stage_session_of
from tournaments.selectors.state import reader_name


def ticker_url(context: EntryContext) -> str:
    if context.by.link is not None:
        return reverse("tournaments:ticker_by_link", args=[code_of(context.by.link)])
    address = reverse("tournaments:ticker", args=[context.league.slug, context.session.pk])
    return f"{address}?table={context.table}"


TEMPLATE = "tournaments/parts/at_table.html"


def at_table(context: EntryContext, *, polled: bool = False) -> dict[str, Any] | None:
    """Return the hall as seen from a table; `polled`: without who left, which no poll renews.

    `url`: URL for polling and calls, if the page was opened by the table's link, otherwise empty. `left`: players of the
    next hanchan who withdrew; `decide`: where a director says who plays.
    """
    found = stage_session_of(context.session.pk)
    if found is None:
        return None
    tournament, session = found.tournament, context.session.pk
    hall = hall_of(tournament, timezone.now())
    number = next_round(context.session, context.table)
    ready = hall.ready.get((session, number), frozenset())
    seats = context.session.planned_seats.filter(table=context.table, round__in=[number, EVERY_ROUND])
    made = tournament.decisions.valid().filter(kind=Decision.Kind.WITHDRAWN, stage=found.stage) if not polled else ()
    away = Entry.objects.filter(pk__in=unsettled(made), player__planned_in__in=seats).select_related("player")
    gone = list(away.distinct()) if made else []
    context.hide_names(entry.player for entry in gone)
    directs = gone and context.reader.has_perm(DIRECT, tournament)
    decide = f"{reverse('tournaments:withdraw', args=[context.league.slug, tournament.key])}?stage={found.stage}&entry="
    return {
        "timer": hall.timer.at_table(session, context.table) if hall.timer else None,
        "is_ready": context.table in ready,
        "call": tournament.calls.filter(session=session, table=context.table, done_at=None).first(),
        "url": reverse("tournaments:hall", args=[code_of(context.by.link)]) if context.by.link else "",
        "ticker_url": ticker_url(context),
        "left": joined(reader_name(entry.player) for entry in gone),
        "decide": f"{decide}{gone[0].pk}" if directs else "",
    }
