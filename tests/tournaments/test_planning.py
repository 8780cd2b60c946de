import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from league.models import Confirmation, Hanchan, League, PlannedSeat, Player, Revision
from league.selectors.entry import open_sessions
from league.selectors.overview import coming_sessions, league_cards
from league.selectors.planning import plan_of
from league.services.calendar import SessionFacts, change_session
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.results import void_hanchan
from league.services.rules import adopt_card
from tests.league.factories import make_league, make_players, planned_players, play
from tests.tournaments.factories import (
    START,
    approve_stage,
    by_entry,
    director,
    draw_and_plan,
    drawn_blocks,
    entry,
    kinds,
    make_tournament,
    plan,
    planned_tables,
    play_planned,
    play_table,
    to,
)
from tournaments.core.calendar import PlannedSession
from tournaments.core.facts import Remedy
from tournaments.models import Entry, HallDisplay, StageSession, Tournament
from tournaments.selectors.certificates import seatings_of
from tournaments.selectors.decisions import short_of_hanchan
from tournaments.selectors.seating import session_seatings
from tournaments.selectors.stage_views import sessions_of
from tournaments.selectors.state import state_of
from tournaments.services.decisions import close_stage, withdraw
from tournaments.services.drawing import draw, draw_by_lot
from tournaments.services.events import TournamentError
from tournaments.services.planning import SessionPlan, byes_before, plan_stage, postpone_table, sessions_wanted
from tournaments.services.rounds import RoundProposal, plan_next_round, round_proposal, rounds_so_far
from tournaments.services.setup import set_seeds
from tournaments.services.short_tables import Settlement

pytestmark = pytest.mark.django_db


def test_seeded_players_are_spread_over_the_blocks(tournament: Tournament) -> None:
    four = list(tournament.entries.order_by("number")[:4])
    set_seeds(tournament=tournament, seeds={entry: number for number, entry in enumerate(four, start=1)}, by=SYSTEM)
    drawn = draw_by_lot(state_of(tournament), "qualifying", 5)
    block = {pk: key for key, players in drawn.blocks.items() for pk in players}
    assert [block[entry.pk] for entry in four] == ["A", "B", "B", "A"]


def test_stage_is_planned_once_and_only_after_the_draw(tournament: Tournament) -> None:
    with pytest.raises(TournamentError, match="not_known"):
        plan(tournament, "po1")
    with pytest.raises(TournamentError, match="not_drawn"):
        plan(tournament, "qualifying")
    draw_and_plan(tournament, "qualifying")
    with pytest.raises(TournamentError, match="planned_already"):
        plan(tournament, "qualifying")


def test_blocks_can_share_a_session(tournament: Tournament) -> None:
    draw(tournament=tournament, stage="qualifying", drawn=draw_by_lot(state_of(tournament), "qualifying", 1), by=SYSTEM)
    wanted = sessions_wanted(tournament.format.stage("qualifying"), together=True)
    plan = SessionPlan(tuple(PlannedSession(number, block, START) for number, block in wanted))
    first, _ = plan_stage(tournament=tournament, stage="qualifying", plan=plan, by=SYSTEM)
    assert first.session.tables == 4
    play_planned(first, by_entry(tournament))
    rankings = state_of(tournament).state.stage("qualifying").rankings
    assert [[line.played for line in ranking.lines] for ranking in rankings] == [[4] * 8, [4] * 8]


def plan_season(evenings: int, slug: str) -> tuple[Tournament, int]:
    tournament = make_tournament(make_league(slug), "mleague", players=10)
    sessions = tuple(PlannedSession(number, "", START + timedelta(days=number)) for number in range(1, evenings + 1))
    with CaptureQueriesContext(connection) as queries:
        plan_stage(tournament=tournament, stage="regular", plan=SessionPlan(sessions), by=SYSTEM)
    return tournament, len(queries)


@pytest.mark.both_databases
def test_planning_queries_do_not_grow_with_sessions() -> None:
    _, few = plan_season(2, "short")
    season, many = plan_season(75, "long")
    # Rows are only split when too many for one statement.
    assert many <= few + 15
    assert season.sessions.count() == 75
    assert PlannedSeat.objects.filter(session__league=season.league).count() == 75 * 2 * 2 * 4


