"""Where the parts of the points are kept."""

from league.models import Seat
from league.services.results.rows import PART_COLUMNS
from scoring.core import Part


def test_every_part_of_scoring_has_its_column() -> None:
    assert set(PART_COLUMNS) == set(Part)
    assert set(PART_COLUMNS.values()) <= {field.name for field in Seat._meta.get_fields()}
