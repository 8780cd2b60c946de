"""Matching a file's names with the league's players, and creating new players."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from league.core.readings import folded
from league.core.spreadsheets.names import (
    MAX_CANDIDATES,
    NameDirectory,
    NamedPerson,
    NameMatchResult,
    WrittenName,
    looks,
    same_width,
    shortens,
    without_honorific,
)
from league.models import ImportBatch, League, Player
from league.selectors.people import current_player
from league.services.history import Actor
from league.services.imports.values import GUEST, MADE, SAME
from league.services.people import PlayerFacts, add_players, change_players, facts_of

NEARLY = 0.75
"""Similarity of a new name to a player's from which on the user is asked."""

MAX_COMPARED = 100
"""Unknown names that are compared with all players."""


@dataclass(slots=True)
class FilePeople:
    """The league's players and the decisions about the file's names.

    A name means a player (primary key), a new player (NEW), a new guest (GUEST), or is undecided (None). `twins`: new
    names that look like an earlier one in the file; `same`: those that were decided to be the same person; `likely`:
    the answer to propose, as in `ImportBatch.names`.
    """

    directory: NameDirectory
    players: dict[int, Player]
    names: frozenset[str] = frozenset()
    likely: dict[WrittenName, str] = field(default_factory=dict)
    found: dict[WrittenName, NameMatchResult] = field(default_factory=dict)
    decided: dict[WrittenName, int | str] = field(default_factory=dict)
    identities: dict[WrittenName, Hashable] = field(default_factory=dict)
    twins: dict[WrittenName, WrittenName] = field(default_factory=dict)
    same: dict[WrittenName, WrittenName] = field(default_factory=dict)

    def meant(self, written: WrittenName) -> int | str | None:
        written = self.same.get(written, written)
        if (decision := self.decided.get(written)) is not None:
            return decision
        found = self.found[written]
        return found.people[0] if found.how != "ask" else None

    def identity(self, written: WrittenName) -> Hashable:
        """Return a value shared by all spellings of one person: the player's primary key, or a tuple for a new player.

        青木, its full-width form and 青木さん are one new player if the file also has the bare name, unless they have
        different numbers.
        """
        if written in self.same:
            return self.identity(self.same[written])
        if written not in self.identities:
            meant = self.meant(written)
            plain, bare = same_width(written.name), without_honorific(written.name)
            new = (bare if bare in self.names else plain, written.number)
            self.identities[written] = meant if isinstance(meant, int) else new
        return self.identities[written]

    def known(self, written: WrittenName) -> Player | None:
        meant = self.meant(written)
        return self.players[meant] if isinstance(meant, int) else None

    def how(self, written: WrittenName) -> str:
        if written in self.same:
            return SAME
        decision = self.decided.get(written)
        if decision is None:
            return self.found[written].how
        return decision if isinstance(decision, str) else "chosen"


def people_of(batch: ImportBatch, names: Iterable[WrittenName], unknown: str) -> FilePeople:
    """Return who is meant by names. `unknown`: what names mean that resemble no other, NEW or GUEST."""
    names = list(names)
    people = league_people(batch.league)
    people.names = frozenset(same_width(written.name) for written in names)
    people.found = {written: people.directory.find(written) for written in names}
    alike = {written: found.people for written, found in people.found.items() if found.how == "ask"}
    people.likely = {written: str(pks[0]) for written, pks in alike.items() if len(pks) == 1}
    _ask_about_namesakes(people, names)
    _follow_earlier(batch, people)
    _find_twins(people, names)
    choices: Mapping[str, str] = batch.names
    for written in names:
        choice = choices.get(written.id, "")
        if choice == SAME and written in people.twins:
            people.same[written] = people.twins[written]
        elif choice in MADE:
            people.decided[written] = choice
        elif choice.isdecimal() and int(choice) in people.players:
            people.decided[written] = int(choice)
        elif people.found[written] == NameMatchResult("ask", ()) and written not in people.twins:
            people.decided[written] = unknown
    return people


def undone_players(league: League) -> set[int]:
    """Return players made by undone imports. One query."""
    undone = league.imports.filter(state=ImportBatch.State.UNDONE).values_list("made", flat=True)
    return {pk for made in undone for pk in (made or {}).get("players", ())}


def _follow_earlier(batch: ImportBatch, people: FilePeople) -> None:
    """Propose earlier answers, and ask again about look-alikes of players whose import was undone."""
    done = batch.league.imports.exclude(run_at=None).order_by("run_at").values_list("names", flat=True)
    said = {key: choice for names in done for key, choice in names.items()}
    undone = {pk for pk in undone_players(batch.league) if pk in people.players and not people.players[pk].is_active}
    for written, found in people.found.items():
        if found.how != "ask" and not undone.issuperset(found.people):
            continue
        choice, like = said.get(written.id, ""), people.directory.looking_like(written.name)
        if choice.isdecimal() and int(choice) in people.players:
            like = tuple(dict.fromkeys((int(choice), *like)))
        elif found.people:
            choice = str(found.people[0]) if found.how != "ask" else choice
        if choice and (len(like) > 1 or found.how == "ask"):
            people.likely[written] = choice
            people.found[written] = NameMatchResult("ask", like)


