"""Names in Latin letters and in kana made comparable: however somebody romanises おおの, it is found.

Hepburn, kunrei and what Japanese keyboards take come to the same; long vowels are short, and doubled ん is one. It is for
finding only: おの and おおの are one here.
"""

import re
import unicodedata

from league.core.readings import folded

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

_KANA = {kana: start + vowel for start, row in _ROWS for kana, vowel in zip(row, _VOWELS, strict=True)} | {
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
"""After these a small vowel sounds as after y: しぇ is she, ちぇ is che."""

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
"""What a word must have, what stands for another spelling of the same sound, and how it is written here, one after the other.

# stands for an i that only softens.
"""

_NOT_WRITTEN = re.compile(r"['’`´ー~-]")
_UNREADABLE = re.compile("[\u2e80-\u3040\u30a0-\u30fb\u3100-\uffff\U00010000-\U0010ffff]")
"""Kanji, and all that is neither kana nor a letter of Europe; ー is no part of it."""


def romaji(text: str) -> str:
    """Return a word in plain Latin letters, for comparing; nothing where it has other letters than Latin ones and kana."""
    return romaji_of(folded(text))


def romaji_of(text: str) -> str:
    """Return the same of a text that is folded already."""
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
    """Return a folded text with its kana in Latin letters and its letters without accents; the rest as it is."""
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
            sound = _KANA.get(char) or _SMALL_Y.get(char) or _SMALL_VOWELS.get(char) or _bare(char)
            written += sound[0] + sound if doubled else sound
        doubled = False
    return written


def _with_small(written: str, vowel: str) -> str:
    """Return what is written with the small vowel that changes its last sound: ふぁ is fa, うぃ is wi."""
    if written.endswith(_SOFT):
        return f"{written[:-1]}y{vowel}"
    if len(written) == 1 or written[-2] in _VOWELS:
        return f"{written[:-1]}w{vowel}" if written[-1] == "u" else written + vowel
    return written[:-1] + vowel


def _bare(char: str) -> str:
    return unicodedata.normalize("NFD", char)[0]
