"""The ticker of a table: scores after each hand, and what each ending of the last hand means."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import uuid4

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from league.http import answers
from league.http.access import in_league, session_led, wants_json
from league.http.entry_context import EntryContext, by_table_link, context_of_scorer
from league.messages.sessions import WIND_MARKS
from league.models import League
from league.permissions import RECORD, hide_names
from scoring.messages.numbers import WINDS
from tournaments.core.ticking import Situation, Ticked, every_hand, is_last
from tournaments.forms.hall import CHANGE, TickerError, read_tick, round_of
from tournaments.http.hall import ticker_url
from tournaments.http.pages import kept_state
from tournaments.messages.errors import tournament_error_sentence
from tournaments.messages.titles import hand_line, hand_name
from tournaments.models import StageSession
from tournaments.selectors.hall import TickerTable, ticker_table
from tournaments.selectors.last_hands import LastHandOfTable, TableNow, last_hands_of
from tournaments.selectors.state import reader_name, reader_names, tournament_at
from tournaments.services.events import TournamentError
from tournaments.services.hall import record_tick

LOOK = "look"
"""Action sent by the script while typing: preview without storing."""


@in_league(RECORD, has_own_key=True, instead=session_led)
def of_table(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _ticker(request, context_of_scorer(request, league, pk))


@by_table_link(even_late=True)
def by_link(request: HttpRequest, context: EntryContext) -> HttpResponse:
    return _ticker(request, context)


def _ticker(request: HttpRequest, context: EntryContext) -> HttpResponse:
    stage = StageSession.objects.filter(session=context.session).select_related("tournament").first()
    if stage is None:
        title = _("This is not a tournament table")
        return _none(request, context, title, _("The points ticker is only available for tournament tables."))
    sent = request.method == "POST"
    table = ticker_table(context.session, context.table, round_of(request.POST) if sent else None)
    if table is None or not context.is_open:
        return _closed(request, context)
    if not table.players:
        text = _("Once an organiser has drawn the seats, scores can be entered here after each hand.")
        return _none(request, context, _("No one is planned at this table"), text)
    hide_names(request.user, context.league, [player for planned in table.plans.values() for player in planned])
    if sent:
        return _typed(request, context, stage, table)
    if not wants_json(request):
        return _page(request, context, stage, table)
    answer = JsonResponse(_told(table))
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _typed(request: HttpRequest, context: EntryContext, stage: StageSession, table: TickerTable) -> HttpResponse:
    if request.POST.get("do") == LOOK:
        return _look(request, context, stage, table)
    problem = _kept(request.POST, context, table)
    if not wants_json(request):
        return _page(request, context, stage, table, problem) if problem else redirect(ticker_url(context))
    if problem:
        return _refused(problem)
    return JsonResponse({"state": "saved", "receipt": "", "standing": "", "round": table.round})


def _refused(text: str) -> HttpResponse:
    return JsonResponse({"state": "refused", "message": text}, status=422)


def _none(request: HttpRequest, context: EntryContext, title: str, text: str) -> HttpResponse:
    if wants_json(request):
        return _refused(text)
    page = {"league": context.league, "entry_context": context, "title": title, "text": text}
    return render(request, "tournaments/no_ticker.html", page)


def _closed(request: HttpRequest, context: EntryContext) -> HttpResponse:
    if wants_json(request):
        return _refused(tournament_error_sentence(TournamentError("ticker_closed")))
    return answers.closed(request, context)


def _kept(data: QueryDict, context: EntryContext, table: TickerTable) -> str:
    try:
        record_tick(tick=read_tick(data, table), by=context.by)
    except TickerError as error:
        return str(error)
    except TournamentError as error:
        return tournament_error_sentence(error)
    return ""


def _told(table: TickerTable) -> dict[str, Any]:
    players = [player.pk for player in table.players]
    return {"round": table.round, "ticks": [_fact(fact) for fact in table.facts], "players": players}


def _fact(fact: Ticked) -> dict[str, Any]:
    now = fact.situation
    said: dict[str, Any] = {"takes_back": str(fact.takes_back)} if now is None else asdict(now)
    return {"key": str(fact.key), "number": fact.number} | said


def _look(request: HttpRequest, context: EntryContext, stage: StageSession, table: TickerTable) -> HttpResponse:
    try:
        typed = read_tick(request.POST, table).situation
    except TickerError as error:
        return JsonResponse({"html": "", "message": str(error)})
    if typed is None:
        return JsonResponse({"html": "", "message": ""})
    page = {"last_hands": _last_hands(context, stage, table, typed), "league": context.league}
    return JsonResponse({"html": render_to_string("tournaments/parts/last_hands.html", page), "message": ""})


def _last_hands(
    context: EntryContext, stage: StageSession, table: TickerTable, now: Situation
) -> tuple[LastHandOfTable, ...]:
    if not is_last(now.hand, table.rules):
        return ()
    tournament = tournament_at(context.league, stage.tournament.key)
    if tournament is None:
        raise Http404
    current = kept_state(tournament)
    hide_names(context.reader, context.league, [entry.player for entry in current.entries.values()])
    progress = current.state.stage(stage.stage)
    return last_hands_of(current, progress, TableNow(table.scoring, table.players, now), reader_names(current))


def _page(
    request: HttpRequest, context: EntryContext, stage: StageSession, table: TickerTable, problem: str = ""
) -> HttpResponse:
    now = table.situation
    typed = request.POST if problem else QueryDict()
    last = table.last
    course = [each.situation for each in reversed(table.standing) if each.situation is not None]
    page = {
        "league": context.league,
        "session": context.session,
        "entry_context": context,
        "table": table,
        "url": ticker_url(context),
        "now": now,
        "line": hand_line(now),
        "seats": [_seat(table, seat, typed) for seat in range(len(table.players))],
        "hands": [(hand, hand_name(hand)) for hand in every_hand(table.rules.players)],
        "typed": {name: typed.get(name, "") for name in ("hand", "honba", "sticks")},
        "problem": problem,
        "last_key": str(last.key) if last is not None else "",
        "next_number": table.number + 1,
        "key": uuid4(),
        "told": json.dumps(_told(table)),
        "plans": json.dumps(_plans(table)),
        "rules": json.dumps(_rules(table)),
        "course": [(hand_name(each.hand), each.without_riichi()) for each in course],
        "last_hands": _last_hands(context, stage, table, now),
        "change": CHANGE,
    }
    return render(request, "tournaments/ticker.html", page)


def _plans(table: TickerTable) -> dict[int, list[tuple[int, str]]]:
    return {
        number: [(player.pk, reader_name(player)) for player in planned]
        for number, planned in table.plans.items()
        if len(planned) == table.rules.players
    }


def _rules(table: TickerTable) -> dict[str, Any]:
    rules = table.rules
    return {
        "players": rules.players,
        "start": rules.start,
        "last": rules.last,
        "notenPool": rules.noten_pool,
        "honbaOnDraw": rules.honba_on_draw,
        "keeps": rules.keeps,
        "marks": [str(mark) for mark in WIND_MARKS[: rules.players]],
    }


def _seat(table: TickerTable, seat: int, typed: Mapping[str, str]) -> dict[str, Any]:
    now = table.situation
    return {
        "number": seat,
        "player": table.players[seat],
        "mark": WIND_MARKS[(seat - now.dealer()) % table.rules.players],
        "wind": WINDS[(seat - now.dealer()) % table.rules.players],
        "score": now.scores[seat],
        "typed": typed.get(f"raw_{seat}", ""),
        "riichi": seat in now.riichi,
        "deals": seat == now.dealer(),
    }
