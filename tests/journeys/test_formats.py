from collections.abc import Iterator, Mapping

import pytest
import time_machine
from django.test import Client

from tests.journeys.directing import FIRST_EVENING, Director, Mishap, Scores
from tests.journeys.mishaps import (
    a_result_is_corrected,
    a_stage_is_closed_early,
    a_substitute_comes_in,
    a_table_is_postponed,
    everybody_is_level,
    people_are_absent,
    somebody_is_disqualified,
    somebody_leaves,
    somebody_leaves_under_way,
    the_proposal_is_overruled,
)
from tournaments.core.reading import entrant_choices, format_keys, load_document, load_format
from tournaments.models import Tournament
from tournaments.selectors.stage_views import champions
from tournaments.selectors.state import state_of

pytestmark = pytest.mark.django_db

PLAYERS = {"swiss": 12}
"""Number of players where the default would hide a case; the default is the second choice, else the minimum."""

Course = tuple[list[Mishap], list[Scores], list[str]]

MISHAPS: Mapping[str, Course] = {
    "cinderella": ([somebody_leaves("qualifying")], [everybody_is_level("po1")], ["left", "order", "vacancy"]),
    "cinderella-2018": ([a_result_is_corrected("po1")], [], ["corrected", "keep"]),
    "cinderella-system": ([], [everybody_is_level("first")], ["order"]),
    "classes": ([somebody_leaves("classes")], [], ["left", "vacancy"]),
    "elimination-4": ([a_table_is_postponed, the_proposal_is_overruled("round-1")], [], ["postponed", "overruled"]),
    "mleague": ([a_table_is_postponed], [], ["postponed"]),
    "open-final-table": ([somebody_leaves("open")], [], ["left", "vacancy"]),
    "season": ([], [], []),
    "swiss": ([somebody_leaves_under_way, a_table_is_postponed], [], ["left", "postponed"]),
}
"""By format: mishaps, odd scores, and the tasks the director must have done as a result."""


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(FIRST_EVENING, tick=True) as coordinates:
        yield coordinates


def players_of(key: str) -> int:
    choices = entrant_choices(load_document(key))
    return PLAYERS.get(key) or (choices[1] if len(choices) > 1 else load_format(key).entrants.least)


@pytest.mark.long
@pytest.mark.parametrize("key", format_keys())
def test_format_is_played_through_its_pages_to_the_end(key: str, client: Client, clock: time_machine.Traveller) -> None:
    director = Director(client, key, clock)
    director.mishaps, director.odd_scores, done = MISHAPS.get(key, ([], [], []))
    director.begins(players_of(key))
    director.directs()
    assert director.tournament.state == Tournament.State.FINISHED
    assert set(done) <= set(director.acts)


ABSENCES: Mapping[str, tuple[str, list[Mishap], list[str]]] = {
    "two late entrants": ("swiss", [people_are_absent("swiss", 2)], ["absent"]),
    "one absent": ("open-final-table", [people_are_absent("open")], ["absent"]),
    "one disqualified": ("open-final-table", [somebody_is_disqualified], ["left"]),
    "one substitute": ("open-final-table", [a_substitute_comes_in], ["left"]),
    "a table postponed in mid-stage": ("open-final-table", [a_table_is_postponed], ["postponed"]),
    "closed early": ("open-final-table", [a_stage_is_closed_early("open")], ["closed"]),
}
"""By event: the format, its mishaps, and the tasks the director must have done."""


@pytest.mark.long
@pytest.mark.parametrize("name", ABSENCES)
def test_tournament_ends_with_late_or_leaving_players(name: str, client: Client, clock: time_machine.Traveller) -> None:
    key, mishaps, done = ABSENCES[name]
    director = Director(client, key, clock)
    director.mishaps = mishaps
    director.begins(players_of(key))
    director.directs()
    assert director.tournament.state == Tournament.State.FINISHED
    assert champions(state_of(director.tournament))
    assert set(done) <= set(director.acts), director.acts
