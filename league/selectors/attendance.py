from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef

from league.core.sessions import TablesOfThose, answers_end, day_ends, tables_of
from league.models import Attendance, Hanchan, League, PlannedSeat, Player, Session
from league.selectors.people import current_player, listing_order
from league.selectors.sessions import start_of

Answer = Attendance.Answer


@dataclass(frozen=True, slots=True)
class AnswerOf:
    player: Player
    attendance: Attendance


@dataclass(frozen=True, slots=True)
class WhoComes:
    """The answers of a session by kind, in player order.

    `closes`: the deadline; `is_open`: it has not passed. `tables`: how many tables fill up, None if the rules cannot
    be read.
    """

    coming: tuple[AnswerOf, ...]
    late: tuple[AnswerOf, ...]
    absent: tuple[AnswerOf, ...]
    closes: datetime
    is_open: bool
    tables: TablesOfThose | None

    @property
    def number(self) -> int:
        """Number of players who come, including late ones."""
        return len(self.coming) + len(self.late)

    @property
    def has_answers(self) -> bool:
        return bool(self.coming or self.late or self.absent)

    @property
    def everybody(self) -> Sequence[AnswerOf]:
        return (*self.coming, *self.late, *self.absent)


def who_comes(session: Session, now: datetime) -> WhoComes:
    """Return the answers, and people who have a seat but did not answer as coming. Two queries."""
    held = {each.player.pk: each for each in answers_of(session)}
    for seated in Player.objects.filter(planned_in__session=session).select_related("merged_into").distinct():
        player = current_player(seated)
        held.setdefault(player.pk, AnswerOf(player, Attendance(player=player, answer=Answer.COMING)))
    by_answer: dict[str, list[AnswerOf]] = {}
    for each in sorted(held.values(), key=_in_order):
        by_answer.setdefault(each.attendance.answer, []).append(each)
    coming, late, absent = (tuple(by_answer.get(kind, ())) for kind in (Answer.COMING, Answer.LATE, Answer.ABSENT))
    rules = session.ruleset_version.readable()
    size = (rules and rules.players) or 0
    closes = closing_of(session)
    return WhoComes(
        coming=coming,
        late=late,
        absent=absent,
        closes=closes,
        is_open=session.state == Session.State.OPEN and now < closes,
        tables=tables_of(len(coming) + len(late), size, session.tables) if size else None,
    )


def silent_in(session: Session, comes: WhoComes) -> list[Player]:
    """Return the active players of the league, without guests, who have not answered. At most one query.

    No one is waited for once people have seats without having answered, as in a tournament.
    """
    if any(each.attendance.pk is None for each in comes.everybody):
        return []
    answered = [each.player.pk for each in comes.everybody]
    players = session.league.players.active().filter(is_active=True, is_guest=False)
    return sorted(players.exclude(pk__in=answered).by_reading(), key=listing_order)


def answers_of(session: Session) -> list[AnswerOf]:
    """Return one answer per player, in player order. One query.

    If players were merged, the answer given under the remaining name takes precedence, else the latest one.
    """
    rows = session.attendance.select_related("player__merged_into").order_by("at", "pk")
    held: dict[int, AnswerOf] = {}
    for row in rows:
        now = current_player(row.player)
        known = held.get(now.pk)
        if known is None or known.attendance.player_id != now.pk:
            held[now.pk] = AnswerOf(now, row)
    return sorted(held.values(), key=_in_order)


def _in_order(each: AnswerOf) -> tuple[str, int]:
    return listing_order(each.player), each.player.pk


def players_of(lines: Iterable[AnswerOf]) -> list[Player]:
    return [line.player for line in lines]


def end_of(session: Session) -> datetime:
    """Return the end of the session's league day, when attendance links expire."""
    return day_ends(session.date, session.league.time_zone, session.league.day_boundary)


def closing_of(session: Session, until: datetime | None = None) -> datetime:
    return answers_end(end_of(session), start_of(session.league, session), until or session.answers_until)


def is_asked(session: Session, now: datetime) -> bool:
    """Return whether attendance is shown: the session is open and its day is not over."""
    return session.state == Session.State.OPEN and now < end_of(session)


def player_of_user(league: League, user_pk: int | None) -> Player | None:
    """Return the user's player in the league, or None. One query."""
    return league.players.active().filter(user=user_pk).order_by("pk").first() if user_pk else None


def sessions_to_answer(user_pk: int | None, now: datetime) -> list[tuple[Session, Player]]:
    """Return the user's sessions that still accept answers, each with their player, next first. Two queries.

    Sessions without a start time close once seats are drawn or a hanchan is played. Postponed sessions are excluded
    unless begun, those where the user has a seat without having answered, and a tournament's tables drawn without them.
    """
    mine = Player.objects.active().filter(user=user_pk, league__state=League.State.ACTIVE).select_related("league")
    player_in = {player.league_id: player for player in mine.order_by("-pk")} if user_pk else {}
    drawn = Exists(PlannedSeat.objects.filter(session=OuterRef("pk")))
    begun = drawn | Exists(Hanchan.objects.valid().filter(session=OuterRef("pk")))
    sessions = Session.objects.filter(league__in=player_in, state=Session.State.OPEN, date__gte=now.date() - NEAR)
    moved = Exists(Session.objects.kept().filter(postponed_from=OuterRef("pk")))
    own = {"session": OuterRef("pk"), "player__in": list(player_in.values())}
    seated = Exists(PlannedSeat.objects.filter(**own))
    sessions = sessions.exclude(seated, ~Exists(Attendance.objects.filter(**own)))
    sessions = sessions.exclude(drawn, ~seated, stage__isnull=False)
    sessions = sessions.exclude(begun, start_time=None).exclude(moved, ~begun)
    found = []
    for session in sessions.select_related("ruleset_version").order_by("date", "start_time", "pk")[:MOST_ASKED]:
        session.league = player_in[session.league_id].league
        if now < closing_of(session):
            found.append((session, player_in[session.league_id]))
    return found


NEAR = timedelta(days=2)
"""Margin in the date filter that covers every time zone."""

MOST_ASKED = 20
"""Most upcoming sessions to load."""


def attendance_of(session: Session, player: Player) -> Attendance | None:
    return next((each.attendance for each in answers_of(session) if each.player.pk == player.pk), None)
