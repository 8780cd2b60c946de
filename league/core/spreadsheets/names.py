"""Matching of names in files with players.

Tried in turn: number, name, other names, without honorifics, by sound. Otherwise the user is asked.
"""

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from league.core.name_order import guessed_reading
from league.core.readings import alike, folded

MAX_CANDIDATES = 5

MAX_COMPARED = 100
"""Unknown names that are compared with all players."""

SLIP = 0.85
"""Similarity from which on a name in a list of people may be another one with a slip of the pen."""

_HONORIFICS = re.compile(r"(?P<name>.*[^っッｯ\s])\s*(?:さん|サン|くん|クン|君|ちゃん|チャン|様|さま|氏|先生|プロ|選手)")

_QUOTED = re.compile(r"[\"“”„«「『(\[【]\s*([^\"“”«»「」『』()\[\]【】]+?)\s*[\"“”»」』)\]】]")


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A player who may be meant. `aliases`: other names, including those of merged players."""

    pk: int
    name: str
    kana: str = ""
    romanised: str = ""
    number: str = ""
    aliases: tuple[str, ...] = ()


class WrittenName(NamedTuple):
    """A person as written in a file; the number may be ""."""

    name: str
    number: str = ""

    @property
    def id(self) -> str:
        return "\t".join(filter(None, self))


@dataclass(frozen=True, slots=True)
class NameMatchResult:
    """How a name was matched, and the possible players: exactly one unless `how` is "ask"."""

    how: str
    people: tuple[int, ...]


@dataclass(slots=True)
class NameDirectory:
    people: dict[int, NamedPerson] = field(default_factory=dict)
    by_number: dict[str, int] = field(default_factory=dict)
    by_name: dict[str, list[int]] = field(default_factory=dict)
    by_alias: dict[str, list[int]] = field(default_factory=dict)
    by_sound: dict[str, list[int]] = field(default_factory=dict)
    by_family: dict[str, list[int]] = field(default_factory=dict)
    by_look: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, people: Iterable[NamedPerson]) -> "NameDirectory":
        directory = cls()
        for person in people:
            directory._add(person)
        return directory

    def _add(self, person: NamedPerson) -> None:
        self.people[person.pk] = person
        if person.number:
            self.by_number[person.number] = person.pk
        _enter(self.by_name, same_width(person.name), person.pk)
        for alias in person.aliases:
            _enter(self.by_alias, same_width(alias), person.pk)
        for family in _families(person):
            _enter(self.by_family, family, person.pk)
        for sound in (person.name, person.kana, person.romanised, *person.aliases):
            if text := folded(sound):
                _enter(self.by_sound, text, person.pk)
                for look in looks(sound):
                    _enter(self.by_look, look, person.pk)

    def find(self, written: WrittenName) -> NameMatchResult:
        """Match a name with players. Namesakes are told apart by number; otherwise the user is asked."""
        if (numbered := self.by_number.get(written.number)) is not None and self._is_called(numbered, written.name):
            return NameMatchResult("number", (numbered,))
        for how, people in self._steps(written.name):
            if len(people) == 1:
                return NameMatchResult(how, tuple(people))
            if people:
                return NameMatchResult("ask", tuple(people[:MAX_CANDIDATES]))
        # A name that only looks like another, or has its words in another order, must be confirmed by the user.
        return NameMatchResult("ask", self.looking_like(written.name))

    def _steps(self, name: str) -> Iterable[tuple[str, Sequence[int]]]:
        plain, bare = same_width(name), without_honorific(name)
        yield "exact", self.by_name.get(plain, ())
        yield "alias", self.by_alias.get(plain, ())
        if bare != plain:
            yield "honorific", self.by_name.get(bare, ()) or self.by_alias.get(bare, ())
        same = folded(plain)
        people = ((pk, self.people[pk]) for pk in self.by_sound.get(same, ()))
        yield "exact", [pk for pk, person in people if same in {folded(person.name), folded(person.romanised)}]
        yield "kana", self.by_sound.get(folded(plain), ()) or self.by_sound.get(folded(bare), ())

    def _is_called(self, pk: int, name: str) -> bool:
        person = self.people[pk]
        wanted = {folded(name), folded(without_honorific(name))}
        return not wanted.isdisjoint(map(folded, (person.name, *person.aliases)))

    def looking_like(self, name: str) -> tuple[int, ...]:
        forms = (*looks(name), *looks(without_honorific(name)))
        return tuple(dict.fromkeys(pk for look in forms for pk in self.by_look.get(look, ())))[:MAX_CANDIDATES]

    def family(self, name: str) -> tuple[int, ...]:
        """Return players with this family name, by spelling or reading; also for 鈴木(大)."""
        return tuple(self.by_family.get(alike(without_honorific(same_width(name).partition("(")[0])), ()))

    def resembling(self, name: str, here: Collection[int], least: float) -> tuple[int, ...]:
        """Return players who may be meant by an unknown name: a family name alone, initials, or a slip of the pen.

        `here`: players named elsewhere in the same list; one letter of five may differ from theirs. `least`: similarity,
        as in `alike`. Linear in players.
        """
        close = (*self.shortened(name), *self.alike(name, max(least, 0.8)))
        found = dict.fromkeys((*self.family(name), *close, *self.alike(name, least)))
        return tuple(pk for pk in found if pk not in here or pk in close)[:MAX_CANDIDATES]

    def slips(self, found: Mapping[str, NameMatchResult], least: float) -> dict[str, tuple[int, ...]]:
        """Return the players who may be meant by the first unknown names of a list, as in `resembling`."""
        here = {match.people[0] for match in found.values() if match.how != "ask"}
        unknown = [name for name, match in found.items() if match == NameMatchResult("ask", ())]
        names = unknown[:MAX_COMPARED] if self.people else ()
        return {name: like for name in names if (like := self.resembling(name, here, least))}

    def shortened(self, name: str) -> tuple[int, ...]:
        """Return players whose name is the same with words for initials. Linear in players."""
        people = self.people.items() if _initials(name) else ()
        return tuple(pk for pk, each in people if any(shortens(name, text) for text in (each.name, each.romanised)))

    def alike(self, name: str, least: float = 0.0) -> tuple[int, ...]:
        """Return a few players with similar names, or only those at least that similar. Linear in players."""
        wanted = folded(without_honorific(name).partition("(")[0] or name)
        close = difflib.get_close_matches(wanted, self.by_sound, n=MAX_CANDIDATES, cutoff=least or 0.5)
        starting = [sound for sound in self.by_sound if not least and len(wanted) > 1 and sound.startswith(wanted[:2])]
        found = [pk for sound in (*close, *starting) for pk in self.by_sound[sound]]
        return tuple(dict.fromkeys(found))[:MAX_CANDIDATES]


def _families(person: NamedPerson) -> set[str]:
    """Return the first word of a name and its reading, and what is in quotes or brackets: Tom "Tanyao" Turner.

    Of a Latin name, return all words, because their order varies.
    """
    guess = guessed_reading(person.name)
    kana = person.kana or (guess.kana if guess else "")
    texts = [same_width(text) for text in (person.name, kana, person.romanised)]
    words = {word for text in texts for word in (text.split() if alike(text).isascii() else text.split()[:1])}
    return {alike(word) for word in words.union(*map(_QUOTED.findall, texts))}


def _enter(index: dict[str, list[int]], text: str, pk: int) -> None:
    entries = index.setdefault(text, [])
    if pk not in entries:
        entries.append(pk)


def same_width(name: str) -> str:
    """Normalise width and spaces: 佐藤　一郎 becomes 佐藤 一郎."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


def without_honorific(name: str) -> str:
    """Remove さん and other honorifics, unless nothing else is left or they are part of the name (ぐっさん)."""
    plain = same_width(name)
    found = _HONORIFICS.fullmatch(plain)
    return found["name"] if found else plain


def looks(name: str) -> tuple[str, ...]:
    """Return the keys of look-alikes: the words of the name as written and in reverse order."""
    words = same_width(name).replace(",", " ").split()
    return tuple(dict.fromkeys((alike("".join(words)), alike("".join(reversed(words))))))


def _words(name: str) -> list[str]:
    return same_width(name).translate({ord(mark): " " for mark in ",."}).casefold().split()


def _initials(name: str) -> list[str]:
    return sorted(word for word in _words(name) if len(word) == 1 and word.isascii())


def shortens(short: str, name: str) -> bool:
    """Return whether a name is another one with initials, in any order: S. O'Neill for Sean O'Neill."""
    words, initials = _words(name), _initials(short)
    rest = [word for word in words if word not in _words(short)]
    is_as_long = len(words) == len(_words(short)) > len(initials) > 0
    return is_as_long and sorted(word[0] for word in rest) == initials
