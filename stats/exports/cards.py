"""A league's share pictures: which pages have one, and its content. Names are shown as the public sees them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import F
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import get_language, gettext, ngettext

from league.core.board_lines import TWELFTHS
from league.core.periods import ALL_TIME, Period, PeriodKind, parse_period
from league.http.access import scope_period, session_of
from league.http.caching import edition_of, remembered, version_of
from league.http.hanchan import hanchan_of
from league.messages import joined, period_title, plain_name, written_with
from league.models import Board, Hanchan, League, Player, Seat, Session, Standing
from league.permissions import as_everybody_reads, hide_names
from league.selectors.boards import board_lines
from league.selectors.games import seats_of
from league.selectors.large_sheets import ROUND, LargeSheet, large_sheet, with_size
from league.selectors.overview import top_three
from league.selectors.people import current_player
from league.selectors.sessions import SessionPointsTotal, session_points_total
from league.selectors.sheets import Sheet, sheet_of
from league.tables.board import players_at_a_table
from league.templatetags.tenbo import day, when
from league.templatetags.tenbo.numbers import mean_placement, placement, points_text, rank_label, rate, raw_score_text
from stats.core.cards import MAX_ROWS, CardFigure, CardRow, ShareCard
from stats.messages import score_text

Given = Mapping[str, Any]
"""URL arguments besides the league: a session number, a period's key."""

Held = Mapping[str, Any]
"""Context data of a page."""


@dataclass(frozen=True, slots=True)
class CardKind:
    """A kind of share picture. `address`: URL name; `takes`: URL arguments besides the league.

    `make` queries the content, in the page's language and time zone; it raises Http404. `at_hand` builds it from the
    page's context without a query, or returns None if the context is not enough.
    """

    address: str
    pages: tuple[str, ...]
    takes: tuple[str, ...]
    make: Callable[[League, Given], ShareCard]
    at_hand: Callable[[Held], ShareCard | None] = lambda _: None

    def url(self, league: League, given: Given) -> str:
        return reverse(self.address, kwargs={"slug": league.slug} | {name: given[name] for name in self.takes})


kinds: dict[str, CardKind] = {}
"""Kinds of share pictures by URL name of their page."""


def register_card(kind: CardKind) -> CardKind:
    kinds.update(dict.fromkeys(kind.pages, kind))
    return kind


def kept_card(kind: CardKind, league: League, given: Given) -> ShareCard:
    """Return a picture's content, with public names, cached per edition of the league. Raise Http404."""
    taken = tuple((name, str(given[name])) for name in kind.takes)
    key = ("card", kind.address, taken, edition_of(league), get_language())
    with written_with(lambda: ""):
        return remembered(key, lambda: kind.make(league, given))


NOBODY = AnonymousUser()


def counted(hanchan: int) -> str:
    return ngettext("%(counter)s hanchan", "%(counter)s hanchan", hanchan) % {"counter": hanchan}


def people(count: int) -> str:
    return ngettext("%(counter)s player", "%(counter)s players", count) % {"counter": count}


