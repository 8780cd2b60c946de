import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.models import Confirmation, Hanchan, HeldResult, Job, League, Player, Revision, Session, StalePeriod
from league.selectors.inbox import inbox_of
from league.selectors.pending import missing_results, similar_names
from league.services.calendar import set_session_state
from league.services.confirming import NewStatement, say
from league.services.held_results import RejectionReason, Submission, store_held_result
from league.services.history import SYSTEM, Actor
from league.services.people import PlayerFacts, add_player, change_player
from league.services.planning import TablePlan, plan_tables
from tests.league.entry_contexts import url
from tests.league.factories import make_league, make_players, make_session, play

pytestmark = pytest.mark.django_db


def to(name: str, league: League, *args: object) -> str:
    return "/en" + url(name, league, *args)


def typed(players: list[Player], *raw: str) -> dict[str, list[str]]:
    people = {f"player_{seat}": [str(player.pk)] for seat, player in enumerate(players)}
    scores = {f"raw_{seat}": [score] for seat, score in enumerate(raw)}
    return {**people, **scores, "sticks_left": ["0"], "table": ["1"], "note": ["typed in the train"]}


def held_in(session: Session, players: list[Player], *raw: str, key: uuid.UUID | None = None) -> HeldResult:
    key = key or uuid.uuid4()
    sent = Submission(key, {**typed(players, *raw), "client_key": [str(key)]}, timezone.now() - timedelta(days=2))
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


def test_planned_tables_without_a_result_are_reported(owner: Client, league: League) -> None:
    players = make_players(league, 8)
    session = make_session(league, tables=2)
    plans = [TablePlan(1, tuple(players[:4]), number) for number in (1, 2)]
    plans += [TablePlan(2, tuple(players[4:]), number) for number in (1, 2)]
    plan_tables(session=session, plans=plans, by=SYSTEM)
    play(session, players=players[:4], table=1, round=1)
    (missing,) = inbox_of(league, timezone.now()).missing_results
    assert missing.tables == ((1, 2), (2, 1), (2, 2))
    assert "3 results missing" in owner.get(to("manage", league)).content.decode()
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    assert not inbox_of(league, timezone.now()).missing_results


def test_tables_of_tonight_are_reported_only_when_behind(league: League) -> None:
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


def test_held_result_is_shown_as_typed_and_completed(owner: Client, league: League, session: Session) -> None:
    players, key = make_players(league, 4), uuid.uuid4()
    held = held_in(session, players, "317", "313", "255", "118", key=key)
    inbox = inbox_of(league, timezone.now())
    assert [each.held for each in inbox.held] == [held]
    assert inbox.held[0].is_late
    page = owner.get(to("held", league, held.pk))
    text = page.content.decode()
    assert "The total is 300 over." in text
    assert page.context["typed"].lines[3] == (players[3].name, "118")
    entry = owner.get(page.context["enter_url"]).content.decode()
    assert str(key) in entry
    assert 'value="118"' in entry
    sent = {name: texts[0] for name, texts in typed(players, "317", "313", "255", "115").items()}
    owner.post(to("enter_session", league, session.pk), sent | {"client_key": str(key), "do": "save"})
    held.refresh_from_db()
    assert held.hanchan == Hanchan.objects.get()
    assert not inbox_of(league, timezone.now()).held
    assert owner.get(to("held", league, held.pk)).status_code == 302


def test_held_result_is_discarded_with_a_reason(owner: Client, league: League) -> None:
    held = held_in(make_session(league), make_players(league, 4), "317", "313")
    assert "Enter a reason" in owner.post(to("held", league, held.pk)).content.decode()
    assert owner.post(to("held", league, held.pk), {"reason": "entered on paper"}).status_code == 302
    assert not inbox_of(league, timezone.now()).held
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
    "garbage",
    [
        {},
        {"player_0": []},
        {"player_0": ["9" * 30], "raw_0": ["x"]},
        {"player_0": ["０"], "guest_0": ["<b>"]},
        {"player_0": "1", "raw_1": None},
        {"player_0": [["a"]]},
    ],
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
    assert [(each.session, each.count) for each in inbox.unconfirmed] == [(session, 2)]
    assert inbox.unconfirmed_count == 2
    player = first.seats.select_related("player").get(seat=0).player
    say(hanchan=first, statement=NewStatement(Confirmation.Verdict.DISPUTES, 1, player), by=SYSTEM)
    inbox = inbox_of(league, timezone.now())
    assert (inbox.disputed, inbox.unconfirmed_count) == ((first,), 1)
    text = owner.get(to("manage", league)).content.decode()
    assert "1 result awaits confirmation" in text
    assert to("hanchan", league, first.pk) + "#said" in text
    assert second.pk != first.pk
    League.objects.update(confirmed_by="none")
    league.refresh_from_db()
    assert not inbox_of(league, timezone.now()).unconfirmed


