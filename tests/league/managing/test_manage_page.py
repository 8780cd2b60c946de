import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from league.forms.leagues import SettingsForm
from league.models import (
    Adjustment,
    Confirmation,
    HeldResult,
    Job,
    League,
    Membership,
    Player,
    Revision,
    Session,
    StalePeriod,
)
from league.selectors.history import history_lines, revisions_of
from league.selectors.inbox import inbox_of
from league.selectors.pending import missing_results, similar_names
from league.services.calendar import adjust, set_session_state
from league.services.confirming import NewStatement, say
from league.services.held_results import RejectionReason, Submission, store_held_result
from league.services.history import SYSTEM, Actor
from league.services.people import PlayerFacts, add_player, change_player, merge_players
from league.services.planning import TablePlan, plan_tables
from league.services.results import TableAndTime, void_hanchan
from league.services.rules import adopt_card
from tests.league.entry_contexts import url
from tests.league.factories import DAY, correct, make_league, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db


def settings_of(league: League, **changed: object) -> dict[str, Any]:
    fields = "name name_en description time_zone ledger metric entry_mode confirmed_by"
    sent: dict[str, Any] = {field: getattr(league, field) for field in fields.split()}
    sent |= dict.fromkeys(("is_public", "disputed_count", "unbalanced_count"), "on")
    sent |= {"day_boundary": "06:00", "first_month": "1", "tiebreak_1": "last_hanchan", "tiebreak_2": "shared"}
    sent |= {"minimum_month": "0", "minimum_year": "0", "minimum_all": "0"}
    return {name: value for name, value in {**sent, **changed}.items() if value is not None}


def test_changed_settings_are_saved_with_history(owner: Client, league: League) -> None:
    before = Revision.objects.count()
    owner.post(url("settings", league), settings_of(league))
    assert Revision.objects.count() == before
    changed = {"name": "青葉リーグ", "minimum_month": "4", "tiebreak_1": "best_raw", "tiebreak_2": "head_to_head"}
    assert owner.post(url("settings", league), settings_of(league, **changed)).status_code == 302
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
    page = owner.post(url("settings", league), settings_of(league, **changed))
    assert page.status_code == 200
    assert field in page.context["form"].errors
    (group,) = [each for each in page.context["form"].groups() if each["is_open"]]
    assert field in {each.name for each in group["fields"]}
    assert League.objects.get().name == league.name


def test_settings_say_what_is_set_before_they_are_opened(owner: Client, league: League) -> None:
    League.objects.update(is_public=False, metric="average_placement", confirmed_by="all", minimum_year=8)
    groups = owner.get("/en" + url("settings", league)).context["form"].groups()
    with override("en"):
        said = {str(group["title"]): [str(text) for text in group["now"]] for group in groups}
    assert said["Who can see the league"] == ["members only"]
    assert said["Standings"] == ["Average placement", "Ranking points"]
    assert said["Confirmation"] == ["All players at the table"]


@pytest.mark.parametrize(("language", "most"), [("ja", 17), ("en", 34)])
def test_tiebreaks_fit_their_select_on_a_phone(league: League, language: str, most: int) -> None:
    with override(language):
        names = [str(option.choice_label) for option in SettingsForm(league=league)["tiebreak_1"]]
    assert [name for name in names if len(name) > most] == []


def test_member_gets_a_role_by_user_name(owner: Client, league: League) -> None:
    league.players.create(name="小川 凪", user=make_user("ogawa"))
    for role in ("scorer", "organiser"):
        owner.post(url("members", league), {"username": "ogawa", "role": role})
        assert Membership.objects.get(user__username="ogawa").role == role
    assert "小川 凪" in owner.get(url("members", league)).content.decode()
    for unknown in ("nobody", "a\x00b", "x" * 200, ""):
        page = owner.post(url("members", league), {"username": unknown, "role": "owner"})
        assert page.context["form"].errors["username"]


