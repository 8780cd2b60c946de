"""A pasted list of people compared with the league: matches, changes and open questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from django.db import transaction

from league.core.people_lists import ListedPerson
from league.core.readings import folded
from league.core.spreadsheets.names import MAX_COMPARED, SLIP, WrittenName, looks
from league.models import League, Player
from league.services.history import Actor
from league.services.imports.people import FilePeople, league_people
from league.services.people import PlayerFacts, add_players, change_players, facts_of

NEW, SKIP, ROW = "new", "skip", "row-"
SURE = {"number", "exact", "alias", "honorific"}
"""Kinds of matches that are accepted without asking; a similar reading alone is not."""

MOST_ASKED = 50
"""Questions shown at a time, because each one searches all names."""


@dataclass(slots=True)
class ListedLine:
    """A line of the list with its player and changes.

    `choice`: NEW, SKIP, a primary key, ROW and the number of an earlier line about the same person, or "". `likely`: the
    choice to suggest. `problem`: "", "wrong" (see `person.wrong`), "twice", "number" if the member number is that of
    `other`, or "same" if the new person looks like that of the line `earlier`.
    """

    person: ListedPerson
    choice: str = ""
    player: Player | None = None
    is_new: bool = False
    problem: str = ""
    other: str = ""
    likely: str = ""
    earlier: "ListedLine | None" = None
    candidates: tuple[Player, ...] = ()
    before: PlayerFacts | None = None
    facts: PlayerFacts | None = None

    @property
    def is_skipped(self) -> bool:
        return self.choice == SKIP or (bool(self.earlier_row) and self.choice == self.earlier_row)

    @property
    def earlier_row(self) -> str:
        """The choice that says that this is the person of the earlier line."""
        return f"{ROW}{self.earlier.person.line}" if self.earlier is not None else ""

    @property
    def kind(self) -> str:
        """Return what happens to the line: "skipped", "open" while there is a question, "new", "changing" or "same"."""
        if self.is_skipped:
            return "skipped"
        if self.problem or self.facts is None:
            return "open"
        return "new" if self.is_new else "same" if self.facts == self.before else "changing"


@dataclass(frozen=True, slots=True)
class ListPlan:
    lines: tuple[ListedLine, ...]

    @property
    def kinds(self) -> Mapping[str, list[ListedLine]]:
        found: dict[str, list[ListedLine]] = {kind: [] for kind in ("skipped", "open", "new", "changing", "same")}
        for line in self.lines:
            found[line.kind].append(line)
        return found

    @property
    def asked(self) -> list[ListedLine]:
        return self.kinds["open"][:MOST_ASKED]

    @property
    def only_adds(self) -> bool:
        """Whether no line is open or changes a player's facts, so that there is nothing to look at before storing."""
        pairs = [(line.before, line.facts) for line in self.kinds["changing"]]
        are_names = all(old and new and replace(new, aliases=old.aliases) == old for old, new in pairs)
        return not self.kinds["open"] and are_names

    @property
    def players(self) -> list[Player]:
        return [line.player for line in self.lines if line.player is not None]


def plan_list(league: League, people: Sequence[ListedPerson], choices: Mapping[int, str], *, guests: bool) -> ListPlan:
    """Return what applying a list would change. Unknown people are new; only look-alikes are asked about.

    `choices`: by line; `guests`: whether new people are guests unless their line says otherwise.
    """
    known = league_people(league)
    found = {person.name: known.directory.find(WrittenName(person.name)) for person in people if person.name}
    slips = known.directory.slips(found, SLIP)
    meanings = {name: slips.get(name, match.people) for name, match in found.items()}
    lines = [_line(person, known, meanings, choices.get(person.line, ""), guests=guests) for person in people]
    _refuse_twice(lines)
    _ask_about_rows(lines)
    merged = league.players.filter(merged_into__isnull=False).exclude(number="")
    _refuse_numbers(lines, known, dict(merged.order_by().values_list("number", "name")))
    plan = ListPlan(tuple(lines))
    for line in plan.asked:
        meaning = meanings.get(line.person.name, ())
        line.candidates = _candidates(line.person, known, meaning)
        if not line.problem and len(meaning) == 1:
            line.likely = str(line.candidates[0].pk)
    return plan


Meanings = Mapping[str, Sequence[int]]
"""The players whose name is, sounds or looks like a name, or nearly so, by name."""


def _line(person: ListedPerson, known: FilePeople, meanings: Meanings, choice: str, *, guests: bool) -> ListedLine:
    line = ListedLine(person, choice)
    if line.is_skipped:
        return line
    if person.wrong:
        line.problem = "wrong"
        return line
    line.player, line.is_new = _meant(person, known, meanings, choice)
    if line.player is not None:
        line.before = facts_of(line.player)
        line.facts = _changed_facts(line.before, person)
    elif line.is_new:
        texts: dict[str, Any] = dict(person.texts)
        line.facts = PlayerFacts(**texts, is_guest=guests if person.is_guest is None else person.is_guest)
    return line


