"""Requirements in a block with several tables: at the player's own table, and against players elsewhere."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tournaments.core.needs.case import PLACE, Case, counts_places
from tournaments.core.needs.margins import FinishPlace, Margins, margins_of
from tournaments.core.needs.proofs import (
    Holder,
    Proofs,
    Tables,
    WildCard,
    above_now,
    apart,
    is_open,
    ordinary_above_of,
    places_missing,
)
from tournaments.messages.needs import Names, TableTeller, phrases_of


@dataclass(frozen=True, slots=True)
class LowerLine:
    """A lower line: number of players above it, and destination name by language."""

    goal: int
    to: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """The line to reach. `lower`: lines below it, the next first, if placements rank."""

    is_title: bool = False
    lower: tuple[LowerLine, ...] = ()


def places_told(speaker: TableTeller, player: str, lower: Sequence[LowerLine], language: str) -> Iterator[str]:
    """Yield what each placement brings an undecided player, best first.

    If a placement is enough only for some orders of the others, those orders are named. If the sum of placements may be
    tied without a tie-break, the sentence says so.
    """
    surely, possibly = _needs(speaker, player), _needs(_where_level_is_enough(speaker, player), player)
    enough = next((number for number, need in enumerate(surely) if need != ""), len(surely))
    if enough:
        yield speaker.enough(enough)
    for number, (need, hope) in enumerate(zip(surely, possibly, strict=True)):
        if need:
            yield speaker.say("if", place=speaker.places[number], condition=need)
        if hope != need and hope is not None:
            said = {"place": speaker.places[number], "condition": hope}
            yield speaker.say("if_level" if hope else "if_level_at_all", **said)
    low = next((number for number, hope in enumerate(possibly) if hope is None), len(possibly))
    yield from _below(speaker, player, low, [(line, line.to.get(language, line.to["ja"])) for line in lower])


def _needs(speaker: TableTeller, player: str) -> list[str | None]:
    margins = margins_of(speaker.case, player)
    found = [speaker.alternatives(player, place, margins) for place in range(1, len(speaker.places) + 1)]
    return [alternatives[0][1] if alternatives else None for alternatives in found]


def _where_level_is_enough(speaker: TableTeller, player: str) -> TableTeller:
    """Return a speaker for the same case in which the player wins all ties (half a placement better).

    If the last hanchan decides ties, only players elsewhere can stay tied.
    """
    case: Case = speaker.case
    if case.last_decides:
        others = {each: total - PLACE // 2 for each, total in case.others.items()}
        return replace(speaker, case=replace(case, others=others))
    totals = {**case.totals, player: case.totals[player] + PLACE // 2}
    return replace(speaker, case=replace(case, totals=totals))


def _below(speaker: TableTeller, player: str, low: int, lower: Sequence[tuple[LowerLine, str]]) -> Iterator[str]:
    """Yield where placements lead that are too low for the goal: the best certain lower line, or elimination."""
    reached = [(to, _needs(replace(speaker, case=replace(speaker.case, goal=line.goal)), player)) for line, to in lower]
    leads = [
        next((to for to, needs in reached if needs[number] == ""), "") for number in range(low, len(speaker.places))
    ]
    for to, run in groupby(enumerate(leads, start=low), key=lambda found: found[1]):
        numbers = [number for number, _ in run]
        if to:
            places = speaker.phrases["or_place"].join(speaker.places[number] for number in numbers)
            yield speaker.say("leads_to", places=places, to=to)
        else:
            is_last = numbers[0] == len(speaker.places) - 1
            yield speaker.say("too_low_only" if is_last else "too_low", place=speaker.places[numbers[0]])


MOST_RIVALS = 3
"""Maximum number of rivals at other tables named above and below a player; a table lists the others."""

THROUGH = Line()
"""Players above the line advance; what lies below is not named."""


def sentences_of_tables(
    tables: Tables, players: Iterable[str], proofs: Proofs, language: str, name: Names = str, line: Line = THROUGH
) -> dict[str, tuple[str, ...]]:
    """Return each player's requirements in a last hanchan; empty for players with more than one hanchan left."""
    teller = _BlockTeller(tables, proofs, language, name, line)
    return {player: tuple(teller.tell(player)) for player in players}


