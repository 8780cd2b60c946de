"""Where the ticker of a table is."""

from django.urls import reverse

from league.http.entry_context import EntryContext
from league.services.links import code_of


def ticker_url(context: EntryContext) -> str:
    """Return the address of a table's ticker, by the way that somebody came."""
    if context.by.link is not None:
        return reverse("tournaments:ticker_by_link", args=[code_of(context.by.link)])
    address = reverse("tournaments:ticker", args=[context.league.slug, context.session.pk])
    return f"{address}?table={context.table}"
