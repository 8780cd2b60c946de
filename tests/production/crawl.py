"""Two sites with the same content, walked side by side: what one names and answers, the other does too."""

import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import zip_longest

from tests.budget import budget
from tests.production.browsing import Answer, Named, Visitor, named_by

CLICKS = budget(3, least=2)

AT_ONCE = 4

MEANT = {403}
"""What a page may answer besides success and the way elsewhere: some pages are linked for whoever may open them."""

DEMONSTRATION = re.compile(r"^(?:/en)?/(?:$|accounts/login/)")
"""Pages that say more where the leagues are a demonstration: which log-ins there are."""

NOTICED = re.compile(r"^/(?:me|account/notices)/$")
"""Pages that tell what was noticed by now; neither site has to be the first."""

CODES = re.compile(r"\b[0-9a-z]+-[0-9a-z]{26}\b")
"""What stands in the address of a table link."""

DIFFERENT = (
    (re.compile(r'name="csrfmiddlewaretoken" value="\w+"'), ""),
    (re.compile(r"(?:https?://)?(?:127\.0\.0\.1(?::\d+)?|tenbo\.example)"), ""),
    (re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"), "0:00"),
    (re.compile(r"\b\d{8}T\d{6}Z"), "moment"),
    (re.compile(r"\.[0-9a-f]{12}(?=\.\w+)"), ""),
    (re.compile(r"\b[0-9a-f]{12}\b"), "fingerprint"),
    (re.compile(r"card\.png\?v=[\w.-]+"), "card.png"),
    (CODES, "code"),
    (re.compile(r"\b([hs]-)(?:[0-9a-f]{12}|[0-9a-f]{32})\b"), r"\1key"),
)
"""What is another each time: the host, clock times, names of collected files, fingerprints of histories, versions of share
pictures, codes of table links, keys that nobody chose."""

Pair = tuple[str, str]
"""The address of the same thing on either site."""


@dataclass
class Walk:
    """What was seen of two sites: how many pages, what went wrong, and the files that pages named, with who did."""

    pages: int = 0
    faults: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)


def walk(one: Visitor, other: Visitor, starts: Iterable[str], leave_out: str = "") -> Walk:
    """Follow the links of both sites from the same pages on, side by side, as far as the clicks reach.

    Addresses that begin with `leave_out` are not asked for.
    """
    seen = Walk()
    level = [(start, start) for start in starts]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for clicks in range(CLICKS + 1):
            wanted = _wanted([pair for pair in level if not (leave_out and pair[0].startswith(leave_out))], seen)
            answers = list(pool.map(lambda pair: (one.get(pair[0]), other.get(pair[1])), wanted))
            level = []
            for pair, both in zip(wanted, answers, strict=True):
                level += _compare(pair, both, seen, clicks)
    return seen


def kind_of(address: str) -> str:
    """Return an address without what tells it from others of its kind; in English and with answers, of any league."""
    kind = re.sub(r"\d+", "0", re.sub(r"(?<=[?&]next=)[^&]*", "", plain_text(address)))
    is_once_more = "?" in kind or kind.startswith("/en/")
    return re.sub(r"/l/[\w-]+/", "/l/any/", kind) if is_once_more else kind


def plain_text(text: str) -> str:
    """Return a text without what differs between two sites of the same content."""
    for pattern, instead in DIFFERENT:
        text = pattern.sub(instead, text)
    return text


def _wanted(level: list[Pair], seen: Walk) -> list[Pair]:
    """Return the first address of each kind that is new."""
    first: dict[str, Pair] = {}
    for pair in level:
        first.setdefault(kind_of(pair[0]), pair)
    wanted = [pair for kind, pair in first.items() if kind not in seen.kinds]
    seen.kinds |= first.keys()
    return wanted


def _compare(pair: Pair, answers: tuple[Answer, Answer], seen: Walk, clicks: int) -> list[Pair]:
    """Note what is wrong or differs; return what is named by both."""
    here, there = _named(pair, answers)
    seen.pages += 1
    seen.files |= {name: pair[0] for name in here.files if name not in seen.files}
    fault = _fault(answers) or _difference(here, there, pair[0])
    if fault:
        seen.faults.append(f"{pair[0]} ({clicks} clicks): {fault}")
    return _paired(here.links, there.links)


def _named(pair: Pair, answers: tuple[Answer, Answer]) -> tuple[Named, Named]:
    """Return what both name; pages that are the same are read once."""
    here = named_by(pair[0], answers[0])
    ours, theirs = (plain_text(answer.text) for answer in answers)
    is_same = answers[0].status == answers[1].status == 200 and ours == theirs
    return here, here if is_same and not CODES.search(answers[1].text) else named_by(pair[1], answers[1])


def _fault(answers: tuple[Answer, Answer]) -> str:
    here, there = answers
    if not (200 <= here.status < 400 or here.status in MEANT):
        return f"answers {here.status}; {there.status} on the embedded site"
    if (here.status, here.media) != (there.status, there.media):
        return f"answers {here.status} {here.media}; {there.status} {there.media} on the embedded site"
    return ""


def _difference(here: Named, there: Named, address: str) -> str:
    """Return where two pages part; a demonstration may say more, but nothing else."""
    for ours, theirs in ((here.links, there.links), (here.files, there.files), (here.text.split(), there.text.split())):
        mine, yours = ([plain_text(word) for word in words] for words in (ours, theirs))
        if NOTICED.search(address):
            mine = [word for word in mine if word in yours]
        if NOTICED.search(address) or DEMONSTRATION.search(address):
            yours = [word for word in mine if word in yours]
        if mine != yours:
            first = next(at for at, both in enumerate(zip_longest(mine, yours)) if both[0] != both[1])
            return f"says {mine[max(0, first - 2) : first + 8]}; {yours[max(0, first - 2) : first + 8]} on the embedded site"
    return ""


def _paired(here: list[str], there: list[str]) -> list[Pair]:
    """Return the addresses that both name, as each of them writes it."""
    theirs: dict[str, list[str]] = {}
    for name in reversed(there):
        theirs.setdefault(plain_text(name), []).append(name)
    return [(name, theirs[plain].pop()) for name in here if theirs.get(plain := plain_text(name))]
