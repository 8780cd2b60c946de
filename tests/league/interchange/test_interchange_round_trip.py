import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.core.periods import ALL_TIME
from league.core.spelling import without_hidden
from league.interchange.reading import read_league
from league.interchange.storing import store_league
from league.interchange.writing import as_text, write_league
from league.models import Hanchan, League, Seat
from league.selectors.boards import in_board_order, live_lines
from league.services.history import SYSTEM
from tests.budget import budget
from tests.league.factories import make_league, make_session, play
from tests.scoring.test_house import EVERYTHING

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Document = dict[str, Any]

characters = st.characters(exclude_categories=("Cs", "Cc"))


def is_visible(text: str) -> bool:
    return bool(text.strip())


def names(most: int) -> st.SearchStrategy[str]:
    return st.text(characters, min_size=1, max_size=most).filter(is_visible)


def lines(most: int) -> st.SearchStrategy[str]:
    return st.text(characters, max_size=most)


paragraphs = st.text(st.one_of(characters, st.sampled_from("\n\t")), max_size=60)
keys = names(20)
zones = st.sampled_from(["Asia/Tokyo", "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Kathmandu"])
clocks = st.times().map(lambda clock: clock.replace(second=0, microsecond=0))
days = st.dates(date(1990, 1, 1), date(2060, 12, 31))
# Hypothesis requires naive bounds.
moments = st.datetimes(datetime(1990, 1, 2), datetime(2060, 12, 30), timezones=st.just(UTC))
UMAS: tuple[list[Any], ...] = ([10, 5, -5, -10], [20, 10, -10, -20], ["7.5", "2.5", "-2.5", "-7.5"], [0, 0, 0, 0])


@st.composite
def leagues(draw: st.DrawFn) -> Document:
    players = draw(people())
    rulesets = draw(st.lists(rule_systems(), min_size=1, max_size=2, unique_by=lambda each: each["key"]))
    versions = [(each["key"], version["number"]) for each in rulesets for version in each["versions"]]
    current = draw(st.sampled_from([*versions, (None, None)]))
    league = {
        "slug": "thought-up",
        "name": draw(names(100)),
        "name_en": draw(lines(100)),
        "description": draw(paragraphs),
        "time_zone": draw(zones),
        "day_boundary": draw(clocks).isoformat("minutes"),
        "first_month": draw(st.integers(1, 12)),
        "is_public": draw(st.booleans()),
        "minimum_month": draw(st.integers(0, 3)),
        "tiebreak": draw(
            st.lists(st.sampled_from(["last_hanchan", "best_raw", "shared"]), min_size=1, max_size=3, unique=True)
        ),
        "ledger": draw(st.sampled_from(["ranking", "settlement"])),
        "metric": draw(st.sampled_from(["points", "average_points", "average_placement"])),
        "entry_mode": draw(st.sampled_from(["fast", "strict"])),
        "confirmed_by": draw(st.sampled_from(["none", "one", "all", "organiser"])),
        **draw(st.sampled_from([{}, {"confirmed_since": "2025-11-21T19:00:00.000123+00:00"}])),
        "disputed_count": draw(st.booleans()),
        "unbalanced_count": draw(st.booleans()),
        "ruleset": current[0],
        "ruleset_version": current[1],
    }
    held = draw(sessions(players, versions))
    return {
        "schema": "tenbo/1",
        "league": league,
        "rulesets": rulesets,
        "players": players,
        "sessions": held,
        "adjustments": draw(st.lists(adjustments(active(players), held), max_size=3)),
    }


@st.composite
def people(draw: st.DrawFn) -> list[Document]:
    known = draw(st.lists(keys, min_size=5, max_size=8, unique=True))
    players = [
        {
            "key": key,
            "name": draw(names(40)),
            "kana": draw(lines(60)),
            "romanised": draw(lines(60)),
            "number": draw(st.sampled_from(["", f"{position}"])),
            "club": draw(lines(60)),
            "is_guest": draw(st.booleans()),
            "active": draw(st.booleans()),
            "visibility": draw(st.sampled_from(["public", "members"])),
            "aliases": draw(st.lists(names(40), max_size=2, unique=True)),
        }
        for position, key in enumerate(known)
    ]
    # The first four are never merged, so there is always a full table; later ones may be merged into earlier ones.
    for position, player in enumerate(players[4:], start=4):
        if draw(st.booleans()):
            player["merged_into"] = known[draw(st.integers(0, position - 1))]
    return players


