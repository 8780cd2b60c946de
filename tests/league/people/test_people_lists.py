import pytest

from league.core.people_lists import MAX_LINES, ListedPerson, PeopleListError, read_people


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        pytest.param("青木\tあおき\n石田\tいしだ", ("name", "kana"), id="name and reading"),
        pytest.param("12\t青木\tあおき\n13\t石田\t", ("number", "name", "kana"), id="number, name and reading"),
        pytest.param("青木、あおき\n石田、いしだ", ("name", "kana"), id="with Japanese commas"),
        pytest.param("青木 一（あおき はじめ）\n石田 (イシダ)", ("kana", "name"), id="reading in brackets"),
        pytest.param("鶫 一（Hajime Tsugumi）\n石田", ("romanised", "name"), id="Latin name in brackets"),
        pytest.param("番号、名前\n12、青木", ("number", "name"), id="numbers before Japanese commas"),
        pytest.param("青木,あおき\n石田\tいしだ", ("name", "kana"), id="commas and tabs"),
        pytest.param("青木,Aoki\n石田,Ishida", ("name", "romanised"), id="name and Latin name"),
        pytest.param("Ada Byron, York\nJohn Smith, Leeds", ("name", "club"), id="Latin name and club"),
        pytest.param("さくら\tさくら\nもも\tもも", ("name", "kana"), id="names in kana"),
        pytest.param("青木\tあおき\tAoki\t東\tx9", ("name", "kana", "romanised", "club", "number"), id="all"),
        pytest.param("氏名\tフリガナ\n青木\tアオキ", ("name", "kana"), id="a head in Japanese"),
        pytest.param("No\t名前\t所属\n1\t青木\t東", ("number", "name", "club"), id="a head with a club"),
        pytest.param("name,club,points\nAoki,East,12", ("name", "club"), id="a column that nobody needs"),
        pytest.param("名前\t名前\n青木\t石田", ("name",), id="a head twice"),
        pytest.param("青木\t東\t西\t\n石田\t南\t北\t", ("name", "club"), id="more texts than columns"),
        pytest.param("青木\t\tあおき", ("name", "kana"), id="an empty column"),
    ],
)
def test_columns_are_recognised_by_heading_or_content(text: str, columns: tuple[str, ...]) -> None:
    assert tuple(read_people(text)[0].texts) == columns


def test_surname_before_a_comma_goes_last() -> None:
    people = read_people("O'Neill, Siobhan\nVan der Berg, Joost\nMüller, Jürgen\nAda Byron")
    assert [person.name for person in people] == ["Siobhan O'Neill", "Joost Van der Berg", "Jürgen Müller", "Ada Byron"]


@pytest.mark.parametrize(
    "text",
    [
        "1. Ada Byron\n2. Joost Smit",
        "Members:\n1) Ada Byron\n2) Joost Smit",
        "・Ada Byron\n・Joost Smit",
        "①Ada Byron\n② Joost Smit",
        "1、Ada Byron\n\n2、Joost Smit",
        "1 Ada Byron\n2 Joost Smit",
        "Ada Byronさん\nJoost Smit 様",
        "Ada Byron (guest)\nJoost Smit（ゲスト）",
    ],
)
def test_marks_around_names_are_not_part_of_them(text: str) -> None:
    people = [(person.texts, person.is_guest) for person in read_people(text)]
    assert people == [({"name": name}, "guest" in text or None) for name in ("Ada Byron", "Joost Smit")]


@pytest.mark.parametrize(
    "text",
    [
        "たくちゃん\nはなちゃん",
        "王様\n殿様",
        "佐藤（ゆか）\n佐藤（みき）",
        "高橋(JPML)",
        "アオキ(ドラ)",
        "石田(ゲスト)\n石田",
    ],
)
def test_what_belongs_to_names_stays(text: str) -> None:
    assert "\n".join(person.name for person in read_people(text)) == text


def test_number_before_one_of_two_names_is_kept() -> None:
    assert [person.name for person in read_people("1. Ada Byron\nJoost Smit")] == ["1. Ada Byron", "Joost Smit"]


def test_row_has_only_the_values_of_its_cells() -> None:
    first, second, third = read_people("名前\t会員番号\tゲスト\n青木\t1\t\n石田\t\tゲスト\n上野\t3\t×")
    assert first == ListedPerson(2, {"name": "青木", "number": "1"})
    assert (second.name, second.number, second.is_guest) == ("石田", "", True)
    assert third.is_guest is False


def test_invalid_values_name_their_column() -> None:
    people = read_people(f"名前\tふりがな\tゲスト\n\tあおき\t\n{'青' * 41}\tあ\tたぶん")
    assert [person.wrong for person in people] == [("name",), ("name", "guest")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(" \n\t\n", "empty", id="nothing"),
        pytest.param("1\n2\n3", "no_names", id="numbers alone"),
        pytest.param("青木\n" * (MAX_LINES + 1), "too_many", id="too many"),
    ],
)
def test_unreadable_list_is_refused(text: str, code: str) -> None:
    with pytest.raises(PeopleListError) as refused:
        read_people(text)
    assert refused.value.code == code