@pytest.mark.long
def test_long_inbox_shows_totals_and_all_items_on_request(owner: Client, league: League) -> None:
    League.objects.update(confirmed_by="all")
    players = make_players(league, 4)
    for number in range(7):
        session = make_session(league, league.day_of(timezone.now()) - timedelta(days=2 + number), tables=2)
        play(session, table=1)
        plan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    inbox = inbox_of(league, timezone.now())
    assert (len(inbox.missing_results), inbox.missing_count) == (5, 7)
    assert (len(inbox.unconfirmed), inbox.unconfirmed_count) == (5, 7)
    text = owner.get(to("manage", league)).content.decode()
    assert "7 results missing in total" in text
    assert "7 unconfirmed results in total" in text
    assert "7 sessions still accept results" in text
    assert 'id="todo-all"' in text
    everything = owner.get(to("manage", league), {"all": ""})
    assert len(everything.context["inbox"].missing_results) == 7
    assert everything.content.decode().count("still accepts results</b>") == 7
    assert "in all" not in everything.content.decode()
    League.objects.update(confirmed_by="none")
    for number, session in enumerate(league.sessions.all()):
        if number > 1:
            set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    text = owner.get(to("manage", league)).content.decode()
    assert "in all" not in text


def test_sessions_beyond_the_limit_are_reported(owner: Client, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.selectors.inbox.LOOKED_AT", 1)
    players = make_players(league, 4)
    for number in range(7):
        session = make_session(league, league.day_of(timezone.now()) - timedelta(days=2 + number))
        plan_tables(session=session, plans=[TablePlan(1, tuple(players))], by=SYSTEM)
    shown = owner.get(to("manage", league))
    assert shown.context["inbox"].unsearched == 2
    assert "2 more sessions are open and may be missing results" in shown.content.decode()
    everything = owner.get(to("manage", league), {"all": ""}).context["inbox"]
    assert (everything.missing_count, everything.unsearched, everything.hides_any) == (7, 0, False)


def guest(league: League, name: str, kana: str = "") -> Player:
    return add_player(league=league, facts=PlayerFacts(name, kana, is_guest=True), by=SYSTEM)


def pairs(league: League) -> list[tuple[str, str]]:
    return [(each.guest.name, each.other.name) for each in similar_names(league)]


@pytest.mark.parametrize(("name", "kana"), [("青木", ""), ("アオキ", ""), ("ｱｵｷ", ""), ("青木 ", ""), ("A", "アオキ")])
def test_guest_with_a_similar_name_is_reported(league: League, name: str, kana: str) -> None:
    make_players(league, 4)
    guest(league, name, kana)
    assert [other for _, other in pairs(league)] == ["青木"]


def test_guest_with_a_name_similar_to_an_alias_is_reported(league: League) -> None:
    aoki = make_players(league, 4)[0]
    facts = PlayerFacts("青木", "あおき", "Aoki", "1", aliases=("あおちゃん",))
    change_player(player=aoki, facts=facts, by=SYSTEM)
    guest(league, "アオチャン")
    assert pairs(league) == [("アオチャン", "青木")]


def test_guest_who_played_with_the_namesake_is_not_reported(league: League) -> None:
    players = make_players(league, 4)
    other = guest(league, "アオキ")
    assert pairs(league)
    play(make_session(league), players=[players[0], other, *players[2:]])
    assert not pairs(league)


def test_members_and_inactive_guests_are_not_reported(league: League) -> None:
    make_players(league, 4)
    add_player(league=league, facts=PlayerFacts("アオキ", "あおき"), by=SYSTEM)
    assert not pairs(league)
    gone = guest(league, "アオキ")
    Player.objects.filter(pk=gone.pk).update(is_active=False)
    assert not pairs(league)


def test_similar_names_link_to_the_merge_page(owner: Client, league: League) -> None:
    aoki = make_players(league, 4)[0]
    twin = guest(league, "アオキ")
    address = f"{to('player_merge', league, twin.pk)}?into={aoki.pk}"
    assert address in owner.get(to("manage", league)).content.decode()
    assert owner.get(address).context["target"] == aoki


def test_empty_inbox_says_nothing_to_do(owner: Client, league: League) -> None:
    # A league with one session still sees the first steps.
    for _ in range(2):
        set_session_state(session=make_session(league), state=Session.State.CLOSED, by=SYSTEM)
    assert "Nothing to do today." in owner.get(to("manage", league)).content.decode()


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
