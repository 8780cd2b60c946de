import random
import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from league.forms.entry.prefill import of_hanchan
from league.models import Confirmation, Hanchan, League, Player, Revision, Seat, Session, Standing, TableLink
from league.selectors.confirming import confirming_of
from league.selectors.games import seats_of
from league.selectors.history import UNDONE
from league.selectors.what_if import CountedHanchan, CountedSeat, ranks_around
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM, Actor
from league.services.people import link_user, merge_players
from league.services.results import result_of, void_hanchan
from scoring.core import Bust, Ledger, PlayerResult
from tests.league.entry_contexts import at, link_of, text, url
from tests.league.factories import (
    RAW,
    correct,
    live_ranks,
    logged_in,
    make_league,
    make_players,
    make_session,
    make_user,
    play,
    points_of,
    settle,
    state_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    return make_league(players=6)


def typed(hanchan: Hanchan, **changes: Any) -> dict[str, Any]:
    hanchan = Hanchan.objects.prefetch_related("seats", "incidents").get(pk=hanchan.pk)
    values = {name: value for name, value in of_hanchan(hanchan).items() if name != "played_at"}
    return {"do": "save", "reason": "書き間違い", **values, **changes}


def test_hanchan_page_explains_the_points_to_visitors_in_both_languages(client: Client, league: League) -> None:
    hanchan = play(make_session(league), note="長い半荘", yakuman=[(1, "国士無双")])
    japanese = text(client.get(url("hanchan", league, hanchan.pk)))
    english = text(client.get("/en" + url("hanchan", league, hanchan.pk)))
    for fact in ("+21.7", "▲18.5", "+31", "長い半荘", "国士無双", "青木"):
        assert fact in japanese
    for fact in ("−18.5", "Aoki", "Settlement"):
        assert fact in english
    assert "結果を取り消す" not in japanese
    context = client.get(url("hanchan", league, hanchan.pk)).context
    for seat, (_name, _raw, _scored, accounts) in zip(context["seats"], context["explained"].seats, strict=True):
        totals = {ledger: lines[-1][1] for ledger, lines, _points in accounts}
        assert totals == {Ledger.RANKING: seat.points, Ledger.SETTLEMENT: seat.settlement}


def test_tie_and_bust_are_shown(client: Client, league: League, session: Session) -> None:
    tied = text(client.get(url("hanchan", league, play(session, (30800, 30800, 25500, 12900)).pk)))
    assert "起家に近い青木が上位(1着)です" in tied
    bust = play(session, (60000, 25000, 16000, -1000), busts=[Bust(3, "draw", tenpai=(0, 2))])
    assert "トビ賞:流局でトビ(テンパイ 青木、上野) ▲10.0" in text(client.get(url("hanchan", league, bust.pk)))


@pytest.mark.parametrize(
    ("card", "says"),
    [
        ("camarade", "2 chombo, which cost no points under these rules"),
        ("kyoto", "2 chombo, paid in sticks as a mangan and included in the raw scores"),
        ("cinderella", "2 chombo at −40, deducted from the total, not from the hanchan: −80.0"),
    ],
)
def test_chombo_of_any_kind_is_shown(client: Client, card: str, says: str) -> None:
    league = make_league(card, card=card)
    page = text(client.get("/en" + url("hanchan", league, play(make_session(league), chombo=(0, 0, 0, 2)).pk)))
    assert page.count(" chombo") == page.count(says) == 1
    assert "#rule-chombo" in page


def test_author_of_a_result_is_shown_to_members_only(client: Client, league: League) -> None:
    user = make_user("kanamori", league=league, role="player")
    hanchan = play(make_session(league), by=Actor(user, "web"))
    assert "kanamori" not in text(client.get(url("hanchan", league, hanchan.pk)))
    client.force_login(user)
    assert "· kanamori" in text(client.get(url("hanchan", league, hanchan.pk)))


def test_result_is_voided_and_restored_with_a_reason(scorer: Client, league: League) -> None:
    hanchan = play(make_session(league))
    scorer.post(url("void", league, hanchan.pk), {"reason": "卓を間違えた"})
    page = text(scorer.get(url("hanchan", league, hanchan.pk)))
    assert "卓を間違えた" in page
    assert "集計に入りません" in page
    assert scorer.get(url("correct", league, hanchan.pk)).status_code == 302
    assert "取り消し" in text(scorer.get(url("receipt", league, hanchan.pk)))
    scorer.post(url("restore", league, hanchan.pk), {"reason": "合っていた"})
    hanchan.refresh_from_db()
    assert not hanchan.is_voided


def test_organiser_finds_the_dispute_under_a_heading(organiser: Client, league: League) -> None:
    hanchan = play(make_session(league))
    page = text(organiser.get("/en" + url("hanchan", league, hanchan.pk)))
    assert '<h2 id="said-title">Is the result correct?</h2>' in page
    assert "Dispute as organiser" in page


def test_correction_starts_from_the_result_and_needs_a_reason(scorer: Client, league: League) -> None:
    bust = Bust(3, "draw", tenpai=(0, 2))
    hanchan = play(make_session(league), (60000, 25000, 16000, -1000), busts=[bust], note="メモ")
    address = url("correct", league, hanchan.pk)
    page = text(scorer.get(address))
    for kept in ('value="600"', 'value="▲10"', "メモ"):
        assert kept in page
    assert page.index('id="save"') < page.index('id="effects"'), "saving comes before what it does to the ranks"
    asked = page.partition('id="busts"')[2].partition("<template")[0]
    assert re.findall(r'name="(\w+)" value="(\w+)"\s+checked', asked) == [
        ("bust_3_by", "draw"),
        ("bust_3_who", "0"),
        ("bust_3_who", "2"),
    ]
    changed = {"raw_0": "590", "raw_1": "260", "note": "メモ2"}
    page = text(scorer.post(address, typed(hanchan, **changed, reason="")))
    assert "訂正の理由を書いてください" in page
    assert 'value="590"' in page
    assert Hanchan.objects.get().version == 1
    response = scorer.post(address, typed(hanchan, **changed))
    assert response["Location"] == url("hanchan", league, hanchan.pk)
    corrected = Hanchan.objects.get()
    assert (corrected.version, corrected.note) == (2, "メモ2")
    assert [seat.settlement for seat in corrected.seats.order_by("seat")] == [64000, 1000, -14000, -51000]
    page = text(scorer.get(response["Location"]))
    assert "書き間違い" in page
    assert "60,000</span> → <span" in " ".join(page.split())


def test_correction_without_changes_is_not_saved(scorer: Client, league: League) -> None:
    League.objects.update(confirmed_by="organiser")
    hanchan = play(make_session(league), (60000, 25000, 16000, -1000), busts=[Bust(3, "draw", tenpai=(0, 2))])
    revisions = Revision.objects.count()
    assert "変更がないため" in text(scorer.post(url("correct", league, hanchan.pk), typed(hanchan), follow=True))
    hanchan.refresh_from_db()
    assert (hanchan.version, hanchan.state, Revision.objects.count()) == (1, "recorded", revisions)
    # A guest with the same name is a different person.
    scorer.post(url("correct", league, hanchan.pk), typed(hanchan, player_3="guest", guest_3="大野"))
    assert Hanchan.objects.get().version == 2


def test_correction_keeps_the_time_unless_it_is_changed(scorer: Client, league: League) -> None:
    hanchan = play(make_session(league))
    hanchan.refresh_from_db()
    shown = hanchan.played_at.astimezone(ZoneInfo("Asia/Tokyo")).strftime("%Y-%m-%dT%H:%M")
    scorer.post(url("correct", league, hanchan.pk), typed(hanchan, played_at=shown))
    assert Hanchan.objects.get().played_at == hanchan.played_at
    scorer.post(url("correct", league, hanchan.pk), typed(hanchan, played_at="2025-10-31T21:00"))
    assert str(Hanchan.objects.get().day) == "2025-10-31"


def test_preview_of_a_correction_predicts_the_ranks(scorer: Client, league: League, session: Session) -> None:
    players = list(league.players.order_by("pk"))
    play(session, (42300, 28100, 19600, 10000), players[1:5])
    hanchan = play(session, (40000, 30000, 20000, 10000), players[:4])
    play(session, (35000, 30000, 25000, 10000), [players[5], *players[:3]])
    sent = typed(hanchan, player_3=str(players[5].pk), raw_0="150", raw_3="350", played_at="2025-10-05T20:00")
    preview = scorer.post(url("correct_preview", league, hanchan.pk), sent)
    assert [seat.stored for seat in preview.context["page"].seats] == [40000, None, None, 10000]
    effects = preview.context["effects"]
    assert [effect.period.key for effect in effects] == ["2025-11", "2025", "2025-10"]
    foretold = {
        effect.period.key: {move.player.pk: move.after for move in (*effect.seated, *effect.others)}
        for effect in effects
    }
    scorer.post(url("correct", league, hanchan.pk), sent)
    settle()
    for key, ranks in foretold.items():
        board = dict(Standing.objects.filter(league=league, period=key).values_list("player", "rank"))
        assert {player: board.get(player) for player in ranks} == ranks


def counted(seat: Seat, ledger: str) -> CountedSeat:
    points = seat.settlement if ledger == League.RankingLedger.SETTLEMENT else seat.points
    result = PlayerResult(points, seat.placement, seat.raw_score, seat.hanchan_id)
    return CountedSeat(result, seat.total_only, 2 * seat.placement + seat.sharing - 1)


@pytest.mark.long
@pytest.mark.parametrize("metric", League.Metric.values)
@pytest.mark.parametrize("ledger", League.RankingLedger.values)
def test_ranks_without_a_hanchan_equal_ranks_of_all_other_hanchan(metric: str, ledger: str) -> None:
    league = make_league(metric=metric, ledger=ledger, minimum_month=2, minimum_year=2)
    players, session, rng = make_players(league, 7), make_session(league), random.Random(metric + ledger)
    played = []
    for number in range(24):
        raw = rng.choice([(40000, 30000, 20000, 10000), (30000, 30000, 20000, 20000), (25000, 25000, 25000, 25000)])
        moment = datetime(2025, 11, 21, 10, number, tzinfo=UTC)
        played.append(play(session, raw, rng.sample(players, 4), played_at=moment))
    month = league.periods_of(session.date)[0]
    before = live_ranks(league, month)
    for hanchan in played:
        with transaction.atomic():
            void_hanchan(hanchan=Hanchan.objects.get(pk=hanchan.pk), by=SYSTEM, reason="twice")
            without = live_ranks(league, month)
            transaction.set_rollback(True)
        assert ranks_around(league, month, hanchan.pk) == (before, without)
        with transaction.atomic():
            turned = correct(hanchan, players=[seat.player for seat in hanchan.seats.order_by("-seat")])
            after = live_ranks(league, month)
            lines = {seat.player_id: counted(seat, ledger) for seat in turned.seats.all()}
            transaction.set_rollback(True)
        stands = CountedHanchan(hanchan.played_at, hanchan.day, hanchan.pk, lines)
        assert ranks_around(league, month, hanchan.pk, stands) == (before, after)


THEIRS = (31700, 30000, 26800, 11500)


@pytest.fixture
def bust_league() -> League:
    return make_league(parameters={"bust": {"ends": "below_zero"}})


@pytest.fixture
def kato(bust_league: League) -> Client:
    return logged_in(bust_league, "scorer", "kato")


@pytest.fixture
def hanchan(bust_league: League) -> Hanchan:
    return play(make_session(bust_league))


def to(name: str, hanchan: Hanchan) -> str:
    return "/en" + url(name, hanchan.league, hanchan.pk)


def sent_for(hanchan: Hanchan, raw: tuple[int, ...] = RAW, **changed: str) -> dict[str, str]:
    players = {f"player_{seat.seat}": str(seat.player_id) for seat in seats_of(hanchan)}
    scores = {f"raw_{seat}": str(score) for seat, score in enumerate(raw)}
    sent = {"table": "1", "round": "1", "sticks_left": "0", "seen_version": "1", "reason": "misread"}
    return sent | players | scores | changed


def correct_as_ueno(hanchan: Hanchan, raw: tuple[int, ...] = THEIRS, **more: Any) -> Hanchan:
    by = Actor(User.objects.filter(username="ueno").first() or make_user("ueno"), "web")
    return correct(hanchan, raw, by=by, note="", **more)


def clashes_in(page: Any) -> dict[tuple[str, int | None], tuple[Any, Any, Any]]:
    return {(each.what, each.seat): (each.before, each.theirs, each.yours) for each in page.context["conflict"].clashes}


def test_conflict_shows_both_corrections(kato: Client, bust_league: League, hanchan: Hanchan) -> None:
    correct_as_ueno(hanchan)
    # The conflict is with the correction, not with a later dispute.
    kato.post(to("confirm", hanchan), {"say": f"disputes-{seats_of(hanchan)[0].player_id}", "version": "2"})
    page = kato.post(to("correct", hanchan), sent_for(hanchan, (30000, 31300, 25500, 13200), note="window seat"))
    assert clashes_in(page) == {
        ("raw", 0): (31700, 31700, 30000),
        ("raw", 1): (31300, 30000, 31300),
        ("raw", 2): (25500, 26800, 25500),
        ("raw", 3): (11500, 11500, 13200),
        ("note", None): ("", "", "window seat"),
    }
    assert {each.seat for each in page.context["conflict"].clashes if each.is_undone} == {1, 2}
    for shown in ("ueno corrected this first. Check the differences.", 'value="30000"', "window seat"):
        assert shown in page.content.decode()
    equal = kato.post(to("correct", hanchan), sent_for(hanchan, THEIRS)).context["conflict"].clashes
    assert [each.is_agreed for each in equal] == [True, True]
    (fifth,) = make_players(bust_league, 1)
    sent = sent_for(hanchan, player_0=str(fifth.pk), player_3="guest", guest_3="Wada")
    facts = clashes_in(kato.post(to("correct", hanchan), sent))
    assert facts["player", 0] == ("Aoki", "Aoki", "Player 5")
    assert facts["player", 3] == ("Eguchi", "Eguchi", "Wada")
    assert not bust_league.players.filter(name="Wada").exists()
    assert Hanchan.objects.get().version == 2
    kato.post(to("correct", hanchan), sent_for(hanchan, (30000, 31300, 25500, 13200), seen_version="2"))
    assert Hanchan.objects.get().version == 3


def test_conflict_compares_busts(kato: Client, hanchan: Hanchan) -> None:
    correct_as_ueno(hanchan, (50000, 30000, 21000, -1000), busts=(Bust(3, "win", (0,)),))
    facts = clashes_in(kato.post(to("correct", hanchan), sent_for(hanchan, (31000, 32000, 25500, 11500))))
    before, theirs, yours = facts["happenings", None]
    assert (before, yours) == ((), ())
    assert [(each.who, each.kind) for each in theirs] == [("Eguchi", "bust")]


def test_conflict_with_a_voided_result_keeps_the_input(kato: Client, hanchan: Hanchan) -> None:
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo")
    page = kato.post(to("correct", hanchan), sent_for(hanchan, (30000, 31300, 25500, 13200)))
    assert clashes_in(page)["state", None] == ("Recorded", "Voided", "Voided")
    assert 'value="30000"' in page.content.decode()


def test_concurrent_confirmation_is_no_conflict(kato: Client, hanchan: Hanchan) -> None:
    League.objects.update(confirmed_by="one")
    for seat in seats_of(hanchan):
        kato.post(to("confirm", hanchan), {"say": f"agrees-{seat.player_id}", "version": "1"})
    assert Hanchan.objects.get().state == "confirmed"
    assert kato.post(to("correct", hanchan), sent_for(hanchan, THEIRS)).status_code == 302
    assert (Hanchan.objects.get().version, Hanchan.objects.get().state) == (2, "recorded")


def first_revision(hanchan: Hanchan) -> Revision:
    return Revision.objects.filter(subject="hanchan", subject_id=hanchan.pk).order_by("pk")[0]


def restore_url(hanchan: Hanchan) -> str:
    return f"{to('hanchan_again', hanchan)}?revision={first_revision(hanchan).pk}"


def test_history_offers_versions_that_differ_from_the_current_one(kato: Client, hanchan: Hanchan) -> None:
    assert "revision=" not in kato.get(to("hanchan", hanchan)).content.decode()
    correct_as_ueno(hanchan)
    assert f"revision={first_revision(hanchan).pk}" in kato.get(to("hanchan", hanchan)).content.decode()
    assert "revision=" not in Client().get(to("hanchan", hanchan)).content.decode()
    correct_as_ueno(hanchan, RAW)
    assert kato.get(to("hanchan", hanchan)).context["restorable"] != {first_revision(hanchan).pk}
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")
    assert kato.get(restore_url(hanchan)).status_code == 302
    assert not kato.get(to("hanchan", hanchan)).context["restorable"]


def test_earlier_version_is_restored_with_a_reason(kato: Client, hanchan: Hanchan) -> None:
    first = [(seat.raw_score, seat.points) for seat in seats_of(hanchan)]
    correct_as_ueno(hanchan)
    assert [(each.what, each.before, each.yours) for each in kato.get(restore_url(hanchan)).context["changes"]] == [
        ("raw", 30000, 31300),
        ("raw", 26800, 25500),
    ]
    assert "Enter a reason" in kato.post(restore_url(hanchan), {"seen_version": "2"}).content.decode()
    correct_as_ueno(hanchan, (40000, 21700, 26800, 11500))
    outdated = kato.post(restore_url(hanchan), {"seen_version": "2", "reason": "right at first"}, follow=True)
    assert outdated.context["changes"]
    assert Hanchan.objects.get().version == 3
    assert kato.post(restore_url(hanchan), {"seen_version": "3", "reason": "right at first"}).status_code == 302
    current = Hanchan.objects.get()
    assert [(seat.raw_score, seat.points) for seat in seats_of(current)] == first
    assert current.version == 4
    last = Revision.objects.filter(subject="hanchan").first()
    assert last is not None
    assert (last.action, last.reason) == ("corrected", "right at first")
    assert confirming_of(current).agreed == 0


def test_restored_version_names_the_merged_player(kato: Client, bust_league: League, hanchan: Hanchan) -> None:
    correct_as_ueno(hanchan)
    (other,) = make_players(bust_league, 1)
    merge_players(source=seats_of(hanchan)[0].player, target=other, by=SYSTEM, reason="one person")
    kato.post(restore_url(hanchan), {"seen_version": "2", "reason": "right at first"})
    assert seats_of(Hanchan.objects.get())[0].player == other


def test_restored_version_has_all_facts(kato: Client, bust_league: League) -> None:
    hanchan = play(
        make_session(bust_league),
        (50000, 30000, 20000, -1000),
        sticks_left=1,
        busts=(Bust(3, "draw", (), (0, 1)),),
        chombo=(0, 0, 1, 0),
        yakuman=((0, "国士無双"),),
        note="by the window",
    )
    before = result_of(Hanchan.objects.get())
    correct_as_ueno(hanchan)
    kato.post(restore_url(hanchan), {"seen_version": "2", "reason": "right at first"})
    assert result_of(Hanchan.objects.get()) == before


@pytest.mark.parametrize("number", ["", "0", "-1", "999999", "x", "１", "9" * 30])
def test_invalid_revision_numbers_are_not_found(kato: Client, hanchan: Hanchan, number: str) -> None:
    for method in (kato.get, kato.post):
        assert method(f"{to('hanchan_again', hanchan)}?revision={number}").status_code in {302, 404}


LINE = ("+45,0", "9", "▲20，000", "-34")


@pytest.fixture
def free_session(client: Client) -> Session:
    return session_under("free-10-30", client)


def session_under(card: str, client: Client) -> Session:
    league = make_league(card, card=card, players=4)
    client.force_login(make_user("ueno", league=league, role="organiser"))
    return make_session(league)


def address(session: Session) -> str:
    return url("session_by_points", session.league, session.pk)


def typed_points(league: League, *points: str, **more: Any) -> dict[str, Any]:
    body = {f"player_{seat}": str(player.pk) for seat, player in enumerate(league.players.order_by("pk")[:4])}
    return body | {f"points_{seat}": said for seat, said in enumerate(points)} | {"table": "1", "note": ""} | more


def test_points_are_saved_from_a_page_linked_by_the_session(client: Client, free_session: Session) -> None:
    assert address(free_session) in client.get(url("session", free_session.league, free_session.pk)).content.decode()
    assert client.get(address(free_session)).status_code == 200
    client.post(address(free_session), typed_points(free_session.league, *LINE) | {"as_is": "on"})
    hanchan = Hanchan.objects.get()
    assert (hanchan.given, points_of(hanchan)) == ("points", [45_000, 9_000, -20_000, -34_000])
    assert not hanchan.as_is


def test_raw_scores_are_derived_from_points_if_the_rules_allow_it(client: Client) -> None:
    session = session_under("cinderella", client)
    client.post(address(session), typed_points(session.league, "55", "9", "-20", "-44"))
    assert Hanchan.objects.get().given == "worked_out"


def test_impossible_points_are_refused(client: Client) -> None:
    session = session_under("ema", client)
    answer = client.post("/en" + address(session), typed_points(session.league, "357", "-23", "-91", "-243"))
    assert "357 is too much for one hanchan" in answer.content.decode()
    assert not Hanchan.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"points_0": "many"}, id="no number"),
        pytest.param({"points_0": ""}, id="nothing"),
        pytest.param({"player_0": "999999"}, id="nobody of the league"),
        pytest.param({"place_0": "1"}, id="one placement"),
        pytest.param({"place_0": "1", "place_1": "1", "place_2": "2", "place_3": "3"}, id="no placements"),
        pytest.param({"points_0": "999999999.999"}, id="too much"),
        pytest.param({"table": "x"}, id="no table"),
    ],
)
def test_invalid_points_are_reported_and_kept(client: Client, free_session: Session, wrong: dict[str, str]) -> None:
    answer = client.post(address(free_session), typed_points(free_session.league, *LINE) | wrong)
    assert answer.status_code == 200
    assert not Hanchan.objects.exists()
    assert answer.context["form"].errors
    assert "▲20，000" in answer.content.decode()


