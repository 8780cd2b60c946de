import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from league.interchange.problems import InterchangeError
from league.interchange.reading import read_league
from league.interchange.storing import store_league
from league.messages.imports import sentence
from league.models import Adjustment, Hanchan, Incident, League, Session, SessionPoints
from league.selectors.games import game_of, seats_of
from league.services.history import SYSTEM
from league.services.imports.checks import check
from league.services.imports.people import NEW
from league.services.imports.steps import decide_names, start_import
from tests.league.entry_contexts import url
from tests.league.factories import DAY, RAW, make_league, make_players, make_session, make_user
from tests.league.imports.files import FOUR, batch_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

CARD = "mleague"
"""Rules without a bust, so that any score can be stored."""

PARTS = {"parts": ["base", "oka", "uma", "chips"], "rounded": False}
CHIPS = {"chips": {"value": 2}, "ledgers": {"ranking": PARTS, "settlement": PARTS}}


@dataclass(frozen=True, slots=True)
class Played:
    raw: tuple[int, ...] = RAW
    table: int = 1
    round: int = 1
    sticks: int = 0
    chombo: int = 0
    chips: int = 0
    note: str = ""
    yakuman: str = ""
    fourth: str = ""


Door = Callable[[Client, Session, Played], str]
"""Enter a result; return the error message, empty if it was stored."""


def typed(session: Session, played: Played) -> dict[str, Any]:
    values: dict[str, Any] = {"do": "save", "sticks_left": played.sticks, "note": played.note}
    values |= {"yakuman_0": played.yakuman, "chombo_0": played.chombo or ""}
    values |= {"table": played.table, "round": played.round}
    values |= {"chips_0": played.chips or "", "chips_1": -played.chips or "", "chips_2": "", "chips_3": ""}
    for seat, player in enumerate(session.league.players.order_by("pk")[:4]):
        values |= {f"player_{seat}": player.pk, f"raw_{seat}": f"{played.raw[seat]:,}"}
    return values | ({"player_3": "guest", "guest_3": played.fourth} if played.fourth else {})


def said(answer: Any) -> str:
    return "" if answer.status_code == 302 else " ".join(text for _id, text in answer.context["form"].messages)


def entry_page(client: Client, session: Session, played: Played) -> str:
    return said(client.post(url("enter_session", session.league, session.pk), typed(session, played)))


def sheet(client: Client, session: Session, played: Played) -> str:
    values: dict[str, Any] = {"columns": 4, "rows": 1, "do": "save", "reason": ""}
    values |= {"round_0": played.round, "table_0": played.table, "sticks_0": played.sticks}
    for seat, player in enumerate(session.league.players.order_by("pk")[:4]):
        values |= {f"player_{seat}": player.pk, f"cell_0_{seat}": f"{played.raw[seat]:,}"}
    values |= {"player_3": "guest", "guest_3": played.fourth} if played.fourth else {}
    answer = client.post(url("grid", session.league, session.pk), values)
    if answer.status_code == 302:
        return ""
    found = answer.context["sheet"]
    return " ".join(map(str, found.problems + found.rows[0].problems + [column.problem for column in found.columns]))


def file(client: Client, session: Session, played: Played) -> str:
    del client
    names = [*FOUR[:3], played.fourth or FOUR[3]]
    lines = ["日付,卓,回戦,席,選手,素点,供託,チョンボ,チップ,役満,メモ"]
    for seat, name in enumerate(names):
        own = (played.chombo, played.chips, played.yakuman) if seat == 0 else (0, -played.chips if seat == 1 else 0, "")
        where, count = f"{DAY},{played.table},{played.round}", f"{played.raw[seat]},{played.sticks}"
        lines.append(f'{where},{"東南西北"[seat]},{name},{count},{own[0]},{own[1]},{own[2]},"{played.note}"')
    batch = batch_of(session.league, "\n".join(lines))
    decide_names(batch, {}, unknown=NEW)
    (game,) = check(batch).outcomes
    if game.status == "error":
        return " ".join(sentence(note.code, note.values) for note in game.notes)
    start_import(batch, SYSTEM)
    return ""


def interchange(client: Client, session: Session, played: Played) -> str:
    del client
    names = [*FOUR[:3], played.fourth or FOUR[3]]
    chips = (played.chips, -played.chips, 0, 0)
    hanchan = {
        "key": "h1",
        "table": played.table,
        "round": played.round,
        "sticks_left": played.sticks,
        "note": played.note,
        "chombo": [played.chombo, 0, 0, 0],
        "yakuman": [{"seat": 0, "note": played.yakuman}] if played.yakuman else [],
        "seats": [{"player": f"p{n}", "raw": raw, "chips": chips[n]} for n, raw in enumerate(played.raw)],
    }
    return stored_file(
        {
            "schema": "tenbo/1",
            "league": {"slug": "other", "name": "Other"},
            "rulesets": [{"key": CARD, "card": CARD, "parameters": CHIPS}],
            "players": [{"key": f"p{number}", "name": name} for number, name in enumerate(names)],
            "sessions": [{"key": "s1", "date": str(session.date), "ruleset": CARD, "hanchan": [hanchan]}],
        }
    )


def stored_file(document: dict[str, Any]) -> str:
    try:
        store_league(read_league(json.dumps(document).encode()), by=SYSTEM)
    except InterchangeError as error:
        return str(error)
    return ""


DOORS: dict[str, Door] = {
    "entry page": entry_page,
    "sheet": sheet,
    "file": file,
    "interchange": interchange,
}


