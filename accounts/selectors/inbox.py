"""What people said of themselves and the organisers have not answered."""

from django.urls import reverse
from django.utils.translation import gettext

from accounts.models import Claim
from league.messages import plain_name
from league.models import League
from league.selectors.inbox import WaitingLine, WaitingLines, register_waiting


def register() -> None:
    register_waiting(waiting_claims)


def waiting_claims(league: League, most: int) -> WaitingLines:
    """Return the oldest claims that wait, at most so many, and how many there are. Two queries at most."""
    waiting = league.claims.filter(state=Claim.State.WAITING)
    count = waiting.count()
    found = waiting.select_related("player", "user").order_by("pk")[:most] if count else ()
    return WaitingLines(tuple(_line(league, claim) for claim in found), count)


def _line(league: League, claim: Claim) -> WaitingLine:
    text = gettext("Is %(user)s %(name)s?")
    names = {"user": claim.user.get_username(), "name": plain_name(claim.player)}
    return WaitingLine(text % names, claim.note, reverse("accounts:claim_answer", args=[league.slug, claim.pk]))
