"""What is needed, on the page of a stage: from the first hanchan at a table to its last."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.models import Player
from tests.league.factories import play
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_stage, play_table
from tests.tournaments.test_pages import PAGE, plain, text
from tournaments.models import StageSession, Tournament
from tournaments.selectors.state import state_of

pytestmark = pytest.mark.django_db

FINAL = f"{PAGE}stage/final/"


@pytest.fixture
def final() -> StageSession:
    """The final of a tournament that was played up to it."""
    tournament = make_tournament()
    for stage in ("qualifying", "po1", "po2", "po3"):
        play_stage(tournament, stage)
    return draw_and_plan(tournament, "final")[0]


def play_up_to(final: StageSession, left: int) -> None:
    """Play the final until so many hanchan are left."""
    tournament: Tournament = final.tournament
    planned = tournament.format.stage("final").planned
    done = state_of(tournament).furthest("final")
    for number in range(done + 1, planned - left + 1):
        play_table(final, 1, number, by_entry(tournament))


def test_before_anything_is_played_nothing_is_needed(final: StageSession, client: Client) -> None:
    assert "優勝に必要なこと" not in text(client.get(FINAL))


def test_with_more_than_one_left_there_are_chances(final: StageSession, client: Client) -> None:
    play_up_to(final, 2)
    html = plain(text(client.get(FINAL)))
    assert "優勝に必要なこと" in html
    assert "残り2半荘" in html
    assert "20000通り" in html
    assert "着なら" not in html
    assert text(client.get(FINAL)) == text(client.get(FINAL))


def test_before_the_last_hanchan_there_are_sentences(final: StageSession, client: Client) -> None:
    play_up_to(final, 1)
    html = plain(text(client.get(FINAL)))
    assert "残り1半荘" in html
    assert "着以上なら優勝。" in html
    assert "卓上の点棒の合計を超える点差が必要。" in html
    assert "点差以上" in html
    english = plain(text(client.get(f"/en{FINAL}")))
    assert "What is needed for the title" in english
    assert "or more behind" in english
    line = state_of(final.tournament).state.stage("final").rankings[0].lines
    assert {each.left for each in line} == {1}


def test_a_hidden_name_is_in_no_sentence(final: StageSession, client: Client) -> None:
    play_up_to(final, 1)
    leader = (
        state_of(final.tournament)
        .entries[int(state_of(final.tournament).state.stage("final").rankings[0].lines[0].participant)]
        .player
    )
    Player.objects.filter(pk=leader.pk).update(visibility="nobody")
    assert leader.name not in text(client.get(FINAL))


def test_after_the_last_hanchan_nothing_is_needed(final: StageSession, client: Client) -> None:
    play_up_to(final, 0)
    assert "優勝に必要なこと" not in text(client.get(FINAL))


def test_what_places_bring_is_not_asked_more_often_however_much_was_played(final: StageSession, client: Client) -> None:
    play_up_to(final, 1)
    costs = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as found:
            text(client.get(FINAL))
        costs.append(sum('"points" FROM "league_seat"' in query["sql"] for query in found))
        session = final.session
        play(session, (30_000, 28_000, 22_000, 20_000), [entry.player for entry in final.tournament.entries.all()[:4]])
        play_up_to(final, 1)
    # Once for what is needed, once for the chances up to the end.
    assert max(costs) <= 2
