from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client

from accounts.models import Notice, NoticeKind, NoticeMail, Preferences
from accounts.selectors.notices import lines_of, listed_notices
from accounts.services import notices
from accounts.services.notices import look_for_news
from league.models import Confirmation, Hanchan, League, Membership, Player, Session
from league.services.calendar import SessionFacts, change_session, set_session_state
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM, Actor
from league.services.planning import TablePlan, plan_tables, replan_tables
from league.services.results import void_hanchan
from tests.accounts.mail_server import MailServer
from tests.accounts.telling import EVENING, TONIGHT, make_members, minutes_after, sweep, sweep_at, told, want_mails
from tests.league.factories import make_players, make_session, make_user, play
from tests.tournaments.factories import approve_stage, make_tournament, play_stage
from tournaments.services.decisions import keep_decision

pytestmark = pytest.mark.django_db

NEXT = TONIGHT + timedelta(days=7)


@pytest.fixture
def league() -> Iterator[League]:
    with time_machine.travel(EVENING, tick=False):
        yield make_members(confirmed_by=League.ConfirmedBy.ONE)[0]


@pytest.fixture
def players(league: League) -> list[Player]:
    return list(league.players.order_by("pk"))


def subjects(server: MailServer) -> list[str]:
    return [str(mail["Subject"]).strip() for mail in server.mails]


def test_new_sessions_are_announced_in_one_mail(league: League, players: list[Player], server: MailServer) -> None:
    want_mails(players[0].user)
    for week in range(1, 4):
        make_session(league, TONIGHT + timedelta(days=7 * week))
    sweep(EVENING)
    assert server.taken == []
    sweep_at(10, 11)
    (mail,) = server.mails
    assert mail["To"] == "aoki@example.org"
    assert str(mail["Subject"]).strip() == "カマラードリーグ: お知らせ 3件"
    assert mail.get_content().count("https://tenbo.example/l/camarade/sessions/") == 3
    assert told(players[1].user) == [("announced", False)] * 3


@pytest.mark.long
def test_moved_or_cancelled_session_is_told_again(league: League, players: list[Player], server: MailServer) -> None:
    want_mails(players[0].user)
    session = make_session(league, NEXT, title="例会")
    sweep_at(0, 10)
    change_session(session=session, facts=SessionFacts(date=NEXT, title="例会", tables=3), by=SYSTEM)
    sweep_at(70, 90)
    assert len(server.taken) == 1
    change_session(session=session, facts=SessionFacts(date=NEXT + timedelta(days=1), title="例会"), by=SYSTEM)
    sweep_at(100, 120)
    set_session_state(session=session, state=Session.State.WITHDRAWN, by=SYSTEM)
    sweep_at(13 * 60, 14 * 60)
    assert subjects(server)[1:] == [
        "カマラードリーグ: 例会は2026/06/13(土)に変わりました。",
        "カマラードリーグ: 例会(2026/06/13(土))は中止になりました。",
    ]


@pytest.mark.long
def test_repeated_cancelling_sends_one_mail(league: League, players: list[Player], server: MailServer) -> None:
    want_mails(players[0].user)
    session = make_session(league, NEXT)
    sweep(EVENING)
    for minute in range(50):
        for state in (Session.State.WITHDRAWN, Session.State.OPEN):
            set_session_state(session=session, state=state, by=SYSTEM)
        if minute % 5 == 0:
            sweep(minutes_after(EVENING, minute))
    sweep_at(65, 180)
    assert len(server.taken) == 1
    assert told(players[1].user) == [("announced", False)]


def test_seat_is_announced_even_at_night(league: League, players: list[Player], server: MailServer) -> None:
    want_mails(players[1].user, NoticeKind.ANNOUNCED, language="en")
    session = make_session(league, NEXT)
    night = EVENING.replace(hour=23, minute=30)
    plan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    sweep(night)
    sweep(minutes_after(night, 10))
    (mail,) = server.mails
    assert str(mail["Subject"]).strip() == "Camarade League: Your seat for Session 1, Fri 12 Jun 2026: Table 2, South"
    assert f"https://tenbo.example/en/l/camarade/sessions/{session.pk}/" in mail.get_content()
    assert "青木" not in mail.get_content()
    plan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    sweep(minutes_after(night, 80))
    sweep(minutes_after(night, 100))
    assert len(server.taken) == 1


