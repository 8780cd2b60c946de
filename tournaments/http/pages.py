"""Shared by tournament pages: lookup, state, server time."""

import copyreg
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, partial, wraps
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.contrib import messages
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language

from league.http.access import SlugView, in_league, nobody_else
from league.http.caching import published, remembered
from league.models import League
from league.permissions import JUDGE, MANAGE, VIEW
from tournaments.core.format import Format, Stage
from tournaments.core.seating.problem import SeatingError
from tournaments.core.state import StageProgress
from tournaments.messages.errors import tournament_error_sentence
from tournaments.models import Tournament
from tournaments.permissions import directs_here
from tournaments.selectors.outlook import (
    MOST_TOURNAMENTS,
    Knowledge,
    Outlook,
    StageHindsight,
    beliefs_of,
    is_over,
    made_it,
    may_tell_chances,
    outlook_of,
    played_in,
    stage_hindsight,
)
from tournaments.selectors.stage_views import TournamentSummary, tournament_summary
from tournaments.selectors.state import CurrentState, state_of, tournament_at, tournaments_of
from tournaments.selectors.supposing import by_stage, coming_tables
from tournaments.services.events import TournamentError

P = ParamSpec("P")
TournamentView = Callable[Concatenate[HttpRequest, Tournament, P], HttpResponse]


def in_tournament(permission: str = VIEW, *, kept: bool = False) -> Callable[[TournamentView[P]], SlugView[P]]:
    """Return a decorator that passes the tournament to a view after checking the permission, which directors have.

    `kept`: answer with 304 if the page has not changed (league/http/caching.py).
    """

    def decorate(view: TournamentView[P]) -> SlugView[P]:
        @wraps(view)
        def guarded(request: HttpRequest, league: League, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            key = kwargs.pop("key")
            return view(request, tournament_or_404(league, str(key)), *args, **kwargs)

        if kept:
            return in_league(permission)(published(guarded))
        return in_league(permission, instead=directs_here if permission in {MANAGE, JUDGE} else nobody_else)(guarded)

    return decorate


def tournament_or_404(league: League, key: str) -> Tournament:
    tournament = tournament_at(league, key)
    if tournament is None:
        raise Http404
    return tournament


Answer = TypeVar("Answer", bound=HttpResponse)

NOW = "Tenbo-Now"
"""Header with the server's time in milliseconds since 1970."""


def with_clock(answer: Answer) -> Answer:
    answer.headers[NOW] = str(round(timezone.now().timestamp() * 1000))
    return answer


def frozen(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


# MappingProxyType is the only mapping here that cannot be pickled.
copyreg.pickle(MappingProxyType, lambda proxy: (frozen, (dict(proxy),)))


def kept_state(tournament: Tournament, stage: str = "", after: int | None = None) -> CurrentState:
    """Return a tournament's state, cached per edition for all pages and readers.

    `after` limits a stage to a number of hanchan for each player. Each caller gets a copy, because hidden names depend
    on the reader.
    """
    key = ("state", tournament.pk, tournament.edition)
    current = remembered(key, lambda: state_of(tournament))
    if after is not None and after < current.furthest(stage):
        current = remembered((*key, stage, after), partial(current.cut_off, {stage: after}))
    return current.told_of(tournament)


def kept_summary(tournament: Tournament) -> TournamentSummary:
    key = ("summary", tournament.pk, tournament.edition, get_language())
    summary = remembered(key, lambda: tournament_summary(kept_state(tournament)))
    return replace(summary, tournament=tournament)


def kept_outlook(current: CurrentState, knowledge: Knowledge | None = None) -> Outlook | None:
    """Return the cached outlook, None if chances are not shown. `knowledge`: data the page has already loaded."""
    if not may_tell_chances(current):
        return None
    key = ("outlook", current.tournament.pk, current.tournament.edition)
    known = knowledge or Knowledge(current)
    return remembered(
        key, lambda: outlook_of(current, beliefs_of(known), by_stage(coming_tables(current, known.seatings)))
    )


def kept_hindsight(current: CurrentState, knowledge: Knowledge | None = None) -> tuple[StageHindsight, ...]:
    if not current.tournament.shows_chances:
        return ()
    beliefs = cache(lambda: beliefs_of(knowledge or Knowledge(current), knows_strength=False))

    def looked_back(progress: StageProgress) -> StageHindsight | None:
        stage = progress.stage.key
        key = "hindsight", current.tournament.pk, stage, played_in(current, stage), sorted(map(str, made_it(progress)))
        return remembered(key, lambda: stage_hindsight(current, progress, beliefs()))

    found = map(looked_back, filter(is_over, current.state.stages))
    return tuple(each for each in found if each is not None)


def kept_hindsights(tournament: Tournament) -> list[tuple[StageHindsight, ...]]:
    others = [each for each in tournaments_of(tournament.league) if each.pk != tournament.pk and each.shows_chances]
    return [kept_hindsight(kept_state(each)) for each in (tournament, *others[: MOST_TOURNAMENTS - 1])]


def stage_or_404(tournament: Tournament, key: str) -> Stage:
    """Return a stage. Raise Http404 if there is none with this key."""
    try:
        return tournament.format.stage(key)
    except KeyError as error:
        raise Http404 from error


def progress_or_404(current: CurrentState, key: str) -> StageProgress:
    """Return how far a stage is. Raise Http404 if there is none with this key."""
    return current.state.stage(stage_or_404(current.tournament, key).key)


def page(request: HttpRequest, tournament: Tournament, template: str, facts: Mapping[str, object]) -> HttpResponse:
    context = {"league": tournament.league, "tournament": tournament, **facts}
    return render(request, f"tournaments/{template}.html", context)


class RefusalsOn(AbstractContextManager[None, bool]):
    """Catch refusals in a block and show them on the form, or as a message on the next page."""

    def __init__(self, place: BaseForm | HttpRequest, format_: Format | None = None) -> None:
        self.place, self.format = place, format_

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, TournamentError | SeatingError):
            return False
        sentence = tournament_error_sentence(error, self.format)
        if isinstance(self.place, BaseForm):
            self.place.add_error(None, sentence)
        else:
            messages.error(self.place, sentence)
        return True
