"""Every format that is offered, walked from a new league to the champion by the pages' own forms and links."""

import pytest
from django.test import Client

from tests.journeys.directing import Director
from tournaments.core.reading import format_keys, load_format, load_document, entrant_choices
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", format_keys())
def test_format_is_walked_to_its_end(key: str, client: Client) -> None:
    director = Director(client, key)
    numbers = entrant_choices(load_document(key))
    director.begins(numbers[1] if numbers else load_format(key).entrants.least)
    director.directs()
    assert director.tournament.state == Tournament.State.FINISHED
