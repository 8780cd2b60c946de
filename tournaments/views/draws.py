from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from league.forms.seen import WhatStands
from league.http.access import actor, to_be_changed
from league.permissions import MANAGE
from league.selectors.former import hide_former
from tournaments.core.format import Fill, Stage
from tournaments.core.seating.problem import SeatingError
from tournaments.core.state import StageProgress
from tournaments.forms.planning import LotDrawForm, ManualDrawForm
from tournaments.http.pages import RefusalsOn, in_tournament, page, stage_or_404
from tournaments.messages.errors import resting_sentence, tournament_error_sentence
from tournaments.messages.titles import stage_name
from tournaments.models import Decision, Entry, Tournament
from tournaments.selectors.inbox import needs_draw
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.drawing import MAX_SEED, BlockDraw, chosen_number, draw_by_format, draw_by_lot
from tournaments.services.drawing import draw as store_draw
from tournaments.services.events import TournamentError

LOT, FORMAT, HAND = "lot", "format", "hand"
"""Ways of drawing blocks."""


@dataclass(slots=True)
class _DrawPage:
    current: CurrentState
    progress: StageProgress
    earlier: Decision | None
    way: str = ""

    def __post_init__(self) -> None:
        if self.way not in self.ways:
            self.way = self.ways[0]

    @property
    def ways(self) -> tuple[str, ...]:
        stage = self.progress.stage
        if len(stage.blocks) < 2:
            return (FORMAT,)
        if stage.fill is Fill.DRAW:
            return (LOT,)
        return (LOT, FORMAT) if self.current.state.format.is_entered(stage) else (FORMAT, LOT)

    @property
    def entries(self) -> list[Entry]:
        return [self.current.entries[int(place.participant)] for place in self.progress.places]

    @property
    def by_lot(self) -> bool:
        return self.way == LOT

    @property
    def is_played(self) -> bool:
        return any(ranking.started for ranking in self.progress.rankings)

    @property
    def can_draw(self) -> bool:
        return not self.is_played and (self.earlier is not None or needs_draw(self.current, self.progress))

    @property
    def standing(self) -> WhatStands:
        if self.earlier is None:
            return WhatStands("", _("The draw has since been revoked. Check the page again."))
        text = _("%(name)s has since set the blocks, as shown above. Send again to use yours instead.")
        return WhatStands(str(self.earlier.pk), text % {"name": self.earlier.by_name or _("Someone")})

    def listed(self, blocks: Mapping[str, Sequence[int]]) -> list[dict[str, object]]:
        known = self.current.entries
        return [
            {"key": key, "entries": [known[pk] for pk in blocks.get(key, ()) if pk in known]}
            for key in self.progress.stage.block_keys
        ]


@in_tournament(MANAGE)
def draw(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    stage_or_404(tournament, stage)
    to_be_changed(request, Tournament.objects.all(), tournament.pk)
    draw_page = _draw_page(tournament, stage, request.POST.get("method") or request.GET.get("way", ""))
    by_hand = request.POST.get("method") == HAND
    blocks = draw_page.earlier.body["blocks"] if draw_page.earlier else {}
    hand = ManualDrawForm(
        request.POST if by_hand else None,
        stage=draw_page.progress.stage,
        entries=draw_page.entries,
        again=draw_page.earlier is not None,
        initial={f"block_{pk}": key for key, players in blocks.items() for pk in players},
        standing=draw_page.standing,
    )
    asked = {"seed": request.GET.get("seed") or chosen_number(draw_page.current, stage), "shown": "", "reason": ""}
    lot = LotDrawForm(
        request.POST if request.POST and not by_hand else asked, initial=asked, standing=draw_page.standing
    )
    drawn, problem = _proposed(draw_page, lot)
    answer = None
    if request.POST and draw_page.can_draw:
        if not by_hand:
            answer = _draw_lots(request, draw_page, lot, drawn)
        elif hand.is_valid():
            answer = _store_draw(request, draw_page, hand, BlockDraw(hand.blocks()))
        if answer:
            return answer
    facts = {
        "heading": _("Close the entries") if len(draw_page.progress.stage.blocks) == 1 else _("Draw"),
        "stage": draw_page.progress.stage,
        "draw_page": draw_page,
        "lot": lot,
        "hand": hand,
        "by_hand": by_hand,
        "problem": problem,
        "resting": resting_sentence(len(draw_page.entries), tournament.format),
        "preview": draw_page.listed(drawn.blocks) if drawn else [],
        "shown": _written(drawn),
        "earlier": draw_page.listed(draw_page.earlier.body["blocks"]) if draw_page.earlier else [],
        "planned": any(each.stage == stage for each in draw_page.current.sessions),
    }
    return page(request, tournament, "director/draw", facts)


def _draw_page(tournament: Tournament, stage: str, way: str) -> _DrawPage:
    current = state_of(tournament)
    draws = [each for each in current.decisions if each.kind == Decision.Kind.DRAW and each.stage == stage]
    earlier = next(iter(hide_former(each for each in draws if each.revoked_at is None)), None)
    return _DrawPage(current, current.state.stage(stage), earlier, way)


def _proposed(draw_page: _DrawPage, lot: LotDrawForm) -> tuple[BlockDraw | None, str]:
    seed = lot.cleaned_data.get("seed") if lot.is_valid() or not lot.errors.get("seed") else None
    if seed is None or not draw_page.can_draw:
        return None, ""
    stage = draw_page.progress.stage.key
    try:
        if draw_page.by_lot:
            return draw_by_lot(draw_page.current, stage, min(seed, MAX_SEED)), ""
        return draw_by_format(draw_page.current, stage), ""
    except (TournamentError, SeatingError) as error:
        return None, tournament_error_sentence(error)


def _written(drawn: BlockDraw | None) -> str:
    blocks = drawn.blocks.items() if drawn else ()
    return ";".join(f"{key}:{','.join(map(str, players))}" for key, players in blocks)


def _draw_lots(
    request: HttpRequest, draw_page: _DrawPage, form: LotDrawForm, drawn: BlockDraw | None
) -> HttpResponse | None:
    if not form.is_valid() or drawn is None:
        return None
    if draw_page.earlier and not form.cleaned_data["reason"].strip():
        form.add_error("reason", _("Enter a reason for drawing again."))
        return None
    if form.cleaned_data["shown"] != _written(drawn):
        form.add_error(None, _("This has changed since you saw it. Check it, then draw."))
        return None
    return _store_draw(request, draw_page, form, drawn)


def _store_draw(request: HttpRequest, draw_page: _DrawPage, form: Any, drawn: BlockDraw) -> HttpResponse | None:
    tournament, stage = draw_page.current.tournament, draw_page.progress.stage
    reason = form.cleaned_data.get("reason", "").strip()
    with RefusalsOn(form):
        store_draw(tournament=tournament, stage=stage.key, drawn=drawn, by=actor(request), reason=reason)
        messages.success(request, _drawn_text(stage, drawn))
        return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage.key)
    return None


def _drawn_text(stage: Stage, drawn: BlockDraw) -> str:
    if len(stage.blocks) < 2:
        return _("Entries are closed. Next: dates.")
    names = {"stage": stage_name(stage), "seed": drawn.seed}
    if drawn.seed is None:
        return _("%(stage)s: all players have a block. Next: dates.") % names
    return _("%(stage)s: drawn randomly with the number %(seed)s. Next: dates.") % names