def test_same_player_is_refused_and_same_points_need_confirmation(client: Client, free_session: Session) -> None:
    body = typed_points(free_session.league, *LINE)
    client.post(address(free_session), body | {"player_1": body["player_0"]})
    assert not Hanchan.objects.exists()
    client.post(address(free_session), body)
    asked = client.post(address(free_session), body).content.decode()
    assert Hanchan.objects.count() == 1
    assert 'name="do" value="another seated"' in asked
    client.post(address(free_session), body | {"do": "another seated"})
    assert Hanchan.objects.count() == 2


def test_points_that_do_not_add_up_need_a_note(client: Client, free_session: Session) -> None:
    body = typed_points(free_session.league, "45", "9", "-20", "-33")
    assert 'name="as_is"' in client.post(address(free_session), body).content.decode()
    client.post(address(free_session), body | {"as_is": "on"})
    assert not Hanchan.objects.exists()
    client.post(address(free_session), body | {"as_is": "on", "note": "the book says so"})
    assert Hanchan.objects.get().as_is


@pytest.mark.parametrize("state", ["closed", "withdrawn"])
def test_closed_session_accepts_no_points(client: Client, free_session: Session, state: str) -> None:
    Session.objects.filter(pk=free_session.pk).update(state=state)
    page = client.get(url("session", free_session.league, free_session.pk)).content.decode()
    assert address(free_session) not in page
    assert client.get(address(free_session)).status_code == 302
    answer = client.post(f"/en{address(free_session)}", typed_points(free_session.league, *LINE), follow=True)
    assert "Nothing can be entered here: the session is closed" in answer.content.decode()
    assert not Hanchan.objects.exists()


