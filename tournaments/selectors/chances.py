"""Chances of advancing, reaching the last stage and winning, for pages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from scoring.messages.numbers import in_language
from tournaments.core.facts import Participant
from tournaments.core.format import Stage
from tournaments.core.ranking import RankingLine
from tournaments.core.state import StageProgress, StageState
from tournaments.estimates.forward import title_of
from tournaments.messages.chances import LEAST_PERCENT
from tournaments.messages.titles import block_name, stage_name
from tournaments.models import Entry
from tournaments.selectors.needs import BlockNeeds, needs_as_read
from tournaments.selectors.needs_tables import wild_cards_of
from tournaments.selectors.outlook import Knowledge, Outlook, is_over
from tournaments.selectors.state import CurrentState

MOST_CONTENDERS = 8
"""Maximum number of contenders listed with chances."""

LEAST_LISTED = 0.005
"""Chances below this are not listed."""

FEW_SLIGHT = 4
"""Fewer players than this with hardly any chance are listed like the others."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A player's chance. `certain` and `out` are proven, never derived from simulation; `gone`: has withdrawn."""

    likely: float = 0.0
    certain: bool = False
    out: bool = False
    gone: bool = False


@dataclass(frozen=True, slots=True)
class ChanceRow:
    entry: Entry
    chances: tuple[Chance, ...]

    @property
    def is_slight(self) -> bool:
        return not any(one.certain or one.gone or (one.likely >= LEAST_PERCENT and not one.out) for one in self.chances)


@dataclass(frozen=True, slots=True)
class BlockChances:
    """Chances of a block's players. `slight`: those with hardly any, if they are many."""

    title: str
    rows: tuple[ChanceRow, ...]
    slight: tuple[ChanceRow, ...] = ()


@dataclass(frozen=True, slots=True)
class StageChances:
    """Chances of a stage's players. `columns`: labels. `has_others`: others may still take a place in the stage."""

    columns: tuple[str, ...]
    blocks: tuple[BlockChances, ...]
    outlook: Outlook
    has_others: bool


