"""Adding players one by one or as a list, changing, merging and separating them."""

from datetime import date

import pytest
from django.test import Client
from django.urls import reverse

from league.models import League, Player, Revision
from league.services.calendar import adjust
from league.services.history import SYSTEM
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db

FACTS = {"name": "小川", "kana": "おがわ", "romanised": "Ogawa", "number": "5", "visibility": "public"}


@pytest.fixture
def league() -> League:
    return make_league()


@pytest.fixture
def organiser(client: Client, league: League) -> Client:
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return client


def address(name: str, league: League, *rest: object) -> str:
    return reverse(f"league:{name}", args=[league.slug, *rest])


def test_player_is_added_with_everything_that_was_written(organiser: Client, league: League) -> None:
    user = make_user("ogawa")
    facts = {**FACTS, "is_guest": "on", "aliases": "おがちゃん\n オガワ \n\n", "username": "ogawa"}
    organiser.post(address("player_new", league), facts)
    player = Player.objects.get()
    assert (player.name, player.kana, player.number, player.is_guest, player.user) == (
        "小川",
        "おがわ",
        "5",
        True,
        user,
    )
    assert sorted(player.aliases.values_list("name", flat=True)) == ["おがちゃん", "オガワ"]
    assert Revision.objects.filter(subject="player", action="created").exists()


def test_second_player_of_a_name_is_asked_about_once(organiser: Client, league: League) -> None:
    make_players(league, 1)
    page = organiser.post(address("player_new", league), {**FACTS, "name": "青木"})
    assert "name" in page.context["form"].errors
    assert 'type="checkbox" name="same_name"' in page.content.decode()
    organiser.post(address("player_new", league), {**FACTS, "name": "青木", "same_name": "on"})
    assert Player.objects.filter(name="青木").count() == 2


def test_member_number_belongs_to_one_player(organiser: Client, league: League) -> None:
    make_players(league, 1)
    page = organiser.post(address("player_new", league), {**FACTS, "number": "1"})
    assert "青木" in page.context["form"].errors["number"][0]


def test_unknown_log_in_is_refused(organiser: Client, league: League) -> None:
    page = organiser.post(address("player_new", league), {**FACTS, "username": "nobody"})
    assert "username" in page.context["form"].errors


def test_list_of_names_adds_those_that_are_new(organiser: Client, league: League) -> None:
    make_players(league, 1)
    names = "青木\r\n小川\tおがわ\n\n加藤, かとう\n小川\n,\n"
    page = organiser.post(address("player_new", league), {"names": names}, follow=True)
    added = list(Player.objects.exclude(name="青木").order_by("pk").values_list("name", "kana"))
    assert added == [("小川", "おがわ"), ("加藤", "かとう")]
    assert len(page.context["messages"]) == 3


