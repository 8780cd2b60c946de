"""Conditions of a block at several tables as sentences: what the own table asks for, and those who play elsewhere."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tournaments.core.needs.by_places import PLACE, counts_places
from tournaments.core.needs.margins import Margins, margins_of
from tournaments.core.needs.patterns import FinishPlace
from tournaments.core.needs.proofs import Proofs
from tournaments.core.needs.tables import Tables, above_now, apart, places_missing
from tournaments.phrases.needs import Names, TableTeller, phrases_of
from tournaments.phrases.places import Line, places_told

MOST_RIVALS = 3
"""So many above and below somebody are named aloud; a table has the others."""

THROUGH = Line()
"""Whoever is above goes on, and what is below is not said."""


def sentences_of_tables(
    tables: Tables,
    players: Iterable[str],
    proofs: Proofs,
    language: str,
    name: Names = str,
    line: Line = THROUGH,
) -> dict[str, tuple[str, ...]]:
    """Return what each of these players needs in a last hanchan; nothing for whoever has more than one left.

    `line`: what the goal is called.
    """
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
        """Yield what a player needs: at one last table exactly, else against each rival who is near."""
        tables, table = self.tables, self.tables.table_of(player)
        if tables.left[player] > 1 and player not in {*self.proofs.secured, *self.proofs.out}:
            return
        speaker = self._speaker(table or (player,))
        if table and (tables.is_last(table) or player in {*self.proofs.secured, *self.proofs.out}):
            if counts_places(tables.rules) and player not in {*self.proofs.secured, *self.proofs.out}:
                yield from places_told(speaker, player, self.line.lower, self.language)
            else:
                yield from speaker.hanchan(player, margins_of(speaker.case, player), self.proofs)
            return
        if player in self.proofs.secured or player in self.proofs.out:
            yield speaker.say("secured" if player in self.proofs.secured else "out")
            return
        yield self._missing(player, speaker)
        margins = margins_of(speaker.case, player) if table else {}
        for rival in self._near(player):
            if rival in table:
                yield self._at_the_table(rival, margins, speaker)
            elif tables.left[player] or tables.left[rival]:
                by_places = counts_places(tables.rules)
                said = (self._by_places if by_places else self._elsewhere)(player, rival, speaker)
                yield from [said] if said else []

    def _speaker(self, table: tuple[str, ...]) -> TableTeller:
        return TableTeller(self.tables.case_at(table), phrases_of(self.language), self.name, self.line.is_title)

    def _missing(self, player: str, speaker: TableTeller) -> str:
        missing, above = places_missing(self.tables, player), len(above_now(self.tables, player))
        if 0 < missing == above and self.tables.left[player]:
            return speaker.say("overtake_all", above=above)
        if missing > 0:
            return speaker.say("overtake" if self.tables.left[player] else "have_to_fall", count=missing, above=above)
        return speaker.say("may_be_passed", count=-missing) if missing else speaker.say("must_not_be_passed")

    def _near(self, player: str) -> list[str]:
        above = above_now(self.tables, player)
        below = [each for each in self.tables.players if each != player and each not in above]
        nearest = sorted(below, key=lambda each: -self.tables.totals[each])
        up = sorted(above, key=lambda each: -self.tables.totals[each])
        return [*up[-MOST_RIVALS:], *nearest[:MOST_RIVALS]]

    def _at_the_table(self, rival: str, margins: Margins, speaker: TableTeller) -> str:
        parts = []
        for number, place in enumerate(speaker.places, start=1):
            clause = speaker.clause(rival, number, margins.get(FinishPlace(number), {}).get(rival, {}))
            if clause is not None:
                parts.append(speaker.say("when", place=place, condition=clause or speaker.say("anyhow")))
        hardly = "never" if counts_places(self.tables.rules) else "hardly"
        listed = speaker.phrases["item"].join(parts) or speaker.phrases[hardly]
        return speaker.say("above_at_table", rival=self.name(rival), conditions=listed)

    def _elsewhere(self, player: str, rival: str, speaker: TableTeller) -> str:
        found = apart(self.tables, player, rival)
        least, own, theirs = found.least, self.tables.left[player], self.tables.left[rival]
        if not theirs:
            phrase, points = "with_more", speaker.points(least, up=True, signed=True)
        elif not own:
            phrase, points = "unless", speaker.points(-least, up=False, signed=True)
        elif least > 0:
            phrase, points = "by" if found.level_is_enough else "by_more", speaker.points(least, up=True)
        else:
            phrase, points = "not_by" if least else "level", speaker.points(-least, up=False)
        return speaker.say(f"elsewhere_{phrase}", rival=self.name(rival), points=points)

    def _by_places(self, player: str, rival: str, speaker: TableTeller) -> str:
        """Say the same where places alone rank: which place it takes, or by how many it has to be better; "" for what is settled."""
        found, places = apart(self.tables, player, rival), speaker.phrases["places"]
        behind = found.least // PLACE
        if self.tables.left[player] and self.tables.left[rival]:
            count = behind + (0 if found.level_is_enough else 1)
            phrase = "places_by" if count > 0 else "places_not_by" if count < 0 else "places_level"
            return speaker.say(phrase, rival=self.name(rival), count=abs(count)) if abs(count) < len(places) else ""
        phrase, place = ("places_unless", behind + 1) if self.tables.left[rival] else ("places_with", -behind - 1)
        return speaker.say(phrase, rival=self.name(rival), place=places[place - 1]) if 1 <= place <= len(places) else ""
