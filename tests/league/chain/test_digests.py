"""What a link keeps of a fact, and how links follow from each other: plain values, no database."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.chain import (
    BEGINNING,
    SALT,
    SHORT,
    Link,
    canonical,
    cut,
    digest_of,
    digest_without_texts,
    read_head,
    shortened,
    text_digest,
    texts_of,
)

SALT_OF_ALL = bytes(range(SALT))
MOMENT = datetime(2025, 11, 21, 11, 10, 0, 123456, UTC)

FACT: Mapping[str, Any] = {
    "subject_id": 7,
    "at": MOMENT,
    "by_name": "青木",
    "before": None,
    "after": {
        "state": "recorded",
        "seats": [{"name": "青木", "raw": 31700}, {"name": "石田", "raw": -300}],
        "ok": True,
    },
}

FACTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def test_a_digest_never_changes_for_the_same_fact() -> None:
    """Whoever changes this has made every chain there is invalid."""
    assert digest_of(FACT, SALT_OF_ALL).hex() == "e68ad943a56a52192f4bc7ea79407f560c2ab0e9f93ea8430da1b895896269cf"
    link = Link(2, MOMENT, BEGINNING, [("revision", 5)], [digest_of(FACT, SALT_OF_ALL)])
    assert link.hash() == "f54dce1349c78fca28ef7800b811249407e666b4d758a1712977c29162ed0a98"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"subject_id": 8}, id="a number"),
        pytest.param({"subject_id": True}, id="a number that became a truth"),
        pytest.param({"at": MOMENT + timedelta(microseconds=1)}, id="a moment"),
        pytest.param({"by_name": "石田"}, id="a name"),
        pytest.param({"before": "None"}, id="nothing that became a word"),
        pytest.param({"after": {**FACT["after"], "seats": FACT["after"]["seats"][::-1]}}, id="an order"),
        pytest.param({"after": {**FACT["after"], "more": None}}, id="one more word"),
    ],
)
def test_every_change_is_another_digest(other: dict[str, Any]) -> None:
    assert digest_of({**FACT, **other}, SALT_OF_ALL) != digest_of(FACT, SALT_OF_ALL)


def test_both_databases_say_the_same() -> None:
    said = {"n": 100000000000000000000, "m": 1, "at": MOMENT}
    other = {"at": MOMENT.astimezone(timezone(timedelta(hours=9))), "m": 1.0, "n": 1e20}
    assert canonical(said) == canonical(other)
    assert canonical({"a": 0.5, "b": [1, (2,)]}) == b'{"a":0.5,"b":[1,[2]]}'


@given(FACTS, FACTS)
def test_different_facts_have_different_digests(one: Any, other: Any) -> None:
    same = digest_of({"f": one}, SALT_OF_ALL) == digest_of({"f": other}, SALT_OF_ALL)
    assert same is (canonical(one) == canonical(other))


def test_a_name_can_go_and_the_digest_stays() -> None:
    texts = {path: text_digest(text, path, SALT_OF_ALL) for path, text in texts_of(FACT)}
    assert "after/seats/1/name" in texts
    erased = {
        **FACT,
        "by_name": "",
        "after": {**FACT["after"], "seats": [{"name": "", "raw": 31700}, {"name": "", "raw": -300}]},
    }
    assert digest_without_texts(erased, texts) == digest_of(FACT, SALT_OF_ALL)
    assert digest_of(erased, SALT_OF_ALL) != digest_of(FACT, SALT_OF_ALL)


def test_no_name_can_be_tried_out_without_the_salt() -> None:
    assert text_digest("青木", "by_name", SALT_OF_ALL) != text_digest("青木", "by_name", bytes(SALT))
    assert text_digest("青木", "by_name", SALT_OF_ALL) != text_digest("青木", "reason", SALT_OF_ALL)


def test_a_slash_in_a_word_makes_no_other_path() -> None:
    assert list(texts_of({"a/b": "x", "a": {"b": "x"}, "~1": "x"})) == [("a/b", "x"), ("a~1b", "x"), ("~01", "x")]


def test_a_link_follows_from_everything_it_says() -> None:
    facts, digests = [("revision", 5), ("decision", 5)], [bytes(32), bytes([1]) * 32]
    link = Link(2, MOMENT, BEGINNING, facts, digests)
    others = [
        Link(3, MOMENT, BEGINNING, facts, digests),
        Link(2, MOMENT + timedelta(seconds=1), BEGINNING, facts, digests),
        Link(2, MOMENT, "1" * 64, facts, digests),
        Link(2, MOMENT, BEGINNING, facts[::-1], digests),
        Link(2, MOMENT, BEGINNING, facts, digests[::-1]),
    ]
    assert len({each.hash() for each in (link, *others)}) == 6
    assert shortened(link.hash()) == link.hash()[:SHORT]
    assert cut(b"".join(digests)) == digests


@pytest.mark.parametrize(
    ("noted", "head"),
    [
        ("0123 4567-89AB…", "0123456789ab"),
        ("０１２３４５６７８９ａｂ", "0123456789ab"),
        ("0123456789a", ""),
        ("0123456789ag", ""),
        ("\udcff", ""),
    ],
)
def test_a_head_is_read_as_it_was_noted(noted: str, head: str) -> None:
    assert read_head(noted) == head
