from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from league.models import League, Player, Session
from league.permissions import Person
from league.selectors.people import current_player
from tournaments.core.calendar import Phase, phase_of
from tournaments.models import Entry, Registration, RegistrationTerms, Tournament

MERGES = "player__merged_into__merged_into"


@dataclass(frozen=True, slots=True)
class RegistrationLine:
    """A registration in the queue. `is_twice`: a merged player has another active registration."""

    registration: Registration
    entry: Entry | None = None
    position: int = 0
    is_twice: bool = False

    @property
    def own_entry(self) -> Entry | None:
        is_own = self.entry is not None and self.entry.player_id == self.registration.player_id
        return self.entry if is_own or not self.is_twice else None

    @property
    def is_waiting(self) -> bool:
        return self.position > 0

    @property
    def place(self) -> str:
        if self.entry is not None:
            return "entered"
        return "waiting" if self.position else str(self.registration.state)


def place_told(line: RegistrationLine) -> tuple[str, str]:
    """Return what has come of a registration, as a title and a sentence."""
    reason, state = line.registration.reason, Registration.State
    return {
        "entered": (_("You have a spot"), _("You have a spot in this tournament.")),
        "waiting": (
            _("Waiting list: number %(position)s") % {"position": line.position},
            _("If a spot becomes free, the first person on the list gets it. This page will show it."),
        ),
        state.ASKED: (_("Waiting for an organiser's approval"), _("Check this page again later.")),
        state.WITHDRAWN: (_("You have withdrawn"), _("Your spot is now free for someone else.")),
        state.REFUSED: (_("You have no spot"), _("Message from the organisers: %(reason)s") % {"reason": reason}),
    }[line.place]


def terms_of(tournament: Tournament) -> RegistrationTerms | None:
    return RegistrationTerms.objects.filter(tournament=tournament).first()


def registration_lines(tournament: Tournament) -> list[RegistrationLine]:
    return lines_of_tournaments([tournament])[tournament.pk]


def lines_of_tournaments(tournaments: Collection[Tournament]) -> dict[int, list[RegistrationLine]]:
    registrations: dict[int, list[Registration]] = {tournament.pk: [] for tournament in tournaments}
    entries: dict[int, list[Entry]] = defaultdict(list)
    if registrations:
        rows = Registration.objects.filter(tournament__in=registrations).select_related(MERGES)
        for each in rows.order_by("number", "pk"):
            registrations[each.tournament_id].append(each)
        entered = Entry.objects.filter(tournament__in=registrations, is_substitute=False).select_related(MERGES)
        for entry in entered.order_by("number"):
            entries[entry.tournament_id].append(entry)
    return {pk: _lines(queue, entries[pk]) for pk, queue in registrations.items()}


def _lines(registrations: Sequence[Registration], entries: Sequence[Entry]) -> list[RegistrationLine]:
    by_person = {person_of(entry.player): entry for entry in reversed(entries)}
    by_player = {entry.player_id: entry for entry in entries}
    standing = [each for each in registrations if each.state == Registration.State.STANDING]
    people = Counter(person_of(each.player) for each in standing)
    lines, waiting = [], 0
    for each in registrations:
        stands = each.state == Registration.State.STANDING
        entry = by_player.get(each.player_id) or by_person.get(person_of(each.player)) if stands else None
        waiting += stands and entry is None
        position = waiting if stands and entry is None else 0
        lines.append(RegistrationLine(each, entry, position, stands and people[person_of(each.player)] > 1))
    return lines


@dataclass(frozen=True, slots=True)
class RegistrationOffer:
    terms: RegistrationTerms
    entered: int
    waiting: int
    phase: Phase
    check_in: Phase
    is_preparing: bool
    first: Session | None

    @property
    def left(self) -> int:
        return max(0, self.terms.places - self.entered)

    @property
    def is_open(self) -> bool:
        return self.is_preparing and self.phase is Phase.OPEN

    @property
    def takes_check_in(self) -> bool:
        return self.is_preparing and self.check_in is Phase.OPEN


def registration_offer(tournament: Tournament, now: datetime | None = None) -> RegistrationOffer | None:
    """Return the registration offer at `now`, by default the current time.

    A page that is cached for a day passes the beginning of that day.
    """
    terms = terms_of(tournament)
    if terms is None:
        return None
    moment = now or timezone.now()
    return RegistrationOffer(
        terms=terms,
        entered=tournament.entries.filter(is_substitute=False).count(),
        waiting=sum(each.is_waiting for each in registration_lines(tournament)),
        phase=phase_of(terms.opens_at, terms.closes_at, moment),
        check_in=check_in_phase(terms, moment),
        is_preparing=tournament.state == Tournament.State.PREPARING,
        first=Session.objects.kept().filter(stage__tournament=tournament).order_by("date", "start_time", "pk").first(),
    )


def check_in_phase(terms: RegistrationTerms, now: datetime) -> Phase:
    return phase_of(terms.check_in_from, terms.check_in_until, now) if terms.check_in_from else Phase.SOON


def player_of(user: Person, league: League) -> Player | None:
    return league.players.active().filter(user=user.pk).first() if user.is_authenticated else None


def line_of(lines: Sequence[RegistrationLine], registration: Registration) -> RegistrationLine:
    return next(each for each in lines if each.registration.pk == registration.pk)


def registration_of(tournament: Tournament, player: Player) -> Registration | None:
    person = person_of(player)
    found = [each for each in tournament.registrations.select_related(MERGES) if person_of(each.player) == person]
    stands = Registration.State.STANDING
    return min(found, key=lambda each: (each.player_id != player.pk, each.state != stands), default=None)


def person_of(player: Player) -> int:
    return current_player(player).pk
