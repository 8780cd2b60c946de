"""What the players of a stage need in what is left of it, and how likely they are to get it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from league.models import RulesetVersion
from scoring.core import ScoringRules
from tournaments.core.needs import Case, proofs_of
from tournaments.core.odds import Bank
from tournaments.core.ranking import BlockRanking, Cut, RankingLine
from tournaments.core.state import StageProgress
from tournaments.estimates import Odds, odds_of
from tournaments.messages.places import cut_label
from tournaments.messages.titles import block_name
from tournaments.models import Entry
from tournaments.phrases import sentences
from tournaments.selectors.beliefs import bank_of, names_of_strengths, strengths_of
from tournaments.selectors.outlook import seed_of
from tournaments.selectors.state import CurrentState

MOST_LEFT = 16
"""With more left to play a chance says too little."""


@dataclass(frozen=True, slots=True)
class PlayerNeeds:
    """What one player needs, as sentences, and how likely it is."""

    entry: Entry
    sentences: tuple[str, ...]
    chance: float
    secured: bool
    out: bool


@dataclass(frozen=True, slots=True)
class BlockNeeds:
    """What a block is played for: among the first `goal`. `left`: how many hanchan everybody has still to play.

    `line`: what the line below them is called, empty for the title. `from_results`: the odds know real hanchan of the league;
    `equal`: nobody's strength is known.
    """

    title: str
    goal: int
    line: str
    left: int
    odds: Odds
    from_results: bool
    equal: bool
    players: tuple[PlayerNeeds, ...]


@dataclass(frozen=True, slots=True)
class _Telling:
    """By which rules, results and strengths it is told, under which names, in which language; players by primary key as text."""

    rules: ScoringRules
    bank: Bank
    strength: Mapping[str, float]
    names: Mapping[str, str]
    language: str


def needs_of(
    current: CurrentState, progress: StageProgress, version: RulesetVersion, names: Mapping[str, str], language: str
) -> tuple[BlockNeeds, ...]:
    """Return what is needed in every block whose players sit at one table. Two queries.

    `names`: by primary key of the entry as text, as the reader may read them; `language` of the sentences.
    """
    rules = version.readable()
    if rules is None or rules.missing:
        return ()
    strength = names_of_strengths(strengths_of(current))
    telling = _Telling(rules, bank_of(version, rules), strength, names, language)
    open_blocks = [each for each in progress.rankings if len(_playing(each)) == rules.players and _is_open(each)]
    return tuple(
        _needs(current, progress, ranking, goal, telling) for ranking in open_blocks for goal in _goals(ranking)
    )


def may_tell_needs(progress: StageProgress) -> bool:
    """Return whether a block of the stage has no more players than fit at a table, all with as much left to play."""
    return any(_is_open(ranking) for ranking in progress.rankings)


def _is_open(ranking: BlockRanking) -> bool:
    lines = _playing(ranking)
    left = {line.left for line in lines}
    return 3 <= len(lines) <= 4 and len(left) == 1 and 1 <= min(left) <= MOST_LEFT and ranking.started


def _playing(ranking: BlockRanking) -> list[RankingLine]:
    return [line for line in ranking.lines if not line.withdrawn]


def _goals(ranking: BlockRanking) -> Iterator[int]:
    """Yield how many are above each line of the block; where there is none, one wins."""
    goals = sorted({cut.after for cut in ranking.cuts if cut.after < len(_playing(ranking))})
    yield from goals or [1]


def _needs(
    current: CurrentState, progress: StageProgress, ranking: BlockRanking, goal: int, telling: _Telling
) -> BlockNeeds:
    lines = _playing(ranking)
    case = Case(
        telling.rules,
        tuple(str(line.participant) for line in lines),
        {str(line.participant): line.points for line in lines},
        goal,
        earlier=tuple(str(line.participant) for line in lines if not (line.undecided or line.shared)),
        last_decides=progress.stage.tiebreak[:1] == ("last_hanchan",),
    )
    left, proofs = lines[0].left, proofs_of(case)
    odds = odds_of(case, left, strength=telling.strength, bank=telling.bank, seed=seed_of(current))
    said = sentences(case, telling.language, name=telling.names.__getitem__, proofs=proofs) if left == 1 else {}
    cut = next((cut for cut in ranking.cuts if cut.after == goal), None)
    return BlockNeeds(
        title=block_name(ranking.block),
        goal=goal,
        line="" if cut is None or _is_the_title(cut, goal, current) else cut_label(cut, current.state.format),
        left=left,
        odds=odds,
        from_results=bool(telling.bank),
        equal=not telling.strength,
        players=tuple(
            PlayerNeeds(
                entry=current.entries[int(player)],
                sentences=said[player].hanchan if player in said else (),
                chance=odds.chance[player],
                secured=player in proofs.secured,
                out=player in proofs.out,
            )
            for player in case.players
        ),
    )


def _is_the_title(cut: Cut, goal: int, current: CurrentState) -> bool:
    """Return whether only one makes it, and plays no further stage."""
    return goal == 1 and cut.above is not None and cut.above not in {stage.key for stage in current.state.format.stages}
