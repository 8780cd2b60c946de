import pytest

from league.core.spreadsheets.names import SLIP, NameDirectory, NamedPerson, WrittenName, shortens

PEOPLE = NameDirectory.of(
    [
        NamedPerson(1, "青木", "あおき", "Aoki", "1", ("あおちゃん",)),
        NamedPerson(2, "ぐっさん", "", "", "2"),
        NamedPerson(3, "佐藤 一郎", "さとういちろう", "", "7"),
        NamedPerson(4, "佐藤 一郎", "", "", "8"),
        NamedPerson(5, "アヤちゃん", aliases=("青木",)),
        NamedPerson(6, "うえの", "ウエノ"),
        NamedPerson(7, "ちか子"),
        NamedPerson(8, "江口 まどか", "えぐち まどか", "Madoka Eguchi"),
    ]
)


@pytest.mark.parametrize(
    ("written", "how", "people"),
    [
        pytest.param(WrittenName("青木"), "exact", (1,), id="name before another's alias"),
        pytest.param(WrittenName("あおちゃん"), "alias", (1,), id="alias that ends like an honorific"),
        pytest.param(WrittenName("青木さん"), "honorific", (1,), id="honorific"),
        pytest.param(WrittenName("青木 様"), "honorific", (1,), id="honorific after a space"),
        pytest.param(WrittenName("ぐっさん"), "exact", (2,), id="registered with it"),
        pytest.param(WrittenName("アオキ"), "kana", (1,), id="katakana"),
        pytest.param(WrittenName("ｱｵｷさん"), "kana", (1,), id="half width with honorific"),
        pytest.param(WrittenName("AOKI"), "exact", (1,), id="romanised"),
        pytest.param(WrittenName("ウエノ"), "exact", (6,), id="name and reading sound alike"),
        pytest.param(WrittenName("あや"), "ask", (), id="part of a name"),
        pytest.param(WrittenName("Аоki"), "ask", (1,), id="letters of another script for a romanised name"),
        pytest.param(WrittenName("ぐつさん"), "ask", (), id="another kana"),
        pytest.param(WrittenName("ち力子さん"), "ask", (7,), id="a kanji that looks like a kana, with honorific"),
        pytest.param(WrittenName("一郎，佐藤"), "ask", (3, 4), id="words in another order"),
        pytest.param(WrittenName("Eguchi, Madoka"), "ask", (8,), id="words of a romanised name in another order"),
        pytest.param(WrittenName("佐藤　一郎"), "ask", (3, 4), id="namesakes"),
        pytest.param(WrittenName("佐藤 一郎", number="8"), "number", (4,), id="namesakes with numbers"),
    ],
)
def test_name_is_looked_up(written: WrittenName, how: str, people: tuple[int, ...]) -> None:
    found = PEOPLE.find(written)
    assert (found.how, found.people) == (how, people)


def test_names_that_look_alike_come_to_mind() -> None:
    assert PEOPLE.alike("あおきい") == (1,)
    assert PEOPLE.alike("佐藤 二郎") == (3, 4)
    assert PEOPLE.alike("x") == ()


def test_slips_mean_players_not_named_elsewhere_or_nearly_equal() -> None:
    people = NameDirectory.of(
        [NamedPerson(1, "Ada Byron"), NamedPerson(2, "Łukasz Wiśniewski"), NamedPerson(3, "上野 空")]
    )
    names = ("Ada Byron", "Ada Byronn", "Wisniewski", "上野(空)", "新人")
    found = {name: people.find(WrittenName(name)) for name in names}
    assert people.slips(found, SLIP) == {"Ada Byronn": (1,), "Wisniewski": (2,), "上野(空)": (3,)}
    assert NameDirectory.of([]).slips({"新人": found["新人"]}, SLIP) == {}


@pytest.mark.parametrize(
    "name",
    ['Tom "Tanyao" Turner', "Tom “tanyao” Turner", "田中「Tanyao」太郎", "田中太郎（Ｔａｎｙａｏ）", "T [Tanyao]"],
)
def test_a_nickname_in_quotes_or_brackets_means_its_player(name: str) -> None:
    assert NameDirectory.of([NamedPerson(1, "Tanja O'Neill"), NamedPerson(2, name)]).family("Tanyao") == (2,)


def test_family_names_are_found_written_and_by_sound() -> None:
    family = NameDirectory.of(
        [
            NamedPerson(1, "青木 ひなた", "あおき ひなた"),
            NamedPerson(2, "青木　空"),
            NamedPerson(3, "上野"),
            NamedPerson(4, "小川", romanised="Kei Aoki"),
        ]
    )
    assert family.family("青木さん") == (1, 2)
    assert family.family("アオキ") == (1, 2)
    assert family.family("青木（ひ）") == (1, 2)
    assert family.family("上野") == (3,)
    assert family.family("ひなた") == ()
    assert family.family("aoki") == (4,)


@pytest.mark.parametrize(
    ("short", "name", "is_short"),
    [
        ("S. O'Neill", "Sean O'Neill", True),
        ("O'Neill, S.", "Sean O'Neill", True),
        ("J P Smith", "John Paul Smith", True),
        ("S. O'Neill", "John O'Neill", False),
        ("S. O'Neill", "S. O'Neill", False),
        ("Sean O'Neill", "Sean O'Neill", False),
        ("J. Smith", "John Paul Smith", False),
        ("A. B.", "Anna Bo", False),
    ],
)
def test_names_with_initials_are_short_for_others(short: str, name: str, is_short: bool) -> None:
    assert shortens(short, name) == is_short
    assert NameDirectory.of([NamedPerson(1, "青木", romanised=name)]).shortened(short) == (1,) * is_short


def test_number_is_part_of_a_written_name() -> None:
    assert (WrittenName("青木").id, WrittenName("石田", "7").id) == ("青木", "石田\t7")
