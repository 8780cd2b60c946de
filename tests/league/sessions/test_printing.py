import io
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from django.test import Client
from django.utils import timezone
from PIL import Image

from league.models import League, PlannedSeat, Player, Revision, Session, TableLink
from league.selectors.printing import posters, score_sheets
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
from league.services.photos import PhotoError, clean_photo
from league.templatetags.print_sheets import fit, typed_address
from tests.league.entry_contexts import at, url
from tests.league.factories import make_league, make_players, make_session, make_user

pytestmark = pytest.mark.django_db

POINTS_PER_MM = 72 / 25.4
MAX_NAME_LENGTH = "神宮寺﨑髙橋𠮷太郎兵衛左衛門尉" * 4
KINDS = ("print_cards", "print_posters", "print_sheets")


def plan(session: Session, table: int, people: Sequence[Player], round: int = 0, waits: Sequence[Player] = ()) -> None:
    for seat, player in enumerate((*people, *waits)):
        PlannedSeat.objects.create(
            session=session, table=table, round=round, seat=seat, player=player, waits=player in waits
        )


def to(name: str, session: Session, query: str = "") -> str:
    return url(name, session.league, session.pk) + query


def address(link: TableLink, language: str = "") -> str:
    return f"http://testserver{language}{at(link)}"


def opened(answer: Any) -> pypdfium2.PdfDocument:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Cache-Control"] == "private, no-store"
    return pypdfium2.PdfDocument(answer.content)


@pytest.fixture
def pdf(organiser: Client, league: League) -> Iterator[Any]:
    """Return a function that issues the links, prints, and returns the PDF's pages; closes them at the end."""
    del league
    documents: list[pypdfium2.PdfDocument] = []

    def printed(name: str, session: Session, query: str = "", language: str = "") -> list[Any]:
        organiser.post(to(name, session))
        mark = "&" if query else "?"
        documents.append(opened(organiser.get(f"{language}{to(name, session, query)}{mark}format=pdf")))
        return [documents[-1][number] for number in range(len(documents[-1]))]

    yield printed
    for document in documents:
        document.close()


def size_in_mm(page: Any) -> tuple[int, int]:
    width, height = page.get_size()
    return round(width / POINTS_PER_MM), round(height / POINTS_PER_MM)


def text_of(page: Any) -> str:
    found: str = page.get_textpage().get_text_range()
    return "".join(found.split())


def picture_of(page: Any, dots_per_inch: int = 150) -> Image.Image:
    picture: Image.Image = page.render(scale=dots_per_inch / 72).to_pil()
    return picture


def codes_on(page: Any) -> list[Any]:
    return list(zxingcpp.read_barcodes(picture_of(page)))


def width_in_mm(code: Any, dots_per_inch: int = 150) -> float:
    corners = code.position
    width: float = (corners.top_right.x - corners.top_left.x + 1) / dots_per_inch * 25.4
    return width


@pytest.mark.long
def test_cards_are_printed_four_per_a4_or_one_per_a6(league: League, pdf: Any) -> None:
    session = make_session(league, tables=10, venue="荻窪")
    pages = pdf("print_cards", session)
    assert [size_in_mm(page) for page in pages] == [(210, 297)] * 3
    assert [len(codes_on(page)) for page in pages] == [4, 4, 2]
    assert all(width_in_mm(code) >= 30 for page in pages for code in codes_on(page))
    read = {code.text for page in pages for code in codes_on(page)}
    assert read == {address(link) for link in session.table_links.all()}
    single = pdf("print_cards", session, "?paper=a6")
    assert [size_in_mm(page) for page in single] == [(105, 148)] * 10
    link = session.table_links.order_by("table")[0]
    assert codes_on(single[0])[0].text == address(link)
    for part in (f"{link.table}卓", address(link).removeprefix("http://"), "荻窪"):
        assert part in text_of(single[0])


