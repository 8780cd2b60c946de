"""Results and decisions of the demo tournaments: last year's in full, this year's up to tonight."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import cycle
from random import Random
from uuid import UUID

from league.core.periods import moment_on
from league.management.demo.people import ACCOUNTS, PEOPLE
from league.management.demo.stories import FIRST_END, HANCHAN_EVERY, VENUES, Cast, hours_of, played, result_from
from league.models import League, Player, Session
from league.selectors.planning import next_round, planned_in, table_plans
from league.services.bulk import PreparedHanchan, prepare, store
from league.services.calendar import set_session_state
from league.services.history import Actor
from league.services.people import add_player
from league.services.results import TableAndTime, record_hanchan
from tournaments.core.calendar import PlannedSession
from tournaments.core.reading import load_document
from tournaments.core.ticking import Situation, TickRules, after_hand, at_first, is_last, tick_rules
from tournaments.models import RegistrationTerms, StageSession, Tick, Tournament
from tournaments.selectors.state import state_of
from tournaments.services.decisions import AdvancementChoice, approve, approve_all, finish, withdraw
from tournaments.services.drawing import draw, draw_by_lot
from tournaments.services.hall import record_tick
from tournaments.services.planning import SessionPlan, plan_stage, sessions_wanted
from tournaments.services.registering import register_player
from tournaments.services.registration_terms import change_moment, offer_registration
from tournaments.services.setup import create_tournament, enter_players, set_seeds

ABSENT_LAST_YEAR = "koharu"
ABSENT_THIS_YEAR = "yamabuki"


HAND_EVERY = timedelta(minutes=4)
HONBA = 300

WINS = ((3, 0, 7700), (2, 1, 3900), (1, 0, 2000), (0, 2, 3900), (3, 1, 2000), (1, 3, 7700), (2, 0, 3900))
"""Winner, discarder and value of demo hands, with players given by placement before the hanchan."""


def type_evening(
    cast: Cast, session: Session, places: Mapping[Player, int], tonight: tuple[datetime, datetime]
) -> None:
    """Enter table 1 hand by hand up to the last hand. `places`: placements from 0, first dealer first."""
    begin, latest = tonight
    hands = list(_hands(tick_rules(cast.rules), tuple(places.values())))
    for number, situation in enumerate(hands):
        tick = Tick(
            session=session,
            table=1,
            round=next_round(session, 1),
            number=number,
            seats=[player.pk for player in places],
            **asdict(situation),
            client_key=UUID(int=cast.dice.getrandbits(128), version=4),
            at=max(begin, latest - (len(hands) - number) * HAND_EVERY),
        )
        record_tick(tick=tick, by=cast.by)


def _hands(rules: TickRules, places: tuple[int, ...]) -> Iterator[Situation]:
    now = at_first(rules)
    yield now
    for winner, loser, points in cycle(WINS):
        if is_last(now.hand, rules):
            return
        moved = points + HONBA * now.honba
        scores = list(now.scores)
        scores[places.index(winner)] += moved
        scores[places.index(loser)] -= moved
        now = after_hand(now, scores, now.sticks, rules)
        yield now


FORMAT = "cinderella"
WEEK = timedelta(days=7)
SESSIONS_BEFORE_TONIGHT = 5
"""Four qualifying sessions and one of playoff 1."""

DECIDED_AT = time(23, 30)
THIS_YEAR = 10
"""Random seed of this year's tournament, chosen so that two players are tied and the last hand decides."""


@dataclass(frozen=True, slots=True)
class StageUnderWay:
    cast: Cast
    tournament: Tournament
    key: str


def tournaments(league: League, by: Actor, today: date, now: datetime) -> list[Tournament]:
    cast = _cast(league, by)
    first = today - SESSIONS_BEFORE_TONIGHT * WEEK
    before = _last_year(cast, first.year - 1, first - 52 * WEEK)
    this_year = replace(cast, dice=Random(THIS_YEAR))
    return [before, _this_year(this_year, first.year, first, hours_of(league, today, now))]


def _cast(league: League, by: Actor) -> Cast:
    for key, each in PEOPLE["newcomers"].items():
        add_player(league=league, facts=each.facts, by=by, key=key)
    players = {player.key: player for player in league.players.active().order_by("pk")}
    strengths = {players[key].pk: each.strength for key, each in (PEOPLE["cinderella"] | PEOPLE["newcomers"]).items()}
    version = league.current_version
    assert version is not None
    return Cast(league, players, strengths, version.read(), Random("glass slipper"), by)


