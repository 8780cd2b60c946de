from collections import Counter

import pytest
from django.test import Client

from tests.league.races import at_once
from tests.tournaments.registering import link_to, offered, own_page, places_of, registered
from tournaments.models import Registration

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def test_simultaneous_registrations_do_not_exceed_the_spots() -> None:
    tournament = offered(places=2)
    aoki, ishida = registered(tournament, "青木", "石田")
    address = link_to(tournament)
    guests = [(f"客人{number}", f"key {number}") for number in range(3)] + [("客人0", "key 0")]
    sent = [
        lambda name=name, key=key: Client().post(address, {"name": name, "key": key, "same_name": "on"}).status_code
        for name, key in guests
    ]
    assert at_once(*sent) == [302] * 4
    assert Counter(places_of(tournament).values()) == {"entered": 2, "waiting": 3}
    leaves = [
        lambda page=page: Client().post(page, {"do": "withdraw"}).status_code
        for page in (own_page(aoki), own_page(ishida), own_page(aoki), own_page(ishida))
    ]
    assert at_once(*leaves) == [302] * 4
    first, second, third = [
        each for each in Registration.objects.order_by("number").select_related("player") if each.brought_player
    ]
    wanted = {"青木": "withdrawn", "石田": "withdrawn", first.player.name: "entered", second.player.name: "entered"}
    assert places_of(tournament) == wanted | {third.player.name: "waiting"}
    assert sorted(tournament.entries.values_list("number", flat=True)) in ([3, 4], [2, 3], [1, 2], [1, 3])
