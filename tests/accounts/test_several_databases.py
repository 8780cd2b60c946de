"""People whose leagues live in several databases: accounts end, notices and invitations hold wherever a league goes."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.models import ClosedAccount, Invitation, MutedLeague, Notice, NoticeChoices, NoticeMail
from accounts.services import deletion
from accounts.services.deletion import PartAwayError, close_account, end_account
from accounts.services.invitations import WantedInvitation, invite, is_open
from accounts.services.notice_mails import tell
from accounts.services.notices import look_for_news
from accounts.services.sending import send_ready
from league.databases import HOME, working_in
from league.models import AwayLeague, League, Membership, Player, Revision
from league.selectors.former import FORMER
from league.services.chain import chain_history
from league.services.copies import copy_person
from league.services.erasing.late import sweep_late_names
from league.services.history import SYSTEM, Actor
from league.services.moving.arrivals import arrive
from league.services.people import link_user, remove_member, set_role
from tests.accounts.telling import EVENING, TONIGHT, make_members, minutes_after, post, sweep, want_mails
from tests.conftest import needs_postgresql
from tests.league.factories import PASSWORD, make_league, make_players, make_session, make_user, play
from tests.two_databases import away, leave, move, second_database, tidy

pytestmark = [pytest.mark.django_db(transaction=True), needs_postgresql]


@pytest.fixture(autouse=True)
def east(transactional_db: None, tmp_path: Path) -> Iterator[str]:
    with second_database(tmp_path) as name:
        yield name


@pytest.fixture
def league() -> League:
    league = make_league()
    make_user("ishida", league=league, role="owner")
    return league


@pytest.fixture
def aoki(league: League) -> User:
    """A scorer who is a player of the list too, and has entered a result."""
    user = make_user("aoki", league=league, role="scorer")
    players = make_players(league, 4)
    link_user(player=players[0], user=user, by=SYSTEM)
    play(make_session(league), players=players, by=Actor(user, "web"))
    return user


@pytest.fixture
def long_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "LATE", timedelta(0))


def is_known(user: User, database: str = HOME) -> bool:
    return User.objects.using(database).filter(pk=user.pk).exists()


# --- Accounts --------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.usefixtures("long_after")
def test_an_account_ends_where_it_is_copied_and_at_home_last(east: str, league: League, aoki: User) -> None:
    move(league, east)
    close_account(user=aoki, source="web")
    # Home has nothing more to do, but the number of the account is given up only when nobody needs it.
    assert not end_account(aoki.pk)
    assert is_known(aoki)
    with working_in(east):
        assert end_account(aoki.pk)
        assert not ClosedAccount.objects.exists()
    assert not is_known(aoki, east)
    assert is_known(aoki)
    assert end_account(aoki.pk)
    assert not is_known(aoki)


@pytest.mark.long
@pytest.mark.usefixtures("long_after")
def test_a_database_that_is_away_still_needs_the_account(east: str, league: League, aoki: User) -> None:
    move(league, east)
    close_account(user=aoki, source="web")
    with away(east):
        assert not end_account(aoki.pk)
    assert ClosedAccount.objects.get().name == "aoki"
    with working_in(east):
        assert end_account(aoki.pk)
    assert end_account(aoki.pk)


@pytest.mark.long
@pytest.mark.usefixtures("long_after")
def test_nothing_ends_elsewhere_before_it_is_closed_at_home(east: str, league: League, aoki: User) -> None:
    move(league, east)
    with working_in(east):
        ClosedAccount.objects.create(user_id=aoki.pk, name="aoki")
        assert not end_account(aoki.pk)
        assert Revision.objects.filter(by_name="aoki").exists()


@pytest.mark.long
@pytest.mark.usefixtures("long_after")
def test_a_league_that_arrives_after_the_word_brings_what_is_left_to_do(east: str, league: League, aoki: User) -> None:
    with time_machine.travel("2026-06-05T20:00:00+09:00"):
        close_account(user=aoki, source="web")
    closed = ClosedAccount.objects.get()
    move(league, east)
    with working_in(east):
        ClosedAccount.objects.all().delete()
        arrive(league.pk, [aoki.pk, 10**9])
        assert list(ClosedAccount.objects.values_list("pk", "name", "closed_at", "leagues")) == [
            (aoki.pk, "aoki", closed.closed_at, None)
        ]
        assert Revision.objects.filter(by_id=aoki.pk, by_name="aoki").exists()
    assert not end_account(aoki.pk)
    with working_in(east):
        assert end_account(aoki.pk)
        assert not Revision.objects.filter(by_name="aoki").exists()
        assert Revision.objects.filter(by_name=FORMER).exists()
    assert end_account(aoki.pk)


@pytest.mark.long
@pytest.mark.usefixtures("long_after")
def test_what_was_done_begins_anew_where_a_league_arrives(league: League, aoki: User) -> None:
    close_account(user=aoki, source="web")
    ClosedAccount.objects.update(leagues=[], link=3, hanchan=7)
    arrive(league.pk, [aoki.pk])
    assert list(ClosedAccount.objects.values_list("leagues", "link", "hanchan")) == [(None, 0, 0)]
    assert end_account(aoki.pk)


@pytest.mark.long
@pytest.mark.usefixtures("long_after")
def test_whoever_is_copied_after_the_word_is_forgotten_too(east: str, league: League, aoki: User) -> None:
    stale = User.objects.get(pk=aoki.pk)
    close_account(user=aoki, source="web")
    copy_person(stale, east)
    assert not end_account(aoki.pk)
    with working_in(east):
        assert end_account(aoki.pk)
    assert not User.objects.using(east).filter(username="aoki").exists()
    assert end_account(aoki.pk)


@pytest.mark.long
@pytest.mark.usefixtures("long_after")
def test_what_a_league_left_behind_is_left_alone_by_who_closes_an_account(
    east: str, league: League, aoki: User
) -> None:
    going = leave(league, east)
    facts = Revision.objects.count()
    close_account(user=aoki, source="web")
    assert not end_account(aoki.pk)
    with working_in(east):
        assert not Membership.objects.filter(user_id=aoki.pk).exists()
        assert end_account(aoki.pk)
    assert not end_account(aoki.pk)
    assert Revision.objects.count() == facts
    assert Revision.objects.filter(by_name="aoki").exists()
    # Nobody has changed anything in it, so it can go.
    tidy(going)
    assert end_account(aoki.pk)


@pytest.mark.long
def test_who_owns_only_what_was_left_behind_may_go(east: str, league: League, aoki: User) -> None:
    ishida = User.objects.get(username="ishida")
    leave(league, east)
    with working_in(east):
        set_role(league=league, user=aoki, role=Membership.Role.OWNER, by=SYSTEM)
        remove_member(membership=Membership.objects.get(user_id=ishida.pk), by=SYSTEM)
    close_account(user=ishida, source="web")
    assert ClosedAccount.objects.get().name == "ishida"


@pytest.mark.long
def test_nothing_is_closed_while_a_database_is_away(east: str, league: League, aoki: User) -> None:
    other = make_league("other")
    Membership.objects.create(league=other, user=aoki, role="player")
    move(league, east)
    client = Client()
    client.force_login(aoki)
    with away(east):
        with pytest.raises(PartAwayError):
            close_account(user=aoki, source="web")
        page = client.post("/en/account/delete/", {"password": PASSWORD}).content.decode()
    assert "Nothing was changed" in page
    assert other.members.filter(user=aoki).exists()
    assert not ClosedAccount.objects.exists()
    assert client.post("/en/account/delete/", {"password": PASSWORD}).status_code == 302


@pytest.mark.long
def test_late_names_of_what_was_left_behind_stay(east: str, league: League, aoki: User) -> None:
    player = Player.objects.get(user=aoki)
    Player.objects.filter(pk=player.pk).update(name="選手", erased_at=timezone.now())
    leave(league, east)
    assert sweep_late_names(timezone.now()) == 0
    with working_in(east):
        assert sweep_late_names(timezone.now()) > 0


# --- Notices ---------------------------------------------------------------------------------------------------------


def announced() -> tuple[League, User]:
    """Have a member who wants mails be told of an evening; the notice waits."""
    with time_machine.travel(EVENING, tick=False):
        league, players = make_members()
        want_mails(players[0].user, language="en")
        make_session(league, TONIGHT + timedelta(days=7), title="例会")
    sweep(EVENING)
    return league, User.objects.get(username="aoki")


def tell_everywhere(east: str, minutes: int) -> None:
    with time_machine.travel(minutes_after(EVENING, minutes), tick=False):
        for database in (HOME, east):
            with working_in(database):
                look_for_news()
                tell(timezone.now())
                send_ready()


@pytest.mark.long
def test_a_notice_is_mailed_from_where_the_league_lives_alone(east: str) -> None:
    with post() as server:
        league, user = announced()
        leave(league, east)
        tell_everywhere(east, 10)
        assert len(server.mails) == 1
    assert Notice.objects.filter(user=user, waits=True).exists()
    with working_in(east):
        assert not Notice.objects.filter(user_id=user.pk, waits=True).exists()


@pytest.mark.long
def test_no_news_are_looked_for_in_what_was_left_behind(east: str) -> None:
    with time_machine.travel(EVENING, tick=False):
        league, _ = make_members()
        make_session(league, TONIGHT + timedelta(days=7))
        chain_history(league.pk)
        leave(league, east)
        look_for_news()
        with working_in(east):
            look_for_news()
            assert Notice.objects.exists()
    assert not Notice.objects.exists()


@pytest.mark.long
@pytest.mark.parametrize("state", ["ready", "claimed"])
def test_what_was_to_be_mailed_when_the_league_went_is_mailed_once(east: str, state: str) -> None:
    with post() as server:
        league, _ = announced()
        with time_machine.travel(minutes_after(EVENING, 10), tick=False):
            tell(timezone.now())
            NoticeMail.objects.update(state=state)
            going = leave(league, east)
            send_ready()
            assert server.mails == []
            assert NoticeMail.objects.get().state == "ready"
        tell_everywhere(east, 11)
        assert len(server.mails) == 1
        tidy(going)
        tell_everywhere(east, 40)
        assert len(server.mails) == 1
    assert NoticeMail.objects.get().state == "dropped"
    with working_in(east):
        assert NoticeMail.objects.get().state == "sent"


@pytest.mark.long
def test_what_came_later_of_the_same_tells_what_was_not_mailed(east: str) -> None:
    with post() as server:
        league, user = announced()
        with time_machine.travel(minutes_after(EVENING, 10), tick=False):
            tell(timezone.now())
            first = Notice.objects.get(user=user)
            again = {"kind": first.kind, "subject": first.subject, "session": first.session, "facts": first.facts}
            Notice.objects.create(
                user=user, league=league, path=first.path, at=timezone.now(), changed_at=timezone.now(), **again
            )
            leave(league, east)
            with working_in(east):
                arrive(league.pk, [user.pk])
                assert Notice.objects.get(user_id=user.pk).waits
        tell_everywhere(east, 30)
        assert len(server.mails) == 1


@pytest.mark.long
def test_a_mail_waits_for_a_league_that_comes_back_from_an_interrupted_move(east: str) -> None:
    with post() as server:
        league, _ = announced()
        with time_machine.travel(minutes_after(EVENING, 10), tick=False):
            tell(timezone.now())
            going = leave(league, east)
            send_ready()
        assert server.mails == []
        going.delete()
        AwayLeague.objects.all().delete()
        with time_machine.travel(minutes_after(EVENING, 60), tick=False):
            send_ready()
        assert len(server.mails) == 1


@pytest.mark.long
def test_what_somebody_wants_to_be_told_is_stored_while_a_database_is_away(
    east: str, league: League, aoki: User
) -> None:
    other = make_league("other")
    Membership.objects.create(league=other, user=aoki, role="player")
    move(league, east)
    with working_in(east):
        MutedLeague.objects.create(user_id=aoki.pk, league=league)
    client = Client()
    client.force_login(aoki)
    with away(east):
        answer = client.post("/en/account/notices/", {"kinds": ["seat"], "leagues": []}, follow=True)
    assert "Your choice is stored. A part of the site does not answer just now" in answer.content.decode()
    assert "corrected" in NoticeChoices.objects.get(user=aoki).unwanted
    assert MutedLeague.objects.get(user=aoki).league == other
    with working_in(east):
        assert MutedLeague.objects.get(user_id=aoki.pk).league_id == league.pk


# --- Invitations -----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_who_administers_the_site_has_invited_wherever_the_league_lives(east: str, league: League) -> None:
    root = make_user("root", is_superuser=True)
    wanted = WantedInvitation("player", timezone.now() + timedelta(days=1))
    made = invite(league=league, wanted=wanted, by=Actor(root, "web"))
    move(league, east)
    with working_in(east):
        found = Invitation.objects.select_related("league", "created_by").get(pk=made.pk)
        assert is_open(found, timezone.now())
