"""A tournament directed through the services: who goes on, who leaves, what a correction does and does not do."""

import pickle

import pytest

from league.models import Hanchan, Revision
from league.services.history import SYSTEM, Actor
from league.services.results import HanchanResult, TableAndTime, correct_hanchan, result_of
from scoring.core import FinishedGame
from tests.league.editions import edition_of
from tests.league.factories import make_players, make_user, play
from tests.tournaments.factories import (
    approve_stage,
    by_entry,
    draw_and_plan,
    drawn_blocks,
    entry,
    make_tournament,
    play_planned,
    play_stage,
    play_table,
)
from tournaments.core.facts import Remedy
from tournaments.core.state import StageState
from tournaments.http.pages import kept_state
from tournaments.models import Decision, Tournament
from tournaments.selectors.state import state_of
from tournaments.services.decisions import (
    AdvancementChoice,
    approve,
    finish,
    keep_decision,
    put_in_order,
    reopen,
    reopening_effects,
    revoke_withdrawal,
    withdraw,
)
from tournaments.services.drawing import draw
from tournaments.services.events import TournamentError
from tournaments.services.short_tables import Settlement

pytestmark = pytest.mark.django_db


def numbers(tournament: Tournament, participant: object) -> list[int]:
    """Return the numbers of entry of some players of the state, in order."""
    by_pk = {row.pk: row.number for row in tournament.entries.all()}
    return [by_pk[int(str(each))] for each in participant]  # type: ignore[attr-defined]


def seated(tournament: Tournament, stage: str) -> list[int]:
    return sorted(numbers(tournament, (place.participant for place in state_of(tournament).state.stage(stage).places)))


@pytest.mark.long
def test_cinderella_runs_from_the_draw_to_the_champion() -> None:
    tournament = make_tournament()
    for stage in ("qualifying", "po1", "po2", "po3", "final"):
        current = play_stage(tournament, stage)
        assert current.state.stage(stage).state is StageState.DECIDED
    final = state_of(tournament).state
    assert numbers(tournament, [place.participant for place in final.arrivals["champion"]]) == [1]
    assert final.is_over
    assert len(final.final_ranks) == 16
    assert {final_rank.participant for final_rank in final.final_ranks} == {row.pk for row in tournament.entries.all()}
    finish(tournament=tournament, by=SYSTEM)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED


def test_block_ranks_lead_where_the_format_says() -> None:
    tournament = make_tournament()
    current = play_stage(tournament, "qualifying")
    rankings = current.state.stage("qualifying").rankings
    first = {ranking.lines[0].participant for ranking in rankings}
    second = {ranking.lines[1].participant for ranking in rankings}
    fourth_and_fifth = {line.participant for ranking in rankings for line in ranking.lines[3:5]}
    state = current.state
    assert {place.participant for place in state.stage("final").places} == first
    assert {place.participant for place in state.stage("po3").places} == second
    assert {place.participant for place in state.stage("po1").places} == fourth_and_fifth
    assert state.stage("po1").state is StageState.READY
    assert state.stage("po2").state is StageState.WAITING


@pytest.mark.long
def test_who_withdraws_keeps_the_rank_and_playoff_2_sends_three() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    play_stage(tournament, "po1")
    gone = state_of(tournament).state.stage("qualifying").rankings[0].lines[1]
    withdraw(
        tournament=tournament,
        stage="qualifying",
        entry=tournament.entries.get(pk=gone.participant),
        reason="falls ill",
        by=SYSTEM,
    )
    state = state_of(tournament).state
    assert state.stage("qualifying").rankings[0].lines[1].participant == gone.participant
    assert gone.participant not in {place.participant for place in state.stage("po3").places}
    assert not state.overtaken
    for each in draw_and_plan(tournament, "po2"):
        play_planned(each, by_entry(tournament))
    path = state_of(tournament).state.stage("po2").path("po3")
    three = tuple(int(line.participant) for line in state_of(tournament).state.stage("po2").rankings[0].lines[:3])
    seen = tuple(int(participant) for participant in path.proposed)
    with pytest.raises(TournamentError) as refused:
        approve(tournament=tournament, stage="po2", to="po3", choice=AdvancementChoice(three, seen), by=SYSTEM)
    assert refused.value.code == "reason_missing"
    choice = AdvancementChoice(three, seen, "one place is vacant")
    decision = approve(tournament=tournament, stage="po2", to="po3", choice=choice, by=SYSTEM)
    assert decision.is_override
    assert len(decision.proposal) == 2
    po3 = state_of(tournament).state.stage("po3")
    assert len(po3.places) == 4
    assert po3.vacancies == 0
    assert po3.state is StageState.READY


