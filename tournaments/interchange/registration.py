"""Terms of registration and the queue: written to a file and read from it. Addresses are secret and stay behind."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone

from league.models import Player
from tournaments.interchange.schema import RegistrationDocument, RegistrationTermsDocument
from tournaments.models import Registration, RegistrationTerms, Tournament

Document = dict[str, Any]

TERMS = ("places", "audience", "needs_approval", "note")
MOMENTS = ("opens_at", "closes_at", "check_in_from", "check_in_until")


def registration_document(tournament: Tournament, zone: ZoneInfo) -> Document:
    """Return the terms with the queue, empty where people do not register by themselves. Two queries."""
    terms = RegistrationTerms.objects.filter(tournament=tournament).first()
    if terms is None:
        return {}
    rows = tournament.registrations.select_related("player").order_by("number", "pk")
    moments = {name: _moment(getattr(terms, name), zone) for name in MOMENTS}
    return _filled({name: getattr(terms, name) for name in TERMS} | moments) | {
        "queue": [_row(each, zone) for each in rows]
    }


def _row(registration: Registration, zone: ZoneInfo) -> Document:
    sparse = {
        "reason": registration.reason,
        "checked_in": _moment(registration.checked_in_at, zone),
        "brought": registration.brought_player,
    }
    known = {"player": registration.player.key, "state": registration.state}
    return known | {"at": _moment(registration.registered_at, zone)} | _filled(sparse)


def _moment(moment: datetime | None, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).isoformat() if moment else ""


def _filled(document: Document) -> Document:
    return {name: value for name, value in document.items() if value}


def store_registration(
    tournament: Tournament, document: RegistrationTermsDocument, players: Mapping[str, Player]
) -> None:
    """Store the terms and the queue of a file; its addresses are new."""
    written = document.model_dump(include={*TERMS, *MOMENTS})
    RegistrationTerms.objects.create(tournament=tournament, **written)
    now = timezone.now()
    Registration.objects.bulk_create(
        _registration(tournament, row, players[row.player], number, now) for number, row in enumerate(document.queue, 1)
    )


def _registration(
    tournament: Tournament, row: RegistrationDocument, player: Player, number: int, now: datetime
) -> Registration:
    return Registration(
        tournament=tournament,
        player=player,
        number=number,
        state=row.state,
        reason=row.reason,
        registered_at=row.at or now,
        checked_in_at=row.checked_in,
        brought_player=row.brought,
    )
