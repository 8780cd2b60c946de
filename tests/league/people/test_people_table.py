import html as markup
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.models import League, Player, Revision
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_players, change_player, merge_players
from tests.league.entry_contexts import text
from tests.league.factories import make_league

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TABLE = "/en/l/camarade/manage/players/"
PASTE = f"{TABLE}paste/"


@pytest.fixture
def league() -> League:
    """Four players: two with readings, one with a guessable reading, one with a guessable family name only."""
    league = make_league()
    people = [
        PlayerFacts("青木", "あおき", "Aoki", "1"),
        PlayerFacts("石田", "いしだ", "Ishida", "2"),
        PlayerFacts("上野"),
        PlayerFacts("江口 健"),
    ]
    add_players(league=league, people=people, by=SYSTEM)
    return league


def named(name: str) -> Player:
    return Player.objects.get(name=name)


def fields_of(page: str) -> dict[str, str]:
    form = page[page.index("<main") :]
    sent = {}
    for name, value in re.findall(r'<select[^>]* name="([^"]+)".*?<option value="([^"]+)" selected', form, re.DOTALL):
        sent[name] = value
    for tag in re.findall(r"<input[^>]+>", form):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        is_off = 'type="checkbox"' in tag and " checked" not in tag
        if name and not is_off:
            sent[name[1]] = markup.unescape(value[1]) if value else "on"
    for name, value in re.findall(r'<textarea name="([^"]+)"[^>]*>\s*([^<]*)</textarea>', form):
        sent[name] = markup.unescape(value)
    return sent


def typed(organiser: Client, address: str = TABLE, **changes: str) -> dict[str, str]:
    sent = fields_of(text(organiser.get(address)))
    for cell, value in changes.items():
        name, field = cell.rsplit("_", 1)
        key = f"p{named(name).pk}-{field}"
        assert field in {"guest", "active"} or key in sent
        sent[key] = value
    return sent | {"do": "save"}


def test_table_changes_many_players_at_once(organiser: Client, league: League) -> None:
    sent = typed(organiser, 上野_kana="うえの", 上野_number="3", 石田_club="東クラブ", 石田_romanised="ISHIDA")
    assert "2 players were changed" in text(organiser.post(TABLE, sent | {"reason": "new list"}, follow=True))
    # Sent again, or unchanged, it changes nothing.
    organiser.post(TABLE, sent | {"reason": "new list"})
    organiser.post(TABLE, typed(organiser))
    assert (named("上野").kana, named("上野").number, named("石田").club) == ("うえの", "3", "東クラブ")
    told = Revision.objects.filter(league=league, subject="player", action="changed")
    assert {(each.by_name, each.reason) for each in told} == {("ishida", "new list")}
    assert sorted(each.subject_id for each in told) == sorted((named("上野").pk, named("石田").pk))
    assert named("青木").kana == "あおき"


def test_table_changes_only_the_rows_sent(organiser: Client) -> None:
    sent = typed(organiser, 上野_kana="うえの")
    own = {name: value for name, value in sent.items() if not re.match(r"p\d", name)}
    ueno = {name: value for name, value in sent.items() if name.startswith(f"p{named('上野').pk}-")}
    organiser.post(TABLE, own | ueno)
    assert named("上野").kana == "うえの"
    assert named("青木").is_active
    assert Revision.objects.filter(subject="player", action="changed").count() == 1


