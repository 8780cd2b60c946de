from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from league.models import Adjustment, League, Membership, Revision, Session
from league.selectors.history import history_lines, revisions_of
from league.services.calendar import adjust, set_session_state
from league.services.history import SYSTEM, Actor
from league.services.people import PlayerFacts, change_player, merge_players
from league.services.results import TableAndTime, void_hanchan
from league.services.rules import adopt_card
from tests.league.entry_contexts import url
from tests.league.factories import DAY, correct, make_league, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db


def address(name: str, league: League, *rest: object) -> str:
    return url(name, league, *rest)


def settings_of(league: League, **changed: object) -> dict[str, Any]:
    fields = "name name_en description time_zone ledger metric entry_mode confirmed_by"
    sent: dict[str, Any] = {field: getattr(league, field) for field in fields.split()}
    sent |= dict.fromkeys(("is_public", "disputed_count", "unbalanced_count"), "on")
    sent |= {"day_boundary": "06:00", "first_month": "1", "tiebreak_1": "last_hanchan", "tiebreak_2": "shared"}
    sent |= {"minimum_month": "0", "minimum_year": "0", "minimum_all": "0"}
    return {name: value for name, value in {**sent, **changed}.items() if value is not None}


def test_changed_settings_are_saved_with_history(owner: Client, league: League) -> None:
    before = Revision.objects.count()
    owner.post(address("settings", league), settings_of(league))
    assert Revision.objects.count() == before
    changed = {"name": "青葉リーグ", "minimum_month": "4", "tiebreak_1": "best_raw", "tiebreak_2": "head_to_head"}
    answer = owner.post(address("settings", league), settings_of(league, **changed))
    assert answer.status_code == 302
    league.refresh_from_db()
    assert (league.name, league.minimum_month, league.tiebreak) == ("青葉リーグ", 4, ["best_raw", "head_to_head"])
    revision = Revision.objects.filter(subject="league", action="changed").first()
    assert revision is not None
    assert (revision.after or {})["name"] == "青葉リーグ"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        pytest.param({"name": ""}, "name", id="no name"),
        pytest.param({"time_zone": "Asia/Atlantis"}, "time_zone", id="unknown zone"),
        pytest.param({"time_zone": "../etc/passwd"}, "time_zone", id="zone as a path"),
        pytest.param({"day_boundary": "25:00"}, "day_boundary", id="no such hour"),
        pytest.param({"first_month": "13"}, "first_month", id="thirteenth month"),
        pytest.param({"minimum_month": "-1"}, "minimum_month", id="negative minimum"),
        pytest.param({"minimum_year": "99999999999999999999"}, "minimum_year", id="huge minimum"),
        pytest.param({"tiebreak_2": "last_hanchan"}, "tiebreak_2", id="same step twice"),
        pytest.param({"tiebreak_1": "shared", "tiebreak_2": "best_raw"}, "tiebreak_1", id="a step after the last"),
        pytest.param({"tiebreak_1": "coin"}, "tiebreak_1", id="unknown step"),
        pytest.param({"metric": "luck"}, "metric", id="unknown metric"),
        pytest.param({"description": "a\x00b"}, "description", id="NUL"),
    ],
)
def test_invalid_settings_name_the_field(owner: Client, league: League, changed: dict[str, Any], field: str) -> None:
    page = owner.post(address("settings", league), settings_of(league, **changed))
    assert page.status_code == 200
    assert field in page.context["form"].errors
    assert League.objects.get().name == league.name


def test_member_gets_a_role_by_user_name(owner: Client, league: League) -> None:
    make_user("ogawa")
    for role in ("scorer", "organiser"):
        owner.post(address("members", league), {"username": "ogawa", "role": role})
        assert Membership.objects.get(user__username="ogawa").role == role
    for unknown in ("nobody", "a\x00b", "x" * 200, ""):
        page = owner.post(address("members", league), {"username": unknown, "role": "owner"})
        assert page.context["form"].errors["username"]


