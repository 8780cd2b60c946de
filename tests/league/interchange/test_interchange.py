import copy
import json
import random
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from league.core.periods import ALL_TIME
from league.engine import one_moment
from league.interchange.problems import InterchangeError
from league.interchange.reading import MAX_BYTES
from league.interchange.storing import store_league
from league.interchange.text import text_of
from league.interchange.writing import write_league
from league.models import (
    Adjustment,
    Attendance,
    Hanchan,
    League,
    Player,
    PlayerAlias,
    Revision,
    Seat,
    Session,
    StalePeriod,
)
from league.models.plans import EVERY_ROUND
from league.selectors import plain_rows
from league.selectors.boards import in_board_order, live_lines
from league.selectors.planning import plan_of
from league.services.calendar import adjust
from league.services.history import SYSTEM, Actor
from league.services.people import merge_players, separate_players
from league.services.planning import TablePlan, plan_tables
from league.services.results import void_hanchan
from league.services.rules import save_version
from league.services.session_points import enter_session_points, withdraw_points
from scoring.core import Bust
from tests.budget import budget
from tests.conftest import needs_postgresql
from tests.journeys.crawl import crawl
from tests.league.boards.test_random_walk import Walk
from tests.league.factories import (
    as_text,
    client_of,
    correct,
    make_league,
    make_players,
    make_session,
    make_user,
    play,
    points_of,
    run,
    sums,
)
from tests.league.guards import unguarded
from tests.league.managing.test_rescoring import peak, plain_games, store
from tests.league.races import at_once
from tests.scoring.test_house import EVERYTHING
from tests.tournaments.factories import make_tournament, play_stage
from tournaments.interchange.reading import read_file

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Document = dict[str, Any]
IMPORT = Actor(None, "import")


def example() -> Document:
    return {
        "schema": "tenbo/1",
        "league": {"slug": "camarade", "name": "カマラード", "time_zone": "Asia/Tokyo", "day_boundary": "06:00"},
        "rulesets": [{"key": "camarade", "card": "camarade", "parameters": {}}],
        "players": [
            {"key": "p1", "name": "青木", "kana": "あおき", "aliases": []},
            {"key": "p2", "name": "石田", "kana": "いしだ", "aliases": ["石ちゃん"]},
            {"key": "p3", "name": "上野", "kana": "うえの", "aliases": []},
            {"key": "p4", "name": "江口", "kana": "えぐち", "aliases": []},
        ],
        "sessions": [
            {
                "key": "s1",
                "date": "2025-11-21",
                "title": "第3節",
                "ruleset": "camarade",
                "hanchan": [
                    {
                        "key": "h1",
                        "table": 1,
                        "round": 1,
                        "played_at": "2025-11-21T20:10:00+09:00",
                        "sticks_left": 0,
                        "seats": [
                            {"player": "p1", "raw": 31700},
                            {"player": "p2", "raw": 31300},
                            {"player": "p3", "raw": 25500},
                            {"player": "p4", "raw": 11500},
                        ],
                        "busts": [],
                        "chombo": [],
                        "note": "",
                    }
                ],
            }
        ],
        "adjustments": [{"player": "p4", "date": "2025-11-21", "points": "-40", "reason": "chombo"}],
        "tournaments": [],
    }


def read(document: object) -> Any:
    return read_file(json.dumps(document).encode())


def imported(document: object, slug: str | None = None) -> League:
    return store_league(read(document), by=IMPORT, slug=slug)


def exported(league: League) -> Document:
    document: Document = json.loads(as_text(write_league(League.objects.get(pk=league.pk))))
    return document


def test_import_scores_the_documented_example() -> None:
    league = imported(example())
    hanchan = Hanchan.objects.get(league=league, key="h1")
    assert points_of(hanchan) == [21_700, 1_300, -4_500, -18_500]
    assert [seat.settlement for seat in hanchan.seats.order_by("seat")] == [31_000, 6_000, -9_000, -28_000]
    assert hanchan.day == date(2025, 11, 21)
    assert hanchan.played_at == datetime(2025, 11, 21, 11, 10, tzinfo=UTC)
    assert Adjustment.objects.get(league=league).points == -40_000
    assert league.current_version is not None
    assert hanchan.session.ruleset_version == league.current_version
    assert set(StalePeriod.objects.filter(league=league).values_list("period", flat=True)) == {"2025-11", "2025", "all"}


