"""`python -m bench.plans`: how PostgreSQL answers the hot statements on large data, and which indexes nobody asks.

What is explained is what Tenbo sends: every page, an entry and a refresh run once, their statements are run again under
EXPLAIN. docs/adr/0031 was decided by this.
"""

import argparse
import re
from collections.abc import Callable, Iterator
from functools import partial

from bench.servers import database
from bench.sizes import SIZES

SHOWN = 14
"""So many lines of a plan are looked at."""

UNASKED = """
    SELECT relname, indexrelname, pg_size_pretty(pg_relation_size(indexrelid)), idx_scan
    FROM pg_stat_user_indexes WHERE relname LIKE 'league_%' AND pg_relation_size(indexrelid) > 1000000
    ORDER BY idx_scan, pg_relation_size(indexrelid) DESC
"""


def main() -> None:
    """Load, run, explain and print."""
    parser = argparse.ArgumentParser(prog="bench.plans", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="million")
    parser.add_argument("--boards", type=int, default=6, help="of how many leagues the boards are worked out first")
    options = parser.parse_args()
    with database():
        for line in _told(options.size, options.boards):
            print(line, flush=True)


def _told(name: str, boards: int) -> Iterator[str]:
    from django.utils import timezone  # noqa: PLC0415

    from bench.boards_bench import Table  # noqa: PLC0415
    from bench.loading import analyze, load  # noqa: PLC0415
    from bench.pages_bench import addresses  # noqa: PLC0415
    from bench.product import bring_up_to_date, rebuild  # noqa: PLC0415
    from bench.race import readable, spent  # noqa: PLC0415
    from bench.seasons import crowd  # noqa: PLC0415
    from bench.visiting import page  # noqa: PLC0415
    from league.models import Hanchan  # noqa: PLC0415

    size, day = SIZES[name], timezone.localdate()
    leagues = load(crowd(size.crowd, size.leagues, day))
    by_size = sorted(leagues, key=lambda league: -Hanchan.objects.filter(league=league).count())
    for league in by_size[:boards]:
        yield f"boards of {league.slug}: {readable(spent(partial(rebuild, league)).wall)}"
    analyze()
    largest = by_size[0]
    yield f"{Hanchan.objects.count():,} hanchan, {largest.slug} has {Hanchan.objects.filter(league=largest).count():,}"
    _forget_scans()
    table = Table(largest, day)
    works: dict[str, Callable[[], object]] = {
        "record a hanchan": table.enter,
        "refresh": partial(bring_up_to_date, largest),
    }
    works |= {f"page: {name}": partial(page, address) for name, address in addresses(largest).items()}
    for what, work in works.items():
        yield f"\n=== {what}"
        yield from _explained(work)
    yield "\n=== indexes of more than a megabyte, least asked first"
    yield from _indexes()


def _forget_scans() -> None:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_reset()")


def _explained(work: Callable[[], object]) -> Iterator[str]:
    """Run the work once, then each of its reading statements again under EXPLAIN."""
    from django.core.cache import cache  # noqa: PLC0415
    from django.db import connection, transaction  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        work()
    for query in captured.captured_queries:
        sql = query["sql"].strip()
        if not sql.upper().startswith(("SELECT", "WITH")):
            continue
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("EXPLAIN (ANALYZE, BUFFERS) " + sql)
            plan = [row[0] for row in cursor.fetchall()]
            transaction.set_rollback(True)
        yield _head(plan, sql)
        yield from (f"    {line}" for line in plan[:SHOWN] if "Scan" in line or "Buffers" in line)


def _head(plan: list[str], sql: str) -> str:
    tables = sorted(set(re.findall(r'(?:FROM|JOIN|INTO|UPDATE) "?(league_\w+|tournaments_\w+)"?', sql)))
    return f"{plan[-1].strip()} | {', '.join(tables)} | {' '.join(sql.split())[-200:]}"


def _indexes() -> Iterator[str]:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(UNASKED)
        for table, index, size, scans in cursor.fetchall():
            yield f"{scans:>8} {size:>9}  {table}.{index}"


if __name__ == "__main__":
    main()
