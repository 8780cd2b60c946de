from typing import Any

import pytest
from django.test import Client

from league.models import Hanchan, Session
from league.selectors.games import seats_of
from league.services.results import result_of
from scoring.core import Bust
from tests.league.entry.test_grid import address, evening, fields, row, shown, with_players
from tests.league.factories import make_players, play

__all__ = ["evening"]

pytestmark = pytest.mark.django_db

JSON = {"accept": "application/json"}


def sent_in_part(client: Client, session: Session, sent: dict[str, str], only: str, do: str) -> Any:
    """Post some rows as the script does: the columns, and only the fields of these rows."""
    rows = set(only.split(","))
    kept = {name: text for name, text in sent.items() if name.split("_")[0] in {"player", "guest", "columns", "rows"}}
    kept |= {name: text for name, text in sent.items() if "_" in name and name.split("_")[1] in rows and text}
    return client.post(address(session), kept | {"only": only, "do": do, "reason": sent["reason"]}, headers=JSON)


def test_only_the_rows_that_were_sent_are_checked_and_answered(client: Client, evening: Session) -> None:
    play(evening)
    sent = with_players(evening, shown(client, evening))
    sent |= row(1, "400", "300", "200", "100") | row(2, "501", "99", "260", "130")
    answer = sent_in_part(client, evening, sent, "1,2", "check").json()
    assert {number: each["status"] for number, each in answer["rows"].items()} == {"1": "added", "2": "wrong"}
    assert "1,000 short" in answer["check"]
    assert 'href="#cell_2_0"' in answer["check"]
    assert answer["rows"]["2"]["fields"]["cell_2_0"] == {"text": "501", "described": "", "led": True}
    assert "go" not in answer


def test_a_row_that_was_not_sent_is_still_compared(client: Client, evening: Session) -> None:
    play(evening)
    sent = with_players(evening, shown(client, evening)) | row(1, "317", "313", "255", "115")
    assert sent_in_part(client, evening, sent, "1", "check").json()["rows"]["1"]["status"] == "double"


def test_rows_are_saved_in_part_and_once(client: Client, evening: Session) -> None:
    play(evening)
    sent = with_players(evening, shown(client, evening)) | row(2, "400", "300", "200", "100")
    for _time in range(2):
        answer = sent_in_part(client, evening, sent, "2", "save").json()
        assert answer["go"].endswith(f"/sessions/{evening.pk}/")
    assert Hanchan.objects.count() == 2
    sent |= row(1, "501", "99", "260", "140") | row(3, "1", "2", "3", "4")
    part = sent_in_part(client, evening, sent, "1,3", "part").json()
    saved = Hanchan.objects.latest("pk")
    assert part["rows"]["1"] == part["rows"]["1"] | {"status": "same", "hanchan": str(saved.pk), "version": "1"}
    assert part["rows"]["3"]["status"] == "wrong"
    assert Hanchan.objects.count() == 3


@pytest.mark.long
@pytest.mark.parametrize("only", ["", "x", "-1", "999", "0,0,0", "1,2,", "１"])
def test_nonsense_for_the_rows_that_were_sent_does_nothing(client: Client, evening: Session, only: str) -> None:
    sent = with_players(evening, shown(client, evening))
    assert client.post(address(evening), sent | {"only": only, "do": "save"}, headers=JSON).status_code == 200
    assert client.post(address(evening), sent | {"only": only, "do": "save"}).status_code == 200
    assert not Hanchan.objects.exists()


def test_the_same_people_in_one_round_at_one_table_are_asked_about(client: Client, evening: Session) -> None:
    sent = with_players(evening, shown(client, evening)) | row(0, "400", "300", "200", "100")
    play(evening)
    answer = client.post(address(evening), sent | {"do": "save"})
    assert "already have a hanchan in this round at this table" in answer.content.decode()
    assert Hanchan.objects.count() == 1
    again = fields(answer) | {"another_0": "on"}
    assert client.post(address(evening), again | {"do": "save"}).status_code == 302
    assert Hanchan.objects.count() == 2


def test_poll_returns_rows_only_after_changes(client: Client, evening: Session) -> None:
    hanchan = play(evening)
    answer = client.get(address(evening), {"stands": "1"})
    (told,) = answer.json()["rows"]
    assert [(each["name"], each["text"]) for each in told["people"]] == [
        ("Aoki", "317 東"), ("Ishida", "313 南"), ("Ueno", "255 西"), ("Eguchi", "115 北"),
    ]  # fmt: skip
    assert [each["key"] for each in told["people"]] == [str(seat.player_id) for seat in seats_of(hanchan)]
    assert {name: told[name] for name in ("hanchan", "version", "round", "table", "sticks")} == {
        "hanchan": str(hanchan.pk), "version": "1", "round": "1", "table": "1", "sticks": "",
    }  # fmt: skip
    known = {"if-none-match": answer["ETag"]}
    assert client.get(address(evening), {"stands": "1"}, headers=known).status_code == 304
    make_players(evening.league, 1)
    assert client.get(address(evening), {"stands": "1"}, headers=known).status_code == 200


@pytest.mark.parametrize(
    ("cells", "chombo", "busts"),
    [
        pytest.param(("601 東", "300 南", "100 西", "-1 北 東"), 0, 1, id="the word is deleted"),
        pytest.param(("611 東", "290 南", "100 西", "-1 北 東"), 0, 1, id="and the scores are others"),
        pytest.param(("601 東", "300 南 チョンボ2", "100 西", "-1 北 南"), 2, 1, id="others are written"),
        pytest.param(("611", "290", "100", "-1"), 1, 1, id="bare scores say nothing of it"),
        pytest.param(("601 東", "300 南 チョンボ", "90 西", "9 北"), 1, 0, id="nobody is bust any more"),
    ],
)
def test_row_deleted_after_a_wind_is_voided(
    client: Client, evening: Session, cells: tuple[str, ...], chombo: int, busts: int
) -> None:
    hanchan = play(evening, (60100, 30000, 10000, -100), busts=[Bust(3, "win", (0,))], chombo=(0, 1, 0, 0))
    sent = shown(client, evening)
    assert [sent[f"cell_0_{column}"] for column in (1, 3)] == ["300 南 チョンボ", "−1 北 東"]
    sent |= row(0, *cells) | {"reason": "misheard"}
    assert client.post(address(evening), sent | {"do": "save"}).status_code == 302
    game = result_of(Hanchan.objects.get(pk=hanchan.pk)).game
    assert (game.chombo or (0,) * 4)[1] == chombo
    assert len(game.busts) == busts


def test_a_bust_whose_note_is_deleted_is_asked_about(client: Client, evening: Session) -> None:
    play(evening, (60100, 30000, 10000, -100), busts=[Bust(3, "win", (0,))])
    answer = client.post(address(evening), shown(client, evening) | {"cell_0_3": "-1 北", "do": "check"})
    assert "How did Eguchi go bust?" in answer.content.decode()


def test_bare_scores_over_a_stored_row_say_what_stays_noted(client: Client, evening: Session) -> None:
    play(evening, chombo=(0, 1, 0, 0))
    answer = client.post(address(evening), shown(client, evening) | {"cell_0_1": "313", "do": "check"})
    assert "These notes are kept, because a score without its wind" in answer.content.decode()
    assert "Ishida: chombo 1" in answer.content.decode()
    untouched = client.post(address(evening), shown(client, evening) | {"do": "check"})
    assert "These notes are kept" not in untouched.content.decode()