def test_import_accepts_an_empty_league() -> None:
    league = imported({"schema": "tenbo/1", "league": {"slug": "new", "name": "New"}})
    assert league.time_zone == "Asia/Tokyo"
    assert exported(league)["sessions"] == []


def test_import_fills_in_missing_values() -> None:
    document = example()
    first = document["sessions"][0]["hanchan"][0]
    second = {"key": "h2", "seats": first["seats"]}
    for key in ("table", "round", "played_at", "sticks_left", "busts", "chombo", "note"):
        del first[key]
    document["sessions"][0]["hanchan"].append(second)
    del document["sessions"][0]["ruleset"]
    league = imported(document)
    assert [(each.round, each.played_at) for each in Hanchan.objects.filter(league=league).order_by("round")] == [
        (1, datetime(2025, 11, 21, 10, 0, tzinfo=UTC)),
        (2, datetime(2025, 11, 21, 10, 1, tzinfo=UTC)),
    ]


def expecting() -> Document:
    document = example()
    document["sessions"].append(
        {
            "key": "s2",
            "date": "2024-03-02",
            "plan": [
                {"table": 2, "round": 0, "players": ["p1", "p2", "p3", "p4"]},
                {"table": 1, "round": 2, "players": ["p4", "p3", "p2", "p1"]},
            ],
            "points": [
                {"player": "p1", "points": "107.4", "hanchan": 4},
                {"player": "p2", "points": "-106.9", "hanchan": 4, "note": "as printed"},
                {"player": "p3", "points": "5", "hanchan": 4, "withdrawn": True},
            ],
            "answers": [{"player": "p1", "answer": "coming"}, {"player": "p3", "answer": "absent", "word": "出張"}],
            "answers_until": "2024-03-01T12:00:00+09:00",
        }
    )
    document["adjustments"].append(
        {"player": "p1", "date": "2024-03-03", "points": "-20", "reason": "late", "session": "s2"}
    )
    return document


def test_import_stores_plans_and_points_without_hanchan() -> None:
    league = imported(expecting())
    session = league.sessions.get(key="s2")
    assert [(number, table, [player.key for player in seated]) for number, table, seated in plan_of(session)] == [
        (EVERY_ROUND, 2, ["p1", "p2", "p3", "p4"]),
        (2, 1, ["p4", "p3", "p2", "p1"]),
    ]
    assert session.tables == 2
    rows = session.points_without_hanchan.order_by("pk")
    assert [(row.player.key, row.points, row.hanchan, row.note, row.withdrawn, row.day) for row in rows] == [
        ("p1", 107_400, 4, "", False, session.date),
        ("p2", -106_900, 4, "as printed", False, session.date),
        ("p3", 5_000, 4, "", True, session.date),
    ]
    assert Adjustment.objects.get(session=session).points == -20_000
    lines = {line.player.key: (line.total, line.hanchan) for line in live_lines(league, ALL_TIME)}
    assert lines["p1"] == (21_700 + 107_400 - 20_000, 1)
    assert lines["p2"] == (1_300 - 106_900, 1)
    assert {"2024-03", "2024"} < set(StalePeriod.objects.filter(league=league).values_list("period", flat=True))
    told = Revision.objects.filter(league=league, subject="sessionpoints")
    assert [revision.reason for revision in told.order_by("pk")] == ["", "as printed", ""]
    told = Revision.objects.filter(league=league, subject="attendance").order_by("pk")
    assert [(each.after or {})["answer"] for each in told] == ["coming", "absent"]


def test_exported_sessions_have_only_the_parts_they_need() -> None:
    first, second = exported(imported(expecting()))["sessions"]
    assert not {"plan", "points", "answers", "answers_until"} & first.keys()
    assert second == second | expecting()["sessions"][1]


