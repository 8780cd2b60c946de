import json
import re
from typing import Any

import pytest
from django.test import Client

from league.models import Player, Revision
from league.selectors.planning import plan_of, unplayed_plans
from league.services.history import SYSTEM
from league.services.planning import unplan_rounds
from tests.league.factories import make_players, planned_players, play, run
from tests.tournaments.factories import (
    START,
    approve_stage,
    by_entry,
    director,
    draw_and_plan,
    entry,
    kinds,
    make_cinderella_league,
    make_tournament,
    plan,
    play_table,
    to,
)
from tournaments.core.facts import Remedy
from tournaments.models import Decision, Tournament
from tournaments.selectors.decisions import short_of_hanchan, unplayed_tables
from tournaments.selectors.inbox import inbox_items
from tournaments.selectors.outlook import Knowledge, beliefs_of, outlook_of, stage_hindsight
from tournaments.selectors.picture import picture_of
from tournaments.selectors.projected_tables import _Builder
from tournaments.selectors.projector import standings_screens
from tournaments.selectors.stage_views import destination_places, final_ranking
from tournaments.selectors.state import reader_name, state_of
from tournaments.services import decisions
from tournaments.services.events import TournamentError
from tournaments.services.setup import create_tournament, enter_players
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
"""Eight play two hanchan; four of them play the final."""


def open_of_eight(players: int = 8, played: int = 0) -> Tournament:
    league, document = make_cinderella_league(), FORMAT | {"entrants": players}
    tournament = Tournament(league=league, key="t1", name="Open", format_key="own", document=document)
    create_tournament(tournament=tournament, by=SYSTEM)
    enter_players(tournament=tournament, players=make_players(league, players), by=SYSTEM)
    draw_and_plan(tournament, "open")
    play_rounds(tournament, range(1, played + 1))
    return tournament


def play_rounds(tournament: Tournament, rounds: range, stage: str = "open") -> None:
    strength = dict.fromkeys(Player.objects.values_list("pk", flat=True), 30) | by_entry(tournament)
    for each in unplayed_tables(state_of(tournament), stage):
        if each.round in rounds:
            play_table(each.stage_session, each.table, each.round, strength)


def leave(tournament: Tournament, number: int, stage: str = "open", **facts: object) -> None:
    decisions.withdraw(stage=stage, entry=entry(tournament, number), reason="急用", by=SYSTEM, **facts)  # type: ignore[arg-type]


@pytest.mark.merge
def test_chance_of_the_better_place_is_not_told_as_advancing(client: Client) -> None:
    tournament = make_tournament(None, "open-final-table", players=8)
    draw_and_plan(tournament, "open")
    for each in unplayed_tables(state_of(tournament), "open")[:-1]:
        strength = {pk: each.round * (number + 1) % 9 for pk, number in by_entry(tournament).items()}
        play_table(each.stage_session, each.table, each.round, strength)
    assert client.get(to("stage", tournament, "open")).context["chances"].columns == ("決勝卓", "優勝")


def test_past_chances_are_not_told_where_some_sat_out() -> None:
    current = state_of(open_of_eight(10, played=2))
    progress = current.state.stage("open")
    assert {line.played for line in progress.rankings[0].lines} == {1, 2}
    assert stage_hindsight(current, progress, beliefs_of(Knowledge(current))) is None


