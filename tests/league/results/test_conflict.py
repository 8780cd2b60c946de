from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import Hanchan, League, Revision
from league.selectors.confirming import confirming_of
from league.selectors.games import seats_of
from league.services.history import SYSTEM, Actor
from league.services.people import merge_players
from league.services.results import result_of, void_hanchan
from scoring.core import Bust
from tests.league.entry_contexts import url
from tests.league.factories import RAW, correct, logged_in, make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db

THEIRS = (31700, 30000, 26800, 11500)


@pytest.fixture
def league() -> League:
    return make_league(parameters={"bust": {"ends": "below_zero"}})


@pytest.fixture
def client(league: League) -> Client:
    return logged_in(league, "scorer", "kato")


@pytest.fixture
def hanchan(league: League) -> Hanchan:
    return play(make_session(league))


def to(name: str, hanchan: Hanchan) -> str:
    return "/en" + url(name, hanchan.league, hanchan.pk)


def typed(hanchan: Hanchan, raw: tuple[int, ...] = RAW, **changed: str) -> dict[str, str]:
    players = {f"player_{seat.seat}": str(seat.player_id) for seat in seats_of(hanchan)}
    scores = {f"raw_{seat}": str(score) for seat, score in enumerate(raw)}
    sent = {"table": "1", "round": "1", "sticks_left": "0", "seen_version": "1", "reason": "misread"}
    return sent | players | scores | changed


def correct_as(hanchan: Hanchan, raw: tuple[int, ...] = THEIRS, name: str = "ueno", **more: Any) -> Hanchan:
    by = Actor(User.objects.filter(username=name).first() or make_user(name), "web")
    return correct(hanchan, raw, by=by, note="", **more)


def clashes_in(page: Any) -> dict[tuple[str, int | None], tuple[Any, Any, Any]]:
    clashes = page.context["conflict"].clashes
    return {(each.what, each.seat): (each.before, each.theirs, each.yours) for each in clashes}


def test_conflict_shows_both_corrections(client: Client, league: League, hanchan: Hanchan) -> None:
    correct_as(hanchan)
    page = client.post(to("correct", hanchan), typed(hanchan, (30000, 31300, 25500, 13200), note="window seat"))
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
    equal = client.post(to("correct", hanchan), typed(hanchan, THEIRS)).context["conflict"].clashes
    assert [each.is_agreed for each in equal] == [True, True]
    (fifth,) = make_players(league, 1)
    sent = typed(hanchan, player_0=str(fifth.pk), player_3="guest", guest_3="Wada")
    facts = clashes_in(client.post(to("correct", hanchan), sent))
    assert facts["player", 0] == ("Aoki", "Aoki", "Player 5")
    assert facts["player", 3] == ("Eguchi", "Eguchi", "Wada")
    assert not league.players.filter(name="Wada").exists()
    assert Hanchan.objects.get().version == 2
    client.post(to("correct", hanchan), typed(hanchan, (30000, 31300, 25500, 13200), seen_version="2"))
    assert Hanchan.objects.get().version == 3


def test_conflict_compares_busts(client: Client, hanchan: Hanchan) -> None:
    correct_as(hanchan, (50000, 30000, 21000, -1000), busts=(Bust(3, "win", (0,)),))
    facts = clashes_in(client.post(to("correct", hanchan), typed(hanchan, (31000, 32000, 25500, 11500))))
    before, theirs, yours = facts["happenings", None]
    assert (before, yours) == ((), ())
    assert [(each.who, each.kind) for each in theirs] == [("Eguchi", "bust")]


def test_conflict_with_a_voided_result_keeps_the_input(client: Client, hanchan: Hanchan) -> None:
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="undo")
    page = client.post(to("correct", hanchan), typed(hanchan, (30000, 31300, 25500, 13200)))
    assert clashes_in(page)["state", None] == ("Recorded", "Voided", "Voided")
    assert 'value="30000"' in page.content.decode()


def test_concurrent_confirmation_is_no_conflict(client: Client, hanchan: Hanchan) -> None:
    League.objects.update(confirmed_by="one")
    for seat in seats_of(hanchan):
        say = {"say": f"agrees-{seat.player_id}", "version": "1"}
        client.post(to("confirm", hanchan), say)
    assert Hanchan.objects.get().state == "confirmed"
    answer = client.post(to("correct", hanchan), typed(hanchan, THEIRS))
    assert answer.status_code == 302
    assert (Hanchan.objects.get().version, Hanchan.objects.get().state) == (2, "recorded")