def test_import_can_set_another_slug_and_an_owner() -> None:
    user = make_user("aoki")
    league = store_league(read(example()), by=Actor(user, "import"), slug="copy")
    assert league.slug == "copy"
    assert [(member.user, member.role) for member in league.members.all()] == [(user, "owner")]
    revision = Revision.objects.filter(league=league, subject="hanchan").get()
    assert (revision.by, revision.action, revision.source) == (user, "recorded", "import")


def test_import_refuses_an_existing_slug() -> None:
    make_league("camarade")
    with pytest.raises(InterchangeError, match=r'\$\.league\.slug: the league "camarade" exists already; .*--slug'):
        imported(example())


Damage = Callable[[Document], object]


def hanchan_of(document: Document) -> Document:
    return document["sessions"][0]["hanchan"][0]  # type: ignore[no-any-return]


def seat_of(document: Document, number: int) -> Document:
    return hanchan_of(document)["seats"][number]  # type: ignore[no-any-return]


def in_second(document: Document, key: str) -> list[Document]:
    return document["sessions"][1][key]  # type: ignore[no-any-return]


DAMAGES = [
    (lambda d: seat_of(d, 1).update(rawr=1), "$.sessions[0].hanchan[0].seats[1].rawr: unknown key"),
    (lambda d: d.update(extra=1), "$.extra: unknown key"),
    (lambda d: d["league"].update({"\ud800": 1}), "$: the key \\ud800 contains a character"),
    (lambda d: d.pop("schema"), "$.schema: is missing; add it"),
    (lambda d: d.update(schema="tenbo/2"), '$.schema: has another schema; this version of Tenbo reads "tenbo/1"'),
    (lambda d: d["league"].pop("name"), "$.league.name: is missing"),
    (lambda d: d["league"].update(name=" "), "$.league.name: must not be empty"),
    (lambda d: d["league"].update(name="a\nb"), "$.league.name: must be a single line"),
    (lambda d: d["league"].update(name="x" * 101), "$.league.name: is too long"),
    (lambda d: d["league"].update(name="a\0b"), "$.league.name: holds the character U+0000"),
    (lambda d: d["league"].update(description="\ud83d"), "$.league.description: contains half a character"),
    (lambda d: d["league"].update(slug="a b"), "$.league.slug: may contain only"),
    (lambda d: d["league"].update(time_zone="Mars"), "$.league.time_zone: is not a known time zone"),
    (lambda d: d["league"].update(day_boundary="6"), "$.league.day_boundary: must be a time of day"),
    (lambda d: d["league"].update(tiebreak=["dice"]), "$.league.tiebreak: contains an unknown tie-break"),
    (lambda d: d["league"].update(metric="fun"), "$.league.metric: must be 'points'"),
    (lambda d: d["league"].update(first_month=13), "$.league.first_month: is too large; use 12 or less"),
    (lambda d: d["league"].update(is_public="yes"), "$.league.is_public: must be true or false"),
    (lambda d: d.update(players={}), "$.players: must be a list"),
    (lambda d: d.update(league=[]), "$.league: must be an object"),
    (lambda d: seat_of(d, 0).update(raw="31700"), ".seats[0].raw: must be a whole number"),
    (lambda d: seat_of(d, 0).update(raw=31700.0), ".seats[0].raw: must be a whole number"),
    (lambda d: seat_of(d, 0).update(raw=10**12), ".seats[0].raw: is too large"),
    (lambda d: (seat_of(d, 0).update(raw=31750), seat_of(d, 1).update(raw=31250)), "$.sessions[0].hanchan[0].seats[0].raw: must be a multiple of 100"),
    (lambda d: seat_of(d, 0).update(raw=30700), "$.sessions[0].hanchan[0]: The scores and leftover sticks add up to 99,000 instead of 100,000"),
    (lambda d: hanchan_of(d)["seats"].pop(), "$.sessions[0].hanchan[0]: There are 3 scores"),
    (lambda d: seat_of(d, 1).update(player="p1"), "$.sessions[0].hanchan[0].seats[1].player: sits twice at this table"),
    (lambda d: seat_of(d, 2).update(player="p9"), '$.sessions[0].hanchan[0].seats[2].player: is not the key of any entry in "players"'),
    (lambda d: d["adjustments"][0].update(player="p9"), "$.adjustments[0].player: is not the key"),
    (lambda d: d["adjustments"][0].update(points="-40.0001"), "$.adjustments[0].points: must be points"),
    (lambda d: d["adjustments"][0].update(points="1e9"), "$.adjustments[0].points: must"),
    (lambda d: d["adjustments"][0].update(reason=""), "$.adjustments[0].reason: must not"),
    (lambda d: d["sessions"][0].update(date="2025-11-31"), "$.sessions[0].date: must be a date such as"),
    (lambda d: d["sessions"][0].update(date="0001-01-01"), "$.sessions[0].date: must be between"),
    (lambda d: hanchan_of(d).update(played_at="2025-11-21T20:10:00"), ".played_at: must be a time with"),
    (lambda d: hanchan_of(d).update(played_at="0001-01-01T00:00:00+09:00"), ".played_at: must be"),
    (lambda d: hanchan_of(d).update(chombo=["p4"]), ".chombo[0]: must be a whole number"),
    (lambda d: hanchan_of(d).update(chombo=[1]), "$.sessions[0].hanchan[0]: chombo: there are 1 values"),
    (lambda d: hanchan_of(d).update(busts=[{"seat": 3, "by": "win", "winner": 0}]), "$.sessions[0].hanchan[0].busts[0].winner: there is no such key"),
    (lambda d: hanchan_of(d).update(busts=[{"seat": 3, "by": "win", "winners": [0]}]), "$.sessions[0].hanchan[0].seats[3]: North is not bust"),
    (lambda d: hanchan_of(d).update(busts=[3]), "hanchan[0].busts[0]: must be an object"),
    (lambda d: hanchan_of(d).update(end_reason="rain"), ".end_reason: must be one of"),
    (lambda d: hanchan_of(d).update(state="gone"), ".state: must be 'recorded'"),
    (lambda d: d["sessions"][0]["hanchan"].append(hanchan_of(d)), "$.sessions[0].hanchan[1].key: appears twice"),
    (lambda d: d["sessions"].append(d["sessions"][0]), "$.sessions[2].key: appears twice"),
    (lambda d: d["players"].append(d["players"][0]), "$.players[4].key: appears twice"),
    (lambda d: [player.update(number="7") for player in d["players"]], "$.players[1].number: appears twice"),
    (lambda d: d["players"][0].update(aliases=["a", "a"]), "$.players[0].aliases[1]: appears twice"),
    (lambda d: d["players"][0].update(merged_into="p1"), "$.players[0].merged_into: forms a circle"),
    (lambda d: d["sessions"][0].update(postponed_from="s9"), "$.sessions[0].postponed_from: is not the key of any entry"),
    (lambda d: d["sessions"][0].update(postponed_from=d["sessions"][0]["key"]), "$.sessions[0].postponed_from: forms a circle"),
    (lambda d: d["players"][0].update(merged_into="p2"), "$.sessions[0].hanchan[0].seats[0].player: was merged into another player"),
    (lambda d: (d["players"].append({"key": "gone", "name": "x", "merged_into": "p2"}), d["adjustments"][0].update(player="gone")), "$.adjustments[0].player: was merged into another player"),
    (lambda d: seat_of(d, 0).update({"as": "p2"}), ".seats[0].as: was not merged into the player"),
    (lambda d: d["rulesets"][0].update(card="chess"), "$.rulesets[0].card: is not a card of this version of Tenbo"),
    (lambda d: d["rulesets"][0].update(parameters={"umma": [1]}), "$.rulesets[0].parameters.umma: This parameter does not exist; please"),
    (lambda d: d["rulesets"][0].update(parameters={"uma": [1, 2, 3]}), "$.rulesets[0].parameters.uma: Enter 4 values for 4 players"),
    (lambda d: d["rulesets"][0].update(key="A B"), "$.rulesets[0].key: may contain only"),
    (lambda d: d["rulesets"][0].update(versions=[]), '$.rulesets[0]: give either "parameters" or'),
    (lambda d: (d["rulesets"][0].pop("card"), d["rulesets"][0].pop("parameters")), '$.rulesets[0]: give a "card"'),
    (lambda d: d["sessions"][0].update(ruleset="other"), "$.sessions[0].ruleset: is not the key"),
    (lambda d: d["sessions"][0].update(ruleset_version=2), "$.sessions[0].ruleset_version: is not a version"),
    (lambda d: hanchan_of(d).update(ruleset_version=1), '.ruleset_version: name the "ruleset" too'),
    (lambda d: (d.update(rulesets=[]), d["sessions"][0].pop("ruleset")), "$.sessions[0].ruleset: is missing, and the league has no rules"),
    (lambda d: d.update(tournaments={}), "$.tournaments: must be a list"),
    (lambda d: d["adjustments"][1].update(session="s9"), '$.adjustments[1].session: is not the key of any entry in "sessions"'),
    (lambda d: in_second(d, "plan")[1]["players"].__setitem__(3, "p9"), '$.sessions[1].plan[1].players[3]: is not the key of any entry in "players"'),
    (lambda d: in_second(d, "plan")[0]["players"].__setitem__(2, "p1"), "$.sessions[1].plan[0].players[2]: sits twice in this round"),
    (lambda d: in_second(d, "plan")[1].update(round=0), "$.sessions[1].plan[1].players[0]: sits twice in this round"),
    (lambda d: in_second(d, "plan")[1].update(round=0, table=2), "$.sessions[1].plan[1].table: is planned twice in this round"),
    (lambda d: in_second(d, "plan")[0].update(players=["p1", "p2"]), "$.sessions[1].plan[0].players: is too short; give at least 3"),
    (lambda d: in_second(d, "points")[0].update(player="p9"), "$.sessions[1].points[0].player: is not the key"),
    (lambda d: in_second(d, "points")[1].update(player="p1"), "$.sessions[1].points[1].player: already has points in this session"),
    (lambda d: in_second(d, "points")[0].update(places=[1, 1, 1, 0]), "$.sessions[1].points[0].places: must add up to the number of hanchan"),
    (lambda d: in_second(d, "points")[0].update({"as": "p2"}), "points[0].as: was not merged into the"),
    (lambda d: (d["sessions"].pop(0), d["players"][0].update(merged_into="p2")), "$.sessions[0].points[0].player: was merged into another player"),
    (lambda d: in_second(d, "points")[0].update(points="1,5"), "points[0].points: must be points"),
    (lambda d: in_second(d, "points")[0].update(hanchan=0), "points[0].hanchan: is too small"),
    (lambda d: in_second(d, "points")[0].pop("hanchan"), "points[0].hanchan: is missing"),
    (lambda d: in_second(d, "answers")[0].update(player="p9"), "answers[0].player: is not the key of any"),
    (lambda d: in_second(d, "answers")[1].update(player="p1"), "answers[1].player: has already answered"),
    (lambda d: in_second(d, "answers")[0].update(arrives_at="20:00"), 'is only allowed if the answer is "late"'),
    (lambda d: in_second(d, "answers")[0].update(answer="perhaps"), "answers[0].answer"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "complaint"), DAMAGES)
