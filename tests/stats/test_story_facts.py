"""What a story of a month picks out."""

from collections.abc import Mapping

import pytest

from stats.core.stories import Comeback, best_comeback, most_played


@pytest.mark.parametrize(
    ("curves", "found"),
    [
        pytest.param({}, None, id="nobody"),
        pytest.param({1: ()}, None, id="nothing played"),
        pytest.param({1: (-5000, 10_000)}, Comeback(1, -5000, 10_000), id="from below zero to above"),
        pytest.param({1: (-50_000, -1)}, None, id="still below"),
        pytest.param({1: (20_000, 10_000)}, None, id="never below"),
        pytest.param({1: (-5000, 9000), 2: (-1000, 13_001)}, Comeback(2, -1000, 13_001), id="the longer way"),
        pytest.param(
            {2: (-5000, 9000), 1: (-4000, 10_000)}, Comeback(1, -4000, 10_000), id="of equals the smaller key"
        ),
    ],
)
def test_the_comeback_is_the_longest_way_back(curves: Mapping[int, tuple[int, ...]], found: Comeback | None) -> None:
    assert best_comeback(curves) == found


@pytest.mark.parametrize(
    ("games", "found"),
    [
        pytest.param({}, None, id="nobody met"),
        pytest.param({(1, 2): 3, (1, 3): 4}, ((1, 3), 4), id="most"),
        pytest.param({(2, 3): 4, (1, 3): 4}, ((1, 3), 4), id="of equals the smaller keys"),
    ],
)
def test_who_met_most_often(games: Mapping[tuple[int, int], int], found: object) -> None:
    assert most_played(games) == found