def _last_year(cast: Cast, year: int, first: date) -> Tournament:
    tournament = _created(cast, year, [key for key in cast.players if key != ABSENT_LAST_YEAR])
    days = iter(first + week * WEEK for week in range(20))
    for key in ("qualifying", "po1", "po2", "po3", "final"):
        stage = StageUnderWay(cast, tournament, key)
        games = _play_all(stage, _planned(stage, days, year))
        if key == "qualifying":
            games[10] = _with_chombo(stage, games[10])
        _store(stage, games)
        if key == "po1":
            _let_the_third_go_on(stage)
        _approve(stage)
    return finish(tournament=tournament, by=cast.by)


def _this_year(cast: Cast, year: int, first: date, tonight: tuple[datetime, datetime]) -> Tournament:
    tournament = _created(cast, year, [key for key in cast.players if key != ABSENT_THIS_YEAR])
    days = iter(first + week * WEEK for week in range(20))
    for key in ("qualifying", "po1"):
        stage = StageUnderWay(cast, tournament, key)
        _store(stage, _play_all(stage, _planned(stage, days, THIS_YEAR)))
        _approve(stage)
    _second_leaves(StageUnderWay(cast, tournament, "po3"), first + (SESSIONS_BEFORE_TONIGHT * WEEK - timedelta(days=1)))
    _play_tonight(StageUnderWay(cast, tournament, "po2"), days, tonight)
    return tournament


def _created(cast: Cast, year: int, keys: Sequence[str]) -> Tournament:
    tournament = Tournament(
        league=cast.league,
        key=f"cinderella-{year}",
        name=f"シンデレラリーグ {year}",
        name_en=f"Cinderella League {year}",
        note="人も成績も、すべて架空のものです。All people and results are invented.",
        format_key=FORMAT,
        document=load_document(FORMAT, len(keys)),
    )
    create_tournament(tournament=tournament, by=cast.by)
    entries = enter_players(tournament=tournament, players=[cast.players[key] for key in keys], by=cast.by)
    set_seeds(tournament=tournament, seeds={entry: seed for seed, entry in enumerate(entries[:4], 1)}, by=cast.by)
    return tournament


def open_to_all(league: League, by: Actor, today: date) -> Tournament:
    tournament = Tournament(
        league=league,
        key="open",
        name="カマラードオープン",
        name_en="Camarade Open",
        note="人も成績も、すべて架空のものです。All people and results are invented.",
        format_key="swiss",
        document=load_document("swiss"),
    )
    create_tournament(tournament=tournament, by=by)
    closes_at = moment_on(today + 3 * WEEK, DECIDED_AT, league.time_zone, league.day_boundary)
    waits = ACCOUNTS[-1].player
    wants = sorted(league.players.active().filter(is_guest=False), key=lambda each: (each.key == waits, each.pk))[-10:]
    offered = RegistrationTerms(
        places=8, audience=RegistrationTerms.Audience.ANYONE, note="途中からの参加はできません。"
    )
    offer_registration(tournament=tournament, offered=offered, by=by)
    for player in wants:
        register_player(tournament=tournament, player=player, by=by)
    # Demo dates are in the past, so registration would otherwise be closed.
    change_moment(tournament=tournament, name="closes_at", at=closes_at, by=by)
    return tournament


def _planned(stage: StageUnderWay, days: Iterator[date], seed: int) -> list[StageSession]:
    found, tournament, by = stage.tournament.format.stage(stage.key), stage.tournament, stage.cast.by
    sessions = tuple(
        PlannedSession(number, block, next(days)) for number, block in sessions_wanted(found, together=False)
    )
    if tournament.format.is_entered(found):
        draw(
            tournament=tournament,
            stage=stage.key,
            drawn=draw_by_lot(state_of(tournament), stage.key, seed),
            by=_in_the_evening(stage, sessions[0].date - WEEK),
        )
    plan = SessionPlan(sessions, venue=stage.cast.dice.choice(VENUES), seed=seed)
    return plan_stage(tournament=tournament, stage=stage.key, plan=plan, by=by)