@pytest.mark.long
def test_removed_seat_is_told_once_to_who_knew_it(league: League, players: list[Player], server: MailServer) -> None:
    want_mails(players[1].user, NoticeKind.ANNOUNCED, language="en")
    session = make_session(league, NEXT)
    sweep(EVENING)
    plan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    sweep_at(0, 10)
    (substitute,) = make_players(league, 1)
    for plans in ([], [TablePlan(1, tuple(players))], [TablePlan(2, (players[0], substitute, *players[2:]))]):
        replan_tables(session=session, plans=plans, by=SYSTEM)
        sweep_at(70)
    sweep_at(80, 100, 180)
    assert subjects(server)[1:] == ["Camarade League: Session 1, Fri 12 Jun 2026: your seat was cancelled."]
    replan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    sweep_at(181, 200)
    assert subjects(server)[2:] == ["Camarade League: Your seat for Session 1, Fri 12 Jun 2026: Table 2, South"]


def test_removed_seat_is_not_announced_if_it_was_unknown(league: League, players: list[Player]) -> None:
    session = make_session(league, NEXT)
    plan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    sweep(EVENING)
    replan_tables(session=session, plans=[], by=SYSTEM)
    sweep_at(10)
    assert told(players[1].user) == [("announced", False)]


def test_cancelled_session_is_announced_once_to_seated_players(league: League, players: list[Player]) -> None:
    session = make_session(league, NEXT)
    sweep(EVENING)
    plan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    sweep_at(1, 20)
    league.members.filter(user=players[0].user).delete()
    set_session_state(session=session, state=Session.State.WITHDRAWN, by=SYSTEM)
    sweep_at(100, 120)
    called_off = [
        list(Notice.objects.filter(user=player.user, waits=False, facts__off=True).values_list("kind", flat=True))
        for player in players[:2]
    ]
    assert called_off == [["seat"], ["announced"]], "whoever is no member has a seat to hear of, members the evening"


def test_past_sessions_and_results_are_not_announced(league: League, players: list[Player]) -> None:
    session = make_session(league, TONIGHT - timedelta(days=1))
    plan_tables(session=session, plans=[TablePlan(1, tuple(players))], by=SYSTEM)
    play(make_session(league, TONIGHT - timedelta(days=30)), players=players, played_at=EVENING - timedelta(days=30))
    sweep(EVENING)
    assert not Notice.objects.exists()


def test_results_are_mailed_once_a_session_closes(league: League, players: list[Player], server: MailServer) -> None:
    want_mails(players[0].user, NoticeKind.ANNOUNCED)
    session = make_session(league, TONIGHT)
    last = EVENING
    for number in range(4):
        last = minutes_after(EVENING, 40 * number)
        with time_machine.travel(last, tick=False):
            play(session, players=players, played_at=last)
        sweep(last)
        sweep(minutes_after(last, 11))
    assert server.taken == []
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    sweep(minutes_after(last, 20))
    sweep(minutes_after(last, 40))
    (mail,) = server.mails
    assert str(mail["Subject"]).strip() == "カマラードリーグ: この日の結果 4件"
    assert mail.get_content().count("結果は合っていますか?") == 4
    assert told(players[1].user).count(("confirm", False)) == 4


def test_unclosed_session_is_mailed_in_the_morning(league: League, players: list[Player], server: MailServer) -> None:
    want_mails(players[0].user, NoticeKind.ANNOUNCED)
    late = EVENING.replace(hour=22)
    with time_machine.travel(late, tick=False):
        play(make_session(league, TONIGHT), players=players, played_at=late)
    sweep(late)
    sweep(minutes_after(late, 150))
    assert server.taken == []
    sweep(late + timedelta(hours=9))
    assert subjects(server) == ["カマラードリーグ: 第1節 1回戦 1卓: 結果は合っていますか?"]


def test_confirmed_results_are_not_mailed(league: League, players: list[Player], server: MailServer) -> None:
    for player in players:
        want_mails(player.user, NoticeKind.ANNOUNCED)
    hanchan = play(make_session(league, TONIGHT), players=players, played_at=EVENING, by=Actor(players[3].user, "web"))
    sweep(EVENING)
    assert told(players[3].user) == [], "who typed it need not confirm it"
    agrees = NewStatement(Confirmation.Verdict.AGREES, hanchan.version, players[0])
    say(hanchan=hanchan, statement=agrees, by=Actor(players[0].user, "web"))
    sweep_at(125)
    assert server.taken == []
    assert not Notice.objects.exists()


