"""What players need next, for pages that know nothing of tournaments: the receipt of a hanchan, and a player's own page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser

from league.models import Hanchan, Player
from league.permissions import Person, hide_names
from tournaments.core.state import StageProgress
from tournaments.models import StageSession, Tournament
from tournaments.selectors.needs import may_tell_needs, needs_as_read
from tournaments.selectors.needs_told import OwnNeed, own_needs
from tournaments.selectors.state import CurrentState, state_of

register = template.Library()


@dataclass(frozen=True, slots=True)
class StageNeeds:
    tournament: Tournament
    stage: str
    needs: tuple[OwnNeed, ...]


@register.simple_tag(takes_context=True)
def needs_after(context: dict[str, Any], hanchan: Hanchan) -> StageNeeds | None:
    stage_session = StageSession.objects.filter(session=hanchan.session_id).select_related("tournament__league").first()
    if stage_session is None or hanchan.is_voided:
        return None
    current = _current(context, stage_session.tournament)
    players = {seat.player_id for seat in hanchan.seats.all()}
    return _told(current, [current.state.stage(stage_session.stage)], players)


@register.simple_tag(takes_context=True)
def needs_of_player(context: dict[str, Any], player: Player) -> list[StageNeeds]:
    running = Tournament.objects.filter(entries__player=player, state=Tournament.State.RUNNING)
    told = []
    for tournament in running.select_related("league", "ruleset_version__ruleset").distinct():
        current = _current(context, tournament)
        found = _told(current, current.state.stages, {player.pk})
        if found is not None:
            told.append(found)
    return told


def _current(context: dict[str, Any], tournament: Tournament) -> CurrentState:
    current = state_of(tournament)
    request = context.get("request")
    reader: Person = request.user if request is not None else AnonymousUser()
    hide_names(reader, tournament.league, [entry.player for entry in current.entries.values()])
    return current


def _told(current: CurrentState, stages: Iterable[StageProgress], players: set[int]) -> StageNeeds | None:
    for progress in stages:
        if may_tell_needs(progress):
            needs = own_needs(needs_as_read(current, progress), players)
            if needs:
                return StageNeeds(current.tournament, progress.stage.key, tuple(needs))
    return None