def _play_all(stage: StageUnderWay, sessions: Sequence[StageSession]) -> list[PreparedHanchan]:
    hanchan = stage.tournament.format.stage(stage.key).hanchan
    games: list[PreparedHanchan] = []
    for session in (each.session for each in sessions):
        for table in range(1, session.tables + 1):
            plans = table_plans(session, table)
            games += [
                _game(stage, session, table, number, planned_in(plans, number)) for number in range(1, hanchan + 1)
            ]
    return games


def _game(
    stage: StageUnderWay, session: Session, table: int, number: int, players: Sequence[Player]
) -> PreparedHanchan:
    cast = stage.cast
    begin = moment_on(session.date, FIRST_END, cast.league.time_zone, cast.league.day_boundary)
    moment = begin + (number - 1) * HANCHAN_EVERY + timedelta(minutes=table)
    return prepare(session, result_from(players, played(cast, players)), TableAndTime(table, number, moment), cast.by)


def _store(stage: StageUnderWay, games: Sequence[PreparedHanchan]) -> None:
    store(stage.cast.league, games, stage.cast.by)
    for session in dict.fromkeys(game.hanchan.session for game in games):
        set_session_state(session=session, state=Session.State.CLOSED, by=stage.cast.by)


def _play_tonight(stage: StageUnderWay, days: Iterator[date], tonight: tuple[datetime, datetime]) -> None:
    session = _planned(stage, days, THIS_YEAR)[0].session
    begin, latest = tonight
    plans, last = table_plans(session, 1), stage.tournament.format.stage(stage.key).hanchan
    for number in range(1, last):
        players = planned_in(plans, number)
        moment = max(begin + timedelta(minutes=number), latest - (last - number) * HANCHAN_EVERY)
        result = result_from(players, played(stage.cast, players))
        table_and_time = TableAndTime(1, number, moment)
        record_hanchan(session=session, result=result, table_and_time=table_and_time, by=stage.cast.by)
    type_evening(stage.cast, session, _in_order(stage, planned_in(plans, last)), (begin, latest))


def _in_order(stage: StageUnderWay, players: Sequence[Player]) -> dict[Player, int]:
    """Return seated players, first dealer first, with their 0-based positions in the stage."""
    current = state_of(stage.tournament)
    lines = current.state.stage(stage.key).rankings[0].lines
    places = {current.player(line.participant).pk: place for place, line in enumerate(lines)}
    return {player: places[player.pk] for player in players}


def _with_chombo(stage: StageUnderWay, game: PreparedHanchan) -> PreparedHanchan:
    chombo = replace(game.result.game, chombo=(0, 0, 1, 0))
    place = TableAndTime(game.hanchan.table, game.hanchan.round, game.hanchan.played_at)
    result = replace(game.result, game=chombo, note="南2局 チョンボ")
    return prepare(game.hanchan.session, result, place, stage.cast.by)


def _approve(stage: StageUnderWay) -> None:
    paths = state_of(stage.tournament).state.stage(stage.key).paths
    seen = {path.to: [int(participant) for participant in path.proposed] for path in paths if path.decision is None}
    approve_all(tournament=stage.tournament, stage=stage.key, seen=seen, by=_after_the_stage(stage))


def _let_the_third_go_on(stage: StageUnderWay) -> None:
    progress = state_of(stage.tournament).state.stage(stage.key)
    path = progress.paths[0]
    first, third = (int(progress.rankings[0].lines[position].participant) for position in (0, 2))
    choice = AdvancementChoice(
        players=(first, third),
        seen=tuple(int(participant) for participant in path.proposed),
        reason="2位の選手が体調不良で辞退したため、3位を繰り上げ",
    )
    approve(tournament=stage.tournament, stage=stage.key, to=path.to, choice=choice, by=_after_the_stage(stage))


def _second_leaves(stage: StageUnderWay, day: date) -> None:
    current = state_of(stage.tournament)
    leaver = current.entries[int(current.state.stage(stage.key).places[1].participant)]
    reason = "仕事の都合でプレーオフ3を辞退。予選2位の成績はそのまま残ります"
    withdraw(stage="qualifying", entry=leaver, reason=reason, by=_in_the_evening(stage, day))


def _after_the_stage(stage: StageUnderWay) -> Actor:
    sessions = stage.tournament.sessions.filter(stage=stage.key).select_related("session")
    return _in_the_evening(stage, max(each.session.date for each in sessions))


def _in_the_evening(stage: StageUnderWay, day: date) -> Actor:
    league = stage.cast.league
    return replace(stage.cast.by, at=moment_on(day, DECIDED_AT, league.time_zone, league.day_boundary))
