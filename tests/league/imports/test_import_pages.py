import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from league.forms.imports import name_field
from league.models import Hanchan, ImportBatch, Job, League, Player
from league.services.imports.steps import MAX_BYTES, match_names
from league.services.jobs import run as run_job
from league.templatetags.tenbo import moment
from tests.league.factories import client_of, make_league, make_players, make_user
from tests.league.imports.files import LIST, answers, at, club

pytestmark = pytest.mark.django_db

NEW = f"{LIST}new/"

LONG = """日付,卓,回戦,席,選手,素点
2025-11-21,1,1,東,青木,31700
2025-11-21,1,1,南,石田さん,31300
2025-11-21,1,1,西,ウエノ,25500
2025-11-21,1,1,北,山田,11500
"""


def upload(client: Client, text: str = LONG, name: str = "2025.csv", encoding: str = "utf-8") -> ImportBatch:
    answer = client.post(NEW, {"file": SimpleUploadedFile(name, text.encode(encoding))})
    assert answer.status_code == 302, answer.content.decode()
    batch = ImportBatch.objects.latest("pk")
    assert answer["Location"] == at(batch, "review")
    return batch


@pytest.fixture
def batch(organiser: Client) -> ImportBatch:
    return upload(organiser)


def page(client: Client, address: str) -> str:
    answer = client.get(address, follow=True)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def shown(client: Client, batch: ImportBatch) -> dict[str, Any]:
    return answers(client.get(at(batch, "review")).context)


def run(client: Client, batch: ImportBatch, **changes: Any) -> Any:
    return client.post(at(batch, "review"), {**shown(client, batch), **changes})


again = partial(run, again="")


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(lambda: {}, id="nothing"),
        pytest.param(lambda: {"rows": " \r\n "}, id="white space"),
        pytest.param(lambda: {"rows": "a,b\nc,d", "file": SimpleUploadedFile("a.csv", b"a,b")}, id="both"),
        pytest.param(lambda: {"file": SimpleUploadedFile("a.csv", b"")}, id="empty file"),
        pytest.param(lambda: {"file": SimpleUploadedFile("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 99)}, id="old"),
        pytest.param(lambda: {"file": SimpleUploadedFile("a.png", b"\x89PNG\r\n\x1a\n\0\0\0" * 50)}, id="picture"),
        pytest.param(lambda: {"file": SimpleUploadedFile("a.xlsx", b"PK\x03\x04" + b"\0" * 99)}, id="broken workbook"),
        pytest.param(lambda: {"file": SimpleUploadedFile("a.csv", b"a" * (MAX_BYTES + 1))}, id="too large"),
        pytest.param(lambda: {"file": SimpleUploadedFile("a.json", b'{"name":["A"],"log":[]}')}, id="a replay"),
        pytest.param(lambda: {"file": SimpleUploadedFile("a.xml", b"<mjloggm ver>")}, id="a replay of Tenhou"),
    ],
)
def test_file_without_table_gets_one_sentence(organiser: Client, sent: Callable[[], dict[str, Any]]) -> None:
    answer = organiser.post(NEW, sent())
    assert answer.status_code == 200
    assert b'id="errors"' in answer.content
    assert not ImportBatch.objects.exists()


def test_too_much_pasted_gets_a_sentence(organiser: Client) -> None:
    answer = organiser.post(f"/en{NEW}", {"rows": "東," * 1_500_000})
    assert answer.status_code == 413
    assert b"Or pasted rows" in answer.content
    assert b'id="errors"' in answer.content
    assert not ImportBatch.objects.exists()


def test_uploads_are_guarded_against_forgery(league: League) -> None:
    client = client_of(make_user("organiser", league=league, role="organiser"), enforce_csrf_checks=True)
    assert client.post(NEW, {"rows": LONG}).status_code == 403
    assert not ImportBatch.objects.exists()


@pytest.mark.merge
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"encoding": "klingon"}, id="unknown encoding"),
        pytest.param({"encoding": "utf-16-le"}, id="encoding that does not fit"),
        pytest.param({"layout": "log"}, id="no log"),
        pytest.param({"layout": "matrix"}, id="another layout"),
        pytest.param({"header_row": "49"}, id="beyond the file"),
        pytest.param({"year": "99999"}, id="year"),
        pytest.param({"column_5": "money"}, id="unknown column"),
    ],
)
def test_reading_that_is_impossible_gets_a_message(organiser: Client, changes: dict[str, str]) -> None:
    batch = upload(organiser)
    answer = organiser.post(at(batch, "review"), shown(organiser, batch) | changes)
    assert answer.status_code == 200
    assert b'id="errors"' in answer.content
    assert organiser.get(at(batch, "review")).context["report"].added == 1