def test_cards_follow_the_language_and_the_settings(session: Session, pdf: Any) -> None:
    (page,) = pdf("print_cards", session, language="/en")
    assert "Table1" in text_of(page)
    assert "CamaradeLeague" in text_of(page)
    assert codes_on(page)[0].text == address(session.table_links.get(), "/en")
    League.objects.update(entry_mode=League.EntryMode.STRICT, confirmed_by=League.ConfirmedBy.ONE)
    (page,) = pdf("print_cards", session)
    assert "全員の素点" in text_of(page)
    assert "合っています" in text_of(page)


@pytest.mark.long
def test_everything_is_printed_in_black_and_white(league: League, pdf: Any) -> None:
    session = make_session(league, tables=2)
    for kind in KINDS:
        for page in pdf(kind, session):
            colours = picture_of(page, 72).convert("RGB").getcolors(1_000_000)
            assert colours is not None
            assert all(max(pixel) - min(pixel) <= 2 for _count, pixel in colours)  # type: ignore[arg-type]


@pytest.mark.long
def test_poster_names_all_players_of_ten_tables(league: League, pdf: Any) -> None:
    people = make_players(league, 45)
    session = make_session(league, tables=10)
    for table in range(1, 11):
        first = 4 * (table - 1)
        plan(session, table, people[first : first + 4], waits=people[40 + table : 41 + table] if table < 4 else ())
    (page,) = pdf("print_posters", session)
    assert size_in_mm(page) == (420, 297)
    text = text_of(page)
    assert all(player.name in text for player in (*people[:40], *people[41:44]))
    codes = codes_on(page)
    assert {code.text for code in codes} == {address(link) for link in session.table_links.all()}
    assert all(width_in_mm(code) >= 30 for code in codes)
    small = pdf("print_posters", session, "?paper=a4")
    assert [size_in_mm(page) for page in small] == [(297, 210)] * 2
    assert [len(codes_on(page)) for page in small] == [5, 5]


@pytest.mark.long
def test_every_planned_round_has_a_poster(league: League, pdf: Any) -> None:
    people = make_players(league, 8)
    session = make_session(league, tables=2)
    for number in (1, 2, 3):
        plan(session, 1, people[number : number + 4], number)
        plan(session, 2, [*people[:number], *people[number + 4 :]], number)
    pages = pdf("print_posters", session)
    assert [f"{number}回戦" in text_of(page) for number, page in enumerate(pages, start=1)] == [True] * 3


@pytest.mark.parametrize(
    ("tables", "most", "pages"),
    [
        (1, 12, [1]), (2, 12, [2]), (3, 12, [3]), (12, 12, [12]), (13, 12, [7, 6]), (25, 12, [9, 9, 7]), (7, 6, [4, 3]),
    ],
)  # fmt: skip
def test_many_tables_are_split_over_posters(league: League, tables: int, most: int, pages: list[int]) -> None:
    found = posters(make_session(league, tables=tables), {}, most)
    assert [len(poster["tables"]) for poster in found] == pages
    assert all(len(poster["tables"]) <= poster["shape"] and not poster["has_plan"] for poster in found)


@pytest.mark.long
def test_score_sheet_of_five_players_has_five_columns(league: League, session: Session, pdf: Any) -> None:
    people = make_players(league, 5)
    plan(session, 1, people[:4], waits=people[4:])
    (page,) = pdf("print_sheets", session)
    assert size_in_mm(page) == (210, 297)
    text = text_of(page)
    assert all(player.name in text for player in people)
    for words in (
        "100,000",
        "署名",
        "チョンボ",
        "▲15",
        "抜け",
        "25,000点持ち",
        str(session.ruleset_version).replace(" ", ""),
    ):
        assert words in text
    (code,) = codes_on(page)
    assert code.text == address(session.table_links.get())
    assert width_in_mm(code) >= 30


