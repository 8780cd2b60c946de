import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from league.models import League, Player, Revision
from league.services.history import SYSTEM
from league.services.people import (
    PeopleError,
    PlayerFacts,
    add_players,
    change_player,
    link_user,
    merge_players,
    separate_players,
)
from league.services.proofs.registry import NAMES
from league.services.proofs.values import ProofTally
from tests.league.entry_contexts import text, url
from tests.league.factories import log_in, make_league, make_players, make_session, make_user, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def players(league: League) -> list[Player]:
    return make_players(league, 3)


def user_of(player: Player) -> User | None:
    return Player.objects.select_related("user").get(pk=player.pk).user


def test_user_has_at_most_one_player_in_each_league(players: list[Player]) -> None:
    user = make_user("tanaka")
    for player in (players[0], *make_players(make_league("other"), 1)):
        link_user(player=player, user=user, by=SYSTEM)
    assert user.players.count() == 2
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.filter(pk=players[1].pk).update(user=user)


def test_taken_user_is_reported_with_their_player(organiser: Client, league: League, players: list[Player]) -> None:
    link_user(player=players[0], user=make_user("tanaka"), by=SYSTEM)
    for name, args in (("player_edit", [players[1].pk]), ("player_new", [])):
        page = organiser.post(url(name, league, *args), {"name": "田中", "visibility": "public", "username": "tanaka"})
        assert players[0].name in str(page.context["form"].errors["username"])
    assert league.players.count() == 3


@pytest.mark.parametrize("linked", [0, 1], ids=["source", "target"])
def test_merge_moves_the_user_and_separating_moves_them_back(players: list[Player], linked: int) -> None:
    user = make_user("tanaka")
    link_user(player=players[linked], user=user, by=SYSTEM)
    merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert [user_of(player) for player in players[:2]] == [None, user]
    separate_players(source=players[0], by=SYSTEM, reason="two people")
    assert [user_of(player) for player in players[:2]] == [[user, None], [None, user]][linked]


def test_players_of_two_users_cannot_be_merged(players: list[Player]) -> None:
    link_user(player=players[0], user=make_user("tanaka"), by=SYSTEM)
    link_user(player=players[1], user=make_user("suzuki"), by=SYSTEM)
    with pytest.raises(PeopleError) as refused:
        merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert refused.value.code == "two_people"


@pytest.fixture
def league_of_four() -> League:
    league = make_league()
    aoki = make_players(league)[0]
    play(make_session(league))
    link_user(player=aoki, user=make_user("a-san", league=league, role="player"), by=SYSTEM)
    return league


def name_page(player: Player) -> str:
    return reverse("league:player_name", args=[player.league.slug, player.pk])


def test_player_hides_and_shows_their_own_name(league_of_four: League) -> None:
    aoki = league_of_four.players.get(key="p1")
    phone, page = log_in("a-san"), reverse("stats:player", args=[league_of_four.slug, aoki.pk])
    assert name_page(aoki) in phone.get(page).content.decode()
    assert 'value="public"' in phone.get(name_page(aoki)).content.decode()
    assert phone.post(name_page(aoki), {"visibility": "nobody"})["Location"] == page
    assert "青木" in phone.get(page).content.decode()
    visitor = Client().get(page).content.decode()
    assert "青木" not in visitor
    assert f"選手{aoki.pk:03d}" in visitor
    # Sent twice, it is one change.
    for _ in range(2):
        phone.post(name_page(aoki), {"visibility": "public"})
    assert "青木" in Client().get(page).content.decode()
    told = Revision.objects.filter(subject="player", subject_id=aoki.pk, by_name="a-san").order_by("pk")
    assert [(each.before, each.after) for each in told] == [
        ({"visibility": "public"}, {"visibility": "nobody"}),
        ({"visibility": "nobody"}, {"visibility": "public"}),
    ]


@pytest.mark.parametrize("typed", ["", "visitor", "選手", "nobody\x00"])
def test_invalid_visibility_is_refused(league_of_four: League, typed: str) -> None:
    aoki = league_of_four.players.get(key="p1")
    answer = log_in("a-san").post(name_page(aoki), {"visibility": typed})
    assert answer.status_code == 200
    assert answer.context["form"].errors["visibility"]
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.filter(pk=aoki.pk).update(visibility="x")


