from collections.abc import Iterator

import pytest
from django.test import Client

from league.models import League, Player, Revision
from league.selectors.planning import plan_of
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.results import void_hanchan
from league.services.rules import adopt_card
from tests.league.factories import make_league, make_players, planned_players, play
from tests.tournaments.factories import (
    START,
    by_entry,
    director,
    draw_and_plan,
    drawn_blocks,
    entry,
    make_tournament,
    play_planned,
    play_table,
    to,
)
from tournaments.core.facts import Remedy
from tournaments.core.reading import parse_toml
from tournaments.models import Entry, StageSession, Tournament
from tournaments.selectors.state import state_of
from tournaments.services.decisions import withdraw
from tournaments.services.drawing import draw
from tournaments.services.events import TournamentError
from tournaments.services.planning import PlannedSession, SessionPlan, plan_stage
from tournaments.services.rounds import RoundProposal, plan_next_round, round_proposal, rounds_so_far
from tournaments.services.setup import TournamentDetails, create_tournament, enter_players
from tournaments.services.short_tables import Settlement

pytestmark = pytest.mark.django_db

TWO_GROUPS = """
name = { ja = "二組", en = "Two groups" }
entrants = 16

[[stage]]
key = "groups"
name = { ja = "組", en = "Groups" }
blocks = 2
from = [{ entrants = "all" }]
hanchan = 3
seating = "swiss"
tiebreak = ["last_hanchan", "shared"]

[[outcome]]
key = "won"
name = { ja = "優勝", en = "Won" }
from = [{ stage = "groups", ranks = "1" }]
"""


@pytest.fixture
def league() -> League:
    return make_league("rounds", card="wrc")


@pytest.fixture
def leader(client: Client, league: League) -> Client:
    client.force_login(director(league))
    return client


def swiss(league: League, players: int = 8) -> tuple[Tournament, StageSession]:
    tournament = make_tournament(league, "swiss", players=players, strict_entry=False)
    (session,) = draw_and_plan(tournament, "swiss")
    return tournament, session


def offered(leader: Client, tournament: Tournament) -> list[RoundProposal]:
    page = leader.get(to("inbox", tournament))
    assert page.status_code == 200
    return [panel["proposal"] for panel in page.context["rounds"]]


def at_table(tournament: Tournament, session: StageSession, table: int) -> list[Entry]:
    players = planned_players(session.session, table, 1)
    return [tournament.entries.get(player=player) for player in players]


def together(proposal: RoundProposal) -> Iterator[set[int]]:
    yield from map(set, proposal.tables)


