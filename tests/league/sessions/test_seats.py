import json

import pytest
from django.test import Client
from django.urls import reverse

from league.core.seating import TooFewError, deal
from league.models import League, PlannedSeat, Player, Revision, Session
from league.selectors.planning import plan_of, waiting_at
from league.services.history import SYSTEM
from league.services.planning import PlanningError, TablePlan, plan_tables, seat_evening
from league.services.results import void_hanchan
from tests.league.entry_contexts import url
from tests.league.factories import logged_in, make_league, make_players, make_session, planned_players, play


@pytest.mark.parametrize(
    ("people", "size", "shape"),
    [(4, 4, [4]), (5, 4, [5]), (7, 4, [7]), (8, 4, [4, 4]), (9, 4, [5, 4]), (11, 4, [6, 5]), (7, 3, [4, 3])],
)
def test_deal_fills_tables_and_distributes_the_rest(people: int, size: int, shape: list[int]) -> None:
    tables = deal(range(people), size, seed=3)
    assert [len(table) for table in tables] == shape
    assert sorted(player for table in tables for player in table) == list(range(people))


def test_deal_refuses_too_few_people() -> None:
    with pytest.raises(TooFewError):
        deal(range(3), 4, 1)


def address(session: Session) -> str:
    return url("session_seats", session.league, session.pk)


@pytest.fixture
def evening(organiser: Client, league: League) -> Session:
    del organiser
    make_players(league, 9)
    return make_session(league)


def draw(client: Client, session: Session, **typed: object) -> dict[str, object]:
    people = [str(player.pk) for player in session.league.players.all()]
    answer = client.post(address(session), {"people": people, "seed": 7, "do": "draw"} | typed)
    assert answer.status_code == 200
    form = answer.context["tables"]
    return {"people": people, "seed": 7, **{name: form[name].value() for name in form.fields}} | typed


def test_entry_page_starts_from_the_drawn_seats(client: Client, evening: Session) -> None:
    typed = draw(client, evening)
    assert not PlannedSeat.objects.exists()
    assert client.post(address(evening), typed | {"do": "keep"}).status_code == 302
    evening.refresh_from_db()
    assert evening.tables == 2
    assert [(number, table, len(players)) for number, table, players in plan_of(evening)] == [(0, 1, 4), (0, 2, 4)]
    assert [len(waiting) for waiting in waiting_at(evening).values()] == [1]
    page = client.get(reverse("league:enter_session", args=[evening.league.slug, evening.pk]))
    shown = [page.context["form"][f"player_{seat}"].value() for seat in range(4)]
    assert shown == [str(player.pk) for player in planned_players(evening, 1, 1)]
    assert not set(shown) & {str(player.pk) for player in waiting_at(evening)[1]}


def test_same_seed_repeats_the_draw(client: Client, evening: Session) -> None:
    assert draw(client, evening) == draw(client, evening)
    assert draw(client, evening, seed=8)["seat_1_0"] != draw(client, evening)["seat_1_0"]


def test_manual_change_of_a_drawn_seat_is_kept(client: Client, evening: Session) -> None:
    typed = draw(client, evening)
    typed["seat_1_0"], typed["seat_2_3"] = typed["seat_2_3"], typed["seat_1_0"]
    client.post(address(evening), typed | {"do": "keep"})
    assert str(planned_players(evening, 1, 1)[0].pk) == typed["seat_1_0"]
    first, by_hand = client.get(address(evening)).content.decode().partition('class="deal"')[::2]
    assert f'class="button" href="{url("print_cards", evening.league, evening.pk)}"' in first
    assert "この席に決める" not in first, "once they are saved, only a change is kept"
    assert "この席に決める" in by_hand


