"""What players are entered and registered for: told to their own pages, which know nothing of tournaments."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import Prefetch, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.selectors.engagements import Engagement, tellers
from league.models import Player
from tournaments.core.registering import Phase
from tournaments.models import Decision, Entry, Registration, Tournament
from tournaments.selectors.registrations import RegistrationLine, check_in_phase, lines_of_tournaments, person_of

State = Registration.State


def register() -> None:
    if own_tournaments not in tellers:
        tellers.append(own_tournaments)


def own_tournaments(players: Sequence[Player]) -> list[Engagement]:
    """Return the tournaments that are not over in which these players are, or for which they registered, the latest first.

    Five queries, one where there are none.
    """
    people = {player.pk for player in players}
    found = _tournaments_of(people)
    preparing = Tournament.State.PREPARING
    lines = lines_of_tournaments([each for each in found if each.state == preparing and hasattr(each, "terms")])
    now, told = timezone.now(), []
    for tournament in found:
        line = _line_of_person(lines.get(tournament.pk, ()), people)
        if line is not None:
            told.append(_told_of(tournament, line, now))
        elif any(not _has_withdrawn(entry, tournament) for entry in getattr(tournament, "own_entries", [])):
            told.append(_told(tournament, str(tournament.get_state_display())))
    return told


def _tournaments_of(people: Collection[int]) -> list[Tournament]:
    """Return the tournaments with `own_entries` and `withdrawals`, the league and the terms. Three queries, one for none."""
    entries = Entry.objects.filter(player__in=people)
    registrations = Registration.objects.exclude(state=State.WITHDRAWN).filter(
        Q(player__in=people) | Q(player__merged_into__in=people) | Q(player__merged_into__merged_into__in=people)
    )
    mine = Q(pk__in=entries.values("tournament")) | Q(
        pk__in=registrations.values("tournament"), state=Tournament.State.PREPARING
    )
    withdrawals = Decision.objects.valid().filter(kind=Decision.Kind.WITHDRAWN)
    running = Tournament.objects.filter(mine).exclude(state=Tournament.State.FINISHED).order_by("-pk")
    return list(
        running.select_related("league", "terms").prefetch_related(
            Prefetch("entries", queryset=entries, to_attr="own_entries"),
            Prefetch("decisions", queryset=withdrawals, to_attr="withdrawals"),
        )
    )


def _has_withdrawn(entry: Entry, tournament: Tournament) -> bool:
    decisions: list[Decision] = getattr(tournament, "withdrawals", [])
    return any(entry.pk in decision.body.get("entries", ()) for decision in decisions)


def _told(tournament: Tournament, state: str, name: str = "tournaments:tournament", call: str = "") -> Engagement:
    return Engagement(
        league=tournament.league,
        name=tournament.name if get_language() == "ja" else tournament.name_en or tournament.name,
        state=state,
        address=reverse(name, args=[tournament.league.slug, tournament.key]),
        call=call,
    )


# --- Before the draw -------------------------------------------------------------------------------------------------


def _line_of_person(queue: Sequence[RegistrationLine], people: Collection[int]) -> RegistrationLine | None:
    """Return the line by which somebody plays or waits, where two names have become one person; None without one."""
    own = (each for each in queue if person_of(each.registration.player) in people and each.place != State.WITHDRAWN)
    return min(own, key=lambda each: each.registration.state != State.STANDING, default=None)


def _told_of(tournament: Tournament, line: RegistrationLine, now: datetime) -> Engagement:
    comes = line.place in {"entered", "waiting"}
    is_there = line.registration.checked_in_at is not None
    calls = comes and not is_there and check_in_phase(tournament.terms, now) is Phase.OPEN
    state = _("checked in") if comes and is_there and line.place == "entered" else _words(line)
    return _told(tournament, state, "tournaments:register", _("I am here: check in") if calls else "")


def _words(line: RegistrationLine) -> str:
    if line.place == "entered":
        return _("You have a place in this tournament.")
    if line.place == "waiting":
        return _("Waiting list: number %(position)s") % {"position": line.position}
    return _("An organiser has to agree") if line.place == State.ASKED else _("You have no place")
