import struct
import subprocess
import sys
from typing import Any

import pytest
from django.test import Client

from league.models import League, Player, Session
from league.services.calendar import set_session_state
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, change_player, merge_players
from league.services.results import void_hanchan
from stats.core.cards import CardRow, ShareCard
from stats.exports.cards import BOARD, EVENING, HANCHAN, PLAIN, PLAYER, CardKind, card_text, kept_card
from stats.http.cards import card_png, measure
from tests.conftest import ROOT
from tests.league.entry_contexts import text
from tests.league.factories import DAY, client_of, make_league, make_players, make_session, make_user, play, settle
from tests.stats.pages import named

LONG = ShareCard(
    "麻雀サークル カマラード",
    "2025年11月の順位",
    "12人 · 48半荘",
    tuple(CardRow(f"{rank}位", "髙橋𠮷男" * 10, "▲1,234.5", "48半荘") for rank in range(1, 6)),
)


def test_share_picture_has_its_size_and_does_not_depend_on_system_fonts(tmp_path: Any) -> None:
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
    code = (
        "import sys; from resvg_py import svg_to_bytes; sys.stdout.buffer.write(bytes(svg_to_bytes(svg_string=sys.stdin.read(), "
        f"font_files=[{str(ROOT / 'static/vendor/fonts/NotoSansJP_500Medium.ttf')!r}], skip_system_fonts=True, "
        "font_family='Noto Sans JP')))"
    )
    from stats.core.cards import card_svg

    bare = {"FONTCONFIG_FILE": str(tmp_path / "fonts.conf"), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    drawn = subprocess.run(
        [sys.executable, "-c", code], input=card_svg(LONG, measure).encode(), env=bare, capture_output=True, check=True
    )
    assert drawn.stdout == card_png(LONG)
    assert struct.unpack(">II", drawn.stdout[16:24]) == (1200, 630)
    assert len(drawn.stdout) <= 300_000


def test_letters_are_measured_with_the_drawing_font() -> None:
    assert measure("あ", 100) == 100
    assert measure("iii", 100) < measure("WWW", 100)
    assert measure("\U000f0000", 100) == 100, "the box for a letter that the font lacks"


@pytest.fixture
def league(db: None) -> League:
    league = make_league(players=4)
    session = make_session(league)
    for _ in range(2):
        play(session)
    settle()
    return League.objects.get(pk=league.pk)


def said(league: League, kind: CardKind, **given: Any) -> str:
    from league.selectors.addresses import league_at

    found = league_at(league.slug)
    assert found is not None
    return card_text(kept_card(kind, found, given))


def test_share_card_shows_the_figures_of_its_page(league: League) -> None:
    session = league.sessions.get()
    hanchan = session.hanchan.order_by("pk")[0]
    assert said(league, BOARD, scope="2025-11").split("\n")[1:] == [
        "1位 青木 +43.4", "2位 石田 +2.6", "3位 上野 ▲9.0", "4位 江口 ▲37.0",
    ]  # fmt: skip
    assert said(league, BOARD, scope="2025-11-01..2025-11-30").endswith("4位 江口 ▲37.0")
    assert "1位 青木 +43.4" in said(league, EVENING, pk=session.pk)
    assert "1着 青木 +21.7" in said(league, HANCHAN, pk=hanchan.pk)
    assert "+43.4" in said(league, PLAYER, pk=named(league, "Aoki").pk)
    assert said(league, PLAIN).split("\n")[-1] == "4人 · 2半荘"
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="wrong table")
    assert "青木" not in said(league, HANCHAN, pk=hanchan.pk)


@pytest.mark.django_db
def test_message_of_a_session_has_all_players_after_its_story(client: Client) -> None:
    session = make_session(league := make_league(players=8))
    people = list(league.players.order_by("pk"))
    for table in (1, 2):
        play(session, players=people[4 * table - 4 : 4 * table], table=table)
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    page = client.get(f"/en/l/camarade/sessions/{session.pk}/").content.decode()
    message = page.partition('id="share-text"')[2].partition("</textarea>")[0]
    assert message.index("tied for 1st") < message.index("#1 ")
    assert message.count("\n#") == 8


@pytest.mark.django_db
def test_share_card_of_an_empty_period_has_no_figures() -> None:
    league = make_league()
    (aoki,) = make_players(league, 1)
    for kind, given in (
        (BOARD, {"scope": "all"}),
        (EVENING, {"pk": make_session(league).pk}),
        (PLAYER, {"pk": aoki.pk}),
        (PLAIN, {}),
    ):
        assert len(said(league, kind, **given).split("\n")) == 2, kind.address