def test_last_owner_cannot_lose_the_role(owner: Client, league: League) -> None:
    assert owner.post(url("members", league), {"username": "aoki", "role": "player"}).context["form"].errors["role"]
    membership = Membership.objects.get(user__username="aoki")
    owner.post(url("member_remove", league, membership.pk))
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
    assert owner.post(url("adjustments", league), facts).status_code == 302
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
    page = owner.post(url("adjustments", league), facts)
    assert page.context["form"].errors[field]
    assert page.context["form"]["reason"].value() == "チョンボ"


def test_adjustment_counts_until_it_is_withdrawn_with_a_reason(owner: Client, league: League) -> None:
    players = make_players(league, 4)
    play(make_session(league), players=players)
    adjustment = adjust(player=players[3], day=DAY, points=-40000, reason="chombo", by=SYSTEM)
    withdraw = url("adjustment_withdraw", league, adjustment.pk)
    for reason, total in (("", -58500), ("entered twice", -18500)):
        owner.post(withdraw, {"reason": reason})
        settle()
        assert players[3].standings.get(period="2025-11").total == total
    assert owner.get(url("adjustments", league)).status_code == 200
    assert owner.get(withdraw).status_code == 302


def test_history_shows_every_kind_of_change_and_can_be_filtered(owner: Client, league: League) -> None:
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
    page = owner.get(url("history", league))
    assert page.status_code == 200
    entries = history_lines(league, revisions_of(league))
    assert all(entry.what and entry.action for entry in entries)
    (renamed,) = [entry for entry in entries if entry.changes and "石田一" in {c.after for c in entry.changes}]
    assert {change.before for change in renamed.changes} >= {"石田"}
    page = owner.get(url("history", league), {"subject": "hanchan", "action": "voided"})
    assert [entry.reason for entry in page.context["entries"]] == ["entered twice"]
    assert owner.get(url("history", league), {"subject": "nonsense", "page": "x"}).status_code == 200


def test_history_is_paged(owner: Client, league: League, django_assert_max_num_queries: Any) -> None:
    make_players(league, 60)
    with django_assert_max_num_queries(14):
        page = owner.get(url("history", league), {"page": "2"})
    assert page.context["found"].number == 2
    assert owner.get(url("history", league), {"page": "99999999999999999999"}).status_code == 200


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
        assert "why" in owner.get(prefix + url("history", league), {"subject": subject}).content.decode()