def listed(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def board_card(league: League, given: Given) -> ShareCard:
    """Return the top of a board. At most two queries, besides computing the board of a custom range."""
    period = scope_period(league, given["scope"])
    lines, players, hanchan = _first_lines(league, period)
    hide_names(NOBODY, league, [line.player for line in lines])
    return ShareCard(
        place=plain_name(league),
        title=gettext("Standings, %(title)s") % {"title": period_title(period)},
        line=listed(people(players), counted(hanchan)) if hanchan else "",
        rows=tuple(
            CardRow(rank_label(line.rank), plain_name(line.player), score_text(league, line), counted(line.all_hanchan))
            for line in lines
        ),
        words=(gettext("No hanchan in this period yet"),),
    )


def board_at_hand(page: Held) -> ShareCard | None:
    """Return the picture of a board from its page; title only for a custom range or the board of a day.

    Avoids computing a custom range twice.
    """
    period = page["period"]
    if period.is_stored and not page["as_of"]:
        return None
    title = gettext("Standings, %(title)s") % {"title": period_title(period)}
    return ShareCard(place=plain_name(page["league"]), title=title)


def story_card(league: League, given: Given) -> ShareCard:
    """Return the picture of a month's or year's story. Raise Http404 for other periods."""
    period = story_period(league, given["period"])
    title = gettext("%(period)s in review") % {"period": period_title(period)}
    return replace(board_card(league, {"scope": period.key}), title=title)


def story_period(league: League, key: str) -> Period:
    """Return the month or year with this key. Raise Http404 if there is none."""
    period = scope_period(league, key)
    if period.kind not in {PeriodKind.MONTH, PeriodKind.YEAR}:
        raise Http404
    return period


def _first_lines(league: League, period: Period) -> tuple[list[Standing], int, int]:
    if not period.is_stored:
        lines = board_lines(league, period)
        seats = sum(line.hanchan for line in lines)
        return lines[:MAX_ROWS], len(lines), seats // players_at_a_table(league)
    board = Board.objects.filter(league=league, period=period.key).values_list("lines", "hanchan").first()
    found = Standing.objects.filter(league=league, player__league=league, period=period.key).select_related("player")
    first = found.order_by(F("rank").asc(nulls_last=True), "-score", "player__sort_key", "player_id")[:MAX_ROWS]
    return list(first), *(board or (0, 0))


def player_card(league: League, given: Given) -> ShareCard:
    """Return a player's picture with all-time figures. Raise Http404.

    One query for a player on the board, else two plus one per merge.
    """
    lines = Standing.objects.filter(league=league, period=ALL_TIME.key).select_related("player")
    line = lines.filter(player=given["pk"]).first()
    player = line.player if line else current_player(get_object_or_404(Player, league=league, pk=given["pk"]))
    if line is None and player.pk != given["pk"]:
        line = lines.filter(player=player).first()
    hide_names(NOBODY, league, [player])
    return ShareCard(
        place=plain_name(league),
        title=plain_name(player),
        line=period_title(ALL_TIME),
        figures=_figures(league, line) if line else (),
        words=(gettext("No hanchan in this period yet"),),
    )


def _figures(league: League, line: Standing) -> tuple[CardFigure, ...]:
    figures = [
        (gettext("Total"), points_text(line.total)),
        (gettext("Rank"), rank_label(line.rank)),
        (gettext("Hanchan"), str(line.all_hanchan)),
        (gettext("Average placement"), mean_placement(line.all_halves, line.placed)),
        (gettext("1st rate"), rate(line.first, line.placed)),
    ]
    last = {3: line.third, 4: line.fourth}.get(players_at_a_table(league))
    if last is not None:
        figures.append((gettext("Last avoidance"), rate(line.placed * TWELFTHS - last, line.placed)))
    return tuple(CardFigure(label, value) for label, value in figures)


def league_card(league: League, _given: Given) -> ShareCard:
    """Return a league's picture: number of hanchan and the top of the latest month. Two queries."""
    board = Board.objects.filter(league=league, period=ALL_TIME.key).values_list("lines", "hanchan").first()
    lines, hanchan = board or (0, 0)
    first = [line for line in top_three(league) if line.rank == 1]
    hide_names(NOBODY, league, [line.player for line in first])
    words = [listed(people(lines), counted(hanchan))] if hanchan else [gettext("No hanchan in this period yet")]
    if first:
        names = joined(plain_name(line.player) for line in first)
        facts = {"period": period_title(parse_period(first[0].period)), "names": names}
        words.append(gettext("1st in %(period)s: %(names)s") % facts)
    return ShareCard(place=gettext("Riichi mahjong league"), title=plain_name(league), words=tuple(words))


def session_card(league: League, given: Given) -> ShareCard:
    """Return the ranking of a session. Queries as for its score table. Raise Http404."""
    session = session_of(league, int(given["pk"]), with_size(league.sessions.all()))
    is_large = getattr(session, "is_large", False)
    ledger = session.league.ledger
    sheet = large_sheet(session, ledger, ROUND, "") if is_large else sheet_of(session, ledger)
    return card_of_session(session, sheet, session_points_total(session))


def session_at_hand(page: Held) -> ShareCard:
    """Return a session's picture from its page; title only if the page shows the other ledger."""
    session, sheet = page["session"], page["sheet"]
    if sheet.ledger != session.league.ledger:
        return ShareCard(place=plain_name(session.league), title=plain_name(session))
    return card_of_session(session, sheet, page["session_points"])


def card_of_session(session: Session, sheet: Sheet | LargeSheet, besides: SessionPointsTotal | None) -> ShareCard:
    league, played = session.league, listed(when(session), session.venue)
    lines = [(column.player, column.total) for column in sheet.columns if column.rank]
    if lines:
        played = listed(played, people(len(sheet.columns)), counted(sheet.hanchan))
    elif besides:
        lines = [(row.player, row.points) for row in besides.rows if not row.withdrawn]
    is_withdrawn = session.state == Session.State.WITHDRAWN
    words = gettext("This session was withdrawn") if is_withdrawn else gettext("No hanchan in this period yet")
    return ShareCard(plain_name(league), str(session), played, tuple(_rows(league, lines)), words=(words,))


def _rows(league: League, lines: Sequence[tuple[Player, int]]) -> Iterator[CardRow]:
    """Yield the lines of a session, its text holds them all; tied players share a rank and are sorted by public name."""
    points = [each for _, each in lines]
    players = as_everybody_reads(league, (player for player, _ in lines))
    best = sorted(zip(points, players, strict=True), key=lambda line: (-line[0], line[1].sort_key))
    for own, player in best[:MAX_NAMED]:
        yield CardRow(rank_label(1 + sum(other > own for other in points)), plain_name(player), points_text(own))


def hanchan_card(league: League, given: Given) -> ShareCard:
    """Return a hanchan's result. Four queries. Raise Http404."""
    hanchan = hanchan_of(league, int(given["pk"]))
    return card_of_hanchan(hanchan, seats_of(hanchan))


def hanchan_at_hand(page: Held) -> ShareCard | None:
    return card_of_hanchan(page["hanchan"], page["seats"]) if "seats" in page else None


def card_of_hanchan(hanchan: Hanchan, seats: Sequence[Seat]) -> ShareCard:
    """Return a hanchan's result from loaded rows, without lines if it is void."""
    league, session = hanchan.league, hanchan.session
    facts = {"session": session, "round": hanchan.round}
    players = as_everybody_reads(league, (seat.player for seat in seats))
    rows = sorted(zip(seats, players, strict=True), key=lambda pair: (pair[0].placement, pair[0].seat))
    return ShareCard(
        place=plain_name(league),
        title=gettext("%(session)s, round %(round)s") % facts,
        line=listed(day(session.date), gettext("table %(table)s") % {"table": hanchan.table}),
        rows=() if hanchan.is_voided else tuple(_seat_row(seat, plain_name(player)) for seat, player in rows),
        words=(gettext("This result was voided and does not count"),),
    )


def _seat_row(seat: Seat, name: str) -> CardRow:
    raw = "" if seat.raw_score is None else raw_score_text(seat.raw_score)
    return CardRow(placement(seat.placement), name, points_text(seat.points), raw)


BOARD = register_card(CardKind("stats:board_card", ("league:standings",), ("scope",), board_card, board_at_hand))
EVENING = register_card(CardKind("stats:session_card", ("league:session",), ("pk",), session_card, session_at_hand))
HANCHAN_PAGES = ("league:hanchan", "league:receipt")
HANCHAN = register_card(CardKind("stats:hanchan_card", HANCHAN_PAGES, ("pk",), hanchan_card, hanchan_at_hand))
PLAYER = register_card(CardKind("stats:player_card", ("stats:player",), ("pk",), player_card))
STORY = register_card(CardKind("stats:story_card", ("stats:story",), ("period",), story_card))
PLAIN = CardKind("stats:league_card", (), (), league_card)
"""The picture for all other pages of a league."""


def site_card() -> ShareCard:
    words = (gettext("Enter results at the table."), gettext("See standings at once."))
    return ShareCard(place=gettext("Riichi mahjong leagues"), title="Tenbo", words=words)


def site_version() -> str:
    return version_of(("site",))


MAX_LINES = 4
"""Maximum number of figures in a card's text; chat previews show no more."""

MAX_NAMED = 40
"""Maximum number of players in the text of a session: ten tables."""


def card_text(card: ShareCard) -> str:
    """Return a card as plain text, one line per row."""
    said = [f"{card.place} {card.title}".strip()]
    if card.rows:
        said += [f"{row.mark} {row.name} {row.value}".strip() for row in card.rows]
    elif card.figures:
        said += [f"{figure.label} {figure.value}" for figure in card.figures[:MAX_LINES]]
    else:
        said += card.words[:1]
    return "\n".join(said)
