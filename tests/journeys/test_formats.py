from collections.abc import Iterator, Mapping
from functools import partial

import pytest
import time_machine
from django.test import Client

from tests.journeys import mishaps
from tests.journeys.directing import FIRST_EVENING, Director, Mishap, Scores
from tournaments.core.reading import entrant_choices, format_keys, load_document, load_format
from tournaments.models import Tournament
from tournaments.selectors.stage_views import champions
from tournaments.selectors.state import state_of

pytestmark = pytest.mark.django_db

PLAYERS = {"swiss": 12}
"""Number of players where the default would hide a case; the default is the second choice, else the minimum."""

Course = tuple[list[Mishap], list[Scores], list[str]]

MISHAPS: Mapping[str, Course] = {
    "cinderella": (
        [partial(mishaps.somebody_leaves, stage="qualifying")],
        [partial(mishaps.everybody_is_level, stage="po1")],
        ["left", "order", "vacancy"],
    ),
    "cinderella-2018": ([partial(mishaps.a_result_is_corrected, stage="po1")], [], ["corrected", "keep"]),
    "cinderella-system": ([], [partial(mishaps.everybody_is_level, stage="first")], ["order"]),
    "classes": ([partial(mishaps.somebody_leaves, stage="classes")], [], ["left", "vacancy"]),
    "elimination-4": (
        [mishaps.a_table_is_postponed, partial(mishaps.the_proposal_is_overruled, stage="round-1")],
        [],
        ["postponed", "overruled"],
    ),
    "mleague": ([mishaps.a_table_is_postponed], [], ["postponed"]),
    "open-final-table": ([partial(mishaps.somebody_leaves, stage="open")], [], ["left", "vacancy"]),
    "season": ([], [], []),
    "swiss": ([mishaps.somebody_leaves_under_way, mishaps.a_table_is_postponed], [], ["left", "postponed"]),
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
    "two late entrants": ("swiss", [partial(mishaps.people_are_absent, stage="swiss", count=2)], ["absent"]),
    "one absent": ("open-final-table", [partial(mishaps.people_are_absent, stage="open")], ["absent"]),
    "one disqualified": ("open-final-table", [mishaps.somebody_is_disqualified], ["left"]),
    "one substitute": ("open-final-table", [mishaps.a_substitute_comes_in], ["left"]),
    "a table postponed in mid-stage": ("open-final-table", [mishaps.a_table_is_postponed], ["postponed"]),
    "closed early": ("open-final-table", [partial(mishaps.a_stage_is_closed_early, stage="open")], ["closed"]),
}
"""By event: the format, its mishaps, and the tasks the director must have done."""


@pytest.mark.long
@pytest.mark.parametrize("name", ABSENCES)
def test_tournament_ends_with_late_or_leaving_players(name: str, client: Client, clock: time_machine.Traveller) -> None:
    key, happening, done = ABSENCES[name]
    director = Director(client, key, clock)
    director.mishaps = happening
    director.begins(players_of(key))
    director.directs()
    assert director.tournament.state == Tournament.State.FINISHED
    assert champions(state_of(director.tournament))
    assert set(done) <= set(director.acts), director.acts
