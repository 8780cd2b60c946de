"""What a league says that its boards count is what its rules give."""

import pytest
from django.utils.translation import override

from league.messages import counted_points
from tests.league.factories import make_league

pytestmark = pytest.mark.django_db


def test_where_only_placement_counts_there_is_no_oka() -> None:
    league = make_league(card="parlour-placement", parameters={"uma": ["3", "1", "-1", "-3"]})
    with override("en"):
        assert counted_points(league) == "Ranking points: uma, penalties"


def test_where_boards_are_ordered_by_placement_no_points_count() -> None:
    with override("en"):
        assert counted_points(make_league(metric="average_placement")) == "Placements alone"


def test_parts_that_the_rules_give_are_all_named() -> None:
    with override("en"):
        assert counted_points(make_league("m", card="mleague")).startswith("Ranking points: base, oka, uma")
