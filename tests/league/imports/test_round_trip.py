from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from league.core.spreadsheets.columns import RowShape
from league.exports.hanchan import FileLayout, hanchan_table, hanchan_within
from league.exports.table import FORMATS, text_chunks
from league.exports.workbook import workbook
from league.models import League, Session
from league.services.calendar import set_session_state
from league.services.history import SYSTEM
from league.services.imports.steps import checked, create_batch, start_import
from league.services.people import PlayerFacts, add_player
from league.services.results import void_hanchan
from scoring.core import Bust
from tests.league.factories import make_league, make_session, play
from tests.league.imports.files import answer, batch_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.merge]

TOKYO = ZoneInfo("Asia/Tokyo")
BUSTED = (52000, 31000, 18000, -1000)


def rich_league(slug: str = "camarade") -> League:
    league = make_league(slug, parameters={"chips": {"value": 2}}, players=4)
    odd = [
        PlayerFacts("=青木", "あおき", "Aoki 2", "007", club="=東クラブ", aliases=("ぐっさん", "a|b\\c")),
        PlayerFacts("佐藤　一郎", "", "", "", is_guest=True, visibility="members"),
        PlayerFacts("佐藤　一郎", "さとう いちろう", club="西・南"),
        PlayerFacts("'-x", "", "髙﨑"),
    ]
    others = [add_player(league=league, facts=facts, by=SYSTEM) for facts in odd]
    others[3].is_active = False
    others[3].save()
    first = make_session(league, title="第3節", venue="雀荘①, 二階", tables=2)
    play(first, played_at=datetime(2025, 11, 21, 19, 5, 3, 141592, tzinfo=TOKYO), note='"引用", 改行\nあり')
    play(first, BUSTED, others, busts=[Bust(3, "win", winners=(0,))], table=2, chips=(3, 0, 0, -3))
    play(first, BUSTED, others[::-1], busts=[Bust(3, "draw", tenpai=(0, 2))], table=2)
    void_hanchan(hanchan=play(first, sticks_left=0, chombo=(0, 1, 0, 0)), by=SYSTEM, reason="twice")
    second = make_session(league, date(2025, 12, 31))
    play(
        second, yakuman=[(0, "国士無双"), (0, ""), (2, "大三元|a")], played_at=datetime(2026, 1, 1, 2, 0, tzinfo=TOKYO)
    )
    play(second)
    play(second)
    play(second, (40000, 30000, 20000, 2300), note="the book", as_is=True)
    play(second, points=(55_000, 9_000, -20_000, -44_000))
    set_session_state(session=second, state=Session.State.CLOSED, by=SYSTEM)
    return league


def empty_copy(league: League) -> League:
    copy = make_league("copy", card=None)
    for ruleset in league.rulesets.order_by("pk"):
        made = copy.rulesets.create(key=ruleset.key, name=ruleset.name, card=ruleset.card)
        for version in ruleset.versions.order_by("number"):
            own = made.versions.create(number=version.number, parameters=version.parameters)
            if league.current_version == version:
                copy.current_version = own
    copy.save()
    return copy


def exported(league: League, code: str, shape: FileLayout, *, by_month: bool = False) -> bytes:
    table = hanchan_table(league, hanchan_within(league), User(username="owner", is_superuser=True), shape)
    if FORMATS[code].is_workbook:
        with workbook(table, by_month=by_month) as file:
            return file.read()
    return b"".join(text_chunks(table, FORMATS[code]))


EVERY_WAY = [
    pytest.param(code, FileLayout(form, languages, exact=True), False, id=f"{code}-{form}-{languages}")
    for code in FORMATS
    for form, languages in ((RowShape.LONG, "both"), (RowShape.WIDE, "en"))
]


@pytest.mark.parametrize(
    ("code", "shape", "by_month"),
    [*EVERY_WAY, pytest.param("xlsx", FileLayout(exact=True), True, id="a sheet per month")],
)
def test_file_brings_nothing_into_the_league_it_comes_from(code: str, shape: FileLayout, *, by_month: bool) -> None:
    league = rich_league()
    data = exported(league, code, shape, by_month=by_month)
    report = checked(create_batch(league=league, file_name="", data=data, by=SYSTEM))
    # The voided one is left out.
    assert (report.added, report.same, report.errors) == (0, 8, 0), report
    assert (report.people, report.sessions, report.warnings) == ((), (), 0), report.rows


@pytest.mark.parametrize("shape", [FileLayout(), FileLayout(RowShape.WIDE), FileLayout(languages="en")])
def test_page_rows_suffice_to_recognise_every_hanchan(shape: FileLayout) -> None:
    league = make_league(parameters={"chips": {"value": 2}})
    session = make_session(league)
    play(session)
    play(session, BUSTED, busts=[Bust(3, "win", winners=(0,))], chips=(3, 0, 0, -3), note="長い夜")
    play(session, BUSTED, busts=[Bust(3, "draw", tenpai=(0, 2))], chombo=(0, 1, 0, 0))
    play(session, (31700, 31300, 25500, 10500), sticks_left=1)
    data = exported(league, "csv", shape)
    report = checked(create_batch(league=league, file_name="", data=data, by=SYSTEM))
    assert (report.added, report.same, report.errors) == (0, 4, 0), report
    copy = empty_copy(league)
    batch = batch_of(copy, data)
    # Equal results in a row are separate hanchan here.
    answer(batch, asked="take")
    start_import(batch, SYSTEM)
    assert exported(copy, "csv", shape) == data
