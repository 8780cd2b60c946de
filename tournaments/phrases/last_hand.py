"""What the hands of others do to somebody's goal in the last hand, and what declaring riichi changes, as sentences."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from tournaments.core.needs.case import Case, Hand
from tournaments.core.needs.last_hand import LastHand, Win, last_hand, last_hand_with_riichi
from tournaments.phrases.needs import Names, enough_of, hand_sentences, hand_sentences_of

RIICHI_STICK = 1000


@dataclass(frozen=True, slots=True)
class LastHandSentences:
    """What the last hand means to one player: by the own hand and a draw, dealing in, hands among others, and a riichi.

    `riichi` has what differs once they have declared it; nothing for whoever has, or cannot.
    """

    own: tuple[str, ...]
    deal_in: tuple[str, ...]
    others: tuple[str, ...]
    riichi: tuple[str, ...]


def last_hand_sentences(
    case: Case, hand: Hand, language: str, name: Names = str, *, is_title: bool | None = None
) -> dict[str, LastHandSentences]:
    """Return what the last hand means to each player of the table, in a language of LANGUAGES.

    `is_title`: whoever reaches the goal has won, else they go on; unless it is said, one place alone is the title.
    """
    last, wins = last_hand(case, hand), case.goal == 1 if is_title is None else is_title
    own = hand_sentences(case, language, last, name, is_title=wins)
    teller = _Teller(case, _phrases()[language], language, name, wins)
    return {
        player: LastHandSentences(
            own[player],
            tuple(teller.deal_in(player, last)),
            tuple(teller.others(player, last)),
            tuple(teller.riichi(player, hand, last, own[player])),
        )
        for player in case.players
    }


@cache
def _phrases() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((resources.files(__package__) / "last_hand.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class _Teller:
    case: Case
    phrases: Mapping[str, str]
    language: str
    name: Names
    is_title: bool

    def deal_in(self, player: str, last: LastHand) -> Iterator[str]:
        said = self._deal_ins(player, last)
        yield from filter(None, said.values())
        if not any(said.values()):
            yield self.phrases["deal_in_never"]

    def _deal_ins(self, player: str, last: LastHand) -> dict[str, str]:
        rivals = self.case.rivals(player)
        return {rival: self._said("deal_in", last.of(rival, player), player, rival) for rival in rivals}

    def others(self, player: str, last: LastHand) -> Iterator[str]:
        rivals = self.case.rivals(player)
        said = []
        for rival in rivals:
            said.append(self._said("tsumo", last.of(rival, None), player, rival))
            said += [
                self._said("ron", last.of(rival, loser), player, rival, loser) for loser in rivals if loser != rival
            ]
        yield from filter(None, said)
        if not any(said):
            yield self.phrases["others_never"]

    def _said(self, phrase: str, wins: Sequence[Win], player: str, winner: str, loser: str = "") -> str:
        if not any(player in win.end.reached for win in wins):
            return ""
        is_any = all(player in win.end.reached for win in wins)
        values = "" if is_any else enough_of(self.case, self.language, wins, player)
        goal = self.phrases["title" if self.is_title else "through"]
        names = {"winner": self.name(winner), "loser": self.name(loser) if loser else ""}
        return self.phrases[f"{phrase}_any" if is_any else phrase].format(values=values, goal=goal, **names)

    def riichi(self, player: str, hand: Hand, before: LastHand, own: Sequence[str]) -> Iterator[str]:
        """Yield what would be otherwise once a player has declared riichi; `own` is said without it."""
        if player in hand.riichi or hand.scores[player] < RIICHI_STICK:
            return
        last = last_hand_with_riichi(self.case, hand, player, before)
        after = hand_sentences_of(self.case, player, self.language, last, self.name, is_title=self.is_title)
        changed = [sentence for sentence in after if sentence not in own]
        allowed = self._deal_ins(player, before)
        for rival, sentence in self._deal_ins(player, last).items():
            if sentence != allowed[rival]:
                changed.append(sentence or self.phrases["deal_in_no_more"].format(winner=self.name(rival)))
        if not changed:
            yield self.phrases["riichi_same"]
        yield from (self.phrases["riichi"].format(sentence=sentence) for sentence in changed)
