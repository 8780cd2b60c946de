import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from league.models import Confirmation, Hanchan, League, Player, Revision, TableLink
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM, Actor
from league.services.people import link_user
from league.services.results import void_hanchan
from tests.league.entry_contexts import at, link_of, url
from tests.league.factories import correct, logged_in, make_league, make_players, make_session, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    return make_league(confirmed_by="one")


@pytest.fixture
def players(league: League) -> list[Player]:
    return make_players(league, 4)


@pytest.fixture
def link(league: League, players: list[Player]) -> TableLink:
    del players
    return link_of(make_session(league))


@pytest.fixture
def hanchan(link: TableLink) -> Hanchan:
    played = play(link.session)
    Hanchan.objects.filter(pk=played.pk).update(device="aa" * 8, recorded_through=link)
    return played


def at_table(link: TableLink, name: str, hanchan: Hanchan) -> str:
    return at(link, f"table_{name}", hanchan.pk)


def to(name: str, hanchan: Hanchan) -> str:
    return url(name, hanchan.league, hanchan.pk)


def tap(say: str, version: int = 1, **more: str) -> dict[str, Any]:
    return {"say": say, "version": str(version), "device": "bb" * 8, **more}


def state(hanchan: Hanchan) -> str:
    return Hanchan.objects.get(pk=hanchan.pk).state


def buttons(page: Any) -> list[str]:
    return re.findall(r'name="say" value="([^"]+)"', page.content.decode())


def test_one_tap_by_link_confirms_and_returns(link: TableLink, hanchan: Hanchan, players: list[Player]) -> None:
    client = Client(enforce_csrf_checks=True)
    assert buttons(Client().get(to("hanchan", hanchan))) == []
    page = client.get(at_table(link, "receipt", hanchan))
    assert buttons(page) == [f"{word}-{player.pk}" for player in players for word in ("agrees", "disputes")]
    assert "0/4" in page.content.decode()
    answer = client.post(at_table(link, "confirm", hanchan), tap(f"agrees-{players[1].pk}"))
    assert (answer.status_code, answer["Location"]) == (302, at_table(link, "receipt", hanchan) + "#said")
    assert not client.cookies
    assert state(hanchan) == "confirmed"
    said = hanchan.confirmations.get()
    assert (said.player, said.device, said.source, said.by) == (players[1], "bb" * 8, "table link 1", None)
    assert '<span class="tag good">卓で確認</span>' in client.get(answer["Location"]).content.decode()
    assert "1/4" in client.get(at_table(link, "receipt", hanchan)).content.decode()


def test_script_gets_only_the_confirmation(link: TableLink, hanchan: Hanchan, players: list[Player]) -> None:
    client = Client()
    sent = tap(f"disputes-{players[3].pk}", part="1")
    page = client.post(at_table(link, "confirm", hanchan), sent).content.decode()
    assert "<html" not in page
    assert "data-confirm" in page
    assert f'id="dispute-note{players[3].pk}"' in page
    noted = client.post(at_table(link, "confirm", hanchan), {**sent, "note": "Mine was 12,500"}).content.decode()
    assert "Mine was 12,500" in noted
    assert "dispute-note" not in noted


def test_league_without_confirmation_accepts_disputes(link: TableLink, hanchan: Hanchan, players: list[Player]) -> None:
    client = Client()
    League.objects.update(confirmed_by="none")
    page = client.get(at_table(link, "receipt", hanchan))
    assert buttons(page) == [f"disputes-{player.pk}" for player in players]
    client.post(at_table(link, "confirm", hanchan), tap(f"disputes-{players[0].pk}", note="another seat"))
    assert state(hanchan) == "disputed"
    assert "another seat" in client.get(at_table(link, "receipt", hanchan)).content.decode()


