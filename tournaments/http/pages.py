"""What the director's pages share."""

import copyreg
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from league.http.freshness import remembered
from tournaments.core.format import Stage
from tournaments.models import Tournament
from tournaments.selectors.state import CurrentState, state_of
from tournaments.selectors.tournament_list import TournamentSummary, tournament_summary


def frozen(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Return a mapping that nobody changes, as a state that was kept has them."""
    return MappingProxyType(items)


# Python packs every mapping but this one.
copyreg.pickle(MappingProxyType, lambda proxy: (frozen, (dict(proxy),)))


def kept_state(tournament: Tournament, stage: str = "", after: int | None = None) -> CurrentState:
    """Return a tournament as it stands, worked out once for all its pages, languages and readers of an edition.

    `after` cuts a stage off after so many hanchan of each player. The names in it are the reader's to hide: everybody
    is handed a state of their own.
    """
    key = ("state", tournament.pk, tournament.edition)
    current = remembered(key, lambda: state_of(tournament))
    if after is not None and after < current.furthest(stage):
        cut = remembered((*key, stage, after), lambda: current.cut_off({stage: after}))
        current = replace(current, state=cut)
    return current.told_of(tournament)


def kept_summary(tournament: Tournament) -> TournamentSummary:
    """Return a tournament as a list shows it, kept like its state; the names of its champions are the reader's to hide."""
    key = ("summary", tournament.pk, tournament.edition, get_language())
    summary = remembered(key, lambda: tournament_summary(kept_state(tournament)))
    return replace(summary, tournament=tournament)


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
