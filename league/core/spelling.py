"""Removal of invisible and bidi control characters from names, and of list marks from pasted lists.

Everything else is kept: 髙, 𠮷, kanji variants and full-width letters.
"""

import re
import unicodedata

_SEEN_AS_NOTHING = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Invisible characters that Unicode classifies as letters or marks."""

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Variation selectors: they choose the registered shape of the preceding kanji, so they are kept there."""

_KANJI = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_STRAY_SELECTOR = re.compile(f"(?<![{_KANJI}])[{_SELECTORS}]")
_ANY_SELECTOR = re.compile(f"[{_SELECTORS}]")
_OTHER_KANJI_FOR_ONE = re.compile("([\uf900-\ufaff\U0002f800-\U0002fa1f])")
"""Compatibility kanji, which normalisation would replace; names use them, e.g. the older shape of 神."""

MOST_MARKS = 4
"""Maximum number of combining marks per letter."""

_WORTH_A_LOOK = re.compile(
    f"[\u00ad\u061c\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb{_SEEN_AS_NOTHING}{_SELECTORS}"
    "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
)
"""Characters that need closer inspection: invisible ones and right-to-left scripts. Rare in names."""

_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


def cleaned(text: str) -> str:
    """Return the name on one line, in NFC, without invisible characters.

    Any whitespace becomes a single space, so that names cannot differ by spacing alone.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(_composed(part) for part in _OTHER_KANJI_FOR_ONE.split(_visible(text)))
    return " ".join(text.split())


def _composed(part: str) -> str:
    return part if _OTHER_KANJI_FOR_ONE.fullmatch(part) else unicodedata.normalize("NFC", part)


def _visible(text: str) -> str:
    kept, marks = [], 0
    for char in _STRAY_SELECTOR.sub("", text):
        kind = unicodedata.category(char)
        if kind in {"Zs", "Zl", "Zp"} or char in "\t\n\r":
            kept.append(" ")
            continue
        marks = marks + 1 if kind in {"Mn", "Me"} else 0
        if kind not in {"Cc", "Cf", "Cs"} and char not in _SEEN_AS_NOTHING and marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def has_hidden(text: str) -> bool:
    """Return whether a text has invisible or bidi control characters."""
    return bool(_STRAY_SELECTOR.search(text)) or any(map(_is_hidden, text))


def without_hidden(text: str) -> str:
    """Return the name without invisible characters, possibly ""."""
    if not has_hidden(text):
        return text
    return "".join(char for char in _STRAY_SELECTOR.sub("", text) if not _is_hidden(char)).strip()


def _is_hidden(char: str) -> bool:
    return char in _SEEN_AS_NOTHING or unicodedata.category(char) == "Cf"


def shown(name: str) -> str:
    """Return the name for display, with bidi isolates around right-to-left names."""
    if _WORTH_A_LOOK.search(name) is None:
        return name
    if any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in name):
        return f"{_ISOLATE}{cleaned(name)}{_END_OF_ISOLATE}"
    return cleaned(name) if has_hidden(name) else name


def without_selectors(text: str) -> str:
    return _ANY_SELECTOR.sub("", text)


_LIST_MARK = re.compile(r" *(?:[-*•]\s+|[・●]\s*|[(（]?\d{1,3}\s*[.．)）:：]\s*|[①-⑳㉑-㉟㊱-㊿]\s*)(?=\D)")
_PLAIN_NUMBER = re.compile(r" *0*(\d{1,3})(?: +(?=\D)|\s*、\s*(?=[^\d、][^、]*$))")


def without_list_marks(text: str) -> str:
    """Return a pasted list without the numbers or bullets before its names, as in “1. Aoki” or “・青木”.

    Only if most lines have one; a heading such as “Members:” then falls away too. Numbers without a point count if they
    begin with 1, as others may be member numbers.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    marks = [*map(_LIST_MARK.match, lines)]
    if not any(marks):
        plain = [*map(_PLAIN_NUMBER.match, lines)]
        first = next(filter(None, plain), None)
        has_columns = any("、" in line for line, mark in zip(lines, plain, strict=True) if not mark)
        marks = plain if first is not None and first[1] == "1" and not has_columns else marks
    if 2 * sum(map(bool, marks)) <= len(lines):
        return text
    pairs = zip(lines, marks, strict=True)
    return "\n".join(
        line[mark.end() :] if mark else line for line, mark in pairs if mark or not line.rstrip().endswith((":", "："))
    )