def test_tap_for_an_outdated_or_voided_result_is_reported(
    client: Client, link: TableLink, hanchan: Hanchan, players: list[Player]
) -> None:
    correct(hanchan)
    said = tap(f"agrees-{players[1].pk}")
    answer = client.post(at_table(link, "confirm", hanchan), said, follow=True)
    assert (answer.context["confirm"].said, state(hanchan)) == ("outdated", "recorded")
    assert hanchan.confirmations.get().version == 1
    assert 'name="version" value="2"' in answer.content.decode()
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo")
    answer = client.post(at_table(link, "confirm", hanchan), said | {"device": "cc" * 8}, follow=True)
    assert (answer.context["confirm"].said, buttons(answer)) == ("voided", [])


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"say": "agrees-organiser", "version": "1"},
        {"say": "agrees-999999", "version": "1"},
        {"say": "agrees-0", "version": "0"},
        {"say": "agrees-12345678901234567890", "version": "1"},
        {"say": "shouts-1", "version": "1"},
        {"say": "agrees-１", "version": "1"},
        {"say": "agrees-1", "version": "9" * 30},
        {"say": "agrees-1", "version": "1", "note": "x" * 301},
        {"say": "agrees-1", "version": "1", "device": "\x00"},
        {"say": "agrees-1\n", "version": "1"},
    ],
)
def test_invalid_taps_are_ignored(client: Client, link: TableLink, hanchan: Hanchan, sent: dict[str, str]) -> None:
    for more in ({}, {"part": "1"}):
        answer = client.post(at_table(link, "confirm", hanchan), sent | more)
        assert answer.status_code in {200, 302}
    assert state(hanchan) in {"recorded", "confirmed"}
    assert not Confirmation.objects.filter(player=None).exists()


def test_member_confirms_only_for_their_own_player(league: League, hanchan: Hanchan, players: list[Player]) -> None:
    client = logged_in(league, "player")
    assert buttons(client.get(to("hanchan", hanchan))) == []
    link_user(player=players[1], user=User.objects.get(username="player"), by=SYSTEM)
    own = players[1].pk
    assert buttons(client.get(to("hanchan", hanchan))) == [f"agrees-{own}", f"disputes-{own}"]
    client.post(to("confirm", hanchan), tap(f"agrees-{players[0].pk}"))
    assert not hanchan.confirmations.exists()
    answer = client.post(to("confirm", hanchan), tap(f"agrees-{own}", place="hanchan"))
    assert answer["Location"] == to("hanchan", hanchan) + "#said"
    assert state(hanchan) == "confirmed"


def test_organiser_settles_a_dispute_with_a_reason(league: League, hanchan: Hanchan, players: list[Player]) -> None:
    client = logged_in(league, "organiser")
    assert "agrees-organiser" in buttons(client.get(to("receipt", hanchan)))
    client.post(to("confirm", hanchan), tap(f"disputes-{players[2].pk}"))
    refused = client.post(to("confirm", hanchan), tap("agrees-organiser", place="hanchan"), follow=True)
    assert refused.context["confirm"].said == "reason"
    assert state(hanchan) == "disputed"
    client.post(to("confirm", hanchan), tap("agrees-organiser", note="The sheet says so"))
    assert state(hanchan) == "confirmed"
    assert "The sheet says so" in client.get(to("hanchan", hanchan)).content.decode()
    actions = Revision.objects.filter(subject="hanchan").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["recorded", "disputed", "settled"]


def heading_of(page: Any) -> str:
    return re.split(r"</(?:header|p)>\s*</?div|</header>", page.content.decode().partition('id="standing"')[2])[0]


def test_disputed_or_uncounted_result_has_no_success_mark(
    client: Client, league: League, link: TableLink, hanchan: Hanchan, players: list[Player]
) -> None:
    assert "#success" in heading_of(client.get(at_table(link, "receipt", hanchan)))
    assert "#success" in client.get(at(link)).content.decode().partition('id="news"')[2].partition("</p>")[0]
    scorer = logged_in(league, "scorer")
    assert "確認待ち" in heading_of(scorer.get(to("hanchan", hanchan)))
    answer = client.post(at_table(link, "confirm", hanchan), tap(f"disputes-{players[3].pk}", part="1"))
    for page in (answer, client.get(at_table(link, "receipt", hanchan)), scorer.get(to("hanchan", hanchan))):
        assert "#success" not in heading_of(page)
        assert "異議" in heading_of(page)
    assert "#success" not in client.get(at(link)).content.decode().partition('id="news"')[2].partition("</p>")[0]
    Hanchan.objects.update(state="recorded", as_is=True, note="a stick is missing")
    League.objects.update(unbalanced_count=False)
    assert "#success" not in heading_of(client.get(at_table(link, "receipt", hanchan)))