def test_adjustment_can_belong_to_a_session_of_the_league(owner: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    session = make_session(league, title="第4節")
    foreign = make_session(make_league("other"))
    facts = {"player": player.pk, "day": "2025-11-21", "points": "▲40", "reason": "chombo"}
    assert "session" in owner.post(url("adjustments", league), facts | {"session": foreign.pk}).context["form"].errors
    owner.post(url("adjustments", league), facts | {"session": session.pk})
    assert Adjustment.objects.get().session == session
    assert owner.get(url("adjustments", league)).content.decode().count("第4節") == 2
    assert "第4節" in owner.get(url("adjustment_withdraw", league, Adjustment.objects.get().pk)).content.decode()


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
    page = owner.post(url("adjustments", league), facts)
    (asked,) = page.context["form"].errors["points"]
    assert "-1000" in asked
    assert "-1.000" in asked
    assert page.context["form"]["points"].value() == "-1,000"


def to(name: str, league: League, *args: object) -> str:
    return "/en" + url(name, league, *args)


def held_in(session: Session, players: list[Player], *raw: str) -> HeldResult:
    key = uuid.uuid4()
    typed = {"client_key": [str(key)], "sticks_left": ["0"], "table": ["1"], "note": ["typed in the train"]}
    typed |= {f"player_{seat}": [str(player.pk)] for seat, player in enumerate(players)}
    typed |= {f"raw_{seat}": [score] for seat, score in enumerate(raw)}
    sent = Submission(key, typed, timezone.now() - timedelta(days=2))
    refused = RejectionReason(HeldResult.Reason.SUM, "The total is 300 over.")
    held = store_held_result(session=session, table=1, sent=sent, refused=refused, by=Actor(None, "table link 1"))
    assert held is not None
    return held


def test_open_past_sessions_have_the_same_phase_as_on_their_page(owner: Client, league: League) -> None:
    players = make_players(league, 8)
    played, half = make_session(league, title="played"), make_session(league, tables=2, title="half")
    plan_tables(session=half, plans=[TablePlan(1, tuple(players[:4])), TablePlan(2, tuple(players[4:]))], by=SYSTEM)
    for session in (played, half):
        play(session, players=players[:4])
    page = " ".join(owner.get(to("manage", league)).content.decode().split())
    for session, phase in ((played, "over"), (half, "awaited")):
        mark = f'data-phase="{phase}"'
        assert re.search(rf"<b>{session} still accepts results</b> <span[^>]* {mark}", page)
        assert mark in owner.get(to("session", league, session.pk)).content.decode()
    assert [each.session for each in missing_results(league, league.day_of(timezone.now()))] == [half]


def test_planned_tables_without_a_result_are_reported_tonight_only_when_behind(owner: Client, league: League) -> None:
    players = make_players(league, 8)
    session = make_session(league, tables=2)
    plans = [TablePlan(1, tuple(players[:4]), number) for number in (1, 2, 3)]
    plans += [TablePlan(2, tuple(players[4:]), number) for number in (1, 2, 3)]
    plan_tables(session=session, plans=plans, by=SYSTEM)
    assert missing_results(league, session.date) == ()
    play(session, players=players[:4], table=1, round=1)
    assert missing_results(league, session.date) == ()
    play(session, players=players[:4], table=1, round=2)
    (missing,) = missing_results(league, session.date)
    assert missing.tables == ((1, 2),)
    assert missing_results(league, session.date - timedelta(days=1)) == ()
    (missing,) = inbox_of(league, timezone.now()).missing_results.lines
    assert missing.tables == ((1, 2), (2, 2), (3, 1), (3, 2))
    assert "4 results missing" in owner.get(to("manage", league)).content.decode()
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    assert not inbox_of(league, timezone.now()).missing_results.count


def test_held_result_is_discarded_with_a_reason(owner: Client, league: League) -> None:
    held = held_in(make_session(league), make_players(league, 4), "317", "313")
    assert "Enter a reason" in owner.post(to("held", league, held.pk)).content.decode()
    assert owner.post(to("held", league, held.pk), {"reason": "entered on paper"}).status_code == 302
    assert not inbox_of(league, timezone.now()).held.count
    assert "entered on paper" in owner.get(to("held", league, held.pk)).content.decode()
    revision = Revision.objects.first()
    assert revision is not None
    assert (revision.action, revision.reason) == ("withdrawn", "entered on paper")
    assert owner.get(to("history", league)).status_code == 200


def test_held_result_of_a_closed_session_links_to_the_session(owner: Client, league: League, session: Session) -> None:
    held = held_in(session, make_players(league, 4), "317")
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    page = owner.get(to("held", league, held.pk))
    assert not page.context["is_open"]
    assert to("session", league, session.pk) in page.content.decode()


@pytest.mark.parametrize(
    "garbage", [{}, {"player_0": ["9" * 30], "raw_0": ["x"]}, {"player_0": "1", "raw_1": None}, {"player_0": [["a"]]}]
)
def test_held_result_with_any_input_is_shown(owner: Client, league: League, garbage: dict[str, Any]) -> None:
    held = held_in(make_session(league), make_players(league, 4))
    HeldResult.objects.filter(pk=held.pk).update(typed=garbage)
    assert owner.get(to("held", league, held.pk)).status_code == 200
    assert owner.get(to("manage", league)).status_code == 200


def test_unconfirmed_and_disputed_results_are_reported(owner: Client, league: League, session: Session) -> None:
    League.objects.update(confirmed_by="all")
    first, second = play(session), play(session)
    inbox = inbox_of(league, timezone.now())
    assert [(each.session, each.count) for each in inbox.unconfirmed.lines] == [(session, 2)]
    assert inbox.unconfirmed.count == 2
    player = first.seats.select_related("player").get(seat=0).player
    say(hanchan=first, statement=NewStatement(Confirmation.Verdict.DISPUTES, 1, player), by=SYSTEM)
    inbox = inbox_of(league, timezone.now())
    assert (inbox.disputed.lines, inbox.unconfirmed.count) == ((first,), 1)
    text = owner.get(to("manage", league)).content.decode()
    assert "1 result awaits confirmation" in text
    assert to("hanchan", league, first.pk) + "#said" in text
    assert second.pk != first.pk
    League.objects.update(confirmed_by="none")
    league.refresh_from_db()
    assert not inbox_of(league, timezone.now()).unconfirmed.count


@pytest.mark.long
def test_long_inbox_shows_totals_and_all_items_on_request(owner: Client, league: League) -> None:
    League.objects.update(confirmed_by="all")
    players = make_players(league, 4)
    for number in range(7):
        session = make_session(league, league.day_of(timezone.now()) - timedelta(days=2 + number), tables=2)
        play(session, table=1)
        plan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    inbox = inbox_of(league, timezone.now())
    assert (len(inbox.missing_results.lines), inbox.missing_results.count) == (5, 7)
    assert (len(inbox.unconfirmed.lines), inbox.unconfirmed.count) == (5, 7)
    text = owner.get(to("manage", league)).content.decode()
    assert "7 results missing in total" in text
    assert "7 unconfirmed results in total" in text
    assert "7 sessions still accept results" in text
    assert 'id="todo-all"' in text
    everything = owner.get(to("manage", league), {"all": ""})
    assert len(everything.context["inbox"].missing_results.lines) == 7
    assert everything.content.decode().count("still accepts results</b>") == 7
    assert "in all" not in everything.content.decode()
    League.objects.update(confirmed_by="none")
    for number, session in enumerate(league.sessions.all()):
        if number > 1:
            set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    text = owner.get(to("manage", league)).content.decode()
    assert "in all" not in text


def test_sessions_beyond_the_limit_are_reported(owner: Client, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.selectors.pending.LOOKED_AT", 1)
    players = make_players(league, 4)
    for number in range(7):
        session = make_session(league, league.day_of(timezone.now()) - timedelta(days=2 + number))
        plan_tables(session=session, plans=[TablePlan(1, tuple(players))], by=SYSTEM)
    shown = owner.get(to("manage", league))
    assert shown.context["inbox"].unsearched == 2
    assert "2 more sessions are open and may be missing results" in shown.content.decode()
    everything = owner.get(to("manage", league), {"all": ""}).context["inbox"]
    assert (everything.missing_results.count, everything.unsearched, everything.hides_any) == (7, 0, False)


def guest(league: League, name: str, kana: str = "") -> Player:
    return add_player(league=league, facts=PlayerFacts(name, kana, is_guest=True), by=SYSTEM)


def pairs(league: League) -> list[tuple[str, str]]:
    return [(each.guest.name, each.other.name) for each in similar_names(league)]


@pytest.mark.parametrize(
    ("name", "kana"), [("青木", ""), ("アオキ", ""), ("ｱｵｷ", ""), ("青木 ", ""), ("A", "アオキ"), ("アオチャン", "")]
)
def test_guest_with_a_name_similar_to_a_name_or_alias_is_reported(league: League, name: str, kana: str) -> None:
    aoki = make_players(league, 4)[0]
    change_player(player=aoki, facts=PlayerFacts("青木", "あおき", "Aoki", "1", aliases=("あおちゃん",)), by=SYSTEM)
    guest(league, name, kana)
    assert [other for _, other in pairs(league)] == ["青木"]


def test_similar_guest_links_to_the_merge_page_until_they_play_together(owner: Client, league: League) -> None:
    players = make_players(league, 4)
    twin = guest(league, "アオキ")
    address = f"{to('player_merge', league, twin.pk)}?into={players[0].pk}"
    assert address in owner.get(to("manage", league)).content.decode()
    assert owner.get(address).context["target"] == players[0]
    play(make_session(league), players=[players[0], twin, *players[2:]])
    assert not pairs(league)


def test_members_and_inactive_guests_are_not_reported(league: League) -> None:
    make_players(league, 4)
    add_player(league=league, facts=PlayerFacts("アオキ", "あおき"), by=SYSTEM)
    assert not pairs(league)
    Player.objects.filter(pk=guest(league, "アオキ").pk).update(is_active=False)
    assert not pairs(league)


def test_empty_inbox_says_nothing_to_do(owner: Client, league: League) -> None:
    # A league with one session still sees the first steps.
    for _ in range(2):
        set_session_state(session=make_session(league), state=Session.State.CLOSED, by=SYSTEM)
    assert "Nothing waits for you." in owner.get(to("manage", league)).content.decode()


def test_league_without_rules_is_reported() -> None:
    assert not inbox_of(make_league("fresh", card=None), timezone.now()).has_rules


def test_stale_standings_are_reported_after_minutes(league: League) -> None:
    StalePeriod.objects.create(league=league, period="2025-11")
    now = timezone.now()
    assert inbox_of(league, now).stale_since is None
    assert inbox_of(league, now + timedelta(minutes=5)).stale_boards == 1


def test_failed_job_is_reported_until_one_succeeds(league: League) -> None:
    failed = Job.objects.create(league=league, kind=Job.Kind.REBUILD, state=Job.State.FAILED)
    assert inbox_of(league, timezone.now()).jobs == (failed,)
    Job.objects.create(league=league, kind=Job.Kind.REBUILD, state=Job.State.DONE)
    assert inbox_of(league, timezone.now()).jobs == ()


MODELS = [pytest.param(model, id=model.__name__) for model in apps.get_app_config("league").get_models()]


@pytest.fixture
def filled_league() -> League:
    league = make_league()
    players = make_players(league, 4)
    players[0].aliases.create(name="あおちゃん")
    play(make_session(league), players=players, yakuman=((0, "国士無双"),))
    adjust(player=players[0], day=DAY, points=1000, reason="bonus", by=SYSTEM)
    Job.objects.create(league=league, kind=Job.Kind.REBUILD)
    return league


@pytest.fixture
def support(client: Client, filled_league: League) -> Client:
    user = make_user("root", is_staff=True, is_superuser=True)
    Membership.objects.create(league=filled_league, user=user, role="owner")
    client.force_login(user)
    return client


def admin_address(model: Any, name: str, *rest: object) -> str:
    return reverse(f"admin:league_{model._meta.model_name}_{name}", args=rest)


@pytest.mark.parametrize("model", MODELS)
def test_admin_shows_every_model_and_cannot_create_or_delete_facts(model: Any, support: Client) -> None:
    assert model in admin.site._registry
    assert support.get(admin_address(model, "changelist"), {"q": "x"}).status_code == 200
    settle()
    thing = model._default_manager.first()
    if thing is None:
        return
    assert support.get(admin_address(model, "change", thing.pk)).status_code == 200
    if model.__name__ != "Membership":
        assert support.get(admin_address(model, "add")).status_code == 403
        assert support.post(admin_address(model, "delete", thing.pk), {"post": "yes"}).status_code == 403
        assert support.post(admin_address(model, "change", thing.pk), {}).status_code == 403
        assert model._default_manager.filter(pk=thing.pk).exists()


def test_admin_removes_a_member_with_history_but_keeps_the_last_owner(support: Client, filled_league: League) -> None:
    membership = Membership.objects.create(league=filled_league, user=make_user("ogawa"), role="scorer")
    support.post(admin_address(Membership, "delete", membership.pk), {"post": "yes"})
    assert not Membership.objects.filter(pk=membership.pk).exists()
    owner = Membership.objects.get(user__username="root")
    support.post(admin_address(Membership, "delete", owner.pk), {"post": "yes"})
    owner.refresh_from_db()
    assert owner.role == "owner"
    assert Revision.objects.filter(subject="membership", source="admin").count() == 1