def with_sticks(sticks: int) -> Played:
    rest = 100_000 - 1000 * sticks
    return Played(raw=(*[rest // 400 * 100] * 3, rest - rest // 400 * 300), sticks=sticks)


def with_raw(points: int) -> Played:
    return Played(raw=(points, 100_000 - points, 0, 0))


HIGHEST: dict[str, tuple[Played, Played]] = {
    "table": (Played(table=32_767), Played(table=32_768)),
    "round": (Played(round=32_767), Played(round=32_768)),
    "sticks": (with_sticks(10_000), with_sticks(10_001)),
    "chombo": (Played(chombo=99), Played(chombo=100)),
    "chips": (Played(chips=10_000_000), Played(chips=10_000_001)),
    "raw score": (with_raw(10_000_000), with_raw(10_000_100)),
    "negative raw score": (with_raw(-9_900_000), with_raw(-10_000_100)),
    "note": (Played(note="あ" * 500), Played(note="あ" * 501)),
    "yakuman": (Played(yakuman="役" * 200), Played(yakuman="役" * 201)),
    "name": (Played(fourth="名" * 40), Played(fourth="名" * 41)),
}
"""The maximum of each value, and one more."""

NOT_ON_THE_SHEET = {"chombo", "chips", "note", "yakuman"}

CASES = [
    pytest.param(door, what, id=f"{door}: {what}")
    for door in DOORS
    for what in HIGHEST
    if not (door == "sheet" and what in NOT_ON_THE_SHEET)
]


@pytest.fixture
def session(client: Client) -> Session:
    """A session in a league with chips; an owner is logged in."""
    league = make_league(card=CARD, parameters=CHIPS)
    make_players(league)
    client.force_login(make_user("ueno", league=league, role="owner"))
    return make_session(league)


@pytest.mark.parametrize(("door", "what"), CASES)
def test_maximum_is_accepted_everywhere(client: Client, session: Session, door: str, what: str) -> None:
    played = HIGHEST[what][0]
    assert DOORS[door](client, session, played) == ""
    hanchan = Hanchan.objects.get()
    game = game_of(hanchan)
    assert game.raw == played.raw
    assert (hanchan.table, hanchan.round) == (played.table, played.round)
    assert (hanchan.note, game.sticks_left) == (played.note, played.sticks)
    assert (sum(game.chombo), max(game.chips, default=0)) == (played.chombo, played.chips)
    assert [each.note for each in hanchan.incidents.filter(kind=Incident.Kind.YAKUMAN)] == [played.yakuman] * bool(
        played.yakuman
    )
    assert seats_of(hanchan)[3].player.name == (played.fourth or FOUR[3])


@pytest.mark.parametrize(("door", "what"), CASES)
def test_more_than_the_maximum_is_refused_everywhere(client: Client, session: Session, door: str, what: str) -> None:
    assert len(DOORS[door](client, session, HIGHEST[what][1])) > 10
    assert not Hanchan.objects.exists()


def corrected(client: Client, hanchan: Hanchan, **changes: Any) -> str:
    address = url("correct", hanchan.league, hanchan.pk)
    form = client.get(address).context["form"]
    values = {name: form[name].value() for name in form.fields if form[name].value() is not None} | {"do": "save"}
    # Browsers submit CRLF line ends.
    values["note"] = str(values.get("note", "")).replace("\n", "\r\n")
    return said(client.post(address, values | {"reason": "書き間違い"} | changes))


@pytest.mark.parametrize(
    "played",
    [*(most for most, _one_more in HIGHEST.values()), Played(note="あ" * 249 + "\n" + "い" * 250)],
    ids=[*HIGHEST, "note of two lines"],
)
def test_imported_maximum_can_be_corrected(client: Client, session: Session, played: Played) -> None:
    assert file(client, session, played) == ""
    hanchan = Hanchan.objects.get()
    assert corrected(client, hanchan, end_reason="time") == ""
    hanchan.refresh_from_db()
    assert (hanchan.version, hanchan.end_reason, hanchan.note) == (2, "time", played.note)


def test_imported_session_with_many_tables_can_be_changed(client: Client, session: Session) -> None:
    session.delete()
    assert file(client, session, Played(table=1500)) == ""
    found = Hanchan.objects.get().session
    values = {"date": str(found.date), "title": "第3節", "tables": found.tables}
    values |= {"ruleset_version": str(found.ruleset_version_id)}
    assert client.post(url("session_edit", session.league, found.pk), values).status_code == 302
    found.refresh_from_db()
    assert (found.title, found.tables) == ("第3節", 1500)


def adjustment(client: Client, league: League, points: str) -> bool:
    values = {"player": league.players.all()[0].pk, "day": str(DAY), "points": points, "reason": "罰"}
    client.post(url("adjustments", league), values)
    return Adjustment.objects.exists()


def session_points(client: Client, league: League, points: str) -> bool:
    values = {"hanchan": 1, "note": "表のまま", "lines": 1, "player_0": league.players.all()[0].pk, "points_0": points}
    client.post(url("session_points", league, make_session(league).pk), values)
    return SessionPoints.objects.exists()


def interchanged(client: Client, league: League, points: str) -> bool:
    del client, league
    document: dict[str, Any] = {"schema": "tenbo/1", "league": {"slug": "other", "name": "Other"}}
    document["players"] = [{"key": "p1", "name": "青木"}]
    document["adjustments"] = [{"player": "p1", "date": str(DAY), "points": points, "reason": "罰"}]
    return stored_file(document) == ""


@pytest.mark.parametrize("door", [adjustment, session_points, interchanged])
@pytest.mark.parametrize(
    ("points", "is_taken"), [("1000000", True), ("-1000000", True), ("1000000.001", False), ("-1000000.001", False)]
)
def test_points_have_the_same_maximum_everywhere(
    client: Client, session: Session, door: Callable[[Client, League, str], bool], points: str, is_taken: bool
) -> None:
    assert door(client, session.league, points) is is_taken