def qualified(tournament: Tournament, leader: Client) -> dict[str, set[str]]:
    current, address = state_of(tournament), [tournament.league.slug, tournament.key]
    progress = current.state.stage("open")
    printed = json.loads(run("standings", address[0], "--tournament", address[1], "--stage", "open"))
    key = {each.player.key: str(pk) for pk, each in current.entries.items()}
    places = destination_places(current, current.state.format.destination("final"))
    page = leader.get(to("stage", tournament, "open")).context
    supposed = leader.get(to("what_if", tournament, "open")).context
    approval = leader.get(to("approve", tournament, "open")).context
    named = {reader_name(each.player): str(pk) for pk, each in current.entries.items()}
    rows = [row for box in picture_of(current).boxes if box.box.key == "open" for row in box.rows]
    endings = outlook_of(current, beliefs_of(Knowledge(current)), {}, 1000)
    assert endings is not None
    likely = endings.endings.goes_on("open")
    answers = {
        "proposal": {str(each) for each in progress.path("final").proposed},
        "stage page": marked(page),
        "what if": marked(supposed),
        "approval": {str(pk) for section in approval["sections"] for pk in section["path"].proposed},
        "places of the final": {str(each.entry.pk) for each in places},
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
    needs = leader.get(to("needs", tournament)).json()
    for block in (block for stage in needs["stages"] for block in stage["blocks"]):
        answers["JSON"] = set(list(block["totals"])[: block["goal"]])
        assert block["line"]
    if progress.path("final").ready:
        answers["chances"] = {str(each) for each, chance in likely.items() if chance == 1}
        assert set(likely.values()) <= {1}
    return answers


def marked(page: Any) -> set[str]:
    rows = [row for block in page["view"].blocks for row in block.rows]
    return {str(row.line.participant) for row in rows if row.line.advances_to == "final"}


@pytest.mark.merge
@pytest.mark.parametrize("remedy", [Remedy.SUBSTITUTE, Remedy.HOUSE])
def test_all_pages_agree_on_qualifiers_after_a_withdrawal(client: Client, remedy: Remedy) -> None:
    tournament = open_of_eight()
    client.force_login(director(tournament.league))
    play_rounds(tournament, range(1, 2))
    leave(tournament, 1, settlement=Settlement(remedy, make_players(tournament.league, 1)[0]))
    answers = qualified(tournament, client)
    assert "JSON" in answers
    # Listings leave it open while a substitute has yet to play.
    assert len({frozenset(found) for found in answers.values() if found}) == 1, answers
    play_rounds(tournament, range(2, 3))
    answers = qualified(tournament, client)
    assert "chances" in answers
    assert len(set(map(frozenset, answers.values()))) == 1, answers
    assert len(answers["approval"]) == 4
    assert str(entry(tournament, 1).pk) not in answers["approval"]
    assert not [item for item in inbox_items(approve_stage(tournament, "open"), START) if item.kind == "vacancy"]


def test_unequal_hanchan_are_told_from_the_draw_on(client: Client) -> None:
    tournament = open_of_eight(11)
    page = to("stage", tournament, "open")
    told, first = "打たなかった半荘は0ポイントです。", unplayed_tables(state_of(tournament), "open")[0]
    assert told in client.get(page).content.decode()
    play_table(first.stage_session, first.table, first.round, by_entry(tournament))
    html = client.get(page).content.decode()
    assert told in html
    assert len(re.findall(r"<span>[01]/[12]</span>", html)) == 11
    assert (html.count('<tr class="cut">'), html.count("(打った人の中で)")) == (1, 2)
    assert html.count("±0として数えています") == 1


def test_player_who_withdrew_before_playing_stays_in_sight(client: Client) -> None:
    tournament = open_of_eight(9)
    first = unplayed_tables(state_of(tournament), "open")[0]
    play_table(first.stage_session, first.table, first.round, by_entry(tournament))
    idle = tournament.entries.filter(player__seats=None).last()
    assert idle is not None
    leave(tournament, idle.number)
    html = client.get(to("stage", tournament, "open")).content.decode()
    assert re.search(f"最初の半荘の前に辞退:\\s*<s>{idle.player.name}</s>", html)
    assert marks(tournament)[idle.player.name] == "left"


def test_player_who_withdrew_before_the_final_has_not_advanced() -> None:
    tournament = open_of_eight(played=2)
    current = approve_stage(tournament, "open")
    best = current.entries[int(current.state.stage("final").places[0].participant)]
    assert marks(tournament)[best.player.name] == "on"
    leave(tournament, best.number, "final")
    assert marks(tournament)[best.player.name] == "left"


def marks(tournament: Tournament) -> dict[str, str]:
    return {row.name: row.mark for box in picture_of(state_of(tournament)).boxes[:1] for row in box.rows}


@pytest.mark.merge
def test_vacancy_is_shown_before_approval(client: Client) -> None:
    tournament = open_of_eight(played=2)
    leave(tournament, 1)
    client.force_login(director(tournament.league))
    answers = qualified(tournament, client)
    assert len(set(map(frozenset, answers.values()))) == 1, answers
    assert len(answers["approval"]) == 3
    (item,) = [item for item in inbox_items(state_of(tournament), START) if item.kind == "vacancy"]
    assert (item.count, [entry.number for entry in item.names]) == (1, [1])
    assert "ハウスプレイヤーが座るものとして" in client.get(to("tournament", tournament)).content.decode()
    approval = client.get(to("approve", tournament, "open")).content.decode()
    leads_back = f'class="button quiet" href="{to("inbox", tournament)}"'
    assert ("空きが1枠あります" in approval, leads_back in approval) == (True, False)
    directing = client.get(to("inbox", tournament)).content.decode()
    assert re.search(
        '次の方法で補えます.*class="card step".*<button type="submit" class="button quiet"', directing, re.DOTALL
    )
    assert "actions stays" not in directing
    approve_stage(tournament, "open")
    assert leads_back in client.get(to("approve", tournament, "open")).content.decode()


@pytest.mark.merge
def test_finished_stage_awaits_approval_on_the_pages_of_the_next(client: Client) -> None:
    tournament = open_of_eight(played=2)
    for page in (to("tournament", tournament), to("stage", tournament, "final")):
        html = client.get(page).content.decode()
        assert (html.count('tag">確定待ち</span>'), html.count('tag">今終われば</span>')) == (4, 0), page
    assert '<section class="t-chances">' in html
    assert "残りの確率" not in html


def late_and_absent() -> Tournament:
    """An open tournament in which one table played without a round number, so that four are a hanchan short."""
    tournament = open_of_eight(played=1)
    strength = by_entry(tournament)
    one, other = [each for each in unplayed_tables(state_of(tournament), "open") if each.round == 2]
    play_table(one.stage_session, one.table, one.round, strength)
    unplan_rounds(session=other.stage_session.session, places=[(other.round, other.table)], by=SYSTEM)
    return tournament


@pytest.mark.merge
def test_director_closes_a_stage_with_missing_hanchan(client: Client) -> None:
    tournament = late_and_absent()
    assert kinds(tournament) == ["close"]
    (item,) = inbox_items(state_of(tournament), START)
    assert item.count == 4
    client.force_login(director(tournament.league))
    page = client.get(to("inbox", tournament))
    address = to("close", tournament, "open")
    assert address in page.content.decode()
    first, *others = [entry.pk for entry in item.names]
    page = client.get(address)
    sent = {"short": page.context["key"], f"entry_{first}": "unranked", "reason": "時間切れ"}
    assert client.post(address, {**sent, "reason": ""}).context["form"].errors["reason"]
    assert client.post(address, sent).status_code == 302
    assert kinds(tournament) == ["approve"]
    lines = {line.participant: line for line in state_of(tournament).state.stage("open").ranking("").lines}
    assert lines[first].unranked == "left_out"
    assert all(lines[other].rank for other in others)
    assert all(client.get(to(name, tournament)).status_code == 200 for name in ("tournament", "inbox"))
    assert "順位なし" in client.get(to("stage", tournament, "open")).content.decode()


def close(tournament: Tournament, **changes: object) -> Decision:
    short = short_of_hanchan(state_of(tournament).state.stage("open"))
    facts = {"short": short, "unranked": [], "reason": "時間切れ"} | changes
    return decisions.close_stage(tournament=tournament, stage="open", by=SYSTEM, **facts)  # type: ignore[arg-type]


def test_closing_a_stage_is_refused_with_a_code() -> None:
    tournament = late_and_absent()
    wrong: dict[str, dict[str, object]] = {
        "reason_missing": {"reason": " "},
        "proposal_changed": {"short": [entry(tournament, 1).pk]},
    }
    for code, changes in wrong.items():
        with pytest.raises(TournamentError) as refused:
            close(tournament, **changes)
        assert refused.value.code == code
    with pytest.raises(TournamentError, match="not_known"):
        decisions.close_stage(tournament=tournament, stage="final", short=[], unranked=[], reason="x", by=SYSTEM)
    close(tournament)
    with pytest.raises(TournamentError, match="closed_already"):
        close(tournament, short=[], reason="もう一度")


def test_closing_is_not_offered_while_planned_hanchan_remain() -> None:
    assert "close" not in kinds(open_of_eight(played=1))


def test_closing_a_stage_removes_unplayed_tables_until_reopened() -> None:
    tournament = open_of_eight(played=1)
    one, _ = [each for each in unplayed_tables(state_of(tournament), "open") if each.round == 2]
    play_table(one.stage_session, one.table, one.round, by_entry(tournament))
    close(tournament)
    assert unplayed_tables(state_of(tournament), "open") == []
    assert unplayed_plans(one.stage_session.session) == []
    assert kinds(tournament) == ["approve"]
    # Played hanchan keep their plan, and a reopened stage can be closed again.
    assert len(plan_of(one.stage_session.session)) == 3
    decisions.reopen(tournament=tournament, stage="open", reason="追加対局", by=SYSTEM)
    assert kinds(tournament) == ["close"]


def test_players_without_hanchan_are_ordered_in_a_closed_stage() -> None:
    tournament = open_of_eight()
    close(tournament)
    (level,) = state_of(tournament).state.stage("open").path("final").proposal.level
    decisions.put_in_order(tournament=tournament, stage="open", players=list(map(int, level)), reason="抽選", by=SYSTEM)
    assert state_of(tournament).state.stage("open").path("final").proposed == level[:4]
    assert kinds(tournament) == ["approve"]


def test_hall_line_is_below_the_last_advancing_player() -> None:
    tournament = open_of_eight(played=1)
    leave(tournament, 1, settlement=Settlement(Remedy.HOUSE, make_players(tournament.league, 1)[0]))
    play_rounds(tournament, range(2, 3))
    current = state_of(tournament)
    progress = current.state.stage("open")
    after = _Builder(progress, current, ())._after(progress.ranking(""), {})
    assert [each for each, (*_, is_last) in after.items() if is_last] == [progress.path("final").proposed[-1]]


@pytest.mark.merge
def test_disqualified_player_is_unranked_on_all_pages(client: Client) -> None:
    tournament = open_of_eight(played=2)
    client.force_login(director(tournament.league))
    expelled = entry(tournament, 1)
    sent = {"entry": expelled.pk, "stage": "open", "disqualified": "on", "reason": "不正行為"}
    assert client.post(to("withdraw", tournament), sent).status_code == 302
    line = state_of(tournament).state.stage("open").ranking("").lines[-1]
    assert (line.participant, line.unranked) == (expelled.pk, "disqualified")
    answers = qualified(tournament, client)
    assert len(set(map(frozenset, answers.values()))) == 1, answers
    assert len(answers["approval"]) == 4
    approve_stage(tournament, "open")
    plan(tournament, "final")
    play_rounds(tournament, range(1, 2), "final")
    approve_stage(tournament, "final")
    ranking = final_ranking(state_of(tournament))
    assert [line.rank for line in ranking] == [1, 2, 3, 4, 5, 6, 7, 0]
    assert ranking[-1].mark == "失格"
    assert client.get(to("finish", tournament)).status_code == 200
    assert "失格" in client.get(to("tournament", tournament)).content.decode()


@pytest.mark.merge
def test_repeated_decisions_are_stored_once() -> None:
    tournament = late_and_absent()
    closed = close(tournament)
    assert close(tournament, short=closed.body["players"]) == closed
    seen = tuple(int(participant) for participant in state_of(tournament).state.stage("open").path("final").proposed)
    choice = decisions.AdvancementChoice(seen, seen)
    sent = [
        decisions.approve(tournament=tournament, stage="open", to="final", choice=choice, by=SYSTEM) for _ in range(4)
    ]
    assert len({decision.pk for decision in sent}) == 1
    other = decisions.AdvancementChoice(seen, seen, "念のため")
    assert decisions.approve(tournament=tournament, stage="open", to="final", choice=other, by=SYSTEM) != sent[0]
    (session,) = plan(tournament, "final")
    play(session.session, (25000,) * 4, planned_players(session.session, 1, 1), round=1)
    level = state_of(tournament).state.stage("final").path("champion").proposal.level[0]
    order = [int(participant) for participant in level]
    settled = [
        decisions.put_in_order(tournament=tournament, stage="final", players=order, reason="抽選", by=SYSTEM)
        for _ in range(2)
    ]
    assert settled[0] == settled[1]
    approve_stage(tournament, "final")
    decisions.finish(tournament=tournament, by=SYSTEM)
    before = Revision.objects.count()
    decisions.finish(tournament=tournament, by=SYSTEM)
    assert Revision.objects.count() == before
    decisions.resume(tournament=tournament, reason="訂正", by=SYSTEM)
    before = Revision.objects.count()
    decisions.resume(tournament=tournament, reason="訂正", by=SYSTEM)
    assert Revision.objects.count() == before