def test_last_owner_cannot_lose_the_role(owner: Client, league: League) -> None:
    page = owner.post(address("members", league), {"username": "aoki", "role": "player"})
    assert page.context["form"].errors["role"]
    membership = Membership.objects.get(user__username="aoki")
    owner.post(address("member_remove", league, membership.pk))
    assert Membership.objects.get(pk=membership.pk).role == "owner"


@pytest.mark.parametrize(
    ("typed", "points"),
    [
        ("▲40", -40000), ("-0.5", -500), ("+１２．３", 12300), ("△7", -7000), ("1,000.0", 1000000), ("-1,5", -1500),
        ("▲０，２５", -250), ("57·2", 57200), ("1 000", 1000000), ("1.234,5", 1234500), ("−20.125", -20125), ("5pt", 5000),
    ],
)  # fmt: skip
def test_adjustment_reads_points_in_every_notation(owner: Client, league: League, typed: str, points: int) -> None:
    (player,) = make_players(league, 1)
    facts = {"player": player.pk, "day": "2025-11-21", "points": typed, "reason": "チョンボ"}
    assert owner.post(address("adjustments", league), facts).status_code == 302
    assert Adjustment.objects.get().points == points


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        *(("points", typed) for typed in ("", "0", "0.0", "x", "1.2345", "1e5", "∞", "9" * 30, "--5", "5 5 x")),
        *(("points", typed) for typed in ("\x00", "NaN", "5 0", "1,23,456")),
        *(("day", typed) for typed in ("0001-01-01", "9999-12-31", "2025-02-30", "x")),
    ],
)
def test_adjustment_refuses_invalid_points_and_days(owner: Client, league: League, field: str, typed: str) -> None:
    (player,) = make_players(league, 1)
    facts = {"player": player.pk, "day": "2025-11-21", "points": "1", "reason": "チョンボ"} | {field: typed}
    page = owner.post(address("adjustments", league), facts)
    assert page.context["form"].errors[field]
    assert page.context["form"]["reason"].value() == "チョンボ"


def test_adjustment_counts_until_it_is_withdrawn_with_a_reason(owner: Client, league: League) -> None:
    players = make_players(league, 4)
    play(make_session(league), players=players)
    adjustment = adjust(player=players[3], day=DAY, points=-40000, reason="chombo", by=SYSTEM)
    withdraw = address("adjustment_withdraw", league, adjustment.pk)
    for reason, total in (("", -58500), ("entered twice", -18500)):
        owner.post(withdraw, {"reason": reason})
        settle()
        assert players[3].standings.get(period="2025-11").total == total
    assert owner.get(address("adjustments", league)).status_code == 200
    assert owner.get(withdraw).status_code == 302


def make_every_change(league: League) -> None:
    by = Actor(make_user("recorder"), "web")
    players = make_players(league, 5)
    session = make_session(league)
    hanchan = play(session, players=players[:4], by=by)
    correct(hanchan, table_and_time=TableAndTime(table=2), by=by, reason="table")
    void_hanchan(hanchan=hanchan, by=by, reason="entered twice")
    adjust(player=players[0], day=DAY, points=-500, reason="late", by=by)
    change_player(player=players[1], facts=PlayerFacts("石田一", is_guest=True), by=by)
    merge_players(source=players[4], target=players[0], by=by, reason="one person")
    adopt_card(league=league, card_key="cinderella", name="second", by=by)
    set_session_state(session=session, state=Session.State.CLOSED, by=by)


def test_history_shows_every_kind_of_change(owner: Client, league: League) -> None:
    make_every_change(league)
    page = owner.get(address("history", league))
    assert page.status_code == 200
    entries = history_lines(league, revisions_of(league))
    assert all(entry.what and entry.action for entry in entries)
    (renamed,) = [entry for entry in entries if entry.changes and "石田一" in {c.after for c in entry.changes}]
    assert {change.before for change in renamed.changes} >= {"石田"}


def test_history_can_be_filtered(owner: Client, league: League) -> None:
    make_every_change(league)
    page = owner.get(address("history", league), {"subject": "hanchan", "action": "voided"})
    assert [entry.reason for entry in page.context["entries"]] == ["entered twice"]
    assert owner.get(address("history", league), {"subject": "nonsense", "page": "x"}).status_code == 200


