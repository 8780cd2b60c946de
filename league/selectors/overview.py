from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, OuterRef, Subquery

from league.core.periods import ALL_TIME
from league.core.sessions import SessionPhase
from league.models import Board, Hanchan, League, Membership, Player, Seat, Session, Standing
from league.permissions import MANAGE, MAY
from league.selectors.sessions import by_start, phases_among, session_phases
from league.selectors.standings_sql import points_column

MAX_LEAGUES = 60

LOOKED_AHEAD = 12
"""Sessions searched for upcoming ones."""


@dataclass(frozen=True, slots=True)
class LeagueCard:
    """A league in a list, with the user's role, numbers of hanchan and players, and whether it is playing now."""

    league: League
    role: str | None
    hanchan: int
    players: int
    latest: Session | None
    is_live: bool
    coming: Session | None
    is_today: bool

    @property
    def lacks_session(self) -> bool:
        """Whether nothing is played or planned and the user may change that."""
        return self.role is not None and MANAGE in MAY[self.role] and not (self.is_live or self.coming)

    @property
    def role_name(self) -> str:
        return str(Membership.Role(self.role).label) if self.role else ""


def league_cards(user: User | AnonymousUser, now: datetime) -> list[LeagueCard]:
    """Return the leagues the user may read, own ones first, then by latest play. Five queries, for members six.

    If there was play today or own sessions are coming, also those of `phases_among`.
    """
    roles = dict(Membership.objects.filter(user=user.pk).values_list("league_id", "role")) if user.pk else {}
    leagues = list(League.objects.visible_to(user)[: 10 * MAX_LEAGUES])
    keys = [league.pk for league in leagues]
    latest = _latest_sessions(keys)
    boards = Board.objects.filter(league__in=keys, period=ALL_TIME.key)
    played = {league: counts for league, *counts in boards.values_list("league_id", "hanchan", "lines")}
    live, coming = _live_and_coming({league.pk: league for league in leagues}, latest, set(roles), now)
    cards = [
        LeagueCard(
            league=league,
            role=roles.get(league.pk),
            hanchan=played.get(league.pk, (0, 0))[0],
            players=played.get(league.pk, (0, 0))[1],
            latest=latest.get(league.pk),
            is_live=league.pk in live,
            coming=(ahead := coming.get(league.pk)),
            is_today=ahead is not None and ahead.date == league.day_of(now),
        )
        for league in leagues
    ]
    return sorted(cards, key=_by_interest)[:MAX_LEAGUES]


def _latest_sessions(leagues: Sequence[int]) -> dict[int, Session]:
    last = Hanchan.objects.valid().filter(league=OuterRef("pk")).order_by("-day", "-pk").values("session")[:1]
    found = League.objects.filter(pk__in=leagues).order_by().values_list(Subquery(last), flat=True)
    sessions = Session.objects.in_bulk([session for session in found if session is not None])
    return {session.league_id: session for session in sessions.values()}


def _live_and_coming(
    leagues: Mapping[int, League], latest: Mapping[int, Session], own: set[int], now: datetime
) -> tuple[set[int], dict[int, Session]]:
    """Return the primary keys of leagues that are playing now, and the next session of own leagues by primary key."""
    ahead = Session.objects.filter(league__in=own, state=Session.State.OPEN, date__gte=now.date() - timedelta(days=1))
    planned = ahead.order_by("date", "start_time", "number")[:MAX_LEAGUES]
    found = [(leagues[each.league_id], each) for each in (*planned, *latest.values()) if each.league_id in leagues]
    found = [(league, each) for league, each in found if each.date >= league.day_of(now)]
    phases = phases_among(found, now)
    coming = {
        league.pk: each
        for league, each in reversed(found)
        if each != latest.get(league.pk)
        and phases[each.pk] is not SessionPhase.RUNNING
        and not _is_past(each, phases[each.pk])
    }
    return {pk for pk, each in latest.items() if phases.get(each.pk) is SessionPhase.RUNNING}, coming


