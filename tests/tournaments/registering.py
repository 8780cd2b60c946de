from datetime import timedelta
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.models import League, Player
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player
from tests.tournaments.factories import make_tournament
from tournaments.models import Registration, RegistrationTerms, Tournament
from tournaments.selectors.registrations import registration_lines
from tournaments.services.registering import register_player
from tournaments.services.registration_terms import offer_registration, own_code, public_code


def unentered(league: League | None = None, format_key: str = "cinderella", key: str = "t1") -> Tournament:
    return make_tournament(league, format_key, players=0, key=key)


def offered(
    league: League | None = None, format_key: str = "cinderella", places: int = 16, key: str = "t1", **terms: Any
) -> Tournament:
    tournament = unentered(league, format_key, key)
    terms = {"audience": "anyone"} | terms
    offer_registration(tournament=tournament, offered=RegistrationTerms(places=places, **terms), by=SYSTEM)
    return tournament


def player_called(tournament: Tournament, name: str) -> Player:
    return add_player(league=tournament.league, facts=PlayerFacts(name), by=SYSTEM)


def registered(tournament: Tournament, *names: str) -> list[Registration]:
    return [register_player(tournament=tournament, player=player_called(tournament, name), by=SYSTEM) for name in names]


def terms_now(tournament: Tournament) -> RegistrationTerms:
    return RegistrationTerms.objects.select_related("tournament__league").get(tournament=tournament)


def places_of(tournament: Tournament) -> dict[str, str]:
    return {line.registration.player.name: line.place for line in registration_lines(tournament)}


def link_to(tournament: Tournament) -> str:
    return reverse("tournaments:register_by_link", args=[public_code(terms_now(tournament))])


def own_page(registration: Registration) -> str:
    return reverse("tournaments:own_registration", args=[own_code(registration)])


def opens_check_in(tournament: Tournament, *, closes_in: timedelta | None = None) -> None:
    now = timezone.now()
    RegistrationTerms.objects.filter(tournament=tournament).update(
        check_in_from=now - timedelta(minutes=1), check_in_until=now + closes_in if closes_in is not None else None
    )


def registers_by_link(client: Client, tournament: Tournament, name: str, **fields: str) -> str:
    key = client.get(link_to(tournament)).context["form"]["key"].value()
    answer = client.post(link_to(tournament), {"name": name, "key": key} | fields)
    return str(answer["Location"]) if answer.status_code == 302 else ""