def test_inbox_explains_that_too_few_players_are_left(leader: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_planned(session, by_entry(tournament))
    for number in range(1, 6):
        withdraw(stage="swiss", entry=entry(tournament, number), reason="急用", by=SYSTEM)
    assert not offered(leader, tournament)
    sent = leader.post(to("next_round", tournament, "swiss"), {"block": "", "seen": "x"}, follow=True)
    assert "卓を組めませんでした" in sent.content.decode()
    # The page names what is missing and links to it.
    page = leader.get(to("inbox", tournament))
    assert [(item.kind, item.count, item.most) for item in page.context["items"]] == [("too_few", 3, 4)]
    assert "残りは3名だけです" in page.content.decode()
    assert to("withdraw", tournament) in page.content.decode()


def test_next_round_can_follow_a_table_of_three(leader: Client, league: League) -> None:
    version = adopt_card(league=league, card_key="tenhou-3p", name="三麻", by=SYSTEM)
    tournament, session = swiss(league)
    play_table(session, 1, 1, by_entry(tournament))
    gone, *others = at_table(tournament, session, 2)
    settlement = Settlement(Remedy.THREE, version=version)
    withdraw(stage="swiss", entry=gone, settlement=settlement, reason="急用", by=SYSTEM)
    part = tournament.sessions.order_by("pk").last()
    assert part is not None
    play(part.session, (50000, 35000, 20000), [each.player for each in others], table=2, round=1)
    (proposal,) = offered(leader, tournament)
    assert (proposal.number, len(proposal.tables), len(proposal.resting)) == (2, 1, 3)


def test_next_round_counts_hanchan_with_a_house_player(league: League) -> None:
    tournament, session = swiss(league, 16)
    for table in (1, 2, 3):
        play_table(session, table, 1, by_entry(tournament))
    gone, *others = at_table(tournament, session, 4)
    settlement = Settlement(Remedy.HOUSE)
    withdraw(stage="swiss", entry=gone, settlement=settlement, reason="急用", by=SYSTEM)
    strength = by_entry(tournament) | dict.fromkeys(
        Player.objects.filter(is_guest=True).values_list("pk", flat=True), 1
    )
    play_table(session, 4, 1, strength)
    proposal = round_proposal(state_of(tournament), "swiss", "")
    mates = {each.pk for each in others}
    assert max(len(mates & table) for table in together(proposal)) == 1
    # All have played one hanchan, so the last in the standings sit out.
    lines = state_of(tournament).state.stage("swiss").ranking("").lines
    staying = [int(line.participant) for line in lines if not line.withdrawn]
    assert set(proposal.resting) == set(staying[-3:])
    assert mates & set(proposal.resting)


def test_next_round_with_a_player_entered_twice_is_refused(leader: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_planned(session, by_entry(tournament))
    source, target = at_table(tournament, session, 1)[0].player, at_table(tournament, session, 2)[0].player
    merge_players(source=source, target=target, reason="同じ人", by=SYSTEM)
    for proposal in offered(leader, tournament):
        address, sent = to("next_round", tournament, "swiss"), {"block": "", "seen": proposal.mark}
        assert target.name in leader.post(address, sent, follow=True).content.decode()


@pytest.mark.long
def test_blocks_in_one_session_get_their_own_tables(leader: Client, league: League) -> None:
    facts, document = TournamentDetails(key="groups", name="二組"), parse_toml(TWO_GROUPS)
    tournament = create_tournament(league=league, facts=facts, format_key="own", document=document, by=SYSTEM)
    enter_players(tournament=tournament, players=make_players(league, 16), by=SYSTEM)
    draw(tournament=tournament, stage="groups", drawn=drawn_blocks(tournament, "groups"), by=SYSTEM)
    plan = SessionPlan((PlannedSession(1, "", START),), seed=1)
    (session,) = plan_stage(tournament=tournament, stage="groups", plan=plan, by=SYSTEM)
    for number in (1, 2, 3):
        proposals = offered(leader, tournament)
        assert [(each.number, each.first_table) for each in proposals] == (
            [(number, 1), (number, 3)] if number > 1 else []
        )
        for each in proposals:
            leader.post(to("next_round", tournament, "groups"), {"block": each.block, "seen": each.mark})
        assert [table for known, table, _ in plan_of(session.session) if known == number] == [1, 2, 3, 4]
        for table in (1, 2, 3, 4):
            play_table(session, table, number, by_entry(tournament))
    assert not offered(leader, tournament)


def gaps(tournament: Tournament) -> list[tuple[str, int, int]]:
    return [
        (gap.kind, gap.round, gap.table)
        for rounds in rounds_so_far(state_of(tournament))
        if rounds.is_open
        for gap in rounds.gaps
    ]


def test_next_round_waits_for_missing_and_duplicate_results(league: League) -> None:
    tournament, session = swiss(league)
    first, second = (planned_players(session.session, table, 1) for table in (1, 2))
    assert gaps(tournament) == [("missing", 1, 1), ("missing", 1, 2)]
    play(session.session, (40000, 30000, 25000, 25000), first, table=1, round=1)
    doubled = play(session.session, (50000, 30000, 25000, 15000), first, table=1, round=1)
    # As many results as tables, but one table has none.
    assert gaps(tournament) == [("doubled", 1, 1), ("missing", 1, 2)]
    with pytest.raises(TournamentError) as refused:
        plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    assert refused.value.code == "round_unfinished"
    void_hanchan(hanchan=doubled, by=SYSTEM, reason="typed twice")
    wrong = [*second[:3], first[0]]
    other = play(session.session, (40000, 30000, 25000, 25000), wrong, table=2, round=1, even_if_others=True)
    # Results of other pairings do not hide the next tables, but a reason is required.
    assert gaps(tournament) == []
    proposal = round_proposal(state_of(tournament), "swiss", "")
    assert [(gap.kind, gap.table, gap.names) for gap in proposal.gaps] == [("others", 2, (second[3].name,))]
    with pytest.raises(TournamentError) as refused:
        plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    assert refused.value.code == "round_unfinished"
    void_hanchan(hanchan=other, by=SYSTEM, reason="wrong people")
    play(session.session, (40000, 30000, 25000, 25000), second, table=2, round=1)
    assert gaps(tournament) == []
    plan_next_round(tournament=tournament, stage="swiss", by=SYSTEM)
    # A result at an unplanned table is one too many.
    play(session.session, (40000, 30000, 25000, 25000), first, table=1, round=5, even_if_others=True)
    assert ("doubled", 5, 1) in gaps(tournament)


@pytest.mark.merge
def test_director_can_draw_the_next_round_without_a_result(leader: Client, league: League) -> None:
    tournament, session = swiss(league)
    play_table(session, 1, 1, by_entry(tournament))
    page = leader.get("/en" + to("inbox", tournament))
    assert not page.context["rounds"]
    assert "Round 1, table 2" in page.content.decode()
    assert "no result yet" in page.content.decode()
    early = leader.get("/en" + to("inbox", tournament) + "?early=swiss")
    (panel,) = early.context["rounds"]
    sent = {"block": "", "seen": panel["proposal"].mark, "reason": " "}
    refused = leader.post("/en" + to("next_round", tournament, "swiss"), sent)
    assert "give a reason for continuing" in refused.content.decode()
    assert {number for number, _, _ in plan_of(session.session)} == {1}
    sent["reason"] = "the sheet is lost"
    assert leader.post(to("next_round", tournament, "swiss"), sent).status_code == 302
    assert {number for number, _, _ in plan_of(session.session)} == {1, 2}
    assert Revision.objects.latest("pk").reason == "the sheet is lost"
    # A result received since then changes the proposal.
    stale = leader.post("/en" + to("next_round", tournament, "swiss"), sent)
    assert stale.status_code == 200