def test_score_table_marks_disputed_and_unconfirmed_hanchan(
    client: Client, league: League, hanchan: Hanchan, players: list[Player]
) -> None:
    address = "/en" + reverse("league:session", args=[league.slug, hanchan.session_id])
    assert "unconfirmed" in client.get(address).content.decode()
    say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.DISPUTES, 1, players[0]), by=SYSTEM)
    page = client.get(address)
    assert '<span class="tag bad">disputed</span>' in page.content.decode()
    assert [column.subtotal for column in page.context["sheet"].columns] == [21700, 1300, -4500, -18500]
    League.objects.update(disputed_count=False)
    page = client.get(address)
    assert [column.subtotal for column in page.context["sheet"].columns] == [0, 0, 0, 0]
    assert len(page.context["sheet"].rows) == 1


def hanchan_to_confirm(client: Client, league: League) -> list[Hanchan]:
    found: list[Hanchan] = client.get(url("league_home", league)).context["asked"]
    return found


@pytest.fixture
def aoki(league: League, players: list[Player]) -> Client:
    client = logged_in(league, "player", "aoki")
    link_user(player=players[0], user=User.objects.get(username="aoki"), by=SYSTEM)
    return client


def agree(hanchan: Hanchan, player: Player) -> None:
    by = Actor(User.objects.get(username="aoki"), "web")
    say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.AGREES, 1, player), by=by)


@pytest.mark.long
@pytest.mark.parametrize("policy", ["one", "all"])
def test_league_home_asks_a_player_to_confirm(league: League, players: list[Player], aoki: Client, policy: str) -> None:
    League.objects.update(confirmed_by=policy)
    session = make_session(league)
    mine = [play(session, players=players), play(session, players=players)]
    play(session, players=make_players(league, 4))
    assert hanchan_to_confirm(logged_in(league, "player", "unlinked"), league) == []
    assert hanchan_to_confirm(aoki, league) == mine
    page = aoki.get(url("league_home", league)).content.decode()
    assert f"{to('hanchan', mine[0])}#said" in page
    agree(mine[0], players[0])
    assert hanchan_to_confirm(aoki, league) == mine[1:]
    # Corrected facts need new confirmations.
    correct(mine[0])
    void_hanchan(hanchan=mine[1], by=SYSTEM, reason="twice")
    assert [each.pk for each in hanchan_to_confirm(aoki, league)] == [mine[0].pk]
    assert hanchan_to_confirm(Client(), league) == []

    for other in ("none", "organiser"):
        League.objects.update(confirmed_by=other)
        assert hanchan_to_confirm(aoki, league) == []


def test_confirmed_results_do_not_hide_older_unconfirmed_ones(
    league: League, players: list[Player], aoki: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("league.selectors.confirming.MAX_ASKED", 2)
    League.objects.update(confirmed_by="all")
    session = make_session(league)
    played = [play(session, players=players) for _number in range(6)]
    for hanchan in (*played[:3], played[5]):
        agree(hanchan, players[0])
    # Other rules change points, not confirmations.
    Hanchan.objects.filter(pk__in=[each.pk for each in played]).update(version=2)
    for hanchan in played:
        Revision.objects.create(league=league, subject="hanchan", subject_id=hanchan.pk, action="rescored")
    assert hanchan_to_confirm(aoki, league) == played[3:5]
    # Former members cannot respond and are not asked.
    league.members.filter(user__username="aoki").delete()
    assert hanchan_to_confirm(aoki, league) == []
    page = aoki.get(to("hanchan", played[3])).content.decode()
    assert 'name="say"' not in page