def _find_twins(people: FilePeople, names: Iterable[WrittenName]) -> None:
    """Find new names that look like another new one, as ﾊﾅｺ and ハナコ or 髙橋 and 高橋, or nearly like an absent player.

    A family name alone and a name with initials may be a player, too.
    """
    unknown = [written for written in names if people.found[written] == NameMatchResult("ask", ())]
    first: dict[str, WrittenName] = {}
    for written in unknown:
        keys = looks(without_honorific(written.name))
        twin = next(filter(None, map(first.get, keys)), written)
        first |= dict.fromkeys(keys, twin)
        is_told_apart = written.number and twin.number
        if people.identity(twin) != people.identity(written) and not is_told_apart:
            people.twins[written], people.likely[written] = twin, SAME
        elif longer := next((each for each in unknown if shortens(written.name, each.name)), None):
            people.twins[written] = longer
    people.identities.clear()
    here = {each.people[0] for each in people.found.values() if each.how != "ask"}
    for written in unknown[:MAX_COMPARED] if people.players else ():
        family = [pk for pk in people.directory.family(written.name) if pk not in here]
        near = [pk for pk in people.directory.alike(written.name, NEARLY) if pk not in here]
        if found := dict.fromkeys((*family, *people.directory.shortened(written.name), *near)):
            people.found[written] = NameMatchResult("ask", tuple(found)[:MAX_CANDIDATES])
            people.likely |= {written: str(family[0])} if len(family) == 1 else {}


def league_people(league: League) -> FilePeople:
    """Return a league's players with a directory of their names. Three queries."""
    everybody = list(league.players.prefetch_related("aliases").select_related("merged_into__merged_into"))
    by_pk = {player.pk: player for player in everybody}
    names: dict[int, list[str]] = {player.pk: [] for player in everybody}
    for player in everybody:
        now = current_player(player)
        own = [alias.name for alias in player.aliases.all()]
        names[now.pk] += own if now.pk == player.pk else [player.name, *own]
    standing = [player for player in everybody if player.merged_into_id is None]
    directory = NameDirectory.of(
        NamedPerson(
            pk=player.pk,
            name=player.name,
            kana=player.kana,
            romanised=player.romanised,
            number=player.number,
            aliases=tuple(names[player.pk]),
        )
        for player in standing
    )
    return FilePeople(directory, {player.pk: by_pk[player.pk] for player in standing})


def _ask_about_namesakes(people: FilePeople, names: Iterable[WrittenName]) -> None:
    """Ask about a name that the file gives to two people, by number, but the league knows only once."""
    apart: dict[tuple[int, str], list[WrittenName]] = {}
    for written in names:
        found = people.found[written]
        if found.how not in {"ask", "number"} and written.number:
            apart.setdefault((found.people[0], same_width(written.name)), []).append(written)
    for group in apart.values():
        if len(group) > 1:
            for written in group:
                people.found[written] = replace(people.found[written], how="ask")


def make_players(
    league: League, people: FilePeople, names: Iterable[WrittenName], by: Actor
) -> tuple[dict[WrittenName, Player], list[Player]]:
    """Create the new players among `names`; return the player of each name, and the new ones."""
    names = list(dict.fromkeys(names))
    numbers = set(league.players.exclude(number="").values_list("number", flat=True))
    wanted: dict[Hashable, PlayerFacts] = {}
    for written in names:
        meant, twin = people.meant(written), people.identity(written)
        if isinstance(meant, int) or twin in wanted:
            continue
        others = tuple(each.name for each, first in people.same.items() if people.identity(first) == twin)
        number = "" if written.number in numbers else written.number
        numbers.add(number)
        name = people.same.get(written, written).name
        wanted[twin] = PlayerFacts(name=name, number=number, is_guest=meant == GUEST, aliases=others)
    made = add_players(league=league, people=list(wanted.values()), by=by)
    twins = dict(zip(wanted, made, strict=True))
    return {written: people.known(written) or twins[people.identity(written)] for written in names}, made


def other_names(people: FilePeople, players: Mapping[WrittenName, Player]) -> list[tuple[int, str]]:
    """Return the names that were chosen to mean a player and are none yet, with the player's primary key."""
    chosen = {same_width(each.name): player.pk for each, player in players.items() if people.how(each) == "chosen"}
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
