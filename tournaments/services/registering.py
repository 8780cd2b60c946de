"""Registration for a tournament: players register and withdraw; organisers approve, refuse, and order the queue."""

import uuid
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from league.models import Player
from league.services.history import Actor
from league.services.people import PlayerFacts, add_player, change_player
from tournaments.core.calendar import Phase, phase_of
from tournaments.models import Registration, RegistrationTerms, Tournament
from tournaments.selectors.registrations import check_in_phase, line_of, registration_lines, registration_of, terms_of
from tournaments.services.events import TournamentError, changed, created, lock_undrawn, needed, write_history
from tournaments.services.registration_terms import fill_places, locked_terms, next_number

State = Registration.State

MAX_BROUGHT = 200
"""Maximum number of new players per tournament through registration."""


def nonce_of(sent: str) -> uuid.UUID:
    """Return the nonce for a form's unique key; submitting it again returns the same registration."""
    return uuid.UUID(bytes=sha256(sent.encode("utf-8", "surrogatepass")).digest()[:16])


@transaction.atomic
def register_player(*, tournament: Tournament, player: Player, by: Actor) -> Registration:
    """Register a player.

    Raise TournamentError "drawn", "registration_closed", "registration_soon", "registration_refused".
    """
    terms = locked_terms(tournament)
    known = registration_of(tournament, player)
    if known is not None and known.state in {State.STANDING, State.ASKED}:
        return known
    _refuse_unless_open(terms)
    if known is not None and known.state == State.REFUSED:
        raise TournamentError("registration_refused")
    if known is None:
        return _store(tournament, terms, Registration(tournament=tournament, player=player), by)
    known.number, known.registered_at = next_number(tournament), timezone.now()
    _set_state(known, _first_state(terms), by, ("number", "registered_at"))
    fill_places(tournament, by)
    return known


@transaction.atomic
def register_newcomer(*, tournament: Tournament, facts: PlayerFacts, nonce: uuid.UUID, by: Actor) -> Registration:
    """Add a new player to the league and register them.

    Raise TournamentError as in `register_player`, and "registration_flood".
    """
    terms = locked_terms(tournament)
    known = tournament.registrations.filter(nonce=nonce).first()
    if known is not None:
        return known
    _refuse_unless_open(terms)
    if tournament.registrations.filter(brought_player=True).count() >= MAX_BROUGHT:
        raise TournamentError("registration_flood")
    player = add_player(league=tournament.league, facts=facts, by=by)
    new = Registration(tournament=tournament, player=player, brought_player=True, nonce=nonce)
    return _store(tournament, terms, new, by)


def _refuse_unless_open(terms: RegistrationTerms) -> None:
    phase = phase_of(terms.opens_at, terms.closes_at, timezone.now())
    if phase is not Phase.OPEN:
        raise TournamentError("registration_soon" if phase is Phase.SOON else "registration_closed")


def _first_state(terms: RegistrationTerms) -> str:
    return State.ASKED if terms.needs_approval else State.STANDING


def _store(tournament: Tournament, terms: RegistrationTerms, new: Registration, by: Actor) -> Registration:
    new.number, new.registered_at, new.state = next_number(tournament), timezone.now(), _first_state(terms)
    new.save(force_insert=True)
    entered = new in fill_places(tournament, by, new)
    place = "entered" if entered else "waiting" if new.state == State.STANDING else ""
    write_history(tournament, new, created(_snapshot(new) | ({"place": place} if place else {})), by)
    return new


def _snapshot(registration: Registration) -> dict[str, object]:
    return {"player": registration.player.name, "state": str(registration.state)}


def _set_state(registration: Registration, state: str, by: Actor, also: tuple[str, ...] = (), reason: str = "") -> None:
    before = _snapshot(registration)
    registration.state, registration.reason, registration.checked_in_at = state, reason, None
    registration.save(update_fields=["state", "reason", "checked_in_at", *also])
    write_history(registration.tournament, registration, changed(before, _snapshot(registration), reason), by)


@transaction.atomic
def withdraw_registration(*, registration: Registration, by: Actor) -> Registration:
    """Withdraw a registration. Raise TournamentError "drawn"."""
    return _leave(registration, State.WITHDRAWN, "", by)


@transaction.atomic
def refuse_registration(*, registration: Registration, reason: str, by: Actor) -> Registration:
    """Refuse a registration. Raise TournamentError "reason_missing"."""
    reason = needed(reason)
    return _leave(registration, State.REFUSED, reason, by)