def test_dispute_is_announced_to_table_and_organisers_but_not_its_author(league: League, players: list[Player]) -> None:
    judge = make_user("kaneko", league=league, role="organiser")
    hanchan = play(make_session(league, TONIGHT), players=players, played_at=EVENING)
    disputes = NewStatement(Confirmation.Verdict.DISPUTES, hanchan.version, players[1], "31,700ではない")
    say(hanchan=hanchan, statement=disputes, by=Actor(players[1].user, "web"))
    sweep(EVENING)
    disputed = Notice.objects.filter(kind="disputed").values_list("user__username", flat=True)
    assert sorted(disputed) == ["aoki", "eguchi", "kaneko", "ueno"]
    for state, listed in ("disputed", 1), ("confirmed", 0):
        Hanchan.objects.filter(pk=hanchan.pk).update(state=state)
        assert len(lines_of([*Notice.objects.filter(kind="disputed", user=judge)], judge)) == listed


def test_voided_result_is_announced_to_the_table(league: League, players: list[Player]) -> None:
    hanchan = play(make_session(league, TONIGHT), players=players, played_at=EVENING)
    void_hanchan(hanchan=hanchan, reason="二重入力", by=Actor(players[0].user, "web"))
    sweep(EVENING)
    corrected = Notice.objects.filter(kind="corrected")
    assert sorted(corrected.values_list("user__username", flat=True)) == ["eguchi", "ishida", "ueno"]
    assert {each.facts["voided"] for each in corrected} == {True}


def test_advancement_is_announced(server: MailServer) -> None:
    with time_machine.travel(EVENING, tick=False):
        league, _players = make_members()
        tournament = make_tournament(league, "elimination-4", players=16, key="cup")
        play_stage(tournament, tournament.format.stages[0].key)
        approve_stage(tournament, tournament.format.stages[0].key)
    through = [
        pk
        for decision in tournament.decisions.filter(kind="advance")
        if decision.to in {each.key for each in tournament.format.stages}
        for pk in decision.body["players"]
    ]
    entry = tournament.entries.get(pk=through[0])
    user = User.objects.filter(players=entry.player).first() or make_user("through", league=league, role="player")
    Player.objects.filter(pk=entry.player_id).update(user=user)
    want_mails(user, NoticeKind.ANNOUNCED, NoticeKind.SEAT, language="en")
    sweep_at(0, 10)
    (mail,) = server.mails
    assert ": you have advanced to " in str(mail["Subject"])
    assert "https://tenbo.example/en/l/camarade/t/cup/" in mail.get_content()
    decision = next(each for each in tournament.decisions.filter(kind="advance") if entry.pk in each.body["players"])
    with time_machine.travel(minutes_after(EVENING, 20), tick=False):
        keep_decision(decision=decision, reason="確認", by=SYSTEM)
    sweep_at(21, 40)
    assert len(server.mails) == 1, "a decision made anew is no news to who was told"


def test_muted_leagues_and_kinds_are_not_mailed(league: League, players: list[Player]) -> None:
    want_mails(players[0].user, muted=(league,))
    want_mails(players[1].user, NoticeKind.ANNOUNCED)
    make_session(league, NEXT)
    sweep(EVENING)
    assert [told(player.user) for player in players] == [[], [], [("announced", True)], [("announced", True)]]


def test_notices_page_has_preferences_and_notices(league: League, players: list[Player], server: MailServer) -> None:
    session, *_ = (make_session(league, NEXT, title="例会") for _ in range(7))
    sweep(EVENING)
    client = Client()
    assert players[0].user is not None
    want_mails(players[0].user)
    client.force_login(players[0].user)
    page = client.get("/en/account/notices/").content.decode()
    assert f'href="/en/l/camarade/sessions/{session.pk}/"' in page
    assert "aoki@example.org" in page
    assert page.partition("Earlier notices")[2].count("Coming up:") == 1
    assert f'href="/en/l/camarade/sessions/{session.pk}/"' in client.get("/en/me/").content.decode()
    sent = {"by_mail": "on", "kinds": ["seat"], "leagues": [str(league.pk)]}
    assert "Preferences saved." in client.post("/en/account/notices/", sent, follow=True).content.decode()
    choices = Preferences.objects.get(user=players[0].user)
    assert (choices.by_mail, choices.notice_language, choices.origin) == (True, "en", "http://testserver/")
    assert sorted(choices.unwanted) == sorted({*NoticeKind.values} - {"seat"})
    assert client.post("/en/account/notices/", {"kinds": ["nothing"], "leagues": ["999999"]}).status_code == 200


