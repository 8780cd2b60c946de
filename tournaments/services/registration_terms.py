"""What organisers offer to those who want to play, and the codes in the addresses for it."""

import uuid
from dataclasses import dataclass, fields
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from league.selectors.link_keys import believed_keys
from league.services.history import Actor
from league.services.secret_addresses import worked_out
from tournaments.models import Registration, RegistrationTerms, Tournament
from tournaments.selectors.registrations import terms_of
from tournaments.services.events import (
    TournamentError,
    changed,
    created,
    lock_tournament,
    refuse_after_draw,
    write_history,
)
from tournaments.services.places import fill_places, note_entered

MAX_DIGITS = 18


@dataclass(frozen=True, slots=True)
class OfferedTerms:
    places: int
    audience: str
    needs_approval: bool = False
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    note: str = ""
    check_in_from: datetime | None = None
    check_in_until: datetime | None = None


NAMES = tuple(field.name for field in fields(OfferedTerms))


@transaction.atomic
def offer_registration(*, tournament: Tournament, offered: OfferedTerms, by: Actor) -> RegistrationTerms:
    """Let people register on these terms from now on; who has entered by then has a place already.

    Raises TournamentError "drawn".
    """
    lock_tournament(tournament)
    refuse_after_draw(tournament)
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
    """Open or close registration or check-in by hand: set one of its moments. Raises TournamentError "drawn"."""
    lock_tournament(tournament)
    refuse_after_draw(tournament)
    terms = terms_of(tournament)
    if terms is None:
        raise TournamentError("registration_closed")
    before = snapshot_of(terms)
    setattr(terms, name, at)
    _forget_past_end(terms, name)
    terms.save()
    write_history(tournament, terms, changed(before, snapshot_of(terms)), by)


def _forget_past_end(terms: RegistrationTerms, name: str) -> None:
    """Let what is opened by hand be open, whatever end was written before."""
    end = {"opens_at": "closes_at", "check_in_from": "check_in_until"}.get(name, "")
    past: datetime | None = getattr(terms, end) if end else None
    if past is not None and past <= timezone.now():
        setattr(terms, end, None)


def snapshot_of(terms: RegistrationTerms) -> dict[str, object]:
    values = {name: getattr(terms, name) for name in NAMES}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


@transaction.atomic
def renew_addresses(*, tournament: Tournament, by: Actor) -> None:
    """Give the addresses for everybody and for the door new codes; the ones before open nothing from now on."""
    lock_tournament(tournament)
    terms = terms_of(tournament)
    if terms is not None:
        terms.nonce, terms.door_nonce = uuid.uuid4(), uuid.uuid4()
        terms.save(update_fields=["nonce", "door_nonce"])
        write_history(tournament, terms, changed(None, {"addresses": "renewed"}), by)


# --- Codes -----------------------------------------------------------------------------------------------------------


def public_code(terms: RegistrationTerms) -> str:
    """Return what stands in the address by which anybody registers."""
    return _code("registration-link", terms.pk, terms.nonce)


def door_code(terms: RegistrationTerms) -> str:
    """Return what stands in the address by which people check in at the door."""
    return _code("registration-door", terms.pk, terms.door_nonce)


def own_code(registration: Registration) -> str:
    return _code("registration", registration.pk, registration.nonce)


def terms_for(code: str, *, door: bool) -> RegistrationTerms | None:
    """Return what the address for everybody, or that at the door, opens; None for a code that opens nothing."""
    kind, nonce = ("registration-door", "door_nonce") if door else ("registration-link", "nonce")
    found = RegistrationTerms.objects.select_related("tournament__league").filter(pk=_number_in(code)).first()
    return found if found is not None and _opens(code, kind, found.pk, getattr(found, nonce)) else None


def registration_for(code: str) -> Registration | None:
    """Return the registration whose own address has this code; None for a code that opens nothing."""
    rows = Registration.objects.select_related("player", "tournament__league")
    found = rows.filter(pk=_number_in(code)).first()
    return found if found is not None and _opens(code, "registration", found.pk, found.nonce) else None


def _number_in(code: str) -> int:
    number = code.partition("-")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS else 0


def _opens(code: str, kind: str, pk: int, nonce: uuid.UUID) -> bool:
    codes = [_code(kind, pk, nonce, key) for key in believed_keys()]
    return any(constant_time_compare(each, code) for each in codes)


def _code(kind: str, pk: int, nonce: uuid.UUID, key: str = "") -> str:
    """Return the number of a row and 128 bits that only this site can work out."""
    return f"{pk}-{worked_out(f'tenbo.{kind}', nonce, key or settings.SECRET_KEY, pk)}"
