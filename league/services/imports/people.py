"""Matching a file's names with the league's players, and creating new players."""

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from league.core.imports.games import ImportedGame
from league.core.readings import folded
from league.core.spreadsheets.names import (
    NameDirectory,
    NameMatchResult,
    WrittenName,
    looks,
    same_width,
    shortens,
    without_honorific,
)
from league.models import ImportBatch, League, Player
from league.selectors.people import current_player, named_person
from league.services.history import Actor
from league.services.imports.values import GUEST, MADE, SAME
from league.services.people import PlayerFacts, add_players, change_players, facts_of

NEARLY = 0.75
"""Similarity of a new name to a player's from which on the user is asked."""

_COUNTED = re.compile(r"\(\d+\)$")


@dataclass(slots=True)
class NameMatch:
    """A name in the file, in `count` games, and the person it means.

    `found`: the players it may mean; `new`: what all spellings of a new player have in common; `twin`: another new name in
    the file that looks alike; `is_second`: another column has the same heading; `likely`: the answer to propose, as in
    `ImportBatch.names`; `decided`: the answer, a primary key, NEW, GUEST or SAME.
    """

    name: WrittenName
    count: int
    found: NameMatchResult
    new: Hashable
    players: Mapping[int, Player]
    twin: "NameMatch | None" = None
    is_second: bool = False
    likely: str = ""
    decided: int | str | None = None

    @property
    def key(self) -> str:
        return self.name.id

    @property
    def written(self) -> str:
        return self.name.name

    @property
    def is_unknown(self) -> bool:
        return self.found == NameMatchResult("ask", ())

    @property
    def is_asked(self) -> bool:
        return self.found.how == "ask" and bool(self.found.people or self.twin)

    @property
    def how(self) -> str:
        """Return "number", "exact", "alias", "honorific", "kana", "chosen", "new", "guest", "same" or "ask"."""
        if self.decided is None:
            return self.found.how
        return self.decided if isinstance(self.decided, str) else "chosen"

    @property
    def answer(self) -> str:
        """Return what it means so far, as in `ImportBatch.names`."""
        return str(self.decided or self.meant or "")

    @property
    def main(self) -> "NameMatch":
        return self.twin.main if self.decided == SAME and self.twin else self

    @property
    def meant(self) -> int | str | None:
        """Return a player's primary key, NEW, GUEST, or None while undecided."""
        main = self.main
        if main.decided is None:
            return main.found.people[0] if main.found.how != "ask" else None
        return main.decided

    @property
    def identity(self) -> Hashable:
        """Return a value shared by all spellings of one person: the player's primary key, or a tuple for a new player."""
        return self.meant if isinstance(self.meant, int) else self.main.new

    @property
    def player(self) -> Player | None:
        return self.players[self.meant] if isinstance(self.meant, int) else None

    @property
    def candidates(self) -> tuple[Player, ...]:
        return tuple(self.players[pk] for pk in self.found.people) if self.is_asked else ()


@dataclass(slots=True)
class FilePeople:
    """The league's players, and the names of a file."""

    directory: NameDirectory
    players: dict[int, Player]
    names: dict[WrittenName, NameMatch] = field(default_factory=dict)


def people_of(
    batch: ImportBatch, names: Mapping[WrittenName, int], unknown: str, games: Sequence[ImportedGame]
) -> FilePeople:
    """Return who is meant by names, given with their number of games. `unknown`: NEW or GUEST, if they resemble no other.

    青木, its full-width form and 青木さん are one new player if the file also has the bare name, unless they have
    different numbers.
    """
    people = league_people(batch.league)
    plain = {same_width(written.name) for written in names}
    for written, count in names.items():
        found, bare = people.directory.find(written), without_honorific(written.name)
        new = (bare if bare in plain else same_width(written.name), written.number)
        match = people.names[written] = NameMatch(written, count, found, new, people.players)
        if found.how == "ask" and len(found.people) == 1:
            match.likely = str(found.people[0])
    _ask_about_namesakes(people)
    _follow_earlier(batch, people)
    _find_twins(people, games)
    for match in people.names.values():
        choice = batch.names.get(match.key, "")
        if choice in MADE or (choice == SAME and match.twin):
            match.decided = choice
        elif choice.isdecimal() and int(choice) in people.players:
            match.decided = int(choice)
        elif match.is_unknown and not match.twin:
            match.decided = unknown
    return people


def undone(league: League, kind: str = "players") -> set[int]:
    """Return players or sessions made by undone imports. One query."""
    batches = league.imports.filter(state=ImportBatch.State.UNDONE).values_list("made", flat=True)
    return {pk for made in batches for pk in (made or {}).get(kind, ())}


def _follow_earlier(batch: ImportBatch, people: FilePeople) -> None:
    """Propose earlier answers, and ask again about look-alikes of players whose import was undone."""
    done = batch.league.imports.exclude(run_at=None).order_by("run_at").values_list("names", flat=True)
    said = {key: choice for names in done for key, choice in names.items()}
    gone = {pk for pk in undone(batch.league) if pk in people.players and not people.players[pk].is_active}
    for match in people.names.values():
        found = match.found
        if found.how != "ask" and not gone.issuperset(found.people):
            continue
        choice, like = said.get(match.key, ""), people.directory.looking_like(match.written)
        if choice.isdecimal() and int(choice) in people.players:
            like = tuple(dict.fromkeys((int(choice), *like)))
        elif found.people:
            choice = str(found.people[0]) if found.how != "ask" else choice
        if choice and (len(like) > 1 or found.how == "ask"):
            match.likely, match.found = choice, NameMatchResult("ask", like)