@pytest.mark.long
def test_score_sheet_of_three_players_shows_their_total(client: Client) -> None:
    league = make_league("sanma", card="banchi-3p", parameters={"uma": [10, 0, -10]})
    people = make_players(league, 3)
    session = make_session(league, tables=2)
    plan(session, 1, people)
    client.force_login(make_user("ueno", league=league, role="organiser"))
    document = opened(client.get(to("print_sheets", session, "?format=pdf")))
    assert "105,000" in text_of(document[0])
    assert len(document) == 2
    document.close()
    known, blank = score_sheets(session, session.ruleset_version.read(), {})
    assert known["people"] == tuple(people)
    assert blank["people"] == (None,) * 4


@pytest.mark.long
def test_score_sheet_of_changing_players_names_them_in_every_line(league: League, session: Session, pdf: Any) -> None:
    people = make_players(league, 8)
    for number in (1, 2, 4):
        plan(session, 1, people[number : number + 4], number)
    (sheet,) = score_sheets(session, session.ruleset_version.read(), {})
    assert sheet["by_seat"]
    assert [seated for _round, seated in sheet["lines"]] == [
        tuple(people[1:5]),
        tuple(people[2:6]),
        (None,) * 4,
        tuple(people[4:8]),
    ]
    (page,) = pdf("print_sheets", session)
    assert all(player.name in text_of(page) for player in people[1:])


def test_score_sheet_of_the_same_four_players_has_them_as_columns(league: League, session: Session) -> None:
    people = make_players(league, 4)
    for number in (1, 2):
        plan(session, 1, people if number == 1 else people[::-1], number)
    (sheet,) = score_sheets(session, session.ruleset_version.read(), {})
    assert not sheet["by_seat"]
    assert sheet["people"] == tuple(people)
    assert [number for number, _seated in sheet["lines"]] == [1, 2]


@pytest.mark.long
@pytest.mark.parametrize(("rounds", "pages"), [(1, 1), (8, 1), (9, 1), (12, 1), (13, 2), (30, 3)])
def test_score_sheet_has_12_rounds_a_page(league: League, session: Session, pdf: Any, rounds: int, pages: int) -> None:
    people = make_players(league, 5)
    for number in range(1, rounds + 1):
        plan(session, 1, people[:4] if number % 2 else people[1:], number)
    found = pdf("print_sheets", session, language="/en")
    assert len(found) == pages
    assert all("Chombo" in text_of(page) for page in found)


@pytest.mark.long
@pytest.mark.parametrize("seats", [4, 8])
@pytest.mark.parametrize("kind", KINDS)
def test_longest_names_fit_on_one_page(league: League, pdf: Any, kind: str, seats: int) -> None:
    people = make_players(league, seats)
    for player in people:
        player.name = MAX_NAME_LENGTH[: 39 - len(str(player.pk))] + str(player.pk)
        player.save()
    session = make_session(league, title="節" * 100, venue="会" * 100, tables=1)
    plan(session, 1, people[:4], waits=people[4:])
    (page,) = pdf(kind, session)
    assert codes_on(page)
    if kind != "print_cards":
        assert people[0].name[:20] in text_of(page)
    if kind == "print_sheets":
        assert "チョンボ" in text_of(page)


def test_rare_characters_are_printed_in_the_included_font(league: League, session: Session, pdf: Any) -> None:
    people = make_players(league, 4)
    Player.objects.filter(pk=people[0].pk).update(name="髙﨑𠮷濵瀨德")
    plan(session, 1, people)
    (page,) = pdf("print_posters", session)
    assert "髙﨑𠮷濵瀨德" in text_of(page)
    fonts = {item.get_font().get_base_name() for item in page.get_objects() if item.type == 1}
    assert fonts, fonts
    assert all("Tenbo" in name for name in fonts), fonts