def test_two_players_can_swap_numbers(organiser: Client) -> None:
    assert organiser.post(TABLE, typed(organiser, 青木_number="2", 石田_number="1")).status_code == 302
    assert (named("青木").number, named("石田").number) == ("2", "1")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        pytest.param({"上野_number": "1"}, "Number 1 belongs to 青木.", id="a number somebody has"),
        pytest.param({"上野_number": "9", "江口 健_number": "9"}, "Number 9 belongs to", id="one number twice"),
        pytest.param({"上野_name": ""}, "Enter a name.", id="no name"),
        pytest.param({"上野_name": "青木"}, "There is already a player called 青木.", id="a name somebody has"),
        pytest.param({"上野_kana": "う" * 61}, "at most 60 characters", id="a long reading"),
    ],
)
def test_table_with_an_error_is_kept_as_typed(organiser: Client, changes: dict[str, str], sentence: str) -> None:
    answer = organiser.post(TABLE, typed(organiser, 石田_club="東クラブ", **changes))
    assert answer.status_code == 200
    page = text(answer)
    assert sentence in page
    assert "Nothing was saved yet" in page
    assert 'value="東クラブ"' in page
    assert 'aria-invalid="true"' in page
    assert not Revision.objects.filter(subject="player", action="changed").exists()


def test_concurrent_change_is_shown_before_it_is_overwritten(organiser: Client) -> None:
    sent = typed(organiser, 上野_kana="うわの", 石田_club="東クラブ")
    change_player(player=named("上野"), facts=PlayerFacts("上野", "うえの"), by=SYSTEM)
    change_player(player=named("石田"), facts=PlayerFacts("石田", "いしだ", "Ishida", "22"), by=SYSTEM)
    page = text(organiser.post(TABLE, sent))
    assert "Someone else has changed this to “うえの”" in page
    assert 'value="うわの"' in page
    assert named("上野").kana == "うえの"
    organiser.post(TABLE, fields_of(page) | {"do": "save"})
    assert named("上野").kana == "うわの"
    assert (named("石田").number, named("石田").club) == ("22", "東クラブ")


def test_confirmed_guesses_become_readings(organiser: Client) -> None:
    page = text(organiser.get(TABLE))
    assert 'placeholder="うえの (guess)"' in page
    assert 'placeholder="えぐち… (guess)"' in page
    assert "Confirm 1 whole guess" in page
    assert "Guesses that end in …" in page
    assert page.count('aria-current="true"') == 1, "the bar marks Players, as the path does"
    organiser.post(TABLE, fields_of(page) | {"do": "guesses"})
    assert (named("上野").kana, named("江口 健").kana) == ("うえの", "")
    assert Revision.objects.filter(subject="player", action="changed").count() == 1
    assert "江口 健" in text(organiser.get(f"{TABLE}?unread"))
    assert "青木" not in text(organiser.get(f"{TABLE}?unread"))


def test_league_of_latin_names_is_not_asked_for_readings(organiser: Client, league: League) -> None:
    league.players.all().delete()
    [smith] = add_players(league=league, people=[PlayerFacts("Smith")], by=SYSTEM)
    page = text(organiser.get(TABLE))
    assert "Guesses" not in page
    assert "Without a reading" not in page
    assert f"p{smith.pk}-kana" not in page
    assert f"p{smith.pk}-kana" in text(organiser.get(f"{TABLE}?readings")), "behind one link"
    change_player(player=smith, facts=PlayerFacts("Smith", "すみす"), by=SYSTEM)
    organiser.post(TABLE, fields_of(page) | {f"p{smith.pk}-club": "東クラブ", "do": "save"})
    assert (named("Smith").kana, named("Smith").club) == ("すみす", "東クラブ")
    assert f"p{smith.pk}-kana" in text(organiser.get(TABLE))


def test_guess_for_a_changed_name_is_not_stored(organiser: Client) -> None:
    sent = fields_of(text(organiser.get(TABLE)))
    ueno = named("上野")
    change_player(player=ueno, facts=PlayerFacts("小川"), by=SYSTEM)
    organiser.post(TABLE, sent | {"do": "guesses"})
    assert Player.objects.get(pk=ueno.pk).kana == ""


