"""Where the ticker of a table is, and how the pages of a table lead there."""

from django.urls import reverse
from django.utils.translation import gettext as _

from league.http.beside_entry import BesideEntry, register_beside_entry
from league.http.entry_context import EntryContext
from league.services.links import code_of
from tournaments.models import StageSession


def register() -> None:
    """Let the entry page of a table lead to its ticker."""
    register_beside_entry(beside_entry)


def ticker_url(context: EntryContext) -> str:
    """Return the address of a table's ticker, by the way that somebody came."""
    if context.by.link is not None:
        return reverse("tournaments:ticker_by_link", args=[code_of(context.by.link)])
    address = reverse("tournaments:ticker", args=[context.league.slug, context.session.pk])
    return f"{address}?table={context.table}"


def beside_entry(context: EntryContext) -> BesideEntry | None:
    """Return the way to the ticker, for tables of tournaments. One query."""
    if not StageSession.objects.filter(session=context.session).exists():
        return None
    return BesideEntry(_("Points ticker: the scores after each hand"), ticker_url(context))