def _leave(registration: Registration, state: str, reason: str, by: Actor) -> Registration:
    tournament = registration.tournament
    current = _locked(registration)
    if current.state == state:
        return current
    line = line_of(registration_lines(tournament), current)
    _set_state(current, state, by, reason=reason)
    if line.own_entry is not None:
        line.own_entry.delete()
    fill_places(tournament, by)
    return current


def _locked(registration: Registration) -> Registration:
    lock_undrawn(registration.tournament)
    registration.refresh_from_db(fields=["state", "number", "reason", "checked_in_at"])
    return registration


@transaction.atomic
def accept_registration(*, registration: Registration, by: Actor) -> Registration:
    current = _locked(registration)
    if current.state != State.STANDING:
        if current.state != State.ASKED:
            current.number = next_number(current.tournament)
        _set_state(current, State.STANDING, by, ("number",))
        fill_places(current.tournament, by)
    return current


@transaction.atomic
def move_registration(*, registration: Registration, up: bool, by: Actor) -> None:
    current = _locked(registration)
    waiting = [each.registration for each in registration_lines(current.tournament) if each.is_waiting]
    if current not in waiting:
        raise TournamentError("not_waiting", name=current.player.name)
    at = waiting.index(current)
    other = waiting[at - 1] if up and at else waiting[at + 1] if not up and at + 1 < len(waiting) else None
    if other is None:
        return
    current.number, other.number = other.number, current.number
    for each in (current, other):
        each.save(update_fields=["number"])
    position = {"player": current.player.name, "position": at + 1}
    moved = position | {"position": at if up else at + 2}
    write_history(current.tournament, current, changed(position, moved), by)


def may_be_renamed(registration: Registration) -> bool:
    """Return whether the player's name may still be changed through the registration.

    True if the registration added the player, who is still a guest and has been neither merged nor erased.
    """
    player = registration.player
    is_own = registration.brought_player and player.is_guest
    return is_own and player.merged_into_id is None and player.erased_at is None


@transaction.atomic
def rename_newcomer(*, registration: Registration, facts: PlayerFacts, by: Actor) -> None:
    """Rename the player added by a registration. Raise TournamentError "drawn", "not_yours"."""
    current = _locked(registration)
    if not may_be_renamed(current):
        raise TournamentError("not_yours")
    player = current.player
    kept = {name: getattr(player, name) for name in ("romanised", "number", "is_guest", "is_active")}
    aliases = tuple(player.aliases.values_list("name", flat=True))
    change_player(player=player, facts=replace(facts, **kept, aliases=aliases), by=by)


@transaction.atomic
def check_in(*, registration: Registration, by: Actor, director: bool = False) -> Registration:
    """Check a player in. Raise TournamentError "drawn", "check_in_closed", "not_registered"."""
    tournament = _locked(registration).tournament
    terms = terms_of(tournament)
    if not director and (terms is None or check_in_phase(terms, timezone.now()) is not Phase.OPEN):
        raise TournamentError("check_in_closed")
    if registration.state != Registration.State.STANDING:
        raise TournamentError("not_registered", name=registration.player.name)
    if registration.checked_in_at is None:
        _mark(registration, timezone.now(), by)
        fill_places(tournament, by)
    return registration


@transaction.atomic
def undo_check_in(*, registration: Registration, by: Actor) -> None:
    """Undo a player's check-in. Raise TournamentError "drawn"."""
    if _locked(registration).checked_in_at is not None:
        _mark(registration, None, by)


def _mark(registration: Registration, checked_in_at: datetime | None, by: Actor) -> None:
    registration.checked_in_at = checked_in_at
    registration.save(update_fields=["checked_in_at"])
    name, is_there = registration.player.name, checked_in_at is not None
    change = changed({"player": name, "is_there": not is_there}, {"player": name, "is_there": is_there})
    write_history(registration.tournament, registration, change, by)


@transaction.atomic
def drop_no_shows(*, tournament: Tournament, seen: Collection[int], reason: str, by: Actor) -> list[Registration]:
    """Remove players who have not checked in.

    `seen`: primary keys of the registrations shown to the director; players who have checked in since keep their
    places. Raise TournamentError "drawn".
    """
    lock_undrawn(tournament)
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