@pytest.mark.long
def test_table_of_a_thousand_players_has_pages(organiser: Client, league: League) -> None:
    add_players(league=league, people=[PlayerFacts(f"選手{n}", f"せんしゅ{n:04}") for n in range(996)], by=SYSTEM)
    with CaptureQueriesContext(connection) as asked:
        answer = organiser.get(f"{TABLE}?page=10")
    assert text(answer).count("data-row=") == 100
    assert len(answer.content) < 300_000
    assert len(asked) < 12
    [last] = re.findall(r'name="(p\d+-club)"', text(answer))[-1:]
    sent = fields_of(text(answer)) | {last: "東クラブ", "do": "save"}
    with CaptureQueriesContext(connection) as asked:
        assert organiser.post(f"{TABLE}?page=10", sent).headers["Location"] == f"{TABLE}?page=10"
    assert len(asked) < 30
    assert Player.objects.get(club="東クラブ").name == "選手995"


def test_table_cannot_change_players_of_another_league(organiser: Client) -> None:
    [stranger] = add_players(league=make_league("other"), people=[PlayerFacts("青木")], by=SYSTEM)
    organiser.post(TABLE, {f"p{stranger.pk}-seen": "{}", f"p{stranger.pk}-name": "赤木", "do": "save"})
    stranger.refresh_from_db()
    assert stranger.name == "青木"


def looked(organiser: Client, rows: str, **more: str) -> str:
    return text(organiser.post(PASTE, {"text": rows, "do": "look", **more}))


def test_pasted_list_is_previewed_before_it_is_stored(organiser: Client) -> None:
    page = looked(organiser, "3\t上野\tうえの\n1\t青木\tあおき")
    assert "New: 0 · To answer: 0 · Changed: 1 · Already here: 1 · Left out: 0" in page
    assert not Revision.objects.filter(subject="player", action="changed").exists()
    answer = organiser.post(PASTE, fields_of(page) | {"do": "store", "reason": "members' list"}, follow=True)
    assert "1 player was changed" in text(answer)
    assert (named("上野").number, named("上野").kana) == ("3", "うえの")
    assert [(each.by_name, each.reason) for each in Revision.objects.filter(subject="player", action="changed")] == [
        ("ishida", "members' list")
    ]


def test_ambiguous_names_are_asked_about(organiser: Client, league: League) -> None:
    add_players(league=league, people=[PlayerFacts("上野")], by=SYSTEM)
    page = looked(organiser, "名前\tふりがな\n上野\tうえの\n高田\tたかだ\n石田さん\tいしだ")
    assert re.findall(r'<select id="who-(\d+)"', page) == ["2"]
    ueno = Player.objects.filter(name="上野").first()
    assert ueno is not None
    page = text(organiser.post(PASTE, fields_of(page) | {"who-2": str(ueno.pk), "do": "look"}))
    assert "New: 1 · To answer: 0 · Changed: 2" in page
    assert Player.objects.filter(name="高田").count() == 0
    sent = fields_of(page) | {"do": "store"}
    organiser.post(PASTE, sent)
    ueno.refresh_from_db()
    assert (ueno.kana, named("高田").kana) == ("うえの", "たかだ")
    organiser.post(PASTE, sent)
    assert Player.objects.filter(name="高田").count() == 1


def test_chosen_spelling_becomes_an_alias(organiser: Client) -> None:
    ueno = named("上野")
    organiser.post(
        PASTE, fields_of(looked(organiser, "名前\t所属\nうえのん\t東", **{"who-2": str(ueno.pk)})) | {"do": "store"}
    )
    ueno.refresh_from_db()
    assert (ueno.name, ueno.club) == ("上野", "東")
    assert list(ueno.aliases.values_list("name", flat=True)) == ["うえのん"]


