"""How names are looked up and put into an index: kana, letter case and width make no difference."""

import unicodedata

KATAKANA_FIRST, KATAKANA_LAST = "ァ", "ヶ"
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord(KATAKANA_FIRST), ord(KATAKANA_LAST) + 1)}

ROWS = ("あ", "か", "さ", "た", "な", "は", "ま", "や", "ら", "わ")
"""The rows of a Japanese index, each named by its first kana."""

_SMALL = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")


def folded(text: str) -> str:
    """Return a text in which only what matters for finding it is left: アオキ, ｱｵｷ and あおき are one."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(plain.split()).translate(_TO_HIRAGANA)


def index_row(reading: str) -> str:
    """Return the row of the index under which a reading stands: a kana row, a Latin letter, or "#" for the rest."""
    start = unicodedata.normalize("NFD", folded(reading))[:1].translate(_SMALL)
    if "あ" <= start <= "ん":
        return max(row for row in ROWS if row <= start)
    if start.isascii() and start.isalpha():
        return start.upper()
    return "#"
