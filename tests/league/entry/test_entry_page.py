from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.test import Client

from league.models import Hanchan, League, PlannedSeat, Revision, Session
from league.models.plans import EVERY_ROUND
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player
from league.services.rules import save_version
from league.views.receipts import UNDO_GRACE, UNDO_SECONDS
from scoring.core import Bust
from tests.league.entry_contexts import EVENING, text, typed, url
from tests.league.factories import make_league, make_session, make_user, play, points_of, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    return make_league(players=6)


def test_tonights_session_is_started_with_one_button(scorer: Client, league: League) -> None:
    last = make_session(league, (EVENING - timedelta(days=7)).date(), venue="荻窪", tables=2)
    with time_machine.travel(EVENING):
        page = text(scorer.get(url("enter", league)))
        first = scorer.post(url("enter", league))
        second = scorer.post(url("enter", league))
    for hours in (0, 6):
        with time_machine.travel(EVENING + timedelta(hours=hours)):
            assert scorer.get(url("enter", league))["Location"] == first["Location"]
    assert "今日の節を始める" in page
    assert last.title in page
    session = Session.objects.get(date=EVENING.date())
    assert first["Location"] == second["Location"] == url("enter_session", league, session.pk)
    assert (session.title, session.venue, session.tables) == ("", "荻窪", 2)
    Session.objects.update(state="closed")
    with time_machine.travel(EVENING):
        page = text(scorer.get(url("enter", league)))
    assert "本日の節は締め切りました" in page
    assert "入力漏れがあるときは、幹事に節を再開してもらってください。" in page
    assert "再開する" not in page


def test_organiser_reopens_a_closed_session_where_results_are_entered(organiser: Client, league: League) -> None:
    session, _other = make_session(league, EVENING.date()), make_session(league, EVENING.date())
    Session.objects.update(state="closed")
    reopen = url("session_state", league, session.pk)
    with time_machine.travel(EVENING):
        chosen = organiser.get(f"/en{url('enter', league)}").content.decode()
        entry = organiser.get(f"/en{url('enter_session', league, session.pk)}").content.decode()
    assert "Today's sessions are closed" in chosen
    assert all(f'action="/en{reopen}"' in page for page in (chosen, entry))
    opened = organiser.post(reopen, {"state": "open", "then": "enter_session"})
    assert opened["Location"] == url("enter_session", league, session.pk)


def test_session_cannot_start_without_rules(client: Client) -> None:
    league = make_league("new", card=None)
    client.force_login(make_user(league=league, role="scorer"))
    assert "リーグのルールがまだ決まっていません" in text(client.post(url("enter", league)))
    assert not league.sessions.exists()


def test_result_is_saved_from_three_scores(scorer: Client, league: League) -> None:
    response = scorer.post(url("enter_session", league, make_session(league, tables=3).pk) + "?table=3", typed(league))
    hanchan = Hanchan.objects.get()
    assert response["Location"] == url("receipt", league, hanchan.pk)
    assert hanchan.table == 3
    assert points_of(hanchan) == [21700, 1300, -4500, -18500]
    assert [seat.settlement for seat in hanchan.seats.order_by("seat")] == [31000, 6000, -9000, -28000]
    revision = Revision.objects.get(subject="hanchan")
    assert (revision.by_name, revision.source) == ("ueno", "web")


def test_saving_a_page_again_with_other_scores_keeps_the_first(scorer: Client, league: League) -> None:
    address = url("enter_session", league, make_session(league).pk)
    sent = typed(league)
    assert "この画面の結果は" not in text(scorer.post(address, sent, follow=True))
    assert "この画面の結果は、下のとおり登録済みです" in text(
        scorer.post(address, sent | {"raw_0": "300"}, follow=True)
    )
    assert points_of(Hanchan.objects.get()) == [21700, 1300, -4500, -18500]


@pytest.mark.parametrize("button", ["check", "swap-0", "sticks-1", "negate-3"])
def test_buttons_save_nothing(scorer: Client, league: League, session: Session, button: str) -> None:
    page = scorer.post(url("enter_session", league, session.pk), typed(league, do=button))
    assert page.status_code == 200
    if button == "check":
        assert all(shown in text(page) for shown in ("+21.7", "+31", 'value="115"'))
    assert not Hanchan.objects.exists()


