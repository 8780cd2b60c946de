"""The areas that need a database: it is loaded once, checked, then each area has its turn."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from django.utils import timezone

from bench import boards_bench, browser_bench, entry_bench, pages_bench, ratings_bench, weight_bench, work_bench
from bench.audit import wrong_hanchan, wrong_lines
from bench.loading import load
from bench.product import load_tournaments
from bench.race import Row, Spent, count, row_of, spent
from bench.seasons import Season, crowd, steady, weekend
from bench.sizes import Size
from bench.visiting import one_process
from league.models import Hanchan, League

IN_LAST_MONTH = 200
"""Hanchan that all steady leagues have in common."""

SAMPLE = 60


@dataclass
class Loaded:
    """The leagues of a run: many of all sizes, some that differ in nothing but their age, some for their pages."""

    crowd: list[League]
    steady: dict[int, League]
    wide: dict[int, League]
    weekend: League
    day: date
    spent: Spent

    @property
    def leagues(self) -> list[League]:
        """All of them."""
        return [*self.crowd, *self.steady.values(), *self.wide.values(), self.weekend]


def loaded(size: Size, *, has_crowd: bool = True) -> Loaded:
    """Return what was loaded, boards not yet worked out. The last evening of all leagues is today's."""
    day = timezone.localdate()
    month = min(IN_LAST_MONTH, min(size.steady) // 2)
    grown = [steady(hanchan, day, players=size.players, in_last_month=month) for hanchan in size.steady]
    wide = [_wide(players, day) for players in (50, 200)]
    many = crowd(size.crowd, size.leagues, day) if has_crowd else []
    seasons = [*many, *grown, *wide, weekend(day)]
    leagues: list[League] = []
    took = spent(lambda: leagues.extend(load(seasons)))
    others = leagues[len(many) :]
    of_age = dict(zip(size.steady, others, strict=False))
    return Loaded(
        leagues[: len(many)], of_age, dict(zip((50, 200), others[len(of_age) :], strict=False)), leagues[-1], day, took
    )


def _wide(players: int, day: date) -> Season:
    """Return a league in whose last month this many players are on the board."""
    season = steady(players * 8, day, players=players, in_last_month=players * 4)
    return replace(season, slug=f"rows-{players}")


def measured_with_database(size: Size, areas: Iterable[str]) -> Iterator[Row]:
    """Yield the rows of these areas."""
    if "pages" in areas:
        load_tournaments()
    facts = loaded(size, has_crowd=bool(set(areas) - {"growth"}))
    yield _loading(facts)
    rebuilt = list(boards_bench.rebuilt(facts.leagues))
    yield from rebuilt if facts.crowd else ()
    yield from _checked(facts)
    for area, rows in ROWS_OF.items():
        if area in areas:
            yield from rows(facts, size)


def _loading(facts: Loaded) -> Row:
    hanchan = Hanchan.objects.count()
    name = f"loading {hanchan:,} hanchan by COPY / 1 ms of each"
    return row_of(name, [facts.spent], [Spent(hanchan / 1_000, 0)], goal=None)


def _pages(facts: Loaded, size: Size) -> Iterator[Row]:
    return pages_bench.rows(facts.wide, facts.weekend, size.rounds)


def _growth(facts: Loaded, size: Size) -> Iterator[Row]:
    with one_process():
        yield from boards_bench.growing(facts.steady, facts.day, size.rounds)
        yield from pages_bench.growing(facts.steady, size.rounds)


def _weight(facts: Loaded, _size: Size) -> Iterator[Row]:
    return weight_bench.rows(facts.wide[50])


def _browser(facts: Loaded, size: Size) -> Iterator[Row]:
    return browser_bench.rows(facts.wide[50], size.rounds)


def _entry(facts: Loaded, size: Size) -> Iterator[Row]:
    return entry_bench.rows(facts.crowd, each=size.posts, rounds=min(3, size.rounds))


def _boards(facts: Loaded, size: Size) -> Iterator[Row]:
    return boards_bench.rows(facts.steady, facts.day, size.rounds)


def _work(facts: Loaded, size: Size) -> Iterator[Row]:
    return work_bench.rows(facts.steady, size.long)


def _stats(facts: Loaded, _size: Size) -> Iterator[Row]:
    return ratings_bench.rows(facts.steady, facts.day)


ROWS_OF: dict[str, Callable[[Loaded, Size], Iterator[Row]]] = {
    "pages": _pages,
    "growth": _growth,
    "weight": _weight,
    "browser": _browser,
    "entry": _entry,
    "boards": _boards,
    "work": _work,
    "stats": _stats,
}
"""The areas in their order."""


def counted_with_database(size: Size) -> Iterator[Row]:
    """Yield what is counted."""
    load_tournaments()
    facts = loaded(size)
    for _row in boards_bench.rebuilt(facts.leagues):
        pass
    yield from _checked(facts)
    yield from pages_bench.counts(facts.wide, facts.weekend)
    yield from pages_bench.counted_growth(facts.steady, facts.day)
    yield from weight_bench.rows(facts.wide[50])
    yield from work_bench.counts(size.long)


def _checked(facts: Loaded) -> Iterator[Row]:
    """Yield whether what was loaded is what Tenbo would have made of it."""
    some = facts.leagues[-8:]
    wrong = sum(wrong_lines(league, facts.day) for league in facts.leagues)
    yield count("loaded: lines of boards that differ from scratch", wrong, goal=0)
    wrong = sum(wrong_hanchan(league, SAMPLE) for league in some)
    yield count("loaded: hanchan that scoring anew would change", wrong, goal=0)
