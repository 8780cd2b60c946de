"""P4 to P6: from a result to fresh boards, one month anew, everything anew; each against bare sums of the same seats."""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial

from django.db.models import Count

from bench.echo import echo
from bench.floors import bare_sums
from bench.loading import analyze
from bench.product import bring_up_to_date, enter, forget_month, is_fresh, keep_careers, open_today, rebuild
from bench.profiles import grown, most_memory, shared_out, shares
from bench.race import Row, Spent, Work, count, enough, growth, readable, row_of, spent
from bench.seasons import random_game
from bench.servers import worker
from bench.visiting import cpu
from league.core.periods import FIRST_DAY, LAST_DAY, month_of
from league.models import Hanchan, League, Player, Session

FLAT = 1.5
KILOBYTES = 64_000
"""What a rebuild may need more than before it began, however much there is."""


class Table:
    """One table of a league at which results come in, one a minute, on the league's last day."""

    def __init__(self, league: League, day: date, seed: int = 1) -> None:
        self.league, self.day = league, day
        self.session: Session = open_today(league, day)
        self.players = list(Player.objects.filter(league=league).order_by("pk")[:4])
        self.rules = self.session.ruleset_version.read()
        self.dice = random.Random(seed)
        self.moment = datetime.fromisoformat(f"{day}T11:00:00+00:00")

    def enter(self) -> None:
        """Record one more hanchan."""
        self.moment += timedelta(seconds=20)
        enter(self.session, self.players, random_game(self.dice, self.rules), self.moment)


def rows(steady: dict[int, League], day: date, rounds: int) -> Iterator[Row]:
    """Yield the timings of leagues of several ages with the same players and the same month."""
    tables = {size: Table(league, day) for size, league in steady.items()}
    yield from _fresh_boards(tables, rounds)
    yield from _one_month(tables[max(tables)], rounds)


def _fresh_boards(tables: dict[int, Table], rounds: int) -> Iterator[Row]:
    mine: dict[int, list[Spent]] = {size: [] for size in tables}
    least: dict[int, list[Spent]] = {size: [] for size in tables}
    echoes: list[float] = []
    with worker():
        echo()
        for round_ in range(rounds + 1):
            for size, table in tables.items():
                table.enter()
                ours = spent(partial(_wait_for, table.league))
                floor = spent(partial(_echo_and_select, table, echoes))
                if round_:
                    mine[size].append(ours)
                    least[size].append(floor)
    for size, table in tables.items():
        name = f"P4 fresh boards after a hanchan, league of {size:,} / echo + the bare month"
        row = row_of(name, mine[size], least[size], goal=3)
        yield row if row.ok else replace(row, why=_parted(row, table, statistics.median(echoes)))
    row = _grown("P4 ... growth with the league's age", mine)
    for table in () if row.ok else tables.values():
        table.enter()
    works = {size: partial(bring_up_to_date, table.league) for size, table in tables.items()}
    yield grown(row, works)
    for refresh in works.values():
        refresh()


def _parted(row: Row, table: Table, message: float) -> tuple[str, ...]:
    """Return what fresh boards are made of: the way of a message, and a refresh as this process does one by itself."""
    table.enter()
    profile: list[str] = []
    alone = spent(lambda: profile.extend(shares(partial(bring_up_to_date, table.league)))).wall
    parts = {"an empty message and back": message, "the refresh by itself": alone}
    parts["waiting for it"] = max(0.0, row.seconds - message - alone)
    told = ", ".join(f"{part / row.seconds:.0%} {what}" for what, part in parts.items())
    return (told, *(f"the refresh: {line}" for line in profile))


def _grown(name: str, times: dict[int, list[Spent]]) -> Row:
    medians = {size: statistics.median(one.wall for one in each) for size, each in sorted(times.items())}
    ours = " / ".join(readable(seconds) for seconds in medians.values())
    return Row(name, ours, "", max(medians.values()) / min(medians.values()), FLAT)