def test_change_after_the_preview_is_shown_before_storing(organiser: Client) -> None:
    page = looked(organiser, "名前\tふりがな\n上野\tうえの")
    change_player(player=named("上野"), facts=PlayerFacts("上野", "うわの"), by=SYSTEM)
    page = text(organiser.post(PASTE, fields_of(page) | {"do": "store"}))
    assert "Someone else has changed a player in this list" in page
    assert "うわの" in page
    assert named("上野").kana == "うわの"
    organiser.post(PASTE, fields_of(page) | {"do": "store"})
    assert named("上野").kana == "うえの"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        pytest.param("", "Paste at least one row.", id="nothing"),
        pytest.param("1\n2", "No column looks like names.", id="no names"),
        pytest.param("青木\n" * 1001, "Paste at most 1000 rows.", id="too many"),
        pytest.param("名前\tゲスト\n青木\tたぶん", "A value in this row", id="no yes or no"),
        pytest.param(
            "名前\tふりがな\n青木\tあおき\n青木\tあおぎ", "An earlier row is about the same player", id="twice"
        ),
        pytest.param("名前\t会員番号\n上野\t1", "上野", id="a number somebody has"),
        pytest.param("\x00\t\x00", "Null characters", id="nothing that can be seen"),
        pytest.param('"' * 5000, "", id="quotes"),
    ],
)
def test_list_with_an_error_is_not_stored(organiser: Client, rows: str, sentence: str) -> None:
    for do in ("look", "store"):
        answer = organiser.post(PASTE, {"text": rows, "do": do})
        assert answer.status_code == 200
        assert sentence in text(answer)
    assert not Revision.objects.filter(subject="player", action="changed").exists()


@pytest.mark.parametrize("row", ["7\t上野\tうえの", "7\t高田\tたかだ", "7\t青木\tあおき"])
def test_number_of_a_merged_player_is_not_available(organiser: Client, league: League, row: str) -> None:
    (gone,) = add_players(league=league, people=[PlayerFacts("大野", number="7")], by=SYSTEM)
    merge_players(source=gone, target=named("青木"), by=SYSTEM, reason="one person")
    for do in ("look", "store"):
        answer = organiser.post(PASTE, {"text": row, "do": do})
        assert answer.status_code == 200
        assert "Number 7 belongs to 大野." in text(answer)
    assert list(Player.objects.filter(number="7")) == [gone]


def test_new_people_are_added_at_once(organiser: Client) -> None:
    assert "1 player was added" in text(
        organiser.post(PASTE, {"text": "山本\tやまもと\n青木", "do": "look"}, follow=True)
    )
    organiser.post(PASTE, {"text": "加藤, かとう", "guests": "on", "do": "look"})
    assert [(named(name).kana, named(name).is_guest) for name in ("山本", "加藤")] == [
        ("やまもと", False),
        ("かとう", True),
    ]


def test_look_alikes_are_asked_about_together_with_the_likely_answer_chosen(organiser: Client, league: League) -> None:
    (known,) = add_players(league=league, people=[PlayerFacts("髙橋 一")], by=SYSTEM)
    page = looked(organiser, "田中花子\nﾀﾅｶ ﾊﾅｺ\nタナカハナコ\n高橋　一\n佐藤\n佐藤")
    assert re.findall(r'<select id="who-(\d+)"', page) == ["3", "4", "6"]
    assert not Player.objects.filter(name="佐藤").exists()
    organiser.post(PASTE, fields_of(page) | {"do": "look"})
    new = Player.objects.filter(pk__gt=known.pk).order_by("pk")
    assert [player.name for player in new] == ["田中花子", "ﾀﾅｶ ﾊﾅｺ", "佐藤"]
    assert [alias.name for alias in known.aliases.all()] == ["高橋 一"]
    page = looked(organiser, "髙橋\nAda Byronn\nAda Byron")
    assert re.findall(r'<select id="who-(\d+)"', page) == ["1", "3"]
    page = looked(organiser, "佐々木\n佐々木\n髙橋一")
    assert 'id="who-3"' not in page
    organiser.post(PASTE, fields_of(page) | {"who-2": "new", "do": "look"})
    assert Player.objects.filter(name="佐々木").count() == 2