@pytest.mark.merge
def test_missing_column_is_named_and_stops_the_import(organiser: Client, batch: ImportBatch) -> None:
    again(organiser, batch, **{"column_5": ""})
    found = organiser.get(at(batch, "review"))
    assert 'class="notice error"' in found.content.decode()
    assert not found.context["can_run"]
    run(organiser, batch)
    assert not Hanchan.objects.exists()


OTHERS = (
    LONG.replace("青木", "Aoki Hinata").replace("山田", "Sean O'Neill")
    + """2025-11-21,1,2,東,石田,40000
2025-11-21,1,2,南,Aoki Hinata,30000
2025-11-21,1,2,西,S. O'Neill,20000
2025-11-21,1,2,北,ウエノ,10000
"""
)


@pytest.mark.merge
def test_names_are_asked_with_the_likely_answer_and_kept_as_other_names(organiser: Client, league: League) -> None:
    aoki = league.players.get(romanised="Aoki")
    Player.objects.filter(pk=aoki.pk).update(romanised="Hinata Aoki")
    batch = upload(organiser, OTHERS)
    asked = run(organiser, batch).context["form"].name_rows()["asked"]
    assert [(match.written, field.initial, bool(field.errors)) for match, field, _ in asked] == [
        ("S. O'Neill", "", True),
        ("Aoki Hinata", str(aoki.pk), False),
    ]
    run(organiser, batch, **{asked[0][1].name: "same"})
    assert [alias.name for alias in aoki.aliases.all()] == ["Aoki Hinata"]
    assert Player.objects.get(name="Sean O'Neill").aliases.get().name == "S. O'Neill"
    assert "第1節</a>" in organiser.get(at(batch)).content.decode()
    assert "2半荘を追加" in organiser.get(LIST).content.decode()
    organiser.post(at(batch, "undo"))
    assert not aoki.aliases.exists()
    ImportBatch.objects.update(created_at=timezone.now() - timedelta(days=1))
    listed = organiser.get(LIST).content.decode()
    assert "2半荘、取り消し済み" in listed
    assert "2半荘を追加" not in listed
    assert moment(ImportBatch.objects.get().run_at) in listed
    answer = organiser.post(at(batch))
    again = ImportBatch.objects.latest("pk")
    assert answer["Location"] == at(again, "review")
    run(organiser, again)
    assert Hanchan.objects.valid().count() == 2


@pytest.mark.merge
def test_player_in_the_list_goes_before_the_choices(organiser: Client, batch: ImportBatch, league: League) -> None:
    (new,) = [match for match in match_names(batch) if match.how == "new"]
    eguchi = league.players.get(romanised="Eguchi")
    again(organiser, batch, **{name_field(new): ["new", str(eguchi.pk)]})
    assert [match.how for match in match_names(ImportBatch.objects.get())].count("chosen") == 1
    again(organiser, batch, **{name_field(new): [str(eguchi.pk), "guest"]})
    run(organiser, batch)
    assert Player.objects.get(name="山田").is_guest


@pytest.mark.merge
def test_many_new_names_become_guests_together(organiser: Client) -> None:
    rows = LONG.splitlines()
    more = [row.replace(",1,1,", f",1,{n},").replace("山田", f"新人{n}") for n in range(1, 10) for row in rows[1:]]
    run(organiser, upload(organiser, "\n".join([rows[0], *more])), unknown="guest")
    assert Player.objects.filter(is_guest=True).count() == 9


def test_player_of_another_league_is_refused(organiser: Client, batch: ImportBatch) -> None:
    stranger = make_players(make_league("other"), 1)[0]
    (new,) = [match for match in match_names(batch) if match.how == "new"]
    sent = shown(organiser, batch) | {"unknown": "new", name_field(new): str(stranger.pk)}
    assert b'id="errors"' in organiser.post(at(batch, "review"), sent).content