def test_invalid_file_stores_nothing_and_names_the_path(damage: Damage, complaint: str) -> None:
    document = copy.deepcopy(expecting())
    damage(document)
    with pytest.raises(InterchangeError) as refused:
        imported(document)
    assert complaint in str(refused.value)
    assert str(refused.value).isprintable() or "\n" in str(refused.value)
    assert not League.objects.exists()
    assert not Player.objects.exists()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(b"", "not JSON at line 1, column 1", id="empty"),
        pytest.param(b"[]", "$: must be an object", id="list"),
        pytest.param(b"{", "not JSON at line 1", id="cut off"),
        pytest.param(b"\xff\xfe{}", "not UTF-8 at byte 0", id="UTF-16"),
        pytest.param(b"\xef\xbb\xbf{}", "byte order mark", id="BOM"),
        pytest.param(b'{"a": 1, "a": 2}', "the key a appears twice", id="key twice"),
        pytest.param(b'{"a": NaN}', "NaN is not a number", id="NaN"),
        pytest.param(b'{"a": ' + b"9" * 5000 + b"}", "far too long", id="endless number"),
        pytest.param(b"[" * 100_000, "nested more than", id="endless nesting"),
        pytest.param(b"[" * 30 + b"]" * 30, "nested more than", id="deep nesting"),
        pytest.param(b" " * (MAX_BYTES + 1), "larger than 64 MB", id="huge"),
    ],
)
def test_unreadable_file_is_refused_in_one_sentence(content: bytes, complaint: str) -> None:
    with pytest.raises(InterchangeError) as refused:
        read_file(content)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_only_the_first_ten_problems_are_listed() -> None:
    document = example()
    for seat in hanchan_of(document)["seats"]:
        seat.update(a=1, b=2, c=3)
    with pytest.raises(InterchangeError) as refused:
        read(document)
    lines = str(refused.value).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "$: 2 more problems; fix these first"


