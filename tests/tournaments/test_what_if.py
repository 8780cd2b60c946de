import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.models import Hanchan, Player
from league.services.history import SYSTEM
from tests.conftest import built_once
from tests.tournaments.factories import by_entry, play_table, play_to_the_final
from tests.tournaments.test_pages import PAGE, plain, text
from tournaments.http.pages import kept_hindsight
from tournaments.messages.chances import percent
from tournaments.models import StageSession
from tournaments.selectors.chances import TitleChances
from tournaments.selectors.outlook import seed_of, surprise_of
from tournaments.selectors.state import state_of
from tournaments.services.decisions import withdraw

FINAL = f"{PAGE}stage/final/"
WHAT_IF = f"{PAGE}what-if/final/"
ODDS = f"{PAGE}odds/"


@built_once()
def stored() -> None:
    play_to_the_final()


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stored")]


@pytest.fixture
def final(stored: None) -> StageSession:
    return StageSession.objects.select_related("tournament__league", "session__league").get(stage="final")


def section(html: str, heading: str) -> str:
    return plain(html.split(heading, 1)[1].split("<h2", 1)[0])


def test_simulation_seed_depends_on_standings_only(final: StageSession) -> None:
    tournament = final.tournament
    before = seed_of(state_of(tournament).state.stages)
    Player.objects.filter(entries__tournament=tournament).update(name="改名")
    assert seed_of(state_of(tournament).state.stages) == before
    play_table(final, 1, 1, by_entry(tournament))
    assert seed_of(state_of(tournament).state.stages) != before


def test_completed_stage_shows_its_earlier_chances(final: StageSession, client: Client) -> None:
    told = section(text(client.get(f"{PAGE}stage/po1/")), "どれくらい起こりにくかったか</h2>")
    assert all(left in told for left in ("残り2半荘で", "残り1半荘で"))
    current = state_of(final.tournament)
    hindsights = kept_hindsight(current)
    assert [each.stage for each in hindsights] == ["qualifying", "po1", "po2", "po3"]
    for each in hindsights:
        surprise = surprise_of(current, each)
        assert surprise is not None
        least = min(min(look[player] for look in each.looks.values()) for player in each.made_it)
        assert min(likely for _, likely in surprise.looks) == least
        assert abs(sum(each.looks[1].values()) - len(each.made_it)) < 1e-6
    # Later hanchan do not change it, nor do those who leave, though they did not go on.
    leaver = current.state.taken("po3", "final")[0]
    withdraw(entry=current.entries[int(leaver)], stage="final", reason="x", by=SYSTEM)
    assert text(client.get(ODDS)).count("権利のみ") == 1
    play_table(final, 1, 1, by_entry(final.tournament))
    with CaptureQueriesContext(connection) as asked:
        assert kept_hindsight(state_of(final.tournament))[:4] == hindsights
    assert not any("stats_ratingblock" in query["sql"] or '"points"' in query["sql"][:60] for query in asked)


def test_chances_page_shows_when_data_is_insufficient(final: StageSession, client: Client) -> None:
    told = plain(html := text(client.get(ODDS)))
    assert re.findall(r"<h4>(\w)ブロック</h4>", html) == ["A", "B"]
    assert "3半荘以上のステージが8つ終わると判断できます(現在4/8)。" in told
    assert "合っているか" not in told
    assert re.search("残した時点での各選手の確率.*(5〜20|0〜5)%.*1件は選手1人の確率", told, re.DOTALL)
    assert "Too few to tell" in plain(text(client.get(f"/en{ODDS}")))


def keys(html: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r'name="([sb]\d+[rh]\d+(?:t\d+)?)"', html)))


@pytest.mark.long
def test_supposed_placement_changes_standings_and_chances(final: StageSession, client: Client) -> None:
    for number in (1, 2, 3):
        play_table(final, 1, number, by_entry(final.tournament))
    before = text(client.get(WHAT_IF))
    (table,) = keys(before)
    last = state_of(final.tournament).state.stage("final").rankings[0].lines[-1].participant
    name = state_of(final.tournament).player(last).name
    seat = re.findall(r'what-if-name">([^<]+)<', before).index(name)
    stored = Hanchan.objects.count()
    after = text(client.get(f"{WHAT_IF}?{urlencode({f'{table}.{seat}': '1000', f'{table}p{seat}': ''})}", follow=True))
    assert "1人を除く全員の素点を入れてください。" in after
    scores = {f"{table}.{number}": "100" for number in range(4) if number != seat}
    after = text(client.get(f"{WHAT_IF}?{urlencode(scores)}"))
    assert re.search("· 決勝<.*仮の結果.*この結果でステージは終わります", after, re.DOTALL)
    assert "仮の結果" not in before
    assert re.findall(rf'block-rank" aria-hidden="true">1</b>.*?>([^<>]*{name}[^<>]*)<', after, re.DOTALL)
    assert Hanchan.objects.count() == stored
    assert text(client.get(FINAL)).count("仮の結果") == 0