@pytest.mark.merge
def test_answers_are_kept_when_the_file_is_read_differently(organiser: Client, batch: ImportBatch) -> None:
    again(organiser, batch, **{"column_1": ""})
    again(organiser, batch, **{"year": "2020"})
    found = organiser.get(at(batch, "review")).context
    assert (found["form"]["column_1"].value(), found["form"]["year"].value()) == ("", 2020)
    again(organiser, batch, **{"header_rows": "2"})
    assert ImportBatch.objects.get().reading["header_rows"] == 2


@pytest.mark.merge
def test_year_that_the_file_does_not_say_is_set_where_it_is_told(organiser: Client) -> None:
    batch = upload(organiser, LONG.replace("2025-11-21", "11/21"))
    told, below = page(organiser, at(batch, "review")).split('id="check"')
    assert re.search(r'<input type="number" name="year"[^>]* form="check"', told)
    assert 'name="year"' not in below
    again(organiser, batch, year="2020")
    assert organiser.get(at(batch, "review")).context["report"].days[0].year == 2020


@pytest.mark.long
def test_many_names_and_rows_are_paged(organiser: Client) -> None:
    head, *rows = LONG.splitlines()
    lines = [
        row.replace(",1,1,", f",1,{n},").replace("山田", f"新人{n}").replace("317", "x")
        for n in range(1, 71)
        for row in rows
    ]
    found = organiser.get(at(upload(organiser, "\n".join([head, *lines])), "review"))
    assert found.context["names"].paginator.num_pages == 2
    assert len(found.context["found"]) == 67


