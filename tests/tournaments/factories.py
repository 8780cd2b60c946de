"""Factories for tournaments: plain functions that use the services, as the pages do.

Entries are named by number, from 1 in order of entry. A table lists its players by placement, with the usual raw scores.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from league.core.periods import moment_on
from league.models import Hanchan, League, PlannedSeat, RulesetVersion
from league.services.history import SYSTEM
from league.services.results import EVENING
from tests.league.factories import make_league, make_players, make_user, planned_players, play
from tournaments.core.calendar import PlannedSession
from tournaments.core.format import Fill
from tournaments.core.length import with_length
from tournaments.core.reading import load_document
from tournaments.core.ticking import Situation
from tournaments.models import Entry, StageSession, Tournament
from tournaments.selectors.hall import LiveTable
from tournaments.selectors.inbox import inbox_items
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.decisions import approve_all
from tournaments.services.drawing import BlockDraw, draw, draw_by_format, draw_by_lot
from tournaments.services.planning import SessionPlan, plan_stage, sessions_wanted
from tournaments.services.setup import create_tournament, enter_players

START = date(2025, 4, 4)
"""The day of the first session; each further one is a week later."""

SCORES = (45000, 30000, 20000, 5000)
"""Usual scores from first to fourth, before individual differences."""


def make_cinderella_league(slug: str = "cinderella") -> League:
    return make_league(slug, card="cinderella", name="シンデレラ杯", name_en="Cinderella Cup")


def make_tournament(
    league: League | None = None, format_key: str = "cinderella", *, players: int = 16, length: int = 0, **facts: Any
) -> Tournament:
    """Create a tournament and enter players. `length`: hanchan or sessions, if not as in the format."""
    league, document = league or make_cinderella_league(), load_document(format_key, players or None)
    document = with_length(document, format_key, length) if length else document
    facts = {"key": "t1", "name": "春の大会", "name_en": "Spring tournament"} | facts
    tournament = Tournament(league=league, format_key=format_key, document=document, **facts)
    create_tournament(tournament=tournament, by=SYSTEM)
    enter_players(tournament=tournament, players=make_players(league, players), by=SYSTEM)
    return tournament


def make_running_tournament() -> Tournament:
    tournament = make_tournament()
    play_planned(draw_and_plan(tournament, "qualifying")[0], by_entry(tournament))
    return tournament


def draw_and_plan(tournament: Tournament, stage: str, *, seed: int = 1, start: date = START) -> list[StageSession]:
    format_ = tournament.format
    if len(format_.stage(stage).blocks) > 1 or format_.is_entered(format_.stage(stage)):
        draw(tournament=tournament, stage=stage, drawn=drawn_blocks(tournament, stage, seed=seed), by=SYSTEM)
    return plan(tournament, stage, seed=seed, start=start)


def drawn_blocks(tournament: Tournament, stage: str, *, seed: int = 1) -> BlockDraw:
    current = state_of(tournament)
    found = tournament.format.stage(stage)
    if found.fill is Fill.DRAW and len(found.blocks) > 1:
        return draw_by_lot(current, stage, seed)
    return draw_by_format(current, stage)


def plan(tournament: Tournament, stage: str, *, seed: int = 1, start: date = START) -> list[StageSession]:
    wanted = sessions_wanted(tournament.format.stage(stage), together=False)
    sessions = tuple(
        PlannedSession(number, block, start + timedelta(weeks=week)) for week, (number, block) in enumerate(wanted)
    )
    return plan_stage(tournament=tournament, stage=stage, plan=SessionPlan(sessions, seed=seed), by=SYSTEM)


def play_planned(stage_session: StageSession, strength: Mapping[int, int]) -> list[Hanchan]:
    """Play all planned hanchan of a session; the stronger player (smaller number) always finishes higher."""
    return [play_table(stage_session, table, number, strength) for number, table in planned_tables(stage_session)]


def planned_tables(stage_session: StageSession) -> list[tuple[int, int]]:
    return sorted(set(PlannedSeat.objects.filter(session=stage_session.session).values_list("round", "table")))


def play_table(stage_session: StageSession, table: int, number: int, strength: Mapping[int, int]) -> Hanchan:
    players = planned_players(stage_session.session, table, number)
    order = sorted(players, key=lambda player: strength[player.pk])
    # The first two get slightly more the stronger they are, taken from the other two, so that no one ties.
    first, second = (100 * (40 - strength[player.pk]) for player in order[:2])
    scores = [SCORES[0] + first, SCORES[1] + second, SCORES[2] - second, SCORES[3] - first]
    session = stage_session.session
    more = ((session.ruleset_version.read().start_points or 25000) * 4 - sum(SCORES)) // 4
    raw = [scores[order.index(player)] + more for player in players]
    start = moment_on(session.date, EVENING, session.league.time_zone, session.league.day_boundary)
    moment: datetime = start + timedelta(minutes=50 * (number - 1) + table)
    return play(session, raw, players, table=table, round=number, played_at=moment)


def by_entry(tournament: Tournament) -> dict[int, int]:
    return {entry.player_id: number for number, entry in enumerate(tournament.entries.order_by("number"))}


def approve_stage(tournament: Tournament, stage: str) -> CurrentState:
    paths = state_of(tournament).state.stage(stage).paths
    seen = {path.to: [int(participant) for participant in path.proposed] for path in paths}
    approve_all(tournament=tournament, stage=stage, seen=seen, by=SYSTEM)
    return state_of(tournament)


def play_stage(tournament: Tournament, stage: str) -> CurrentState:
    start = START + timedelta(weeks=10 * [each.key for each in tournament.format.stages].index(stage))
    for each in draw_and_plan(tournament, stage, start=start):
        play_planned(each, by_entry(tournament))
    return approve_stage(tournament, stage)


def to(name: str, tournament: Tournament, *rest: object) -> str:
    return reverse(f"tournaments:{name}", args=[tournament.league.slug, tournament.key, *rest])


def kinds(tournament: Tournament, today: date = START) -> list[str]:
    return [item.kind for item in inbox_items(state_of(tournament), today)]


def play_to_the_final(start: date = START) -> StageSession:
    tournament = make_tournament()
    for stage in ("qualifying", "po1", "po2", "po3"):
        play_stage(tournament, stage)
    return draw_and_plan(tournament, "final", start=start)[0]


def entry(tournament: Tournament, number: int) -> Entry:
    return tournament.entries.select_related("player").get(number=number)


def director(league: League, name: str = "ishida") -> User:
    return make_user(name, league=league, role="organiser")


def live_table(players: list[int], *hands: tuple[int, ...], hand: str = "S4", sticks: int = 0) -> LiveTable:
    """Return a table with these players (primary keys, East first) and the current scores, from 25,000 each."""
    history = ((25000,) * len(players), *hands)
    scoring = RulesetVersion.objects.latest("pk").read()
    return LiveTable(tuple(players), Situation(history[-1], hand, 0, sticks), timezone.now(), history, scoring)


def final_of_four() -> StageSession:
    final = play_to_the_final()
    for number in range(1, tournament_round(final)):
        play_table(final, 1, number, by_entry(final.tournament))
    return final


def tournament_round(final: StageSession) -> int:
    return final.tournament.format.stage("final").planned