def test_history_is_paged(owner: Client, league: League, django_assert_max_num_queries: Any) -> None:
    make_players(league, 60)
    with django_assert_max_num_queries(14):
        page = owner.get(address("history", league), {"page": "2"})
    assert page.context["found"].number == 2
    assert owner.get(address("history", league), {"page": "99999999999999999999"}).status_code == 200


@pytest.mark.parametrize(
    ("written", "label", "expected"),
    [
        (("tournament", {"state": "preparing"}, {"state": "running"}), "大会", ("状態", "受付中", "進行中")),
        (("entry", None, {"entries": ["青木", "石田"]}), "エントリー", ("エントリー", "", "青木・石田")),
        (
            ("decision", None, {"blocks": {"A": ["青木", "石田"]}, "seed": None}),
            "決定",
            ("ブロック", "", "A:青木・石田"),
        ),
        (("stagesession", None, {"date": "2025-11-21"}), "ステージの節", ("日付", "", "2025/11/21(金)")),
        (("novelty", {"x": [{"y": [1, None]}]}, 7), "novelty", ("x", "", "y:1・—")),
        (("decision", "text", ["a"]), "決定", None),
    ],
)
def test_history_shows_other_revisions(
    owner: Client, league: League, written: tuple[str, Any, Any], label: str, expected: tuple[str, str, str] | None
) -> None:
    subject, before, after = written
    Revision.objects.create(
        league=league, subject=subject, subject_id=7, action="changed", before=before, after=after, reason="why"
    )
    with override("ja"):
        (entry,) = history_lines(league, league.revisions.filter(subject=subject))
    assert (entry.what, entry.reason) == (label, "why")
    assert [(each.label, each.before, each.after) for each in entry.changes][:1] == ([expected] if expected else [])
    for prefix in ("", "/en"):
        assert "why" in owner.get(prefix + address("history", league), {"subject": subject}).content.decode()


def test_adjustment_can_belong_to_a_session_of_the_league(owner: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    session = make_session(league, title="第4節")
    foreign = make_session(make_league("other"))
    facts = {"player": player.pk, "day": "2025-11-21", "points": "▲40", "reason": "chombo"}
    refused = owner.post(address("adjustments", league), facts | {"session": foreign.pk})
    assert "session" in refused.context["form"].errors
    owner.post(address("adjustments", league), facts | {"session": session.pk})
    assert Adjustment.objects.get().session == session
    page = owner.get(address("adjustments", league)).content.decode()
    assert page.count("第4節") == 2
    assert "第4節" in owner.get(address("adjustment_withdraw", league, Adjustment.objects.get().pk)).content.decode()


def test_history_lists_only_changed_values(league: League) -> None:
    hanchan = play(make_session(league))
    correct(hanchan, (31300, 31700, 25500, 11500))
    (entry,) = history_lines(league, league.revisions.filter(action="corrected"))
    assert [(each.before, each.after) for each in entry.changes] == [("31,700", "31,300"), ("31,300", "31,700")]
    after: Any = league.revisions.latest("pk").after
    seats = [{**seat, "points": seat["points"] + 1000 * number} for number, seat in enumerate(after["seats"])]
    rescored = {**after, "seats": seats}
    Revision.objects.create(
        league=league, subject="hanchan", subject_id=hanchan.pk, action="rescored", before=after, after=rescored
    )
    (entry,) = history_lines(league, league.revisions.filter(action="rescored"))
    assert [each.label for each in entry.changes] == ["石田", "上野", "江口"]
    assert (entry.changes[1].before, entry.changes[1].after) == ("▲4.5", "▲2.5")


def test_adjustment_asks_about_an_ambiguous_comma(owner: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    facts = {"player": player.pk, "day": "2025-11-21", "points": "-1,000", "reason": "チョンボ"}
    page = owner.post(address("adjustments", league), facts)
    (asked,) = page.context["form"].errors["points"]
    assert "-1000" in asked
    assert "-1.000" in asked
    assert page.context["form"]["points"].value() == "-1,000"
