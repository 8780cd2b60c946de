"""Registrations that wait for somebody to agree, for the organisers' inbox, which knows nothing of tournaments."""

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import get_language, ngettext

from league.models import League
from league.selectors.inbox import WaitingLine, WaitingLines, register_waiting
from tournaments.models import Registration, Tournament


def register() -> None:
    register_waiting(waiting_registrations)


def waiting_registrations(league: League, most: int) -> WaitingLines:
    asking = Tournament.objects.filter(
        league=league, state=Tournament.State.PREPARING, registrations__state=Registration.State.ASKED
    )
    count = asking.distinct().count()
    found = asking.annotate(asked=Count("registrations")).order_by("pk")[:most] if count else ()
    return WaitingLines(tuple(_line(league, each, each.asked) for each in found), count)


def _line(league: League, tournament: Tournament, asked: int) -> WaitingLine:
    said = ngettext("%(counter)s registration waits for approval", "%(counter)s registrations wait for approval", asked)
    name = tournament.name if get_language() == "ja" else tournament.name_en or tournament.name
    address = reverse("tournaments:registrations", args=[league.slug, tournament.key])
    return WaitingLine(said % {"counter": asked}, name, address)