def eventful_league() -> League:
    league = make_league(
        "events",
        time_zone="America/New_York",
        day_boundary=time(4, 30),
        first_month=4,
        is_public=False,
        minimum_month=3,
        tiebreak=["placement_counts", "shared"],
        ledger="settlement",
        metric="average_points",
        description="二行\nあります",
    )
    players = make_players(league, 6)
    PlayerAlias.objects.create(player=players[0], name="A. \u3042\u304a\u304d \U0001f004")
    session = make_session(league, venue="例会場", tables=2)
    play(session, players=players[:4])
    tied = play(session, (25000, 25000, 30000, 20000), players=players[:4], yakuman=[(1, "国士無双")], note="tie\nhere")
    bust = play(
        session,
        (45000, 33000, 23000, -2000),
        players=players[1:5],
        sticks_left=1,
        busts=[Bust(3, "win", winners=(0,))],
        chips=(1, -1, 0, 0),
        table=2,
    )
    void_hanchan(hanchan=bust, by=SYSTEM, reason="wrong table")
    correct(tied, (24000, 26000, 30000, 20000))
    version = session.ruleset_version
    changed = {**version.parameters, "uma": ["20", "10", "-10", "-20"], "house": EVERYTHING}
    second = save_version(ruleset=version.ruleset, parameters=changed, note="higher uma", by=SYSTEM)
    other = make_session(league, date(2025, 11, 22), ruleset_version=second, start_time=time(19, 30))
    Session.objects.filter(pk=other.pk).update(postponed_from=session, state=Session.State.CLOSED)
    worked_out = play(other, players=[players[5], *players[1:4]])
    Hanchan.objects.filter(pk=worked_out.pk).update(given=Hanchan.Given.WORKED_OUT)
    make_session(league, date(2025, 11, 24), title="中止")
    league.sessions.filter(title="中止").update(state=Session.State.WITHDRAWN)
    taken_back = adjust(player=players[5], day=date(2025, 11, 22), points=-40_000, reason="chombo", by=SYSTEM)
    adjust(player=players[1], day=date(2025, 11, 23), points=500, reason="bonus", by=SYSTEM)
    withdraw_points(points=taken_back, reason="mistaken", by=SYSTEM)
    adjust(player=players[0], day=date(2025, 11, 23), points=-1_000, reason="late", by=SYSTEM, session=other)
    session = make_session(league, date(2024, 5, 6))
    plan_tables(
        session=session,
        plans=[TablePlan(3, tuple(players[2:6]), waiting=(players[0],)), TablePlan(1, tuple(players[:4]), 2)],
        by=SYSTEM,
    )
    Attendance.objects.create(session=session, player=players[5], answer="absent", word="出張", given="self")
    lines = {players[5]: 12_300, players[1]: -12_000}
    mistaken, _ = enter_session_points(session=session, lines=sums(lines, 4), note="as printed", by=SYSTEM)
    withdraw_points(points=mistaken, reason="a digit is missing", by=SYSTEM)
    enter_session_points(session=session, lines=sums({players[5]: 12_000}, 4), note="corrected", by=SYSTEM)
    merge_players(source=players[5], target=players[4], by=SYSTEM, reason="one person")
    return league


