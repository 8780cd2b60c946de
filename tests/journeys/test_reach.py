from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from league.models import Hanchan, Job
from league.services.history import SYSTEM
from league.services.imports.steps import start_import
from league.services.people import merge_players
from league.services.results import TableAndTime, void_hanchan
from league.services.rules import save_version
from league.services.secret_links import renew_attendance_link
from stats.services.following import follow
from tests.conftest import built_once
from tests.journeys.crawl import Crawl, crawl
from tests.league.factories import correct, make_players, make_session, planned_players, play, settle
from tests.league.imports.files import batch_of, file_of, game
from tests.permissions.world import PEOPLE, World
from tests.tournaments.factories import make_tournament


@built_once()
def world() -> World:
    """Return a world in which one of everything has also been imported, corrected, voided or merged."""
    world = World("lived", is_public=True)
    league, version = world.league, world.league.current_version
    assert version is not None
    make_tournament(league, key="t-new")
    start_import(batch_of(league, file_of(game(session="春の会"))), SYSTEM)
    parameters = {**version.parameters, "uma": ["20", "10", "-10", "-20"]}
    save_version(ruleset=version.ruleset, parameters=parameters, note="more uma", by=SYSTEM)
    Job.objects.create(league=league, kind=Job.Kind.IMPACT, state=Job.State.RUNNING, parameters={"version": version.pk})
    void_hanchan(hanchan=play(world.tonight), reason="typed twice", by=SYSTEM)
    play(world.session, points=(45_000, 9_000, -20_000, -34_000), table=2)
    merge_players(source=make_players(league, 1)[0], target=world.player, by=SYSTEM, reason="one person")
    won = Hanchan.objects.filter(session__stage__tournament=world.tournament).order_by("played_at")[0]
    raw = [100_000 * (seat.placement == 4) for seat in won.seats.order_by("seat")]
    correct(won, raw, table_and_time=TableAndTime(table=won.table))
    seated = planned_players(won.session, won.table, 1)
    play(won.session, points=(10_000, 10_000, -10_000, -10_000), players=seated, even_if_others=True)
    renew_attendance_link(session=make_session(league, league.day_of(timezone.now()) + timedelta(days=1)), by=SYSTEM)
    settle()
    # Rating changes are only linked for players who have ratings.
    follow(world.league.pk)
    return world


@pytest.fixture(scope="module")
def crawls(world: World) -> dict[str, Crawl]:
    return {}


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("world")]


def reached(person: str, world: World, crawls: dict[str, Crawl]) -> Crawl:
    if person not in crawls:
        client = Client()
        if person in world.users:
            client.force_login(world.users[person])
        crawls[person] = crawl(client)
    return crawls[person]


@pytest.mark.long
@pytest.mark.parametrize("person", PEOPLE)
def test_no_link_is_refused(person: str, world: World, crawls: dict[str, Crawl]) -> None:
    refused = reached(person, world, crawls).refused
    assert not refused, "\n".join(refused)


