"""A tournament of eleven: a final of four and placement tables of the others. A finalist leaves, and the next moves up."""

import json
import re
from collections import Counter
from datetime import time
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from accounts.messages.notices import notice_words
from accounts.models import NoticeKind
from accounts.selectors.notices import sources
from league.models import League, PlannedSeat, Player, Session
from league.services.history import SYSTEM, Actor
from league.services.session_points import PublishedSum, enter_session_points
from tests.league.factories import as_text, client_of, make_players, make_session, make_user, play
from tests.tournaments.factories import (
    approve_stage,
    by_entry,
    draw_and_plan,
    kinds,
    make_tournament,
    plan,
    play_planned,
    play_stage,
    play_table,
    to,
)
from tests.tournaments.test_planning import short_open
from tournaments.core.state import StageState
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file
from tournaments.interchange.writing import write_file
from tournaments.models import Decision, Tournament
from tournaments.selectors.state import state_of
from tournaments.services.decisions import finish
from tournaments.services.drawing import seating_number
from tournaments.services.planning import block_seating
from tournaments.services.rounds import plan_next_round, round_proposal

pytestmark = pytest.mark.django_db


@pytest.fixture
def tournament(league: League) -> Tournament:
    """The open stage has been played; entries 1 to 4 are in the final, 5 is next."""
    tournament = short_open(league)
    play_planned(draw_and_plan(tournament, "open")[0], by_entry(tournament))
    return tournament


def order_of(tournament: Tournament) -> list[int]:
    return [int(line.participant) for line in state_of(tournament).state.stage("open").rankings[0].lines]


def leave(organiser: Client, tournament: Tournament, **answers: object) -> Any:
    sent = {"stage": "final", "reason": "急用", "remedy": "next"} | answers
    if "entry" not in sent:
        sent["entry"] = order_of(tournament)[1]
    return organiser.post(f"/en{to('withdraw', tournament)}", sent, follow=True)


def playing(tournament: Tournament, stage: str) -> set[int]:
    return {int(place.participant) for place in state_of(tournament).state.stage(stage).places}


def seated(tournament: Tournament, stage: str) -> set[int]:
    seats = PlannedSeat.objects.filter(session__stage__stage=stage)
    return set(seats.values_list("player__entries", flat=True))


def seats(stage: str) -> set[tuple[int, ...]]:
    places = PlannedSeat.objects.filter(session__stage__stage=stage)
    return set(places.values_list("session", "round", "table", "seat", "player"))


@pytest.mark.merge
def test_next_player_moves_up_from_drawn_tables_with_one_reason(organiser: Client, tournament: Tournament) -> None:
    order = order_of(tournament)
    approve_stage(tournament, "open")
    plan(tournament, "final")
    (rest,) = plan(tournament, "rest")
    # The fifth has a seat at the placement tables.
    fifth = tournament.entries.get(pk=order[4]).player_id
    if not PlannedSeat.objects.filter(session=rest.session, player=fifth).exists():
        one = PlannedSeat.objects.filter(session=rest.session).values_list("player", flat=True)[0]
        PlannedSeat.objects.filter(session=rest.session, player=one).update(player=fifth)
    before = {stage: seats(stage) for stage in ("final", "rest")}
    page = organiser.get(f"/en{to('withdraw', tournament)}?entry={order[1]}&stage=final").content.decode()
    named = tournament.entries.get(pk=order[4]).player.romanised
    assert f"Moves up: {named} (5th)" in page
    assert "are drawn again without" in page
    assert page.index("Moves up:") < page.index("are drawn again without") < page.index('value="substitute"')
    assert "plays to the end in Final table, Placement tables: 11th as it stands." in page
    assert page.count("Public: everyone who sees the tournament reads it.") == 1
    answer = leave(organiser, tournament).content.decode()
    assert f"{named} moves up to Final table. Placement tables: the tables were drawn again." in answer
    assert playing(tournament, "final") == {order[0], *order[2:5]} == seated(tournament, "final")
    assert playing(tournament, "rest") == set(order[5:]) > seated(tournament, "rest")
    assert {each[:4] for each in seats("final")} == {each[:4] for each in before["final"]}
    assert set(kinds(tournament)) == {"results"}
    assert Session.objects.filter(state="withdrawn").count() == 0
    reasons = {each.reason for each in Decision.objects.valid().filter(stage="open", kind="advance")}
    assert reasons == {"急用"}
    page = organiser.get(f"/en{to('withdraw', tournament)}?entry={order[1]}").content.decode()
    assert f"Moved up: {named}." in page
    assert f"{named} returns to Placement tables, whose tables are drawn again." in " ".join(page.split())
    assert "leaves Placement tables" not in page
    assert "Withdrawn so far" not in page
    public = Client().get(f"/en{to('tournament', tournament)}").content.decode()
    assert (f"Moved up: {named}." in public, public.count("急用")) == (True, 1)
    assert "急用" not in Client().get(f"/en{to('stage', tournament, 'open')}").content.decode()
    marks = [row.mark for row in Client().get(to("stage", tournament, "final")).context["view"].blocks[0].rows]
    assert marks.count("繰り上げ") == 1
    document = json.loads(as_text(write_file(tournament.league)))
    leave(organiser, tournament, back="1", reason="戻れた")
    assert playing(tournament, "final") == set(order[:4]) == seated(tournament, "final")
    assert playing(tournament, "rest") == set(order[4:])
    assert seats("final") == before["final"]
    assert state_of(tournament).state.overtaken == ()
    copy = store_file(read_file(json.dumps(document).encode()), by=Actor(None, "import"), slug="copy")
    assert json.loads(as_text(write_file(copy)))["tournaments"] == document["tournaments"]