def derived_rows(league: League) -> list[object]:
    """Return the seats' points, and the standings of all time, without keys of the database."""
    columns = {field.name for field in Seat._meta.fields} - {"id", "hanchan", "league", "player", "played_at"}
    seats = Seat.objects.filter(league=league).order_by("hanchan__key", "seat").values_list(*sorted(columns))
    lines = in_board_order(live_lines(League.objects.get(pk=league.pk), ALL_TIME))
    ranks = [(line.rank, line.player.key, line.total, line.hanchan, line.recent, line.previous_rank) for line in lines]
    return [*seats, *ranks]


def check_copy(league: League) -> League:
    document = exported(league)
    copy = imported(document, slug="copy")
    assert exported(copy) == document | {"league": document["league"] | {"slug": "copy"}}
    assert derived_rows(copy) == derived_rows(league)
    return copy


def test_exported_league_equals_its_imported_copy() -> None:
    check_copy(eventful_league())


@pytest.mark.long
@pytest.mark.parametrize("seed", range(budget(8, least=2)))
def test_random_leagues_survive_export_and_import(seed: int) -> None:
    walk = Walk(seed)
    for player in walk.league.players.all():
        player.name, player.club = f"選手{player.pk} \"'\\<&>%", "Łódź \U0001f004"
        player.save()
    for _ in range(60):
        walk.step()
    check_copy(walk.league)


