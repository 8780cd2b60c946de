"""Sort keys for names: by reading, by Latin letters, or by a guessed reading."""

import unicodedata
from dataclasses import dataclass
from importlib import resources

from league.core.readings import KANA, SMALL_KANA, folded, is_kana, usual_letters
from league.core.spelling import cleaned

KEPT = 24
"""Characters of a reading used for sorting; half as many of the name."""

MAX_ORDER_LENGTH = 1 + 4 * (KEPT + 1 + KEPT + KEPT // 2)

_VOWELS = {kana: "あいうえお"["aiueo".index(latin[-1])] for kana, latin in KANA.items() if latin[-1] in "aiueo"}
_SHORTEST_FAMILY = 2
"""Shortest family name recognised at the start of a name without a space."""


@dataclass(frozen=True, slots=True)
class GuessedReading:
    """A guessed reading. `rest`: the given name, if the reading covers only the family name."""

    kana: str
    rest: str = ""


def guessed_reading(name: str) -> GuessedReading | None:
    """Guess the reading of a name in kanji by its family name; None if it is not a common one."""
    plain = cleaned(name)
    if not _has_kanji(plain):
        return None
    family, _space, given = usual_letters(plain).replace("\u3000", " ").partition(" ")
    if family not in FAMILY_NAMES:
        family, given = _beginning(family + given)
    if not family:
        return None
    if not is_kana(given):
        return GuessedReading(FAMILY_NAMES[family], given)
    return GuessedReading(f"{FAMILY_NAMES[family]} {folded(given)}".rstrip())


def _beginning(name: str) -> tuple[str, str]:
    """Split off the longest known family name; ("", "") if there is none."""
    for length in range(min(LONGEST_NAME, len(name)), _SHORTEST_FAMILY - 1, -1):
        if name[:length] in FAMILY_NAMES:
            return name[:length], name[length:]
    return "", ""


def listed_reading(name: str, kana: str, romanised: str) -> str:
    """Return the text to sort by: the reading, the name itself if in kana, a guess, or the romanised name.

    A name that no guess covers sorts with the family names that begin with the same kanji.
    """
    begins_with_neither_kana_nor_latin = _group(plain_kana(folded(name))) == "2"
    if kana or not (_has_kanji(name) or begins_with_neither_kana_nor_latin):
        return kana or name
    guess = guessed_reading(name)
    if guess is not None:
        return guess.kana + guess.rest
    return romanised or FIRST_KANJI.get(usual_letters(cleaned(name))[:1], "") + name


def name_order(name: str, kana: str, romanised: str) -> str:
    """Return a sort key of hex digits, which sorts the same under every database collation.

    As in dictionaries, voiced and small kana equal plain ones unless all else is equal, and ー counts as the preceding
    vowel. Kana come before Latin letters, Latin letters before others; equal readings are sorted by name.
    """
    reading = folded(listed_reading(name, kana, romanised))
    plain = plain_kana(reading)
    parts = (plain[:KEPT], "\0", reading[:KEPT], folded(name)[: KEPT // 2])
    # Characters beyond U+FFFF are rare and all sort last.
    return _group(plain) + "".join(f"{min(ord(char), 0xFFFF):04x}" for part in parts for char in part)


def plain_kana(reading: str) -> str:
    """Return a folded reading without small kana, voicing marks and accents."""
    bare = (char for char in unicodedata.normalize("NFD", reading) if unicodedata.category(char) != "Mn")
    plain = ""
    for char in "".join(bare).translate(SMALL_KANA):
        plain += _VOWELS.get(plain[-1:], char) if char == "ー" else char
    return plain


def _group(plain: str) -> str:
    start = plain[:1]
    if "ぁ" <= start <= "ゖ":
        return "0"
    return "1" if start.isalpha() and start < "\u0250" else "2"


def _has_kanji(text: str) -> bool:
    return any(
        "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000" or char == "々"
        for char in text
    )


FAMILY_NAMES: dict[str, str] = {
    name: reading
    for line in (resources.files(__package__) / "family_names.txt").read_text("utf-8").splitlines()
    for reading, *names in [line.split()]
    for name in names
}
"""The most common reading of each family name, in hiragana."""

FIRST_KANJI: dict[str, str] = {name[0]: reading[0] for name, reading in reversed(FAMILY_NAMES.items())}
"""How the first family name with each initial kanji begins. The last lines of the file are exceptions."""

LONGEST_NAME = max(map(len, FAMILY_NAMES))