POINTS = (45_000, 9_000, -20_000, -34_000)


def form_data(page: Any, **changed: str) -> dict[str, Any]:
    form = page.context["form"]
    kept = {name: form[name].value() for name in form.fields}
    moment = form["played_at"].value().strftime("%Y-%m-%dT%H:%M")
    shown = {name: form.fields[name].prepare_value(value) for name, value in kept.items()}
    shown |= {"played_at": moment, **changed}
    return {name: value for name, value in shown.items() if value not in {None, False}}


def open_correction(client: Client, hanchan: Hanchan) -> tuple[str, Any]:
    way = url("correct", hanchan.league, hanchan.pk)
    assert way in client.get(url("hanchan", hanchan.league, hanchan.pk)).content.decode()
    return way, client.get(way)


@pytest.mark.long
def test_points_only_hanchan_is_corrected_by_points(client: Client, free_session: Session) -> None:
    hanchan = play(free_session, points=POINTS, yakuman=[(0, "国士無双")], note="from the old book")
    path, page = open_correction(client, hanchan)
    assert [page.context["form"][f"points_{seat}"].value() for seat in range(4)] == ["45", "9", "-20", "-34"]
    assert "from the old book" in page.content.decode()
    body = form_data(page, points_1="8", points_2="-19", table="3", round="2", note="read anew", reason="misread")
    client.post(path, body)
    hanchan.refresh_from_db()
    assert points_of(hanchan) == [45_000, 8_000, -19_000, -34_000]
    assert (hanchan.given, hanchan.table, hanchan.round, hanchan.note) == ("points", 3, 2, "read anew")
    assert (hanchan.version, hanchan.incidents.get().note) == (2, "国士無双")


