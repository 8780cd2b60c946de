import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from accounts.models import Claim
from accounts.services.claims import accept_claim, claim_player
from accounts.services.invitations import WayInError
from accounts.views.claims import CLAIMS
from league.models import League, Membership, Player, Revision
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player, link_user, merge_players
from tests.accounts.factories import html
from tests.league.factories import client_of, logged_in, make_players, make_user
from tests.league.people.test_users_of_players import user_of
from tests.league.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def players(league: League) -> list[Player]:
    return make_players(league, 3)


@pytest.fixture
def organiser(league: League) -> Client:
    return logged_in(league, "organiser", "ishida")


def page_of(player: Player) -> str:
    return "/en" + reverse("stats:player", args=[player.league.slug, player.pk])


def claim_of(player: Player) -> str:
    return "/en" + reverse("accounts:claim", args=[player.league.slug, player.pk])


def test_player_is_claimed_on_their_page_and_accepted_in_the_inbox(
    guest: Client, organiser: Client, league: League, players: list[Player], tanaka: User
) -> None:
    assert claim_of(players[0]) in html(guest, page_of(players[0]))
    guest.post(claim_of(players[0]), {"do": "claim", "note": "I played on Friday."})
    claim = Claim.objects.get()
    assert "The organisers will check it" in html(guest, claim_of(players[0]))
    home, inbox = (f"/en{reverse(f'league:{name}', args=[league.slug])}" for name in ("league_home", "manage"))
    answer = "/en" + reverse("accounts:claim_answer", args=[league.slug, claim.pk])
    assert answer in html(organiser, inbox)
    assert "1 request waits" in html(organiser, home)
    assert "1 request waits" not in html(guest, home)
    assert "I played on Friday." in html(organiser, answer)
    assert organiser.post(answer, {"do": "accept"})["Location"] == page_of(players[0])
    assert user_of(players[0]) == tanaka
    assert league.members.get(user=tanaka).role == Membership.Role.PLAYER
    assert "You are this player" in html(guest, claim_of(players[0]))
    assert answer not in html(organiser, "/en" + reverse("league:manage", args=[league.slug]))


def test_claim_button_is_shown_where_a_claim_can_be_made(guest: Client, players: list[Player], tanaka: User) -> None:
    assert claim_of(players[1]) not in html(Client(), page_of(players[1]))
    assert claim_of(players[1]) in html(guest, page_of(players[1]))
    link_user(player=players[0], user=tanaka, by=SYSTEM)
    assert claim_of(players[1]) not in html(guest, page_of(players[1]))
    assert "This is not me" in html(guest, page_of(players[0]))
    other = client_of(make_user("suzuki"))
    assert claim_of(players[0]) not in html(other, page_of(players[0]))
    assert claim_of(players[1]) in html(other, page_of(players[1]))


def test_organiser_reads_edit_before_the_menu_of_a_player(organiser: Client, players: list[Player]) -> None:
    head, _menu = html(organiser, page_of(players[1])).split('class="menu"', 1)
    edit = "/en" + reverse("league:player_edit", args=[players[1].league.slug, players[1].pk])
    assert head.index(edit) < head.index(claim_of(players[1]))


def test_organiser_is_linked_at_once(organiser: Client, league: League, players: list[Player]) -> None:
    who = "/en" + reverse("accounts:who", args=[league.slug])
    players[2].romanised = "Ishida"
    players[2].save()
    asked = html(organiser, who)
    assert asked.index(claim_of(players[2])) < asked.index(claim_of(players[0]))
    alike = [
        add_player(league=league, facts=PlayerFacts(name), by=SYSTEM) for name in ("さとう けん", "佐藤 健", "相沢 遥")
    ]
    page = html(client_of(make_user("さとう健", league=league, role="player")), who)
    first, second, other = (page.index(claim_of(player)) for player in alike)
    assert first < second < page.index(claim_of(players[0]))
    assert second < other
    organiser.post(claim_of(players[2]), {"do": "claim"})
    assert user_of(players[2]) == User.objects.get(username="ishida")
    assert Claim.objects.get().state == Claim.State.ACCEPTED


def test_refused_claim_says_why(guest: Client, organiser: Client, league: League, players: list[Player]) -> None:
    guest.post(claim_of(players[0]), {"do": "claim", "note": ""})
    answer = "/en" + reverse("accounts:claim_answer", args=[league.slug, Claim.objects.get().pk])
    assert "Give a reason" in organiser.post(answer, {"do": "refuse", "reason": " "}).content.decode()
    organiser.post(answer, {"do": "refuse", "reason": "That is Aoki's son."})
    page = html(guest, claim_of(players[0]))
    assert "That is Aoki&#x27;s son." in page
    assert 'value="claim"' in page
    for do in ("accept", "refuse"):
        assert "answered or withdrawn" in organiser.post(answer, {"do": do, "reason": "x"}).content.decode()
    assert user_of(players[0]) is None


