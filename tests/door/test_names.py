import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from league.core.readings import alike, folded, sight
from league.core.spelling import cleaned, has_hidden, shown, without_hidden
from league.models import ImportBatch, League, Player, PlayerAlias
from league.services.imports.steps import decide_names, match_names
from league.services.people import PlayerFacts
from tests.league.entry_contexts import at, link_of, typed, url
from tests.league.factories import make_league, make_session, play, run, settle
from tests.league.imports.files import FOUR, batch_of, file_of, game
from tests.tournaments.factories import make_cinderella_league, make_tournament

HIDDEN = {
    "right to left": "青木\u202eひなた",
    "isolate": "青木\u2066ひなた",
    "zero width": "青\u200b木\u200dひ\ufeffなた",
    "soft hyphen": "青木\u00adひなた",
    "letter that shows nothing": "青木\u3164\u2800ひなた",
    "tag": "青木\U000e0041ひなた",
    "stray selector": "Ao\ufe0fki",
}


@pytest.mark.parametrize("name", HIDDEN.values(), ids=HIDDEN)
def test_invisible_characters_are_removed(name: str) -> None:
    assert has_hidden(name)
    assert cleaned(name) in {"青木ひなた", "Aoki"}
    assert not has_hidden(cleaned(name))
    assert folded(name) == folded(cleaned(name))
    assert without_hidden(name) == cleaned(name)


@pytest.mark.parametrize(
    "name",
    [
        *("髙田", "𠮷野", "山﨑", "渡邉", "齋藤", "神\ufa19", "葛\U000e0100城", "辻\ufe00", "Ｋａｚ", "Ⅲ世", "㈱Ａ"),
        *("José Núñez", "Nguyễn Văn", "김민준", "王小明", "יוסי כהן", "สมชาย", "𝓐", "カズ☆", "選手1", "外字\ue000"),
    ],
)
def test_visible_characters_are_kept(name: str) -> None:
    assert cleaned(name) == name
    assert not has_hidden(name)
    assert without_hidden(name) == name


def test_spaces_and_combining_characters_are_normalised() -> None:
    assert cleaned("か\u3099") == "が"
    assert cleaned("  青木\tひなた\n") == "青木 ひなた"
    for space in ("\u3000", "\u00a0", "  ", "\u2009 ", " \u200b "):
        assert cleaned(f"青木{space}ひなた{space}") == "青木 ひなた"
        assert cleaned(f"Aoki{space}Hinata") == "Aoki Hinata"
    assert len(cleaned("Z" + "\u0316" * 40)) == 5


def test_right_to_left_name_is_isolated_when_shown() -> None:
    assert shown("יוסי") == "\u2068יוסי\u2069"
    assert shown("Aoki") == "Aoki"
    assert shown("青木") == "青木"
    assert shown("青木\u202e") == "青木"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Aoki", "Аоki"),
        ("Aoki", "Αοκi"),
        ("Ill", "lII"),
        ("カズ", "力ズ"),
        ("ニナ", "二ナ"),
        ("O'Neil", "0'Neil"),
        ("タロー", "夕ロ一"),
    ],
)
def test_look_alike_characters_of_other_scripts_are_recognised(one: str, other: str) -> None:
    assert sight(one) == sight(other)
    assert folded(one) != folded(other)
    assert alike(one) == alike(other)


@pytest.mark.parametrize(("one", "other"), [("Aoki", "Aoi"), ("高田", "高井"), ("髙田", "高田")])
def test_distinguishable_names_have_different_looks(one: str, other: str) -> None:
    assert sight(one) != sight(other)


def test_player_facts_are_cleaned() -> None:
    facts = PlayerFacts("青\u200b木", "あ\u202eおき", aliases=("\u200b", "ひ\u200bな"))
    assert (facts.name, facts.kana, facts.aliases) == ("青木", "あおき", ("ひな",))
    assert PlayerFacts("\u200b").name == "?"


@pytest.fixture
def league(db: None) -> League:
    return make_league(players=4)


def add(client: Client, **sent: str) -> str:
    return client.post("/l/camarade/manage/players/new/", sent, follow=True).content.decode()


