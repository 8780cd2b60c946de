"""What players are entered for: told to their own pages, which know nothing of tournaments."""

from collections.abc import Sequence

from django.db.models import Prefetch
from django.urls import reverse
from django.utils.translation import get_language

from accounts.selectors.engagements import Engagement, tellers
from league.models import Player
from tournaments.models import Decision, Entry, Tournament


def register() -> None:
    """Let people's own pages tell of tournaments."""
    if running_entries not in tellers:
        tellers.append(running_entries)


def running_entries(players: Sequence[Player]) -> list[Engagement]:
    """Return the tournaments that are not over in which these players are and stayed, the latest first. Two queries."""
    withdrawals = Decision.objects.valid().filter(kind=Decision.Kind.WITHDRAWN)
    entries = Entry.objects.filter(player__in=players).exclude(tournament__state=Tournament.State.FINISHED)
    entries = entries.select_related("tournament__league").order_by("-tournament", "number")
    known = entries.prefetch_related(Prefetch("tournament__decisions", queryset=withdrawals, to_attr="withdrawals"))
    return [_told(entry.tournament) for entry in known if not _has_withdrawn(entry)]


def _has_withdrawn(entry: Entry) -> bool:
    decisions: list[Decision] = getattr(entry.tournament, "withdrawals", [])
    return any(entry.pk in decision.body.get("entries", ()) for decision in decisions)


def _told(tournament: Tournament) -> Engagement:
    return Engagement(
        league=tournament.league,
        name=tournament.name if get_language() == "ja" else tournament.name_en or tournament.name,
        state=str(tournament.get_state_display()),
        address=reverse("tournaments:tournament", args=[tournament.league.slug, tournament.key]),
    )