def test_conflict_after_a_confirmation_shows_the_correction(client: Client, hanchan: Hanchan) -> None:
    correct_as(hanchan)
    client.post(to("confirm", hanchan), {"say": f"disputes-{seats_of(hanchan)[0].player_id}", "version": "2"})
    page = client.post(to("correct", hanchan), typed(hanchan, (30000, 31300, 25500, 13200)))
    assert page.context["conflict"].by.by_name == "ueno"
    assert clashes_in(page)["raw", 1] == (31300, 30000, 31300)


def first_revision(hanchan: Hanchan) -> Revision:
    return Revision.objects.filter(subject="hanchan", subject_id=hanchan.pk).order_by("pk")[0]


def restore_url(hanchan: Hanchan) -> str:
    return f"{to('hanchan_again', hanchan)}?revision={first_revision(hanchan).pk}"


def test_history_offers_versions_that_differ_from_the_current_one(client: Client, hanchan: Hanchan) -> None:
    assert "revision=" not in client.get(to("hanchan", hanchan)).content.decode()
    correct_as(hanchan)
    assert f"revision={first_revision(hanchan).pk}" in client.get(to("hanchan", hanchan)).content.decode()
    assert "revision=" not in Client().get(to("hanchan", hanchan)).content.decode()
    correct_as(hanchan, RAW)
    assert client.get(to("hanchan", hanchan)).context["restorable"] != {first_revision(hanchan).pk}


def test_earlier_version_is_restored_with_a_reason(client: Client, hanchan: Hanchan) -> None:
    first = [(seat.raw_score, seat.points) for seat in seats_of(hanchan)]
    correct_as(hanchan)
    page = client.get(restore_url(hanchan))
    assert [(each.what, each.before, each.yours) for each in page.context["changes"]] == [
        ("raw", 30000, 31300),
        ("raw", 26800, 25500),
    ]
    assert "Enter a reason" in client.post(restore_url(hanchan), {"seen_version": "2"}).content.decode()
    answer = client.post(restore_url(hanchan), {"seen_version": "2", "reason": "right at first"})
    assert answer.status_code == 302
    current = Hanchan.objects.get()
    assert [(seat.raw_score, seat.points) for seat in seats_of(current)] == first
    assert current.version == 3
    last = Revision.objects.filter(subject="hanchan").first()
    assert last is not None
    assert (last.action, last.reason) == ("corrected", "right at first")
    assert confirming_of(current).agreed == 0


def test_restoring_after_another_correction_shows_the_changes(client: Client, hanchan: Hanchan) -> None:
    correct_as(hanchan)
    correct_as(hanchan, (40000, 21700, 26800, 11500))
    answer = client.post(restore_url(hanchan), {"seen_version": "2", "reason": "right at first"}, follow=True)
    assert Hanchan.objects.get().version == 3
    assert answer.context["changes"]


def test_restored_version_names_the_merged_player(client: Client, league: League, hanchan: Hanchan) -> None:
    correct_as(hanchan)
    (other,) = make_players(league, 1)
    merge_players(source=seats_of(hanchan)[0].player, target=other, by=SYSTEM, reason="one person")
    client.post(restore_url(hanchan), {"seen_version": "2", "reason": "right at first"})
    assert seats_of(Hanchan.objects.get())[0].player == other


def test_restored_version_has_all_facts(client: Client, league: League) -> None:
    hanchan = play(
        make_session(league),
        (50000, 30000, 20000, -1000),
        sticks_left=1,
        busts=(Bust(3, "draw", (), (0, 1)),),
        chombo=(0, 0, 1, 0),
        yakuman=((0, "国士無双"),),
        note="by the window",
    )
    before = result_of(Hanchan.objects.get())
    correct_as(hanchan)
    client.post(restore_url(hanchan), {"seen_version": "2", "reason": "right at first"})
    assert result_of(Hanchan.objects.get()) == before


@pytest.mark.parametrize("number", ["", "0", "-1", "999999", "x", "１", "9" * 30])
def test_invalid_revision_numbers_are_not_found(client: Client, hanchan: Hanchan, number: str) -> None:
    for method in (client.get, client.post):
        assert method(f"{to('hanchan_again', hanchan)}?revision={number}").status_code in {302, 404}


def test_voided_result_offers_no_earlier_version(client: Client, hanchan: Hanchan) -> None:
    correct_as(hanchan)
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")
    assert client.get(restore_url(hanchan)).status_code == 302
    assert not client.get(to("hanchan", hanchan)).context["restorable"]