@pytest.mark.parametrize(
    ("change", "sentence"), [({"seat_1_0": ""}, "This seat is empty."), ({"seat_1_0": "same"}, "already has a seat.")]
)
def test_plan_of_bad_seat_is_refused(client: Client, evening: Session, change: dict[str, str], sentence: str) -> None:
    typed = draw(client, evening)
    changed = {name: typed["seat_2_0"] if key == "same" else key for name, key in change.items()}
    answer = client.post("/en" + address(evening), typed | changed | {"do": "keep"})
    assert answer.status_code == 200
    assert sentence in answer.content.decode()
    assert not PlannedSeat.objects.exists()


def test_late_guest_is_never_dropped(client: Client, evening: Session) -> None:
    typed = draw(client, evening)
    asked = client.post(address(evening), typed | {"guests": "星野", "do": "keep"})
    assert not PlannedSeat.objects.exists()
    assert "星野" in asked.content.decode()
    dealt = enumerate(asked.context["tables"].seated(), 1)
    waits = {f"seat_{table}_{seat}": key for table, keys in dealt for seat, key in enumerate(keys)}
    client.post(address(evening), typed | waits | {"guests": "星野", "do": "keep"})
    assert PlannedSeat.objects.get(player__name="星野").waits


def test_guests_are_created_when_the_seats_are_saved(client: Client, evening: Session) -> None:
    typed = draw(client, evening, guests="星野\n\n浜口\n")
    assert evening.league.players.count() == 9
    client.post(address(evening), typed | {"do": "keep"})
    assert set(Player.objects.filter(is_guest=True).values_list("name", flat=True)) == {"星野", "浜口"}
    assert PlannedSeat.objects.count() == 11


def test_pasted_names_are_selected_and_unknown_ones_are_guests(client: Client, evening: Session) -> None:
    names = [player.name for player in evening.league.players.order_by("pk")[:6]]
    answer = client.post(address(evening), {"guests": "\n".join([*names, "星野"]), "do": "draw"})
    assert {key for row in answer.context["tables"].seated() for key in row} - {"guest:星野"} == {
        str(pk) for pk in evening.league.players.order_by("pk").values_list("pk", flat=True)[:6]
    }


def test_first_session_selects_everyone_if_the_tables_suffice(client: Client, evening: Session) -> None:
    everyone = evening.league.players.count()
    for tables, expected in ((2, everyone), (1, 0)):
        Session.objects.update(tables=tables)
        assert len(client.get(address(evening)).context["form"]["people"].value()) == expected
    for wish, expected in (("all", everyone), ("none", 0)):
        form = client.post(address(evening), {"people": ["1"], "guests": "星野", "do": wish}).context["form"]
        assert (len(form["people"].value()), form["guests"].value()) == (expected, "星野")


@pytest.mark.parametrize(
    ("count", "guests", "sentence"), [(9, "星" * 41, "is not a valid name"), (3, "", "Choose at least 4 people")]
)
def test_unusable_people_are_refused(client: Client, evening: Session, count: int, guests: str, sentence: str) -> None:
    people = [str(player.pk) for player in evening.league.players.all()][:count]
    answer = client.post("/en" + address(evening), {"people": people, "guests": guests, "do": "draw"})
    assert sentence in answer.content.decode()
    assert answer.context["tables"] is None


def test_smaller_plan_replaces_a_larger_one_in_the_history(evening: Session) -> None:
    players = list(evening.league.players.order_by("pk"))
    seat_evening(session=evening, tables=[players[:4], players[4:9]], size=4, by=SYSTEM)
    seat_evening(session=evening, tables=[players[4:8]], size=4, by=SYSTEM)
    assert [table for _, table, _ in plan_of(evening)] == [1]
    assert Session.objects.get().tables == 1
    last = Revision.objects.filter(subject="session").first()
    assert last is not None
    before, after = (json.loads(json.dumps(side)) for side in (last.before, last.after))
    assert [len(names) for names in before["plan"].values()] == [4, 5]
    assert [len(names) for names in after["plan"].values()] == [4]