def test_correcting_the_table_keeps_the_points_as_given(client: Client) -> None:
    hanchan = play(session_under("cinderella", client), points=(55_000, 9_000, -20_000, -44_000))
    path, page = open_correction(client, hanchan)
    said = client.post(f"/en{path}", form_data(page, reason="none"), follow=True).content.decode()
    assert "No changes to save." in said
    client.post(path, form_data(page, table="2", reason="the other table"))
    hanchan.refresh_from_db()
    assert (hanchan.table, hanchan.given, hanchan.version) == (2, "points", 2)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"reason": ""}, id="no reason"),
        pytest.param({"points_0": "46"}, id="no sum"),
        pytest.param({"round": ""}, id="no round"),
        pytest.param({"played_at": "2999-01-01T00:00"}, id="not yet"),
        pytest.param({"seen_version": "x"}, id="no version"),
    ],
)
def test_bad_correction_by_points_keeps_the_input(client: Client, free_session: Session, wrong: dict[str, str]) -> None:
    hanchan = play(free_session, points=POINTS)
    path, page = open_correction(client, hanchan)
    answer = client.post(path, form_data(page, **{"note": "as entered", "reason": "misread"} | wrong))
    assert answer.context["form"].errors
    assert "as entered" in answer.content.decode()
    hanchan.refresh_from_db()
    assert hanchan.version == 1


