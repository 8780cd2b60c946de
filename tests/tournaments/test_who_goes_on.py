"""Who goes on when somebody has left: every page, command and text says the same."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from league.models import Player
from league.services.history import SYSTEM
from tests.league.factories import make_players, run
from tests.tournaments.factories import (
    START,
    approve_stage,
    by_entry,
    director,
    draw_and_plan,
    entry,
    make_cinderella_league,
    play_table,
)
from tournaments.core.facts import Remedy
from tournaments.models import Tournament
from tournaments.selectors.inbox import inbox_items
from tournaments.selectors.press_release import press_release
from tournaments.selectors.short_tables import unplayed_tables
from tournaments.selectors.stage_views import destination_places
from tournaments.selectors.state import state_of
from tournaments.services.decisions import withdraw
from tournaments.services.setup import TournamentDetails, create_tournament, enter_players
from tournaments.services.short_tables import Settlement

pytestmark = pytest.mark.django_db

FORMAT = {
    "name": "Open",
    "entrants": 8,
    "stage": [
        {"key": "open", "name": "Open", "hanchan": 2, "seating": "balanced", "from": [{"entrants": "all"}]},
        {"key": "final", "name": "Final", "hanchan": 1, "seating": "fixed",
         "from": [{"stage": "open", "ranks": "1-4"}]},
    ],
    "outcome": [{"key": "champion", "name": "Champion", "from": [{"stage": "final", "ranks": "1"}]}],
}  # fmt: skip
"""Eight play two hanchan, and four of them the final."""


def open_of_eight() -> Tournament:
    """Return an open of eight that is planned."""
    league = make_cinderella_league()
    details = TournamentDetails("t1", "オープン", "Open")
    tournament = create_tournament(league=league, facts=details, format_key="own", document=FORMAT, by=SYSTEM)
    enter_players(tournament=tournament, players=make_players(league, 8), by=SYSTEM)
    draw_and_plan(tournament, "open")
    return tournament


def play_rounds(tournament: Tournament, rounds: range, stage: str = "open") -> None:
    """Play these rounds of a stage; who entered first comes first, and who never entered last."""
    strength = dict.fromkeys(Player.objects.values_list("pk", flat=True), 30) | by_entry(tournament)
    for each in unplayed_tables(state_of(tournament), stage):
        if each.round in rounds:
            play_table(each.stage_session, each.table, each.round, strength)


def leave(tournament: Tournament, number: int, stage: str = "open", **facts: object) -> None:
    withdraw(tournament=tournament, stage=stage, entry=entry(tournament, number), reason="急用", by=SYSTEM, **facts)  # type: ignore[arg-type]


def told(tournament: Tournament) -> dict[str, list[str]]:
    """Return who goes on to the final, by everything that says so."""
    current = state_of(tournament)
    progress = current.state.stage("open")
    printed = json.loads(run("standings", tournament.league.slug, "--tournament", tournament.key, "--stage", "open"))
    name = {entry.player.key: str(pk) for pk, entry in current.entries.items()}
    final = current.state.format.destination("final")
    return {
        "approval": sorted(map(str, progress.path("final").proposed)),
        "table": sorted(str(line.participant) for line in progress.ranking("").lines if line.advances_to == "final"),
        "final": sorted(str(place.entry.pk) for place in destination_places(current, final) if place.entry),
        "command": sorted(name[line["player"]] for line in printed["ranking"] if line["goes_to"] == "final"),
    }


@pytest.mark.parametrize("remedy", [Remedy.SUBSTITUTE, Remedy.HOUSE])
def test_everything_says_the_same_when_somebody_left_in_the_middle(remedy: Remedy) -> None:
    tournament = open_of_eight()
    play_rounds(tournament, range(1, 2))
    newcomer = make_players(tournament.league, 1)[0]
    leave(tournament, 1, settlement=Settlement(remedy, newcomer))
    play_rounds(tournament, range(2, 3))
    answers = told(tournament)
    assert len({tuple(players) for players in answers.values()}) == 1
    assert len(answers["approval"]) == 4
    assert str(entry(tournament, 1).pk) not in answers["approval"]
    current = approve_stage(tournament, "open")
    assert not [item for item in inbox_items(current, START) if item.kind == "vacancy"]


def test_a_place_that_is_vacant_is_named_before_it_is_approved(client: Client) -> None:
    tournament = open_of_eight()
    play_rounds(tournament, range(1, 3))
    leave(tournament, 1)
    answers = told(tournament)
    assert len({tuple(players) for players in answers.values()}) == 1
    assert len(answers["approval"]) == 3
    (item,) = [item for item in inbox_items(state_of(tournament), START) if item.kind == "vacancy"]
    assert (item.count, [entry.number for entry in item.names]) == (1, [1])
    client.force_login(director(tournament.league))
    page = client.get(reverse("tournaments:approve", args=[tournament.league.slug, tournament.key, "open"]))
    assert "空きが1枠あります" in page.content.decode()


def test_the_text_for_the_press_marks_who_has_left() -> None:
    tournament = open_of_eight()
    play_rounds(tournament, range(1, 2))
    leave(tournament, 1)
    current = state_of(tournament)
    with translation.override("en"):
        text = press_release(current, current.state.stage("open"), ())
    marked = re.findall(r"^.* withdrew$", text, re.MULTILINE)
    assert len(marked) == 1
    assert entry(tournament, 1).player.romanised in marked[0]
