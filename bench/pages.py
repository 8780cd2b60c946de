"""P5 to P7: public pages compared with plain Django views, their queries, and growth with a league's age."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client

from bench.product import Loaded, Table
from bench.race import Row, count, race, rows_touched, statements
from league.models import Hanchan, League, Session
from tournaments.models import StageSession

FLAT = 1.5
QUERIES = 12
READER = Client(SERVER_NAME="127.0.0.1")


def page(address: str, client: Client = READER, **headers: str) -> HttpResponse:
    answer = client.get(address, headers=headers)
    if answer.status_code not in (200, 304):
        message = f"{address} answered {answer.status_code}"
        raise RuntimeError(message)
    return answer  # type: ignore[return-value]


def first_view(address: str) -> HttpResponse:
    cache.clear()
    return page(address)


def addresses(league: League) -> dict[str, str]:
    last = Hanchan.objects.filter(league=league).order_by("-played_at", "-pk")[0]
    day, start = last.day, f"/l/{league.slug}/"
    session = Session.objects.filter(league=league, hanchan__isnull=False).order_by("-date", "-pk")[0]
    return {
        "league home": start,
        "board of a month": f"{start}standings/{day:%Y-%m}/",
        "board of a year": f"{start}standings/{day:%Y}/",
        "board of all time": f"{start}standings/all/",
        # Starts on the first of a month: single days of a past month are summed, and hold more in an older league.
        "board of a range": f"{start}standings/{day.year - 1}-03-01..{day}/",
        "players": f"{start}players/",
        "player": f"{start}p/{last.seats.order_by('seat')[0].player_id}/",
        "sessions": f"{start}sessions/",
        "session": f"{start}sessions/{session.pk}/",
        "hanchan": f"{start}g/{last.pk}/",
        "rules": f"{start}rules/",
    }


def a_tournament() -> tuple[int, dict[str, str]]:
    played = StageSession.objects.filter(session__hanchan__isnull=False).order_by("-pk").first()
    assert played is not None
    start = f"/l/{played.tournament.league.slug}/t/{played.tournament.key}/"
    pages = {"tournament": start, "stage": f"{start}stage/{played.stage}/", "projector": f"{start}wall/"}
    return played.tournament_id, pages


def rows(facts: Loaded, rounds: int) -> Iterator[Row]:
    number, tournament = a_tournament()
    wide = {size: addresses(league) for size, league in facts.wide.items()}
    last = wide[50]["player"].split("/")[-2]
    event = addresses(facts.weekend)["session"]
    beside = {
        f"board, {size} players": (pages["board of a month"], f"board/{facts.wide[size].pk}/{facts.day:%Y-%m}")
        for size, pages in wide.items()
    }
    beside |= {
        "player": (wide[50]["player"], f"player/{last}"),
        "session of 320 hanchan": (event, f"session/{event.split('/')[-2]}"),
        **{name: (address, f"totals/{number}") for name, address in tournament.items()},
    }
    empty = partial(page, "/bench/empty")
    for name, (address, plain) in beside.items():
        ours = partial(first_view, address)
        yield race(
            f"P5 {name}: first view / plain Django", ours, partial(page, f"/bench/{plain}"), goal=1.5, rounds=rounds
        )
        tag = page(address).headers.get("etag", "")
        again, unchanged = partial(page, address), partial(page, address, if_none_match=tag)
        yield race(f"P6 {name}: again / empty answer", again, empty, goal=6, rounds=rounds, times=5)
        yield race(f"P6 {name}: unchanged / empty answer", unchanged, empty, goal=3, rounds=rounds, times=5)
    for name, address in (("board", wide[50]["board of a month"]), ("projector", tournament["projector"])):
        poll = partial(page, f"{address}state/")
        yield race(f"P6 {name}: state poll / empty answer", poll, empty, goal=3, rounds=rounds, times=20)


def counts(facts: Loaded) -> Iterator[Row]:
    pages = {
        f"{name}, {size} rows": at for size, league in facts.wide.items() for name, at in addresses(league).items()
    }
    pages |= a_tournament()[1] | {"session of 320 hanchan": addresses(facts.weekend)["session"]}
    for name, address in {"home": "/", "glossary": "/glossary/", **pages}.items():
        asked = statements(partial(first_view, address))
        why = (sql[:160] for sql in asked) if len(asked) > QUERIES else ()
        yield count(f"P5 queries of {name}", len(asked), goal=QUERIES, why=why)
    tables = {size: Table(league, facts.day) for size, league in facts.steady.items()}
    for table in tables.values():
        table.enter()
        table.follow()
    yield _grown("record a hanchan", {size: rows_touched(table.enter) for size, table in tables.items()})
    yield _grown("refresh the boards", {size: rows_touched(table.refresh) for size, table in tables.items()})
    yield _grown("everything derived", {size: rows_touched(table.follow) for size, table in tables.items()})
    of_age = {size: addresses(league) for size, league in facts.steady.items()}
    for name in next(iter(of_age.values())):
        yield _grown(name, {size: rows_touched(partial(first_view, of_age[size][name])) for size in of_age})


def _grown(name: str, touched: dict[int, Counter[str]]) -> Row:
    young, old = touched[min(touched)], touched[max(touched)]
    totals = [touched[size].total() for size in sorted(touched)]
    grown = sorted(old | young, key=lambda sql: -abs(old[sql] - young[sql]))[:3]
    return count(
        f"P7 rows touched, growth in percent: {name}",
        100 * max(totals) // max(1, min(totals)),
        goal=100 * FLAT,
        ours=" / ".join(f"{total:,}" for total in totals),
        why=[f"{young[sql]:,} to {old[sql]:,} rows: {sql[:160]}" for sql in grown],
    )
