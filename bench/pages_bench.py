"""P7 and P8: every public page against an empty answer through the same middleware, and how it grows with a league's age."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial

from django.core.cache import cache

from bench.boards_bench import FLAT, Table
from bench.pins import GROWTH
from bench.product import a_tournament, bring_up_to_date, keep_careers
from bench.profiles import grown
from bench.race import Row, Spent, Work, count, enough, explained, growth, row_of, spent
from bench.visiting import Answer, cpu, get, page, rows_touched, statements
from league.models import Hanchan, League, Session

EMPTY = "/bench/empty"
GOALS = {50: 25, 200: 60}
QUERIES = (12, 4, 1)
"""First view, from the cache, unchanged."""

STATEMENTS = 3
"""So many are named where a count is missed."""

SHOWN = 160
"""Letters of them."""

AT_ONCE, EMPTY_AT_ONCE = 5, 25
"""Answers that come within a millisecond are timed several at a time: a neighbour's turn lasts longer than they do."""


def addresses(league: League) -> dict[str, str]:
    """Return the public pages of a league by name."""
    last = Hanchan.objects.filter(league=league).order_by("-played_at", "-pk")[0]
    day, start = last.day, f"/l/{league.slug}/"
    player = last.seats.order_by("seat")[0].player_id
    session = Session.objects.filter(league=league, hanchan__isnull=False).order_by("-date", "-pk")[0]
    return {
        "league home": start,
        "board of a month": f"{start}standings/{day:%Y-%m}/",
        "board of a year": f"{start}standings/{day:%Y}/",
        "board of all time": f"{start}standings/all/",
        "board of a range": f"{start}standings/{day.year - 1}-03-05..{day}/",
        "players": f"{start}players/",
        "player": f"{start}p/{player}/",
        "sessions": f"{start}sessions/",
        "session": f"{start}sessions/{session.pk}/",
        "hanchan": f"{start}g/{last.pk}/",
        "rules": f"{start}rules/",
    }


def _of_equal_work(league: League) -> dict[str, str]:
    """Return the public pages of a steady league that show as much in one that is older.

    The range begins with a whole month: single days of an earlier month hold more in an older league, and are summed.
    """
    pages = addresses(league)
    return pages | {"board of a range": pages["board of a range"].replace("-03-05..", "-03-01..")}


def elsewhere() -> dict[str, str]:
    """Return the public pages that no invented season has: of the site, and of a tournament."""
    return {"home": "/", "glossary": "/glossary/", **a_tournament()}


def rows(wide: dict[int, League], weekend: League, rounds: int) -> Iterator[Row]:
    """Yield what each page costs at first, from the cache, and unchanged."""
    for size, league in wide.items():
        for name, address in addresses(league).items():
            yield from _page_rows(f"P7 {name}, {size} rows", address, GOALS[size], rounds)
    for name, address in elsewhere().items():
        yield from _page_rows(f"P7 {name}", address, GOALS[50], rounds)
    event = addresses(weekend)["session"]
    yield from _page_rows("P8 session of 320 hanchan, 128 players", event, 40, rounds)
    yield from counts(wide, weekend)


def _page_rows(name: str, address: str, first_goal: float, rounds: int) -> Iterator[Row]:
    tag = page(address).headers.get("etag", "")

    def first_view() -> None:
        cache.clear()
        page(address)

    def unchanged() -> Answer:
        return get(address, HTTP_IF_NONE_MATCH=tag)

    works: dict[str, tuple[Work, int]] = {
        "first view": (first_view, 1),
        "cached": (partial(page, address), AT_ONCE),
        "unchanged": (unchanged, AT_ONCE),
    }
    goals = {"first view": first_goal, "cached": 5, "unchanged": 3}
    for view, (work, times) in works.items():
        first = spent(work).wall
        mine: list[Spent] = []
        least: list[Spent] = []
        for _ in range(enough(rounds, first * times)):
            least.append(_mean(spent(partial(_again, partial(page, EMPTY), EMPTY_AT_ONCE)), EMPTY_AT_ONCE))
            mine.append(_mean(spent(partial(_again, work, times)), times))
        yield explained(row_of(f"{name}: {view}", mine, least, goal=goals[view]), work)


