"""What the last hand at a table means, in as few lines as can be read from the back of a room."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, pgettext

from league.models import Player
from scoring.core import ScoringRules
from tournaments.core.state import StageProgress
from tournaments.core.ticking import Situation
from tournaments.selectors.last_hands import LastHandOfTable, PlayerInLastHand, TableNow, last_hands_of
from tournaments.selectors.live import LiveTable
from tournaments.selectors.names import reader_name
from tournaments.selectors.picture import cells
from tournaments.selectors.state import CurrentState

NAME = re.compile(r"\{(\d+)\}")
"""Stands for a name in a sentence until it is known which sentences say the same of several players."""

WIDE = 20
"""So many full-width letters of a sentence stand in a line of a card in the smallest size."""

MOST_LINES = 6
"""So many lines of the smallest size fit on a card under the name."""

LONGEST = 3
"""A draw that takes more lines is said in short."""

ONE_LINE = 76
"""Half-width cells of one line under a player of the table, in the smallest size."""

SIZES = {"large": (4, 15), "big": (5, 17)}
"""Sizes of type: how many lines fit on a card, and how many full-width letters stand in each."""


@dataclass(frozen=True, slots=True)
class HandCard:
    """A player with the score before the hand, and what is enough: tsumo, off whom, and a draw last. `said` is short."""

    player: Player
    score: int
    is_dealer: bool
    has_riichi: bool
    said: tuple[str, ...]

    @property
    def size(self) -> str:
        return next((name for name, (most, wide) in SIZES.items() if _lines(self.said, wide) <= most), "small")

    @property
    def in_one_line(self) -> tuple[str, ...]:
        """What stands where there is one line for it: all of it, or else tsumo and a draw."""
        if sum(map(cells, self.said)) <= ONE_LINE:
            return self.said
        return (self.said[0], self.said[-1])


@dataclass(frozen=True, slots=True)
class HandCards:
    """What one goal takes in the hand that is played at a table. `line`: what it is called, empty for the title."""

    table: int
    live: LiveTable
    title: str
    line: str
    others_play: bool
    cards: tuple[HandCard, ...]


def hand_cards(
    current: CurrentState,
    progress: StageProgress,
    live: Mapping[tuple[int, int], LiveTable],
    rules: ScoringRules | None,
    language: str,
) -> list[HandCards]:
    """Return what the last hand means, for every table of the stage that plays it and every goal. No queries.

    Names stand as the reader may read them, so they have to be hidden before. Tables with somebody who is not entered are
    left out.
    """
    if rules is None:
        return []
    sessions = {each.session_id for each in current.sessions if each.stage == progress.stage.key}
    players = {entry.player.pk: entry.player for entry in current.entries.values()}
    tokens = {str(pk): f"{{{pk}}}" for pk in current.entries}
    names = {str(pk): reader_name(entry.player) for pk, entry in current.entries.items()}
    found = []
    for (session, table), now in sorted(live.items()):
        if session in sessions and now.players and all(pk in players for pk in now.players):
            situation = Situation(now.scores, now.hand, now.honba, now.sticks, now.riichi)
            seated = TableNow(rules, tuple(players[pk] for pk in now.players), situation)
            for goal in last_hands_of(current, progress, seated, tokens, language):
                found.append(_cards(goal, table, now, names))
    return found


def _cards(goal: LastHandOfTable, table: int, now: LiveTable, names: Mapping[str, str]) -> HandCards:
    by_player = {pk: seat for seat, pk in enumerate(now.players)}
    cards = tuple(card_of(each, by_player[each.player.pk], now, names) for each in goal.players)
    return HandCards(table, now, goal.title, goal.line, goal.others_play, cards)


def card_of(told: PlayerInLastHand, seat: int, now: LiveTable, names: Mapping[str, str]) -> HandCard:
    """Return the card of a player at a seat; what does not fit is left out, with a sign that something is missing."""
    said = list(merged(told.said.own, len(now.players) - 1, names))
    if _lines(said[-1:], WIDE) > LONGEST:
        said[-1] = gettext("Draw: it depends on who is ready.")
    if _lines(said, WIDE) > MOST_LINES:
        while len(said) > 2 and _lines(said, WIDE) >= MOST_LINES:
            del said[-2]
        said.insert(-1, "…")
    return HandCard(told.player, now.scores[seat], seat == now.dealer, seat in now.riichi, tuple(said))


def merged(sentences: Sequence[str], rivals: int, names: Mapping[str, str]) -> Iterator[str]:
    """Yield sentences with their names; what is the same off everybody is said once."""
    alike = Counter(NAME.sub("{}", sentence) for sentence in sentences if len(NAME.findall(sentence)) == 1)
    everybody = {sentence for sentence, count in alike.items() if count == rivals > 1}
    for sentence in sentences:
        bare = NAME.sub("{}", sentence)
        if bare not in everybody:
            yield NAME.sub(lambda token: names[token[1]], sentence)
        elif alike.pop(bare, 0):
            yield bare.format(pgettext("off whom", "anybody"))


def _lines(sentences: Sequence[str], wide: int) -> int:
    return sum(-(-cells(text) // (2 * wide)) or 1 for text in sentences)
