import random
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import transaction
from django.test import Client

from league.forms.entry.prefill import of_hanchan
from league.models import Hanchan, League, Revision, Seat, Session, Standing
from league.selectors.explained import Remark
from league.selectors.what_if import CountedHanchan, CountedSeat, ranks_around
from league.services.history import SYSTEM, Actor
from league.services.results import void_hanchan
from scoring.core import Bust, Ledger, PlayerResult
from tests.league.entry_contexts import text, url
from tests.league.factories import correct, live_ranks, make_league, make_players, make_session, make_user, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league, 6)
    return league


def typed(hanchan: Hanchan, **changes: Any) -> dict[str, Any]:
    hanchan = Hanchan.objects.prefetch_related("seats", "incidents").get(pk=hanchan.pk)
    values = {name: value for name, value in of_hanchan(hanchan).items() if name != "played_at"}
    return {"do": "save", "reason": "書き間違い", **values, **changes}


def test_every_line_of_the_calculation_adds_up_to_the_points(client: Client, league: League) -> None:
    hanchan = play(make_session(league))
    context = client.get(url("hanchan", league, hanchan.pk)).context
    for seat, explained in zip(context["seats"], context["explained"].seats, strict=True):
        points = {account.ledger: account for account in explained.accounts}
        assert points[Ledger.RANKING].steps[-1].running == seat.points
        assert points[Ledger.SETTLEMENT].steps[-1].running == seat.settlement
        assert all(step.sentence for account in explained.accounts for step in account.steps)


def test_hanchan_page_is_public_in_both_languages(client: Client, league: League) -> None:
    hanchan = play(make_session(league), note="長い半荘", yakuman=[(1, "国士無双")])
    japanese = text(client.get(url("hanchan", league, hanchan.pk)))
    english = text(client.get("/en" + url("hanchan", league, hanchan.pk)))
    for fact in ("+21.7", "▲18.5", "+31", "長い半荘", "国士無双", "青木"):
        assert fact in japanese
    for fact in ("−18.5", "Aoki", "Settlement"):
        assert fact in english
    assert "結果を取り消す" not in japanese


def test_tie_and_bust_are_shown(client: Client, league: League, session: Session) -> None:
    tied = text(client.get(url("hanchan", league, play(session, (30800, 30800, 25500, 12900)).pk)))
    assert "起家に近い青木が上位(1着)です" in tied
    bust = play(session, (60000, 25000, 16000, -1000), busts=[Bust(3, "draw", tenpai=(0, 2))])
    context = client.get(url("hanchan", league, bust.pk)).context
    parts = [step.line.part for step in context["explained"].seats[3].accounts[1].steps]
    assert "bust" in parts


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
    hanchan = play(make_session(league), chombo=(0, 0, 0, 2))
    seats = client.get("/en" + url("hanchan", league, hanchan.pk)).context["explained"].seats
    assert [seat.remarks for seat in seats] == [(), (), (), (Remark(says, "chombo"),)]


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
    actions = Revision.objects.filter(subject="hanchan").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["recorded", "voided", "restored"]


def test_correction_starts_from_the_result_and_needs_a_reason(scorer: Client, league: League) -> None:
    bust = Bust(3, "draw", tenpai=(0, 2))
    hanchan = play(make_session(league), (60000, 25000, 16000, -1000), busts=[bust], note="メモ")
    address = url("correct", league, hanchan.pk)
    page = text(scorer.get(address))
    for kept in ('value="600"', 'value="▲10"', "メモ"):
        assert kept in page
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
    assert "60,000</span> → <span" in page.replace("\n", "")


def test_correction_without_changes_is_not_saved(scorer: Client, league: League) -> None:
    League.objects.update(confirmed_by="organiser")
    hanchan = play(make_session(league), (60000, 25000, 16000, -1000), busts=[Bust(3, "draw", tenpai=(0, 2))])
    revisions = Revision.objects.count()
    answer = scorer.post(url("correct", league, hanchan.pk), typed(hanchan), follow=True)
    assert "変更がないため" in text(answer)
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
    effects = scorer.post(url("correct_preview", league, hanchan.pk), sent).context["effects"]
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