@dataclass(frozen=True, slots=True)
class _BlockTeller:
    tables: Tables
    proofs: Proofs
    language: str
    name: Names
    line: Line

    def tell(self, player: str) -> Iterator[str]:
        """Yield a player's requirements: exact at the last table, otherwise against each close rival."""
        tables, table = self.tables, self.tables.table_of(player)
        case = tables.case_at(table or (player,))
        speaker = TableTeller(case, phrases_of(self.language), self.name, self.line.is_title)
        if decided := speaker.decided(player, self.proofs):
            yield decided
        if decided or tables.left[player] > 1:
            return
        margins = margins_of(case, player) if table else {}
        if not table or not tables.is_last(table):
            yield from self._compared(player, margins, speaker)
        elif counts_places(tables.rules):
            yield from places_told(speaker, player, self.line.lower, self.language)
        else:
            yield from speaker.hanchan(player, margins, self.proofs)

    def _compared(self, player: str, margins: Margins, speaker: TableTeller) -> Iterator[str]:
        tables, table, by_places = self.tables, self.tables.table_of(player), counts_places(self.tables.rules)
        clauses = {rival: self._clauses(rival, margins, speaker) for rival in table if rival != player}
        above, below = self._open(player, [rival for rival, each in clauses.items() if len(set(each)) > 1])
        now, missing = len(above_now(tables, player)), places_missing(tables, player)
        most, fewest = now + len(below), now - len(above)
        if not by_places and not tables.left[player]:
            most, fewest = ordinary_above_of(tables, player)
        if not by_places and fewest >= tables.goal:
            yield speaker.say("too_low_at_all")
            return
        if not by_places and most < tables.goal:
            yield speaker.say("any_place" if tables.left[player] else "any_hanchan")
            return
        yield self._missing(player, missing, above, speaker)
        told = [*above, *below]
        if tables.left[player]:
            elsewhere = [[each for each in side if each not in table] for side in (above, below)]
            named = {*table, *elsewhere[0][-MOST_RIVALS:], *elsewhere[1][:MOST_RIVALS]}
            told = [each for each in told if each in named]
        elif missing <= 0:
            told = below
        for rival in told:
            if rival in table:
                yield self._at_the_table(rival, clauses[rival], speaker)
            else:
                said = (self._by_places if by_places else self._elsewhere)(player, rival, speaker)
                yield from [said] if said else []

    def _missing(self, player: str, missing: int, reachable: Sequence[str], speaker: TableTeller) -> str:
        above = missing + self.tables.goal - 1
        if missing > 0 and not self.tables.left[player]:
            phrase = "all_have_to_fall" if missing == len(reachable) else "have_to_fall"
            return speaker.say(phrase, count=missing, above=len(reachable))
        if 0 < missing == above:
            return speaker.say("overtake_all", above=above)
        if missing > 0:
            return speaker.say("overtake", count=missing, above=above)
        return speaker.say("may_be_passed", count=-missing) if missing else speaker.say("must_not_be_passed")

    def _open(self, player: str, met: Collection[str]) -> tuple[list[str], list[str]]:
        """Return the players now above and below a player who may end on the other side, best first.

        `met`: those of them at the player's table.
        """
        table, above = self.tables.table_of(player), above_now(self.tables, player)
        found = sorted(self.tables.players, key=lambda each: -self.tables.totals[each])
        found = [each for each in found if each in met or (each not in table and is_open(self.tables, player, each))]
        return [each for each in found if each in above], [each for each in found if each not in {player, *above}]

    def _clauses(self, rival: str, margins: Margins, speaker: TableTeller) -> list[str | None]:
        places = [FinishPlace(number) for number in range(1, len(speaker.places) + 1)]
        return [speaker.clause(rival, place.number, margins.get(place, {}).get(rival, {})) for place in places]

    def _at_the_table(self, rival: str, clauses: Sequence[str | None], speaker: TableTeller) -> str:
        """Return where a rival must finish for each placement; those at the top that are enough are told together."""
        enough = next(number for number, clause in enumerate(clauses) if clause != "")
        parts = []
        for place, clause in list(zip(speaker.places, clauses, strict=True))[max(0, enough - 1) :]:
            if clause is not None:
                spoken = (
                    speaker.say("place_or_better", place=place)
                    if enough > 1 and place == speaker.places[enough - 1]
                    else place
                )
                parts.append(speaker.say("when", place=spoken, condition=clause or speaker.say("anyhow")))
        listed = speaker.phrases["item"].join(parts)
        return speaker.say("above_at_table", rival=self.name(rival), conditions=listed)

    def _elsewhere(self, player: str, rival: str, speaker: TableTeller) -> str:
        found = apart(self.tables, player, rival)
        least, own, theirs = found.least, self.tables.left[player], self.tables.left[rival]
        if not theirs:
            phrase, points = "with_more", speaker.points(least, up=True, signed=True)
        elif not own:
            phrase = "falls" if least > 0 else "passes"
            points = speaker.points(-least, up=least <= 0, signed=True)
        elif least > 0:
            phrase, points = "by" if found.level_is_enough else "by_more", speaker.points(least, up=True)
        else:
            phrase, points = "not_by" if least else "level", speaker.points(-least, up=False)
        return speaker.say(f"elsewhere_{phrase}", rival=self.name(rival), points=points, where=self._where(player))

    def _where(self, player: str) -> object:
        # Without a known table, or with a house player there, a rival may sit at the same one.
        return phrases_of(self.language)["elsewhere"] if self.tables.table_of(player) else ""

    def _by_places(self, player: str, rival: str, speaker: TableTeller) -> str:
        """Return the placement or lead needed over a rival where placements rank; "" if already decided."""
        found, places = apart(self.tables, player, rival), speaker.phrases["places"]
        behind = found.least // PLACE
        if self.tables.left[player] and self.tables.left[rival]:
            count = behind + (0 if found.level_is_enough else 1)
            phrase = "places_by" if count > 0 else "places_not_by" if count < 0 else "places_level"
            facts = {"rival": self.name(rival), "count": abs(count), "where": self._where(player)}
            return speaker.say(phrase, **facts) if abs(count) < len(places) else ""
        phrase, place = ("places_unless", behind + 1) if self.tables.left[rival] else ("places_with", -behind - 1)
        return speaker.say(phrase, rival=self.name(rival), place=places[place - 1]) if 1 <= place <= len(places) else ""


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def sentences_of_wild_card(
    wild: WildCard, players: Iterable[str], proofs: Proofs, language: str, name: Names = str
) -> dict[str, tuple[str, ...]]:
    """Return requirements for a wild card; empty for players with more than one hanchan left."""
    return {player: tuple(_told(wild, player, proofs, language, name)) for player in players}


