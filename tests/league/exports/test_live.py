import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.models import Hanchan, League, LiveAddress, Revision, Session
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, change_player
from league.services.secret_links import renew_live_address, secret_of
from league.services.session_points import PublishedSum, enter_session_points
from league.views.live import GUESSES, READS
from tests.conftest import needs_postgresql
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle
from tests.project.test_away import only_reading

pytestmark = pytest.mark.django_db

BOARD = "/l/camarade/live/2025-11.csv"


@pytest.fixture
def session() -> Session:
    return _evening(is_public=True)


@pytest.fixture
def hidden() -> Session:
    return _evening(is_public=False)


def _evening(*, is_public: bool) -> Session:
    league = make_league(is_public=is_public)
    make_players(league)
    session = make_session(league)
    play(session)
    settle()
    return session


def rows(answer: Any) -> list[list[str]]:
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return [line.split(",") for line in answer.content.decode().splitlines()]


def organiser(league: League) -> Client:
    client = Client()
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return client


def formula_on(answer: Any) -> str:
    found = re.search(r'value="=IMPORTDATA\(&quot;http://testserver([^&]+)&quot;\)"', answer.content.decode())
    return found[1] if found else ""


@pytest.mark.parametrize("page", ["/en/l/camarade/standings/2025-11/", "session"])
def test_standings_and_session_link_to_a_spreadsheet_formula(client: Client, session: Session, page: str) -> None:
    page = f"/en/l/camarade/sessions/{session.pk}/" if page == "session" else page
    [way] = re.findall(r'href="(/en/l/camarade/live/[^"]+)"', client.get(page).content.decode())
    table = rows(client.get(formula_on(client.get(way))))
    assert "Aoki" in " ".join(table[0]) or "Aoki" in table[1]


@pytest.mark.parametrize("scope", ["2025-11", "2025", "all", "2025-11-01..2025-11-30"])
def test_standings_of_every_period_have_a_csv_address(client: Client, session: Session, scope: str) -> None:
    table = rows(client.get(f"/l/camarade/live/{scope}.csv"))
    assert table[0][:4] == ["順位", "前回順位", "選手", "ポイント"]
    assert [line[2:4] for line in table[1:3]] == [["青木", "21.7"], ["石田", "1.3"]]


def test_score_table_ends_with_totals(client: Client, session: Session) -> None:
    play(session, round=2)
    disputed = play(session, round=3)
    Hanchan.objects.filter(pk=disputed.pk).update(state="disputed")
    League.objects.update(disputed_count=False)
    [absent] = make_players(session.league, 1)
    enter_session_points(session=session, lines={absent: PublishedSum(5000, 1)}, note="came later", by=SYSTEM)
    aoki = session.league.players.get(name="青木")
    adjust(player=aoki, day=DAY, points=-2000, reason="late", by=SYSTEM)
    head, first, *_rest, besides, total = rows(client.get(f"/en/l/camarade/live/session-{session.pk}.csv"))
    assert head == ["round", "Aoki", "Ishida", "Ueno", "Eguchi", "Player 5"]
    assert first == ["1", "21.7", "1.3", "-4.5", "-18.5", ""]
    assert besides[1:] == ["-2", "0", "0", "0", "5"]
    assert total[1:] == ["41.4", "2.6", "-9", "-37", "5"]


def test_unchanged_table_is_a_304_without_reading_results(client: Client, session: Session) -> None:
    tag = client.get(BOARD).headers["ETag"]
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(BOARD, headers={"if-none-match": tag})
        again = client.get(BOARD)
    assert answer.status_code == 304
    assert rows(again)
    assert len(asked) == 2
    play(session, round=2)
    settle()
    assert client.get(BOARD, headers={"if-none-match": tag}).status_code == 200


def test_public_address_shows_public_names_to_members_too(session: Session) -> None:
    aoki = session.league.players.get(name="青木")
    change_player(player=aoki, facts=PlayerFacts("青木", visibility="members"), by=SYSTEM)
    assert "青木" not in organiser(session.league).get(BOARD).content.decode()


def test_names_that_look_like_formulas_are_escaped(client: Client, session: Session) -> None:
    aoki = session.league.players.get(name="青木")
    change_player(player=aoki, facts=PlayerFacts("=1+1"), by=SYSTEM)
    assert rows(client.get(BOARD))[1][2] == "'=1+1"
    assert rows(client.get(f"/l/camarade/live/session-{session.pk}.csv"))[0][1] == "'=1+1"


def test_secret_address_of_a_private_league_needs_no_log_in(client: Client, hidden: Session) -> None:
    desk = organiser(hidden.league)
    page = desk.get("/en/l/camarade/live/?scope=2025-11")
    assert formula_on(page) == ""
    page = desk.post("/en/l/camarade/manage/live/", {"do": "new", "asked": "scope=2025-11"}, follow=True)
    assert "Created by ishida" in page.content.decode()
    address = formula_on(page)
    answer = client.get(address)
    assert rows(answer)[1][2:4] == ["Aoki", "21.7"]
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    by_session = formula_on(desk.get(f"/en/l/camarade/live/?session={hidden.pk}"))
    assert rows(client.get(by_session))[0][:2] == ["round", "Aoki"]
    assert [each.action for each in Revision.objects.filter(subject="liveaddress")] == ["created"]
    assert "Live address" in desk.get("/en/l/camarade/manage/history/").content.decode()


