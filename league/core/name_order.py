"""The order of names in a list: by reading, foreign ones by their letters, and while nobody wrote a reading by a guess."""

import unicodedata
from dataclasses import dataclass

from league.core.family_names import FAMILY_NAMES, LONGEST_NAME
from league.core.readings import SMALL_KANA, folded, usual_letters
from league.core.spelling import cleaned

KEPT = 24
"""So many characters of a reading decide about its place, and half as many of the name."""

MAX_ORDER_LENGTH = 1 + 4 * (KEPT + 1 + KEPT + KEPT // 2)

_VOWELS = {
    kana: row[0]
    for row in (
        "あかさたなはまやらわ",
        "いきしちにひみり",
        "うくすつぬふむゆる",
        "えけせてねへめれ",
        "おこそとのほもよろを",
    )
    for kana in row
}
_SHORTEST_FAMILY = 2
"""A name of one kanji is found only where it stands alone or before a space: it may begin any other name."""


@dataclass(frozen=True, slots=True)
class GuessedReading:
    """A reading that nobody has written. `is_whole` tells whether it reads the whole name, or its beginning."""

    kana: str
    is_whole: bool


def guessed_reading(name: str) -> GuessedReading | None:
    """Return how a name in kanji is probably read, as far as its family name is a usual one; None for no idea."""
    plain = cleaned(name)
    if not _has_kanji(plain):
        return None
    family, _space, given = usual_letters(plain).replace("\u3000", " ").partition(" ")
    if family not in FAMILY_NAMES:
        family, given = _beginning(family + given)
    if not family:
        return None
    reading = f"{FAMILY_NAMES[family]} {folded(given)}" if given.strip() and _is_kana(given) else FAMILY_NAMES[family]
    return GuessedReading(reading, is_whole=not given.strip() or _is_kana(given))


def _beginning(name: str) -> tuple[str, str]:
    """Return the longest usual family name that a name begins with, and what follows it; nothing where there is none."""
    for length in range(min(LONGEST_NAME, len(name)), _SHORTEST_FAMILY - 1, -1):
        if name[:length] in FAMILY_NAMES:
            return name[:length], name[length:]
    return "", ""


def listed_reading(name: str, kana: str, romanised: str) -> str:
    """Return what a name stands in a list by: its reading, else itself if it can be read, else a guess, else its Latin form."""
    if kana or not (_has_kanji(name) or _is_foreign(name)):
        return kana or name
    guess = guessed_reading(name)
    if guess is not None:
        return guess.kana if guess.is_whole else f"{guess.kana}{_rest(name)}"
    return romanised or name


def _rest(name: str) -> str:
    """Return what follows the family name, in kanji as it is: namesakes of a family stay together."""
    plain = usual_letters(cleaned(name)).replace("\u3000", " ")
    family, _space, given = plain.partition(" ")
    return given if family in FAMILY_NAMES else _beginning(family + given)[1]


def name_order(name: str, kana: str, romanised: str) -> str:
    """Return a text of digits and a to f whose order is that of the names, in whatever way a database compares text.

    Voiced and small kana stand where the plain ones do and decide only where all else is one, as in a dictionary; ー is
    the vowel before it. Kana come before letters, letters before the rest; who is read alike goes by the name.
    """
    reading = folded(listed_reading(name, kana, romanised))
    plain = plain_kana(reading)
    parts = (plain[:KEPT], "\0", reading[:KEPT], folded(name)[: KEPT // 2])
    return _group(plain) + "".join(_in_digits(part) for part in parts)


def plain_kana(reading: str) -> str:
    """Return a folded reading with every kana large and without its dots, and every letter without its accents."""
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


def _in_digits(text: str) -> str:
    # What lies beyond four digits is rare, and stands after all else.
    return "".join(f"{min(ord(char), 0xFFFF):04x}" for char in text)


def _has_kanji(text: str) -> bool:
    return any(
        "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000" or char == "々"
        for char in text
    )


def _is_kana(text: str) -> bool:
    return all("ぁ" <= char <= "ゖ" or char in "ー・" for char in folded(text))


def _is_foreign(text: str) -> bool:
    """Return whether a name begins with letters that are neither Latin nor kana."""
    return _group(plain_kana(folded(text))) == "2"
