import json
from datetime import date, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.http.codes import GUESSES
from league.models import League, Player, SentForm
from league.services.attempts import TryLimit
from league.services.erasing.person import Erasure, erase_player
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player, link_user
from tests.league.factories import as_text, client_of, make_league, make_session, make_user
from tests.tournaments.factories import director, make_cinderella_league, to
from tests.tournaments.registering import (
    link_to,
    offered,
    opens_check_in,
    own_page,
    places_of,
    registered,
    registers_by_link,
    terms_now,
)
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file
from tournaments.interchange.writing import write_file
from tournaments.models import Registration, RegistrationTerms, StageSession, Tournament
from tournaments.services.planning import link_session
from tournaments.services.registering import accept_registration, check_in
from tournaments.services.registration_terms import door_code, own_code, public_code, renew_addresses
from tournaments.services.setup import make_director

pytestmark = pytest.mark.django_db

NONSENSE = (
    "", "0", "-1", "9" * 30, "x\x00y", "\ufffd", "<b>", "1e9", "１", "あ" * 3000, "9999-12-31T23:59", "0001-01-01T00:00",
)  # fmt: skip


@pytest.fixture
def tournament() -> Tournament:
    return offered()


def door_of(tournament: Tournament) -> str:
    return reverse("tournaments:check_in", args=[door_code(terms_now(tournament))])


def member(league: League, name: str, player: Player | None = None, role: str | None = "player") -> Client:
    user = make_user(name, league=league, role=role)
    if player is not None:
        link_user(player=player, user=user, by=SYSTEM)
    return client_of(user)


def test_each_code_opens_only_its_own_page(client: Client, tournament: Tournament) -> None:
    aoki, ishida = registered(tournament, "青木", "石田")
    terms = terms_now(tournament)
    codes = [public_code(terms), door_code(terms), own_code(aoki)]
    mixed = f"{ishida.pk}-{own_code(aoki).partition('-')[2]}"
    for number, route in enumerate(("register_by_link", "check_in", "own_registration")):
        for code in (*codes, mixed, "1-", "x", "9" * 40 + "-a", "１-あ"):
            status = client.get(reverse(f"tournaments:{route}", args=[code])).status_code
            assert status == (200 if code == codes[number] else 404), (route, code)
    assert client.get(own_page(aoki))["Referrer-Policy"] == "no-referrer"


def test_wrong_renewed_and_taken_down_links_show_the_same_page(client: Client, tournament: Tournament) -> None:
    old = link_to(tournament)
    wrong = client.get(reverse("tournaments:register_by_link", args=["1-aaaa"]))
    renew_addresses(tournament=tournament, by=SYSTEM)
    renewed = client.get(old)
    League.objects.update(state=League.State.TAKEN_DOWN)
    taken_down = client.get(link_to(tournament))
    assert [wrong.status_code, renewed.status_code, taken_down.status_code] == [404] * 3
    texts = {answer.content.decode().split("<main")[1].split("</main>")[0] for answer in (wrong, renewed, taken_down)}
    assert len(texts) == 1


def test_guessing_is_limited_and_valid_codes_keep_working(client: Client, tournament: Tournament) -> None:
    wrong = reverse("tournaments:own_registration", args=["1-aaaa"])
    assert [client.get(wrong).status_code for _ in range(GUESSES.tries + 1)] == [404] * GUESSES.tries + [429]
    assert client.get(link_to(tournament)).status_code == 200


def test_stored_hash_of_a_code_opens_nothing(client: Client, tournament: Tournament) -> None:
    victim = registers_by_link(client, tournament, "客人")
    registration = Registration.objects.get()
    secret = own_code(registration)
    assert secret in victim
    assert not SentForm.objects.filter(answer__contains=secret.partition("-")[2]).exists()
    assert registers_by_link(Client(), tournament, "別人", key=str(registration.nonce)) != victim
    assert Registration.objects.count() == 2


def test_registering_as_a_linked_player_is_refused(client: Client, tournament: Tournament) -> None:
    aoki = add_player(league=tournament.league, facts=PlayerFacts("青木"), by=SYSTEM)
    assert registers_by_link(client, tournament, "青木", player=str(aoki.pk)) == ""
    page = client.post(link_to(tournament), {"name": "青木"}).content.decode()
    assert "青木さんはすでにリーグの選手一覧にいます" in page
    assert registers_by_link(client, tournament, "青木", same_name="on")
    registration = Registration.objects.select_related("player").get()
    assert registration.player != aoki
    assert registration.player.is_guest
    stranger = member(tournament.league, "stranger", role=None)
    stranger.post(to("register", tournament), {"name": "上野", "player": aoki.pk, "user": 1, "key": "k"})
    aoki.refresh_from_db()
    assert aoki.user_id is None
    assert places_of(tournament) == {"青木": "entered", "上野": "entered"}


