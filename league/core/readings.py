"""Folding of names for search and sorting, and conversion of kana to Latin letters."""

import re
import unicodedata
from importlib import resources

from league.core.spelling import cleaned, without_selectors

KATAKANA_FIRST, KATAKANA_LAST = "ァ", "ヶ"
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord(KATAKANA_FIRST), ord(KATAKANA_LAST) + 1)}

ROWS = ("あ", "か", "さ", "た", "な", "は", "ま", "や", "ら", "わ")
"""Rows of a Japanese index, by their first kana."""


def _groups(file: str) -> tuple[str, ...]:
    return tuple((resources.files(__package__) / file).read_text("utf-8").split())


VARIANTS = _groups("kanji_variants.txt")
"""Variants of the same kanji in names; the first of each group stands for the others."""

_ONE_FOR_ALL = str.maketrans({other: group[0] for group in VARIANTS for other in group[1:]})

LOOK_ALIKES = _groups("look_alikes.txt")
"""Look-alikes across scripts, after folding; the first of each group stands for the others.

A subset of the Unicode confusables (UTS 39) that occurs in names: Latin, Cyrillic, Greek, Armenian, Cherokee and Coptic
letters, kana and kanji.
"""

_ONE_SIGHT = {ord(other): group[0] for group in reversed(LOOK_ALIKES) for other in group[1:]}

SMALL_KANA = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")
"""Translation table from small to large kana."""


def folded(text: str) -> str:
    """Normalise a text for search: アオキ, ｱｵｷ and あおき are equal, as are upper and lower case."""
    plain = unicodedata.normalize("NFKC", without_selectors(cleaned(text))).casefold()
    return "".join(plain.split()).translate(_TO_HIRAGANA)


def is_kana(text: str) -> bool:
    return all("ぁ" <= char <= "ゖ" or char in "ー・" for char in folded(text))


def sight(text: str) -> str:
    """Return the folded name with look-alikes unified: Aoki with a Cyrillic о equals Aoki."""
    return folded(text).translate(_ONE_SIGHT)


