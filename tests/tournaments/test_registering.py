from datetime import timedelta

import pytest
from django.utils import timezone

from league.models import Revision
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, merge_players
from tests.tournaments.registering import offered, opens_check_in, places_of, player_called, registered, terms_now
from tournaments.models import Entry, Registration, RegistrationTerms, Tournament
from tournaments.selectors.registrations import registration_lines
from tournaments.services import registering
from tournaments.services.events import TournamentError
from tournaments.services.registration_terms import change_moment, offer_registration
from tournaments.services.setup import enter_players, remove_entry

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def history_of(registration: Registration) -> list[tuple[object, object]]:
    lines = Revision.objects.filter(subject="registration", subject_id=registration.pk).order_by("pk")
    return [(line.before, line.after) for line in lines]


def test_withdrawal_promotes_the_first_on_the_waiting_list() -> None:
    tournament = offered(places=2)
    aoki, _, ueno, eguchi = registered(tournament, "青木", "石田", "上野", "江口")
    assert places_of(tournament) == {"青木": "entered", "石田": "entered", "上野": "waiting", "江口": "waiting"}
    registering.withdraw_registration(registration=aoki, by=SYSTEM)
    assert places_of(tournament) == {"青木": "withdrawn", "石田": "entered", "上野": "entered", "江口": "waiting"}
    waited = {"player": "上野", "place": "waiting"}
    assert history_of(ueno) == [(None, waited | {"state": "standing"}), (waited, waited | {"place": "entered"})]
    assert len(history_of(eguchi)) == 1


def test_registering_twice_returns_the_same_registration() -> None:
    tournament = offered()
    (aoki,) = registered(tournament, "青木")
    assert registering.register_player(tournament=tournament, player=aoki.player, by=SYSTEM) == aoki
    nonce, facts = registering.nonce_of("of one form"), PlayerFacts("客人", is_guest=True)
    guest = registering.register_newcomer(tournament=tournament, facts=facts, nonce=nonce, by=SYSTEM)
    assert registering.register_newcomer(tournament=tournament, facts=facts, nonce=nonce, by=SYSTEM) == guest
    assert tournament.league.players.filter(name="客人").count() == 1
    assert tournament.entries.count() == 2


def test_registering_again_joins_the_end_of_the_queue() -> None:
    tournament = offered(places=1)
    aoki, _ = registered(tournament, "青木", "石田")
    registering.withdraw_registration(registration=aoki, by=SYSTEM)
    registering.register_player(tournament=tournament, player=aoki.player, by=SYSTEM)
    assert places_of(tournament) == {"石田": "entered", "青木": "waiting"}


def test_refused_player_cannot_register_again_until_accepted() -> None:
    tournament = offered(places=1)
    aoki, _ = registered(tournament, "青木", "石田")
    with pytest.raises(TournamentError, match="reason_missing"):
        registering.refuse_registration(registration=aoki, reason=" ", by=SYSTEM)
    registering.refuse_registration(registration=aoki, reason="二重", by=SYSTEM)
    assert places_of(tournament) == {"青木": "refused", "石田": "entered"}
    with pytest.raises(TournamentError, match="registration_refused"):
        registering.register_player(tournament=tournament, player=aoki.player, by=SYSTEM)
    registering.accept_registration(registration=aoki, by=SYSTEM)
    assert places_of(tournament) == {"石田": "entered", "青木": "waiting"}


def test_registration_waits_for_approval() -> None:
    tournament = offered(places=1, needs_approval=True)
    aoki, ishida = registered(tournament, "青木", "石田")
    assert {*places_of(tournament).values()} == {"asked"}
    registering.accept_registration(registration=ishida, by=SYSTEM)
    registering.accept_registration(registration=aoki, by=SYSTEM)
    assert places_of(tournament) == {"青木": "waiting", "石田": "entered"}


def test_organiser_can_reorder_the_waiting_list() -> None:
    tournament = offered(places=1)
    _, ishida, ueno = registered(tournament, "青木", "石田", "上野")
    registering.move_registration(registration=ueno, up=True, by=SYSTEM)
    registering.move_registration(registration=ueno, up=True, by=SYSTEM)
    assert [*places_of(tournament)] == ["青木", "上野", "石田"]
    registering.move_registration(registration=ueno, up=False, by=SYSTEM)
    assert [*places_of(tournament)] == ["青木", "石田", "上野"]
    offer_registration(tournament=tournament, offered=RegistrationTerms(places=2, audience="anyone"), by=SYSTEM)
    with pytest.raises(TournamentError, match="not_waiting"):
        registering.move_registration(registration=ishida, up=True, by=SYSTEM)


def test_manual_entries_share_the_list_with_registrations() -> None:
    tournament = offered(places=2)
    aoki, _, _ = registered(tournament, "青木", "石田", "上野")
    remove_entry(entry=Entry.objects.get(player=aoki.player), by=SYSTEM)
    assert places_of(tournament) == {"青木": "withdrawn", "石田": "entered", "上野": "entered"}
    enter_players(tournament=tournament, players=[aoki.player, player_called(tournament, "江口")], by=SYSTEM)
    assert places_of(tournament) == dict.fromkeys(("青木", "石田", "上野", "江口"), "entered")


def test_offering_registration_lists_earlier_entries() -> None:
    tournament = offered(places=2)
    tournament.registrations.all().delete()
    tournament.terms.delete()
    enter_players(tournament=tournament, players=[player_called(tournament, "青木")], by=SYSTEM)
    assert places_of(tournament) == {}
    offer_registration(tournament=tournament, offered=RegistrationTerms(places=2), by=SYSTEM)
    assert places_of(tournament) == {"青木": "entered"}