houses = st.sampled_from(({}, {"house": EVERYTHING}, {"house": {"text": {"ja": "一\n二"}}}))
"""House rules: none, all, or texts only."""


@st.composite
def rule_systems(draw: st.DrawFn) -> Document:
    umas = draw(st.lists(st.sampled_from(UMAS), min_size=1, max_size=3, unique_by=str))
    numbers = sorted(draw(st.sets(st.integers(1, 9), min_size=len(umas), max_size=len(umas))))
    return {
        "key": draw(st.from_regex(r"[a-z0-9][a-z0-9-]{0,9}", fullmatch=True)),
        "name": draw(names(100)),
        "card": draw(st.sampled_from(["", "camarade", "gone"])),
        "versions": [
            {"number": number, "note": draw(lines(60)), "parameters": parameters(uma) | draw(houses)}
            for number, uma in zip(numbers, umas, strict=True)
        ],
    }


def parameters(uma: list[Any]) -> Document:
    return {
        "players": 4,
        "start_points": 25000,
        "return_points": 30000,
        "uma": uma,
        "tie": {"rank": "shared", "uma": "split", "oka": "split"},
        "split": {"unit": "0.1", "remainder": "one_each_nearest"},
        "leftover": "top",
        "bust": {
            "ends": "below_zero",
            "prize": 10,
            "draw_shares": {"1": [10], "2": [5, 5], "3": [4, 3, 3]},
            "other": "none",
        },
        "chombo": {"kind": "total", "amount": -40},
        "chips": {"value": 2},
    }


@st.composite
def sessions(draw: st.DrawFn, players: list[Document], versions: list[tuple[str, int]]) -> list[Document]:
    found: list[Document] = []
    for position, number in enumerate(sorted(draw(st.sets(st.integers(1, 99), max_size=3)))):
        ruleset, version = draw(st.sampled_from(versions))
        session = {
            "key": f"s{position} {draw(lines(9))}",
            "number": number,
            "date": draw(days).isoformat(),
            "title": draw(lines(100)),
            "venue": draw(lines(100)),
            "start_time": f"{draw(st.integers(0, 23)):02}:{draw(st.integers(0, 59)):02}",
            "tables": draw(st.integers(1, 9)),
            "state": draw(st.sampled_from(["open", "closed", "withdrawn"])),
            "ruleset": ruleset,
            "ruleset_version": version,
        }
        count = draw(st.integers(0, 4))
        session["hanchan"] = [draw(hanchan(f"h{position}-{each}", players, versions)) for each in range(count)]
        session |= {"plan": draw(plans(players)), "points": draw(points_without_hanchan(players))}
        is_postponed = draw(st.booleans())
        if found and is_postponed:
            session["postponed_from"] = found[0]["key"]
        found.append(session)
    return found


@st.composite
def plans(draw: st.DrawFn, players: list[Document]) -> list[Document]:
    known = [player["key"] for player in players]
    return [
        {"table": draw(st.integers(1, 9)), "round": number, "players": draw(st.permutations(known))[:4]}
        for number in sorted(draw(st.sets(st.integers(0, 9), max_size=2)))
    ]


@st.composite
def stands_for(draw: st.DrawFn) -> Document:
    if draw(st.booleans()):
        return {"hanchan": draw(st.integers(1, 20) | st.none())}
    places = draw(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any))
    return {"hanchan": sum(places), "places": places}


@st.composite
def points_without_hanchan(draw: st.DrawFn, players: list[Document]) -> list[Document]:
    """Sums of some players, possibly withdrawn, some under merged names; they need not add up."""
    return [
        seat
        | {
            "points": draw(st.sampled_from(["107.4", "0", "-68.6", "0.125"])),
            **draw(stands_for()),
            "note": draw(lines(200)),
            "withdrawn": draw(st.booleans()),
        }
        for seat in draw(table(players))[: draw(st.integers(0, 4))]
    ]