def test_claim_is_withdrawn_and_an_accepted_one_given_up(guest: Client, players: list[Player], tanaka: User) -> None:
    guest.post(claim_of(players[0]), {"do": "claim"})
    guest.post(claim_of(players[0]), {"do": "withdraw"})
    assert Claim.objects.get().state == Claim.State.WITHDRAWN
    guest.post(claim_of(players[0]), {"do": "claim"})
    accept_claim(claim=Claim.objects.get(state=Claim.State.WAITING), by=SYSTEM)
    guest.post(claim_of(players[1]), {"do": "give_up"})
    assert user_of(players[0]) == tanaka
    guest.post(claim_of(players[0]), {"do": "give_up"})
    assert user_of(players[0]) is None
    told = Revision.objects.filter(subject="claim").order_by("pk").values_list("action", flat=True)
    assert list(told) == ["created", "withdrawn", "created", "changed"]
    last = Revision.objects.filter(subject="player", subject_id=players[0].pk).latest("pk")
    assert (last.by_name, last.before, last.after) == ("tanaka", {"user": "tanaka"}, {"user": ""})


def test_organiser_unlinks_a_user(organiser: Client, league: League, players: list[Player], tanaka: User) -> None:
    link_user(player=players[0], user=tanaka, by=SYSTEM)
    sent = {"name": players[0].name, "visibility": "public", "username": ""}
    organiser.post(reverse("league:player_edit", args=[league.slug, players[0].pk]), sent)
    assert user_of(players[0]) is None


def test_user_has_one_pending_claim_in_a_league(guest: Client, players: list[Player]) -> None:
    for player in players[:2]:
        guest.post(claim_of(player), {"do": "claim"})
    guest.post(claim_of(players[0]), {"do": "claim"})
    assert Claim.objects.get().player == players[0]
    page = html(guest, claim_of(players[1]))
    assert "You said you are Aoki" in page
    assert 'value="claim"' not in page


def test_linked_users_and_players_make_and_get_no_claim(guest: Client, players: list[Player], tanaka: User) -> None:
    link_user(player=players[0], user=make_user("suzuki"), by=SYSTEM)
    answer = guest.post(claim_of(players[0]), {"do": "claim"}, follow=True)
    assert "This player is already linked to an account" in answer.content.decode()
    link_user(player=players[2], user=tanaka, by=SYSTEM)
    answer = guest.post(claim_of(players[1]), {"do": "claim"}, follow=True)
    assert "You are Ueno in this league, and one account can be only one player." in answer.content.decode()
    assert not Claim.objects.exists()


def test_claim_of_linked_player_fails(organiser: Client, league: League, players: list[Player], tanaka: User) -> None:
    claim = claim_player(player=players[0], user=tanaka, note="", by=SYSTEM)
    answer = "/en" + reverse("accounts:claim_answer", args=[league.slug, claim.pk])
    link_user(player=players[0], user=make_user("suzuki"), by=SYSTEM)
    assert "This player is already linked to an account" in organiser.post(answer, {"do": "accept"}).content.decode()
    link_user(player=players[0], user=None, by=SYSTEM)
    link_user(player=players[1], user=tanaka, by=SYSTEM)
    assert "tanaka is already Ishida in this league" in organiser.post(answer, {"do": "accept"}).content.decode()
    assert not league.members.filter(user=tanaka).exists()


def test_claim_of_a_merged_player_follows_the_merge(guest: Client, players: list[Player], tanaka: User) -> None:
    claim = claim_player(player=players[0], user=tanaka, note="", by=SYSTEM)
    merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert guest.get(claim_of(players[0]))["Location"] == claim_of(players[1])
    accept_claim(claim=claim, by=SYSTEM)
    assert (user_of(players[0]), user_of(players[1])) == (None, tanaka)


def test_claim_page_hides_names_for_members(guest: Client, league: League) -> None:
    hidden = add_player(league=league, facts=PlayerFacts("内緒", visibility="members"), by=SYSTEM)
    for _ in range(2):
        assert "内緒" not in html(guest, claim_of(hidden))
        assert "内緒" not in guest.post(claim_of(hidden), {"do": "claim"}, follow=True).content.decode()


def test_claims_are_rate_limited(guest: Client, players: list[Player]) -> None:
    for _ in range(CLAIMS.tries + 1):
        guest.post(claim_of(players[0]), {"do": "claim"})
        guest.post(claim_of(players[0]), {"do": "withdraw"})
    assert Claim.objects.count() == CLAIMS.tries


@pytest.mark.parametrize(
    "sent", [{}, {"do": "x"}, {"do": "claim", "note": "x" * 201}, {"do": "claim", "note": "a\x00"}, {"do": "give_up"}]
)
def test_invalid_claim_forms_do_nothing(guest: Client, players: list[Player], sent: dict[str, str]) -> None:
    assert guest.post(claim_of(players[0]), sent).status_code == 200
    assert not Claim.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_claims_of_one_player_are_accepted_once(league: League, players: list[Player]) -> None:
    people = [make_user("tanaka"), make_user("suzuki")]
    claims = [claim_player(player=players[0], user=user, note="", by=SYSTEM) for user in people]
    outcomes = at_once(*(lambda claim=claim: accept_claim(claim=claim, by=SYSTEM) for claim in claims))
    assert [error.code for error in outcomes if isinstance(error, WayInError)] == ["taken"]
    assert user_of(players[0]) in people
    assert league.members.count() == 1
