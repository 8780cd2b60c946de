"""The pictures of an evening and of a hanchan."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext

from league.http.access import session_of
from league.http.hanchan import hanchan_of
from league.messages import plain_name
from league.models import Hanchan, League, Player, Seat, Session
from league.selectors.games import seats_of
from league.selectors.names import as_everybody_reads
from league.selectors.session_summaries import SessionPointsTotal, session_points_total
from league.selectors.sheets import Sheet, sheet_of
from league.selectors.sheets.large import ROUND, LargeSheet, large_sheet, with_size
from league.templatetags.tenbo.days import day, when
from league.templatetags.tenbo.numbers import points_text, raw_score_text
from league.templatetags.tenbo.places import placement, rank_label
from stats.core.cards import CardRow, ShareCard
from stats.core.cards.layout import MAX_ROWS
from stats.exports.cards.kinds import Given, Held
from stats.exports.cards.league import counted, listed, people


def session_card(league: League, given: Given) -> ShareCard:
    """Return who came first in a session. As many queries as its score table; Http404 where there is no such session."""
    session = session_of(league, int(given["pk"]), with_size(league.sessions.all()))
    return card_of_session(session, score_table(session), session_points_total(session))


def score_table(session: Session) -> Sheet | LargeSheet:
    """Return the score table of a session, or its sums where one table is too small, by the league's ledger."""
    if getattr(session, "is_large", False):
        return large_sheet(session, session.league.ledger, ROUND, "")
    return sheet_of(session, session.league.ledger)


def session_at_hand(page: Held) -> ShareCard:
    """Return the picture of a session by its own page; its name alone where that has added up the other ledger."""
    session, sheet = page["session"], page["sheet"]
    if sheet.ledger != session.league.ledger:
        return ShareCard(place=plain_name(session.league), title=plain_name(session))
    return card_of_session(session, sheet, page["session_points"])


def card_of_session(session: Session, sheet: Sheet | LargeSheet, besides: SessionPointsTotal | None) -> ShareCard:
    """Return the same of a session that is at hand, by its score table; by its points where nobody has its hanchan."""
    league, played = session.league, listed(when(session), session.venue)
    lines = [(column.player, column.total) for column in sheet.columns]
    if lines:
        played = listed(played, people(len(lines)), counted(sheet.hanchan))
    elif besides:
        lines = [(row.player, row.points) for row in besides.rows if not row.withdrawn]
    rows = tuple(_rows(league, lines))
    return ShareCard(plain_name(league), str(session), played, rows, words=(_without_results(session),))


def _rows(league: League, lines: Sequence[tuple[Player, int]]) -> Iterator[CardRow]:
    """Yield the first of an evening; who is level shares a rank, in the order of the names as everybody reads them."""
    points = [each for _, each in lines]
    players = as_everybody_reads(league, (player for player, _ in lines))
    best = sorted(zip(points, players, strict=True), key=lambda line: (-line[0], line[1].sort_key))
    for own, player in best[:MAX_ROWS]:
        yield CardRow(rank_label(1 + sum(other > own for other in points)), plain_name(player), points_text(own))


def _without_results(session: Session) -> str:
    """Return what is said of a session in which nothing was played."""
    if session.state == Session.State.WITHDRAWN:
        return gettext("This session was withdrawn")
    return gettext("No hanchan here yet")


def hanchan_card(league: League, given: Given) -> ShareCard:
    """Return the result of a hanchan. Four queries; Http404 where there is no such hanchan."""
    hanchan = hanchan_of(league, int(given["pk"]))
    return card_of_hanchan(hanchan, seats_of(hanchan))


def hanchan_at_hand(page: Held) -> ShareCard | None:
    """Return the picture of a hanchan by its own page."""
    return card_of_hanchan(page["hanchan"], page["seats"]) if "seats" in page else None


def card_of_hanchan(hanchan: Hanchan, seats: Sequence[Seat]) -> ShareCard:
    """Return the result of a hanchan that is at hand; nothing of it where it was taken back."""
    league, session = hanchan.league, hanchan.session
    facts = {"session": session, "round": hanchan.round}
    players = as_everybody_reads(league, (seat.player for seat in seats))
    rows = sorted(zip(seats, players, strict=True), key=lambda pair: (pair[0].placement, pair[0].seat))
    return ShareCard(
        place=plain_name(league),
        title=gettext("%(session)s, round %(round)s") % facts,
        line=listed(day(session.date), gettext("table %(table)s") % {"table": hanchan.table}),
        rows=() if hanchan.is_voided else tuple(_seat_row(seat, plain_name(player)) for seat, player in rows),
        words=(gettext("This result was taken back and counts nowhere"),),
    )


def _seat_row(seat: Seat, name: str) -> CardRow:
    raw = "" if seat.raw_score is None else raw_score_text(seat.raw_score)
    return CardRow(placement(seat.placement), name, points_text(seat.points), raw)