def test_list_knows_other_names_too(organiser: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    player.aliases.create(name="あおちゃん")
    organiser.post(address("player_new", league), {"names": "あおちゃん"})
    assert Player.objects.count() == 1


@pytest.mark.parametrize("names", ["", " \n ,\n", "あ" * 41, "\n".join(f"n{i}" for i in range(301)), ",かな"])
def test_list_that_cannot_be_is_refused_with_what_was_typed(organiser: Client, league: League, names: str) -> None:
    page = organiser.post(address("player_new", league), {"names": names})
    assert page.context["names"].errors
    assert not Player.objects.exists()


def test_player_is_changed_and_the_trail_says_from_what_to_what(organiser: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    answer = organiser.post(address("player_edit", league, player.pk), {**FACTS, "name": "青木一"})
    assert answer["Location"] == reverse("stats:player", args=[league.slug, player.pk])
    revision = Revision.objects.get(action="changed", subject="player")
    assert ((revision.before or {})["name"], (revision.after or {})["name"]) == ("青木", "青木一")


def test_edit_page_shows_what_is_written(organiser: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    player.aliases.create(name="あおちゃん")
    page = organiser.get(address("player_edit", league, player.pk))
    assert page.context["form"].initial["aliases"] == "あおちゃん"


def test_merge_shows_what_would_move_before_anything_does(organiser: Client, league: League) -> None:
    players = make_players(league, 5)
    play(make_session(league), players=players[:4])
    adjust(player=players[0], day=DAY, points=1000, reason="bonus", by=SYSTEM)
    page = organiser.get(address("player_merge", league, players[0].pk), {"into": players[4].pk})
    preview = page.context["preview"]
    assert (preview.hanchan, preview.sessions, preview.adjustments) == (1, 1, 1)
    assert [period.key for period in preview.periods] == ["all", "2025", "2025-11"]
    assert not players[4].seats.exists()


def test_merge_moves_everything_and_can_be_undone(organiser: Client, league: League) -> None:
    players = make_players(league, 5)
    play(make_session(league), players=players[:4])
    source, target = players[0], players[4]
    organiser.post(address("player_merge", league, source.pk), {"into": target.pk, "reason": "one person"})
    source.refresh_from_db()
    assert (source.merged_into, target.seats.count()) == (target, 1)
    answer = organiser.get(address("player_merge", league, source.pk))
    assert answer["Location"] == address("player_separate", league, source.pk)
    organiser.post(address("player_separate", league, source.pk), {"reason": "two after all"})
    source.refresh_from_db()
    assert (source.merged_into, source.seats.count(), target.seats.count()) == (None, 1, 0)


def test_merge_leaves_later_hanchan_where_they_were_entered(organiser: Client, league: League) -> None:
    players = make_players(league, 5)
    session = make_session(league)
    play(session, players=players[:4])
    source, target = players[0], players[4]
    organiser.post(address("player_merge", league, source.pk), {"into": target.pk, "reason": "one person"})
    play(session, players=[target, *players[1:4]])
    organiser.post(address("player_separate", league, source.pk), {"reason": "two after all"})
    assert (source.seats.count(), target.seats.count()) == (1, 1)


def test_players_who_met_are_not_merged_and_the_page_says_where(organiser: Client, league: League) -> None:
    players = make_players(league, 4)
    hanchan = play(make_session(league), players=players)
    page = organiser.get(address("player_merge", league, players[0].pk), {"into": players[1].pk})
    assert page.context["preview"].meetings == (hanchan,)
    page = organiser.post(address("player_merge", league, players[0].pk), {"into": players[1].pk, "reason": "x"})
    assert "石田" in page.context["form"].errors["into"][0]
    assert Player.objects.active().count() == 4


def test_merge_needs_a_reason(organiser: Client, league: League) -> None:
    players = make_players(league, 2)
    page = organiser.post(address("player_merge", league, players[0].pk), {"into": players[1].pk, "reason": " "})
    assert "reason" in page.context["form"].errors


@pytest.mark.parametrize("into", ["", "x", "0", "99999999999999999999999", "٣", "1\x00"])
def test_merge_without_target_has_no_preview(organiser: Client, league: League, into: str) -> None:
    players = make_players(league, 2)
    page = organiser.get(address("player_merge", league, players[0].pk), {"into": into})
    assert page.status_code == 200
    assert page.context["preview"] is None


def test_players_written_alike_are_offered(organiser: Client, league: League) -> None:
    players = make_players(league, 2)
    Player.objects.create(league=league, key="guest", name="アオキ", kana="あおき", is_guest=True)
    page = organiser.get(address("player_merge", league, players[0].pk))
    assert [player.name for player in page.context["likely"]] == ["アオキ"]


def test_separating_an_unmerged_player_says_so(organiser: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    answer = organiser.get(address("player_separate", league, player.pk))
    assert answer["Location"] == address("player_edit", league, player.pk)


def test_merge_preview_names_the_standings(organiser: Client, league: League) -> None:
    source, target = make_players(league, 2)
    adjust(player=source, day=date(2026, 4, 3), points=1000, reason="bonus", by=SYSTEM)
    page = organiser.get(f"{address('player_merge', league, source.pk)}?into={target.pk}").content.decode()
    listed = page[page.index("変わる順位表") :]
    assert "2026年4月" in listed
    assert ">all<" not in listed
    assert ">2026-04<" not in listed
