"""Numbers as people type them."""

import pytest

from league.core.numbers import half_width


@pytest.mark.parametrize("sign", "▲△▼−–—ー－‐ｰ﹣︱")
def test_every_sign_for_less_than_nothing_is_a_minus(sign: str) -> None:
    assert half_width(f"{sign}３１．７") == "-31.7"
