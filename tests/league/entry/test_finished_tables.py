import pytest
from django.test import Client

from league.models import Hanchan, League, Player, Session
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from league.services.results import void_hanchan
from tests.league.entry_contexts import at, link_of, text, typed, url
from tests.league.factories import make_players, make_session, play

pytestmark = pytest.mark.django_db

DONE = "この卓の予定の半荘はすべて入力済みです"
SAME_SEATS = "同じ席で次の半荘"


@pytest.fixture
def players(session: Session) -> list[Player]:
    return list(session.league.players.order_by("pk"))


@pytest.fixture
def session(league: League) -> Session:
    """A session with one planned hanchan at each of three tables."""
    session = make_session(league)
    players = make_players(league, 12)
    plans = [TablePlan(table, tuple(players[4 * table - 4 : 4 * table]), 1) for table in (1, 2, 3)]
    plan_tables(session=session, plans=plans, by=SYSTEM)
    return Session.objects.get(pk=session.pk)


def entry(session: Session, table: int) -> str:
    return url("enter_session", session.league, session.pk) + f"?table={table}"


def receipt(hanchan: Hanchan) -> str:
    return url("receipt", hanchan.league, hanchan.pk)


def to_session(session: Session) -> str:
    return url("session", session.league, session.pk)


def main_action(page: str) -> str:
    return page.partition('<div class="receipt-next">')[2].partition("</a>")[0]


def test_receipt_links_to_the_next_open_table(scorer: Client, session: Session, players: list[Player]) -> None:
    second = play(session, players=players[4:8], table=2)
    page = text(scorer.get(receipt(second)))
    assert f'href="{entry(session, 3)}"' in main_action(page)
    assert "次の卓へ: 3卓" in main_action(page)
    assert SAME_SEATS not in page
    third = play(session, players=players[8:], table=3)
    assert f'href="{entry(session, 1)}"' in main_action(text(scorer.get(receipt(third))))
    assert "Next: table 1" in main_action(text(scorer.get(f"/en{receipt(third)}")))
    first = play(session, players=players[:4], table=1)
    last = text(scorer.get(receipt(first)))
    assert f'href="{to_session(session)}"' in main_action(last)
    # Another hanchan is still possible, but not the default.
    assert entry(session, 1) in last


def test_receipt_leads_to_the_next_table_of_the_round(scorer: Client, session: Session, players: list[Player]) -> None:
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[4:8]), 2)], by=SYSTEM)
    hanchan = play(session, players=players[:4])
    page = text(scorer.get(receipt(hanchan)))
    assert f'href="{entry(session, 2)}"' in main_action(page)
    assert SAME_SEATS in page
    free = make_session(session.league)
    assert SAME_SEATS in main_action(text(scorer.get(receipt(play(free)))))
    whole = make_session(session.league)
    plan_tables(session=whole, plans=[TablePlan(1, tuple(players[:4]))], by=SYSTEM)
    assert SAME_SEATS in main_action(text(scorer.get(receipt(play(whole)))))
    assert DONE not in text(scorer.get(entry(whole, 1)))


@pytest.mark.long
def test_entry_page_reports_a_finished_table(scorer: Client, session: Session, players: list[Player]) -> None:
    assert DONE not in text(scorer.get(entry(session, 1)))
    hanchan = play(session, players=players[:4])
    page = text(scorer.get(entry(session, 1)))
    notice = page.partition('id="played-out"')[2].partition("</div>")[0]
    assert DONE in notice
    assert f'href="{entry(session, 2)}"' in notice
    assert f'href="{entry(session, 3)}"' in notice
    assert f'href="{entry(session, 1)}"' not in notice
    assert "All planned hanchan at this table have been entered." in text(scorer.get(f"/en{entry(session, 1)}"))
    assert DONE not in text(scorer.get(entry(session, 2)))
    for table in (2, 3):
        play(session, players=players[4 * table - 4 : 4 * table], table=table)
    assert f'href="{to_session(session)}"' in text(scorer.get(entry(session, 1))).partition('id="played-out"')[2]
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="misread")
    assert DONE not in text(scorer.get(entry(session, 1)))


def test_finished_table_accepts_another_hanchan(scorer: Client, session: Session, players: list[Player]) -> None:
    play(session, (40000, 30000, 20000, 10000), players[:4])
    assert '<details class="fold" id="further">' in text(scorer.get(entry(session, 1)))
    # The form is open on request and after an error.
    assert '<details class="fold" id="further" open>' in text(scorer.get(f"{entry(session, 1)}&seats=same"))
    wrong = scorer.post(entry(session, 1), typed(session.league, "317", "313", "255", "112"))
    assert '<details class="fold" id="further" open>' in text(wrong)
    answer = scorer.post(entry(session, 1), typed(session.league))
    assert "対局したのはだれですか" in text(answer)
    answer = scorer.post(entry(session, 1), typed(session.league) | {"do": "seated"})
    assert answer.status_code == 302
    assert session.hanchan.get(round=2).table == 1


def test_link_of_a_finished_table_asks_to_wait(client: Client, session: Session, players: list[Player]) -> None:
    link = link_of(session)
    assert DONE not in text(client.get(at(link)))
    client.post(at(link), typed(session.league))
    page = text(client.get(at(link)))
    assert f"{DONE}。次の卓組が発表されるまでお待ちください。" in page
    assert "Wait for the next seating." in text(client.get(f"/en{at(link)}"))
    saved = text(client.get(at(link, "table_receipt", session.hanchan.get().pk)))
    assert "次の卓組が発表されるまでお待ちください。" in saved
    assert f'href="{to_session(session)}"' in main_action(saved)
    for shown in (page, saved):
        assert SAME_SEATS not in shown.partition('<template id="kept">')[0]
        assert url("enter_session", session.league, session.pk) not in shown
    # The next plan uses the same code.
    plan_tables(session=session, plans=[TablePlan(1, tuple(reversed(players[:4])), 2)], by=SYSTEM)
    assert DONE not in text(client.get(at(link)))
