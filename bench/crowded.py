"""What the size of the whole database costs one league in it: the same work beside a million hanchan and beside ten.

`python -m bench.crowded [TIMES]`: half an hour and 20 GB for ten. The later ones are copies of the first million on other
days, made by the database; only the league that is looked at has boards.
"""

import statistics
import sys
from collections.abc import Callable, Mapping
from datetime import date

from bench.servers import database

CROWD, LEAGUES = 1_000_000, 1_000
STEADY = 5_000
ROUNDS = 40
FLAT = 1.3
"""So much more may the same work cost at the larger size: docs/sizing.md says that nothing grows with the site."""

EARLIER = 180
"""Days by which each copy is older than the last."""


def main(arguments: list[str]) -> None:
    """Load, measure, load more, measure again, and print the ratios."""
    times = int(arguments[0]) if arguments else 10
    with database():
        from bench.loading import load  # noqa: PLC0415 - needs Django
        from bench.seasons import crowd, steady  # noqa: PLC0415

        day = date.today()  # noqa: DTZ011 - of this machine
        seasons = [steady(STEADY, day, players=40, in_last_month=200), *crowd(CROWD, LEAGUES, day)]
        league = load(seasons)[0]
        works = _works(league, day)
        small = _measured(works)
        _multiply(times)
        large = _measured(works)
    print(
        f"{CROWD:,} hanchan of {LEAGUES:,} leagues, and {times} times as many; CPU of the process and its database, in /healthz:"
    )
    for name, before in small.items():
        ratios = [_at(large[name], part) / _at(before, part) for part in (50, 95)]
        print(
            f"{name}: median {ratios[0]:.2f}, 95 of 100 {ratios[1]:.2f}{'' if max(ratios) <= FLAT else '  MORE THAN ' + str(FLAT)}"
        )


def _at(seconds: list[float], percent: int) -> float:
    return statistics.quantiles(seconds, n=100)[percent - 1]


Work = Callable[[], object]

LEAST = "/healthz"


def _nothing() -> None:
    """Prepare nothing."""


def _works(league: object, day: date) -> Mapping[str, tuple[Work, Work]]:
    """Return what is done at both sizes, by name: what goes before, unmeasured, and the work itself."""
    from django.core.cache import cache  # noqa: PLC0415

    from bench.boards_bench import Table  # noqa: PLC0415
    from bench.pages_bench import addresses  # noqa: PLC0415
    from bench.product import boards_of, bring_up_to_date, forget_month, keep_careers  # noqa: PLC0415
    from bench.visiting import page  # noqa: PLC0415
    from league.models import League  # noqa: PLC0415
    from league.tasks import sweep_stale_periods  # noqa: PLC0415

    assert isinstance(league, League)
    table = Table(league, day)
    table.enter()
    bring_up_to_date(league)
    keep_careers(league)
    pages = addresses(league)
    month = boards_of(league, day)[0]

    return {
        "record a hanchan": (_nothing, table.enter),
        "refresh its boards": (table.enter, lambda: bring_up_to_date(league)),
        "a month from nothing": (lambda: forget_month(league, month), lambda: bring_up_to_date(league)),
        "board of the month, first view": (cache.clear, lambda: page(pages["board of a month"])),
        "a player, first view": (cache.clear, lambda: page(pages["player"])),
        "a session, first view": (cache.clear, lambda: page(pages["session"])),
        "home, first view": (cache.clear, lambda: page("/")),
        "sweep": (_nothing, lambda: sweep_stale_periods.apply().get()),
    }


def _measured(works: Mapping[str, tuple[Work, Work]]) -> dict[str, list[float]]:
    """Return what each work costs in some rounds, all works in turn, after three that do not count.

    In what twenty answers of /healthz cost at that time: the machine has neighbours, who are others an hour later.
    """
    from bench.visiting import cpu, one_process, page  # noqa: PLC0415

    def least() -> None:
        for _ in range(20):
            page("/healthz")

    spent: dict[str, list[float]] = {name: [] for name in (LEAST, *works)}
    with one_process():
        for number in range(-3, ROUNDS):
            for name, (before, work) in {LEAST: (_nothing, least), **works}.items():
                before()
                begun = cpu()
                work()
                if number >= 0:
                    spent[name].append(cpu() - begun)
    unit = statistics.median(spent.pop(LEAST))
    return {name: [each / unit for each in costs] for name, costs in spent.items()}


def _multiply(times: int) -> None:
    """Have everything but the first league so many times, on earlier days."""
    from django.db import connection, transaction  # noqa: PLC0415

    from bench.loading import analyze  # noqa: PLC0415
    from league.models import Hanchan, Seat, Session  # noqa: PLC0415

    crowd = "league_id IN (SELECT id FROM league_league WHERE slug LIKE 'crowd-%%')"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        largest = {}
        for model in (Session, Hanchan, Seat):
            cursor.execute(f"SELECT max(id) FROM {model._meta.db_table} WHERE {crowd}")  # noqa: S608
            largest[model] = int(cursor.fetchone()[0])
            first = f"CREATE TEMP TABLE first_{model._meta.model_name} ON COMMIT DROP"
            cursor.execute(f"{first} AS SELECT * FROM {model._meta.db_table} WHERE {crowd}")  # noqa: S608
        for number in range(1, times):
            # Far from what is given to rows that come meanwhile.
            begins = number * 10**9
            for model in (Session, Hanchan, Seat):
                changed = {
                    "id": f"id + {begins}",
                    "session_id": f"session_id + {begins}",
                    "hanchan_id": f"hanchan_id + {begins}",
                    "key": f"key || '-{number}'",
                    "client_key": "gen_random_uuid()",
                    "number": f"number + {number * 100_000}",
                    **dict.fromkeys(("date", "day"), f"{{}} - {EARLIER * number}"),
                    **dict.fromkeys(("played_at", "recorded_at"), f"{{}} - interval '{EARLIER * number} days'"),
                }
                columns = [str(field.column) for field in model._meta.concrete_fields]
                said = ", ".join(changed.get(name, '"{}"').format(name) for name in columns)
                named = ", ".join(f'"{name}"' for name in columns)
                cursor.execute(
                    f"INSERT INTO {model._meta.db_table} ({named}) SELECT {said} FROM first_{model._meta.model_name}"  # noqa: S608
                )
            print(f"{number + 1} of {times}", file=sys.stderr, flush=True)
    connection.set_autocommit(True)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    analyze()


if __name__ == "__main__":
    main(sys.argv[1:])
