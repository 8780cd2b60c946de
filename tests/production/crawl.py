"""Two sites with the same content, walked side by side: what one names and answers, the other does too."""

import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from difflib import unified_diff

from tests.budget import budget
from tests.production.browsing import Answer, Named, Visitor, named_by

CLICKS = 3
OF_A_KIND = budget(2)
"""So many addresses that differ in numbers alone are tried."""

AT_ONCE = 4

MEANT = {403}
"""What a page may answer besides success and the way elsewhere: some pages are linked for whoever may open them."""

DIFFERENT = (
    (re.compile(r"\d{1,2}:\d{2}(?::\d{2})?"), "0:00"),
    (re.compile(r"\.[0-9a-f]{12}(?=\.\w+)"), ""),
    (re.compile(r"[0-9a-z]+-[0-9a-z]{26}"), "code"),
    (re.compile(r"https?://(?:127\.0\.0\.1:\d+|tenbo\.example)"), ""),
)
"""What is another each time a league is loaded: clock times, names of collected files, table links, the host."""

Pair = tuple[str, str]
"""The address of the same thing on either site."""


@dataclass
class Walk:
    """What was seen of two sites: how many pages, what went wrong, and the files that pages named, with who did."""

    pages: int = 0
    faults: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)


def walk(one: Visitor, other: Visitor, starts: Iterable[str]) -> Walk:
    """Follow the links of both sites from the same pages on, side by side, as far as the clicks reach."""
    seen = Walk()
    level = [(start, start) for start in starts]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for clicks in range(CLICKS + 1):
            wanted = _wanted(level, seen)
            answers = list(pool.map(lambda pair: (one.get(pair[0]), other.get(pair[1])), wanted))
            level = []
            for pair, both in zip(wanted, answers, strict=True):
                level += _compare(pair, both, seen, clicks)
    return seen


def kind_of(address: str) -> str:
    """Return an address without what tells it from others of its kind."""
    plain = re.sub(r"(?<=[?&]next=)[^&]*", "", plain_text(address))
    return re.sub(r"\d+", "0", plain)


def plain_text(text: str) -> str:
    """Return a text without what differs between two sites of the same content."""
    for pattern, instead in DIFFERENT:
        text = pattern.sub(instead, text)
    return text


def _wanted(level: list[Pair], seen: Walk) -> list[Pair]:
    """Return the addresses that are new, and of which not enough of their kind were tried."""
    wanted = []
    for pair in level:
        kind = kind_of(pair[0])
        if pair[0] not in seen.seen and seen.kinds[kind] < OF_A_KIND:
            seen.seen.add(pair[0])
            seen.kinds[kind] += 1
            wanted.append(pair)
    return wanted


def _compare(pair: Pair, answers: tuple[Answer, Answer], seen: Walk, clicks: int) -> list[Pair]:
    """Note what is wrong or differs; return what is named by both."""
    here, there = (named_by(address, answer) for address, answer in zip(pair, answers, strict=True))
    seen.pages += 1
    seen.files |= {name: pair[0] for name in here.files if name not in seen.files}
    fault = _fault(answers) or _difference(here, there)
    if fault:
        seen.faults.append(f"{pair[0]} ({clicks} clicks): {fault}")
        return []
    return list(zip(here.links, there.links, strict=True))


def _fault(answers: tuple[Answer, Answer]) -> str:
    here, there = answers
    if not (200 <= here.status < 400 or here.status in MEANT):
        return f"answers {here.status}; {there.status} on the embedded site"
    if (here.status, here.media) != (there.status, there.media):
        return f"answers {here.status} {here.media}; {there.status} {there.media} on the embedded site"
    return ""


def _difference(here: Named, there: Named) -> str:
    for ours, theirs in ((here.links, there.links), (here.files, there.files), (here.text.split(), there.text.split())):
        lines = [[plain_text(word) for word in words] for words in (theirs, ours)]
        if lines[0] != lines[1]:
            return "differs: " + " ".join(list(unified_diff(*lines, lineterm="", n=1))[2:30])
    return ""