def test_member_only_names_cannot_be_probed(client: Client, tournament: Tournament) -> None:
    add_player(league=tournament.league, facts=PlayerFacts("石田", visibility="members"), by=SYSTEM)
    assert registers_by_link(client, tournament, "石田")
    assert Registration.objects.count() == 1


def test_address_of_a_private_league_reveals_no_names(client: Client, tournament: Tournament) -> None:
    league = tournament.league
    League.objects.filter(pk=league.pk).update(is_public=False)
    add_player(league=league, facts=PlayerFacts("青木 一郎"), by=SYSTEM)
    for guess, name in enumerate(("青木 一郎", "青木一郎", "青木 一朗")):
        assert registers_by_link(client, tournament, name, key=f"k{guess}"), "the organisers see which names are alike"
    assert Registration.objects.count() == 3
    answer = member(league, "member").post(to("register", tournament), {"name": "青木 一郎", "key": "m"})
    assert "青木 一郎さんはすでにリーグの選手一覧にいます" in answer.content.decode()


def test_erased_name_cannot_be_restored_from_the_personal_page(client: Client) -> None:
    assert registers_by_link(client, offered(), "江口", key="k")
    registration = Registration.objects.select_related("player").get()
    erase_player(player=registration.player, asked=Erasure("at their wish"), by=SYSTEM)
    assert "名前の変更" not in client.get(own_page(registration)).content.decode()
    client.post(own_page(registration), {"do": "rename", "name": "江口"})
    registration.player.refresh_from_db()
    assert registration.player.name == f"選手 #{registration.player_id}"


def test_links_of_a_deleted_league_are_not_found(client: Client, tournament: Tournament) -> None:
    (aoki,) = registered(tournament, "青木")
    League.objects.filter(pk=tournament.league_id).update(ends_at=timezone.now() + timedelta(days=14))
    with time_machine.travel(timezone.now() + timedelta(days=15)):
        for address in (link_to(tournament), own_page(aoki), door_of(tournament)):
            assert client.get(address).status_code == 404, address


def test_members_only_registration_accepts_members_and_linked_players(client: Client) -> None:
    tournament = offered(audience="members")
    league = tournament.league
    linked = member(league, "linked", add_player(league=league, facts=PlayerFacts("青木"), by=SYSTEM), role=None)
    for stranger in (client, member(league, "stranger", role=None)):
        stranger.post(to("register", tournament), {"name": "上野"})
        stranger.post(link_to(tournament), {"name": "上野"})
    assert not Registration.objects.exists()
    assert linked.post(to("register", tournament)).status_code == 302
    newcomer = member(league, "newcomer")
    answer = newcomer.post(to("register", tournament), {"name": "江口", "key": "1"})
    assert answer.status_code == 302
    eguchi = Player.objects.get(name="江口")
    assert (eguchi.is_guest, eguchi.user and eguchi.user.username) == (False, "newcomer")
    assert newcomer.get(to("register", tournament))["Location"] == answer["Location"]


def test_registration_form_shows_no_errors_before_it_is_sent(client: Client) -> None:
    tournament = offered(audience="anyone")
    newcomer = member(tournament.league, "newcomer")
    for person in (client, newcomer):
        assert 'class="error"' not in person.get(to("register", tournament)).content.decode()
    assert 'class="error"' in newcomer.post(to("register", tournament), {"name": "", "key": "1"}).content.decode()


def test_full_tournament_offers_the_waiting_list(client: Client) -> None:
    tournament = offered(places=2)
    pages = ("/en" + to("tournament", tournament), "/en" + to("register", tournament))
    registered(tournament, "青木")
    for page in pages:
        html = client.get(page).content.decode()
        assert "Register" in html
        assert "Join the waiting list" not in html
    assert html.index("1 of 2 left") < html.index('name="name"')
    (ishida,) = registered(tournament, "石田")
    for page, said in zip(pages, ("Full, waiting list open", "The tournament is full"), strict=True):
        assert said in client.get(page).content.decode()
    html = member(tournament.league, "ishida", ishida.player, "organiser").get(pages[0]).content.decode()
    assert ("My registration" in html, "Join the waiting list" in html) == (True, False)


