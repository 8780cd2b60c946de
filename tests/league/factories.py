"""Factories for leagues, people and results: plain functions that use the services.

Aoki, Ishida, Ueno and Eguchi sit East to North everywhere.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from league.core.periods import Period
from league.interchange.text import text_of
from league.models import Hanchan, League, Membership, Player, RulesetVersion, Session
from league.selectors.boards import live_lines
from league.selectors.games import seats_of
from league.selectors.planning import planned_in, table_plans
from league.services.boards import leagues_to_refresh, refresh_league
from league.services.calendar import SessionFacts, open_session
from league.services.history import SYSTEM, Actor
from league.services.people import PlayerFacts, add_player, set_role
from league.services.results import HanchanResult, TableAndTime, correct_hanchan, record_hanchan, result_of
from league.services.rules import adopt_card, make_current, save_version
from league.services.session_points import PublishedSum
from scoring.core import FinishedGame

PASSWORD = "tenbo-test"

DAY = date(2025, 11, 21)
"""Default start of a session."""

RAW = (31700, 31300, 25500, 11500)
"""The example of the Camarade rules: +21.7, +1.3, -4.5, -18.5."""

PEOPLE = (
    PlayerFacts("青木", "あおき", "Aoki", "1"),
    PlayerFacts("石田", "いしだ", "Ishida", "2"),
    PlayerFacts("上野", "うえの", "Ueno", "3"),
    PlayerFacts("江口", "えぐち", "Eguchi", "4"),
)


def run(*args: str, **options: Any) -> str:
    output = io.StringIO()
    call_command(*args, stdout=output, stderr=io.StringIO(), **options)
    return output.getvalue()


def sums(points: Mapping[Player, int], hanchan: int | None = None) -> dict[Player, PublishedSum]:
    return {player: PublishedSum(each, hanchan) for player, each in points.items()}


def make_user(name: str = "aoki", *, league: League | None = None, role: str | None = None, **fields: Any) -> User:
    user = User.objects.create_user(name, f"{name}@example.org", PASSWORD, **fields)
    if league is not None and role is not None:
        set_role(league=league, user=user, role=Membership.Role(role), by=SYSTEM)
    return user


def client_of(user: User, **options: Any) -> Client:
    client = Client(**options)
    client.force_login(user)
    return client


def logged_in(league: League, role: str, name: str = "", **options: Any) -> Client:
    return client_of(make_user(name or role, league=league, role=role), **options)


def log_in(name: str) -> Client:
    client = Client()
    assert client.login(username=name, password=PASSWORD)
    return client


def make_league(
    slug: str = "camarade",
    *,
    card: str | None = "camarade",
    parameters: Mapping[str, object] | None = None,
    players: int = 0,
    **settings: Any,
) -> League:
    league = League.objects.create(slug=slug, **{"name": "カマラードリーグ", "name_en": "Camarade League"} | settings)
    if card is not None:
        version = adopt_card(league=league, card_key=card, name=card, by=SYSTEM)
        if parameters:
            changed = {**version.parameters, **parameters}
            version = save_version(ruleset=version.ruleset, parameters=changed, note="", by=SYSTEM)
            make_current(league=league, version=version, by=SYSTEM)
    make_players(league, players)
    return league


def next_version(league: League, **changed: object) -> RulesetVersion:
    """Return a new version of the league's rules, not in force; None removes a parameter."""
    old = league.current_version
    assert old is not None
    parameters = {name: value for name, value in {**old.parameters, **changed}.items() if value is not None}
    return save_version(ruleset=old.ruleset, parameters=parameters, note="", by=SYSTEM)


def make_players(league: League, count: int = 4) -> list[Player]:
    known = league.players.count()
    return [_make_player(league, number) for number in range(known, known + count)]


def _make_player(league: League, number: int) -> Player:
    if number < len(PEOPLE):
        facts = PEOPLE[number]
    else:
        facts = PlayerFacts(f"選手{number + 1}", f"せんしゅ{number + 1}", f"Player {number + 1}", str(number + 1))
    return add_player(league=league, facts=facts, by=SYSTEM, key=f"p{number + 1}")


def make_session(league: League, day: date = DAY, **facts: Any) -> Session:
    return open_session(league=league, facts=SessionFacts(date=day, **facts), by=SYSTEM)


def play(
    session: Session,
    raw: Sequence[int] = RAW,
    players: Sequence[Player] | None = None,
    *,
    sticks_left: int = 0,
    yakuman: Sequence[tuple[int, str]] = (),
    note: str = "",
    table: int = 1,
    round: int | None = None,
    played_at: datetime | None = None,
    by: Actor = SYSTEM,
    as_is: bool = False,
    even_if_others: bool = False,
    **facts: Sequence[Any],
) -> Hanchan:
    """Return a recorded hanchan, by default of the league's first players, who are created if missing.

    `facts`: other facts of the game; `points` (1/1000 pt) replace raw scores. Equal results in a row are stored as two
    hanchan, without a question.
    """
    others = {name: tuple(each) for name, each in facts.items()}
    game = FinishedGame(() if "points" in facts else tuple(raw), sticks_left, as_is=as_is, **others)
    seated = tuple(players) if players is not None else _first_players(session.league, game.size)
    return record_hanchan(
        session=session,
        result=HanchanResult(seated, game, note=note, yakuman=tuple(yakuman)),
        table_and_time=TableAndTime(table, round, played_at, even_if_others=even_if_others),
        by=by,
        even_if_same=True,
    ).hanchan


def state_of(hanchan: Hanchan) -> str:
    return Hanchan.objects.get(pk=hanchan.pk).state


def correct(
    hanchan: Hanchan,
    raw: Sequence[int] = (),
    players: Sequence[Player] = (),
    *,
    by: Actor = SYSTEM,
    reason: str = "a slip",
    note: str | None = None,
    table_and_time: TableAndTime | None = None,
    **game: Any,
) -> Hanchan:
    """Return the hanchan corrected from its current version, with other scores or players if given."""
    current = Hanchan.objects.get(pk=hanchan.pk)
    known = result_of(current)
    result = replace(
        known,
        players=tuple(players) or known.players,
        game=FinishedGame(tuple(raw), **game) if raw else known.game,
        note=known.note if note is None else note,
    )
    return correct_hanchan(
        hanchan=current,
        seen_version=current.version,
        result=result,
        table_and_time=table_and_time or TableAndTime(),
        by=by,
        reason=reason,
    )


def _first_players(league: League, count: int) -> tuple[Player, ...]:
    missing = count - league.players.active().count()
    if missing > 0:
        make_players(league, missing)
    return tuple(league.players.active().order_by("pk")[:count])


def settle() -> int:
    """Refresh every stale board, as the worker would; return how many there were."""
    return sum(refresh_league(league_id) for league_id in leagues_to_refresh())


def planned_players(session: Session, table: int, round_number: int) -> tuple[Player, ...]:
    return planned_in(table_plans(session, table), round_number)


def points_of(hanchan: Hanchan) -> list[int]:
    """Return the ranking points of a hanchan's seats in 1/1000 pt, first dealer first."""
    return [seat.points for seat in seats_of(hanchan)]


def live_ranks(league: League, period: Period) -> dict[int, int | None]:
    return {line.player_id: line.rank for line in live_lines(League.objects.get(pk=league.pk), period)}


def as_text(document: Mapping[str, Any]) -> str:
    return "".join(text_of(document))