@st.composite
def hanchan(draw: st.DrawFn, key: str, players: list[Document], versions: list[tuple[str, int]]) -> Document:
    sticks = draw(st.integers(0, 3))
    raw = draw(st.permutations(draw(scores(100_000 - 1000 * sticks))))
    chips = draw(st.sampled_from([(0, 0, 0, 0), (3, -1, -1, -1)]))
    found: Document = {
        "key": key + draw(lines(9)),
        "table": draw(st.integers(1, 9)),
        "round": draw(st.integers(1, 9)),
        "played_at": draw(moments).isoformat(),
        "sticks_left": sticks,
        "seats": [
            seat | {"raw": score, "chips": count}
            for seat, score, count in zip(draw(table(players)), raw, chips, strict=True)
        ],
        "busts": [draw(bust(number, raw)) for number, score in enumerate(raw) if score < 0],
        "chombo": draw(st.sampled_from([[], [0, 1, 0, 2]])),
        "yakuman": draw(st.lists(st.fixed_dictionaries({"seat": st.integers(0, 3), "note": lines(30)}), max_size=2)),
        "end_reason": draw(st.sampled_from(["", "bust", "time"])),
        "state": draw(st.sampled_from(["recorded", "confirmed", "disputed", "voided"])),
        "note": draw(paragraphs),
    }
    if draw(st.booleans()):
        found["ruleset"], found["ruleset_version"] = draw(st.sampled_from(versions))
    change = draw(st.sampled_from([usual, usual, worked_out, as_it_is, points_alone]))
    changed: Document = change(found)
    return found | changed


def usual(_found: Document) -> Document:
    return {}


def worked_out(_found: Document) -> Document:
    return {"worked_out": True}


def as_it_is(found: Document) -> Document:
    top = max(found["seats"], key=lambda seat: seat["raw"])
    seats = [seat | {"raw": seat["raw"] - 100 * (seat is top)} for seat in found["seats"]]
    return {"as_is": True, "note": f"so {found['note']}", "seats": seats}


def points_alone(found: Document) -> Document:
    points = ["45.5", "9.5", "-20", "-35" if found["sticks_left"] else "-34"]
    seats = [
        {"player": seat["player"], "points": amount, "placement": place} | ({"as": seat["as"]} if "as" in seat else {})
        for place, (seat, amount) in enumerate(zip(found["seats"], points, strict=True), 1)
    ]
    alone = {"seats": seats, "busts": [], "chombo": [], "sticks_left": 0}
    return alone if found["sticks_left"] else alone | {"as_is": True, "note": f"so {found['note']}"}


@st.composite
def scores(draw: st.DrawFn, total: int) -> list[int]:
    three = [draw(st.sampled_from((-4100, 0, 12_000, 25_000, 30_000))) for _ in range(3)]
    return [*three, total - sum(three)]


@st.composite
def bust(draw: st.DrawFn, seat: int, raw: Sequence[int]) -> Document:
    others = [other for other, score in enumerate(raw) if score >= 0]
    some = sorted(draw(st.sets(st.sampled_from(others), min_size=1, max_size=3)))
    return draw(
        st.sampled_from(
            [
                {"seat": seat, "by": "win", "winners": some[:1]},
                {"seat": seat, "by": "draw", "tenpai": some},
                {"seat": seat, "by": "other"},
            ]
        )
    )


@st.composite
def table(draw: st.DrawFn, players: list[Document]) -> list[Document]:
    """Four players, some under names merged into theirs."""
    merged = {player["key"]: player.get("merged_into") for player in players}
    seats: list[Document] = []
    for key in draw(st.permutations(active(players)))[:4]:
        former = [other for other in merged if final(other, merged) == key and other != key]
        recorded_as = draw(st.sampled_from([None, *former]))
        seats.append({"player": key} | ({"as": recorded_as} if recorded_as else {}))
    return seats


def active(players: list[Document]) -> list[str]:
    return [player["key"] for player in players if player.get("merged_into") is None]


