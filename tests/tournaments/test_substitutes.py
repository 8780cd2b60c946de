"""A Swiss tournament of two hanchan, in which a player leaves after the first and a substitute takes over."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from league.models import League, Player
from league.services.history import SYSTEM
from tests.league.factories import client_of, make_players, make_user
from tests.tournaments.factories import START, by_entry, draw_and_plan, entry, make_tournament, play_table, to
from tournaments.core.reading import load_document
from tournaments.models import Tournament
from tournaments.selectors.state import state_of
from tournaments.services.decisions import finish, withdraw
from tournaments.services.rounds import plan_next_round

pytestmark = pytest.mark.django_db


def play_round(tournament: Tournament, number: int, strength: dict[int, int]) -> None:
    for table in (1, 2):
        play_table(tournament.sessions.get(), table, number, strength)


@pytest.fixture
def tournament(league: League) -> Tournament:
    made = make_tournament(league, "swiss", players=8)
    document = load_document("swiss", 8)
    document["stage"][0]["hanchan"] = 2
    Tournament.objects.filter(pk=made.pk).update(document=document)
    found = Tournament.objects.get()
    draw_and_plan(found, "swiss")
    return found


def read(client: Client, address: str, **asked: str | int) -> str:
    return plain(client.get(f"/en{address}", asked).content.decode())


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.merge
def test_substitute_is_named_beside_who_left(organiser: Client, league: League, tournament: Tournament) -> None:
    play_round(tournament, 1, by_entry(tournament))
    leaves, (new,) = entry(tournament, 4), make_players(league, 1)
    gone, address, stage = leaves.player.romanised, to("withdraw", tournament), to("stage", tournament, "swiss")
    preview = read(organiser, address, entry=leaves.pk, stage="swiss")
    told = "A substitute starts at 0 points and is ranked by their own hanchan."
    assert told in preview
    assert "comes after everyone who plays to the end in Swiss: 8th as it stands." in preview
    sent = {"entry": leaves.pk, "stage": "swiss", "reason": "ill", "substitute": new.pk}
    answer = organiser.post(f"/en{address}", sent, follow=True).content.decode()
    assert f"{gone} has withdrawn. Substitute: {new.romanised}." in plain(answer)
    assert f"{gone} withdrew" in read(organiser, stage)
    plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    play_round(tournament, 2, {**{player: -place for player, place in by_entry(tournament).items()}, new.pk: -20})
    mark = f"{new.romanised} for {gone}"
    assert f"Everything is decided Champion: {mark}" in read(organiser, to("inbox", tournament))
    finish(tournament=tournament, by=SYSTEM)
    home = reverse("league:league_home", args=[league.slug])
    Player.objects.filter(pk=new.pk).update(user=(user := make_user("came-later")))
    with time_machine.travel(START + timedelta(days=14)):
        # Beside the last session and in the list of tournaments.
        assert read(organiser, home).count(f"Champion: {new.romanised} (for {gone}) · Final ranking") == 2
        assert f"{league.name_en} · Champion" in read(client_of(user), "/me/")
    with time_machine.travel(START + timedelta(days=16)):
        assert "Champion:" not in read(organiser, home)
        assert "Champion" not in read(client_of(user), "/me/")
    page = read(organiser, to("tournament", tournament))
    assert all(said in page for said in (f"Champion {mark} Final ranking", f"1 {mark} 1 +"))
    assert told in page
    assert "sit out" not in page
    assert mark in read(organiser, stage)
    assert f"{new.romanised} sub" in read(organiser, to("projector", tournament), show="standings")
    assert mark in read(organiser, to("projector", tournament), show="champion")
    assert f"(1/1) for {gone}" in read(organiser, to("results", tournament))


def test_pages_of_a_single_stage_speak_of_no_others(organiser: Client, tournament: Tournament) -> None:
    play_round(tournament, 1, by_entry(tournament))
    page = organiser.get("/en" + to("stage", tournament, "swiss")).content.decode()
    assert 'class="t-links"' not in page
    assert not re.search(r"<dd>\s*<a [^>]*>\s*Swiss", page)
    assert re.search(r" to 1st place.* ahead of 2nd place|ahead of 2nd place.* to 1st place", page, re.DOTALL)
    assert "to the line" not in page
    remote = organiser.get("/en" + to("remote", tournament)).content.decode()
    assert remote.index("Open the hall display") < remote.index("Timer</h2>")
    assert 'value="champion"' in remote
    assert 'value="bracket"' not in remote
    withdrawing = organiser.get("/en" + to("withdraw", tournament)).content.decode()
    assert '<input type="hidden" name="stage" value="swiss">' in withdrawing


def test_who_withdrew_during_a_stage_comes_after_those_who_play_on(organiser: Client, tournament: Tournament) -> None:
    play_round(tournament, 1, by_entry(tournament))
    leaves = tournament.entries.get(pk=state_of(tournament).state.stage("swiss").rankings[0].lines[0].participant)
    withdraw(entry=leaves, stage="swiss", reason="ill", by=SYSTEM)
    page = read(organiser, to("stage", tournament, "swiss"))
    assert f"8 {leaves.player.romanised} withdrew" in page
    assert page.count("come after those who play to the end.") == 1