def test_hanchan_played_at_the_same_time_keep_their_order() -> None:
    session = make_session(make_league())
    moment = datetime(2025, 11, 21, 12, 0, tzinfo=UTC)
    for raw in ((40000, 30000, 20000, 10000), (30000, 40000, 20000, 10000), (10000, 20000, 30000, 40000)):
        play(session, raw, played_at=moment)
    copied = Hanchan.objects.filter(league=check_copy(session.league)).in_order_of_play()
    assert [each.seats.get(seat=0).raw_score for each in copied] == [40000, 30000, 10000]


def test_merge_can_be_undone_in_an_imported_league() -> None:
    source = Player.objects.get(league=check_copy(eventful_league()), key="p6")
    assert source.seats.count() == 0
    separate_players(source=source, by=SYSTEM, reason="two people after all")
    assert source.seats.count() == 1
    assert source.adjustments.count() == 1
    points = source.points_without_hanchan.order_by("pk")
    assert [(row.points, row.withdrawn) for row in points] == [(12_300, True), (12_000, False)]


def test_export_has_points_as_text_and_no_derived_values() -> None:
    document = exported(eventful_league())
    assert [each["points"] for each in document["adjustments"]] == ["-40", "0.5", "-1"]
    hanchan = next(each for session in document["sessions"] for each in session.get("hanchan", ()))
    assert set(hanchan["seats"][0]) <= {"player", "raw", "chips", "deposits", "as"}
    assert hanchan["played_at"].endswith(("-04:00", "-05:00"))
    # The sixth player has been merged into the fifth since.
    answers = [answer for session in document["sessions"] for answer in session.get("answers", ())]
    assert answers == [{"player": "p6", "answer": "absent", "word": "出張"}]


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.long
@given(st.dictionaries(st.text(max_size=3), plain, max_size=4), st.lists(st.lists(plain, max_size=3), max_size=3))
def test_text_of_iterators_equals_text_of_lists(document: dict[str, Any], lists: list[list[Any]]) -> None:
    lazy = ({"before": number, "values": iter(values), "after": "\n"} for number, values in enumerate(lists))
    items = [{"before": number, "values": values, "after": "\n"} for number, values in enumerate(lists)]
    expected = json.dumps({**document, "items": items, "none": []}, ensure_ascii=False, indent=1) + "\n"
    assert "".join(text_of({**document, "items": lazy, "none": iter(())})) == expected


