"""How names are looked up and put into an index, and kana in Latin letters: kana, letter case and width make no difference."""

import re
import unicodedata

from league.core.spelling import cleaned, without_selectors

KATAKANA_FIRST, KATAKANA_LAST = "ァ", "ヶ"
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord(KATAKANA_FIRST), ord(KATAKANA_LAST) + 1)}

ROWS = ("あ", "か", "さ", "た", "な", "は", "ま", "や", "ら", "わ")
"""The rows of a Japanese index, each named by its first kana."""

VARIANTS = (
    "高髙",
    "崎﨑嵜埼",
    "吉𠮷",
    "辺邊邉",
    "斉齊斎齋",
    "浜濱濵",
    "沢澤",
    "島嶋嶌",
    "広廣",
    "国國",
    "桜櫻",
    "富冨",
    "渡渉",
    "恵惠",
    "真眞",
    "条條",
    "徳德",
    "曽曾",
    "桑桒",
    "柳栁",
    "竜龍",
    "滝瀧",
    "鉄鐵",
    "円圓",
    "峰峯",
    "万萬",
    "関關",
    "郎郞",
    "瀬瀨",
    "頼賴",
    "角⻆",
)
"""Interchangeable characters in names; the first of each group represents it."""

_ONE_FOR_ALL = str.maketrans({other: group[0] for group in VARIANTS for other in group[1:]})

LOOK_ALIKES = (
    "aɑαаᎪ⍺",
    "bƅьвᏏᏴ",
    "cσсᏟᴄⲥ",
    "dԁᎠ",
    "eеεҽᎬ℮",
    "fϝքẝ",
    "gƍɡԍցᏀ",
    "hнһհηᎻᏂⲏ",
    "jʝϳјᎫ",
    "kκкᏦⲕ",
    "lı1i|ɩɪιіӏǀᏞᛁⲓⵏ",
    "mμмϻᎷⲙ",
    "nνпոռⲛ",
    "o0оοσօᴏⲟ〇",
    "pρрᏢⲣ",
    "qԛգզ",
    "rгʀᎡᎱⲅᴦ",
    "sѕƽտᏕᏚ",
    "tтτᎢⲧ",
    "uυսʋᴜ",
    "vνѵᏙᴠⴸ",
    "wѡɯԝաᎳᏔ",
    "xхχ×ⲭ",
    "yуγүʏყᎩ",
    "zζᏃᴢ",
    "3зʒӡ",
    "6б",
    "ー一―—─",
    "か力",
    "ろ口",
    "に二",
    "た夕",
    "え工",
    "と卜",
    "は八",
)
"""Look-alike characters of different scripts after folding; the first of each group represents it.

From the confusable characters of Unicode (UTS 39), as far as names use them: Latin, Cyrillic, Greek, Armenian, Cherokee
and Coptic letters, kana and kanji.
"""

_ONE_SIGHT = {ord(other): group[0] for group in reversed(LOOK_ALIKES) for other in group[1:]}

SMALL_KANA = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")
"""Large kana for each small one."""


def folded(text: str) -> str:
    """Return a text in which only what matters for finding it is left: アオキ, ｱｵｷ and あおき are one."""
    plain = unicodedata.normalize("NFKC", without_selectors(cleaned(text))).casefold()
    return "".join(plain.split()).translate(_TO_HIRAGANA)


def sight(text: str) -> str:
    """Return the name with look-alike characters unified: Aoki with a Cyrillic о equals Aoki."""
    return folded(text).translate(_ONE_SIGHT)


def alike(text: str) -> str:
    """Return a name in which variant characters are one too: 髙田 and 高田 may be one person, or two."""
    return sight(text).translate(_ONE_FOR_ALL)


def usual_letters(text: str) -> str:
    """Return a name in which variants of a kanji are the one for all: 髙橋 is 高橋."""
    return unicodedata.normalize("NFKC", without_selectors(text)).translate(_ONE_FOR_ALL)


def index_row(reading: str) -> str:
    """Return the index row: a kana row, a Latin letter, or "#"."""
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
"""Required pattern, alternative spelling and our spelling of a sound, in order.

# is an i that only softens.
"""

_NOT_WRITTEN = re.compile(r"['’`´ー~-]")
_UNREADABLE = re.compile("[\u2e80-\u3040\u30a0-\u30fb\u3100-\uffff\U00010000-\U0010ffff]")
"""Kanji and everything that is neither kana nor a European letter; without ー."""


def romaji(text: str) -> str:
    """Return plain Latin letters for comparison; "" for other scripts."""
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
    """Return the syllable with a small vowel: ふぁ is fa, うぃ is wi."""
    if written.endswith(_SOFT):
        return f"{written[:-1]}y{vowel}"
    if len(written) == 1 or written[-2] in _VOWELS:
        return f"{written[:-1]}w{vowel}" if written[-1] == "u" else written + vowel
    return written[:-1] + vowel


def _bare(char: str) -> str:
    return unicodedata.normalize("NFD", char)[0]
