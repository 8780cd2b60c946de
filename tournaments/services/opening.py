"""Whose league a secret of a tournament opens a part of, in the database in which one works."""

from functools import partial

from league.selectors.places import opened_by
from league.services.opening import league_of_table
from tournaments.services.registration_terms import registration_for, terms_for


def register() -> None:
    """Have the pages of secret addresses found in whichever database their league lives."""
    opened_by(league_of_table, "tournaments:hall", "tournaments:ticker_by_link")
    opened_by(partial(league_of_terms, door=False), "tournaments:register_by_link")
    opened_by(partial(league_of_terms, door=True), "tournaments:check_in")
    opened_by(league_of_registration, "tournaments:own_registration")


def league_of_terms(code: str, *, door: bool) -> int | None:
    """Return the league of a tournament by the code of where people register, or of its door. Two queries at most."""
    terms = terms_for(code, door=door)
    return terms.tournament.league_id if terms else None


def league_of_registration(code: str) -> int | None:
    """Return the league of a tournament by the code of a registration. Two queries at most."""
    registration = registration_for(code)
    return registration.tournament.league_id if registration else None