def _wait_for(league: League) -> None:
    deadline = time.monotonic() + 120
    while not is_fresh(league):
        if time.monotonic() > deadline:
            message = f"the boards of {league.slug} stay stale"
            raise RuntimeError(message)
        time.sleep(0.001)


def _echo_and_select(table: Table, echoes: list[float]) -> None:
    echoes.append(spent(echo).wall)
    month = month_of(table.day)
    bare_sums(table.league.pk, "month", month.start, month.end)


def _one_month(table: Table, rounds: int) -> Iterator[Row]:
    league, month = table.league, month_of(table.day)
    mine, least = [], []
    refresh = partial(bring_up_to_date, league)
    for _ in range(rounds):
        forget_month(league, month)
        mine.append(spent(refresh))
        least.append(spent(partial(bare_sums, league.pk, "month", month.start, month.end)))
    row = row_of("P5 refresh a month from nothing / the bare month", mine, least, goal=2.5)
    forget_month(league, month)
    yield shared_out(row, refresh)


def rebuilt(leagues: Sequence[League]) -> Iterator[Row]:
    """Work out all boards of these leagues for the first time, and yield what that took."""
    hanchan = Hanchan.objects.filter(league__in=leagues).count()
    times: list[Spent] = []
    memory = most_memory(lambda: times.append(spent(partial(_each, rebuild, leagues))))
    analyze()
    floor = spent(partial(_each, _select_all, leagues))
    name = f"P6 rebuild everything, {hanchan:,} hanchan in {len(leagues)} leagues / the bare sums, league by league"
    row = shared_out(row_of(name, times, [floor], goal=3), partial(rebuild, _largest(leagues)))
    # Months are kept of boards as they stand, and the profile has worked some out again.
    _each(keep_careers, leagues)
    yield row
    yield count("P6 ... kB of memory it needed", memory, goal=KILOBYTES)


def _largest(leagues: Sequence[League]) -> League:
    played = Hanchan.objects.filter(league__in=leagues).order_by().values_list("league").annotate(number=Count("pk"))
    sizes: dict[int, int] = dict(played)
    return max(leagues, key=lambda league: sizes.get(league.pk, 0))


def _each(work: Callable[[League], None], leagues: Sequence[League]) -> None:
    for league in leagues:
        work(league)


def _select_all(league: League) -> None:
    for kind in ("month", "year", "all"):
        bare_sums(league.pk, kind, FIRST_DAY, LAST_DAY)


def growing(steady: dict[int, League], day: date, rounds: int) -> Iterator[Row]:
    """Yield how entering, refreshing and rebuilding grow with the age of a league (P8)."""
    tables = {size: Table(league, day, seed=2) for size, league in steady.items()}
    entering = {size: table.enter for size, table in tables.items()}
    yield grown(growth("P8 growth in CPU: record a hanchan", entering, goal=FLAT, clock=cpu), entering)
    for table in tables.values():
        bring_up_to_date(table.league)

    def one_more(table: Table) -> None:
        table.enter()
        bring_up_to_date(table.league)

    works = {size: partial(one_more, table) for size, table in tables.items()}
    yield grown(growth("P8 growth in CPU: record and refresh", works, goal=FLAT, rounds=rounds, clock=cpu), works)
    low, high = sorted(steady)[-2:]
    each = {size: _quickest(partial(rebuild, steady[size])) / size for size in (low, high)}
    ours = f"{1000 * each[low]:.3f} / {1000 * each[high]:.3f} ms a hanchan"
    row = Row(f"P8 rebuild, {low:,} to {high:,} hanchan: linear", ours, "", each[high] / each[low], 1.3)
    yield grown(row, {size: partial(rebuild, steady[size]) for size in (low, high)})
    _each(keep_careers, list(steady.values()))


def _quickest(work: Work) -> float:
    first = spent(work).wall
    return min([first, *(spent(work).wall for _ in range(enough(2, first) - 1))])
