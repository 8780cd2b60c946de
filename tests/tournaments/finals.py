"""A final of four before its last hanchan, for tests of what shows it."""

from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_stage, play_table
from tournaments.models import StageSession


def final_of_four() -> StageSession:
    tournament = make_tournament()
    for stage in ("qualifying", "po1", "po2", "po3"):
        play_stage(tournament, stage)
    final = draw_and_plan(tournament, "final")[0]
    for number in range(1, tournament_round(final)):
        play_table(final, 1, number, by_entry(tournament))
    return final


def tournament_round(final: StageSession) -> int:
    return final.tournament.format.stage("final").planned