def test_stored_hash_is_not_a_valid_secret(client: Client, hidden: Session) -> None:
    made = renew_live_address(league=hidden.league, by=SYSTEM)
    secret = secret_of(made)
    for stored in (made.secret_hash, made.nonce.hex):
        assert client.get(f"/live/{stored}/2025-11.csv").status_code == 404
    assert secret not in str(list(LiveAddress.objects.values()))
    assert secret not in str(list(Revision.objects.values()))


@pytest.mark.parametrize("do", ["new", "revoke"])
def test_renewed_or_revoked_secret_stops_working_at_once(client: Client, hidden: Session, do: str) -> None:
    secret = secret_of(renew_live_address(league=hidden.league, by=SYSTEM))
    assert client.get(f"/live/{secret}/2025-11.csv").status_code == 200
    organiser(hidden.league).post("/l/camarade/manage/live/", {"do": do})
    dead = client.get(f"/live/{secret}/2025-11.csv")
    unknown = client.get(f"/live/{'a' * 26}/2025-11.csv")
    assert dead.status_code == unknown.status_code == 404
    assert dead.content.decode().replace(secret, "") == unknown.content.decode().replace("a" * 26, "")
    assert hidden.league.live_addresses.filter(revoked_at=None).count() == (do == "new")


def test_secret_address_shows_only_its_league_and_no_hidden_names(client: Client, hidden: Session) -> None:
    aoki = hidden.league.players.get(name="青木")
    change_player(player=aoki, facts=PlayerFacts("青木", visibility="members"), by=SYSTEM)
    secret = secret_of(renew_live_address(league=hidden.league, by=SYSTEM))
    other = make_session(make_league("other", is_public=False))
    assert "青木" not in client.get(f"/live/{secret}/2025-11.csv").content.decode()
    assert client.get(f"/live/{secret}/session-{other.pk}.csv").status_code == 404
    assert client.get(f"/live/{secret}/yesterday.csv").status_code == 404
    assert client.get(BOARD).status_code == 302
    hidden.league.state = League.State.TAKEN_DOWN
    hidden.league.save(update_fields=["state"])
    assert client.get(f"/live/{secret}/2025-11.csv").status_code == 404


def test_guessing_and_reading_are_throttled_separately(client: Client, hidden: Session) -> None:
    made = renew_live_address(league=hidden.league, by=SYSTEM)
    secret = secret_of(made)
    answers = [client.get(f"/live/{number:026d}/all.csv").status_code for number in range(GUESSES.tries + 1)]
    assert answers == [404] * GUESSES.tries + [429]
    assert client.get(f"/live/{secret}/all.csv").status_code == 200
    for _ in range(READS.tries):
        READS.use(str(made.pk))
    assert client.get(f"/live/{secret}/all.csv").status_code == 429


def test_secret_address_works_after_the_secret_key_changed_but_is_not_shown(
    client: Client, hidden: Session, settings: Any
) -> None:
    secret = secret_of(renew_live_address(league=hidden.league, by=SYSTEM))
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key, long enough to be believed by the site", []
    assert client.get(f"/live/{secret}/all.csv").status_code == 200
    page = organiser(hidden.league).get("/en/l/camarade/live/").content.decode()
    assert secret not in page
    assert "cannot be shown again" in page


@pytest.mark.parametrize("state", ["archived", "taken_down"])
def test_owner_can_revoke_the_secret_of_an_archived_league(client: Client, hidden: Session, state: str) -> None:
    league = hidden.league
    secret = secret_of(renew_live_address(league=league, by=SYSTEM))
    desk, owner = organiser(league), Client()
    owner.force_login(make_user("ueno", league=league, role="owner"))
    League.objects.filter(pk=league.pk).update(state=state)
    assert (client.get(f"/live/{secret}/2025-11.csv").status_code == 200) is (state == "archived")
    page = owner.get("/en/l/camarade/live/").content.decode()
    assert 'value="revoke"' in page
    assert 'value="new"' not in page
    assert owner.post("/l/camarade/manage/live/", {"do": "new"}).status_code == 403
    assert desk.post("/l/camarade/manage/live/", {"do": "revoke"}).status_code in {403, 404}
    assert league.live_addresses.get().revoked_at is None
    said = owner.post("/en/l/camarade/manage/live/", {"do": "revoke"}, follow=True).content.decode()
    assert "The secret address was revoked" in said
    assert 'name="do"' not in said
    assert client.get(f"/live/{secret}/2025-11.csv").status_code == 404


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_secret_address_works_while_the_database_is_read_only(client: Client, hidden: Session) -> None:
    made = renew_live_address(league=hidden.league, by=SYSTEM)
    client.raise_request_exception = False
    with only_reading():
        assert rows(client.get(f"/live/{secret_of(made)}/2025-11.csv"))
    made.refresh_from_db()
    assert made.used_at is None
    client.get(f"/live/{secret_of(made)}/2025-11.csv")
    made.refresh_from_db()
    assert made.used_at is not None


def test_players_of_a_private_league_are_told_to_ask_an_organiser(hidden: Session) -> None:
    player = Client()
    player.force_login(make_user("eguchi", league=hidden.league, role="player"))
    page = player.get("/en/l/camarade/live/").content.decode()
    assert "An organiser can create a secret address" in page
    assert "/manage/live/" not in page