def test_concurrent_correction_by_points_shows_the_other_change(client: Client, free_session: Session) -> None:
    hanchan = play(free_session, points=POINTS)
    path, page = open_correction(client, hanchan)
    client.post(path, form_data(page, points_1="8", points_2="-19", reason="misread"))
    shown = client.post(f"/en{path}", form_data(page, table="4", reason="the other table")).content.decode()
    assert "ueno corrected this first" in shown
    assert "石田, ranking points" in shown or "Ishida, ranking points" in shown
    assert Hanchan.objects.get().table == 1
    again = form_data(page, table="4", reason="the other table", seen_version="2")
    assert f'name="seen_version" value="{again["seen_version"]}"' in shown
    client.post(path, again)
    hanchan.refresh_from_db()
    assert (hanchan.table, points_of(hanchan)) == (4, list(POINTS))
    raw = f"{url('correct', free_session.league, hanchan.pk)}?raw=1"
    assert raw in page.content.decode()
    assert 'name="raw_0"' in client.get(raw).content.decode()


def test_undone_points_can_be_entered_again(client: Client, free_session: Session) -> None:
    hanchan = play(free_session, points=POINTS, note="from the old book", table=2)
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason=UNDONE)
    receipt = client.get(url("receipt", free_session.league, hanchan.pk)).content.decode()
    way = f"{address(free_session)}?again={hanchan.pk}"
    assert way in receipt
    page = client.get(way)
    assert [page.context["form"][f"points_{seat}"].value() for seat in range(4)] == ["45", "9", "-20", "-34"]
    assert "from the old book" in page.content.decode()
    body = typed_points(free_session.league, *LINE, table="2") | {f"place_{seat}": str(seat + 1) for seat in range(4)}
    client.post(way, body)
    assert points_of(Hanchan.objects.exclude(pk=hanchan.pk).get()) == list(POINTS)