@pytest.mark.merge
def test_lower_ranked_sit_out_the_first_placement_tables_of_those_level(
    organiser: Client, tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "least in the tournament" in organiser.get(f"/en{to('inbox', tournament)}").content.decode()
    current = approve_stage(tournament, "open")
    monkeypatch.setattr("tournaments.services.planning.byes_before", lambda *_: Counter())
    for seed in range(4):
        (table,) = block_seating(current, "rest", "", seed)[0][0]
        assert set(table) == set(order_of(tournament)[4:8])


@pytest.mark.merge
def test_only_who_plays_in_a_session_is_told_of_it_and_sees_it(organiser: Client, tournament: Tournament) -> None:
    league, order, now, users = tournament.league, order_of(tournament), timezone.now(), {}
    for number in (1, 4, 5):
        users[number] = make_user(f"number-{number}", league=league, role="organiser")
        Player.objects.filter(entries=order[number]).update(user=users[number])
    approve_stage(tournament, "open")
    day = league.day_of(now)
    final, rest = (plan(tournament, stage, start=day)[0].session for stage in ("final", "rest"))
    leave(organiser, tournament)
    told = sources[NoticeKind.ANNOUNCED].present(league, {final.pk, rest.pk}, now)
    assert {(each.user, each.subject) for each in told} == {(users[4].pk, final.pk), (users[5].pk, rest.pk)}
    numbers = tournament.decisions.valid().values_list("pk", flat=True)
    with override("en"):
        news = sources[NoticeKind.PROMOTED].present(league, numbers, now)
        said = {each.user: notice_words("promoted", each.facts).partition(": ")[2] for each in news}
    assert said == {
        users[1].pk: "your withdrawal is recorded.",
        users[4].pk: "you move up to Final table, as someone withdrew.",
        users[5].pk: "you have advanced to Placement tables.",
    }
    page = client_of(users[4]).get("/en/me/").content.decode()
    assert f"/sessions/{final.pk}/" in page
    assert f"/sessions/{rest.pk}/" not in page


@pytest.mark.merge
def test_league_home_shows_what_runs_now_or_the_final_and_not_the_placement_tables(
    organiser: Client, tournament: Tournament
) -> None:
    approve_stage(tournament, "open")
    day = tournament.league.day_of(timezone.now())
    final, rest = (plan(tournament, stage, start=day)[0] for stage in ("final", "rest"))
    for each in (final, rest):
        play_planned(each, by_entry(tournament))
    home = Client().get(reverse("league:league_home", args=[tournament.league.slug]))
    assert home.context["last"].session == final.session
    # The champion is not confirmed.
    address = reverse("league:session", args=[tournament.league.slug, final.session_id])
    page = Client().get(address).content.decode()
    assert 0 < page.find(f'{to("stage", tournament, "final")}">決勝卓</a>') < page.index('id="sheet"')
    approve_stage(tournament, "final")
    page = organiser.get(f"/en{address}").content.decode()
    assert ">Placement tables: tables for round 2</a>" in page
    assert page.index("Standings with points carried over") < page.index("session-ranking")
    assert "Session summary" not in page
    club = make_session(tournament.league, day)
    play(club, players=make_players(tournament.league, 4))
    final.session.start_time = time(23)
    final.session.save()
    home = Client().get(reverse("league:league_home", args=[tournament.league.slug]))
    assert home.context["last"].session == club


@pytest.mark.merge
def test_longest_ago_counts_the_byes_of_the_stage_before(tournament: Tournament) -> None:
    approve_stage(tournament, "open")
    play_planned(plan(tournament, "rest")[0], {player: -place for player, place in by_entry(tournament).items()})
    current = state_of(tournament)
    ranked = [int(line.participant) for line in current.state.stage("rest").rankings[0].lines]
    level = [pk for pk in ranked if pk in seated(tournament, "rest")]
    first, later = ([pk for pk in level if pk not in at[1]] for at in current.facts.seated["open"])
    never = [pk for pk in level if pk not in {*first, *later}]
    expected = [*reversed(never), *reversed(first), *reversed(later)]
    assert first
    assert set(round_proposal(current, "rest", "").resting) == {*expected[:3]}


@pytest.mark.merge
def test_next_player_moves_up_before_anything_is_approved(organiser: Client, tournament: Tournament) -> None:
    order = order_of(tournament)
    page = organiser.get(f"/en{to('withdraw', tournament)}?entry={order[1]}&stage=open").content.decode()
    assert "This approves who goes to Final table." in page
    leave(organiser, tournament, stage="open")
    assert playing(tournament, "final") == {order[0], *order[2:5]}
    step = organiser.get(to("inbox", tournament)).context["steps"][0]["step"]
    assert dict(step.moves) == {"rest": tuple(order[5:])}
    assert [each.stage.key for each in step.follows] == ["final", "rest"]
    assert kinds(tournament) == ["approve", "plan"]
    leave(organiser, tournament, stage="open", back="1", reason="戻れた")
    step = organiser.get(to("inbox", tournament)).context["steps"][0]["step"]
    assert dict(step.moves) == {"final": tuple(order[:4]), "rest": tuple(order[4:])}


@pytest.mark.merge
def test_organiser_chooses_who_of_tied_players_moves_up(organiser: Client, tournament: Tournament) -> None:
    order, lines = order_of(tournament), state_of(tournament).state.stage("open").rankings[0].lines
    behind = PublishedSum(lines[4].points - lines[5].points)
    session = Session.objects.get(stage__stage="open")
    sixth = tournament.entries.get(pk=order[5]).player
    enter_session_points(session=session, lines={sixth: behind}, note="裁定", by=SYSTEM)
    tournament.document["defaults"]["tiebreak"] = ["shared"]
    tournament.save()
    approve_stage(tournament, "open")
    plan(tournament, "final")
    address = f"/en{to('withdraw', tournament)}?entry={order[1]}&stage=final"
    page = organiser.get(address).content.decode()
    assert len(re.findall(r"Moves up: .+ \(5th, tied\)", page)) == 2
    leave(organiser, tournament, remedy="")
    links = re.findall(r"remedy=(next-\d+)", organiser.get(f"/en{to('inbox', tournament)}").content.decode())
    assert {*links} == {f"next-{pk}" for pk in order[4:6]}
    leave(organiser, tournament, change="1", remedy=f"next-{order[5]}")
    assert playing(tournament, "final") == {order[0], order[2], order[3], order[5]} == seated(tournament, "final")


@pytest.mark.merge
def test_vacancy_names_who_moves_up_and_is_the_only_task(organiser: Client, tournament: Tournament) -> None:
    order = order_of(tournament)
    approve_stage(tournament, "open")
    plan(tournament, "final")
    leave(organiser, tournament, remedy="")
    assert "short_table" not in kinds(tournament)
    page = organiser.get(f"/en{to('inbox', tournament)}").content.decode()
    link = re.search(r'class="button " href="([^"]+remedy=next)">\s*Moves up: ', page)
    assert link
    assert "Decide how table 1 continues" not in page
    page = organiser.get(to("approve", tournament, "open")).content.decode()
    assert f"{to('withdraw', tournament)}?entry={order[1]}&amp;stage=final&amp;remedy=next" in page
    assert organiser.get(link[1].replace("&amp;", "&")).context["form"]["remedy"].value() == "next"
    leave(organiser, tournament, change="1")
    assert seated(tournament, "final") == {order[0], *order[2:5]}


@pytest.mark.merge
def test_next_player_who_has_played_elsewhere_stays_there(organiser: Client, tournament: Tournament) -> None:
    approve_stage(tournament, "open")
    plan(tournament, "final")
    play_planned(plan(tournament, "rest")[0], by_entry(tournament))
    order = order_of(tournament)
    page = organiser.get(f"/en{to('withdraw', tournament)}?entry={order[1]}&stage=final").content.decode()
    assert 'value="next"' not in page
    assert "Placement tables has begun" in page
    assert leave(organiser, tournament).context["form"].errors["remedy"]
    leave(organiser, tournament, remedy="")
    assert "先にそちらの「決め直す」で" in organiser.get(to("approve", tournament, "open")).content.decode()
    assert state_of(tournament).state.stage("final").state is StageState.READY


@pytest.mark.merge
def test_tables_of_a_stage_are_drawn_again_without_who_was_left_out(organiser: Client, tournament: Tournament) -> None:
    order = order_of(tournament)
    approve_stage(tournament, "open")
    plan(tournament, "rest")
    gone = next(pk for pk in order[4:] if pk in seated(tournament, "rest"))
    seen = [int(each) for each in state_of(tournament).state.stage("open").path("rest").proposed]
    others = [pk for pk in seen if pk != gone]
    sent = {"to": "rest", "seen": ",".join(map(str, seen)), "players": others, "reason": "急用"}
    organiser.post(to("approve", tournament, "open"), sent)
    assert "redraw" in kinds(tournament)
    page = organiser.get(f"/en{to('inbox', tournament)}").content.decode()
    assert "Draw the tables of Placement tables again" in page
    answer = organiser.post(f"/en{to('redraw', tournament, 'rest')}", follow=True).content.decode()
    assert "the tables were drawn again" in answer
    assert gone not in seated(tournament, "rest")
    assert "redraw" not in kinds(tournament)
    assert not Session.objects.filter(state="withdrawn").exists()


@pytest.mark.merge
def test_next_player_takes_the_place_in_the_drawn_table(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, "elimination-4", players=16)
    first, second = (stage.key for stage in tournament.format.stages[:2])
    play_stage(tournament, first)
    draw_and_plan(tournament, second)
    progress = state_of(tournament).state.stage(first)
    table = [int(line.participant) for line in progress.rankings[0].lines]
    (path,) = (each for each in progress.paths if each.to == second)
    gone, following = table[len(set(table) & set(path.proposed)) - 1 :][:2]
    answer = leave(organiser, tournament, entry=gone, stage=second)
    assert "moves up to" in answer.content.decode()
    assert following in playing(tournament, second)
    assert gone not in playing(tournament, second)
    assert state_of(tournament).state.stage(second).undrawn == ()
    assert {"draw", "vacancy", "redraw", "short_table"}.isdisjoint(kinds(tournament))
    assert following in seated(tournament, second)


@pytest.mark.merge
def test_who_moved_up_and_has_played_stays(organiser: Client, tournament: Tournament) -> None:
    approve_stage(tournament, "open")
    (final,) = plan(tournament, "final")
    leave(organiser, tournament)
    play_planned(final, by_entry(tournament))
    assert ") moved up" in organiser.get(f"/en{to('results', tournament)}").content.decode()
    errors = leave(organiser, tournament, back="1", reason="戻れた").context["form"].non_field_errors()
    assert "has already played in this spot" in errors[0]


@pytest.mark.merge
def test_answer_to_a_withdrawal_can_be_corrected(organiser: Client, tournament: Tournament) -> None:
    order, (new,) = order_of(tournament), make_players(tournament.league, 1)
    approve_stage(tournament, "open")
    plan(tournament, "final")
    plan(tournament, "rest", seed=seating_number(state_of(tournament), "rest"))
    before = seats("rest")
    leave(organiser, tournament)
    leave(organiser, tournament, change="1", remedy="substitute", substitute=new.pk)
    assert seats("rest") == before
    assert new.entries.get().pk in seated(tournament, "final")
    assert order[4] in playing(tournament, "rest")
    leave(organiser, tournament, change="1", remedy="house")
    assert kinds(tournament) == ["results", "results"]
    leave(organiser, tournament, change="1")
    leave(organiser, tournament, entry=order[0])
    assert playing(tournament, "final") == set(order[2:6]) == seated(tournament, "final")
    # The first to leave comes back; who left after them stays away.
    back = {"entry": order[1], "stage": "final", "back": "1", "reason": "戻れた"}
    organiser.post(to("withdraw", tournament), back)
    final = {order[1], order[2], order[3], order[5]}
    assert playing(tournament, "final") == final == seated(tournament, "final")
    leave(organiser, tournament, entry=order[5])
    answer = organiser.post(to("withdraw", tournament), back | {"entry": order[0]})
    assert "その後に辞退しています" in answer.content.decode()
    assert state_of(tournament).state.overtaken == ()


@pytest.mark.merge
def test_champion_confirmed_after_the_leader_withdrew_is_everywhere(organiser: Client, tournament: Tournament) -> None:
    approve_stage(tournament, "open")
    (final,) = plan(tournament, "final")
    (rest,) = plan(tournament, "rest")
    play_table(final, 1, 1, by_entry(tournament))
    ranking = state_of(tournament).state.stage("final").rankings[0].lines
    leader = tournament.entries.get(pk=ranking[0].participant)

    def read(address: str) -> str:
        html = organiser.get(f"/en{address}").content.decode()
        return " ".join(re.sub(r"<[^>]+>", " ", html).split())

    form = organiser.get(f"/en{to('withdraw', tournament)}?entry={leader.pk}&stage=final").content.decode()
    told = ("to the end in Final table: 4th as it stands.", "Champion: no longer possible.")
    assert all(said in form for said in told)
    assert not any(said in form for said in ("So far, no spots", "A vacant spot", "still overtake"))
    leave(organiser, tournament, entry=leader.pk, remedy="")
    # One player is missing, so there is one task.
    assert set(kinds(tournament)) == {"short_table", "results"}
    leave(organiser, tournament, entry=leader.pk, remedy="house", change="1")
    assert kinds(tournament) == ["results", "results"]
    page = read(to("stage", tournament, "final"))
    assert "Cut line for Champion (1st)" in page
    assert "Go past everyone above, with no one going past from below: the title." in page
    assert "at another table" not in page
    house = dict.fromkeys(tournament.league.players.values_list("pk", flat=True), 30)
    play_table(final, 1, 2, house | by_entry(tournament))
    play_planned(rest, by_entry(tournament))
    plan_next_round(tournament=tournament, stage="rest", by=SYSTEM)
    play_table(rest, 1, 2, by_entry(tournament))
    approve_stage(tournament, "final")
    finish(tournament=tournament, by=SYSTEM)
    (won,) = tournament.decisions.get(stage="final", kind="advance").body["players"]
    name, gone = tournament.entries.get(pk=won).player.romanised, leader.player.romanised
    text = read(to("results", tournament))
    for said, page in (
        (f"Champion: {name} See", read(to("inbox", tournament))),
        (f"Champion {name} Final ranking", read(to("tournament", tournament))),
        (f"Champion: {name} Calculate", read(reverse("tournaments:index", args=[tournament.league.slug]))),
    ):
        assert said in page
    assert re.search(rf"1\. {name} \S+ Champion 2\. .* 4\. {gone} \S+ withdrew Placement tables 5\.", text)