def test_button_issues_links_for_all_tables(organiser: Client, league: League) -> None:
    session = make_session(league, tables=2)
    for kind in KINDS:
        page = organiser.get(to(kind, session)).content.decode()
        assert ("リンクを発行" if kind != "print_cards" else "カードを作る") in page
        assert ("?format=pdf" in page, 'class="paper"' in page) == (kind != "print_cards",) * 2
        assert "qr-code" not in page
    Session.objects.update(state="closed")
    assert 'name="then" value="print_cards"' in organiser.get(to("print_cards", session)).content.decode()
    Session.objects.update(state="open")
    assert not TableLink.objects.exists()
    address = to("print_sheets", session, "?paper=a4")
    assert organiser.post(address)["Location"] == address
    assert sorted(session.table_links.values_list("table", flat=True)) == [1, 2]
    organiser.post(to("print_cards", session))
    assert session.table_links.count() == 2
    page = organiser.get(to("print_cards", session)).content.decode()
    assert page.count("qr-code") == 2
    # The first page still has the message.
    assert "リンクを発行" not in organiser.get(to("print_cards", session)).content.decode()
    plan(session, 3, make_players(league, 4))
    organiser.post(to("print_posters", session))
    assert sorted(session.table_links.values_list("table", flat=True)) == [1, 2, 3]
    assert Revision.objects.filter(subject="tablelink").count() == 3


def test_ended_link_is_not_printed(organiser: Client, session: Session) -> None:
    link = issue_link(session=session, table=1, by=SYSTEM, expires_at=timezone.now() - timedelta(hours=1))
    assert code_of(link) not in organiser.get(to("print_cards", session)).content.decode()
    organiser.post(to("print_cards", session))
    fresh = session.table_links.get(revoked_at=None)
    assert code_of(fresh) in organiser.get(to("print_cards", session)).content.decode()


def test_scorer_prints_but_issues_no_links(client: Client, league: League, session: Session) -> None:
    client.force_login(make_user("eguchi", league=league, role="scorer"))
    assert "リンクを発行" not in client.get(to("print_sheets", session)).content.decode()
    assert "幹事だけ" in client.post(to("print_sheets", session), follow=True).content.decode()
    assert not TableLink.objects.exists()


def test_score_sheet_under_unreadable_rules_is_not_printed(organiser: Client, session: Session) -> None:
    version = session.ruleset_version
    version.parameters = {"players": "many"}
    version.save()
    assert organiser.get(to("print_sheets", session)).status_code == 302
    assert organiser.get(to("print_posters", session)).status_code == 200


@pytest.mark.parametrize("query", ["?paper=a5", "?paper=", "?format=doc", "?paper=a6&paper=a4", "?format=PDF"])
def test_invalid_paper_or_format_shows_the_page(organiser: Client, league: League, query: str) -> None:
    for kind in KINDS:
        answer = organiser.get(to(kind, make_session(league), query))
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith("text/html")


@pytest.mark.filterwarnings("ignore")
def test_browser_prints_without_pango(organiser: Client, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def find_spec(self, name: str, *_rest: object) -> None:
            if name == "weasyprint":
                raise OSError("cannot load library 'libpango-1.0-0'")

    for name in [name for name in sys.modules if name.split(".")[0] == "weasyprint"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    answer = organiser.get(to("print_sheets", session, "?format=pdf"))
    assert answer["Content-Type"].startswith("text/html")
    assert "ブラウザから印刷" in answer.content.decode()


def test_damaged_photos_are_still_refused_after_printing(league: League, pdf: Any) -> None:
    pdf("print_cards", make_session(league))
    file = io.BytesIO()
    Image.effect_noise((400, 300), 50).save(file, "JPEG")
    with pytest.raises(PhotoError):
        clean_photo(file.getvalue()[:-2000])


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("青木", "short"), ("Eguchi", "short"), ("神宮寺太", "short"), ("神宮寺太郎", "medium"),
        ("神宮寺﨑太郎兵衛", "long"), ("Alexander Wellington III", "long"), ("神宮寺﨑太郎兵衛左衛門尉", "long"),
        ("神宮寺﨑太郎兵衛左衛門尉宗", "longest"), ("", "short"),
    ],
)  # fmt: skip
def test_font_size_of_a_name_follows_its_width(text: str, size: str) -> None:
    assert fit(text) == size


def test_printed_address_has_no_scheme() -> None:
    assert typed_address("https://league.example/e/1/") == "league.example/e/1/"
    assert typed_address("") == ""
