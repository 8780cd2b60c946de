"""A seating that is worked out on request and stored nowhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings

from tournaments.core.seating.certificate import Certificate, certificate
from tournaments.core.seating.problem import Round, Schedule, Wishes
from tournaments.core.seating.seat import seat

STANDARD_TABLE = 4


@dataclass(frozen=True, slots=True)
class GeneratedSeating:
    """A schedule with the names of its players, the wishes it was made for, and its certificate."""

    names: tuple[str, ...]
    schedule: Schedule
    certificate: Certificate
    wishes: Wishes = field(default_factory=Wishes)

    @property
    def rounds(self) -> list[list[list[str]]]:
        return [[[self.names[player] for player in table] for table in tables] for tables in self.schedule.rounds]

    @property
    def byes(self) -> list[list[str]]:
        return [[self.names[player] for player in players] for players in self.schedule.byes]

    @property
    def listed(self) -> list[tuple[list[list[str]], list[str]]]:
        return list(zip(self.rounds, self.byes, strict=True))

    @property
    def command(self) -> str:
        schedule = self.schedule
        size = "" if schedule.table_size == STANDARD_TABLE else f" --table-size {schedule.table_size}"
        # The file with everything has the wishes in the form that the command reads.
        given = [name for name in ("apart", "together", "groups", "history") if getattr(self.wishes, name)]
        wishes = "".join(f" --{name} {name}.json" for name in given)
        rounds = len(schedule.rounds)
        return f"python -m tournaments seat --players {schedule.players} --rounds {rounds}{size} --seed {schedule.seed}{wishes}"

    @property
    def unkept_wishes(self) -> list[tuple[str, str, int]]:
        """Two players who meet although they should not, and how often."""
        return [(self.names[one], self.names[other], times) for one, other, times in self.certificate.violations]

    @property
    def lines(self) -> list[tuple[str, list[int | None], list[int]]]:
        """Each player with the meetings with everybody else, and how often they sit on each wind."""
        everything: Sequence[Round] = (*self.wishes.history, *self.schedule.rounds)
        met = [[0] * len(self.names) for _ in self.names]
        winds = [[0] * self.schedule.table_size for _ in self.names]
        for tables in everything:
            for table in tables:
                for wind, player in enumerate(table):
                    winds[player][wind] += 1
                    for other in table:
                        met[player][other] += 1
        return [
            (name, [None if other == row else met[row][other] for other in range(len(met))], winds[row])
            for row, name in enumerate(self.names)
        ]


def generate_seating(
    names: Sequence[str], rounds: int, *, table_size: int, seed: int, wishes: Wishes
) -> GeneratedSeating:
    """Return a seating for these players. Raises SeatingError when the wishes cannot be kept."""
    most = settings.SEATING_PROPOSALS
    schedule = seat(len(names), rounds, table_size=table_size, seed=seed, wishes=wishes, proposals=most)
    return GeneratedSeating(tuple(names), schedule, certificate(schedule, wishes=wishes), wishes)