def league_of(size: int) -> League:
    league = make_league(f"league-{size}", players=8)
    dice = random.Random(size)
    games = plain_games(dice, 50) * (size // 50)
    for half, month in ((games[: size // 2], 8), (games[size // 2 :], 9)):
        session = make_session(league, datetime(2025, month, 3, tzinfo=UTC).date())
        store(session, half, dice, moment=datetime(2025, month, 3, 5, tzinfo=UTC))
    return league


@pytest.mark.long
def test_memory_of_an_export_does_not_grow_with_the_league(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_rows, "HANCHAN_AT_ONCE", 60)
    peaks = []
    for size in (300, 1200):
        peaks.append(peak(partial(lambda league: sum(map(len, text_of(write_league(league)))), league_of(size))))
    assert peaks[1] < 1.25 * peaks[0]


def test_exported_hanchan_are_in_playing_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.interchange.writing.SESSIONS_AT_ONCE", 2)
    monkeypatch.setattr(plain_rows, "HANCHAN_AT_ONCE", 3)
    league, dice = make_league(), random.Random(4)
    make_players(league, 4)
    sessions = [make_session(league, datetime(2025, 8, day, tzinfo=UTC).date()) for day in (5, 1, 9, 2, 7)]
    expected = {}
    for session, count in zip(sessions, (4, 0, 7, 0, 1), strict=True):
        stored = store(session, plain_games(dice, count), dice, moment=datetime(2025, 8, 1, 5, tzinfo=UTC))
        expected[session.key] = [each.key for each in stored]
    document = json.loads(as_text(write_league(league)))
    assert {each["key"]: [hanchan["key"] for hanchan in each["hanchan"]] for each in document["sessions"]} == expected


def test_export_of_circular_merges_ends(client: Client) -> None:
    league = make_league()
    first, second, *others = make_players(league, 5)
    play(make_session(league), players=[first, *others])
    merge_players(source=first, target=second, by=SYSTEM, reason="one person")
    # Neither pages nor the database allow this now; a file from an earlier version may contain it.
    with unguarded():
        type(second).objects.filter(pk=second.pk).update(merged_into=first)
    text = as_text(write_league(league))
    document = json.loads(text)
    merged = {player["key"]: player.get("merged_into") for player in document["players"]}
    assert (merged[first.key], merged[second.key]) == (second.key, first.key)
    assert not any("as" in seat for seat in document["sessions"][0]["hanchan"][0]["seats"])
    with pytest.raises(Exception, match="forms a circle"):
        read_file(text.encode())
    client.force_login(make_user("ishida", league=league, role="organiser"))
    answer: Any = client.get(reverse("tournaments:export", args=[league.slug]))
    assert json.loads(answer.getvalue())["sessions"] == document["sessions"]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_export_is_a_snapshot() -> None:
    league = league_of(50)
    before = as_text(write_league(league))
    with one_moment():
        document = write_league(league)
        begun = list(document["players"])
        at_once(lambda: play(make_session(league), players=make_players(league, 8)[4:]))
        after = as_text({**document, "players": begun})
    assert league.hanchan.count() == 51
    assert after == before


def test_page_and_command_export_the_same_file(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    league = league_of(50)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    answer: Any = client.get(reverse("tournaments:export", args=[league.slug]))
    sent = answer.getvalue().decode()
    call_command("export_league", league.slug)
    assert capsys.readouterr().out == sent
    assert sent == json.dumps(json.loads(sent), ensure_ascii=False, indent=1) + "\n"
    assert answer["Content-Disposition"] == f'attachment; filename="{league.slug}.json"'
    assert int(answer["Content-Length"]) == len(sent.encode())


@pytest.mark.merge
def test_every_page_of_an_imported_league_opens(tmp_path: Path) -> None:
    league = eventful_league()
    tournament = make_tournament(league, "elimination-4")
    play_stage(tournament, tournament.format.stages[0].key)
    file = tmp_path / "league.json"
    file.write_text(run("export_league", league.slug), "utf-8")
    client = client_of(make_user("newcomer"))
    run("import_league", str(file), slug="copy", by="newcomer", quiet=True)
    found = crawl(client, "/l/copy/", within="/l/copy/")
    assert not found.refused, "\n".join(found.refused)
    assert {"league:manage", "league:history", "league:hanchan", "stats:player"} <= found.offered.keys()
    assert {"tournaments:tournament", "tournaments:stage", "league:player_edit"} <= found.offered.keys()
    for number in range(1, 4):
        assert client.get("/l/copy/manage/history/", {"page": number}).status_code == 200
