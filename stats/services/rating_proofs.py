"""What is kept of ratings is what a replay from the first hanchan gives."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from league.models import League
from league.selectors.moment import one_moment
from league.services.proofs.registry import proofs
from league.services.proofs.values import Difference, Proof, ProofTally
from stats.core.ratings.blocks import Block, RatedHanchan, State, unpacked
from stats.core.ratings.replay import replay
from stats.models import PlayerRating, RatingBlock, RatingProgress
from stats.selectors.ratings import SUMS, begun_blocks, is_up_to_date, slices
from stats.services.ratings import figures_of, replay_anew

NEAR = 1e-9
"""So far apart estimates may lie that different machines have worked out."""

AT_ONCE = 100
"""So many blocks are compared at a time."""

EXACT = ("hanchan", "at", "day", "players", "placement", "sharing", "table", "tenhou")


def check_ratings(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield ratings that are kept and are not what a replay gives. What is not replayed yet is only late."""
    with one_moment():
        yield from _Check(league, tally, is_up_to_date(league.pk)).differences()


@dataclass
class _Check:
    """A replay of a league beside what is kept of it; `compares` where that says something."""

    league: League
    tally: ProofTally
    compares: bool
    states: defaultdict[int, State] = field(default_factory=lambda: defaultdict(State))
    sums: list[int] = field(default_factory=lambda: [0] * len(SUMS))
    blocks: int = 0

    def differences(self) -> Iterator[Difference]:
        for seats in slices(self.league.pk):
            yield from self._of_blocks(list(replay(seats, self.states)))
        yield from self._of_blocks(begun_blocks(self.states))
        for player, state in sorted(self.states.items()):
            self.tally.add(player, state.hanchan, state.tenhou)
        if self.compares:
            yield from self._of_players()
            yield from self._of_sums()

    def _of_blocks(self, blocks: list[Block]) -> Iterator[Difference]:
        self.blocks += len(blocks)
        for block in blocks:
            self.sums = [total + own for total, own in zip(self.sums, block.judged, strict=True)]
        for start in range(0, len(blocks) if self.compares else 0, AT_ONCE):
            some = {(block.player, block.number): block for block in blocks[start : start + AT_ONCE]}
            stored = RatingBlock.objects.filter(player__in={player for player, _ in some})
            found = stored.filter(number__in={number for _, number in some})
            kept = {(each.player_id, each.number): bytes(each.content) for each in found}
            for key, block in some.items():
                yield from _of_block(block, kept.get(key))

    def _of_players(self) -> Iterator[Difference]:
        kept = {each.player_id: each for each in PlayerRating.objects.filter(league=self.league)}
        for player in sorted(kept.keys() | self.states.keys()):
            row = f"rating of player {player}"
            if player not in kept or player not in self.states:
                stored, wanted = ("there" if player in each else "missing" for each in (kept, self.states))
                yield Difference(row, "rating", stored, wanted)
                continue
            for name, value in figures_of(self.states[player]).items():
                if getattr(kept[player], name) != value:
                    yield Difference(row, name, getattr(kept[player], name), value)

    def _of_sums(self) -> Iterator[Difference]:
        progress = RatingProgress.objects.get(league=self.league)
        for name, value in zip(SUMS, self.sums, strict=True):
            if getattr(progress, name) != value:
                yield Difference("ratings", name, getattr(progress, name), value)
        stored = RatingBlock.objects.filter(league=self.league).count()
        if stored != self.blocks:
            yield Difference("ratings", "blocks", stored, self.blocks)


def _of_block(block: Block, content: bytes | None) -> Iterator[Difference]:
    if content == block.content:
        return
    row = f"player {block.player} block {block.number} of ratings"
    if content is None or len(content) != len(block.content):
        yield Difference(row, "length", None if content is None else len(content), len(block.content))
        return
    yield from _of_rows(row, unpacked(block.number, content), unpacked(block.number, block.content))


def _of_rows(row: str, stored: Iterable[RatedHanchan], right: Iterable[RatedHanchan]) -> Iterator[Difference]:
    for is_, should in zip(stored, right, strict=True):
        for name in EXACT:
            if getattr(is_, name) != getattr(should, name):
                yield Difference(f"{row}, hanchan {should.hanchan}", name, getattr(is_, name), getattr(should, name))
        if any(abs(one - other) > NEAR for one, other in zip(is_.belief, should.belief, strict=True)):
            yield Difference(f"{row}, hanchan {should.hanchan}", "belief", is_.belief, should.belief)


RATINGS = Proof("ratings", "players", check_ratings, replay_anew)


def register() -> None:
    """Have ratings proven with the rest of their league."""
    if RATINGS not in proofs:
        proofs.append(RATINGS)
