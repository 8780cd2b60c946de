"""Rows that are written as a set are what they would be one by one, whatever stands in them."""

import pytest

from league.models import Seat
from league.services.sets import update_columns
from tests.league.factories import make_league, make_session, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_columns_are_set_by_key_and_other_rows_stay() -> None:
    play(make_session(make_league()))
    first, second, *others = Seat.objects.order_by("seat")
    update_columns(Seat, [second.pk, first.pk], {"is_bust": [True, False], "settlement": [-5, 2**40]})
    rows = list(Seat.objects.order_by("seat").values_list("is_bust", "settlement"))
    assert rows == [(False, 2**40), (True, -5), *((seat.is_bust, seat.settlement) for seat in others)]
    update_columns(Seat, [], {"settlement": []})
    assert list(Seat.objects.order_by("seat").values_list("is_bust", "settlement")) == rows