@pytest.fixture
def confirming_league() -> League:
    return make_league(confirmed_by="one")


@pytest.fixture
def table_of_four(confirming_league: League) -> list[Player]:
    return make_players(confirming_league, 4)


@pytest.fixture
def link(confirming_league: League, table_of_four: list[Player]) -> TableLink:
    del table_of_four
    return link_of(make_session(confirming_league))


@pytest.fixture
def by_link(link: TableLink) -> Hanchan:
    played = play(link.session)
    Hanchan.objects.filter(pk=played.pk).update(device="aa" * 8, recorded_through=link)
    return played


def at_table(link: TableLink, name: str, hanchan: Hanchan) -> str:
    return at(link, f"table_{name}", hanchan.pk)


def path_to(name: str, of: Hanchan | Session) -> str:
    return url(name, of.league, of.pk)


def said_on(say: str, **more: str) -> dict[str, Any]:
    return {"say": say, "version": "1", "device": "bb" * 8, **more}


def buttons(page: Any) -> list[str]:
    return re.findall(r'name="say" value="([^"]+)"', page.content.decode())


def test_one_tap_by_link_confirms_and_returns(link: TableLink, by_link: Hanchan, table_of_four: list[Player]) -> None:
    client = Client(enforce_csrf_checks=True)
    assert buttons(Client().get(path_to("hanchan", by_link))) == []
    page = client.get(at_table(link, "receipt", by_link))
    assert buttons(page) == [f"{word}-{player.pk}" for player in table_of_four for word in ("agrees", "disputes")]
    assert "結果は合っていますか" in page.content.decode()
    answer = client.post(at_table(link, "confirm", by_link), said_on(f"agrees-{table_of_four[1].pk}"))
    assert (answer.status_code, answer["Location"]) == (302, at_table(link, "receipt", by_link) + "#said")
    assert not client.cookies
    assert state_of(by_link) == "confirmed"
    said = by_link.confirmations.get()
    assert (said.player, said.device, said.source, said.by) == (table_of_four[1], "bb" * 8, "table link 1", None)
    settled = client.get(answer["Location"]).content.decode()
    assert '<span class="tag good">卓で確認</span>' in settled
    assert "結果は合っていますか" not in settled


