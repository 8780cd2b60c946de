"""How names are looked up and put into an index: kana, letter case and width make no difference."""

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
"""Characters that people write for one another in names; the first of each stands for all."""

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
"""Characters of different scripts that look the same, after folding; the first of each stands for all.

From the confusable characters of Unicode (UTS 39), as far as names here are written: Latin, Cyrillic, Greek, Armenian,
Cherokee and Coptic letters, kana and kanji.
"""

_ONE_SIGHT = {ord(other): group[0] for group in reversed(LOOK_ALIKES) for other in group[1:]}

SMALL_KANA = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")
"""Stands for each small kana where the large one does."""


def folded(text: str) -> str:
    """Return a text in which only what matters for finding it is left: アオキ, ｱｵｷ and あおき are one."""
    plain = unicodedata.normalize("NFKC", without_selectors(cleaned(text))).casefold()
    return "".join(plain.split()).translate(_TO_HIRAGANA)


def sight(text: str) -> str:
    """Return a name in which characters are one that no reader tells apart: Aoki with a Cyrillic о is Aoki."""
    return folded(text).translate(_ONE_SIGHT)


def alike(text: str) -> str:
    """Return a name in which variant characters are one too: 髙田 and 高田 may be one person, or two."""
    return sight(text).translate(_ONE_FOR_ALL)


def usual_letters(text: str) -> str:
    """Return a name in which variants of a kanji are the one for all: 髙橋 is 高橋."""
    return unicodedata.normalize("NFKC", without_selectors(text)).translate(_ONE_FOR_ALL)


def index_row(reading: str) -> str:
    """Return the row of the index under which a reading stands: a kana row, a Latin letter, or "#" for the rest."""
    start = unicodedata.normalize("NFD", folded(reading))[:1].translate(SMALL_KANA)
    if "あ" <= start <= "ん":
        return max(row for row in ROWS if row <= start)
    if start.isascii() and start.isalpha():
        return start.upper()
    return "#"
