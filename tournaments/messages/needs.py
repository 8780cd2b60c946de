"""Requirements as sentences that can be read aloud, in Japanese and in English."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any

from scoring.core.reading import shipped_table
from tournaments.core.needs.case import MOST, Case, Hand
from tournaments.core.needs.last_hand import DrawnHand, LastHand, Win, last_hand, last_hand_with_riichi
from tournaments.core.needs.margins import (
    ALWAYS,
    ANY_SCORE,
    HUNDRED,
    NEVER,
    FinishPlace,
    Leads,
    Margin,
    Margins,
    counts_scores,
    is_ordinary,
    lowest_score,
    margins_of,
    ordinary,
    score_to_pass,
)
from tournaments.core.needs.proofs import Proofs, proofs_of

LANGUAGES = ("ja", "en")

Names = Callable[[str], str]
"""Function that returns the display name of a player."""

ByPlace = Mapping[FinishPlace, Margin]
Known = Mapping[str, dict[int, Margin]]
Placed = frozenset[tuple[str, int]]

Alternative = tuple[int | None, str]
"""A raw score needed, None if any is enough, and where rivals must finish, "" for anywhere."""

ENOUGH: Alternative = (None, "")


@dataclass(frozen=True, slots=True)
class Sentences:
    """What one player needs: before the hanchan, and in the last hand if it is known."""

    hanchan: tuple[str, ...]
    hand: tuple[str, ...] = ()


def sentences(
    case: Case, language: str, last: LastHand | None = None, name: Names = str, proofs: Proofs | None = None
) -> dict[str, Sentences]:
    speaker = TableTeller(case, phrases_of(language), name, case.goal == 1)
    proved = proofs or proofs_of(case)
    return {
        player: Sentences(
            tuple(speaker.hanchan(player, margins_of(case, player), proved)),
            tuple(speaker.hand(player, last)) if last else (),
        )
        for player in case.players
    }


@cache
def phrases_of(language: str) -> Mapping[str, Any]:
    return shipped_table(__package__, "needs.toml")[language]  # type: ignore[no-any-return]


RIICHI_STICK = 1000


@dataclass(frozen=True, slots=True)
class LastHandSentences:
    """A player's last hand: own win, draw, dealing in, hands between others, riichi.

    `riichi`: what changes if the player declares riichi; empty if already declared or impossible.
    """

    own: tuple[str, ...]
    deal_in: tuple[str, ...]
    others: tuple[str, ...]
    riichi: tuple[str, ...]


def last_hand_sentences(
    case: Case, hand: Hand, language: str, name: Names = str, *, is_title: bool | None = None
) -> dict[str, LastHandSentences]:
    """Return what the last hand means for each player, in one of LANGUAGES.

    `is_title`: reaching the goal means winning, otherwise advancing; None means the title if there is a single place.
    """
    last = last_hand(case, hand)
    speaker = TableTeller(case, phrases_of(language), name, case.goal == 1 if is_title is None else is_title)
    return {player: speaker.last_hand(player, hand, last) for player in case.players}


@dataclass(frozen=True, slots=True)
class TableTeller:
    case: Case
    phrases: Mapping[str, Any]
    name: Names
    is_title: bool

    def say(self, phrase: str, **values: object) -> str:
        text: str = self.phrases[phrase]
        return text.format(goal=self.goal, **values)

    def points(self, points: int, *, up: bool, signed: bool = False) -> str:
        """Return points (1/1000 pt) to a tenth, rounded up or down."""
        tenths = -(-points // 100) if up else points // 100
        sign = "+" if tenths > 0 else str(self.phrases["minus"]) if tenths else "±"
        return f"{sign if signed else ''}{abs(tenths) // 10}.{abs(tenths) % 10}"

    @property
    def goal(self) -> str:
        return str(self.phrases["title" if self.is_title else "through"])

    @property
    def places(self) -> Sequence[str]:
        places: Sequence[str] = self.phrases["places"]
        return places[: len(self.case.players)]

    def decided(self, player: str, proofs: Proofs) -> str:
        """Return the sentence for a player who has reached the goal or cannot reach it any more, else ""."""
        return self.say("secured") if player in proofs.secured else self.say("out") if player in proofs.out else ""

    # --- Before the hanchan ------------------------------------------------------------------------------------------

    def hanchan(self, player: str, margins: Margins, proofs: Proofs) -> Iterable[str]:
        if decided := self.decided(player, proofs):
            yield decided
            return
        needs = [self.alternatives(player, place, margins) for place in range(1, len(self.places) + 1)]
        enough = next((number for number, need in enumerate(needs) if need != [ENOUGH]), len(needs))
        if enough:
            yield self.enough(enough)
        elif (alone := self._by_oneself(margins)) is not None:
            yield self.say("by_oneself", points=f"{alone:,}")
            # With the same lead over a second who is any one of the rivals, nothing else matters.
            needs[0] = self.alternatives(player, 1, margins, alone)
            yield from (self.say("if_less", condition=condition) for _, condition in needs[0])
            needs[0] = needs[0] or [ENOUGH]
            enough = 1
        for place, alternatives in zip(self.places[enough:], needs[enough:], strict=True):
            for score, condition in alternatives:
                phrase = ("if" if score is None else "if_score") if condition else "with_score"
                yield self.say(phrase, place=place, condition=condition, points=self._raw(score or 0))
        yield from self._too_low(needs)

    def _raw(self, score: int) -> str:
        return f"{self.phrases['minus'] if score < 0 else ''}{abs(score):,}"

    def enough(self, places: int) -> str:
        """Return the sentence that the first `places` placements are enough.

        If all placements are enough but nothing is proved, the sentence names what was ignored.
        """
        if places == len(self.places):
            return self.say("any_place" if counts_scores(self.case.rules) else "any_place_unless_level")
        return self.say("or_better" if places > 1 else "only", place=self.places[places - 1])

    def _too_low(self, needs: Sequence[Sequence[Alternative]]) -> Iterable[str]:
        """Yield a sentence for the placement from which the goal is out of reach.

        Lower placements need more, so these are always the last ones.
        """
        low = next((number for number in range(len(needs)) if not any(needs[number:])), None)
        if low == 0:
            yield self.say("too_low_at_all" if counts_scores(self.case.rules) else "too_low_unless_level")
        elif low is not None:
            yield self.say("too_low" if low < len(needs) - 1 else "too_low_only", place=self.places[low])

    def alternatives(self, player: str, place: int, margins: Margins, alone: int = MOST) -> list[Alternative]:
        """Return what is enough in a place, the highest score first; what another alternative implies is left out.

        `alone`: the lead of first over second place that is enough and told already.
        """
        found: list[tuple[tuple[int, int], str]] = []
        for beaten in range(min(len(self.case.players) - 1, self.case.wanted) + 1):
            score, below = self._score(player, place, self.case.wanted - beaten), found[-1][0][0] if found else MOST
            if score is None or score >= below:
                continue
            while found and found[-1][1] == self._at_the_table(place, margins, beaten, found[-1][0], alone):
                below = found.pop()[0][1]
            condition = self._at_the_table(place, margins, beaten, (score, below), alone)
            if condition is not None:
                found = [each for each in found if each[1] != condition]
                found.append(((score, below), condition))
        return [(scores[0] if scores[0] > -MOST else None, condition) for scores, condition in found]

    def _score(self, player: str, place: int, elsewhere: int) -> int | None:
        """Return the raw score that passes players elsewhere; None if out of reach, -MOST if every score does."""
        if elsewhere <= 0:
            return -MOST
        score = score_to_pass(self.case, player, FinishPlace(place), elsewhere)
        if score is None or not counts_scores(self.case.rules):
            return None if score is None else -MOST
        if score <= lowest_score(self.case.rules, place):
            return -MOST
        return score if is_ordinary(self.case.rules, place, (score, MOST)) else None

    def _at_the_table(
        self, place: int, margins: Margins, beaten: int, scores: tuple[int, int], alone: int
    ) -> str | None:
        """Return where rivals must finish, given what all placements and scores of a table together allow."""
        known = {
            rival: self._ordinary(place, found, scores) for rival, found in margins.get(FinishPlace(place), {}).items()
        }
        left = [number for number in range(1, len(self.places) + 1) if number != place]
        orders = [dict(zip(known, order, strict=False)) for order in permutations(left)]
        if not any(
            self._may_miss({at: known[rival][at] for rival, at in pairs}, place, scores)
            for order in orders
            for pairs in combinations(order.items(), len(known) + 1 - beaten)
        ):
            return ""
        ways = [pairs for order in orders for pairs in combinations(order.items(), beaten)]
        enough = {pair for pairs in ways if self._may_help(pairs, known, place, scores, alone) for pair in pairs}
        if not enough:
            return None
        if beaten == len(known):
            self._leave_out_implied(known, orders, place, scores)
        clauses = [self._clause(rival, place, found, frozenset(enough)) for rival, found in known.items()]
        possible, missing = list(filter(None, clauses)), beaten - clauses.count("")
        if missing == len(possible):
            return str(self.phrases["and"].join(possible))
        if missing == 1:
            return str(self.phrases["either"].join(possible))
        return self.say("at_least", count=missing, conditions=self.phrases["item"].join(possible))

    def _leave_out_implied(
        self, known: Known, orders: Sequence[Mapping[str, int]], place: int, scores: tuple[int, int]
    ) -> None:
        """Replace margins that follow from those needed over all other rivals with ALWAYS."""
        for rival, at in dict.fromkeys(pair for order in orders for pair in order.items()):
            least = known[rival][at].least
            rest = [
                {other: known[each][other] for each, other in order.items() if each != rival}
                for order in orders
                if order[rival] == at
            ]
            if least is not None and not any(
                NEVER not in met.values()
                and is_ordinary(self.case.rules, place, scores, _leads(met), ((at, least - HUNDRED),))
                for met in rest
            ):
                known[rival][at] = ALWAYS

    def _may_help(
        self, pairs: Iterable[tuple[str, int]], known: Known, place: int, scores: tuple[int, int], alone: int
    ) -> bool:
        """Return whether rivals in these places can all be beaten, other than with the lead that is told already."""
        met = {at: known[rival][at] for rival, at in pairs}
        leads = _leads(met)
        is_new = NEVER not in met.values() and dict(leads).get(2, 0) < alone
        return is_new and (not leads or is_ordinary(self.case.rules, place, scores, leads))

    def _may_miss(self, met: Mapping[int, Margin], place: int, scores: tuple[int, int]) -> bool:
        """Return whether rivals in these places can all be missed, with these margins by place."""
        leads = tuple((at, margin.least - HUNDRED) for at, margin in met.items() if margin.least is not None)
        return ALWAYS not in met.values() and (not leads or is_ordinary(self.case.rules, place, scores, most=leads))

    def clause(self, rival: str, own: int, margins: ByPlace) -> str | None:
        """Return where a rival must finish: "" for anywhere, None if no placement helps."""
        return self._clause(rival, own, self._ordinary(own, margins))

    def _clause(self, rival: str, own: int, known: Mapping[int, Margin], among: Placed | None = None) -> str | None:
        if all(margin.always for margin in known.values()):
            return ""
        told = {number: margin for number, margin in known.items() if among is None or (rival, number) in among}
        parts = []
        always = sorted(number for number, margin in told.items() if margin.always)
        if always:
            parts.append(self._any_of(always, known))
        leasts = {number: margin.least for number, margin in told.items() if margin.least is not None}
        for least, phrase in dict.fromkeys(
            (leasts[number], "ahead" if number > own else "behind") for number in sorted(leasts, reverse=True)
        ):
            places = [at for at in sorted(leasts) if leasts[at] == least and (at > own) == (phrase == "ahead")]
            parts.append(self.say(phrase, place=self._any_of(places, known), points=f"{abs(least):,}"))
        if not parts:
            return None
        return self.say("rival_at", rival=self.name(rival), places=self.phrases["or"].join(parts))

    def _any_of(self, numbers: Sequence[int], known: Iterable[int]) -> str:
        if len(numbers) > 1 and numbers == [number for number in sorted(known) if number >= numbers[0]]:
            return self.say("place_or_lower", place=self.places[numbers[0] - 1])
        return str(self.phrases["either_place"].join(self.places[number - 1] for number in numbers))

    def _ordinary(self, own: int, margins: ByPlace, scores: tuple[int, int] = ANY_SCORE) -> dict[int, Margin]:
        return {
            place.number: ordinary(self.case, own, place.number, margin, scores)
            for place, margin in margins.items()
            if place.sharing == 1 and place.number != own
        }

    def _by_oneself(self, margins: Margins) -> int | None:
        """Return the lead of first over second place that is enough on its own, None if other conditions matter."""
        if self.case.others:
            return None
        worst = []
        for found in margins.get(FinishPlace(1), {}).values():
            said = self._ordinary(1, found).values()
            leasts = [0 if margin.always else margin.least for margin in said]
            if None not in leasts:
                worst.append(max(least for least in leasts if least is not None))
        wanted = self.case.wanted
        if wanted > len(worst) or not wanted:
            return None
        return sorted(worst)[wanted - 1] or None

    # --- In the last hand --------------------------------------------------------------------------------------------

    def hand(self, player: str, last: LastHand) -> Iterable[str]:
        tsumo = self.values(last.of(player, None), player)
        ron = [(self.name(rival), self.values(last.of(player, rival), player)) for rival in self.case.rivals(player)]
        if len(ron) > 1 and len({values for _, values in ron}) == 1:
            ron = [(self.phrases["anyone"], ron[0][1])]
        texts = [self.say("tsumo", values=tsumo)] if tsumo else []
        texts += [self.say("ron", rival=rival, values=values) for rival, values in ron if values]
        yield from texts or [self.say("no_win")]
        yield self._draw(player, last)

    def values(self, wins: Sequence[Win], player: str) -> str:
        """Return the hand values that are enough, as ranges; a higher value may fail where a lower one is enough."""
        runs: list[list[Win]] = []
        open_run = False
        for win in wins:
            if player not in win.end.reached:
                open_run = False
            elif open_run:
                runs[-1].append(win)
            else:
                runs.append([win])
                open_run = True
        if not runs:
            return ""
        if len(runs) == 1 and len(runs[0]) == len(wins):
            return str(self.phrases["every"])
        return str(self.phrases["comma"].join(self._range(run, wins[-1]) for run in runs))

    def _range(self, run: Sequence[Win], highest: Win) -> str:
        low, high = self._value(run[0].name), self._value(run[-1].name)
        if run[-1] is highest:
            return self.say("from", value=low)
        return low if len(run) == 1 else self.say("range", low=low, high=high)

    def _value(self, name: str) -> str:
        if name.endswith(" all"):
            return self.say("all", value=f"{int(name.removesuffix(' all')):,}")
        return "-".join(f"{int(part):,}" for part in name.split("-"))

    def _draw(self, player: str, last: LastHand) -> str:
        draws = last.draws_for(player)
        if not draws:
            return self.say("draw_never")
        if len(draws) == len(last.draws):
            return self.say("draw_always")
        return self.say("draw_when", condition=self._tenpai(draws, last.draws))

    def _tenpai(self, enough: Sequence[DrawnHand], every: Sequence[DrawnHand]) -> str:
        """Return who must and must not be tenpai if that describes all cases, else list the combinations."""
        ready = [each for each in self.case.players if all(each in draw.tenpai for draw in enough)]
        not_ready = [each for each in self.case.players if not any(each in draw.tenpai for draw in enough)]
        said = [d for d in every if set(ready) <= set(d.tenpai) and not set(not_ready) & set(d.tenpai)]
        if len(said) == len(enough):
            parts = [
                self.say(word, names=self._names(who)) for word, who in (("tenpai", ready), ("noten", not_ready)) if who
            ]
            return str(self.phrases["and"].join(parts))
        others = [draw for draw in every if draw not in enough]
        phrase, listed = ("sets", enough) if len(enough) <= len(others) else ("not_sets", others)
        return self.say(phrase, sets=" / ".join(self._names(draw.tenpai) for draw in listed))

    def _names(self, players: Sequence[str]) -> str:
        return str(self.phrases["names"].join(map(self.name, players))) or str(self.phrases["nobody"])

    def last_hand(self, player: str, hand: Hand, last: LastHand) -> LastHandSentences:
        own = tuple(self.hand(player, last))
        return LastHandSentences(
            own,
            tuple(self.deal_in(player, last)),
            tuple(self.others(player, last)),
            tuple(self.riichi(player, hand, last, own)),
        )

    def deal_in(self, player: str, last: LastHand) -> Iterator[str]:
        said = self._deal_ins(player, last)
        always = all(_suits(player, last.of(rival, player)) for rival in said)
        yield from [self.say("deal_in_always")] if always else filter(None, said.values())
        if not any(said.values()):
            yield self.say("deal_in_never")

    def _deal_ins(self, player: str, last: LastHand) -> dict[str, str]:
        rivals = self.case.rivals(player)
        return {rival: self._said("deal_in", last.of(rival, player), player, rival) for rival in rivals}

    def others(self, player: str, last: LastHand) -> Iterator[str]:
        rivals = self.case.rivals(player)
        losers = {rival: [None, *(loser for loser in rivals if loser != rival)] for rival in rivals}
        safe = [rival for rival in rivals if all(_suits(player, last.of(rival, each)) for each in losers[rival])]
        said = []
        for rival in rivals if len(safe) < len(rivals) else ():
            if rival in safe:
                said.append(self.say("wins_of_any", winner=self.name(rival)))
            else:
                for loser in losers[rival]:
                    phrase = "ron_of" if loser else "tsumo_of"
                    said.append(self._said(phrase, last.of(rival, loser), player, rival, loser or ""))
        yield from filter(None, said)
        if not any(said):
            yield self.say("others_always" if safe else "others_never")

    def _said(self, phrase: str, wins: Sequence[Win], player: str, winner: str, loser: str = "") -> str:
        if not any(player in win.end.reached for win in wins):
            return ""
        is_any = _suits(player, wins)
        said = {"winner": self.name(winner), "loser": self.name(loser) if loser else ""}
        return (
            self.say(f"{phrase}_any", **said) if is_any else self.say(phrase, values=self.values(wins, player), **said)
        )

    def riichi(self, player: str, hand: Hand, before: LastHand, own: Sequence[str]) -> Iterator[str]:
        """Yield what changes if the player declares riichi, compared with the sentences `own`."""
        if player in hand.riichi or hand.scores[player] < RIICHI_STICK:
            return
        last = last_hand_with_riichi(self.case, hand, player, before)
        changed = [sentence for sentence in self.hand(player, last) if sentence not in own]
        allowed = self._deal_ins(player, before)
        for rival, sentence in self._deal_ins(player, last).items():
            if sentence != allowed[rival]:
                changed.append(sentence or self.say("deal_in_no_more", winner=self.name(rival)))
        if not changed:
            yield self.say("riichi_same")
        yield from (self.say("riichi", sentence=sentence) for sentence in changed)


def _suits(player: str, wins: Iterable[Win]) -> bool:
    return all(player in win.end.reached for win in wins)


def _leads(margins: Mapping[int, Margin]) -> Leads:
    return tuple((at, margin.least) for at, margin in margins.items() if margin.least is not None)