def _again(work: Work, times: int) -> None:
    for _ in range(times):
        work()


def _mean(total: Spent, times: int) -> Spent:
    return Spent(total.wall / times, total.cpu / times)


def counts(wide: dict[int, League], weekend: League) -> Iterator[Row]:
    """Yield how many queries each page asks, as first view / from the cache / unchanged, and what is too many."""
    bytes_ = len(page(addresses(weekend)["session"]).body)
    yield count("P8 session of 320 hanchan, 128 players: bytes", bytes_, goal=300_000)
    pages = {f"{name}, {size} rows": at for size, league in wide.items() for name, at in addresses(league).items()}
    pages |= elsewhere() | {"session of 320 hanchan": addresses(weekend)["session"]}
    for name, address in pages.items():
        tag = page(address).headers.get("etag", "")
        cache.clear()
        again = partial(get, address, HTTP_IF_NONE_MATCH=tag)
        asked = [statements(work) for work in (partial(page, address), partial(page, address), again)]
        over = [each for each, most in zip(asked, QUERIES, strict=True) if len(each) > most]
        too_many = sum(max(0, len(each) - most) for each, most in zip(asked, QUERIES, strict=True))
        told = " / ".join(str(len(each)) for each in asked) + ("" if again().status == 304 else " (never unchanged)")
        row = count(f"P7 queries of {name}: too many", too_many, goal=0, ours=told)
        yield replace(row, why=tuple(sql[:SHOWN] for each in over for sql in each))


def growing(steady: dict[int, League], rounds: int) -> Iterator[Row]:
    """Yield how the first view of each page grows with the age of its league."""
    pages = {size: _of_equal_work(league) for size, league in steady.items()}

    def first_view(address: str) -> None:
        cache.clear()
        page(address)

    for name in next(iter(pages.values())):
        works = {size: partial(first_view, pages[size][name]) for size in pages}
        yield grown(growth(f"P8 growth in CPU: {name}", works, goal=FLAT, rounds=rounds, clock=cpu), works)


def counted_growth(steady: dict[int, League], day: date) -> Iterator[Row]:
    """Yield how many rows the database touches for the same work in leagues of several ages: percent of the fewest."""
    tables = {size: Table(league, day) for size, league in steady.items()}
    for table in tables.values():
        table.enter()
        # What loading has left to be added up is not this hanchan's work.
        bring_up_to_date(table.league)
        keep_careers(table.league)
    yield _grown("record a hanchan", {size: rows_touched(table.enter) for size, table in tables.items()})
    refreshes = {size: rows_touched(partial(bring_up_to_date, table.league)) for size, table in tables.items()}
    yield _grown("refresh the boards", refreshes)
    follows = {size: rows_touched(partial(keep_careers, table.league)) for size, table in tables.items()}
    yield _grown("keep what stands out", follows)
    pages = {size: _of_equal_work(league) for size, league in steady.items()}
    for name in next(iter(pages.values())):
        touched = {}
        for size in pages:
            cache.clear()
            touched[size] = rows_touched(partial(page, pages[size][name]))
        yield _grown(name, touched)


def _grown(name: str, touched: dict[int, Counter[str]]) -> Row:
    least, *_, most = sorted(each.total() for each in touched.values())
    ours = " / ".join(f"{touched[size].total():,}" for size in sorted(touched))
    row = count(f"{GROWTH}: {name}", 100 * most // max(1, least), goal=150, ours=ours)
    return row if row.ok else replace(row, why=_grew_most(touched))


def _grew_most(touched: dict[int, Counter[str]]) -> tuple[str, ...]:
    """Return the statements that grew most from the youngest league to the oldest, with their rows."""
    young, old = touched[min(touched)], touched[max(touched)]
    grown = sorted(old | young, key=lambda sql: -abs(old[sql] - young[sql]))
    return tuple(f"{young[sql]:,} to {old[sql]:,} rows: {sql}" for sql in grown[:STATEMENTS] if old[sql] != young[sql])