def test_waiting_players_cannot_promote_themselves(client: Client) -> None:
    tournament = offered(places=1)
    _, ishida = registered(tournament, "青木", "石田")
    for do in ("accept", "up", "check_in", "again", "refuse", "", "open"):
        client.post(own_page(ishida), {"do": do, "state": "standing", "number": "0"})
    assert places_of(tournament) == {"青木": "entered", "石田": "waiting"}


def test_withdrawing_twice_is_safe_and_refused_after_the_draw(client: Client) -> None:
    tournament = offered(places=1)
    aoki, ishida = registered(tournament, "青木", "石田")
    for _ in range(2):
        assert client.post(own_page(aoki), {"do": "withdraw"}).status_code == 302
    assert places_of(tournament) == {"青木": "withdrawn", "石田": "entered"}
    Tournament.objects.update(state=Tournament.State.RUNNING)
    assert "エントリーは締め切られました" in client.post(own_page(ishida), {"do": "withdraw"}).content.decode()
    assert places_of(tournament)["石田"] == "entered"


def test_archived_league_refuses_registrations_and_withdrawals(client: Client, tournament: Tournament) -> None:
    (aoki,) = registered(tournament, "青木")
    League.objects.update(state=League.State.ARCHIVED)
    assert client.post(link_to(tournament), {"name": "客人"}).status_code == 403
    assert client.post(to("register", tournament), {"name": "客人"}).status_code == 403
    assert client.post(own_page(aoki), {"do": "withdraw"}).status_code == 403
    assert places_of(tournament) == {"青木": "entered"}


def test_registration_link_of_a_private_league_reveals_nothing_else(client: Client) -> None:
    tournament = offered(make_league("closed", card="cinderella", is_public=False, name="内輪"))
    registered(tournament, "青木")
    page = client.get(link_to(tournament)).content.decode()
    assert "青木" not in page
    assert "/l/closed/" not in page
    assert "/l/closed/" not in client.get(registers_by_link(client, tournament, "客人")).content.decode()
    assert "/login/" in client.get(to("register", tournament))["Location"]


def test_check_in_and_tournament_pages_hide_member_only_names(client: Client) -> None:
    tournament = offered(places=1)
    own = registers_by_link(client, tournament, "隠れ人", is_hidden="on")
    opens_check_in(tournament)
    door = client.get(door_of(tournament)).content.decode()
    assert "隠れ人" not in door + client.get(to("tournament", tournament)).content.decode()
    assert f"選手{Registration.objects.get().player_id:03}" in door
    assert "隠れ人" in client.get(own).content.decode()


def test_tournament_page_counts_remaining_spots(client: Client) -> None:
    tournament = offered(places=1)
    seen = client.get(to("tournament", tournament))
    assert "残り1名" in seen.content.decode()
    registered(tournament, "青木", "石田")
    fresh = client.get(to("tournament", tournament), headers={"If-None-Match": seen["ETag"]})
    assert fresh.status_code == 200
    assert "残り0名" in fresh.content.decode()
    assert "対局の日程はまだ決まっていません" in fresh.content.decode()
    part = StageSession(stage="qualifying", block="A", number=1)
    session = make_session(tournament.league, date(2025, 5, 5), venue="公民館")
    link_session(tournament=tournament, session=session, stage_session=part, by=SYSTEM)
    assert "2025/5/5(月) · 公民館" in client.get(to("tournament", tournament)).content.decode().replace("/0", "/")
    assert "公民館" in client.get(to("register", tournament)).content.decode().partition('class="form')[0]


@pytest.mark.long
def test_check_in_accepts_only_players_of_the_tournament(client: Client, tournament: Tournament) -> None:
    (aoki,) = registered(tournament, "青木")
    other = offered(make_cinderella_league("elsewhere"))
    (stranger,) = registered(other, "他人")
    assert client.post(door_of(tournament), {"who": aoki.pk}).status_code == 200
    assert Registration.objects.filter(checked_in_at=None).count() == 2
    opens_check_in(tournament)
    opens_check_in(other)
    for who in (stranger.pk, *NONSENSE):
        assert client.post(door_of(tournament), {"who": who}).status_code == 200
    assert client.post(door_of(tournament), {"who": aoki.pk}).status_code == 302
    assert [*Registration.objects.filter(checked_in_at=None)] == [stranger]


