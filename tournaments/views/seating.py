import json
from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from league.core.readings import folded
from league.http.access import in_league
from league.messages import plain_name
from league.models import League, Player
from league.permissions import MANAGE, hide_names, may_read_name
from league.templatetags.tenbo import when
from scoring.messages.numbers import WINDS
from tournaments.core.seating.problem import SeatingError
from tournaments.core.state import StageState, TournamentState
from tournaments.forms.seating import SeatingForm
from tournaments.http.pages import in_tournament, kept_state, page, progress_or_404
from tournaments.interchange.parts import seating_document, seating_sheet
from tournaments.messages import seating as messages
from tournaments.messages.titles import block_name, stage_name
from tournaments.models import Tournament
from tournaments.selectors.certificates import BlockSeating, seatings_of
from tournaments.selectors.league_hooks import tournament_phases
from tournaments.selectors.seating import NextSeat, SessionSeating, next_seats, session_seatings, spellings


@in_tournament(kept=True)
def seating(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    asked = request.GET.get("q", "").strip()[:60]
    now = timezone.now()
    current = kept_state(tournament)
    seatings = session_seatings(current)
    hide_names(request.user, tournament.league, _people(seatings))
    next_by_player, me = next_seats(seatings), request.user.pk
    planned = {each.stage.key for each in seatings if each.rounds}
    facts = {
        "heading": gettext("Seating"),
        "asked": asked,
        "mine": [_line(seat) for seat in next_by_player.values() if me and seat.player.user_id == me],
        "seats": _lines(request, tournament.league, next_by_player, asked),
        "nobody": gettext("No one called “%(text)s” has an upcoming table.") % {"text": asked} if asked else "",
        "ahead": [each for each in seatings if not each.is_over],
        "over": [each for each in seatings if each.is_over and each.rounds],
        "phases": tournament_phases(current, now),
        "certificates": [(stage.key, stage_name(stage)) for stage in tournament.format.stages if stage.key in planned],
        "waiting": _waiting(tournament, current.state),
    }
    return page(request, tournament, "seating/seating", facts)


@in_tournament(kept=True)
def certificate(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    current = kept_state(tournament)
    progress = progress_or_404(current, stage)
    blocks = seatings_of(current, progress, session_seatings(current))
    hide_names(request.user, tournament.league, [line.player for each in blocks for line in each.players])
    facts = {
        "heading": gettext("Seating certificate"),
        "stage": progress.stage,
        "title": stage_name(progress.stage),
        "method": messages.method_sentence(str(progress.stage.seating)),
        "blocks": [_certified(each, several=len(blocks) > 1) for each in blocks if each.players],
        "is_planned": any(each.rounds for each in blocks),
    }
    return page(request, tournament, "seating/certificate", facts)


@in_league(MANAGE)
def tool(request: HttpRequest, league: League) -> HttpResponse:
    form = SeatingForm(request.POST or None)
    facts: dict[str, Any] = {"league": league, "heading": gettext("Seating"), "form": form}
    if form.is_valid():
        try:
            generated_seating = form.seated()
        except SeatingError:
            form.add_error(None, gettext("No seating satisfies these conditions. Remove some."))
        else:
            if request.POST.get("as") == "csv":
                return _file(seating_sheet(generated_seating), "text/csv; charset=utf-8", "seating.csv")
            if request.POST.get("as") == "json":
                text = json.dumps(seating_document(generated_seating), ensure_ascii=False, indent=2)
                return _file(text, "application/json", "seating.json")
            facts |= {
                "generated_seating": generated_seating,
                "sentence": messages.meetings_sentence(generated_seating.certificate, by_session=False),
                "bound": messages.bound_sentence(generated_seating.certificate),
                "method": messages.method_sentence(generated_seating.schedule.method),
                "histogram": _histogram(generated_seating.certificate.histogram.items()),
                "command": generated_seating.command,
            }
    return render(request, "tournaments/seating/tool.html", facts)


def _file(text: str | bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _people(session_seatings: Iterable[SessionSeating]) -> list[Player]:
    rounds = [each for session_seating in session_seatings for each in session_seating.rounds]
    seated = [seat.player for each in rounds for table in each.tables for seat in table.seats]
    return seated + [player for each in rounds for player in each.resting]


def _lines(request: HttpRequest, league: League, seats: dict[int, NextSeat], asked: str) -> list[dict[str, Any]]:
    known = spellings([seat.player for seat in seats.values()])
    lines = []
    for pk, seat in seats.items():
        readable = may_read_name(request.user, seat.player, league)
        texts = known[pk] if readable else [plain_name(seat.player)]
        keys = [folded(text) for text in texts]
        found = bool(asked) and any(folded(asked) in key for key in keys)
        lines.append({**_line(seat), "keys": "|".join(keys), "found": found})
    return sorted(lines, key=lambda line: str(line["keys"]))


def _line(seat: NextSeat) -> dict[str, Any]:
    where = {
        "table": seat.table.number,
        "wind": str(WINDS[seat.wind]),
        "round": seat.round.number,
        "title": seat.session_seating.title,
        "day": when(seat.session_seating.stage_session.session),
    }
    return {"seat": seat, "sentence": messages.seat_sentence(plain_name(seat.player), where), **where}


WAITING = {
    StageState.UNDRAWN: gettext_lazy("%(stage)s: tables will be announced after the draw."),
    StageState.READY: gettext_lazy("%(stage)s: the players are decided. The tables will be announced."),
    StageState.RUNNING: gettext_lazy("%(stage)s: the next tables are drawn after this hanchan."),
    StageState.PLAYED: gettext_lazy(
        "%(stage)s is finished. The next tables will be announced once advancement is decided."
    ),
    StageState.WAITING: gettext_lazy("%(stage)s: the players are not known yet."),
}
"""What the tables wait for, by the state of the first stage that is not decided."""


def _waiting(tournament: Tournament, state: TournamentState) -> str:
    if tournament.state == Tournament.State.PREPARING and not any(each.undrawn for each in state.stages):
        return gettext("Tables will be announced once entries are closed.")
    for each in state.stages:
        has_title = each.state is StageState.PLAYED and state.format.title_of(each.stage.key)
        if each.state in WAITING and not has_title:
            return str(WAITING[each.state]) % {"stage": stage_name(each.stage)}
    return gettext("Everything has been played.")


def _certified(block: BlockSeating, *, several: bool) -> dict[str, Any]:
    found = block.certificate
    return {
        "block": block,
        "title": block_name(block.block) if several else "",
        "sentence": messages.meetings_sentence(found, by_session=block.by_session) if found else "",
        "bound": messages.bound_sentence(found) if found else "",
        "histogram": _histogram(block.histogram),
    }


def _histogram(pairs: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    rows = list(pairs)
    most = max((number for _, number in rows), default=1)
    return [
        {"label": messages.times_label(count), "pairs": number, "width": max(1, 100 * number // most)}
        for count, number in rows
    ]
