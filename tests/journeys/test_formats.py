"""Every format, played from a new league to the champion by the pages' own links and forms."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client

from tests.journeys.directing import FIRST_EVENING, Director, Mishap
from tournaments.core.ranking import RankingLine
from tournaments.core.reading import entrant_choices, format_keys, load_document, load_format
from tournaments.core.state import StageState
from tournaments.models import Tournament
from tournaments.selectors.stage_views import champions
from tournaments.selectors.state import state_of

pytestmark = pytest.mark.django_db

PLAYERS = {"swiss": 12}
"""Number of players where the default would hide a case; the default is the second choice, else the minimum."""


def a_table_is_postponed(director: Director) -> bool:
    if "postponed" in director.acts or not director.visitor.has_link(to="/postpone/"):
        return False
    day = datetime.now(UTC).date() + timedelta(weeks=1)
    director.visitor.follows(to="/postpone/").submits(within="/postpone/", to=day.isoformat(), reason="大雪のため")
    director.acts.append("postponed")
    return True


def second_leaves(stage: str) -> Mishap:
    """Return a mishap: the second of a decided stage withdraws, and leaves a vacancy."""

    def leaves(director: Director) -> bool:
        progress = state_of(director.tournament).state.stage(stage)
        if "left" in director.acts or progress.state is not StageState.DECIDED:
            return False
        return _withdraws(director, stage, progress.rankings[0].lines[1])

    return leaves


def last_leaves_under_way(director: Director) -> bool:
    """Withdraw the last player of a stage between two rounds; the others play on."""
    running = [each for each in state_of(director.tournament).state.stages if each.state is StageState.RUNNING]
    if "left" in director.acts or not running or running[0].rankings[0].lines[0].played < 2:
        return False
    if any("/enter/" in link.href for link in director.waiting()):
        return False
    return _withdraws(director, running[0].stage.key, running[0].rankings[0].lines[-1])


def _withdraws(director: Director, stage: str, line: RankingLine) -> bool:
    director.left = str(line.participant)
    director.visitor.follows(to=r"/withdraw/$").submits(within="/withdraw/", entry=director.left, stage=stage)
    form = director.form_with("reason")
    button = next(button.text for button in form.buttons if button.name != "back")
    director.visitor.submits(button, reason="体調不良のため")
    director.acts.append("left")
    return True


MISHAPS: Mapping[str, tuple[list[Mishap], list[str]]] = {
    "cinderella": ([second_leaves("qualifying")], ["left", "vacancy"]),
    "classes": ([second_leaves("classes")], ["left", "vacancy"]),
    "elimination-4": ([a_table_is_postponed], ["postponed"]),
    "open-final-table": ([second_leaves("open")], ["left", "vacancy"]),
    "swiss": ([last_leaves_under_way, a_table_is_postponed], ["left", "postponed"]),
}
"""By format: mishaps, and the tasks the director must have done as a result."""


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(FIRST_EVENING, tick=True) as coordinates:
        yield coordinates


@pytest.mark.long
@pytest.mark.parametrize("key", format_keys())
def test_format_is_played_through_its_pages_to_the_champion(
    key: str, client: Client, clock: time_machine.Traveller
) -> None:
    director = Director(client, key, clock)
    director.mishaps, done = MISHAPS.get(key, ([], []))
    choices = entrant_choices(load_document(key))
    least = choices[1] if len(choices) > 1 else load_format(key).entrants.least
    director.begins(PLAYERS.get(key) or least)
    director.directs()
    assert director.tournament.state == Tournament.State.FINISHED
    assert champions(state_of(director.tournament))
    assert set(done) <= set(director.acts)