def _meant(person: ListedPerson, known: FilePeople, meanings: Meanings, choice: str) -> tuple[Player | None, bool]:
    """Return the line's player, and whether it is a new one; (None, False) if undecided."""
    if choice == NEW:
        return None, True
    if choice.isdecimal() and int(choice) in known.players:
        return known.players[int(choice)], False
    found = known.directory.find(WrittenName(person.name, number=person.number))
    holder = known.directory.by_number.get(person.number)
    if found.how in SURE and holder in {None, found.people[0]}:
        return known.players[found.people[0]], False
    return None, holder is None and not meanings.get(person.name)


def _candidates(person: ListedPerson, known: FilePeople, meaning: Sequence[int]) -> tuple[Player, ...]:
    """Return possible players, likely ones first, by member number, name or similar name."""
    if not person.name:
        return ()
    holder = known.directory.by_number.get(person.number)
    found = meaning or known.directory.alike(person.name)
    numbers = dict.fromkeys([*([] if holder is None else [holder]), *found])
    return tuple(known.players[number] for number in numbers)


def _changed_facts(facts: PlayerFacts, person: ListedPerson) -> PlayerFacts:
    """Return a player's facts as updated by a line. Empty cells change nothing; a different name becomes an alias."""
    texts: dict[str, Any] = {name: text for name, text in person.texts.items() if name != "name"}
    called = {folded(name) for name in (facts.name, *facts.aliases)}
    aliases = facts.aliases if folded(person.name) in called else (*facts.aliases, person.name)
    is_guest = facts.is_guest if person.is_guest is None else person.is_guest
    return replace(facts, **texts, aliases=aliases, is_guest=is_guest)


def _refuse_twice(lines: Iterable[ListedLine]) -> None:
    """Mark lines whose player occurs in an earlier line."""
    seen: set[Player] = set()
    for line in lines:
        if line.player in seen:
            line.problem, line.likely = "twice", SKIP
        elif line.player is not None:
            seen.add(line.player)


def _ask_about_rows(lines: Sequence[ListedLine]) -> None:
    """Mark new people who look like those of an earlier line; once they are one person, keep the other spelling."""
    is_short = len(lines) <= MAX_COMPARED
    first: dict[str, ListedLine] = {}
    for line in lines:
        if not line.is_new or line.facts is None:
            continue
        near = get_close_matches(looks(line.person.name)[0], first, n=1, cutoff=SLIP) if is_short else ()
        earlier = next(filter(None, map(first.get, (*looks(line.person.name), *near))), line)
        first |= dict.fromkeys(looks(line.person.name), earlier)
        is_same = folded(line.person.name) == folded(earlier.person.name)
        numbers = {line.person.number, earlier.person.number} - {""}
        if earlier is line or earlier.facts is None or line.choice == NEW or len(numbers) > 1:
            continue
        line.problem, line.earlier = "same", earlier
        line.likely = line.earlier_row if is_same else NEW
        if line.is_skipped and not is_same:
            earlier.facts = replace(earlier.facts, aliases=(*earlier.facts.aliases, line.person.name))


def _refuse_numbers(lines: Sequence[ListedLine], known: FilePeople, merged: Mapping[str, str]) -> None:
    """Mark lines whose member number belongs to another player, merged or not, or to an earlier line.

    `merged`: the names of merged players by the number they still hold.
    """
    numbers = {player.pk: player.number for player in known.players.values()}
    matched = [(line.player, line.facts) for line in lines]
    numbers |= {player.pk: facts.number for player, facts in matched if player is not None and facts is not None}
    holders: dict[str, list[int]] = {}
    for pk, number in numbers.items():
        holders.setdefault(number, []).append(pk)
    given: set[str] = set()
    for line in lines:
        if line.facts is None or not line.facts.number or line.problem:
            continue
        own = line.player.pk if line.player else 0
        others = [known.players[pk].name for pk in holders.get(line.facts.number, ()) if pk != own]
        others += [merged[line.facts.number]] if line.facts.number in merged else []
        if others or (line.is_new and line.facts.number in given):
            line.problem, line.other = "number", others[0] if others else line.person.name
        given.add(line.facts.number)


@transaction.atomic
def store_list(*, league: League, plan: ListPlan, by: Actor, reason: str) -> tuple[list[Player], list[Player]]:
    """Apply a plan that has no open lines; return changed and new players."""
    changing = [(line.player, line.facts) for line in plan.kinds["changing"]]
    changes = {player: facts for player, facts in changing if player is not None and facts is not None}
    changed = change_players(league=league, changes=changes, by=by, reason=reason) if changes else []
    new = [line.facts for line in plan.kinds["new"] if line.facts is not None]
    return changed, add_players(league=league, people=new, by=by) if new else []
