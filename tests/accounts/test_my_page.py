import re
from datetime import time, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.services.claims import claim_player, withdraw_claim
from league.models import League, LeagueOffer, Membership, PlannedSeat, Player, Session
from league.services.history import SYSTEM, Actor
from league.services.members import offer_league
from league.services.people import link_user, set_role
from tests.league.factories import client_of, make_league, make_players, make_session, make_user, play, settle
from tests.stats.pages import links
from tests.tournaments.factories import make_cinderella_league, make_tournament
from tests.tournaments.registering import offered, opens_check_in, registered
from tournaments.models import Registration, Tournament
from tournaments.services.registering import register_player, withdraw_registration

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return make_user()


def join(user: User, league: League, player: Player | None = None, role: str = "player") -> Player:
    set_role(league=league, user=user, role=Membership.Role(role), by=SYSTEM)
    player = player or make_players(league, 4)[0]
    return link_user(player=player, user=user, by=SYSTEM)


def played_league(user: User, slug: str = "camarade", **settings: Any) -> League:
    league = make_league(slug, **settings)
    join(user, league)
    today = league.day_of(timezone.now())
    session = make_session(league, today)
    play(session)
    play(session, raw=(11500, 25500, 31300, 31700))
    make_session(league, today + timedelta(days=7), title=f"evening of {slug}", venue="雀荘")
    settle()
    return league


def draw(session: Session, players: list[Player], at: tuple[int, int] = (0, 3)) -> None:
    for seat, player in enumerate(players):
        PlannedSeat.objects.create(session=session, round=at[0], table=at[1], seat=seat, player=player)


def text_of(client: Client, path: str = "/me/") -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"
    return answer.content.decode()


def test_my_page_without_a_league_offers_to_start_one() -> None:
    html = text_of(client_of(make_user()), "/en/me/")
    assert "You are not in any league yet" in html
    assert reverse("league:league_new") in html


def test_my_page_shows_ranks_with_gaps_or_missing_hanchan(user: User) -> None:
    league = make_league(minimum_year=3)
    hanchan = play(make_session(league, league.day_of(timezone.now())))
    _, second, *_ = (seat.player for seat in hanchan.seats.order_by("seat"))
    join(user, league, second)
    settle()
    html = text_of(client_of(user), "/en/me/")
    # +21.7, +1.3, -4.5, -18.5: second of four, in the month and of all time.
    assert html.count("#2") == 2
    assert html.count("20.4 behind the rank above") == 2
    assert html.count("5.8 ahead of the rank below") == 2
    assert "2 hanchan to go" in html
    assert f"/en/l/{league.slug}/p/{second.pk}/" in html
    assert len(links(html)) <= 9


def test_my_page_shows_the_next_session_and_the_drawn_seat(user: User) -> None:
    league = played_league(user)
    evening = Session.objects.get(title="evening of camarade")
    player = league.players.get(user=user)
    Session.objects.exclude(pk=evening.pk).update(state=Session.State.CLOSED)
    client = client_of(user)
    html = text_of(client, "/en/me/")
    assert "雀荘" in html
    assert html.count("evening of camarade") == 1
    assert "Are you coming?" in html
    PlannedSeat.objects.create(session=evening, table=3, seat=2, player=player)
    assert "<b>Table 3, West</b>" in text_of(client, "/en/me/")


def test_today_begins_with_the_session_in_which_the_reader_plays_next(user: User, league: League) -> None:
    players, today = make_players(league, 4), league.day_of(timezone.now())
    join(user, league, players[0])
    night = make_session(league, today, title="league night", start_time=time(19))
    draw(night, players)
    play(night, players=players, table=3)
    over, final = (make_session(league, today, title=each, start_time=time(21, 30)) for each in ("heats", "final"))
    draw(final, players, at=(2, 2))
    for session in (over, final):
        draw(session, players, at=(1, 1))
        play(session, players=players, round=1)
    html = text_of(client_of(user), "/en/me/")
    assert html.index("final") < html.index("Round 2: Table 2, East") < html.index("league night") < html.index("19:00")
    assert f"/sessions/{over.pk}/" not in html
    play(final, players=players, round=2, table=2)
    assert f"/sessions/{final.pk}/" not in text_of(client_of(user), "/en/me/")
    Session.objects.filter(pk=night.pk).update(state=Session.State.CLOSED)
    html = text_of(client_of(user), "/en/me/")
    assert html.index(f"/sessions/{over.pk}/") < html.index(f"/sessions/{final.pk}/")


@pytest.mark.parametrize("is_drawn", [False, True])
def test_scorer_without_player_enters_from_my_page(league: League, *, is_drawn: bool) -> None:
    scorer = make_user("ueno", league=league, role="scorer")
    tonight = make_session(league, league.day_of(timezone.now()), title="tonight")
    enters = reverse("league:enter_session", args=[league.slug, tonight.pk])
    if is_drawn:
        draw(tonight, make_players(league, 4))
    assert enters in text_of(client_of(scorer))
    assert enters not in text_of(client_of(make_user("ishida", league=league, role="player")))


