from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext, pgettext

from league.messages import plain_name
from league.models import League
from league.permissions import hide_names
from league.templatetags.tenbo.numbers import points_text, rank_label
from scoring.messages.numbers import in_language
from stats.core.cards import CardRow, ShareCard
from stats.exports.cards import CardKind, Given, listed, people, register_card
from stats.http.cards import card_view
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress
from tournaments.http.pages import kept_state, progress_or_404, tournament_or_404
from tournaments.messages.titles import block_name, stage_name, stage_state, unranked_words
from tournaments.models import Tournament
from tournaments.selectors.stage_views import champions, current_stages, final_ranking
from tournaments.selectors.state import CurrentState

NOBODY = AnonymousUser()

OF_TOURNAMENT = ("tournament", "format", "results", "seating", "certificate")
"""Pages that use the tournament's picture; a stage has its own."""


def tournament_card(league: League, given: Given) -> ShareCard:
    """Return the picture of a tournament. Raise Http404."""
    tournament, current = _read(league, given)
    return ShareCard(
        place=plain_name(league),
        title=plain_name(tournament),
        line=_line(current),
        rows=tuple(
            CardRow(rank_label(each.rank) if each.rank else each.mark, plain_name(each.entry.player), "", each.where)
            for each in (final_ranking(current) if champions(current) else ())
        ),
        words=tuple(
            pgettext("stage and how far it is", "%(stage)s: %(state)s")
            % {"stage": stage_name(each.stage), "state": stage_state(each.state)}
            for each in current_stages(current)
        ),
    )


def stage_card(league: League, given: Given) -> ShareCard:
    """Return the picture of a stage. Raise Http404."""
    tournament, current = _read(league, given)
    progress = progress_or_404(current, str(given["stage"]))
    return ShareCard(
        place=listed(plain_name(league), plain_name(tournament)),
        title=stage_name(progress.stage),
        line=stage_state(progress.state),
        rows=_leaders(current, progress),
        words=(gettext("No hanchan yet"),),
    )


def _read(league: League, given: Given) -> tuple[Tournament, CurrentState]:
    tournament = tournament_or_404(league, str(given["key"]))
    current = kept_state(tournament)
    hide_names(NOBODY, league, [entry.player for entry in current.entries.values()])
    return tournament, current


def _line(current: CurrentState) -> str:
    over = gettext("Final ranking") if champions(current) else ""
    return listed(over, in_language(current.tournament.format.name), people(len(current.facts.entrants)))


def _leaders(current: CurrentState, progress: StageProgress) -> tuple[CardRow, ...]:
    begun = [ranking for ranking in progress.rankings if ranking.started]
    if len(progress.stage.blocks) > 1:
        return tuple(_row(current, ranking, 0, block_name(ranking.block)) for ranking in begun)
    return tuple(
        _row(current, ranking, number, unranked_words(line.unranked) or (rank_label(line.rank) if line.rank else "–"))
        for ranking in begun
        for number, line in enumerate(ranking.as_listed.lines)
    )


def _row(current: CurrentState, ranking: BlockRanking, number: int, mark: str) -> CardRow:
    line = ranking.as_listed.lines[number]
    return CardRow(mark, plain_name(current.player(line.participant)), points_text(line.points))


TOURNAMENT = register_card(
    CardKind(
        "tournaments:tournament_card", tuple(f"tournaments:{page}" for page in OF_TOURNAMENT), ("key",), tournament_card
    )
)
STAGE = register_card(CardKind("tournaments:stage_card", ("tournaments:stage",), ("key", "stage"), stage_card))


tournament = card_view(TOURNAMENT)
stage = card_view(STAGE)