def test_registration_survives_export_and_import() -> None:
    tournament = offered(places=2, closes_at=timezone.now(), note="会場は駅前")
    RegistrationTerms.objects.update(closes_at=None, check_in_until=timezone.now())
    aoki, _, _ = registered(tournament, "青木", "石田", "上野")
    check_in(registration=aoki, by=SYSTEM, director=True)
    Registration.objects.filter(player__name="上野").update(brought_player=True, reason="x")
    copied = store_file(read_file(as_text(write_file(tournament.league)).encode()), by=SYSTEM, slug="copied")
    again = Tournament.objects.get(league=copied)
    assert places_of(again) == places_of(tournament)
    wrote, read = (json.loads(as_text(write_file(each)))["tournaments"] for each in (tournament.league, copied))
    assert "queue" in wrote[0]["registration"]
    assert wrote == read
    assert terms_now(again).nonce != terms_now(tournament).nonce


def test_history_shows_promotions_and_no_shows() -> None:
    tournament = offered(places=1)
    aoki, _ = registered(tournament, "青木", "石田")
    opens_check_in(tournament)
    organiser = client_of(director(tournament.league))
    ishida = Registration.objects.get(player__name="石田")
    organiser.post(to("registration_change", tournament, ishida.pk), {"do": "check_in"})
    organiser.post(to("registrations", tournament), {"do": "drop", "seen": [aoki.pk]})
    organiser.post(to("registrations", tournament), {"do": "close_check_in"})
    page = organiser.get(reverse("league:history", args=[tournament.league.slug])).content.decode()
    for words in (
        "申し込み",
        "石田がキャンセル待ちに入りました",
        "出場が決まりました",
        "来場しませんでした",
        "受付がありませんでした",
        "当日受付の締切",
    ):
        assert words in page, words
    assert places_of(tournament) == {"青木": "refused", "石田": "entered"}


def test_registrations_per_address_are_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.views.registering.NEWCOMERS", TryLimit("registrations", tries=2, seconds=3600))
    tournament = offered()
    assert all(registers_by_link(client, tournament, name) for name in ("客人一", "客人二"))
    assert client.post(link_to(tournament), {"name": "客人三", "key": "3"}).status_code == 429
    assert client.post(to("register", tournament), {"name": "客人三", "key": "4"}).status_code == 429
    assert [*places_of(tournament)] == ["客人一", "客人二"]


@pytest.mark.long
def test_registrations_waiting_for_approval_are_in_inboxes(client: Client) -> None:
    tournament = offered(places=4, needs_approval=True)
    league = tournament.league
    organiser = member(league, "aoki", role="organiser")
    directing = member(league, "ueno")
    ueno = league.members.select_related("user").get(user__username="ueno")
    make_director(tournament=tournament, membership=ueno, by=SYSTEM)
    said = "2 registrations are waiting for approval"
    inbox, manage = (f"/en{path}" for path in (to("inbox", tournament), reverse("league:manage", args=[league.slug])))
    before = directing.get(inbox)
    assert said not in before.content.decode()
    first, second = registered(tournament, "石田", "江口")
    assert registers_by_link(client, tournament, "客人")
    accept_registration(registration=first, by=SYSTEM)
    for reader, path in ((organiser, manage), (organiser, inbox), (directing, inbox)):
        answer = reader.get(path, headers={"If-None-Match": before["ETag"]})
        assert said in answer.content.decode()
        assert f"/en{to('registrations', tournament)}" in answer.content.decode()
    assert directing.get(to("registrations", tournament)).status_code == 200
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.RUNNING)
    assert said not in organiser.get(manage).content.decode()
    assert second.pk


@pytest.mark.long
def test_posters_show_registration_and_check_in_codes(tournament: Tournament) -> None:
    client = client_of(director(tournament.league))
    listed = client.get(reverse("tournaments:registrations", args=[tournament.league.slug, tournament.key]))
    assert to("registration_posters", tournament) in listed.content.decode()
    answer = client.get(f"/en{to('registration_posters', tournament)}")
    assert answer["Cache-Control"] == "private, no-store"
    html = answer.content.decode()
    terms = terms_now(tournament)
    assert f"testserver/en/register/{public_code(terms)}/" in html
    assert f"/{door_code(terms)}/" in html
    assert html.count('<svg xmlns="http://www.w3.org/2000/svg"') >= 2 or html.count("qr-code") >= 2
    assert "Register here" in html
    assert "I am here: check in" in html
    assert client.get(to("registration_posters", tournament), {"format": "pdf"}).content.startswith(b"%PDF")


def test_members_only_poster_links_to_the_members_page() -> None:
    tournament = offered(audience="members")
    client = client_of(director(tournament.league))
    html = client.get(to("registration_posters", tournament)).content.decode()
    assert public_code(terms_now(tournament)) not in html
    assert reverse("tournaments:register", args=[tournament.league.slug, tournament.key]) in html
    RegistrationTerms.objects.all().delete()
    assert client.get(to("registration_posters", tournament)).status_code == 302
