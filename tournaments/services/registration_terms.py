"""Registration: terms, secret codes, and places."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from league.messages import plain_name
from league.models import Player
from league.selectors.link_keys import believed_keys
from league.selectors.people import current_player
from league.services.history import Actor
from league.services.secret_links import worked_out
from tournaments.models import Entry, Registration, RegistrationTerms, Tournament
from tournaments.selectors.registrations import person_of, registration_lines, registration_of, terms_of
from tournaments.services.events import TournamentError, changed, created, lock_tournament, lock_undrawn, write_history

MAX_DIGITS = 18


NAMES = ("places", "audience", "needs_approval", "opens_at", "closes_at", "note", "check_in_from", "check_in_until")


@transaction.atomic
def offer_registration(*, tournament: Tournament, offered: RegistrationTerms, by: Actor) -> RegistrationTerms:
    """Open registration or change its terms, as in the unsaved `offered`. Raise TournamentError "drawn"."""
    lock_undrawn(tournament)
    known = terms_of(tournament)
    terms = known or RegistrationTerms(tournament=tournament)
    before = snapshot_of(terms) if known else None
    for name in NAMES:
        setattr(terms, name, getattr(offered, name))
    terms.save()
    if known is None:
        entries = tournament.entries.filter(is_substitute=False).select_related("player").order_by("number")
        note_entered(tournament, [entry.player for entry in entries])
    if before != snapshot_of(terms):
        change = changed(before, snapshot_of(terms)) if known else created(snapshot_of(terms))
        write_history(tournament, terms, change, by)
    fill_places(tournament, by)
    return terms


@transaction.atomic
def change_moment(*, tournament: Tournament, name: str, at: datetime | None, by: Actor) -> None:
    """Change one of the times in the terms. Raise TournamentError "drawn", "registration_closed" without terms."""
    terms = locked_terms(tournament)
    before = snapshot_of(terms)
    setattr(terms, name, at)
    _forget_past_end(terms, name)
    terms.save()
    write_history(tournament, terms, changed(before, snapshot_of(terms)), by)


def locked_terms(tournament: Tournament) -> RegistrationTerms:
    lock_undrawn(tournament)
    terms = terms_of(tournament)
    if terms is None:
        raise TournamentError("registration_closed")
    return terms


def _forget_past_end(terms: RegistrationTerms, name: str) -> None:
    end = {"opens_at": "closes_at", "check_in_from": "check_in_until"}.get(name, "")
    past: datetime | None = getattr(terms, end) if end else None
    if past is not None and past <= timezone.now():
        setattr(terms, end, None)


def snapshot_of(terms: RegistrationTerms) -> dict[str, object]:
    values = {name: getattr(terms, name) for name in NAMES}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


@transaction.atomic
def renew_addresses(*, tournament: Tournament, by: Actor) -> None:
    lock_tournament(tournament)
    terms = terms_of(tournament)
    if terms is not None:
        terms.nonce, terms.door_nonce = uuid.uuid4(), uuid.uuid4()
        terms.save(update_fields=["nonce", "door_nonce"])
        write_history(tournament, terms, changed(None, {"addresses": "renewed"}), by)


def public_code(terms: RegistrationTerms) -> str:
    return _code("registration-link", terms.pk, terms.nonce)


def door_code(terms: RegistrationTerms) -> str:
    return _code("registration-door", terms.pk, terms.door_nonce)


def own_code(registration: Registration) -> str:
    return _code("registration", registration.pk, registration.nonce)


def terms_for(code: str, *, door: bool) -> RegistrationTerms | None:
    kind, nonce = ("registration-door", "door_nonce") if door else ("registration-link", "nonce")
    found = RegistrationTerms.objects.select_related("tournament__league").filter(pk=_number_in(code)).first()
    return found if found is not None and _opens(code, kind, found.pk, getattr(found, nonce)) else None


def registration_for(code: str) -> Registration | None:
    found = Registration.objects.select_related("player", "tournament__league").filter(pk=_number_in(code)).first()
    return found if found is not None and _opens(code, "registration", found.pk, found.nonce) else None


def _number_in(code: str) -> int:
    number = code.partition("-")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS else 0


def _opens(code: str, kind: str, pk: int, nonce: uuid.UUID) -> bool:
    codes = [_code(kind, pk, nonce, key) for key in believed_keys()]
    return any(constant_time_compare(each, code) for each in codes)


def _code(kind: str, pk: int, nonce: uuid.UUID, key: str = "") -> str:
    """Return a row's primary key with a 128-bit signature that only this site can compute."""
    return f"{pk}-{worked_out(f'tenbo.{kind}', nonce, key or settings.SECRET_KEY, pk)}"


def enter(tournament: Tournament, player: Player, *, is_substitute: bool) -> Entry:
    """Create an entry with the next number. Raise TournamentError "not_in_league"."""
    if player.league_id != tournament.league_id or player.merged_into_id is not None:
        raise TournamentError("not_in_league", name=plain_name(player))
    number = (tournament.entries.aggregate(highest=Max("number"))["highest"] or 0) + 1
    return Entry.objects.create(tournament=tournament, player=player, number=number, is_substitute=is_substitute)


def fill_places(tournament: Tournament, by: Actor, new: Registration | None = None) -> list[Registration]:
    """Give free places to players in queue order and return their registrations; empty once blocks are drawn.

    After check-in has begun, only players who are present move up. The `new` registration is reported separately.
    """
    terms = terms_of(tournament)
    if terms is None or tournament.state != Tournament.State.PREPARING:
        return []
    free = max(0, min(terms.places, tournament.format.entrants.most) - tournament.entries.count())
    waiting = [each.registration for each in registration_lines(tournament) if each.is_waiting] if free else []
    if terms.check_in_from is not None and terms.check_in_from <= timezone.now():
        waiting = [each for each in waiting if each.checked_in_at is not None]
    # Two registrations of a merged player take only one place.
    moved_up = list({person_of(each.player): each for each in reversed(waiting)}.values())[::-1][:free]
    for each in moved_up:
        enter(tournament, current_player(each.player), is_substitute=False)
        if each != new:
            write_history(tournament, each, changed(_at("waiting", each), _at("entered", each)), by)
    return moved_up


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
    registration = registration_of(tournament, player)
    if registration is not None:
        Registration.objects.filter(pk=registration.pk).update(state=Registration.State.WITHDRAWN, checked_in_at=None)
    fill_places(tournament, by)