def test_sessions_of_a_stage_are_named_in_the_readers_language() -> None:
    names = {"en": "Spring tournament: Qualifying, session 1, block A", "ja": "春の大会 予選 第1節 Aブロック"}
    with override("en"):
        first, *_, last = draw_and_plan(make_tournament(), "qualifying")
        other = postpone_table(stage_session=first, table=1, to=START, reason="雪", by=SYSTEM).session
    for language, name in names.items():
        with override(language):
            assert {str(first.session), str(other)} == {name}
    # Saving the form without another title keeps both; a title that someone types is the same in every language.
    with override("en"):
        change_session(session=first.session, facts=SessionFacts(START, title=names["en"]), by=SYSTEM)
        change_session(session=last.session, facts=SessionFacts(START, title="Last day"), by=SYSTEM)
    assert str(first.session) == names["ja"]
    assert str(last.session) == "Last day"


def test_history_lists_every_planned_session() -> None:
    season, _ = plan_season(3, "autumn")
    told = Revision.objects.filter(league=season.league, subject__in=["session", "stagesession"])
    for linked in season.sessions.select_related("session"):
        opened, planned = told.filter(subject="session", subject_id=linked.session_id).order_by("pk")
        assert opened.action == Revision.Action.CREATED
        assert opened.after
        assert opened.after["title"] == linked.session.title
        assert planned.before == {"plan": {}}
        seats = linked.session.planned_seats.select_related("player").order_by("round", "table", "seat")
        names = [[each.player.name for each in seats[first : first + 4]] for first in range(0, 16, 4)]
        assert planned.after == {"plan": dict(zip(["1/1", "1/2", "2/1", "2/2"], names, strict=True))}
        (counts,) = told.filter(subject="stagesession", subject_id=linked.pk)
        place = {"stage": "regular", "block": "", "number": linked.number}
        assert counts.after == place | {"session": str(linked.session), "seed": 1}


def test_remaining_hanchan_of_a_table_can_be_postponed(tournament: Tournament) -> None:
    (first, *_) = draw_and_plan(tournament, "qualifying")
    strength = by_entry(tournament)
    play_table(first, 2, 1, strength)
    moved = postpone_table(stage_session=first, table=2, to=START + timedelta(days=2), reason="a fire alarm", by=SYSTEM)
    assert {number for number, table, _ in plan_of(first.session) if table == 2} == {1}
    assert {number for number, table, _ in plan_of(moved.session)} == {2, 3, 4}
    play_planned(moved, strength)
    ranking = state_of(tournament).state.stage("qualifying").ranking("A")
    assert sorted(line.played for line in ranking.lines) == [0, 0, 0, 0, 4, 4, 4, 4]


def test_disputed_result_completes_the_round_without_points() -> None:
    tournament = make_tournament(format_key="swiss", players=16)
    League.objects.update(disputed_count=False)
    stage = tournament.format.stages[0].key
    (session, *_) = draw_and_plan(tournament, stage)
    for table in range(1, 5):
        play_table(session, table, 1, by_entry(tournament))
    hanchan = Hanchan.objects.order_by("pk")[0]
    player = hanchan.seats.order_by("seat")[0].player
    say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.DISPUTES, 1, player), by=SYSTEM)
    played = sorted(line.played for line in state_of(tournament).state.stage(stage).rankings[0].lines)
    assert played == [0] * 4 + [1] * 12
    plan_next_round(tournament=tournament, stage=stage, by=SYSTEM)
    assert {number for number, _, _ in plan_of(session.session)} == {1, 2}
    say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.AGREES, 1, player), by=SYSTEM)
    assert {line.played for line in state_of(tournament).state.stage(stage).rankings[0].lines} == {1}


def test_table_with_a_merged_player_can_be_postponed() -> None:
    tournament = make_tournament(format_key="swiss", players=8)
    (session,) = draw_and_plan(tournament, "swiss")
    players = planned_players(session.session, 1, 1)
    (other,) = make_players(tournament.league, 1)
    merge_players(source=players[0], target=other, reason="the same person", by=SYSTEM)
    postponed = postpone_table(stage_session=session, table=1, to=date(2025, 12, 1), reason="ill", by=SYSTEM)
    assert planned_players(postponed.session, 1, 1) == (other, *players[1:])


