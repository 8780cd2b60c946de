"""Who has a place in a tournament: entries, given out in the order of the queue while there are any.

Whoever calls has locked the tournament, so that a place that is free goes to one person.
"""

from collections.abc import Sequence

from django.db.models import Max
from django.utils import timezone

from league.messages import plain_name
from league.models import Player
from league.selectors.merging import current_player
from league.services.history import Actor
from tournaments.models import Entry, Registration, RegistrationTerms, Tournament
from tournaments.selectors.registrations import person_of, registration_lines, registration_of, terms_of
from tournaments.services.events import TournamentError, changed, write_history


def enter(tournament: Tournament, player: Player, *, is_substitute: bool) -> Entry:
    """Return the new entry of a player as the last who entered. Raises TournamentError "not_in_league"."""
    if player.league_id != tournament.league_id or player.merged_into_id is not None:
        raise TournamentError("not_in_league", name=plain_name(player))
    number = (tournament.entries.aggregate(highest=Max("number"))["highest"] or 0) + 1
    return Entry.objects.create(tournament=tournament, player=player, number=number, is_substitute=is_substitute)


def fill_places(tournament: Tournament, by: Actor, new: Registration | None = None) -> list[Registration]:
    """Give free places to those who wait, in their order, and return to whom; nothing once blocks are drawn.

    From the beginning of check-in on only those move up who are there. Of the `new` one its own line tells.
    """
    terms = terms_of(tournament)
    if terms is None or tournament.state != Tournament.State.PREPARING:
        return []
    places = min(terms.places, tournament.format.entrants.most)
    free = max(0, places - tournament.entries.count())
    waiting = [each.registration for each in registration_lines(tournament) if each.is_waiting] if free else []
    if _has_check_in_begun(terms):
        waiting = [each for each in waiting if each.checked_in_at is not None]
    # Two players who were merged are one person, and take one place.
    moved_up = list({person_of(each.player): each for each in reversed(waiting)}.values())[::-1][:free]
    for each in moved_up:
        enter(tournament, current_player(each.player), is_substitute=False)
        if each != new:
            write_history(tournament, each, changed(_at("waiting", each), _at("entered", each)), by)
    return moved_up


def _has_check_in_begun(terms: RegistrationTerms) -> bool:
    return terms.check_in_from is not None and terms.check_in_from <= timezone.now()


def _at(place: str, registration: Registration) -> dict[str, object]:
    return {"player": registration.player.name, "place": place}


def next_number(tournament: Tournament) -> int:
    return (tournament.registrations.aggregate(highest=Max("number"))["highest"] or 0) + 1


def note_entered(tournament: Tournament, players: Sequence[Player]) -> None:
    if terms_of(tournament) is None:
        return
    known = {each.player_id: each for each in tournament.registrations.filter(player__in=players)}
    number, now = next_number(tournament), timezone.now()
    for offset, player in enumerate(players):
        registration = known.get(player.pk)
        if registration is None:
            Registration.objects.create(tournament=tournament, player=player, number=number + offset, registered_at=now)
        elif registration.state != Registration.State.STANDING:
            registration.state, registration.reason = Registration.State.STANDING, ""
            registration.save(update_fields=["state", "reason"])


def note_taken_off(tournament: Tournament, player: Player, by: Actor) -> None:
    """Let somebody whom an organiser has taken off the list want to play no more; the first who waits moves up."""
    registration = registration_of(tournament, player)
    if registration is not None:
        Registration.objects.filter(pk=registration.pk).update(state=Registration.State.WITHDRAWN, checked_in_at=None)
    fill_places(tournament, by)
