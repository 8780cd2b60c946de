from typing import Any

import pytest

from league.core.kept_states import readable_merge, readable_state

SEAT = {
    "player": 7, "name": "青木", "raw": 25000, "chips": 0, "chombo": 0, "deposits": 0, "placement": 1, "points": -5000,
    "settlement": -5000,
}  # fmt: skip
STATE: dict[str, Any] = {
    "table": 1, "round": 2, "played_at": "2025-11-21T11:10:00+00:00", "ruleset_version": 3, "sticks_left": 0,
    "end_reason": "", "note": "", "state": "recorded", "seats": [SEAT] * 4,
    "incidents": [{"seat": 3, "kind": "yakuman", "detail": {}, "note": "国士無双"}],
}  # fmt: skip


def test_complete_state_is_read_unchanged() -> None:
    assert readable_state(STATE) == STATE
    by_points = STATE | {"seats": [SEAT | {"raw": None}] * 4, "given": "points", "as_is": True}
    assert readable_state(by_points) == by_points


@pytest.mark.parametrize(
    "changed",
    [
        {"table": "1"}, {"round": True}, {"ruleset_version": 2**70}, {"note": None}, {"state": 1}, {"given": 1},
        {"as_is": "no"}, {"played_at": "yesterday"}, {"played_at": 5}, {"played_at": "2025-11-21T11:10:00"},
        {"played_at": "9999-12-31T23:00:00-12:00"}, {"seats": []}, {"seats": "four"}, {"seats": [1, 2]},
        {"seats": [SEAT | {"raw": "many"}]}, {"seats": [{"player": 7}]}, {"incidents": None}, {"incidents": [7]},
        {"incidents": [{"kind": "bust", "seat": 4}]}, {"incidents": [{"kind": "bust", "seat": [0]}]},
        {"incidents": [{"seat": 0}]}, {"incidents": [{"kind": "bust", "seat": 0, "detail": "win"}]},
    ],
    ids=str,
)  # fmt: skip
def test_invalid_state_is_unreadable(changed: dict[str, Any]) -> None:
    assert readable_state(STATE | changed) is None


@pytest.mark.parametrize("kept", [None, [], "text", 5, {}])
def test_values_of_other_types_are_not_a_state(kept: object) -> None:
    assert readable_state(kept) is None


def test_merge_is_read_with_its_moved_rows() -> None:
    moved = {"into": 5, "name": "青木", "seats": [1, 2], "adjustments": []}
    assert readable_merge(moved) == moved
    for odd in (None, [1], {"seats": 3}, {"seats": ["1"]}, {"adjustments": [None]}):
        assert readable_merge(odd) is None