@pytest.mark.both_databases
def test_names_typed_by_an_organiser_are_cleaned(organiser: Client, league: League) -> None:
    add(organiser, name="高\u202e井\u200b", kana="たかい\u200b", aliases="た\u200bか\n\u200b", visibility="public")
    organiser.post(url("people_paste", league), {"text": "永\u200b井,ながい\n\u200b\n", "do": "look"})
    assert {"高井", "永井"} <= {*league.players.values_list("name", flat=True)}
    assert [alias.name for alias in league.players.get(name="高井").aliases.all()] == ["たか"]


@pytest.mark.both_databases
def test_invisible_name_is_refused(organiser: Client, league: League) -> None:
    assert "見える文字がありません" in add(organiser, name="\u200b\u202e", visibility="public")
    assert league.players.count() == 4


@pytest.mark.both_databases
def test_look_alike_name_needs_confirmation(organiser: Client, league: League) -> None:
    Player.objects.filter(league=league, name__startswith="青木").update(name="Aoki")
    said = add(organiser, name="Аоki", visibility="public")
    assert "よく似ていますが、文字が違います" in said
    assert "Аоki" in said
    assert league.players.count() == 4
    add(organiser, name="Аоki", visibility="public", same_name="on")
    assert league.players.count() == 5
    page = organiser.post(url("people_paste", league), {"text": "Aοki", "do": "look"})
    assert [line.person.name for line in page.context["asked"]] == ["Aοki"]


@pytest.mark.both_databases
def test_guest_of_a_table_link_cannot_imitate_a_player(league: League) -> None:
    Player.objects.filter(league=league, name__startswith="江口").update(name="Eguchi")
    link = link_of(make_session(league))
    answer = Client().post(at(link), typed(league, player_3="guest", guest_3="Еguchi"))
    assert answer.status_code == 200
    assert "Eguchi" in answer.content.decode()
    assert Client().post(at(link), typed(league, player_3="guest", guest_3="Egu\u200bchi")).status_code == 302
    assert league.players.count() == 4
    unseen = Client().post(at(link), typed(league, player_3="guest", guest_3="\u200b"))
    assert "ゲストの名前を40文字以内で書いてください" in unseen.content.decode()


@pytest.mark.both_databases
def test_guest_on_the_sheet_cannot_imitate_a_player(organiser: Client, league: League) -> None:
    Player.objects.filter(league=league, name__startswith="江口").update(name="Eguchi")
    first, second, third, _fourth = league.players.order_by("pk")
    address = url("grid", league, make_session(league).pk)
    sent = {"columns": 4, "rows": 1, "hanchan_0": "", "round_0": "", "key_0": "", "guest_3": "Еguchi"}
    sent |= {f"cell_0_{column}": score for column, score in enumerate(("317", "313", "255", "115"))}
    sent |= {f"player_{column}": who for column, who in enumerate((first.pk, second.pk, third.pk, "guest"))}
    answer = organiser.post(address, sent | {"do": "save"})
    assert answer.status_code == 200
    assert "Eguchiと見分けがつきません" in answer.content.decode()
    assert 'value="Еguchi"' in answer.content.decode()
    assert (league.players.count(), league.hanchan.count()) == (4, 0)


@pytest.mark.both_databases
def test_guest_of_a_draw_cannot_imitate_a_player(organiser: Client, league: League) -> None:
    Player.objects.filter(league=league, name__startswith="江口").update(name="Eguchi")
    address = url("session_seats", league, make_session(league).pk)
    people = [player.pk for player in league.players.all()]
    answer = organiser.post(address, {"people": people, "guests": "星野\nЕguchi", "seed": 7, "do": "keep"})
    assert answer.status_code == 200
    assert "「Еguchi」は誰ですか" in answer.content.decode()
    assert "Еguchi" in answer.content.decode()
    assert league.players.count() == 4