@pytest.mark.long
def test_substitute_takes_the_place_of_who_has_left() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    gone = state_of(tournament).state.stage("qualifying").rankings[1].lines[0]
    new = make_players(tournament.league, 1)[0]
    withdraw(
        tournament=tournament,
        stage="qualifying",
        entry=tournament.entries.get(pk=gone.participant),
        settlement=Settlement(Remedy.SUBSTITUTE, new),
        reason="moves away",
        by=SYSTEM,
    )
    places = state_of(tournament).state.stage("final").places
    stand_in = tournament.entries.get(player=new)
    assert [place.participant for place in places if place.replaces == gone.participant] == [stand_in.pk]


def correct(hanchan: Hanchan, raw: tuple[int, ...]) -> None:
    stored = result_of(hanchan)
    correct_hanchan(
        hanchan=hanchan,
        seen_version=hanchan.version,
        result=HanchanResult(stored.players, FinishedGame(raw)),
        table_and_time=TableAndTime(table=hanchan.table),
        by=SYSTEM,
        reason="two names were mixed up",
    )


@pytest.mark.long
def test_correction_after_approval_raises_a_flag_and_changes_nothing() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    before = {stage.stage.key: stage.places for stage in state_of(tournament).state.stages}
    ranking = state_of(tournament).state.stage("qualifying").rankings[0]
    best = tournament.entries.get(pk=ranking.lines[0].participant).player
    hanchan = Hanchan.objects.filter(seats__player=best).order_by("played_at")[0]
    raw = [0 if seat.player_id == best.pk else 100000 if seat.placement == 2 else 0 for seat in hanchan.seats.all()]
    correct(hanchan, tuple(raw))
    state = state_of(tournament).state
    assert {"final", "po3"} <= {path.to for path in state.overtaken}
    after = {stage.stage.key: {place.participant for place in stage.places} for stage in state.stages}
    assert after == {key: {place.participant for place in places} for key, places in before.items()}
    overtaken = next(path for path in state.overtaken if path.to == "final")
    decision = tournament.decisions.valid().get(kind="advance", to="final")
    keep_decision(decision=decision, reason="announced already", by=SYSTEM)
    state = state_of(tournament).state
    assert overtaken.to not in {path.to for path in state.overtaken}
    assert tournament.decisions.valid().get(kind="advance", to="final").is_override


@pytest.mark.long
def test_reopening_lists_and_undoes_what_rests_on_it() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    play_stage(tournament, "po1")
    undone = reopening_effects(state_of(tournament), "qualifying")
    assert {(each.stage, each.to) for each in undone.decisions if each.kind == "advance"} == {
        ("qualifying", "po1"),
        ("qualifying", "po2"),
        ("qualifying", "po3"),
        ("qualifying", "final"),
        ("po1", "po2"),
    }
    assert [each.stage for each in undone.sessions] == ["po1"]
    reopen(tournament=tournament, stage="qualifying", reason="a session was missing", by=SYSTEM)
    assert state_of(tournament).state.stage("qualifying").state is StageState.PLAYED
    assert Decision.objects.filter(tournament=tournament, kind="advance", revoked_at__isnull=False).count() == 5
    with pytest.raises(TournamentError) as refused:
        reopen(tournament=tournament, stage="qualifying", reason="again", by=SYSTEM)
    assert refused.value.code == "nothing_to_reopen"


@pytest.mark.long
def test_players_whom_nothing_separates_wait_for_a_person() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    (session,) = draw_and_plan(tournament, "po1")
    players = [
        row.player
        for row in (tournament.entries.get(pk=s.participant) for s in state_of(tournament).state.stage("po1").places)
    ]
    for number in range(1, 5):
        play(session.session, (25000, 25000, 25000, 25000), players, round=number)
    progress = state_of(tournament).state.stage("po1")
    path = progress.path("po2")
    assert len(path.proposal.level[0]) == 4
    assert not path.ready
    seen = tuple(int(participant) for participant in path.proposed)
    with pytest.raises(TournamentError) as refused:
        approve(tournament=tournament, stage="po1", to="po2", choice=AdvancementChoice(seen, seen), by=SYSTEM)
    assert refused.value.code == "level"
    order = [int(participant) for participant in reversed(path.proposal.level[0])]
    put_in_order(tournament=tournament, stage="po1", players=order, reason="lots were drawn", by=SYSTEM)
    current = approve_stage(tournament, "po1")
    assert [place.participant for place in current.state.stage("po2").places if place.stage == "po1"] == order[:2]