def test_script_gets_only_the_confirmation(link: TableLink, by_link: Hanchan, table_of_four: list[Player]) -> None:
    client = Client()
    sent = said_on(f"disputes-{table_of_four[3].pk}", part="1")
    page = client.post(at_table(link, "confirm", by_link), sent).content.decode()
    assert "<html" not in page
    assert "data-confirm" in page
    assert f'id="dispute-note{table_of_four[3].pk}"' in page
    noted = client.post(at_table(link, "confirm", by_link), {**sent, "note": "Mine was 12,500"}).content.decode()
    assert "Mine was 12,500" in noted
    assert "dispute-note" not in noted


def test_league_without_policy_takes_disputes(link: TableLink, by_link: Hanchan, table_of_four: list[Player]) -> None:
    client = Client()
    League.objects.update(confirmed_by="none")
    page = client.get(at_table(link, "receipt", by_link))
    assert buttons(page) == [f"disputes-{player.pk}" for player in table_of_four]
    client.post(at_table(link, "confirm", by_link), said_on(f"disputes-{table_of_four[0].pk}", note="another seat"))
    assert state_of(by_link) == "disputed"
    assert "another seat" in client.get(at_table(link, "receipt", by_link)).content.decode()


def test_tap_for_an_outdated_or_voided_result_is_reported(
    client: Client, link: TableLink, by_link: Hanchan, table_of_four: list[Player]
) -> None:
    correct(by_link)
    said = said_on(f"agrees-{table_of_four[1].pk}")
    answer = client.post(at_table(link, "confirm", by_link), said, follow=True)
    assert (answer.context["confirm"].said, state_of(by_link)) == ("outdated", "recorded")
    assert by_link.confirmations.get().version == 1
    assert 'name="version" value="2"' in answer.content.decode()
    void_hanchan(hanchan=by_link, by=SYSTEM, reason="undo")
    answer = client.post(at_table(link, "confirm", by_link), said | {"device": "cc" * 8}, follow=True)
    assert (answer.context["confirm"].said, buttons(answer)) == ("voided", [])


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"say": "agrees-organiser", "version": "1"},
        {"say": "agrees-999999", "version": "1"},
        {"say": "agrees-0", "version": "0"},
        {"say": "agrees-12345678901234567890", "version": "1"},
        {"say": "shouts-1", "version": "1"},
        {"say": "agrees-１", "version": "1"},
        {"say": "agrees-1", "version": "9" * 30},
        {"say": "agrees-1", "version": "1", "note": "x" * 301},
        {"say": "agrees-1", "version": "1", "device": "\x00"},
        {"say": "agrees-1\n", "version": "1"},
    ],
)
def test_invalid_taps_are_ignored(client: Client, link: TableLink, by_link: Hanchan, sent: dict[str, str]) -> None:
    for more in ({}, {"part": "1"}):
        assert client.post(at_table(link, "confirm", by_link), sent | more).status_code in {200, 302}
    assert state_of(by_link) in {"recorded", "confirmed"}
    assert not Confirmation.objects.filter(player=None).exists()


def test_members_confirm_themselves(confirming_league: League, by_link: Hanchan, table_of_four: list[Player]) -> None:
    client = logged_in(confirming_league, "player")
    assert buttons(client.get(path_to("hanchan", by_link))) == []
    link_user(player=table_of_four[1], user=User.objects.get(username="player"), by=SYSTEM)
    own = table_of_four[1].pk
    assert buttons(client.get(path_to("hanchan", by_link))) == [f"agrees-{own}", f"disputes-{own}"]
    client.post(path_to("confirm", by_link), said_on(f"agrees-{table_of_four[0].pk}"))
    assert not by_link.confirmations.exists()
    answer = client.post(path_to("confirm", by_link), said_on(f"agrees-{own}", place="hanchan"))
    assert answer["Location"] == path_to("hanchan", by_link) + "#said"
    assert state_of(by_link) == "confirmed"


