"""Who is meant by the keys of players in a file: entries of a tournament, and people who played without having entered."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from league.interchange.problems import Step, refuse
from league.models import Player, Seat, SessionPoints
from league.selectors.merging import current_player
from tournaments.core.format import Format
from tournaments.interchange.reading import player_lists
from tournaments.interchange.schema import DecisionDocument, EntryDocument, TournamentDocument
from tournaments.models import Entry, Tournament

Path = tuple[Step, ...]
Players = Mapping[str, Player]


class EntryList:
    """The entries of a tournament that is being stored, by the keys of their players."""

    def __init__(self, tournament: Tournament, players: Players) -> None:
        self.tournament, self.players = tournament, players
        self.entries: dict[str, Entry] = {}

    def enter(self, entrant: EntryDocument) -> Entry:
        entry = Entry.objects.create(
            tournament=self.tournament,
            player=self.players[entrant.player],
            number=len(self.entries) + 1,
            seed=entrant.seed,
            is_substitute=entrant.substitute,
        )
        self.entries[entrant.player] = entry
        return entry

    def number_of(self, key: str, path: Path) -> int:
        """Return the primary key of an entry, or the negative one of a player who played without having entered."""
        player = current_player(self.players[key])
        if key in self.entries:
            return self.entries[key].pk
        if player.pk in self._by_player():
            return self._by_player()[player.pk]
        if player.pk in self._seen:
            return -player.pk
        raise refuse(path, 'has not entered the tournament; add it to its "entries" or correct it')

    def _by_player(self) -> dict[int, int]:
        return {current_player(self.players[key]).pk: entry.pk for key, entry in self.entries.items()}

    @cached_property
    def _seen(self) -> set[int]:
        sessions = list(self.tournament.sessions.values_list("session", flat=True))
        seats = Seat.objects.filter(hanchan__session__in=sessions).values_list("player", flat=True)
        points = SessionPoints.objects.filter(session__in=sessions).values_list("player", flat=True)
        return {*seats, *points}


def late_entrants(
    entry: TournamentDocument, format_: Format, players: Players, sessions: list[int]
) -> list[EntryDocument]:
    """Return who entered although the file does not list them: substitutes, and whom a short list leaves out.

    While fewer are listed than the format needs, everybody belongs to it who played in a stage that people enter, and
    everybody whom a decision names. `sessions`: those of such stages.
    """
    listed = {each.player for each in entry.entries}
    regular = sum(not each.substitute for each in entry.entries)
    found: dict[str, EntryDocument] = {}
    stand_ins = [key for decision in entry.decisions for key in decision.newcomers]
    if entry.is_under_way and regular < format_.entrants.least:
        for key in (*_played(sessions, players), *_named(entry.decisions)):
            if key not in listed and key not in stand_ins:
                found.setdefault(key, EntryDocument(player=key))
    for key in stand_ins:
        if key not in listed:
            found.setdefault(key, EntryDocument(player=key, substitute=True))
    return list(found.values())


def _named(decisions: tuple[DecisionDocument, ...]) -> Iterator[str]:
    for decision in decisions:
        for _, keys in player_lists(decision, ()):
            yield from keys


def _played(sessions: list[int], players: Players) -> Iterator[str]:
    keys = {player.pk: key for key, player in players.items()}
    seats = Seat.objects.filter(hanchan__session__in=sessions).order_by("played_at", "hanchan", "seat")
    points = SessionPoints.objects.filter(session__in=sessions).order_by("pk")
    for pk in (*seats.values_list("player", flat=True), *points.values_list("player", flat=True)):
        yield keys[pk]