def test_players_cannot_change_each_others_visibility(league_of_four: League) -> None:
    ishida = league_of_four.players.get(key="p2")
    Player.objects.filter(pk=ishida.pk).update(visibility="nobody")
    phone = log_in("a-san")
    assert phone.get(name_page(ishida)).status_code == 403
    assert phone.post(name_page(ishida), {"visibility": "public"}).status_code == 403
    assert league_of_four.players.get(key="p2").visibility == "nobody"


def test_organiser_changes_the_visibility_of_players(league_of_four: League) -> None:
    make_user("organiser", league=league_of_four, role="organiser")
    log_in("organiser").post(name_page(league_of_four.players.get(key="p2")), {"visibility": "nobody"})
    assert league_of_four.players.get(key="p2").visibility == "nobody"


LISTED = ("青木", "Eguchi", "加藤", "斎藤", "𠮷田", "渡邊", "Anna", "鶫")
"""Only Eguchi has a stored reading, えぐち; most are guessed, and Anna is read as written."""


@pytest.fixture
def listed() -> League:
    league = make_league()
    people = [PlayerFacts(name, "えぐち" if name == "Eguchi" else "") for name in sorted(LISTED)]
    add_players(league=league, people=people, by=SYSTEM)
    return league


def in_text(html: str) -> list[str]:
    return sorted((name for name in LISTED if name in html), key=html.index)


def test_directory_and_entry_are_sorted_by_reading(client: Client, listed: League) -> None:
    html = text(client.get("/l/camarade/players/"))
    assert in_text(html[html.index("players-names") :]) == list(LISTED)
    assert "わたなべ" not in html
    english = text(client.get("/en/l/camarade/players/"))
    assert in_text(english[english.index("players-names") :])[0] == "Anna"
    client.force_login(make_user("ueno", league=listed, role="scorer"))
    html = text(client.get(f"/l/camarade/sessions/{make_session(listed).pk}/enter/"))
    assert in_text(html[html.index("<select") : html.index("</select>")]) == list(LISTED)


def test_only_a_known_reading_is_shown(client: Client, listed: League) -> None:
    player = listed.players.get(name="渡邊")
    assert "わたなべ" not in text(client.get(f"/l/camarade/p/{player.pk}/"))
    change_player(player=player, facts=PlayerFacts("渡邊", "わたべ"), by=SYSTEM)
    assert "わたべ" in text(client.get(f"/l/camarade/p/{player.pk}/"))


def test_renamed_player_moves_in_the_directory(client: Client, listed: League) -> None:
    player = listed.players.get(name="渡邊")
    change_player(player=player, facts=PlayerFacts("秋山"), by=SYSTEM)
    player.refresh_from_db()
    change_player(player=listed.players.get(name="青木"), facts=PlayerFacts("青木", "んんん"), by=SYSTEM)
    html = text(client.get("/l/camarade/players/"))
    html = html[html.index("players-names") :]
    assert html.index("秋山") < html.index("Eguchi") < html.index("青木") < html.index("Anna")


def test_club_is_searchable_and_hidden_with_the_name(client: Client, listed: League) -> None:
    [player] = make_players(listed, 1)
    change_player(player=player, facts=PlayerFacts("相川", club="東クラブ"), by=SYSTEM)
    page = f"/l/camarade/p/{player.pk}/"
    assert "東クラブ" in text(client.get(page))
    assert in_text(text(client.get("/l/camarade/players/?q=東クラブ"))) == []
    assert "相川" in text(client.get("/l/camarade/players/?q=東クラブ"))
    change_player(player=player, facts=PlayerFacts("相川", club="東クラブ", visibility="members"), by=SYSTEM)
    assert "東クラブ" not in text(client.get(page))
    assert "相川" not in text(client.get("/l/camarade/players/?q=東クラブ"))


def test_verify_repairs_a_wrong_sort_key(listed: League) -> None:
    listed.players.filter(name="青木").update(sort_key="3f")
    tally = ProofTally()
    [difference] = NAMES.check(listed, tally)
    assert difference.column == "sort_key"
    assert tally.count == len(LISTED)
    assert NAMES.repair is not None
    NAMES.repair(listed)
    assert not list(NAMES.check(listed, ProofTally()))


def test_empty_directory_says_so(client: Client) -> None:
    make_league()
    assert "No players yet" in text(client.get("/en/l/camarade/players/"))