def test_invalid_input_is_kept(scorer: Client, league: League, session: Session) -> None:
    sent = typed(league, "３１７", "31.3", "255", "105", note="<b>メモ</b>", player_3="guest", guest_3="小川")
    page = text(scorer.post(url("enter_session", league, session.pk), sent))
    assert "合計が1,000点足りません" in page
    for kept in ('value="３１７"', 'value="31.3"', "&lt;b&gt;メモ&lt;/b&gt;", 'value="小川"', sent["client_key"]):
        assert kept in page
    assert 'value="sticks-1"' in page
    assert not league.players.filter(name="小川").exists()


def test_entry_page_seats_the_last_players_again(scorer: Client, league: League, session: Session) -> None:
    players = list(league.players.order_by("pk"))
    seated = [players[4], players[2], players[0], players[5]]
    play(session, players=seated)
    page = text(scorer.get(url("enter_session", league, session.pk)))
    for player in seated:
        assert f'<option value="{player.pk}" selected>' in page
    assert "2回戦" in page
    assert 'value="" selected' in text(scorer.get(url("enter_session", league, session.pk) + "?draw=1"))


@pytest.mark.parametrize("plan", ["none", "of the session", "by round"])
def test_entry_begins_with_the_table_that_has_played_least(scorer: Client, league: League, plan: str) -> None:
    session, players = make_session(league, tables=2), league.players.order_by("pk")
    for number in {"none": (), "of the session": (EVERY_ROUND,), "by round": (1, 2, 3)}[plan]:
        for table in (1, 2):
            at_table = {"round": number, "table": table, "seat": 0, "player": players[table]}
            PlannedSeat.objects.create(session=session, **at_table)
    for table, number in ((1, 1), (2, 1), (1, 2)):
        play(session, table=table, round=number, even_if_others=True)
    assert scorer.get(url("enter_session", league, session.pk)).context["entry_context"].table == 2


def test_closed_session_and_unfinished_rules_refuse_results(scorer: Client, league: League, session: Session) -> None:
    Session.objects.update(state="closed")
    assert "この節は締め切られています" in text(scorer.post(url("enter_session", league, session.pk), typed(league)))
    rules = league.rulesets.get()
    parameters = {name: value for name, value in rules.versions.get().parameters.items() if name != "uma"}
    unfinished = save_version(ruleset=rules, parameters=parameters, note="", by=SYSTEM)
    session = make_session(league, ruleset_version=unfinished)
    assert "ルールが未設定のため計算できません" in text(scorer.get(url("enter_session", league, session.pk)))
    assert not Hanchan.objects.exists()


def test_preview_shows_points_of_both_ledgers(scorer: Client, league: League, session: Session) -> None:
    page = text(scorer.post(url("enter_preview", league, session.pk), typed(league)))
    for points in ("+21.7", "+1.3", "▲4.5", "▲18.5", "+31", "+6", "▲9", "▲28"):
        assert points in page
    assert "<html" not in page
    assert not Hanchan.objects.exists()
    unseated = {name: value for name, value in typed(league).items() if not name.startswith("player")}
    page = text(scorer.post(url("enter_preview", league, session.pk), unseated))
    assert "+21.7" in page
    assert "東家" in page


def test_receipt_shows_ranks_while_the_standings_are_stale(scorer: Client, league: League, session: Session) -> None:
    players = list(league.players.order_by("pk"))
    play(session, (10000, 20000, 30000, 40000), players[:4])
    settle()
    play(session, (90000, 5000, 5000, 0), [players[0], players[1], players[2], players[4]], table=2)
    receipt = Hanchan.objects.order_by("-pk")[0]
    page = scorer.get(url("receipt", league, receipt.pk))
    context = page.context
    assert {move.player.name: (move.before, move.after) for move in context["effects"][0].seated} == {
        players[0].name: (4, 1),
        players[1].name: (3, 5),
        players[2].name: (2, 3),
        players[4].name: (None, 4),
    }
    assert [move.player.name for move in context["effects"][0].others] == [players[3].name]
    assert context["board"].is_stale
    links = [url("standings", league, "2025-11"), url("standings", league, "2025"), url("undo", league, receipt.pk)]
    for link in (*links, url("enter_session", league, session.pk) + "?table=2"):
        assert link in text(page)