def test_more_waiting_than_playing_at_a_table_are_refused(evening: Session) -> None:
    players = list(evening.league.players.order_by("pk"))
    with pytest.raises(PlanningError, match="too_many_wait"):
        seat_evening(session=evening, tables=[players[:8]], size=4, by=SYSTEM)


def test_plan_by_rounds_is_not_overwritten_by_a_draw(client: Client, evening: Session) -> None:
    players = tuple(evening.league.players.order_by("pk"))
    plan_tables(session=evening, plans=[TablePlan(1, players[:4], round=2)], by=SYSTEM)
    with pytest.raises(PlanningError, match="by_round"):
        seat_evening(session=evening, tables=[players[:4]], size=4, by=SYSTEM)
    assert client.get(address(evening)).status_code == 302


@pytest.mark.parametrize(
    "typed",
    [
        {"do": "keep"},
        {"do": "keep", "seat_1_0": "x"},
        {"do": "keep", "seat_0_0": "1", "seat_2_9": "1"},
        {"do": "keep", "seat_999_0": "1"},
        {"do": "draw", "seed": "ten"},
        {"do": "draw", "people": "999999"},
        {"do": "draw", "guests": "長" * 60},
    ],
)
def test_invalid_input_shows_the_seats_page_again(client: Client, evening: Session, typed: dict[str, str]) -> None:
    assert client.post(address(evening), typed).status_code == 200
    assert not PlannedSeat.objects.exists()


def test_players_of_the_last_session_with_valid_hanchan_are_selected(client: Client, evening: Session) -> None:
    players = list(evening.league.players.order_by("pk"))
    play(evening, players=players[:4])
    later = make_session(evening.league, evening.date)
    void_hanchan(hanchan=play(later, players=players[4:8]), by=SYSTEM, reason="wrong file")
    page = client.get(address(make_session(evening.league, evening.date)))
    assert sorted(page.context["form"]["people"].value()) == sorted(str(player.pk) for player in players[:4])


@pytest.mark.django_db
def test_fourth_player_sits_out_first_at_a_table_of_three() -> None:
    league = make_league("sanma", card="tenhou-3p", players=4)
    client, sanma = logged_in(league, "organiser"), make_session(league)
    typed = draw(client, sanma)
    assert [name for name in typed if name.startswith("seat_")] == ["seat_1_0", "seat_1_1", "seat_1_2", "seat_1_3"]
    assert "sits out first" in client.post("/en" + address(sanma), typed | {"do": "draw"}).content.decode()
    assert client.post(address(sanma), typed | {"do": "keep"}).status_code == 302
    ((number, table, players),) = plan_of(sanma)
    assert (number, table, len(players)) == (0, 1, 3)
    (waiting,) = waiting_at(sanma)[1]
    assert {*players, waiting} == set(sanma.league.players.all())


def test_drawing_again_uses_another_seed(client: Client, evening: Session) -> None:
    people = [str(player.pk) for player in evening.league.players.all()]
    answers = [client.post(address(evening), {"people": people, "seed": 7, "do": "again"}) for _ in range(3)]
    assert {answer.context["form"]["seed"].value() for answer in answers} != {"7"}


def test_guest_who_looks_like_a_player_is_asked_about(client: Client, evening: Session) -> None:
    player = Player.objects.order_by("pk").first()
    assert player is not None
    Player.objects.filter(pk=player.pk).update(name="髙橋")
    people = [str(pk) for pk in Player.objects.order_by("pk").values_list("pk", flat=True)[1:9]]
    sent = {"people": people, "guests": "高橋", "do": "draw"}
    asked = client.post("/en" + address(evening), sent)
    assert "Who is “高橋”?" in asked.content.decode()
    assert asked.context["tables"] is None
    (question,) = asked.context["form"].questions
    assert [key for key, _label in question.field.choices] == [str(player.pk), "new"]
    for answer, key in ((str(player.pk), str(player.pk)), ("new", "guest:高橋")):
        assert key in client.post("/en" + address(evening), sent | {question.name: answer}).context["tables"].coming