@dataclass(frozen=True, slots=True)
class TitleChances:
    """Chances of winning, the best first. `others`: chance of all players not listed."""

    contenders: tuple[tuple[Entry, float], ...]
    others: float
    outlook: Outlook


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: reaching a stage or outcome, winning a stage, or advancing from one."""

    label: str
    likely: Mapping[Participant, float]
    certain: frozenset[Participant]
    is_decided: bool


def stage_chances(
    current: CurrentState, progress: StageProgress, outlook: Outlook | None, needs: Iterable[BlockNeeds] = ()
) -> StageChances | None:
    """Return the chances of a stage's players, None without an outlook or once the stage is decided.

    What everyone who plays on reaches is left out, and so is a stage none of whose players can reach anything.
    `needs`: requirements of the stage; exact chances in them replace simulated ones, and are not told twice.
    """
    if outlook is None or progress.state is StageState.DECIDED:
        return None
    told = list(needs)
    waits = any(wild_cards_of(ranking, progress.stage, current.state.format) for ranking in progress.rankings)
    players = [line.participant for ranking in progress.rankings for line in ranking.lines if not line.withdrawn]
    columns = [
        column
        for column in _columns(current, progress.stage, outlook, told)
        if any(column.likely.get(player, 0.0) < 1 - LEAST_PERCENT for player in players)
    ]
    blocks = tuple(
        block_chances(
            block_name(ranking.block) if len(progress.stage.blocks) > 1 else "",
            [
                ChanceRow(
                    current.entries[int(line.participant)],
                    tuple(_chance(line, column, is_complete=ranking.complete and not waits) for column in columns),
                )
                for line in ranking.lines
            ],
        )
        for ranking in progress.rankings
        if ranking.lines and (waits or not ranking.complete or is_over(progress))
    )
    exact: dict[Participant, float | None] = {each.entry.pk: each.chance for block in told for each in block.players}
    is_again = len(columns) == 1 and all(exact.get(each, -1.0) == columns[0].likely.get(each) for each in players)
    is_told = columns and any(block.rows for block in blocks) and not is_again
    others = {each for column in columns[:1] for each, chance in column.likely.items() if chance >= LEAST_LISTED}
    has_others = progress.state is StageState.WAITING and not others.issubset(players)
    return StageChances(tuple(column.label for column in columns), blocks, outlook, has_others) if is_told else None


def block_chances(title: str, rows: Sequence[ChanceRow]) -> BlockChances:
    slight = tuple(row for row in rows if row.is_slight)
    if len(slight) < FEW_SLIGHT:
        return BlockChances(title, tuple(rows))
    return BlockChances(title, tuple(row for row in rows if not row.is_slight), slight)


def _chance(line: RankingLine, column: _Column, *, is_complete: bool) -> Chance:
    certain = line.participant in column.certain
    out = not certain and (line.withdrawn or column.is_decided or (is_complete and line.advances_to is None))
    return Chance(column.likely.get(line.participant, 0.0), certain, out, line.withdrawn)


def _told(needs: Iterable[BlockNeeds], *, is_title: bool) -> dict[Participant, float]:
    blocks = list(needs)
    # With wild cards, more players advance than the lines show.
    drawn = {block.block for block in blocks if block.wild is not None}
    return {
        each.entry.pk: each.chance
        for block in blocks
        if block.block not in drawn and (block.goal == 1 or not is_title)
        for each in block.players
        if each.chance is not None
    }


def _columns(current: CurrentState, stage: Stage, outlook: Outlook, needs: Sequence[BlockNeeds]) -> Iterator[_Column]:
    state, endings, format_ = current.state, outlook.endings, current.state.format
    title = title_of(format_)
    on = [path for path in state.stage(stage.key).paths if title is None or path.to != title[0]]
    if on and not on[0].complete:
        # Name the destination if there is only one.
        label = in_language(format_.destination(on[0].to).name) if len(on) == 1 else pgettext("chance", "Advances")
        likely, exact = endings.goes_on(stage.key), _told(needs, is_title=False)
        if any(likely.get(each, 0.0) < 1 for each in exact):
            likely |= exact
        yield _Column(
            label,
            likely,
            frozenset(player for path in on if path.decision for player in path.decision.players),
            is_decided=all(path.decision for path in on),
        )
    last = _last_stage(current, title)
    if last is not None and last.key != stage.key and [path.to for path in on] != [last.key]:
        certain = {place.participant for place in state.stage(last.key).places if place.approved}
        decided = all(path.decision for path in state.paths_into(last.key))
        likely = endings.reaches(last.key)
        if last.key in {path.to for path in on} and len({each.goal for each in needs}) == 1:
            likely |= _told(needs, is_title=False)
        yield _Column(stage_name(last), likely, frozenset(certain), is_decided=decided)
    if title is not None:
        yield _Column(pgettext("chance", "Wins"), _wins(current, outlook, stage, needs), frozenset(), is_decided=False)


def _wins(
    current: CurrentState, outlook: Outlook, stage: Stage | None, needs: Iterable[BlockNeeds]
) -> dict[Participant, float]:
    """Return chances of winning the tournament; `needs` are the requirements of a stage."""
    title = title_of(current.state.format)
    if title is None:
        return {}
    key, is_outcome = title
    likely = outlook.endings.reaches(key) if is_outcome else outlook.endings.wins(key)
    last = _last_stage(current, title)
    return likely | _told(needs, is_title=True) if last is not None and last == stage else likely


def _last_stage(current: CurrentState, title: tuple[str, bool] | None) -> Stage | None:
    if title is None:
        return None
    key, is_outcome = title
    return current.state.format.stage(next(iter(current.state.paths_into(key))).stage if is_outcome else key)


def title_chances(current: CurrentState, outlook: Outlook | None, knowledge: Knowledge) -> TitleChances | None:
    """Return the chances of winning, loading only what `knowledge` does not have yet.

    None before the last stage is under way, and once it is over.
    """
    last = _last_stage(current, title_of(current.state.format))
    if outlook is None or last is None or is_over(progress := current.state.stage(last.key)):
        return None
    likely = _wins(current, outlook, last, needs_as_read(current, progress, knowledge))
    order = sorted(likely, key=lambda participant: (-likely[participant], str(participant)))
    listed = [each for each in order[:MOST_CONTENDERS] if likely[each] >= LEAST_LISTED]
    contenders = tuple((current.entries[int(each)], likely[each]) for each in listed)
    return TitleChances(contenders, max(0.0, 1 - sum(likely[each] for each in listed)), outlook)


def how_it_was_drawn(outlook: Outlook) -> tuple[str, ...]:
    return (
        _("%(samples)s outcomes were simulated to the end of the tournament. A chance of 50%% may be off by "
          "±%(error).1f%%.")
        % {"samples": f"{outlook.endings.samples:,}", "error": 196 * outlook.standard_error},
        _("All players are assumed to be equally strong.")
        if outlook.equal
        else _("Strengths come from the league's skill ratings, moved towards the average; new players count as "
               "average."),
        _("Points per placement are taken from recent hanchan with these rules.")
        if outlook.from_results
        else _("Points per placement are taken from typical hanchan, because none have been played with these rules."),
        _("Chances are estimates. “Certain” and “out” are shown only for what is decided."),
    )  # fmt: skip
