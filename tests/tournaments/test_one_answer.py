import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from tests.budget import budget
from tests.league.factories import make_players, run
from tests.tournaments.factories import START, approve_stage, director
from tests.tournaments.test_qualifying import leave, open_of_eight, play_rounds
from tournaments.core.facts import Remedy
from tournaments.models import Tournament
from tournaments.selectors.grid import press_release
from tournaments.selectors.inbox import inbox_items
from tournaments.selectors.outlook import Knowledge, beliefs_of, outlook_of
from tournaments.selectors.picture import picture_of
from tournaments.selectors.projector import standings_screens
from tournaments.selectors.stage_views import destination_places
from tournaments.selectors.state import reader_name, state_of
from tournaments.services.short_tables import Settlement

pytestmark = [pytest.mark.django_db, pytest.mark.long]


def some_open(chance: Random) -> Iterator[Tournament]:
    """Yield an open tournament of eight with withdrawals, in mid-stage and when played out."""
    tournament = open_of_eight()
    first, second, third = chance.sample(range(1, 9), 3)
    play_rounds(tournament, range(1, 2))
    if chance.random() < 0.7:
        remedy = chance.choice((Remedy.SUBSTITUTE, Remedy.HOUSE))
        leave(tournament, first, settlement=Settlement(remedy, make_players(tournament.league, 1)[0]))
    yield tournament
    play_rounds(tournament, range(2, 3))
    for number in (second, third):
        if chance.random() < 0.5:
            leave(tournament, number)
    yield tournament


def told(tournament: Tournament, client: Client) -> dict[str, set[str]]:
    current, address = state_of(tournament), [tournament.league.slug, tournament.key]
    progress = current.state.stage("open")
    printed = json.loads(run("standings", address[0], "--tournament", address[1], "--stage", "open"))
    key = {each.player.key: str(pk) for pk, each in current.entries.items()}
    places = destination_places(current, current.state.format.destination("final"))
    page = client.get(reverse("tournaments:stage", args=[*address, "open"])).context
    supposed = client.get(reverse("tournaments:what_if", args=[*address, "open"])).context
    approval = client.get(reverse("tournaments:approve", args=[*address, "open"])).context
    named = {reader_name(each.player): str(pk) for pk, each in current.entries.items()}
    rows = [row for box in picture_of(current).boxes if box.box.key == "open" for row in box.rows]
    endings = outlook_of(current, beliefs_of(Knowledge(current)), {}, 1000)
    assert endings is not None
    likely = endings.endings.goes_on("open")
    answers = {
        "proposal": {str(each) for each in progress.path("final").proposed},
        "stage page": _lines(page),
        "what if": _lines(supposed),
        "approval": {str(pk) for section in approval["sections"] for pk in section["path"].proposed},
        "places of the final": {str(each.entry.pk) for each in places if each.entry},
        "command": {key[line["player"]] for line in printed["ranking"] if line["goes_to"] == "final"},
        "display": {
            str(row.line.participant)
            for screen in standings_screens(current, progress, None)
            for panel in screen.panels
            for row in panel.rows
            if row.line.advances_to == "final"
        },
        "bracket": {named[row.name] for row in rows if row.mark in {"if", "on"}},
    }
    needs = client.get(reverse("tournaments:needs", args=address)).json()
    for block in (block for stage in needs["stages"] for block in stage["blocks"]):
        answers["JSON"] = set(list(block["totals"])[: block["goal"]])
        assert block["line"]
    if progress.path("final").ready:
        answers["chances"] = {str(each) for each, chance in likely.items() if chance == 1}
        assert set(likely.values()) <= {1}
    return answers


def _lines(page: Any) -> set[str]:
    rows = [row for block in page["view"].blocks for row in block.rows]
    return {str(row.line.participant) for row in rows if row.line.advances_to == "final"}


@pytest.mark.at_random
@pytest.mark.parametrize("seed", range(budget(12, 3)))
def test_all_pages_agree_on_advancement(client: Client, seed: int) -> None:
    for number, tournament in enumerate(some_open(Random(seed))):
        if not number:
            client.force_login(director(tournament.league))
        answers = told(tournament, client)
        assert len(set(map(frozenset, answers.values()))) == 1, answers
        assert ("JSON" in answers) == (number == 0)
        current = state_of(tournament)
        progress = current.state.stage("open")
        left = {str(line.participant) for line in progress.ranking("").lines if line.withdrawn}
        assert not left & answers["proposal"]
        with translation.override("en"):
            text = press_release(current, progress, ())
            marked = set(re.findall(r"^\d+\. (.+) \S+ \(\d+/\d+\) withdrew$", text, re.MULTILINE))
            assert marked == {reader_name(current.player(int(each))) for each in left}
    vacant = 4 - len(answers["proposal"])
    items = [item for item in inbox_items(current, START) if item.kind == "vacancy"]
    assert sum(item.count for item in items) == vacant
    if progress.path("final").ready:
        approved = approve_stage(tournament, "open").state.stage("final")
        assert {str(place.participant) for place in approved.places} == answers["proposal"]
        assert approved.vacancies == vacant