def test_notices_follow_renumbering_and_the_clock_of_the_league(players: list[Player]) -> None:
    league = players[0].league
    session = make_session(league, NEXT)
    sweep(EVENING)
    league.time_zone = "Europe/London"
    league.save()
    Session.objects.filter(pk=session.pk).update(number=7)
    assert players[0].user is not None
    (line,) = listed_notices(players[0].user, EVENING)
    assert line.text.startswith("第7節")
    assert line.at == "2026/06/05(金) 12:00"
    for state in (Session.State.CLOSED, Session.State.WITHDRAWN):
        Session.objects.filter(pk=session.pk).update(state=state)
        assert listed_notices(players[0].user, EVENING) == []


def test_notices_page_works_without_a_mail_server(league: League, players: list[Player]) -> None:
    want_mails(players[0].user)
    make_session(league, NEXT)
    sweep_at(0, 10)
    assert told(players[0].user) == [("announced", False)]
    assert not NoticeMail.objects.exists()
    client = Client()
    assert players[0].user is not None
    client.force_login(players[0].user)
    page = client.get("/en/account/notices/").content.decode()
    assert "This site does not send e-mail." in page
    assert 'name="by_mail"' not in page
    client.post("/en/account/notices/", {"kinds": ["seat"]})
    players[0].user.preferences.refresh_from_db()
    assert players[0].user.preferences.by_mail, "what was chosen of mails stays until the site sends them again"


def test_private_league_notifies_only_current_members(server: MailServer) -> None:
    with time_machine.travel(EVENING, tick=False):
        league, players = make_members("hidden", is_public=False, name="隠れ家")
    Membership.objects.filter(user=players[1].user).delete()
    for player in players:
        want_mails(player.user)
    with time_machine.travel(EVENING, tick=False):
        plan_tables(session=make_session(league, NEXT), plans=[TablePlan(1, tuple(players))], by=SYSTEM)
    sweep(EVENING)
    assert told(players[1].user) == []
    Membership.objects.filter(user=players[2].user).delete()
    sweep_at(10)
    assert {str(mail["To"]) for mail in server.mails} == {"aoki@example.org", "eguchi@example.org"}
    Membership.objects.filter(user=players[0].user).delete()
    client = Client()
    assert players[0].user is not None
    client.force_login(players[0].user)
    assert "隠れ家" not in client.get("/account/notices/").content.decode()


def test_each_change_makes_one_notice(league: League) -> None:
    make_session(league, NEXT)
    sweep_at(0, 1, 10, 11, 200)
    assert Notice.objects.count() == 4
    league.refresh_from_db()
    assert league.news_read == league.revisions.latest("pk").pk


@pytest.mark.parametrize("point", ["_note_news", "found_now"])
def test_crash_while_looking_loses_no_notice(point: str, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    make_session(league, NEXT)
    works = getattr(notices, point)

    def crashes(*args: object, **named: object) -> None:
        works(*args, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(notices, point, crashes)
        with pytest.raises(KeyboardInterrupt):
            look_for_news(EVENING)
    assert not Notice.objects.exists()
    sweep_at(1)
    assert Notice.objects.count() == 4


def test_failing_league_does_not_block_notices_of_others(
    league: League, players: list[Player], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    player_less, _ = make_members("two")
    make_session(league, NEXT)
    make_session(player_less, NEXT)
    works = notices._note_news

    def fails(of: League, *rest: Any) -> None:
        assert of.pk != league.pk
        works(of, *rest)

    monkeypatch.setattr(notices, "_note_news", fails)
    sweep(EVENING)
    assert "cannot be read" in caplog.text
    assert told(players[0].user) == [("announced", True)]


def test_looking_for_changes_costs_one_query_if_none_exist(league: League, django_assert_num_queries: object) -> None:
    make_session(league, NEXT)
    sweep(EVENING)
    with django_assert_num_queries(1):  # type: ignore[operator]
        look_for_news(EVENING)


def test_changes_are_read_after_they_have_settled(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "SETTLES", timedelta(minutes=1))
    make_session(league, NEXT)
    latest = league.revisions.latest("pk").at
    look_for_news(latest + timedelta(seconds=50))
    assert not Notice.objects.exists()
    look_for_news(latest + timedelta(seconds=60))
    assert Notice.objects.exists()
