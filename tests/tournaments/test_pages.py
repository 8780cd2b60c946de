import re
from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from league.models import Player, Session
from league.selectors.attendance import sessions_to_answer
from league.services.history import SYSTEM
from league.services.rescoring import scored_otherwise
from tests.league.factories import client_of, make_players, make_user, next_version, planned_players, play
from tests.stats.pages import links
from tests.tournaments import factories
from tournaments.core.reading import format_keys, load_format
from tournaments.models import Tournament
from tournaments.selectors.grid import press_points
from tournaments.selectors.picture import clipped, picture_of
from tournaments.selectors.state import state_of
from tournaments.services.decisions import AdvancementChoice, approve, finish, withdraw

pytestmark = pytest.mark.django_db

PAGE = "/l/cinderella/t/t1/"
STAGE = f"{PAGE}stage/qualifying/"
RESULTS = f"{PAGE}results/"

SIZES = {"elimination-4": 16, "classes": 20, "season": 8, "swiss": 9, "open-final-table": 16}


def text(response: Any) -> str:
    assert response.status_code == 200
    return str(response.content.decode())


def plain(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_bracket_names_players_who_would_advance(client: Client, running: Tournament) -> None:
    html = text(client.get(PAGE))
    start = html.index('class="bracket"')
    svg = html[start : html.index("</svg>", start)]
    for part in ("予選 A", "予選 B", "プレーオフ1", "プレーオフ3", "決勝", "優勝", "<title", "<desc", "4/8"):
        assert part in svg
    assert f'href="{STAGE}#block-A"' in svg
    assert 'class="b-if"' in svg
    assert "style=" not in html
    current = state_of(running)
    assert current.player(current.state.stage("qualifying").ranking("A").lines[0].participant).name in svg


def test_bracket_says_the_last_rank_of_those_entered() -> None:
    tournament = factories.make_tournament(factories.make_cinderella_league(), "open-final-table")
    with override("en"):
        picture = picture_of(state_of(tournament))
    assert [line.words for line in picture.lines] == ["1–4", "5–16", "1"]
    below = next(each for each in picture.boxes if each.box.key == "rest")
    assert (below.box.rows, [row.lines[0] for row in below.rows]) == (1, ["Open stage 5th and below"])


def test_stage_lists_its_players_without_ranks_until_the_first_result(client: Client, tournament: Tournament) -> None:
    assert all(said in text(client.get(PAGE)) for said in ("16/16名", "江口"))
    session = factories.draw_and_plan(tournament, "qualifying")[0]
    html = text(client.get(STAGE))
    assert html.count('<ul class="entries">') == 2
    assert 'class="block-rank"' not in html
    assert "各ブロックの1位が決勝へ進みます。" in html
    assert f"{PAGE}seating/" in html
    factories.play_table(session, 1, 1, factories.by_entry(tournament))
    html = text(client.get(STAGE))
    assert html.count('<ul class="entries">') == 1
    assert html.count('class="block-rank"') == 4
    assert 'class="cut"' not in html
    assert 'class="b-if"' not in text(client.get(PAGE)).partition("bracket-key")[0]


def test_visitor_finds_day_venue_and_seats_after_the_draw(client: Client, tournament: Tournament) -> None:
    session = factories.draw_and_plan(tournament, "qualifying", start=date(2030, 3, 1))[0].session
    Session.objects.filter(pk=session.pk).update(start_time=time(19), venue="和室3")
    head, _, now = text(client.get(PAGE)).partition('class="page-head')[2].partition("</header>")
    assert (now.count('class="seat-table"'), 'class="entries"' in now) == (2, False)
    assert "対局待ち 予選 自動更新 次回の予定: 2030/03/01(金) 19:00 · 和室3 卓組" in plain(head)
    assert f'<a class="button" href="{PAGE}seating/">' in head
    away = tournament.league.players.exclude(planned_in__session=session)[0]
    Player.objects.filter(pk=away.pk).update(user=(user := make_user()))
    assert sessions_to_answer(user.pk, datetime(2030, 2, 28, tzinfo=UTC)) == []


def test_page_of_a_running_stage_shows_the_tables_still_to_play(client: Client, tournament: Tournament) -> None:
    session = factories.draw_and_plan(tournament, "qualifying", start=date(2030, 3, 1))[0]
    for table, number, told in ((1, 1, "1回戦 1卓 結果"), (2, 1, "2回戦 1卓 東")):
        factories.play_table(session, table, number, factories.by_entry(tournament))
        html = text(client.get(PAGE))
        assert told in plain(html[html.index('class="block-rank"') :])
    assert html.count('class="seat-table"') == 2


def test_entrants_have_not_advanced(client: Client) -> None:
    html = text(client.get(f"/l/{factories.make_tournament(None, 'open-final-table').league.slug}/t/t1/"))
    assert html.count('class="b-on"') == 2  # in the key
    assert 'class="stages-name"' in html
    assert "stages-name on" not in html


@pytest.mark.long
def test_bracket_names_the_winner(client: Client, tournament: Tournament) -> None:
    for stage in ("qualifying", "po1", "po2", "po3", "final"):
        factories.play_stage(tournament, stage)
    picture = picture_of(state_of(tournament))
    champion = next(box for box in picture.boxes if box.box.key == "champion")
    assert (champion.state, [(row.name, row.mark) for row in champion.rows]) == ("decided", [("青木", "on")])
    assert all(line.approved for line in picture.lines)
    finish(tournament=tournament, by=SYSTEM)
    html = text(client.get(PAGE))
    assert "最終順位" in html
    for key in ("qualifying", "po1", "po2", "po3", "final"):
        assert f"{PAGE}stage/{key}/" in html
    assert "青木" in plain(html[html.index("champion-name") :])[:60]
    assert "終了 2025/04/04(金)〜2026/01/09(金)" in plain(html)
    assert "予選:別のブロックで同じ順位だった人は、最終順位も同じとします。" in html
    lines = text(client.get(f"{PAGE}results/?as=text")).splitlines()
    assert lines[0].startswith(f"{tournament.name} 20")
    assert [line[:7] for line in lines[2:5]] == ["【最終順位】", "決勝", "1位 青木 +"]


@pytest.mark.long
def test_results_text_ranks_placement_tables_in_the_tournament(client: Client) -> None:
    tournament = factories.make_tournament(factories.make_cinderella_league(), "open-final-table", players=8)
    factories.play_stage(tournament, "open")
    assert "日程は未定" in text(page := client.get(PAGE))
    assert [each.key for each in page.context["open"]] == ["final"]
    assert text(page).count("持ち越し") == 1
    factories.play_stage(tournament, "final")
    assert 'class="champion-name"' in text(page := client.get(PAGE))
    assert [each.key for each in page.context["open"]] == ["final", "rest"]
    (rest,) = factories.draw_and_plan(tournament, "rest")
    players = planned_players(rest.session, 1, 1)
    rest.session.planned_seats.all().delete()
    for number in (1, 2):
        play(rest.session, (45000, 30000, 20000, 5000), players, round=number)
    lines = text(client.get(f"{PAGE}results/?stage=rest&as=text")).splitlines()
    assert [line[:2] for line in lines[3:7]] == ["5位", "6位", "7位", "8位"]


@pytest.mark.parametrize("key", format_keys())
def test_pages_of_every_format_load(client: Client, key: str) -> None:
    format_ = load_format(key, SIZES.get(key))
    factories.make_tournament(factories.make_cinderella_league(), key, players=SIZES.get(key, format_.entrants.most))
    for address in (PAGE, f"/en{PAGE}", f"{PAGE}stage/{format_.stages[-1].key}/", f"{PAGE}format/"):
        assert "<h1>" in text(client.get(address))


@pytest.mark.parametrize(
    ("name", "room", "expected"),
    [
        pytest.param("青木", 4, "青木", id="fits"),
        pytest.param("長谷川小百合", 8, "長谷川…", id="full-width letters take two"),
        pytest.param("Alexandra Long", 8, "Alexan…", id="half-width letters take one"),
        pytest.param("西村 美代子", 7, "西村…", id="no blank before the ellipsis"),
    ],
)
def test_names_are_clipped_by_width(name: str, room: int, expected: str) -> None:
    assert clipped(name, room) == expected


def test_pages_show_the_progress_of_the_tournament(client: Client, running: Tournament) -> None:
    assert f'href="{PAGE}"' in text(client.get("/l/cinderella/"))
    html = text(client.get("/l/cinderella/tournaments/"))
    assert "春の大会" in html
    assert "進行中・受付中" in html
    assert "進行中 · 予選" in plain(html)
    assert "/tournaments/new/" not in html
    html = text(client.get(PAGE))
    assert "予選 · 第1節 · 4/8半荘" in plain(html)
    assert len([link for link in links(html) if "/p/" not in link and "#" not in link]) <= 21
    assert "session 1 · 4 of 8 hanchan" in plain(text(client.get(f"/en{PAGE}")))
    assert not scored_otherwise(running.league, next_version(running.league, oka="0")).exists()


@pytest.mark.long
def test_tournament_page_shows_proposal_and_override_with_the_reason(client: Client, tournament: Tournament) -> None:
    factories.play_stage(tournament, "qualifying")
    for each in factories.draw_and_plan(tournament, "po1"):
        factories.play_planned(each, factories.by_entry(tournament))
    po1 = state_of(tournament).state.stage("po1")
    (path,), (first, _, next_best, _) = po1.paths, (int(line.participant) for line in po1.rankings[0].lines)
    choice = AdvancementChoice((first, next_best), tuple(map(int, path.proposed)), "2位が体調不良")
    approve(tournament=tournament, stage="po1", to=path.to, choice=choice, by=SYSTEM)
    page = text(client.get(f"{PAGE}stage/po1/"))
    assert re.findall('tag">(.+)</span>', page)[1:] == ["進出せず", "繰り上げ"]
    assert re.findall(r'<td class="wide">\s+(?:<b>)?([^<\s]+)', page) == ["プレーオフ2", "—", "プレーオフ2", "敗退"]
    assert page.index("2位が体調不良") < page.index("全半荘</h2>") < page.index("どれくらい起こりにくかったか")
    gone = state_of(tournament).state.stage("qualifying").path("po3").proposed[0]
    withdraw(stage="qualifying", entry=tournament.entries.get(pk=gone), reason="体調不良のため", by=SYSTEM)
    assert all("位(辞退、空き)" in plain(text(client.get(page))) for page in (PAGE, f"{PAGE}stage/po3/"))
    for each in factories.draw_and_plan(tournament, "po2"):
        factories.play_planned(each, factories.by_entry(tournament))
    seen = tuple(int(participant) for participant in state_of(tournament).state.stage("po2").path("po3").proposed)
    third = int(state_of(tournament).state.stage("po2").rankings[0].lines[2].participant)
    choice = AdvancementChoice((*seen, third), seen, "PO2から3名")
    approve(tournament=tournament, stage="po2", to="po3", choice=choice, by=SYSTEM)
    page = plain(text(client.get(PAGE)))
    for part in ("案:", "決定:", "PO2から3名", "体調不良のため", "辞退", "– 繰り上げ"):
        assert part in page
    assert "空き" not in page
    assert text(client.get(f"{PAGE}stage/po2/")).count("<b>プレーオフ3</b>") == 3
    page = plain(text(client.get(f"{PAGE}stage/final/")))
    assert re.search("プレーオフ3の終了待ち.*出場者の分です。 プレーオフ3の選手の確率", page)


def test_stage_labels_its_cut_lines(client: Client, running: Tournament) -> None:
    html = text(client.get(STAGE))
    assert html.count('<tr class="cut">') == 4
    for label in ("決勝ライン(1位)", "プレーオフ3ライン(2位)", "プレーオフ1ライン(5位)"):
        assert label in html
    assert "今終われば" in html
    assert "今終われば" in text(client.get(f"{PAGE}stage/po1/"))


@pytest.mark.long
def test_decided_stage_shows_where_players_went_and_no_gaps(client: Client, tournament: Tournament) -> None:
    for session in factories.draw_and_plan(tournament, "qualifying"):
        html = text(client.get(f"/en{STAGE}"))
        assert "If it ended now" in html or "Players in this stage" in html
        factories.play_planned(session, factories.by_entry(tournament))
    factories.approve_stage(tournament, "qualifying")
    assert 'href="/en/l/cinderella/t/t1/stage/qualifying/">Qualifying</a></h2>' in text(client.get(f"/en{PAGE}"))
    html = text(client.get(f"/en{STAGE}"))
    assert html.count("Advances to") == 2
    assert html.count('class="cut"') == 8
    assert not re.search(r"If it ended now|To the line above|updates automatically|>Now<", html)
    withdraw(entry=factories.entry(tournament, 1), stage="qualifying", reason="急用", by=SYSTEM)
    html = text(client.get(f"/en{STAGE}?after=4"))
    assert (html.count("If it had ended then"), html.count("→ Out")) == (2, 6)
    assert not re.search("a correction changed|Decided|Advances to|If it ended now|withdrew", html)
    html = text(client.get(f"/en{PAGE}stage/final/"))
    assert "updates automatically" in html
    assert "1st: Champion" not in html


def test_stage_links_every_hanchan(client: Client, running: Tournament) -> None:
    html = text(client.get(STAGE))
    grid = html[html.index('class="sticky grid') :]
    assert len(set(re.findall(r"/l/cinderella/g/(\d+)/", grid))) == 8
    assert grid.count("place-1") == 8


@pytest.mark.long
def test_stage_can_be_shown_after_a_hanchan(client: Client, running: Tournament) -> None:
    html = text(client.get(f"{STAGE}?after=2"))
    assert "2半荘終了時" in html
    assert "2/8" in html
    assert "4/8" not in plain(html)
    assert 'href="?after=1"' in html
    assert 'href="?after=3"' in html
    assert "data-live-dot" not in html
    assert "data-live-dot" in text(client.get(STAGE))
    for odd in ("x", "-1", "99999", "²"):
        assert "4/8" in plain(text(client.get(STAGE, {"after": odd})))


def test_stage_explains_a_broken_tie(client: Client, tournament: Tournament) -> None:
    session = factories.draw_and_plan(tournament, "qualifying")[0].session
    first, second, third, fourth = planned_players(session, 1, 1)
    play(session, (40000, 30000, 20000, 10000), (first, second, third, fourth), round=1)
    play(session, (40000, 30000, 20000, 10000), (second, first, fourth, third), round=2)
    html = text(client.get(STAGE))
    assert "同ポイントのため" in html
    assert 'href="#why-A-1"' in html
    assert 'id="why-A-1"' in html


def test_stage_without_players_shows_a_message(client: Client, tournament: Tournament) -> None:
    assert "出場者はまだ決まっていません" in text(client.get(f"{PAGE}stage/final/"))
    assert client.get(f"{PAGE}stage/nowhere/").status_code == 404


def test_format_page_describes_stages_source_and_rules(client: Client, tournament: Tournament) -> None:
    html = text(client.get(f"/en{PAGE}format/"))
    assert "Playoff 2" in html
    assert "Source of the format" in html
    assert f"/rules/{tournament.ruleset_version_id}/" in html


def test_results_are_available_as_plain_text(client: Client, running: Tournament) -> None:
    response = client.get(RESULTS, {"as": "text", "stage": "qualifying", "block": "A"})
    assert response["Content-Type"].startswith("text/plain")
    lines = text(response).splitlines()
    assert lines[2] == "【予選 Aブロック 成績】"
    assert re.fullmatch(r"1位 \S+ \+\d+\.\d\(4/8\)", lines[3])
    assert any(re.fullmatch(r"4位 \S+ ▲\d+\.\d", line) for line in lines)
    assert "【予選 第1節 Aブロック 1卓】" in lines
    html = text(client.get(RESULTS))
    assert "Bブロック 開始前】" in html[html.index("<textarea") : html.index("</textarea>")]
    assert "data-copy" in html
    assert "4/8" in text(client.get(f"/en{RESULTS}"))


@pytest.mark.parametrize("query", [{"stage": "nowhere"}, {"stage": "qualifying", "block": "Z"}])
def test_unknown_stage_or_block_is_not_found(client: Client, tournament: Tournament, query: dict[str, str]) -> None:
    assert client.get(RESULTS).status_code == 200
    assert client.get(RESULTS, query).status_code == 404


@pytest.mark.parametrize(
    ("points", "language", "expected"),
    [
        pytest.param(107400, "ja", "+107.4", id="plus"),
        pytest.param(-68600, "ja", "▲68.6", id="minus"),
        pytest.param(-68600, "en", "−68.6", id="minus in English"),
        pytest.param(0, "ja", "±0", id="zero"),
        pytest.param(1250, "ja", "+1.25", id="finer than a tenth"),
    ],
)
def test_points_are_formatted_for_the_press(points: int, language: str, expected: str) -> None:
    with override(language):
        assert press_points(points) == expected


PAGES = (PAGE, STAGE, RESULTS, "/l/cinderella/tournaments/")


@pytest.mark.parametrize("page", PAGES)
def test_unchanged_page_answers_304(client: Client, running: Tournament, page: str) -> None:
    tag = client.get(page)["ETag"]
    assert client.get(page, headers={"if-none-match": tag}).status_code == 304
    assert client_of(make_user("ueno")).get(page)["ETag"] != tag


def test_player_names_are_escaped(client: Client, running: Tournament) -> None:
    Player.objects.filter(pk=factories.entry(running, 1).player_id).update(name="<b>&amp;", romanised="<b>&amp;")
    for page in PAGES[:3]:
        html = text(client.get(page))
        assert "<b>&amp;<" not in html
        assert "&lt;b&gt;&amp;" in html


def test_tournament_index_without_tournaments_shows_a_message(client: Client) -> None:
    league = factories.make_cinderella_league()
    assert "大会はまだありません" in text(client.get("/l/cinderella/tournaments/"))
    client.force_login(factories.director(league))
    assert "/l/cinderella/tournaments/new/" in text(client.get("/l/cinderella/tournaments/"))


def test_stage_marks_a_player_without_entry(client: Client, tournament: Tournament) -> None:
    (first, *_) = factories.draw_and_plan(tournament, "qualifying")
    (stranger,) = make_players(tournament.league, 1)
    (hanchan, *_) = factories.play_planned(first, factories.by_entry(tournament))
    hanchan.seats.filter(seat=0).update(player=stranger)
    assert "エントリー外" in text(client.get(STAGE))


@pytest.mark.long
def test_cached_state_does_not_reveal_member_only_names(client: Client, running: Tournament) -> None:
    Player.objects.filter(league=running.league).update(visibility=Player.Visibility.MEMBERS)
    member = client_of(make_user("ueno", league=running.league, role="player"))
    name = running.entries.order_by("number")[0].player.name
    assert name in member.get(PAGE).content.decode()
    assert name not in client.get(PAGE).content.decode()
    with CaptureQueriesContext(connection) as asked:
        assert name in member.get(STAGE).content.decode()
    assert not [query for query in asked if "tournaments_entry" in query["sql"]]
    assert name not in client.get(STAGE).content.decode()
    assert name not in text(client.get(f"{RESULTS}?as=text&stage=qualifying"))


READ = ("", "stage/qualifying/", "results/", "results/?as=text&stage=qualifying", "wall/", "wall/state/")