def test_undone_result_can_be_entered_again(scorer: Client, league: League) -> None:
    session = make_session(league, tables=2)
    busted = Bust(seat=3, by="draw", tenpai=(0, 2))
    play(session, (40000, 20000, 30000, 10000), table=2)
    undone = play(session, (55000, 31300, 25500, -11800), busts=[busted], table=2, note="長い夜", chombo=(0, 1, 0, 0))
    again = f"{url('enter_session', league, session.pk)}?table=2&again={undone.pk}"
    assert "raw_0" not in scorer.get(again).context["form"].data
    scorer.post(url("undo", league, undone.pk))
    assert again.replace("&", "&amp;") in scorer.get(url("receipt", league, undone.pk)).content.decode()
    form = scorer.get(again).context["form"]
    assert form.is_valid(), form.errors
    # One score was wrong, and with it the one that was filled in.
    typed = {**form.data.dict(), **{name: form.data.getlist(name) for name in form.data}, "raw_0": "520", "save": ""}
    answer = scorer.post(url("enter_session", league, session.pk), typed)
    hanchan = Hanchan.objects.valid().latest("pk")
    assert answer["Location"] == url("receipt", league, hanchan.pk)
    assert [seat.raw_score for seat in hanchan.seats.order_by("seat")] == [52000, 31300, 25500, -8800]
    assert (hanchan.round, hanchan.table, hanchan.note) == (undone.round, 2, "長い夜")
    assert hanchan.key != undone.key
    bust, chombo = hanchan.incidents.get(kind="bust"), hanchan.seats.get(seat=1).chombo
    assert (bust.detail["tenpai"], chombo) == ([0, 2], 1)


def test_receipt_offers_undo_until_its_deadline(scorer: Client, league: League) -> None:
    with time_machine.travel(EVENING):
        hanchan = play(make_session(league))
    with time_machine.travel(EVENING + timedelta(seconds=UNDO_SECONDS + UNDO_GRACE + 1)):
        assert scorer.post(url("undo", league, hanchan.pk))["Location"].endswith("#take-back")
        assert "data-undo" not in text(scorer.get(url("receipt", league, hanchan.pk)))
    hanchan.refresh_from_db()
    assert not hanchan.is_voided
    with time_machine.travel(EVENING + timedelta(minutes=4)):
        page = text(scorer.get(url("receipt", league, hanchan.pk)))
        assert f"{EVENING.astimezone(ZoneInfo(league.time_zone)) + timedelta(seconds=UNDO_SECONDS):%H:%M}まで" in page
        assert page.index("data-undo") < page.index("<table")
        done = scorer.post(url("undo", league, hanchan.pk))
        assert done["Location"] == url("receipt", league, hanchan.pk)
        assert "どこにも数えられません" in text(scorer.get(done["Location"]))
        assert "登録直後の取り消し" in text(scorer.get(url("hanchan", league, hanchan.pk)))
    hanchan.refresh_from_db()
    assert hanchan.is_voided


def test_entry_pages_need_few_queries(
    scorer: Client, league: League, session: Session, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        add_player(league=league, facts=PlayerFacts(f"客{number}"), by=SYSTEM)
    hanchan = [play(session) for _ in range(12)][-1]
    settle()
    # The receipt also queries whether its session belongs to a tournament.
    for name, pk, most in [("enter_session", session.pk, 12), ("receipt", hanchan.pk, 23), ("hanchan", hanchan.pk, 12)]:
        with django_assert_max_num_queries(most):
            scorer.get(url(name, league, pk))
    with django_assert_max_num_queries(11):
        scorer.post(url("enter_preview", league, session.pk), typed(league))