def test_registration_opens_and_closes_at_its_times() -> None:
    now, hour = timezone.now(), timedelta(hours=1)
    tournament = offered(opens_at=now + hour)
    with pytest.raises(TournamentError, match="registration_soon"):
        registered(tournament, "青木")
    change_moment(tournament=tournament, name="closes_at", at=now - hour, by=SYSTEM)
    with pytest.raises(TournamentError, match="registration_closed"):
        registered(tournament, "石田")
    change_moment(tournament=tournament, name="opens_at", at=now, by=SYSTEM)
    registered(tournament, "上野")
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.RUNNING)
    with pytest.raises(TournamentError, match="drawn"):
        registered(tournament, "江口")


def test_only_checked_in_players_are_promoted_on_the_day() -> None:
    tournament = offered(places=2)
    aoki, ishida, ueno, eguchi = registered(tournament, "青木", "石田", "上野", "江口")
    opens_check_in(tournament)
    for each in (aoki, eguchi):
        registering.check_in(registration=each, by=SYSTEM)
    dropped = registering.drop_no_shows(tournament=tournament, seen=[aoki.pk, ishida.pk], reason="late", by=SYSTEM)
    assert dropped == [ishida]
    assert places_of(tournament) == {"青木": "entered", "石田": "refused", "上野": "waiting", "江口": "entered"}
    assert history_of(ishida)[-1] == ({"player": "石田", "place": "entered"}, {"player": "石田", "place": "no_show"})
    registering.withdraw_registration(registration=aoki, by=SYSTEM)
    assert places_of(tournament)["上野"] == "waiting"
    registering.check_in(registration=ueno, by=SYSTEM)
    assert places_of(tournament)["上野"] == "entered"


def test_checked_in_player_keeps_the_spot() -> None:
    tournament = offered(places=1)
    aoki, ishida = registered(tournament, "青木", "石田")
    opens_check_in(tournament)
    registering.check_in(registration=ishida, by=SYSTEM)
    registering.check_in(registration=aoki, by=SYSTEM)
    assert registering.drop_no_shows(tournament=tournament, seen=[aoki.pk], reason="late", by=SYSTEM) == []
    assert places_of(tournament) == {"青木": "entered", "石田": "waiting"}


def test_check_in_is_limited_in_time_except_for_directors() -> None:
    tournament = offered()
    (aoki,) = registered(tournament, "青木")
    with pytest.raises(TournamentError, match="check_in_closed"):
        registering.check_in(registration=aoki, by=SYSTEM)
    opens_check_in(tournament, closes_in=timedelta(seconds=-1))
    with pytest.raises(TournamentError, match="check_in_closed"):
        registering.check_in(registration=aoki, by=SYSTEM)
    registering.check_in(registration=aoki, by=SYSTEM, director=True)
    first = Registration.objects.get(pk=aoki.pk).checked_in_at
    registering.check_in(registration=aoki, by=SYSTEM, director=True)
    assert Registration.objects.get(pk=aoki.pk).checked_in_at == first
    registering.undo_check_in(registration=aoki, by=SYSTEM)
    registering.withdraw_registration(registration=aoki, by=SYSTEM)
    with pytest.raises(TournamentError, match="not_registered"):
        registering.check_in(registration=aoki, by=SYSTEM, director=True)


def test_merged_players_take_only_one_spot() -> None:
    tournament = offered(places=1)
    _, ishida, twin = registered(tournament, "青木", "石田", "いしだ")
    merge_players(source=twin.player, target=ishida.player, by=SYSTEM, reason="one person")
    offer_registration(tournament=tournament, offered=RegistrationTerms(places=3, audience="anyone"), by=SYSTEM)
    assert [line.is_twice for line in registration_lines(tournament)] == [False, True, True]
    assert tournament.entries.count() == 2
    registering.withdraw_registration(registration=Registration.objects.get(pk=twin.pk), by=SYSTEM)
    assert places_of(tournament) == {"青木": "entered", "石田": "entered", "いしだ": "withdrawn"}


def test_newcomer_can_rename_only_themselves() -> None:
    tournament = offered()
    (aoki,) = registered(tournament, "青木")
    guest = registering.register_newcomer(
        tournament=tournament, facts=PlayerFacts("客人", is_guest=True), nonce=registering.nonce_of("1"), by=SYSTEM
    )
    registering.rename_newcomer(registration=guest, facts=PlayerFacts("お客"), by=SYSTEM)
    guest.player.refresh_from_db()
    assert (guest.player.name, guest.player.is_guest) == ("お客", True)
    with pytest.raises(TournamentError, match="not_yours"):
        registering.rename_newcomer(registration=aoki, facts=PlayerFacts("お客"), by=SYSTEM)


def test_number_of_newcomers_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.services.registering.MAX_BROUGHT", 1)
    tournament = offered()
    registering.register_newcomer(
        tournament=tournament, facts=PlayerFacts("一"), nonce=registering.nonce_of("1"), by=SYSTEM
    )
    with pytest.raises(TournamentError, match="registration_flood"):
        registering.register_newcomer(
            tournament=tournament, facts=PlayerFacts("二"), nonce=registering.nonce_of("2"), by=SYSTEM
        )
    assert not tournament.league.players.filter(name="二").exists()


def test_registration_terms_cannot_change_after_the_draw() -> None:
    tournament = offered()
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.RUNNING)
    with pytest.raises(TournamentError, match="drawn"):
        offer_registration(tournament=tournament, offered=RegistrationTerms(places=4, audience="anyone"), by=SYSTEM)
    assert terms_now(tournament).places == 16