def _by_interest(card: LeagueCard) -> tuple[bool, bool, int, str]:
    day = card.latest.date.toordinal() if card.latest else 0
    return card.role is None, not card.is_live, -day, card.league.name


@dataclass(frozen=True, slots=True)
class PlayerOfSession:
    """A player's result of a session. `points` in 1/1000 pt of the league's ledger; `placements` in order of play."""

    player: Player
    points: int
    placements: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The result of a session. `rules`: primary keys of the versions that scored it."""

    session: Session
    hanchan: int
    rules: frozenset[int]
    lines: tuple[PlayerOfSession, ...]


def last_session(league: League, running: Collection[Session] = ()) -> SessionResult | None:
    """Return the result of the session of the latest day that began last, of several that of a final.

    A final or a session of the league itself that is `running` comes first.
    """
    played = Hanchan.objects.counted().filter(session=OuterRef("pk"))
    sessions = league.sessions.filter(Exists(played)).select_related("stage__tournament")
    latest = list(sessions.order_by("-date", "-number")[:LOOKED_AHEAD])
    of_that_day = [each for each in latest if each.date == latest[0].date]
    return _result(league, max(of_that_day, key=lambda each: _by_weight(each, running))) if latest else None


def _by_weight(session: Session, running: Collection[Session]) -> tuple[object, ...]:
    stage = getattr(session, "stage", None)
    is_final = stage is not None and stage.tournament.format.title_of(stage.stage) is not None
    is_now = session in running and (is_final or stage is None)
    return is_now, *by_start(session, session.league.day_boundary)[:-1], is_final, session.number


def _result(league: League, session: Session) -> SessionResult:
    of_hanchan = ("hanchan_id", "hanchan__ruleset_version_id")
    fields = ("player_id", points_column(league), "total_only", "placement", *of_hanchan)
    seats = Seat.objects.counted().filter(hanchan__session=session).order_by("played_at", "hanchan_id")
    points: dict[int, int] = {}
    placements: dict[int, list[int]] = {}
    hanchan: dict[int, int] = {}
    for player, gained, total_only, placement, game, version in seats.values_list(*fields):
        points[player] = points.get(player, 0) + gained + total_only
        placements.setdefault(player, []).append(placement)
        hanchan[game] = version
    people = Player.objects.order_by().in_bulk(points)
    best = sorted(people, key=lambda player: (-points[player], people[player].sort_key, player))
    lines = (PlayerOfSession(people[player], points[player], tuple(placements[player])) for player in best)
    return SessionResult(session, len(hanchan), frozenset(hanchan.values()), tuple(lines))


def coming_sessions(league: League, now: datetime) -> list[tuple[Session, SessionPhase]]:
    """Return today's open sessions and the next one, with their phases. Four queries.

    Left out are sessions whose planned hanchan are all played, and those whose tables were all postponed.
    """
    today = league.day_of(now)
    sessions = league.sessions.filter(state=Session.State.OPEN, date__gte=today).select_related("postponed_from")
    nearest = list(sessions.order_by("date", "start_time", "number")[:LOOKED_AHEAD])
    nearest.sort(key=lambda each: by_start(each, league.day_boundary))
    phases = session_phases(league, nearest, now)
    coming = [(each, phases[each.pk]) for each in nearest if not _is_past(each, phases[each.pk])]
    later = sum(session.date == today for session, _phase in coming)
    return coming[: later + 1]


def _is_past(session: Session, phase: SessionPhase) -> bool:
    is_moved = phase is SessionPhase.POSTPONED and session.postponed_from_id is None
    return is_moved or phase is SessionPhase.OVER


def top_three(league: League) -> list[Standing]:
    """Return the first three of the latest month with a ranking. One query."""
    ranked = Standing.objects.filter(league=league, rank__isnull=False)
    months = ranked.filter(period__contains="-").order_by("-period").values("period")
    lines = ranked.filter(period=Subquery(months[:1]), player__league=league).select_related("player")
    return list(lines.order_by("rank", "player__sort_key", "pk")[:3])