def final(key: str, merged: dict[str, str | None]) -> str:
    while (target := merged[key]) is not None:
        key = target
    return key


@st.composite
def adjustments(draw: st.DrawFn, players: list[str], held: list[Document]) -> Document:
    session = draw(st.sampled_from([None, *(each["key"] for each in held)]))
    return ({"session": session} if session else {}) | {
        "player": draw(st.sampled_from(players)),
        "date": draw(days).isoformat(),
        "points": draw(st.sampled_from(["-40", "0", "0.125", "1000000", "-20.5"])),
        "reason": draw(names(200)),
        "withdrawn": draw(st.booleans()),
    }


def through_a_file(document: Document, slug: str) -> League:
    league = store_league(read_league(json.dumps(document).encode()), by=SYSTEM, slug=slug)
    return League.objects.select_related("current_version__ruleset").get(pk=league.pk)


def written(league: League) -> Document:
    document: Document = json.loads(as_text(write_league(league)))
    del document["league"]["slug"]
    return document


def ranking(league: League) -> list[tuple[object, ...]]:
    return [
        (line.rank, line.player.key, line.total, line.hanchan, line.recent, json.dumps(line.decided_by))
        for line in in_board_order(live_lines(league, ALL_TIME))
    ]


@pytest.mark.long
@settings(
    max_examples=budget(40, least=15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(document=leagues())
def test_random_leagues_survive_export_and_import(document: Document) -> None:
    before = League.objects.count()
    first = through_a_file(document, f"a{before}")
    exported = written(first)
    second = through_a_file({**exported, "league": exported["league"] | {"slug": "x"}}, f"b{before}")
    assert written(second) == exported
    assert ranking(second) == ranking(first)
    for player in document["players"]:
        player["name"] = without_hidden(player["name"]) or "?"
    assert facts(exported) == facts(document)


def facts(document: Document) -> list[object]:
    return [
        [player["name"] for player in document["players"]],
        sorted(
            (
                each["key"],
                each["note"],
                each.get("state", "recorded"),
                [seat.get("raw", seat.get("points")) for seat in each["seats"]],
            )
            for session in document["sessions"]
            for each in session["hanchan"]
        ),
        [(each["reason"], each.get("session")) for each in document["adjustments"]],
        [each for session in document["sessions"] for each in session.get("plan", ())],
        sorted(
            (
                each["player"],
                each["points"],
                each["hanchan"] or 0,
                each.get("places", []),
                each.get("note", ""),
                each.get("withdrawn", False),
            )
            for session in document["sessions"]
            for each in session.get("points", ())
        ),
        [version["note"] for ruleset in document["rulesets"] for version in ruleset["versions"]],
    ]


def test_imported_seats_equal_the_recorded_ones() -> None:
    session = make_session(make_league())
    play(session, (25000, 25000, 30000, 20000), sticks_left=0, chips=(1, -1, 0, 0))
    play(session, (52000, 30000, 16000, 1000), sticks_left=1)
    document = json.loads(as_text(write_league(session.league)))
    copied = through_a_file(document, "copy")
    columns = [
        field.name
        for field in Seat._meta.fields
        if field.name not in {"id", "hanchan", "league", "player", "played_at", "day"}
    ]
    rows = [
        list(Seat.objects.filter(league=league).order_by("hanchan__key", "seat").values_list(*columns, "day"))
        for league in (session.league, copied)
    ]
    assert rows[0] == rows[1]


def test_hanchan_played_at_the_same_time_keep_their_order() -> None:
    session = make_session(make_league())
    moment = datetime(2025, 11, 21, 12, 0, tzinfo=UTC)
    for raw in ((40000, 30000, 20000, 10000), (30000, 40000, 20000, 10000), (10000, 20000, 30000, 40000)):
        play(session, raw, played_at=moment)
    copied = through_a_file(json.loads(as_text(write_league(session.league))), "copy")
    assert ranking(copied) == ranking(session.league)
    assert [each.seats.get(seat=0).raw_score for each in Hanchan.objects.filter(league=copied).in_order_of_play()] == [
        40000,
        30000,
        10000,
    ]
