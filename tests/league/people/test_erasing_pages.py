import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.models import ImportBatch, League, Photo, Player
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, change_player, link_user
from league.services.photos import add_photo, clean_photo
from league.views.erasing import BORNE
from tests.league.entry_contexts import url
from tests.league.factories import log_in, make_league, make_players, make_session, make_user, play, settle
from tests.league.imports.files import file_of, game
from tests.league.imports.test_run import imported
from tests.league.people.erasing import picture

pytestmark = [pytest.mark.django_db]

REASON = "asked for it"


@pytest.fixture
def league() -> League:
    """A session with a photo; the first of the four players has an account."""
    league = make_league()
    aoki = make_players(league)[0]
    hanchan = play(make_session(league))
    add_photo(hanchan=hanchan, picture=clean_photo(picture()), by=SYSTEM)
    with time_machine.travel(timezone.now() - BORNE):
        link_user(player=aoki, user=make_user("a-san", league=league, role="player"), by=SYSTEM)
    for role in ("scorer", "organiser", "owner"):
        make_user(role, league=league, role=role)
    settle()
    return league


def page_of(player: Player) -> str:
    return url("player_erase", player.league, player.pk)


def aoki_of(league: League) -> Player:
    return league.players.get(key="p1")


@pytest.mark.merge
def test_player_erases_their_own_name(league: League) -> None:
    aoki, phone = aoki_of(league), log_in("a-san")
    shown = reverse("stats:player", args=[league.slug, aoki.pk])
    name_page = url("player_name", league, aoki.pk)
    assert name_page in phone.get(shown).content.decode()
    assert page_of(aoki) in phone.get(name_page).content.decode()
    page = phone.get(page_of(aoki)).content.decode()
    assert f"選手 #{aoki.pk}" in page
    assert "写真1枚" in page
    assert 'name="keep"' not in page
    boards = Client().get(url("standings", league, "2025-11")).content.decode()
    assert "青木" in boards
    said = phone.post(page_of(aoki), {"reason": REASON, "confirm": "青 木"}, follow=True).content.decode()
    assert f"選手 #{aoki.pk}" in said
    for address in (shown, url("standings", league, "2025-11")):
        assert "青木" not in Client().get(address).content.decode()
        assert f"選手 #{aoki.pk}" in Client().get(address).content.decode()
    assert not Photo.objects.exists()
    assert Player.objects.get(pk=aoki.pk).user is None


@pytest.mark.merge
def test_owner_erases_a_name_and_keeps_a_photo(league: League) -> None:
    aoki, owner, photo = aoki_of(league), log_in("owner"), Photo.objects.get()
    assert page_of(aoki) in owner.get(url("player_edit", league, aoki.pk)).content.decode()
    sent = {"reason": REASON, "confirm": "Aoki", "keep": [str(photo.pk)], "also": "アオちゃん"}
    answer = owner.post(f"/en{page_of(aoki)}", sent, follow=True)
    assert f"Player #{aoki.pk}" in answer.content.decode()
    assert Photo.objects.get() == photo
    again = owner.post(page_of(aoki), sent, follow=True)
    assert "すでに消去されています" in again.content.decode()


@pytest.mark.parametrize("person", ["scorer", "organiser", "a-san", "stranger", ""])
def test_only_owners_and_the_player_may_erase_a_name(league: League, person: str) -> None:
    make_user("stranger")
    whom = league.players.get(key="p2") if person == "a-san" else aoki_of(league)
    client = log_in(person) if person else Client()
    sent = {"reason": REASON, "confirm": whom.name}
    for answer in (client.get(page_of(whom)), client.post(page_of(whom), sent)):
        assert (answer.status_code == 403) if person else ("/login/" in answer["Location"])
    assert Player.objects.get(pk=whom.pk).name == whom.name
    if person:
        edit = client.get(url("player_edit", league, whom.pk))
        assert page_of(whom) not in edit.content.decode()


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        pytest.param({"reason": "", "confirm": "青木"}, "reason", id="no reason"),
        pytest.param({"reason": "x", "confirm": ""}, "confirm", id="no name"),
        pytest.param({"reason": "x", "confirm": "石田"}, "confirm", id="another name"),
        pytest.param({"reason": "x", "confirm": "青木", "also": "青"}, "also", id="one letter"),
        pytest.param(
            {"reason": "x", "confirm": "青木", "also": "\n".join("abcdefghijklmnopqrstuvwxyz")}, "also", id="many"
        ),
        pytest.param({"reason": "x", "confirm": "青木", "keep": "999999"}, "keep", id="a photo of others"),
        pytest.param({"reason": "x" * 5000, "confirm": "青木\x00"}, "reason", id="too long"),
    ],
)
def test_invalid_request_erases_nothing(league: League, sent: dict[str, str], field: str) -> None:
    aoki = aoki_of(league)
    answer = log_in("owner").post(page_of(aoki), sent)
    assert answer.status_code == 200
    assert answer.context["form"].errors[field]
    assert Player.objects.get(pk=aoki.pk).name == "青木"


@pytest.mark.merge
def test_import_pages_open_after_their_file_was_erased(league: League) -> None:
    names = [player.name for player in league.players.order_by("pk")]
    batch = imported(league, file_of(game("2025-11-22", names=names)))
    owner, aoki = log_in("owner"), aoki_of(league)
    assert batch.file_name in owner.get(page_of(aoki)).content.decode()
    owner.post(page_of(aoki), {"reason": REASON, "confirm": "青木"})
    assert bytes(ImportBatch.objects.get().data) == b""
    for name in ("import_result", "import_review"):
        answer = owner.get(url(name, league, batch.pk), follow=True)
        assert answer.status_code in {200, 404}, name
        assert "青木" not in answer.content.decode()
    assert owner.get(url("imports", league)).status_code == 200


def test_organiser_cannot_erase_a_player_by_linking_themselves(league: League) -> None:
    ishida = league.players.get(key="p2")
    organiser = log_in("organiser")
    link_user(player=ishida, user=User.objects.get(username="organiser"), by=SYSTEM)
    assert "オーナー" in organiser.get(page_of(ishida)).content.decode()
    answer = organiser.post(page_of(ishida), {"reason": REASON, "confirm": "石田"})
    assert "オーナー" in answer.content.decode()
    assert Player.objects.get(pk=ishida.pk).name == "石田"
    log_in("owner").post(page_of(ishida), {"reason": REASON, "confirm": "石田"})
    assert Player.objects.get(pk=ishida.pk).name == f"選手 #{ishida.pk}"


def test_hidden_player_can_erase_their_name(league: League) -> None:
    aoki = aoki_of(league)
    change_player(player=aoki, facts=PlayerFacts("青木", visibility="nobody"), by=SYSTEM)
    log_in("a-san").post(page_of(aoki), {"reason": REASON, "confirm": "青木"})
    assert Player.objects.get(pk=aoki.pk).name == f"選手 #{aoki.pk}"
