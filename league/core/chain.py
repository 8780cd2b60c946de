"""A history chained by digests: what a fact is to the chain, and how its links follow from each other. docs/adr/0037.

Facts are plain values: whole numbers, texts, truth values, None, moments, lists and mappings of these. All texts go in as
salted digests only, so that one can be erased later and everything else stays provable.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

BEGINNING = "0" * 64
"""What stands before the first link."""

DIGEST = SALT = 32
"""Bytes of a digest, and of the salt of a fact."""

GONE = bytes(DIGEST)
"""Stands for a fact that was gone before it was chained: no fact has this digest."""

SHORT = 12
"""So many digits of a head are shown: enough that no second chain is found that has them."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Fact = Mapping[str, Any]


def digest_of(fact: Fact, salt: bytes) -> bytes:
    """Return what a link keeps of a fact. `salt` is 32 secret bytes of the fact's own."""
    return digest_without_texts(fact, text_digests(fact, salt))


def text_digests(fact: Fact, salt: bytes) -> dict[str, str]:
    """Return what stands for each text of a fact in its digest, by path."""
    return {path: text_digest(text, path, salt) for path, text in texts_of(fact)}


def digest_without_texts(fact: Fact, texts: Mapping[str, str]) -> bytes:
    """Return the same from the digests of its texts, by path: whatever stands in their place in the fact."""
    return hashlib.sha256(canonical(_with_digests(fact, "", texts))).digest()


def text_digest(text: str, path: str, salt: bytes) -> str:
    """Return what stands for the text at a path: without the salt nobody can try out whose name it was."""
    return hashlib.sha256(salt + canonical([path, text])).hexdigest()


def texts_of(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in a fact with its path, such as `after/seats/0/name`."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield from texts_of(value[key], _below(path, key))
    elif isinstance(value, list | tuple):
        for place, each in enumerate(value):
            yield from texts_of(each, _below(path, str(place)))


def canonical(value: Any) -> bytes:
    """Return a value as the same bytes whatever database it was read from: keys in order, numbers whole where they are."""
    return json.dumps(_plain(value), ensure_ascii=True, separators=(",", ":"), sort_keys=True).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return microseconds(value)
    # One database gives back 1.0 and 1e20 where another gives 1 and 100000000000000000000.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def microseconds(moment: datetime) -> int:
    """Return a moment as microseconds since 1970."""
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _with_digests(value: Any, path: str, texts: Mapping[str, str]) -> Any:
    if path in texts:
        return {"text": texts[path]}
    if isinstance(value, Mapping):
        return {key: _with_digests(value[key], _below(path, key), texts) for key in value}
    if isinstance(value, list | tuple):
        return [_with_digests(each, _below(path, str(place)), texts) for place, each in enumerate(value)]
    return value


def _below(path: str, key: str) -> str:
    # A slash in a key must not make it look like two.
    escaped = str(key).replace("~", "~0").replace("/", "~1")
    return f"{path}/{escaped}" if path else escaped


# --- Links -----------------------------------------------------------------------------------------------------------

FactName = tuple[str, int]
"""The kind of a fact and its number."""


@dataclass(frozen=True, slots=True)
class Link:
    """One link: which facts it holds, in their order, with the digest of each; and the link that it follows."""

    number: int
    at: datetime
    previous: str
    facts: Sequence[FactName]
    digests: Sequence[bytes]

    def hash(self) -> str:
        """Return the link's own digest, in hex: the head of the chain while no other follows."""
        names = [[kind, number] for kind, number in self.facts]
        told = [self.previous, self.number, self.at, names, [digest.hex() for digest in self.digests]]
        return hashlib.sha256(canonical(told)).hexdigest()


def cut(joined: bytes, length: int = DIGEST) -> list[bytes]:
    """Return the digests that were joined."""
    return [joined[start : start + length] for start in range(0, len(joined), length)]


def shortened(head: str) -> str:
    """Return a head as it is shown and noted."""
    return head[:SHORT]


def read_head(noted: str) -> str:
    """Return a head that somebody noted, or its beginning as it is shown, in its own letters; "" if it is none.

    Spaces, hyphens, dots and full-width characters are as good as none.
    """
    digits = re.sub(r"[\s\-・.]", "", unicodedata.normalize("NFKC", noted)).lower()
    return digits if re.fullmatch(rf"[0-9a-f]{{{SHORT},64}}", digits) else ""