@pytest.mark.long
def test_nobody_goes_two_ways() -> None:
    tournament = make_tournament()
    current = play_stage(tournament, "qualifying")
    path = current.state.stage("qualifying").path("po3")
    seen = tuple(int(participant) for participant in path.proposed)
    third = int(current.state.stage("qualifying").rankings[0].lines[2].participant)
    choice = AdvancementChoice((*seen[:1], third), seen, "the second of block B is ill")
    with pytest.raises(TournamentError) as refused:
        approve(tournament=tournament, stage="qualifying", to="po3", choice=choice, by=SYSTEM)
    assert refused.value.code == "goes_elsewhere"
    assert refused.value.values["to"] == "po2"


@pytest.mark.long
def test_proposal_that_changed_meanwhile_is_not_approved() -> None:
    tournament = make_tournament()
    current = play_stage(tournament, "qualifying")
    seen = tuple(int(participant) for participant in current.state.stage("qualifying").path("po3").proposed)
    choice = AdvancementChoice(seen, tuple(reversed(seen)))
    with pytest.raises(TournamentError) as refused:
        approve(tournament=tournament, stage="qualifying", to="po3", choice=choice, by=SYSTEM)
    assert refused.value.code == "proposal_changed"


@pytest.mark.long
def test_chombo_lies_on_the_total_and_not_in_the_hanchan() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    (session,) = draw_and_plan(tournament, "po1")
    players = [
        tournament.entries.get(pk=place.participant).player for place in state_of(tournament).state.stage("po1").places
    ]
    play(session.session, (45000, 30000, 20000, 5000), players, chombo=(1, 0, 0, 0))
    lines = state_of(tournament).state.stage("po1").rankings[0].lines
    assert [line.points for line in lines] == [15000, 10000, -20000, -45000]
    assert lines[0].chombo == -40000
    assert sum(line.points - line.chombo for line in lines) == 0


@pytest.mark.long
def test_results_count_in_order_of_play_not_of_entry() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    (session,) = draw_and_plan(tournament, "po1")
    strength = by_entry(tournament)
    for number in (3, 1):
        play_table(session, 1, number, strength)
    after_one = state_of(tournament, {"po1": 1}).state.stage("po1").rankings[0]
    assert [line.played for line in after_one.lines] == [1, 1, 1, 1]
    first = Hanchan.objects.get(session=session.session, round=1)
    assert {int(line.points) for line in after_one.lines} == {seat.points for seat in first.seats.all()}


@pytest.mark.long
def test_withdrawal_that_was_a_mistake_is_taken_back() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    somebody = entry(tournament, 1)
    decision = withdraw(tournament=tournament, stage="qualifying", entry=somebody, reason="mistake", by=SYSTEM)
    assert somebody.number not in seated(tournament, "final")
    revoke_withdrawal(decision=decision, reason="wrong name", by=SYSTEM)
    assert somebody.number in seated(tournament, "final")


def test_every_act_is_in_the_history() -> None:
    tournament = make_tournament()
    play_stage(tournament, "qualifying")
    subjects = set(Revision.objects.filter(league=tournament.league).values_list("subject", flat=True))
    assert {"tournament", "decision", "stagesession"} <= subjects


def test_state_that_is_kept_knows_no_account_of_who_decided() -> None:
    tournament, director = make_tournament(), make_user("director")
    drawn = drawn_blocks(tournament, "qualifying")
    draw(tournament=tournament, stage="qualifying", drawn=drawn, by=Actor(director, "web"))
    tournament.league.edition = edition_of(tournament.league)
    current = kept_state(tournament)
    assert current.decisions[0].by_name == "director"
    assert director.password.encode() not in pickle.dumps(current)


def test_who_is_through_shares_the_first_place_of_the_cinderella_system() -> None:
    tournament = make_tournament(format_key="cinderella-system", players=8)
    play_stage(tournament, "first")
    state = play_stage(tournament, "second").state
    through = {place.participant for place in state.arrivals["through"]}
    assert len(through) == 4
    assert {final_rank.participant for final_rank in state.final_ranks if final_rank.rank == 1} == through
    assert sorted(final_rank.rank for final_rank in state.final_ranks) == [1, 1, 1, 1, 5, 6, 7, 7]


@pytest.mark.long
def test_wild_card_of_2018_goes_to_the_best_fifth() -> None:
    tournament = make_tournament(format_key="cinderella-2018", players=24)
    current = play_stage(tournament, "qualifying")
    rankings = current.state.stage("qualifying").rankings
    fifths = [ranking.lines[4] for ranking in rankings]
    best = max(fifths, key=lambda line: line.points)
    po1 = {place.participant for place in current.state.stage("po1").places}
    assert po1 == {ranking.lines[3].participant for ranking in rankings} | {best.participant}
    for stage in [each.key for each in tournament.format.stages][1:]:
        current = play_stage(tournament, stage)
    assert current.state.is_over
    assert len(current.state.arrivals["champion"]) == 1
