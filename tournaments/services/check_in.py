"""Who is there on the day: people check in, and those who did not come make room for those who wait."""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from league.services.history import Actor
from tournaments.core.registering import Phase
from tournaments.models import Registration, Tournament
from tournaments.selectors.registrations import check_in_phase, registration_lines, terms_of
from tournaments.services.events import TournamentError, changed, lock_tournament, refuse_after_draw, write_history
from tournaments.services.places import fill_places


@transaction.atomic
def check_in(*, registration: Registration, by: Actor, director: bool = False) -> Registration:
    """Note that somebody is there; whoever waits for a place that is free has it now. Twice is once.

    A director ticks at any time. Raises TournamentError "drawn", "check_in_closed", "not_registered".
    """
    tournament = registration.tournament
    lock_tournament(tournament)
    refuse_after_draw(tournament)
    registration.refresh_from_db(fields=["state", "checked_in_at"])
    terms = terms_of(tournament)
    if not director and (terms is None or check_in_phase(terms, timezone.now()) is not Phase.OPEN):
        raise TournamentError("check_in_closed")
    if registration.state != Registration.State.STANDING:
        raise TournamentError("not_registered", name=registration.player.name)
    if registration.checked_in_at is None:
        registration.checked_in_at = timezone.now()
        registration.save(update_fields=["checked_in_at"])
        _write(registration, is_there=True, by=by)
        fill_places(tournament, by)
    return registration


@transaction.atomic
def undo_check_in(*, registration: Registration, by: Actor) -> None:
    """Take back that somebody is there; the place stays theirs. Raises TournamentError "drawn"."""
    lock_tournament(registration.tournament)
    refuse_after_draw(registration.tournament)
    registration.refresh_from_db(fields=["state", "checked_in_at"])
    if registration.checked_in_at is not None:
        registration.checked_in_at = None
        registration.save(update_fields=["checked_in_at"])
        _write(registration, is_there=False, by=by)


def _write(registration: Registration, *, is_there: bool, by: Actor) -> None:
    name = registration.player.name
    change = changed({"player": name, "is_there": not is_there}, {"player": name, "is_there": is_there})
    write_history(registration.tournament, registration, change, by)


@transaction.atomic
def drop_no_shows(*, tournament: Tournament, seen: Collection[int], reason: str, by: Actor) -> list[Registration]:
    """Take the places of those who have not checked in, and give them to those who wait and are there, in their order.

    `seen`: whom the director saw on the list, by primary key; who has come meanwhile keeps the place. Returns who has
    lost it. Raises TournamentError "drawn".
    """
    lock_tournament(tournament)
    refuse_after_draw(tournament)
    lines = [each for each in registration_lines(tournament) if each.registration.pk in seen]
    dropped = [each for each in lines if each.entry is not None and each.registration.checked_in_at is None]
    for line in dropped:
        registration = line.registration
        before = {"player": registration.player.name, "place": "entered"}
        registration.state, registration.reason = Registration.State.REFUSED, reason
        registration.save(update_fields=["state", "reason"])
        write_history(tournament, registration, changed(before, before | {"place": "no_show"}, reason), by)
        if line.own_entry is not None:
            line.own_entry.delete()
    fill_places(tournament, by)
    return [line.registration for line in dropped]
