"""An evening that is over: what it changed on a board, and all of it in words."""

from collections.abc import Iterable

from django.db.models import F, OuterRef, Subquery

from league.core.periods import Period, month_of
from league.messages import period_title, plain_name
from league.models import Board, Session, Standing
from league.selectors.names import as_everybody_reads
from league.selectors.sheets import Sheet
from league.selectors.sheets.large import LargeSheet
from stats.core.evenings import EveningFacts, Outstanding, RankShift
from stats.messages.evening import evening_sentences

MAX_CHANGES = 4
"""So many are told, those at the top of the board first."""


def rank_changes(session: Session, period: Period, players: Iterable[int]) -> list[Standing]:
    """Return the lines of those whose rank on a stored board is another since the day of the session. One query.

    None where something was played later on: then the board tells what changed since another day.
    """
    boards = Board.objects.filter(league=session.league, period=OuterRef("period"))
    lines = Standing.objects.filter(
        league=session.league, player__league=session.league, period=period.key, player__in=list(players)
    )
    moved = lines.exclude(rank=None).exclude(previous_rank=None).exclude(rank=F("previous_rank"))
    since = moved.annotate(last_day=Subquery(boards.filter(league=OuterRef("league")).values("last_day")[:1]))
    found = since.filter(last_day=session.date).select_related("player").order_by("rank", "player_id")
    return list(found[:MAX_CHANGES])


def evening_words(session: Session, sheet: Sheet | LargeSheet) -> list[str]:
    """Return the evening of a score table in sentences, with names as everybody reads them. One query."""
    if not sheet.columns:
        return []
    league, month = session.league, month_of(session.date)
    points = max(column.total for column in sheet.columns)
    first = as_everybody_reads(league, (column.player for column in sheet.columns if column.total == points))
    lines = rank_changes(session, month, (column.player.pk for column in sheet.columns))
    moved = as_everybody_reads(league, (line.player for line in lines))
    evening = EveningFacts(
        first=tuple(plain_name(player) for player in first),
        points=points,
        hanchan=sheet.hanchan,
        best=_best(session, sheet) if isinstance(sheet, Sheet) else None,
        changes=tuple(
            RankShift(plain_name(player), line.previous_rank or 0, line.rank or 0)
            for player, line in zip(moved, lines, strict=True)
        ),
    )
    return evening_sentences(evening, period_title(month))


def _best(session: Session, sheet: Sheet) -> Outstanding | None:
    """Return the hanchan that counts in which somebody took most, the earliest of equals."""
    cells = [(row.round, cell) for row in sheet.rows for cell in row.cells if cell is not None and cell.counts]
    if not cells:
        return None
    number, best = max(cells, key=lambda each: each[1].points)
    (player,) = as_everybody_reads(session.league, [best.seat.player])
    return Outstanding(plain_name(player), number, best.points, best.seat.raw_score)