def test_share_card_of_a_merged_player_follows_the_current_visibility(league: League) -> None:
    first, second = make_players(league, 2)
    Player.objects.filter(pk=second.pk).update(name="赤井")
    aoki = named(league, "Aoki")
    change_player(player=aoki, facts=PlayerFacts("青木", "あおき", "Aoki", visibility="nobody"), by=SYSTEM)
    merge_players(source=first, target=second, by=SYSTEM, reason="one person")
    merge_players(source=Player.objects.get(pk=second.pk), target=aoki, by=SYSTEM, reason="one person")
    assert said(league, PLAYER, pk=first.pk) == said(league, PLAYER, pk=second.pk)
    assert "赤井" not in said(league, PLAYER, pk=first.pk)


@pytest.mark.parametrize("metric", ["average_points", "average_placement"])
def test_share_card_of_standings_shows_the_ranking_metric(league: League, metric: str) -> None:
    League.objects.filter(pk=league.pk).update(metric=metric)
    first = said(league, BOARD, scope="2025-11").split("\n")[1]
    assert first.split(" ")[-1] == {"average_points": "+21.7", "average_placement": "1.00"}[metric]


@pytest.mark.long
@pytest.mark.parametrize("visibility", ["members", "nobody"])
def test_hidden_name_is_a_number_on_every_share_card(league: League, visibility: str) -> None:
    owner = make_user("owner", league=league, role="owner")
    aoki = named(league, "Aoki")
    change_player(player=aoki, facts=PlayerFacts("青木", "あおき", "Aoki", visibility=visibility), by=SYSTEM)
    session = league.sessions.get()
    client = client_of(owner)
    for kind, given in (
        (BOARD, {"scope": "2025-11"}),
        (BOARD, {"scope": "2025-11-01..2025-11-30"}),
        (EVENING, {"pk": session.pk}),
        (HANCHAN, {"pk": session.hanchan.order_by("pk")[0].pk}),
        (PLAYER, {"pk": aoki.pk}),
        (PLAIN, {}),
    ):
        client.get(kind.url(league, given))
        text = said(league, kind, **given)
        assert "青木" not in text, kind.address
        assert f"選手{aoki.pk:03d}" in text or kind is PLAIN
    for address in (f"/l/camarade/g/{session.hanchan.order_by('pk')[0].pk}/", f"/l/camarade/sessions/{session.pk}/"):
        page = client.get(address).content.decode()
        assert "青木" not in page[page.index("data-share") : page.index("</textarea>")], address


def test_order_of_tied_players_does_not_reveal_a_hidden_name(league: League) -> None:
    first, second, *others = league.players.order_by("pk")
    session = make_session(league, DAY)
    play(session, players=(first, second, *others))
    play(session, players=(second, first, *others))
    assert said(league, EVENING, pk=session.pk).split("\n")[1:3] == ["1位 青木 +23.0", "1位 石田 +23.0"]
    change_player(player=first, facts=PlayerFacts("青木", "あおき", "Aoki", visibility="nobody"), by=SYSTEM)
    named_first, then = said(league, EVENING, pk=session.pk).split("\n")[1:3]
    assert (named_first, then) == ("1位 石田 +23.0", f"1位 選手{first.pk:03d} +23.0")


def picture_of(page: str) -> str:
    return page.split('og:image" content="')[1].split('"', maxsplit=1)[0].removeprefix("http://testserver")


def test_picture_url_changes_with_the_page(client: Client, league: League) -> None:
    board = "/l/camarade/standings/2025-11/"
    before = picture_of(text(client.get(board)))
    assert client.get(before)["Cache-Control"] == "public, max-age=31536000, immutable"
    play(league.sessions.get())
    settle()
    after = picture_of(text(client.get(board)))
    assert after != before
    assert client.get(after)["Cache-Control"] == "public, max-age=31536000, immutable"
    for old in (before, before.split("?")[0], f"{board}card.png?v=made-up"):
        assert client.get(old)["Cache-Control"] == "public, max-age=300", old


def test_unchanged_picture_answers_304(client: Client, league: League) -> None:
    address = "/l/camarade/standings/2025-11/card.png"
    first = client.get(address)
    again = client.get(address, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]
    assert client.get(f"/en{address}")["ETag"] != first["ETag"]
    assert not first.cookies
    assert "Cookie" not in first.get("Vary", "")


def test_picture_urls_use_the_requested_host(client: Client, league: League, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    for host in settings.ALLOWED_HOSTS:
        page = text(client.get("/l/camarade/rules/", headers={"host": host}))
        assert f'og:image" content="http://{host}/l/camarade/card.png?v=' in page
        assert f'og:url" content="http://{host}/l/camarade/rules/"' in page


@pytest.mark.parametrize("scope", ["2025-13", "nonsense"])
def test_picture_of_an_invalid_period_is_not_found(client: Client, league: League, scope: str) -> None:
    assert client.get(f"/l/camarade/standings/{scope}/card.png").status_code == 404
