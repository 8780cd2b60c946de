import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from league.models import Hanchan, League, Membership, Revision
from league.services.history import SYSTEM
from league.services.members import leave_league
from tests.journeys.pages import Visitor
from tests.league.factories import make_session, make_user, play
from tests.tournaments.factories import draw_and_plan, make_tournament, play_stage
from tournaments.models import Director, Tournament
from tournaments.services.setup import make_director, remove_director

pytestmark = pytest.mark.django_db


@pytest.fixture
def tournament(league: League) -> Tournament:
    return make_tournament(league, "elimination-4", players=16, key="cup")


@pytest.fixture
def user(league: League) -> User:
    return make_user("ueno", league=league, role="player")


@pytest.fixture
def director(client: Client, tournament: Tournament, user: User) -> Client:
    member = tournament.league.members.select_related("user").get(user=user)
    make_director(tournament=tournament, membership=member, by=SYSTEM)
    client.force_login(user)
    return client


@pytest.mark.long
def test_director_is_appointed_and_removed(client: Client, league: League, tournament: Tournament, user: User) -> None:
    client.force_login(make_user("aoki", league=league, role="organiser"))
    page = Visitor(client).opens("/").follows(to=rf"/l/{league.slug}/$").follows("大会").follows(to=r"/t/cup/$")
    page.follows(to=r"/t/cup/inbox/$").follows(to=r"/t/cup/settings/$").follows("大会ディレクター")
    page.submits("ディレクターにする", member=str(league.members.get(user=user).pk))
    assert [each.membership.user for each in tournament.directors.select_related("membership__user")] == [user]
    page.submits("外す")
    assert not tournament.directors.exists()
    told = Revision.objects.filter(league=league, subject="director").order_by("pk")
    assert [each.action for each in told] == [Revision.Action.CREATED, Revision.Action.WITHDRAWN]


@pytest.mark.long
def test_director_reaches_inbox_and_own_sessions_by_links(director: Client, tournament: Tournament) -> None:
    draw_and_plan(tournament, tournament.format.stages[0].key)
    slug = tournament.league.slug
    page = Visitor(director).opens("/").follows(to=rf"/l/{slug}/$").follows("大会").follows(to=r"/t/cup/$")
    page.follows(to=r"/t/cup/inbox/$")
    session = tournament.sessions.order_by("pk")[0].session
    page = Visitor(director).opens("/").follows(to=rf"/l/{slug}/$").follows("対局")
    page.follows(to=rf"/sessions/{session.pk}/$")
    for name in ("enter_session", "table_links", "session_edit", "print_sheets"):
        assert page.has_link(to=reverse(f"league:{name}", args=[slug, session.pk])), name
    other = make_session(tournament.league)
    for name in ("enter_session", "table_links", "session_edit", "session_seats", "print_sheets", "grid"):
        assert director.get(reverse(f"league:{name}", args=[slug, session.pk])).status_code in {200, 302}, name
        assert director.get(reverse(f"league:{name}", args=[slug, other.pk])).status_code == 403, name


def test_director_can_correct_and_dispute_only_own_results(director: Client, tournament: Tournament) -> None:
    play_stage(tournament, tournament.format.stages[0].key)
    league = tournament.league
    own = Hanchan.objects.filter(session__stage__tournament=tournament).order_by("pk")[0]
    foreign = play(make_session(league))
    for hanchan, status in ((own, 200), (foreign, 403)):
        assert director.get(reverse("league:correct", args=[league.slug, hanchan.pk])).status_code == status
    tap = {"say": "disputes-organiser", "note": "seats"}
    for hanchan in (own, foreign):
        director.post(reverse("league:confirm", args=[league.slug, hanchan.pk]), tap | {"version": hanchan.version})
        hanchan.refresh_from_db()
    assert (own.state, foreign.state == Hanchan.State.DISPUTED) == (Hanchan.State.DISPUTED, False)


@pytest.mark.long
def test_director_has_no_rights_in_other_tournaments(director: Client, league: League) -> None:
    other = make_tournament(league, "swiss", key="swiss")
    for name in ("inbox", "entries", "edit", "finish"):
        assert director.get(reverse(f"tournaments:{name}", args=[league.slug, other.key])).status_code == 403, name


def test_role_ends_with_the_membership(director: Client, league: League, tournament: Tournament, user: User) -> None:
    leave_league(membership=league.members.select_related("league", "user").get(user=user), by=SYSTEM)
    assert not Director.objects.exists()
    assert director.get(reverse("tournaments:inbox", args=[league.slug, tournament.key])).status_code == 403


@pytest.mark.long
def test_cached_inbox_link_follows_the_director_role(director: Client, user: User, league: League) -> None:
    other, player = make_tournament(league, "swiss", players=8, key="other"), Client()
    page, inbox = (reverse(f"tournaments:{name}", args=[league.slug, "other"]) for name in ("tournament", "inbox"))
    player.force_login(make_user("eguchi", league=league, role=Membership.Role.PLAYER))
    assert inbox not in director.get(page).content.decode()
    made = make_director(tournament=other, membership=league.members.get(user=user), by=SYSTEM)
    for _again in range(2):
        assert inbox in director.get(page).content.decode()
        assert inbox not in player.get(page).content.decode()
    remove_director(director=made, by=SYSTEM)
    assert inbox not in director.get(page).content.decode()


def test_director_of_an_archived_league_is_refused(director: Client, league: League, tournament: Tournament) -> None:
    League.objects.filter(pk=league.pk).update(state=League.State.ARCHIVED)
    for name in ("inbox", "entries", "finish"):
        assert director.get(reverse(f"tournaments:{name}", args=[league.slug, tournament.key])).status_code == 403