def displayed_chances(client: Client) -> dict[str, dict[int, str]]:
    """Return each finalist's displayed chance of the title, by page and entry key."""
    told: dict[str, dict[int, str]] = {}
    for name, address in {"stage": FINAL, "what if": WHAT_IF, "tournament": PAGE, "odds": ODDS}.items():
        page = client.get(address).context
        if isinstance(page.get("title"), TitleChances):
            told[name] = {entry.pk: percent(likely) for entry, likely in page["title"].contenders}
        if page.get("chances"):
            (block,) = page["chances"].blocks
            told[f"{name}, chances"] = {row.entry.pk: percent(row.chances[-1].likely) for row in block.rows}
        if page.get("needs"):
            (needs,) = page["needs"]
            told[f"{name}, needs"] = {each.entry.pk: percent(each.chance) for each in needs.players}
    return told


@pytest.mark.long
def test_all_pages_agree_on_the_chance_to_win(final: StageSession, client: Client) -> None:
    rounds = final.tournament.format.stage("final").planned
    for number in range(1, rounds):
        play_table(final, 1, number, by_entry(final.tournament))
    told = displayed_chances(client)
    assert {*told} == {"stage, needs", "what if, needs", "tournament", "odds"}  # no page tells them twice
    figures = told["stage, needs"]
    assert len(figures) == 4
    for each in told.values():
        assert each == {entry: figures[entry] for entry in each}
    shown = re.findall(r"<b>([<>]?\d+%)</b>", unescape(text(client.get(f"{PAGE}wall/", {"show": "conditions"}))))
    assert shown
    assert set(shown) <= set(figures.values())
    play_table(final, 1, rounds, by_entry(final.tournament))
    assert displayed_chances(client) == {}


@pytest.mark.long
def test_supposed_placements_alone_show_conditions(final: StageSession, client: Client) -> None:
    for number in (1, 2):
        play_table(final, 1, number, by_entry(final.tournament))
    html = text(client.get(WHAT_IF))
    assert "着以上なら優勝" not in plain(html)
    third, _ = keys(html)
    html = text(client.get(f"{WHAT_IF}?{third}p2=1"))
    assert "着なら" in plain(html)
    assert "同じ着順が2人に" in plain(text(client.get(f"{WHAT_IF}?{third}p2=1&{third}p1=1")))
    assert "1半荘は実際の成績ではありません" in plain(text(client.get(f"{WHAT_IF}?{third}=0")))


def test_empty_fields_are_removed_from_the_url(final: StageSession, client: Client) -> None:
    (table, *_) = keys(text(client.get(WHAT_IF)))
    answer = client.get(f"{WHAT_IF}?{table}p0=1&{table}p1=&{table}.0=+")
    assert (answer.status_code, answer["Location"]) == (302, f"{WHAT_IF}?{table}p0=1")


def test_preset_links_are_valid(final: StageSession, client: Client) -> None:
    presets = re.findall(r'href="(\?[^"]+)" rel="nofollow"', text(client.get(WHAT_IF)))
    assert len(presets) == 5
    for preset in presets:
        answer = plain(text(client.get(WHAT_IF + preset.replace("&amp;", "&"))))
        assert "4半荘は実際の成績ではありません" in answer
        assert "アドレスの一部" not in answer


@pytest.mark.parametrize(
    "query",
    [
        "x=1",
        "s1r1t1p0=1",
        "b1h9.0=%00%ff",
        "KEY.0=9999999999999999999999999999999999999999&KEY.1=1",
        "KEYp0=7&KEYp1=-1&KEYp2=%E2%91%A0&KEYp3=1e9",
        "KEY.0=%F0%9F%80%84&KEY.1=%3Cscript%3E&KEY.2=&KEY.3=--",
        "KEY.0=100&KEY.1=100&KEY.2=100&KEY.3=100",
        "KEY=2&KEY=0",
        "KEY.0=33333&KEY.1=20001&KEY.2=1",
        "&".join(f"k{number}=1" for number in range(500)),
    ],
)
def test_invalid_what_if_query_shows_an_error(final: StageSession, client: Client, query: str) -> None:
    (table, *_) = keys(text(client.get(WHAT_IF)))
    html = text(client.get(f"{WHAT_IF}?{query.replace('KEY', table)}", follow=True))
    assert "<script>" not in html
    told = plain(html)
    assert any(
        sentence in told
        for sentence in (
            "アドレスの一部は使えませんでした",
            "読み取れません",
            "素点の合計が",
            "このルールでは計算できません",
            "着順か素点を入れると",
            "実際の成績ではありません",
        )
    )


def test_what_if_uses_few_queries(final: StageSession, client: Client) -> None:
    (table, *_) = keys(text(client.get(WHAT_IF)))
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as found:
            client.get(f"{WHAT_IF}?{table}p0=1")
        counts.append(len(found))
    assert counts[0] >= counts[1] > 3
    assert counts[0] < 30


def test_finished_stage_has_no_what_if(final: StageSession, client: Client) -> None:
    assert "これから打つ卓が決まっていません" in plain(text(client.get(f"{PAGE}what-if/po1/")))
    assert client.get(f"{PAGE}what-if/nowhere/").status_code == 404