@pytest.mark.merge
def test_a_large_file_runs_as_a_job(organiser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.services.imports.steps.AT_ONCE", 0)
    batch = upload(organiser)
    answer = run(organiser, batch)
    job = Job.objects.get(kind=Job.Kind.IMPORT)
    assert answer["Location"] == f"/l/camarade/jobs/{job.pk}/"
    if job.state == Job.State.WAITING:
        assert organiser.get(at(batch))["Location"] == answer["Location"]
        assert organiser.get(at(batch, "review"))["Location"] == at(batch)
        run_job(job.pk)
    assert at(batch) in page(organiser, answer["Location"])
    assert Hanchan.objects.count() == 1
    assert organiser.post(answer["Location"])["Location"] == at(batch)


@pytest.mark.merge
def test_concurrent_change_is_shown_before_the_run(organiser: Client, batch: ImportBatch, league: League) -> None:
    seen = organiser.get(at(batch, "review")).context["seen"]
    again(client_of(make_user("other", league=league, role="organiser")), batch, year="2020")
    late = run(organiser, batch, seen=seen)
    assert "途中で変更されました" in late.content.decode()
    assert late.context["seen"] != seen
    assert not Hanchan.objects.exists()


@pytest.mark.long
def test_upload_is_imported_once_and_thrown_away_only_before(organiser: Client, batch: ImportBatch) -> None:
    sent = shown(organiser, batch)
    for _ in range(2):
        assert organiser.post(at(batch, "review"), sent, follow=True).request["PATH_INFO"] == at(batch)
    assert Hanchan.objects.count() == 1
    assert organiser.get(at(batch, "review"))["Location"] == at(batch)
    organiser.post(at(batch, "discard"))
    assert ImportBatch.objects.count() == 1
    organiser.post(at(upload(organiser), "discard"))
    assert ImportBatch.objects.count() == 1


@pytest.mark.merge
def test_result_links_to_the_sessions_that_it_does_not_list(organiser: Client) -> None:
    head, *rows = LONG.splitlines()
    season = [row.replace("11-21", f"11-{day:02}") for day in range(1, 14) for row in rows]
    batch = upload(organiser, "\n".join([head, *season]))
    run(organiser, batch)
    (listed,) = re.findall(
        '<dd class="made">(.*?)</dd>', page(organiser, at(batch)).partition("新しい節")[2], re.DOTALL
    )[:1]
    assert re.findall("<a [^>]*>(.*?)</a>", listed) == [*(f"第{number}節" for number in range(1, 13)), "すべての節"]
    assert "·" not in listed


def test_unanswered_question_is_linked_without_a_colon_after_its_full_stop(organiser: Client) -> None:
    text = unescape(run(organiser, upload(organiser, LONG.replace("31700", "30700"))).content.decode())
    assert re.search(r'<a href="#id_as_is">1半荘は合計が合いません。</a>\s+どちらかを選んでください。', text)
    assert 'id="id_as_is"' in text


@pytest.mark.merge
def test_that_nothing_is_left_is_said_and_names_left_out_are_not_asked(organiser: Client) -> None:
    batch = upload(organiser, LONG.replace("山田", "江口 花").replace("31700", "x"))
    assert "取り込むものが残っていません" in page(organiser, run(organiser, batch, leave_out_errors="on")["Location"])


@pytest.mark.merge
def test_result_says_which_hanchan_do_not_add_up_and_whose_names_were_linked(organiser: Client, league: League) -> None:
    batch = ImportBatch.objects.create(league=league, data=LONG.replace("31700", "30700").encode())
    assert "<span>石田さん → 石田</span>" in organiser.get(at(batch, "review")).content.decode()
    name = next(name_field(match) for match in match_names(batch) if match.written == "山田")
    assert run(organiser, batch, **{"as_is": "as_is", name: league.players.get(name="江口").pk}).status_code == 302
    result = organiser.get(at(batch))
    assert [(written, player.name) for written, player in result.context["linked"]] == [("山田", "江口")]
    assert re.search("<span>山田 → .*?</span>", result.content.decode())
    (marked,) = result.context["marked"]
    assert marked.note == "貼り付けた表の取り込み"
    assert "ポイントの合計 <span" in unescape(result.content.decode())
    shown = page(organiser, f"/l/camarade/g/{marked.pk}/")
    assert "点数の合計が合っていないため" in shown
    assert "供託や場代" not in shown
    assert "2025/11/21(金)</p>" in shown


def of_points(*points: str) -> str:
    rows = (f"2026-02-14;1;1;{name};{said}\n" for name, said in zip("ABCD", points, strict=True))
    return f"Date;Table;Round;Name;Points\n{''.join(rows)}"


def test_a_decimal_comma_in_a_file_of_points_is_one(client: Client) -> None:
    club(client, "mleague")
    run(client, upload(client, of_points("57,2", "8,4", "-20,3", "-45,3"), "fr.csv"))
    seats = Hanchan.objects.get().seats.order_by("-points").values_list("player__name", "points", "raw_score")
    assert list(seats) == [("A", 57_200, 37_200), ("B", 8_400, 28_400), ("C", -20_300, 19_700), ("D", -45_300, 14_700)]


def test_points_that_no_table_can_hold_are_refused(client: Client) -> None:
    club(client, "ema")
    batch = upload(client, of_points("357", "-23", "-91", "-243"))
    report = client.get(at(batch, "review")).context["report"]
    assert (report.errors, report.added) == (1, 0)
    run(client, batch)
    assert not Hanchan.objects.exists()


@pytest.mark.merge
def test_settlements_of_points_have_equally_many_decimals(organiser: Client) -> None:
    batch = upload(organiser, of_points("45.1", "9", "-20", "-34.1"))
    assert "ポイントはファイルのまま取り込みます。" in page(organiser, at(batch, "review"))
    run(organiser, batch)
    shown = page(organiser, f"/l/camarade/g/{Hanchan.objects.get().pk}/")
    assert re.findall(r'<td class="num">[^0-9]*([0-9.]+)', shown)[:4] == ["45.1", "9.0", "20.0", "34.1"]


@pytest.mark.merge
def test_a_comma_that_can_be_either_is_asked_about_once_for_the_file(client: Client) -> None:
    club(client, "mleague")
    batch = upload(client, of_points("57,200", "8,400", "-20,300", "-45,300"))
    asked = run(client, batch)
    assert asked.context["form"]["comma"].errors
    assert [label for _, label in asked.context["form"].fields["comma"].choices] == ["57.200", "57200"]
    run(client, batch, comma="decimal")
    assert Hanchan.objects.get().seats.order_by("-points").values_list("points", flat=True)[0] == 57_200