@pytest.mark.both_databases
def test_look_alike_name_in_an_import_is_asked_about(organiser: Client, league: League) -> None:
    Player.objects.filter(league=league, name__startswith="江口").update(name="Eguchi")
    batch = batch_of(league, file_of(game(names=(*FOUR[:3], "Еguchi"))))
    address = url("import_review", league, batch.pk)
    # No match, but it is not created with the others.
    assert not organiser.get(address).context["can_run"]
    (asked,) = [match for match in match_names(ImportBatch.objects.get()) if match.how == "ask"]
    assert [player.name for player in asked.candidates] == ["Eguchi"]
    decide_names(batch, {asked.key: str(asked.candidates[0].pk)})
    assert organiser.get(address).context["can_run"]


def test_stored_right_to_left_characters_do_not_affect_pages(client: Client, league: League) -> None:
    first, second = league.players.order_by("pk")[:2]
    Player.objects.filter(pk=first.pk).update(name="青木\u202egnihton")
    Player.objects.filter(pk=second.pk).update(name="יוסי כהן")
    play(make_session(league))
    settle()
    for name in ("standings_current", "players", "sessions", "league_home"):
        page = client.get(url(name, league), follow=True).content.decode()
        assert "\u202e" not in page, name
        if "כהן" in page:
            assert "\u2068יוסי כהן\u2069" in page, name
    file: Any = client.get(url("standings_csv", league, "all"))
    board = b"".join(file.streaming_content).decode("utf-8-sig")
    assert "יוסי כהן" in {cell for row in csv.reader(io.StringIO(board)) for cell in row}


@pytest.mark.both_databases
def test_exported_league_with_hidden_characters_can_be_imported(league: League, tmp_path: Path) -> None:
    first, second, third, fourth = league.players.order_by("key")
    Player.objects.filter(pk=first.pk).update(name="青木\u202e\U0001f469\u200d\U0001f33e", kana="\ufeffあおき")
    Player.objects.filter(pk=second.pk).update(name="ひな\u2764\ufe0f")
    Player.objects.filter(pk=third.pk).update(name="\u2800")
    Player.objects.filter(pk=fourth.pk).update(name="葛\U000e0100城か\u3099")
    for name in ("ひ\u200bな", "ひな", "\u200b", "ひ\u2060な", "め\u200bい"):
        PlayerAlias.objects.create(player=first, name=name)
    file, again = tmp_path / "old.json", tmp_path / "new.json"
    file.write_text(run("export_league", "camarade"), "utf-8")
    run("import_league", str(file), slug="copy")
    copies = League.objects.get(slug="copy").players.order_by("key")
    assert [player.name for player in copies] == [
        "青木\U0001f469\U0001f33e",
        "ひな\u2764",
        "?",
        "葛\U000e0100城か\u3099",
    ]
    assert copies[0].kana == "あおき"
    assert sorted(alias.name for alias in copies[0].aliases.all()) == ["ひな", "めい"]
    again.write_text(run("export_league", "copy"), "utf-8")
    run("import_league", str(again), slug="camarade-2")
    assert run("export_league", "camarade-2") == again.read_text("utf-8").replace('"copy"', '"camarade-2"')


def test_titles_in_a_league_file_are_cleaned(db: None, tmp_path: Path) -> None:
    make_tournament(make_cinderella_league(), name="杯")
    make_session(League.objects.get(slug="cinderella"), title="春", venue="卓屋")
    file = tmp_path / "league.json"
    text = run("export_league", "cinderella")
    for name in ('"春"', '"卓屋"', '"杯"'):
        assert name in text
        text = text.replace(name, f'"\u202e{name[1:]}')
    file.write_text(text, "utf-8")
    run("import_league", str(file), slug="copy")
    copy = League.objects.get(slug="copy")
    assert copy.tournaments.get().name == "杯"
    session = copy.sessions.get()
    assert (session.title, session.venue) == ("春", "卓屋")


def test_player_in_an_import_is_recognised_with_any_space(league: League) -> None:
    first = game("2025-11-21", number=1, names=("新井\u3000一", "石田", "上野", "江口"))
    second = game("2025-11-22", number=1, names=("新井\u00a0 一", "石田", "上野", "江口"))
    assert [match.written for match in match_names(batch_of(league, file_of(first, second)))].count("新井 一") == 1
    assert len(match_names(batch_of(league, file_of(first, second)))) == 4