def test_three_player_rules_are_refused_for_tables_of_four(client: Client) -> None:
    league = make_league("three", card="wrc")
    version = adopt_card(league=league, card_key="tenhou-3p", name="三麻", by=SYSTEM)
    with pytest.raises(TournamentError, match="table_size"):
        make_tournament(league, "swiss", key="three", ruleset_version=version)
    tournament = make_tournament(league, "swiss", players=8)
    league.tournaments.update(ruleset_version=version)
    draw(tournament=tournament, stage="swiss", drawn=drawn_blocks(tournament, "swiss"), by=SYSTEM)
    client.force_login(director(league))
    HallDisplay.objects.create(tournament=tournament, length=50 * 60)
    page = client.post(to("plan", tournament, "swiss"), {"seed": "1", "date_1_all": "2025-12-01"})
    assert page.context["pattern_form"]["minutes"].value() == 7 * 65
    assert "天鳳 三人打ち v1" in page.context["form"].non_field_errors()[0]
    assert not tournament.sessions.exists()


@pytest.fixture
def league() -> League:
    return make_league("rounds", card="wrc")


def swiss(league: League, players: int = 8) -> tuple[Tournament, StageSession]:
    tournament = make_tournament(league, "swiss", players=players, strict_entry=False)
    (session,) = draw_and_plan(tournament, "swiss")
    return tournament, session


def offered(organiser: Client, tournament: Tournament) -> list[RoundProposal]:
    page = organiser.get(to("inbox", tournament))
    assert page.status_code == 200
    return [panel["proposal"] for panel in page.context["rounds"]]


def at_table(tournament: Tournament, session: StageSession, table: int) -> list[Entry]:
    return [tournament.entries.get(player=player) for player in planned_players(session.session, table, 1)]