def alike(text: str) -> str:
    """Return the folded name without accents, look-alikes and kanji variants unified: 髙田 equals 高田, Łukasz Lukasz."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text.translate(_CROSSED)))
    return sight(unicodedata.normalize("NFC", bare)).translate(_ONE_FOR_ALL)


_ACCENTS = re.compile("[\u0300-\u036f]")
_CROSSED = str.maketrans("łŁøØđĐ", "lLoOdD")


def usual_letters(text: str) -> str:
    """Replace kanji variants by the common form: 髙橋 becomes 高橋."""
    return unicodedata.normalize("NFKC", without_selectors(text)).translate(_ONE_FOR_ALL)


def index_row(reading: str) -> str:
    """Return the row of a reading in an index: a kana row, a Latin letter, or "#"."""
    start = unicodedata.normalize("NFD", folded(reading))[:1].translate(SMALL_KANA)
    if "あ" <= start <= "ん":
        return max(row for row in ROWS if row <= start)
    if start.isascii() and start.isalpha():
        return start.upper()
    return "#"


_ROWS = (
    ("", "あいうえお"),
    ("k", "かきくけこ"),
    ("g", "がぎぐげご"),
    ("s", "さしすせそ"),
    ("z", "ざじずぜぞ"),
    ("t", "たちつてと"),
    ("d", "だぢづでど"),
    ("n", "なにぬねの"),
    ("h", "はひふへほ"),
    ("b", "ばびぶべぼ"),
    ("p", "ぱぴぷぺぽ"),
    ("m", "まみむめも"),
    ("r", "らりるれろ"),
)
_VOWELS = "aiueo"

KANA = {kana: start + vowel for start, row in _ROWS for kana, vowel in zip(row, _VOWELS, strict=True)} | {
    "や": "ya",
    "ゆ": "yu",
    "よ": "yo",
    "わ": "wa",
    "ゐ": "i",
    "ゑ": "e",
    "を": "o",
    "ん": "n",
    "ゔ": "vu",
    "ぢ": "zi",
    "づ": "zu",
    "ゎ": "wa",
    "ゕ": "ka",
    "ゖ": "ke",
}
_SMALL_Y = {"ゃ": "ya", "ゅ": "yu", "ょ": "yo"}
_SMALL_VOWELS = dict(zip("ぁぃぅぇぉ", _VOWELS, strict=True))
_SOFT = ("si", "ti", "zi")
"""Syllables after which a small vowel is read with a y: しぇ is she, ちぇ is che."""

_SPELLINGS = (
    ("ch", re.compile(r"tch|cch"), "tt#"),
    ("ch", re.compile(r"ch"), "t#"),
    ("sh", re.compile(r"ssh"), "ss#"),
    ("sh", re.compile(r"sh"), "s#"),
    ("j", re.compile(r"jj"), "zz#"),
    ("j", re.compile(r"j"), "z#"),
    ("#", re.compile(r"#y?([aueo])"), r"y\1"),
    ("#", re.compile(r"#"), ""),
    ("ts", re.compile(r"tsu?"), lambda found: "tu" if found[0] == "tsu" else "t"),
    ("dz", re.compile(r"dz"), "z"),
    ("f", re.compile(r"f"), "h"),
    ("l", re.compile(r"l"), "r"),
    ("di", re.compile(r"di"), "zi"),
    ("du", re.compile(r"du"), "zu"),
    ("wo", re.compile(r"wo"), "o"),
    ("m", re.compile(r"m(?=[bpm])"), "n"),
    ("h", re.compile(r"([aeiou])h(?![aeiouy])"), r"\1"),
    ("ou", re.compile(r"ou"), "o"),
    ("", re.compile(r"([aeiou])\1+"), r"\1"),
    ("nn", re.compile(r"n+"), "n"),
)
"""Steps that unify romanisations: a substring to look for, a pattern, its replacement.

They apply in this order. # stands for an i that only softens the consonant.
"""

_NOT_WRITTEN = re.compile(r"['’`´ー~-]")
_UNREADABLE = re.compile("[\u2e80-\u3040\u30a0-\u30fb\u3100-\uffff\U00010000-\U0010ffff]")
"""Anything but kana and European letters."""


def romaji(text: str) -> str:
    """Romanise a text for comparison; "" if it contains kanji or another script."""
    return romaji_of(folded(text))


def romaji_of(text: str) -> str:
    """Romanise a text that is already folded."""
    if _UNREADABLE.search(text):
        return ""
    letters = _latin(_NOT_WRITTEN.sub("", text))
    if not letters.isascii() or not letters.isalnum():
        return ""
    for needed, spelling, plain in _SPELLINGS:
        if needed in letters:
            letters = spelling.sub(plain, letters)
    return letters


def _latin(text: str) -> str:
    """Replace kana by Latin letters and strip accents; other characters are unchanged."""
    written = ""
    doubled = False
    for char in text:
        if char == "っ":
            doubled = True
            continue
        if char in _SMALL_Y and written.endswith("i"):
            written = written[:-1] + _SMALL_Y[char]
        elif char in _SMALL_VOWELS and written[-1:] and written[-1] in _VOWELS:
            written = _with_small(written, _SMALL_VOWELS[char])
        else:
            bare = unicodedata.normalize("NFD", char)[0]
            sound = KANA.get(char) or _SMALL_Y.get(char) or _SMALL_VOWELS.get(char) or bare
            written += sound[0] + sound if doubled else sound
        doubled = False
    return written


def _with_small(written: str, vowel: str) -> str:
    """Add a small vowel to the last syllable: ふぁ is fa, うぃ is wi."""
    if written.endswith(_SOFT):
        return f"{written[:-1]}y{vowel}"
    if len(written) == 1 or written[-2] in _VOWELS:
        return f"{written[:-1]}w{vowel}" if written[-1] == "u" else written + vowel
    return written[:-1] + vowel