def test_organiser_settles_dispute(confirming_league: League, by_link: Hanchan, table_of_four: list[Player]) -> None:
    client = logged_in(confirming_league, "organiser")
    assert "agrees-organiser" in buttons(client.get(path_to("receipt", by_link)))
    client.post(path_to("confirm", by_link), said_on(f"disputes-{table_of_four[2].pk}"))
    refused = client.post(path_to("confirm", by_link), said_on("agrees-organiser", place="hanchan"), follow=True)
    assert refused.context["confirm"].said == "reason"
    assert state_of(by_link) == "disputed"
    client.post(path_to("confirm", by_link), said_on("agrees-organiser", note="The sheet says so"))
    assert state_of(by_link) == "confirmed"
    said = client.get(path_to("hanchan", by_link)).content.decode().partition("The sheet says so")[2]
    assert path_to("session", by_link.session) in said.partition("confirm-rows")[0]
    actions = Revision.objects.filter(subject="hanchan").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["recorded", "disputed", "settled"]


def heading_of(page: Any) -> str:
    return re.split(r"</(?:header|p)>\s*</?div|</header>", page.content.decode().partition('id="standing"')[2])[0]


def test_disputed_or_uncounted_result_has_no_success_mark(
    client: Client, confirming_league: League, link: TableLink, by_link: Hanchan, table_of_four: list[Player]
) -> None:
    assert "#success" in heading_of(client.get(at_table(link, "receipt", by_link)))
    assert "#success" in client.get(at(link)).content.decode().partition('id="news"')[2].partition("</p>")[0]
    scorer = logged_in(confirming_league, "scorer")
    assert "確認待ち" in heading_of(scorer.get(path_to("hanchan", by_link)))
    answer = client.post(at_table(link, "confirm", by_link), said_on(f"disputes-{table_of_four[3].pk}", part="1"))
    for page in (answer, client.get(at_table(link, "receipt", by_link)), scorer.get(path_to("hanchan", by_link))):
        assert "#success" not in heading_of(page)
        assert "異議" in heading_of(page)
    assert "#success" not in client.get(at(link)).content.decode().partition('id="news"')[2].partition("</p>")[0]
    Hanchan.objects.update(state="recorded", as_is=True, note="a stick is missing")
    League.objects.update(unbalanced_count=False)
    assert "#success" not in heading_of(client.get(at_table(link, "receipt", by_link)))


def hanchan_to_confirm(client: Client, league: League) -> list[Hanchan]:
    found: list[Hanchan] = client.get(url("league_home", league)).context["asked"]
    return found


@pytest.fixture
def aoki(confirming_league: League, table_of_four: list[Player]) -> Client:
    client = logged_in(confirming_league, "player", "aoki")
    link_user(player=table_of_four[0], user=User.objects.get(username="aoki"), by=SYSTEM)
    return client


def agree(hanchan: Hanchan, player: Player) -> None:
    by = Actor(User.objects.get(username="aoki"), "web")
    say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.AGREES, 1, player), by=by)


@pytest.mark.long
@pytest.mark.parametrize("policy", ["one", "all"])
def test_league_home_asks_a_player_to_confirm(
    confirming_league: League, table_of_four: list[Player], aoki: Client, policy: str
) -> None:
    League.objects.update(confirmed_by=policy)
    session = make_session(confirming_league)
    mine = [play(session, players=table_of_four), play(session, players=table_of_four)]
    play(session, players=make_players(confirming_league, 4))
    assert hanchan_to_confirm(logged_in(confirming_league, "player", "unlinked"), confirming_league) == []
    assert hanchan_to_confirm(aoki, confirming_league) == mine
    page = aoki.get(url("league_home", confirming_league)).content.decode()
    assert f"{path_to('hanchan', mine[0])}#said" in page
    agree(mine[0], table_of_four[0])
    assert hanchan_to_confirm(aoki, confirming_league) == mine[1:]
    # Corrected facts need new confirmations.
    correct(mine[0])
    void_hanchan(hanchan=mine[1], by=SYSTEM, reason="twice")
    assert [each.pk for each in hanchan_to_confirm(aoki, confirming_league)] == [mine[0].pk]
    assert hanchan_to_confirm(Client(), confirming_league) == []

    for other in ("none", "organiser"):
        League.objects.update(confirmed_by=other)
        assert hanchan_to_confirm(aoki, confirming_league) == []


def test_confirmed_results_do_not_hide_older_unconfirmed_ones(
    confirming_league: League, table_of_four: list[Player], aoki: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("league.selectors.confirming.MAX_ASKED", 2)
    League.objects.update(confirmed_by="all")
    session = make_session(confirming_league)
    played = [play(session, players=table_of_four) for _number in range(6)]
    for hanchan in (*played[:3], played[5]):
        agree(hanchan, table_of_four[0])
    # Other rules change points, not confirmations.
    Hanchan.objects.filter(pk__in=[each.pk for each in played]).update(version=2)
    for hanchan in played:
        Revision.objects.create(league=confirming_league, subject="hanchan", subject_id=hanchan.pk, action="rescored")
    assert hanchan_to_confirm(aoki, confirming_league) == played[3:5]
    # Former members cannot respond and are not asked.
    confirming_league.members.filter(user__username="aoki").delete()
    assert hanchan_to_confirm(aoki, confirming_league) == []
    assert 'name="say"' not in aoki.get(path_to("hanchan", played[3])).content.decode()