def test_inbox_explains_that_too_few_players_are_left(organiser: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_planned(session, by_entry(tournament))
    for number in range(1, 6):
        withdraw(stage="swiss", entry=entry(tournament, number), reason="急用", by=SYSTEM)
    assert not offered(organiser, tournament)
    sent = organiser.post(to("next_round", tournament, "swiss"), {"block": "", "seen": "x"}, follow=True)
    assert "卓を組めませんでした" in sent.content.decode()
    # The page names what is missing and links to it.
    page = organiser.get(to("inbox", tournament))
    assert "残りは3名だけです" in page.content.decode()
    assert to("withdraw", tournament) in page.content.decode()


def short_open(league: League | None = None) -> Tournament:
    """A tournament of eleven: two hanchan, then a final of four and placement tables of the others."""
    return make_tournament(league, "open-final-table", players=11, length=2)


@pytest.mark.long
def test_drawn_table_that_lost_a_player_is_marked_and_can_be_drawn_again(organiser: Client, league: League) -> None:
    tournament = short_open(league)
    (session,) = draw_and_plan(tournament, "open")
    gone = tournament.entries.get(player=planned_players(session.session, 1, 1)[0])
    page = organiser.get(f"/en{to('withdraw', tournament)}?entry={gone.pk}&stage=open").content.decode()
    order = ("starts at 0 points", 'value="house"', "it has none", "6 players are left, so 2 sit out", 'name="reason"')
    assert [page.index(text) for text in order] == sorted(page.index(text) for text in order)
    assert "actions stays" not in page
    withdraw(stage="open", entry=gone, reason="ill", by=SYSTEM)
    page = organiser.get("/en" + to("inbox", tournament)).content.decode()
    assert to("approve", tournament, "open") not in page
    for address in (to("plan", tournament, "open"), reverse("league:session", args=[league.slug, session.session_id])):
        page_of_seats = organiser.get("/en" + address).content.decode()
        assert page_of_seats.count("Sitting out:") == 2
        assert "/seats/" not in page_of_seats
    assert page.count('<span class="tag warn">withdrew</span>') == page.count("Decide how table 1 continues") == 1
    address, redraw = f"{to('withdraw', tournament)}?entry={gone.pk}", to("redraw", tournament, "open")
    for each in (address, to("plan", tournament, "open"), to("inbox", tournament)):
        assert redraw in organiser.get(each).content.decode()
    assert organiser.post(redraw).status_code == 302
    assert not session.session.planned_seats.filter(player=gone.player).exists()
    assert "short_table" not in kinds(tournament)
    assert redraw not in organiser.get(to("plan", tournament, "open")).content.decode()
    assert "No one takes the place." in organiser.get(f"/en{address}").content.decode()


@pytest.mark.merge
def test_approval_offers_a_substitute_where_people_sit_out(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, "open-final-table", players=12)
    for each in draw_and_plan(tournament, "open"):
        play_planned(each, by_entry(tournament))
    withdraw(stage="open", entry=entry(tournament, 12), reason="ill", by=SYSTEM)
    assert "has withdrawn: add a substitute" in organiser.get("/en" + to("inbox", tournament)).content.decode()


@pytest.mark.long
def test_players_who_sat_out_in_an_earlier_stage_play_in_the_next(organiser: Client, league: League) -> None:
    tournament = short_open(league)
    (session,) = draw_and_plan(tournament, "open")
    play_planned(session, by_entry(tournament))
    page = organiser.get("/en" + to("inbox", tournament)).content.decode()
    sit_out = "Placement tables: 7 players are left, so 3 sit out each round and get 0 points for it."
    assert page.index("Sitting out:") < page.index(sit_out) < page.index("Approve and plan the next tables")
    byes = byes_before(approve_stage(tournament, "open"), "rest")
    plan(tournament, "rest")
    (final,) = plan(tournament, "final")
    page = organiser.get("/en" + to("inbox", tournament)).content.decode()
    assert all(f"{stage}: enter table 1" in page for stage in ("Final table", "Placement tables"))
    assert page.count("0/2<span") == 2
    play_planned(final, by_entry(tournament))
    page = organiser.get(reverse("league:session", args=[league.slug, final.session_id])).content.decode()
    assert ("持ち越しを含む順位" in page, page.count("結果の受け付けを締め切る")) == (True, 1)
    depends = "結果によって決まります"
    assert depends in organiser.get(to("plan", tournament, "rest")).content.decode()
    resting = [session.rounds[0].resting for session in session_seatings(state_of(tournament))][-1]
    entries = {entry.player_id: entry.pk for entry in tournament.entries.all()}
    assert [byes[entries[player.pk]][0] for player in resting] == [0, 0, 0]
    tournament.document["stage"][2]["hanchan"] = 1
    Tournament.objects.update(document=tournament.document)
    assert depends not in organiser.get(to("plan", tournament, "rest")).content.decode()


@pytest.mark.merge
def test_substitute_is_not_asked_for_who_left_in_an_earlier_stage(organiser: Client, league: League) -> None:
    tournament = short_open(league)
    play_planned(draw_and_plan(tournament, "open")[0], by_entry(tournament))
    withdraw(stage="open", entry=entry(tournament, 11), reason="ill", by=SYSTEM)
    approve_stage(tournament, "open")
    play_planned(plan(tournament, "rest")[0], by_entry(tournament))
    page = organiser.get("/en" + to("inbox", tournament)).content.decode()
    assert "tables for round 2" in page
    assert "add a substitute" not in page
    told = organiser.get("/en" + to("results", tournament), {"stage": "rest"}).content.decode()
    assert "[Placement tables, points of this session (nothing carried over)]" in told
    assert ("5. " in told, "10. " in told) == (True, True)
    stage = organiser.get("/en" + to("stage", tournament, "rest")).content.decode()
    assert re.findall(r'aria-hidden="true">(\d+)</b>', stage) == ["5", "6", "7", "8", "9", "10"]
    assert (stage.count("<span>Carried over "), "ranks 1 to 4 are decided elsewhere" in stage) == (6, True)


def test_late_player_plays_from_the_next_hanchan(organiser: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_planned(session, by_entry(tournament))
    assert organiser.post(to("entries", tournament), {"names": "遅刻 太郎"}).status_code == 302
    late = entry(tournament, 9).pk
    before = state_of(tournament)
    plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    assert PlannedSeat.objects.filter(player__entries=late, round=2).exists()
    for current in (before, state_of(tournament)):
        lines = {line.participant: line for line in current.state.stage("swiss").ranking("").lines}
        assert (lines[late].planned, lines[late].left) == (6, 6)


def test_standings_after_a_round_leave_out_those_who_sat_out(league: League) -> None:
    tournament, session = swiss(league, 9)
    play_planned(session, by_entry(tournament))
    plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    for number, table in planned_tables(session)[2:]:
        play_table(session, table, number, by_entry(tournament))
    (resting,) = tournament.entries.exclude(player__planned_in__round=1)
    played = [
        {line.participant: line.played for line in state_of(tournament, after).state.stage("swiss").ranking("").lines}
        for after in ({"swiss": 1}, None)
    ]
    assert [each[resting.pk] for each in played] == [0, 1]
    assert {line.left for line in state_of(tournament).state.stage("swiss").ranking("").lines} == {5}
    assert sum(played[0].values()) == 8


def test_withdrawal_from_a_swiss_leads_to_a_new_substitute(organiser: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_planned(session, by_entry(tournament))
    address, gone = to("withdraw", tournament), entry(tournament, 3)
    sent = {"entry": gone.pk, "stage": "swiss", "reason": "急用"}
    assert organiser.post(address, sent).status_code == 302
    assert f"{address}?entry={gone.pk}&amp;stage=swiss" in organiser.get(to("inbox", tournament)).content.decode()
    assert organiser.post(address, sent | {"name": entry(tournament, 1).player.name}).context["form"].errors["name"]
    assert organiser.post(address, sent | {"name": "代役 花子"}).status_code == 302
    assert (entry(tournament, 9).player.is_guest, entry(tournament, 9).is_substitute) == (True, True)
    assert not offered(organiser, tournament)[0].resting


def test_results_mark_who_withdrew_and_sat_out(organiser: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_planned(session, by_entry(tournament))
    withdraw(stage="swiss", entry=entry(tournament, 3), reason="急用", by=SYSTEM)
    plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    play_table(session, 1, 2, by_entry(tournament))
    short = short_of_hanchan(state_of(tournament).state.stage("swiss"))
    close_stage(tournament=tournament, stage="swiss", short=short, unranked=(), reason="終了", by=SYSTEM)
    page = organiser.get(to("tournament", tournament)).content.decode()
    assert page.count(">辞退<") == 1
    assert "打たなかった半荘は0ポイント" in page
    lines = organiser.get(to("results", tournament), {"as": "text"}).content.decode().splitlines()
    assert [entry(tournament, 3).player.name in line for line in lines if line.endswith("辞退")] == [True]
    assert not any(line.left for line in state_of(tournament).state.stage("swiss").ranking("").lines)


def test_next_round_can_follow_a_table_of_three(organiser: Client, league: League) -> None:
    version = adopt_card(league=league, card_key="tenhou-3p", name="三麻", by=SYSTEM)
    tournament, session = swiss(league)
    play_table(session, 1, 1, by_entry(tournament))
    gone, *others = at_table(tournament, session, 2)
    withdraw(stage="swiss", entry=gone, settlement=Settlement(Remedy.THREE, version=version), reason="急用", by=SYSTEM)
    part = tournament.sessions.order_by("pk").last()
    assert part is not None
    play(part.session, (50000, 35000, 20000), [each.player for each in others], table=2, round=1)
    (proposal,) = offered(organiser, tournament)
    assert (proposal.rounds.number, len(proposal.tables), len(proposal.resting)) == (2, 1, 3)


def test_next_round_counts_hanchan_with_a_house_player(client: Client, league: League) -> None:
    tournament, session = swiss(league, 16)
    for table in (1, 2, 3):
        play_table(session, table, 1, by_entry(tournament))
    gone, *others = at_table(tournament, session, 4)
    withdraw(stage="swiss", entry=gone, settlement=Settlement(Remedy.HOUSE), reason="急用", by=SYSTEM)
    guests = Player.objects.filter(is_guest=True).values_list("pk", flat=True)
    play_table(session, 4, 1, by_entry(tournament) | dict.fromkeys(guests, 1))
    assert Player.objects.get(is_guest=True).name not in client.get(to("results", tournament)).content.decode()
    current = state_of(tournament)
    (block,) = seatings_of(current, current.state.stage("swiss"), session_seatings(current))
    assert {line.games for line in block.players} == {1}
    proposal = round_proposal(current, "swiss", "")
    mates = {each.pk for each in others}
    assert max(len(mates & {*table}) for table in proposal.tables) == 1
    # All have played one hanchan, so the last in the standings sit out.
    lines = state_of(tournament).state.stage("swiss").ranking("").lines
    assert set(proposal.resting) == set([int(line.participant) for line in lines if not line.withdrawn][-3:])
    assert mates & set(proposal.resting)


def test_next_round_with_a_player_entered_twice_is_refused(organiser: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_planned(session, by_entry(tournament))
    source, target = at_table(tournament, session, 1)[0].player, at_table(tournament, session, 2)[0].player
    merge_players(source=source, target=target, reason="同じ人", by=SYSTEM)
    for proposal in offered(organiser, tournament):
        address, sent = to("next_round", tournament, "swiss"), {"block": "", "seen": proposal.mark}
        assert target.name in organiser.post(address, sent, follow=True).content.decode()


@pytest.mark.long
def test_blocks_in_one_session_get_their_own_tables(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, "swiss", strict_entry=False)
    tournament.document["stage"][0] |= {"blocks": 2, "hanchan": 3}
    tournament.save()
    tournament = Tournament.objects.get()
    draw(tournament=tournament, stage="swiss", drawn=drawn_blocks(tournament, "swiss"), by=SYSTEM)
    plan = SessionPlan((PlannedSession(1, "", START),), seed=1)
    (session,) = plan_stage(tournament=tournament, stage="swiss", plan=plan, by=SYSTEM)
    for number in (1, 2, 3):
        proposals = offered(organiser, tournament)
        assert [(each.rounds.number, each.first_table) for each in proposals] == (
            [(number, 1), (number, 3)] if number > 1 else []
        )
        for each in proposals:
            organiser.post(to("next_round", tournament, "swiss"), {"block": each.rounds.block, "seen": each.mark})
        assert [table for known, table, _ in plan_of(session.session) if known == number] == [1, 2, 3, 4]
        for table in (1, 2, 3, 4):
            play_table(session, table, number, by_entry(tournament))
    assert not offered(organiser, tournament)


def gaps(tournament: Tournament) -> list[tuple[str, int, int]]:
    unfinished = [each for each in rounds_so_far(state_of(tournament)) if each.is_open]
    return [(gap.kind, gap.round, gap.table) for each in unfinished for gap in each.gaps]


def test_next_round_waits_for_missing_and_duplicate_results(league: League) -> None:
    tournament, session = swiss(league)
    first, second = (planned_players(session.session, table, 1) for table in (1, 2))
    assert gaps(tournament) == [("missing", 1, 1), ("missing", 1, 2)]
    play(session.session, (40000, 30000, 25000, 25000), first, table=1, round=1)
    doubled = play(session.session, (50000, 30000, 25000, 15000), first, table=1, round=1)
    # As many results as tables, but one table has none.
    assert gaps(tournament) == [("doubled", 1, 1), ("missing", 1, 2)]
    with pytest.raises(TournamentError, match="round_unfinished"):
        plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    void_hanchan(hanchan=doubled, by=SYSTEM, reason="typed twice")
    wrong = [*second[:3], first[0]]
    other = play(session.session, (40000, 30000, 25000, 25000), wrong, table=2, round=1, even_if_others=True)
    # Results of other pairings do not hide the next tables, but a reason is required.
    assert gaps(tournament) == []
    proposal = round_proposal(state_of(tournament), "swiss", "")
    assert [(gap.kind, gap.table, gap.names) for gap in proposal.rounds.gaps] == [("others", 2, (second[3].name,))]
    with pytest.raises(TournamentError, match="round_unfinished"):
        plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    void_hanchan(hanchan=other, by=SYSTEM, reason="wrong people")
    play(session.session, (40000, 30000, 25000, 25000), second, table=2, round=1)
    assert gaps(tournament) == []
    plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    # A result at an unplanned table is one too many.
    play(session.session, (40000, 30000, 25000, 25000), first, table=1, round=5, even_if_others=True)
    assert ("doubled", 5, 1) in gaps(tournament)


@pytest.mark.merge
def test_director_can_draw_the_next_round_without_a_result(organiser: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_table(session, 1, 1, by_entry(tournament))
    assert not organiser.get("/en" + to("inbox", tournament)).context["rounds"]
    (panel,) = organiser.get("/en" + to("inbox", tournament) + "?early=swiss").context["rounds"]
    sent = {"block": "", "seen": panel["proposal"].mark, "reason": " "}
    refused = organiser.post("/en" + to("next_round", tournament, "swiss"), sent)
    assert "give a reason for continuing" in refused.content.decode()
    assert {number for number, _, _ in plan_of(session.session)} == {1}
    sent["reason"] = "the sheet is lost"
    assert organiser.post(to("next_round", tournament, "swiss"), sent).status_code == 302
    assert {number for number, _, _ in plan_of(session.session)} == {1, 2}
    assert Revision.objects.latest("pk").reason == "the sheet is lost"
    # A result received since then changes the proposal.
    assert organiser.post("/en" + to("next_round", tournament, "swiss"), sent).status_code == 200


NOON = datetime(START.year, START.month, START.day, 3, 0, tzinfo=UTC)
"""Twelve o'clock in Tokyo on the day of the first session."""

PHASE = re.compile(r'<span class="tag [a-z]*" data-phase="([a-z]+)">')


@pytest.fixture
def stage_sessions() -> Iterator[list[StageSession]]:
    """The sessions of a two-block qualifying stage, a week apart; it is noon on the first day."""
    with time_machine.travel(NOON, tick=False):
        yield draw_and_plan(make_tournament(), "qualifying")


@pytest.mark.parametrize("name", ["stage", "seating", "inbox"])
def test_pages_show_the_phase_of_each_session(client: Client, stage_sessions: list[StageSession], name: str) -> None:
    first = stage_sessions[0]
    client.force_login(director(first.tournament.league))
    later = START + timedelta(weeks=6)
    postpone_table(stage_session=first, table=2, to=later, start_time=time(18, 30), reason="snow", by=SYSTEM)
    more = ["qualifying"] if name == "stage" else []
    page = client.get(to(name, first.tournament, *more)).content.decode()
    # The page of a stage begins with its next session.
    first_of_all = ["tonight"] if name == "stage" else []
    assert sorted(PHASE.findall(page)) == ["planned"] * 3 + ["postponed", "tonight", *first_of_all]
    assert "2025/05/16(金) 18:30" in page
    assert "(2025/04/04(金)から延期)" in page


def test_pages_of_session_and_league_show_when_it_is_over(client: Client, stage_sessions: list[StageSession]) -> None:
    first = stage_sessions[0]
    league = first.tournament.league

    def phase() -> list[str]:
        address = reverse("league:session", args=[league.slug, first.session_id])
        return PHASE.findall(client.get(address).content.decode())

    def is_live() -> bool:
        [card] = league_cards(AnonymousUser(), NOON)
        return card.is_live

    strength = by_entry(first.tournament)
    play_table(first, 1, 1, strength)
    assert (phase(), is_live()) == (["running"], True)
    for number, table in planned_tables(first)[1:]:
        play_table(first, table, number, strength)
    assert (phase(), is_live()) == (["over"], False)


def test_player_search_and_hall_display_show_date_and_time(client: Client, stage_sessions: list[StageSession]) -> None:
    for each in stage_sessions:
        each.session.start_time = time(19, 0)
        each.session.save()
    tournament = stage_sessions[0].tournament
    page = client.get(to("seating", tournament), {"q": "青木"}).content.decode()
    assert re.search(r'<li data-keys="[^"]*" data-player="\d+">青木[^<]*2025/04/\d\d\(金\) 19:00', page)
    assert "2025/04/04(金) 19:00" in client.get(to("projector", tournament), {"show": "seating"}).content.decode()


@pytest.mark.parametrize("name", ["stage", "seating", "projector", "projector_state"])
def test_cached_pages_expire_with_the_phase(client: Client, stage_sessions: list[StageSession], name: str) -> None:
    first = stage_sessions[0]
    first.session.start_time = time(19, 0)
    first.session.save()
    tournament = first.tournament
    address = to(name, tournament, *(["qualifying"] if name == "stage" else []))
    tag = client.get(address)["ETag"]
    for hours, status in ((6, 304), (7, 200), (24, 200)):
        with time_machine.travel(NOON + timedelta(hours=hours), tick=False):
            answer = client.get(address, headers={"If-None-Match": tag})
            assert answer.status_code == status, hours
            tag = answer["ETag"]


def test_session_after_midnight_follows_the_evening_sessions(tournament: Tournament) -> None:
    sessions = draw_and_plan(tournament, "qualifying")
    for each, clock in zip(sessions, (time(22, 0), time(0, 30), time(6, 0), time(5, 59)), strict=True):
        each.session.date, each.session.start_time = START, clock
        each.session.save()
    order = [sessions[number].session_id for number in (2, 0, 1, 3)]
    current = state_of(tournament)
    assert [each.stage_session.session_id for each in session_seatings(current)] == order
    assert [each.session_id for each in sessions_of(current, "qualifying")] == order
    with time_machine.travel(NOON, tick=False):
        league = tournament.league
        assert [each.pk for each in open_sessions(league, START).tonight] == order
        assert [each.pk for each in open_sessions(league, START - timedelta(days=1)).ahead] == order
        assert [each.pk for each, _ in coming_sessions(league, NOON)] == order