def _find_twins(people: FilePeople, games: Sequence[ImportedGame]) -> None:
    """Find new names that look like another new one, as ﾊﾅｺ and ハナコ or 髙橋 and 高橋, or nearly like an absent player.

    A family name alone and a name with initials may be a player, too.
    """
    unknown = [match for match in people.names.values() if match.is_unknown]
    first: dict[str, NameMatch] = {}
    for match in unknown:
        keys = looks(without_honorific(match.written))
        twin = next(filter(None, map(first.get, keys)), match)
        first |= dict.fromkeys(keys, twin)
        is_told_apart = match.name.number and twin.name.number
        if twin.new != match.new and not is_told_apart:
            match.twin, match.likely = twin, SAME
        else:
            match.twin = next((each for each in unknown if shortens(match.written, each.written)), None)
    slips = people.directory.slips({match.written: match.found for match in people.names.values()}, NEARLY)
    for match in unknown:
        if like := slips.get(match.written):
            match.found = NameMatchResult("ask", like)
            family = {*people.directory.family(match.written)}.intersection(like)
            match.likely = str(like[0]) if len(family) == 1 else match.likely
    written = {same_width(match.written): match for match in people.names.values()}
    for name, match in written.items():
        # A second column of one name may be anybody, but not whom it plays against.
        if (same := written.get(_COUNTED.sub("", name), match)) is not match:
            both, is_new = {same.name, match.name}, same.is_unknown and match.is_unknown
            is_other = any(both <= {entry.written for entry in game.entries} for game in games)
            match.likely, match.twin, match.is_second = "", same if is_new and not is_other else None, True


def league_people(league: League) -> FilePeople:
    """Return a league's players with a directory of their names. Three queries."""
    everybody = list(league.players.prefetch_related("aliases").select_related("merged_into__merged_into"))
    names: dict[int, list[str]] = {player.pk: [] for player in everybody}
    for player in everybody:
        now = current_player(player)
        own = [alias.name for alias in player.aliases.all()]
        names[now.pk] += own if now.pk == player.pk else [player.name, *own]
    standing = [player for player in everybody if player.merged_into_id is None]
    directory = NameDirectory.of(named_person(player, names[player.pk]) for player in standing)
    return FilePeople(directory, {player.pk: player for player in standing})


def _ask_about_namesakes(people: FilePeople) -> None:
    """Ask about a name that the file gives to two people, by number, but the league knows only once."""
    apart: dict[tuple[int, str], list[NameMatch]] = {}
    for match in people.names.values():
        if match.found.how not in {"ask", "number"} and match.name.number:
            apart.setdefault((match.found.people[0], same_width(match.written)), []).append(match)
    for group in apart.values():
        if len(group) > 1:
            for match in group:
                match.found = replace(match.found, how="ask")


def make_players(
    league: League, people: FilePeople, names: Iterable[WrittenName], by: Actor
) -> tuple[dict[WrittenName, Player], list[Player]]:
    """Create the new players among `names`; return the player of each name, and the new ones."""
    matches = [people.names[written] for written in dict.fromkeys(names)]
    spellings = [match for match in people.names.values() if match.main is not match]
    numbers = set(league.players.exclude(number="").values_list("number", flat=True))
    wanted: dict[Hashable, PlayerFacts] = {}
    for match in matches:
        main, new = match.main, match.identity
        if isinstance(new, int) or new in wanted:
            continue
        others = tuple(each.written for each in spellings if each.identity == new)
        number = "" if match.name.number in numbers else match.name.number
        numbers.add(number)
        wanted[new] = PlayerFacts(name=main.written, number=number, is_guest=main.decided == GUEST, aliases=others)
    made = dict(zip(wanted, add_players(league=league, people=list(wanted.values()), by=by), strict=True))
    return {match.name: match.player or made[match.identity] for match in matches}, list(made.values())


def other_names(people: FilePeople, players: Mapping[WrittenName, Player]) -> list[tuple[int, str]]:
    """Return the names that were chosen to mean a player and are none yet, with the player's primary key."""
    meant = [(name, player.pk) for name, player in players.items() if people.names[name].how == "chosen"]
    chosen = {same_width(name.name): pk for name, pk in meant}
    names, sounds = people.directory.by_name, people.directory.by_sound
    new = {name for name, pk in chosen.items() if name not in names and pk not in sounds.get(folded(name), ())}
    return [(chosen[name], name) for name in sorted(new)]


def set_other_names(
    league: League, named: Collection[tuple[int, str]], by: Actor, reason: str, *, is_undone: bool = False
) -> None:
    """Add other names to players, or delete those that an import has added."""
    changes = {}
    players = league.players.select_for_update().filter(pk__in=[pk for pk, _ in named]).order_by("pk")
    for player in players.prefetch_related("aliases"):
        facts, own = facts_of(player), [name for pk, name in named if pk == player.pk]
        others = [name for name in facts.aliases if name not in own]
        changes[player] = replace(facts, aliases=tuple(others if is_undone else [*others, *own]))
    change_players(league=league, changes=changes, by=by, reason=reason)
