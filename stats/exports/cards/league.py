"""The pictures of a league itself, of a board, and of a player."""

from dataclasses import replace

from django.contrib.auth.models import AnonymousUser
from django.db.models import F
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext, ngettext, pgettext

from league.core.periods import ALL_TIME, Period, PeriodKind, parse_period
from league.core.placements import TWELFTHS
from league.http.access import scope_period
from league.messages import period_title, plain_name
from league.models import Board, League, Player, Standing
from league.selectors.boards import board_lines
from league.selectors.merging import current_player
from league.selectors.names import hide_names
from league.selectors.overview import top_three
from league.templatetags.tenbo.numbers import mean_placement, mean_points_text, points_text, rate
from league.templatetags.tenbo.places import rank_label
from stats.core.cards import CardFigure, CardRow, ShareCard
from stats.core.cards.layout import MAX_ROWS
from stats.exports.cards.kinds import Given, Held

NOBODY = AnonymousUser()


def counted(hanchan: int) -> str:
    """Return how many hanchan: 48半荘, 48 hanchan."""
    return ngettext("%(counter)s hanchan", "%(counter)s hanchan", hanchan) % {"counter": hanchan}


def people(count: int) -> str:
    """Return how many players: 12人, 12 players."""
    return ngettext("%(counter)s player", "%(counter)s players", count) % {"counter": count}


def listed(*parts: str) -> str:
    """Return short parts in a line."""
    return " · ".join(part for part in parts if part)


# --- A board ---------------------------------------------------------------------------------------------------------


def board_card(league: League, given: Given) -> ShareCard:
    """Return the first of a board. At most two queries; a free range costs what its board does."""
    period = scope_period(league, given["scope"])
    lines, players, hanchan = _first_lines(league, period)
    hide_names(NOBODY, league, [line.player for line in lines])
    played = listed(people(players), counted(hanchan)) if hanchan else ""
    return ShareCard(
        place=plain_name(league),
        title=gettext("Standings, %(title)s") % {"title": period_title(period)},
        line=played,
        rows=tuple(
            CardRow(rank_label(line.rank), plain_name(line.player), score(league, line), counted(line.all_hanchan))
            for line in lines
        ),
        words=(gettext("No hanchan here yet"),),
    )


def board_at_hand(page: Held) -> ShareCard | None:
    """Return of which board it is and nothing more, for a free range, not put together twice, and for the board of a day."""
    period = page["period"]
    if period.is_stored and not page["as_of"]:
        return None
    title = gettext("Standings, %(title)s") % {"title": period_title(period)}
    return ShareCard(place=plain_name(page["league"]), title=title)


def story_card(league: League, given: Given) -> ShareCard:
    """Return the picture of a month or a year as it is told: who came first. Http404 for any other period."""
    period = story_period(league, given["period"])
    title = gettext("The story of %(period)s") % {"period": period_title(period)}
    return replace(board_card(league, {"scope": period.key}), title=title)


def story_period(league: League, key: str) -> Period:
    """Return the month or the year that an address names. Raises Http404."""
    period = scope_period(league, key)
    if period.kind not in {PeriodKind.MONTH, PeriodKind.YEAR}:
        raise Http404
    return period


def _first_lines(league: League, period: Period) -> tuple[list[Standing], int, int]:
    """Return who comes first, how many there are, and how many hanchan."""
    if not period.is_stored:
        lines = board_lines(league, period)
        seats = sum(line.hanchan for line in lines)
        return lines[:MAX_ROWS], len(lines), seats // _table_size(league)
    board = Board.objects.filter(league=league, period=period.key).values_list("lines", "hanchan").first()
    found = Standing.objects.filter(league=league, player__league=league, period=period.key).select_related("player")
    first = found.order_by(F("rank").asc(nulls_last=True), "-score", "player__sort_key", "player_id")[:MAX_ROWS]
    return list(first), *(board or (0, 0))


def _table_size(league: League) -> int:
    version = league.current_version
    return int(version.parameters.get("players", 4)) if version is not None else 4


def score(league: League, line: Standing) -> str:
    """Return what a board is ordered by, as text."""
    match league.metric:
        case League.Metric.AVERAGE_POINTS:
            return mean_points_text(line.averaged, line.all_hanchan)
        case League.Metric.AVERAGE_PLACEMENT:
            return mean_placement(line.all_halves, line.placed)
    return points_text(line.total)


# --- A player --------------------------------------------------------------------------------------------------------


def player_card(league: League, given: Given) -> ShareCard:
    """Return a player with the figures of all time. Http404 where there is no such player.

    One query for whoever stands on the board, else two, and one more for each merge.
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
        words=(gettext("No hanchan here yet"),),
    )


def _figures(league: League, line: Standing) -> tuple[CardFigure, ...]:
    figures = [
        (gettext("Total"), points_text(line.total)),
        (gettext("Rank"), rank_label(line.rank)),
        (gettext("Hanchan"), str(line.all_hanchan)),
        (gettext("Average placement"), mean_placement(line.all_halves, line.placed)),
        (gettext("First places"), rate(line.first, line.placed)),
    ]
    last = {3: line.third, 4: line.fourth}.get(_table_size(league))
    if last is not None:
        figures.append((gettext("Not last"), rate(line.placed * TWELFTHS - last, line.placed)))
    return tuple(CardFigure(label, value) for label, value in figures)


# --- The league ------------------------------------------------------------------------------------------------------


def league_card(league: League, _given: Given) -> ShareCard:
    """Return what a league is: how much was played, and who leads its latest month. Two queries."""
    board = Board.objects.filter(league=league, period=ALL_TIME.key).values_list("lines", "hanchan").first()
    lines, hanchan = board or (0, 0)
    first = [line for line in top_three(league) if line.rank == 1]
    hide_names(NOBODY, league, [line.player for line in first])
    words = [listed(people(lines), counted(hanchan))] if hanchan else [gettext("No hanchan here yet")]
    if first:
        names = pgettext("between names", ", ").join(plain_name(line.player) for line in first)
        facts = {"period": period_title(parse_period(first[0].period)), "names": names}
        words.append(gettext("First in %(period)s: %(names)s") % facts)
    return ShareCard(place=gettext("Riichi mahjong league"), title=plain_name(league), words=tuple(words))