def test_postponed_and_withdrawn_sessions_are_not_upcoming(user: User) -> None:
    league = played_league(user)
    evening = Session.objects.get(title="evening of camarade")
    make_session(league, evening.date + timedelta(days=1), title="moved to")
    Session.objects.filter(title="moved to").update(postponed_from=evening)
    html = text_of(client_of(user))
    assert "moved to" in html
    assert "evening of camarade" not in html
    Session.objects.filter(title="moved to").update(state=Session.State.WITHDRAWN, postponed_from=None)
    assert "moved to" not in text_of(client_of(user))


def test_unconfirmed_results_link_to_their_confirmation(user: User) -> None:
    league = played_league(user, confirmed_by="one")
    html = text_of(client_of(user), "/en/me/")
    assert "Results awaiting your confirmation" in html
    first = league.hanchan.order_by("pk")[0]
    assert f"/en/l/{league.slug}/g/{first.pk}/#said" in html


def test_disputed_results_are_shown_to_those_who_decide(user: User) -> None:
    league = played_league(user)
    disputed = league.hanchan.order_by("pk")[0]
    league.hanchan.filter(pk=disputed.pk).update(state="disputed")
    assert "Disputed results" not in text_of(client_of(user), "/en/me/")
    set_role(league=league, user=user, role=Membership.Role.ORGANISER, by=SYSTEM)
    html = text_of(client_of(user), "/en/me/")
    assert f"/en/l/{league.slug}/g/{disputed.pk}/" in html.partition("Disputed results")[2].partition("</section>")[0]


def queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as made:
        text_of(client)
    return len(made)


def test_my_tournaments_are_on_my_page_until_they_end(user: User, league: League) -> None:
    tournament = make_tournament(league, "swiss")
    join(user, league, tournament.entries.order_by("number")[0].player)
    address = reverse("tournaments:tournament", args=[league.slug, tournament.key])
    client = client_of(user)
    assert address in text_of(client)
    Tournament.objects.update(state=Tournament.State.FINISHED)
    assert address not in text_of(client)


@pytest.mark.long
def test_my_registrations_show_their_state_and_check_in(user: User) -> None:
    league = make_cinderella_league()
    tournament = offered(league, places=1)
    me = join(user, league)
    registered(tournament, "石田")
    mine = register_player(tournament=tournament, player=me, by=Actor(user, "web"))
    address = f"/en{reverse('tournaments:register', args=[league.slug, tournament.key])}"
    client = client_of(user)
    html = text_of(client, "/en/me/")
    assert address in html
    assert "Waiting list: number 1" in html
    assert "check in" not in html
    opens_check_in(tournament)
    html = text_of(client, "/en/me/")
    assert html.index("I am here: check in") < html.index("My tournaments")
    page = client.get(address, follow=True)
    assert "I am here: check in" in page.content.decode()
    client.post(page.redirect_chain[-1][0], {"do": "check_in"})
    assert "I am here: check in" not in text_of(client, "/en/me/")
    withdraw_registration(registration=Registration.objects.get(pk=mine.pk), by=Actor(user, "web"))
    assert address not in text_of(client, "/en/me/")


@pytest.mark.long
def test_many_registrations_cost_no_more_queries(user: User) -> None:
    league = make_cinderella_league()
    me = join(user, league)
    client = client_of(user)
    text_of(client)

    def register_for(key: str) -> None:
        tournament = offered(league, key=key)
        registered(tournament, f"{key}一", f"{key}二")
        register_player(tournament=tournament, player=me, by=SYSTEM)

    register_for("first")
    one = queries(client)
    for number in range(3):
        register_for(f"more-{number}")
    assert queries(client) == one


def test_my_page_shows_the_table_mates_without_hidden_names(user: User, league: League) -> None:
    league.members.create(user=make_user("ueno"), role="player")
    players = make_players(league, 5)
    join(user, league, players[1])
    evening = make_session(league, league.day_of(timezone.now()) + timedelta(days=7))
    Player.objects.filter(pk=players[2].pk).update(visibility="nobody")
    Player.objects.filter(pk=players[4].pk).update(name="小野")
    client = client_of(user)
    assert players[0].name not in text_of(client)
    draw(evening, players[:4])
    html = text_of(client)
    assert players[0].name in html
    assert players[3].name in html
    assert players[2].name not in html
    assert "小野" not in html


def test_archived_league_is_only_a_link(user: User) -> None:
    league = played_league(user, confirmed_by="one")
    league.state = League.State.ARCHIVED
    league.save()
    html = text_of(client_of(user), "/en/me/")
    assert "evening of camarade" not in html
    assert "Results awaiting" not in html
    assert f"/p/{league.players.get(user=user).pk}/" not in html
    assert f'href="/en/l/{league.slug}/"' in html


def test_league_taken_down_is_shown_only_to_its_owner(user: User) -> None:
    league = played_league(user)
    League.objects.update(state=League.State.TAKEN_DOWN)
    assert f"/l/{league.slug}/" not in text_of(client_of(user))
    Membership.objects.update(role="owner")
    assert f"/l/{league.slug}/" in text_of(client_of(user))