def _told(wild: WildCard, player: str, proofs: Proofs, language: str, name: Names) -> Iterator[str]:
    speaker = TableTeller(wild.own.case_at((player,)), phrases_of(language), name, is_title=False)
    if decided := speaker.decided(player, proofs):
        yield decided
    if decided or wild.own.left[player] > 1:
        return
    rank = str(speaker.phrases["rank"]).format(rank=_ordinal(wild.rank, language))
    if wild.is_for_all:
        yield speaker.say("wild_all", rank=rank)
        return
    rule = speaker.say("wild_rule", rank=rank, count=wild.count, blocks=len(wild.others) + 1)
    if counts_places(wild.own.rules):
        yield rule
        return
    # The total comes first, for pages with room for only one sentence.
    yield from _compared(wild, player, rank, speaker)
    yield rule
    yield from (_holder(holder, rank, speaker) for holder in wild.holders)


def _compared(wild: WildCard, player: str, rank: str, speaker: TableTeller) -> Iterator[str]:
    """Yield the total needed: final if the other blocks are over, otherwise the current one."""
    target, total = wild.target, wild.own.totals[player]
    if target is None:
        return
    facts = {
        "rank": rank,
        "target": speaker.points(target, up=True, signed=True),
        "total": speaker.points(total, up=False, signed=True),
        "points": speaker.points(target - total, up=True, signed=True),
    }
    when = "settled" if wild.is_settled else "now"
    if wild.own.left[player]:
        yield speaker.say(f"wild_{when}_more", **facts)
    else:
        than = "above" if total > target else "level" if total == target else "below"
        yield speaker.say(f"wild_{when}_{than}", **facts)


def _holder(holder: Holder, rank: str, speaker: TableTeller) -> str:
    block = str(speaker.phrases["block"]).format(block=holder.block)
    phrase = "wild_holder_plays" if holder.left else "wild_holder_stays"
    points = speaker.points(holder.total, up=False, signed=True)
    return speaker.say(
        phrase, block=block, rank=rank, rival=speaker.name(holder.player), points=points, count=holder.left
    )


def _ordinal(number: int, language: str) -> str:
    """Return a rank as written in the language: 5, or 5th."""
    if language == "ja":
        return str(number)
    last = number % 10 if number % 100 not in range(11, 14) else 0
    return f"{number}{_ENDINGS.get(last, 'th')}"
