import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from league.forms.names import read_names
from league.models import League, Player, Revision
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_players
from tests.league.entry_contexts import url
from tests.league.factories import DAY, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

FACTS = {"name": "小川", "kana": "おがわ", "romanised": "Ogawa", "number": "5", "visibility": "public"}


def test_player_is_added_with_all_fields(organiser: Client, league: League) -> None:
    user = make_user("ogawa")
    facts = {**FACTS, "is_guest": "on", "aliases": "1. おがちゃん\n 2. オガワ \n\n", "username": "ogawa"}
    organiser.post(url("player_new", league), facts)
    player = Player.objects.get()
    assert (player.name, player.kana, player.number, player.is_guest, player.user) == (
        "小川",
        "おがわ",
        "5",
        True,
        user,
    )
    assert sorted(player.aliases.values_list("name", flat=True)) == ["1. おがちゃん", "2. オガワ"]
    assert Revision.objects.filter(subject="player", action="created").exists()


def test_directory_shows_and_sorts_by_the_rank_and_points_of_the_year(client: Client, league: League) -> None:
    League.objects.update(first_month=12)
    make_players(league)
    page = client.get(url("players", league) + "?sort=-score").content.decode()
    assert "青木" in page
    assert (page.count("まだ誰も対局していません"), page.count("<table")) == (1, 0)
    play(make_session(league))
    settle()
    add_players(league=league, people=[PlayerFacts("鶫 一")], by=SYSTEM)
    for query in ("", "?q=aoki"):
        page = client.get(url("players", league) + query).content.decode()
        row = next(row for row in page.split("<tr>") if "青木" in row)
        figures = re.findall(r'<td class="num">(.*?)</td>', row, re.DOTALL)
        assert [strip_tags(figure).strip() for figure in figures] == ["1", "+21.7"]
    page = client.get(url("players", league) + "?sort=-rank").content.decode()
    assert 'href="?q=&amp;sort=rank"' in page
    assert re.findall(r'<td class="num">(\d|—)</td>', page) == ["4", "3", "2", "1", "—"]


def test_brackets_tell_people_of_one_surname_apart(league: League) -> None:
    add_players(league=league, people=map(PlayerFacts, ("佐藤 健", "佐藤 一", "鈴木 大輔")), by=SYSTEM)
    read = read_names("佐藤(ゆか)\n佐藤(みき)\n鈴木(大)", Player.objects.prefetch_related("aliases"))
    assert read.unknown == ["佐藤(ゆか)", "佐藤(みき)"]
    assert [player and player.name for player in read.alike.values()] == ["鈴木 大輔"]


def test_second_player_with_a_name_needs_confirmation(organiser: Client, league: League) -> None:
    make_players(league, 1)
    page = organiser.post(url("player_new", league), {**FACTS, "name": "青木"})
    assert "name" in page.context["form"].errors
    assert 'type="checkbox" name="same_name"' in page.content.decode()
    organiser.post(url("player_new", league), {**FACTS, "name": "青木", "same_name": "on"})
    assert Player.objects.filter(name="青木").count() == 2


@pytest.mark.parametrize(("field", "value"), [("number", "1"), ("username", "nobody")])
def test_taken_number_or_unknown_user_is_refused(organiser: Client, league: League, field: str, value: str) -> None:
    make_players(league, 1)
    assert organiser.post(url("player_new", league), {**FACTS, field: value}).context["form"].errors[field]
    assert Player.objects.count() == 1


@pytest.mark.parametrize(
    "facts", [PlayerFacts("髙田"), PlayerFacts("タカダ", "たかだ", is_guest=True)], ids=["look", "reading"]
)
def test_player_of_similar_look_or_reading_may_be_same(organiser: Client, league: League, facts: PlayerFacts) -> None:
    player, _ = add_players(league=league, people=[PlayerFacts("高田", "たかだ"), facts], by=SYSTEM)
    page = organiser.get(url("player_merge", league, player.pk))
    assert [player.name for player in page.context["likely"]] == [facts.name]


def test_changed_player_is_recorded_in_the_history(organiser: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    player.aliases.create(name="あおちゃん")
    assert organiser.get(url("player_edit", league, player.pk)).context["form"].initial["aliases"] == "あおちゃん"
    answer = organiser.post(url("player_edit", league, player.pk), {**FACTS, "name": "青木一"})
    assert answer["Location"] == reverse("stats:player", args=[league.slug, player.pk])
    revision = Revision.objects.get(action="changed", subject="player")
    assert ((revision.before or {})["name"], (revision.after or {})["name"]) == ("青木", "青木一")


def test_merge_preview_changes_nothing(organiser: Client, league: League) -> None:
    players = make_players(league, 5)
    play(make_session(league), players=players[:4])
    adjust(player=players[0], day=DAY, points=1000, reason="bonus", by=SYSTEM)
    page = organiser.get(url("player_merge", league, players[0].pk), {"into": players[4].pk})
    preview = page.context["preview"]
    assert (preview["hanchan"], preview["sessions"], preview["adjustments"]) == (1, 1, 1)
    assert [period.key for period in preview["periods"]] == ["all", "2025", "2025-11"]
    listed = page.content.decode().split("変わる順位表")[1]
    assert "2025年11月" in listed
    assert ">all<" not in listed
    assert ">2025-11<" not in listed
    assert not players[4].seats.exists()


def test_merge_moves_everything_and_can_be_undone(organiser: Client, league: League) -> None:
    players, session = make_players(league, 5), make_session(league)
    play(session, players=players[:4])
    source, target = players[0], players[4]
    page = organiser.post(url("player_merge", league, source.pk), {"into": target.pk, "reason": " "})
    assert "reason" in page.context["form"].errors
    organiser.post(url("player_merge", league, source.pk), {"into": target.pk, "reason": "one person"})
    source.refresh_from_db()
    assert (source.merged_into, target.seats.count()) == (target, 1)
    # A hanchan entered for the merged player stays with them.
    play(session, players=[target, *players[1:4]])
    answer = organiser.get(url("player_merge", league, source.pk))
    assert answer["Location"] == url("player_separate", league, source.pk)
    organiser.post(url("player_separate", league, source.pk), {"reason": "two after all"})
    source.refresh_from_db()
    assert (source.merged_into, source.seats.count(), target.seats.count()) == (None, 1, 1)


def test_players_who_met_cannot_be_merged(organiser: Client, league: League) -> None:
    players = make_players(league, 4)
    hanchan = play(make_session(league), players=players)
    page = organiser.get(url("player_merge", league, players[0].pk), {"into": players[1].pk})
    assert page.context["preview"]["meetings"] == (hanchan,)
    page = organiser.post(url("player_merge", league, players[0].pk), {"into": players[1].pk, "reason": "x"})
    assert "石田" in page.context["form"].errors["into"][0]
    assert Player.objects.active().count() == 4


def test_unmerged_player_cannot_be_separated(organiser: Client, league: League) -> None:
    (player,) = make_players(league, 1)
    assert organiser.get(url("player_separate", league, player.pk))["Location"] == url("player_edit", league, player.pk)