def test_my_page_shows_no_leagues_of_others_or_left_ones(user: User) -> None:
    played_league(user, "left", is_public=False)
    played_league(make_user("ueno"), "private", is_public=False)
    client = client_of(user)
    html = text_of(client)
    assert "evening of left" in html
    assert "/l/private/" not in html
    assert "evening of private" not in html
    Membership.objects.filter(user=user).delete()
    html = text_of(client)
    assert "evening of left" not in html
    assert "/l/left/" not in html


def test_member_without_a_player_is_asked_to_choose_one(user: User, league: League) -> None:
    set_role(league=league, user=user, role=Membership.Role.PLAYER, by=SYSTEM)
    html = text_of(client_of(user), "/en/me/")
    assert "Which player are you?" in html
    assert reverse("accounts:who", args=[league.slug]) in html


def test_owner_without_a_player_enters_tonight_first_and_sees_claims_to_answer(user: User, league: League) -> None:
    set_role(league=league, user=user, role=Membership.Role.OWNER, by=SYSTEM)
    make_session(league, league.day_of(timezone.now()))
    other = make_user("sekiguchi")
    claim = claim_player(player=make_players(league, 4)[0], user=other, note="", by=Actor(other, "web"))
    html = text_of(client_of(user), "/en/me/")
    assert html.index("Enter a result") < html.index("Find yourself in")
    assert html.count('class="button full"') == 1
    assert 'class="button quiet" href="/en/l/camarade/me/"' in html
    assert "Is the user sekiguchi the player" in html
    assert reverse("accounts:claim_answer", args=[league.slug, claim.pk]) in html
    assert "Is the user sekiguchi" not in text_of(client_of(other), "/en/me/")


def test_league_offer_links_to_the_answer() -> None:
    owner, heir = make_user("owner"), make_user("heir")
    league = make_league("friday")
    set_role(league=league, user=owner, role=Membership.Role.OWNER, by=SYSTEM)
    set_role(league=league, user=heir, role=Membership.Role.SCORER, by=SYSTEM)
    answer = reverse("league:offered", args=[league.slug])
    assert answer not in text_of(client_of(heir))
    to = league.members.get(user=heir)
    offer_league(league=league, to=to, afterwards=LeagueOffer.Afterwards.LEAVES, by=Actor(owner, "web"))
    assert answer in text_of(client_of(heir))
    assert answer not in text_of(client_of(owner))


@pytest.mark.long
def test_five_leagues_cost_as_many_queries_as_one(user: User) -> None:
    client = client_of(user)
    played_league(user, "first")
    text_of(client)
    one = queries(client)
    for number in range(4):
        played_league(user, f"more-{number}")
    assert queries(client) == one
    assert one <= 17


@pytest.mark.parametrize(("role", "is_shown"), [("owner", True), ("organiser", True), ("player", False)])
def test_only_organisers_see_a_drawn_session_without_a_seat(
    user: User, league: League, *, role: str, is_shown: bool
) -> None:
    join(user, league, role=role)
    evening = make_session(league, league.day_of(timezone.now()) + timedelta(days=7), title="Friday night")
    draw(evening, make_players(league, 9)[5:])
    html = text_of(client_of(user), "/en/me/")
    assert ["Friday night" in html, 'class="me-next"' in html, "me-ahead" in html] == [is_shown] * 3
    assert not re.search("no upcoming session|No date has been set.|Your seat", html)


@pytest.mark.parametrize("what", ["drawn", "played"])
def test_drawn_or_played_sessions_ask_for_no_attendance(what: str, user: User, league: League) -> None:
    player = join(user, league)
    evening = make_session(league, league.day_of(timezone.now()), title="tonight")
    client = client_of(user)
    assert "Are you coming?" in text_of(client, "/en/me/")
    if what == "drawn":
        PlannedSeat.objects.create(session=evening, table=1, seat=0, player=player)
    else:
        play(evening)
    assert "re you coming?" not in text_of(client, "/en/me/")
    later = make_session(league, league.day_of(timezone.now()) + timedelta(days=7), title="next week")
    html = text_of(client, "/en/me/")
    assert f"{later}" in html
    assert "re you coming?" in html


@pytest.mark.parametrize("role", [None, "player"])
def test_pending_claim_is_on_my_page(role: str | None, user: User, league: League) -> None:
    if role:
        set_role(league=league, user=user, role=Membership.Role(role), by=SYSTEM)
    player = make_players(league, 4)[0]
    claim = claim_player(player=player, user=user, note="", by=Actor(user, "web"))
    address = reverse("accounts:claim", args=[league.slug, player.pk])
    client = client_of(user)
    html = text_of(client, "/en/me/")
    assert "is waiting for an organiser" in html
    assert f"/en{address}" in html
    assert "Find yourself in" not in html
    League.objects.update(is_public=False)
    assert ("is waiting for an organiser" in text_of(client, "/en/me/")) is bool(role)
    League.objects.update(is_public=True)
    withdraw_claim(claim=claim, by=Actor(user, "web"))
    assert "is waiting for an organiser" not in text_of(client, "/en/me/")
