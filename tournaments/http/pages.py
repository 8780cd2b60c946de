"""What the director's pages share."""

import copyreg
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from league.http.freshness import remembered
from tournaments.core.format import Stage
from tournaments.models import Tournament
from tournaments.selectors.state import CurrentState, state_of


def frozen(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Return a mapping that nobody changes, as a state that was kept has them."""
    return MappingProxyType(items)


# Python packs every mapping but this one.
copyreg.pickle(MappingProxyType, lambda proxy: (frozen, (dict(proxy),)))


def kept_state(tournament: Tournament, after: Mapping[str, int] | None = None) -> CurrentState:
    """Return a tournament as it stands, worked out once for all its pages, languages and readers of an edition.

    The names in it are the reader's to hide: everybody is handed a state of their own.
    """
    key = ("state", tournament.pk, tournament.league.edition, sorted((after or {}).items()))
    return remembered(key, lambda: state_of(tournament, after))


def stage_or_404(tournament: Tournament, key: str) -> Stage:
    """Return a stage of the format. Raises Http404."""
    try:
        return tournament.format.stage(key)
    except KeyError as error:
        raise Http404 from error


def page(
    request: HttpRequest, tournament: Tournament, template: str, facts: Mapping[str, object], status: int = 200
) -> HttpResponse:
    """Return a page of the director."""
    context = {"league": tournament.league, "tournament": tournament, **facts}
    return render(request, f"tournaments/director/{template}.html", context, status=status)