def named(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from named(each.url_patterns, f"{space}{each.namespace}:" if each.namespace else space)
        elif each.name:
            yield f"{space}{each.name}"


SCRIPTS = {
    "mfa_login_webauthn",
    "league:correct_preview",
    "league:enter_preview",
    "league:enter_state",
    "league:rules_example",
    "league:standings_state",
    "league:table_preview",
    "league:table_state",
    "tournaments:projector_state",
}
"""Views that only scripts request."""

MACHINES = {
    "healthz": "asked by whatever watches the site",
    "metrics": "asked by whatever watches the site, and brings the token",
    "league:worker": "the service worker, named by app.js",
    "league:manifest": "named in the head of every page",
    "stats:site_card": "named in the head of every page of no league",
    "league:offline": "shown by the service worker where a page cannot be fetched",
    "league:hand": "the code that one phone shows to another leads here",
}

AFTERWARDS = {
    "tournaments:close": "while a stage is played: test_formats goes there",
    "tournaments:redraw": "where a drawn table has who withdrew: test_planning and test_moving_up go there",
    "league:rules_rescore": "where a preview has found other points: test_rescoring_by_days goes there",
    "account_logout": "the same as logout",
    "account_confirm_login_code": "after the code was asked for",
    "account_email_verification_sent": "after an address was typed",
    "account_reauthenticate": "before something dangerous",
    "mfa_reauthenticate_webauthn": "the same, for whoever has a passkey",
    "account_request_login_code": "on the log-in page, where the host has mail: test_codes goes there",
    "socialaccount_connections": "on the account page, where the host has keys: test_services goes there",
    "line_login": "on the log-in page, where the host has its keys: test_services goes there",
    "line_callback": "after that",
    "discord_login": "as well",
    "discord_callback": "as well",
    "socialaccount_signup": "after that, for whoever is new",
    "socialaccount_login_cancelled": "for whoever turned back there",
    "account_signup": "where everybody may sign up, and from invitations",
    "account_login": "the same as login",
    "password_change_done": "after the password was changed",
    "password_reset_done": "after the mail was asked for",
    "password_reset_confirm": "the link in the mail",
    "password_reset_complete": "after the new password was set",
    "accounts:begin": "on the page of the host, where make run serves the site: test_beginning goes there",
    "accounts:join": "the link that somebody was sent: test_joining follows it",
    "accounts:join_kept": "after whoever followed it has logged in",
    "accounts:invitation": "after an invitation was made: test_invitations goes there",
    "accounts:invitation_revoke": "the form beside an open invitation",
    "accounts:claim_answer": "in the inbox once somebody says who they are: test_claims goes there",
    "league:import_review": "after the upload of a file",
    "tournaments:register_by_link": "the address for everybody: test_registering hands it out",
    "tournaments:own_registration": "after registering: test_registering keeps its address",
    "tournaments:ticker": "on the entry page of a planned table of a tournament: test_ticker goes there",
    "tournaments:ticker_by_link": "as well, by the link of the table",
    "tournaments:order": "where nothing separates two players: test_decisions has them",
    "tournaments:hall": "on the page of a table of a tournament: test_hall calls a referee there",
    "tournaments:remote_call": "on the remote, where a table calls: test_hall answers",
    "tournaments:remote_ready": "on the remote, where a hanchan is planned: test_hall presses it",
    "tournaments:step": "the button of a stage that was played: test_formats presses it",
    "tournaments:next_round": "the button of a round that was played: test_formats presses it",
    "league:offered": "on the first page of a league that somebody hands over: test_leaving follows it",
    "league:undo": "the form of a receipt, for half a minute",
    "league:secret_board": "on the page of live addresses, once an organiser has made a secret: test_live goes there",
    "league:secret_session": "as well",
    "accounts:who": "after an invitation was accepted: test_joining goes there",
    "league:session_answer": "the form of whoever is linked to a player: test_attendance_pages sends it",
    "accounts:notices_stop": "the link in a notice mail: test_notice_mails goes there",
    "accounts:calendar_mine": "on the page of notices, once somebody has made a secret: test_calendars goes there",
    "accounts:calendar_seats": "as well",
    "accounts:calendar_by_secret": "as well",
    "league:table_receipt": "after a result was entered by a table link",
    "league:table_confirm": "the form of that receipt",
    "league:table_undo": "the form of that receipt",
    "league:table_photo": "the picture on that receipt",
    "league:table_photo_add": "the form of that receipt",
}
"""Pages reached from a form or a mail; test_table_links and test_roles cover them."""


@pytest.mark.long
def test_every_page_is_linked(world: World, crawls: dict[str, Crawl]) -> None:
    offered = set().union(*(reached(person, world, crawls).offered for person in PEOPLE))
    pages = {name for name in named(get_resolver().url_patterns) if not name.startswith("admin:")}
    pages -= SCRIPTS | {*MACHINES} | {*AFTERWARDS}
    assert not pages - offered, "\n".join(sorted(pages - offered))
