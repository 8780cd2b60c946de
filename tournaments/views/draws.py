"""Drawing the blocks of a stage, by lot or by hand."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from league.http.access import actor
from league.permissions import MANAGE
from tournaments.core.format import Fill
from tournaments.core.seating import SeatingError
from tournaments.core.state import StageProgress
from tournaments.forms.preparing import HandForm, LotForm
from tournaments.http.access import in_tournament
from tournaments.http.pages import page, stage_or_404
from tournaments.messages import stage_name
from tournaments.messages.errors import tournament_error_sentence
from tournaments.models import Decision, Entry, Tournament
from tournaments.selectors.inbox import needs_draw
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import TournamentError
from tournaments.services.setup import LARGEST_SEED, Drawn, draw_by_lot
from tournaments.services.setup import draw as store_draw

PROPOSED_SEEDS = 1_000_000


@dataclass(slots=True)
class _Drawing:
    """Everything about the draw of a stage that its page needs."""

    current: CurrentState
    found: StageProgress
    earlier: Decision | None

    @property
    def entries(self) -> list[Entry]:
        return [self.current.entries[int(seat.who)] for seat in self.found.seats]

    @property
    def by_lot(self) -> bool:
        return self.found.stage.fill is Fill.DRAW and len(self.found.stage.blocks) > 1

    @property
    def is_played(self) -> bool:
        return any(table.started for table in self.found.tables)

    @property
    def can_draw(self) -> bool:
        return not self.is_played and (self.earlier is not None or needs_draw(self.current, self.found))

    def listed(self, blocks: Mapping[str, Sequence[int]]) -> list[dict[str, object]]:
        """Return the blocks with their players."""
        known = self.current.entries
        return [
            {"key": key, "entries": [known[pk] for pk in blocks.get(key, ()) if pk in known]}
            for key in self.found.stage.block_keys
        ]


@in_tournament(MANAGE)
def draw(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Draw a stage by lot from a number that everybody may know, or put everybody into a block by hand."""
    stage_or_404(tournament, stage)
    drawing = _drawing(tournament, stage)
    by_hand = request.POST.get("method") == "hand"
    hand = HandForm(
        request.POST if by_hand else None,
        stage=drawing.found.stage,
        entries=drawing.entries,
        again=drawing.earlier is not None,
        initial=_blocks_of(drawing.earlier),
    )
    lot = LotForm(request.POST if request.POST and not by_hand else _asked(request), initial=_asked(request))
    drawn, problem = _proposed(tournament, stage, drawing, lot)
    if request.POST and drawing.can_draw:
        answer = _draw_by_hand(request, drawing, hand) if by_hand else _draw_lots(request, drawing, lot, drawn)
        if answer:
            return answer
    facts = {
        "stage": drawing.found.stage,
        "drawing": drawing,
        "lot": lot,
        "hand": hand,
        "by_hand": by_hand,
        "problem": problem,
        "preview": drawing.listed(drawn.blocks) if drawn else [],
        "shown": _written(drawn),
        "earlier": drawing.listed(drawing.earlier.body["blocks"]) if drawing.earlier else [],
        "planned": any(each.stage == stage for each in drawing.current.sessions),
    }
    return page(request, tournament, "draw", facts)


def _drawing(tournament: Tournament, stage: str) -> _Drawing:
    current = state_of(tournament)
    draws = [each for each in current.decisions if each.kind == Decision.Kind.DRAW and each.stage == stage]
    earlier = next((each for each in draws if each.revoked_at is None), None)
    return _Drawing(current, current.course.stage(stage), earlier)


def _blocks_of(decision: Decision | None) -> dict[str, str]:
    blocks = decision.body["blocks"] if decision else {}
    return {f"block_{pk}": key for key, players in blocks.items() for pk in players}


def _asked(request: HttpRequest) -> dict[str, Any]:
    """Return the number that the address asks for, or a new one."""
    return {"seed": request.GET.get("seed") or secrets.randbelow(PROPOSED_SEEDS), "shown": "", "reason": ""}


def _proposed(tournament: Tournament, stage: str, drawing: _Drawing, lot: LotForm) -> tuple[Drawn | None, str]:
    """Return what the number gives, or why it gives nothing."""
    seed = lot.cleaned_data.get("seed") if lot.is_valid() or not lot.errors.get("seed") else None
    if seed is None or not drawing.can_draw:
        return None, ""
    try:
        drawn = draw_by_lot(tournament=tournament, stage=stage, seed=min(seed, LARGEST_SEED))
    except (TournamentError, SeatingError) as error:
        return None, tournament_error_sentence(error)
    if not drawing.by_lot:
        return replace(drawn, method=str(drawing.found.stage.fill), seed=None), ""
    return drawn, ""


def _written(drawn: Drawn | None) -> str:
    blocks = drawn.blocks.items() if drawn else ()
    return ";".join(f"{key}:{','.join(map(str, players))}" for key, players in blocks)


def _draw_lots(request: HttpRequest, drawing: _Drawing, form: LotForm, drawn: Drawn | None) -> HttpResponse | None:
    if not form.is_valid() or drawn is None:
        return None
    if drawing.earlier and not form.cleaned_data["reason"].strip():
        form.add_error("reason", _("Write why it is drawn again."))
        return None
    if form.cleaned_data["shown"] != _written(drawn):
        form.add_error(None, _("This is not what you saw before. Look at the blocks, then draw."))
        return None
    return _store_draw(request, drawing, form, drawn)


def _draw_by_hand(request: HttpRequest, drawing: _Drawing, form: HandForm) -> HttpResponse | None:
    return _store_draw(request, drawing, form, Drawn(form.blocks())) if form.is_valid() else None


def _store_draw(request: HttpRequest, drawing: _Drawing, form: Any, drawn: Drawn) -> HttpResponse | None:
    tournament, stage = drawing.current.tournament, drawing.found.stage
    reason = form.cleaned_data.get("reason", "").strip()
    try:
        store_draw(tournament=tournament, stage=stage.key, drawn=drawn, by=actor(request), reason=reason)
    except TournamentError as error:
        form.add_error(None, tournament_error_sentence(error))
        return None
    messages.success(request, _("%(stage)s: the blocks are drawn.") % {"stage": stage_name(stage)})
    return redirect("tournaments:draw", tournament.league.slug, tournament.key, stage.key)
