"""From a fresh site to the end of an account: an owner at a desk, a scorer and a player at their phones."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan
from tests.accounts.letters import code_within
from tests.accounts.mail_server import MailServer
from tests.accounts.telling import post
from tests.browser.newcomers import Newcomer
from tests.browser.phones import ready
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.deadlines import wait_until
from tests.league.factories import run, settle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD = "pon-chi-kan-9"
NAMES = {"ja": ("青木", "石田", "上野", "江口"), "en": ("Aoki", "Ishida", "Ueno", "Eguchi")}


@pytest.fixture
def people(open_page: OpenPage, live_server: LiveServer, language: str) -> tuple[Newcomer, Newcomer, Newcomer]:
    """The owner at a desk, the scorer and the player at their phones; the one of the English player runs no scripts."""
    owner = Newcomer(open_page(DESKTOP, language=language), language, "aoki")
    scorer = Newcomer(open_page(PHONE, language=language), language, "ishida")
    scripts = language == "ja"
    player = Newcomer(open_page(PHONE, language=language, scripts=scripts), language, "ueno", scripts=scripts)
    owner.opens(live_server.url + ("/en/" if language == "en" else "/"))
    return owner, scorer, player


@pytest.fixture
def server() -> Iterator[MailServer]:
    """A host that has mail."""
    before = site.EMAIL_BACKEND
    site.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with post() as server:
        yield server
    site.EMAIL_BACKEND = before


def starts_a_league(owner: Newcomer) -> None:
    """Begin a league in which players confirm results, and add four of them."""
    owner.follows("Start a league")
    owner.fills(name="金曜会", name_en="Friday Club", slug="friday")
    owner.presses("Start the league")
    owner.follows("Manage")
    owner.follows("Settings")
    owner.chooses("One player besides whoever entered it")
    owner.presses("Save")
    owner.follows("Manage")
    owner.follows("Add players", within="main")
    owner.fills(names="\n".join(NAMES[owner.language]))
    owner.presses("Add all of them")


def invites(owner: Newcomer, **wanted: str) -> str:
    """Make an invitation; return what its QR code says."""
    owner.follows("Manage")
    owner.follows("Invite people", within="main")
    owner.fills(**wanted)
    owner.presses("Make the invitation")
    expect(owner.page.locator("svg.qr-code")).to_be_visible()
    return owner.page.locator("#address").input_value()


def signs_up(person: Newcomer, server: MailServer | None = None) -> None:
    """Make an account, on a host with mail with an address that is theirs once they have typed the code."""
    person.fills(username=person.name, password=PASSWORD)
    if server is None:
        assert person.page.locator("[name=email]").count() == 0
        person.presses("Make the account")
    else:
        person.fills(email=f"{person.name}@example.org")
        person.presses("Make the account")
        types_the_code(person, server)


def types_the_code(person: Newcomer, server: MailServer) -> None:
    """Type the code of the mail that came last."""
    mail = server.mails[-1]
    assert mail["To"] == f"{person.name}@example.org"
    person.fills(code=code_within(mail.get_content()))
    person.presses("Go on")


def plans_an_evening(owner: Newcomer) -> None:
    """Put an evening into the calendar, and answer for those who have no account."""
    owner.follows("Manage")
    owner.follows("New session")
    owner.presses("Open the session")
    owner.follows("Answers and links")
    for name in NAMES[owner.language]:
        if name in {"上野", "Ueno"}:
            continue
        owner.fills(player=name)
        owner.presses("Next")
        owner.chooses("Coming", "attendance, to choose")
        owner.presses("Save")


def answers(player: Newcomer) -> None:
    """Say on one's own page that one comes."""
    player.finds("My page")
    player.chooses("Coming", "attendance, to choose")
    player.presses("Send the answer")


def draws_the_seats(owner: Newcomer) -> None:
    """Draw the seats of those who come."""
    owner.follows("Plan the seats")
    owner.presses("Draw the tables")
    owner.presses("Keep these seats")
    expect(owner.page.locator(".sheet-plan")).to_contain_text(NAMES[owner.language][2])


def enters_a_result(scorer: Newcomer) -> None:
    """Enter what is on the table: the draw has seated the four."""
    scorer.finds("My page")
    scorer.follows("Enter a result")
    ready(scorer.page)
    scorer.fills(raw_0="31700", raw_1="31300", raw_2="25500", raw_3="11500")
    scorer.presses("The scores are correct: save")
    assert Hanchan.objects.get().state == "recorded"
    settle()


def confirms(player: Newcomer) -> None:
    """Confirm what waits for one's word."""
    player.finds("My page")
    player.reads(player.say("Results that wait for your word"))
    player.follows(player.say("round %(round)s, table %(table)s") % {"round": 1, "table": 1})
    correct = player.taps if player.scripts else player.presses
    correct("The scores are correct")
    assert wait_until(lambda: Hanchan.objects.get().state == "confirmed")
    settle()


def reads_about_themselves(player: Newcomer) -> None:
    """Read one's own page, which leads to the one of the player."""
    player.finds("My page")
    name = NAMES[player.language][2]
    scored = f"{Hanchan.objects.get().seats.get(player__name=name).raw_score:,}"
    player.reads(scored)
    player.follows("My statistics")
    player.reads(name, scored)


def ends(player: Newcomer) -> None:
    """Leave the league, then have the account deleted, and be nobody here."""
    player.finds("Account", "of a person")
    player.follows("Leave", "a league")
    player.presses("Leave the league")
    player.finds("Account", "of a person")
    player.follows("Delete the account")
    player.fills(password=PASSWORD)
    player.presses("Delete the account for good")
    assert not User.objects.filter(username=player.name).exists()
    player.follows("Log in")


def says_who_they_are(player: Newcomer, owner: Newcomer) -> None:
    """Find oneself in the list and say so; the owner answers it."""
    player.finds("My page")
    player.follows(player.say("Find yourself in %(league)s") % {"league": "Friday Club"})
    player.follows(NAMES[player.language][2])
    player.follows("This is me")
    player.presses("This is me")
    owner.follows("Manage")
    owner.follows(player.name, within="main .todo")
    owner.presses("Yes, accept")


def logs_in_by_mail(person: Newcomer, server: MailServer) -> None:
    """Log out, and in again by a code."""
    person.page.locator(".bar-phone summary").click()
    person.presses(person.say("Log out %(name)s") % {"name": person.name}, within=".bar-phone")
    person.follows("Log in")
    person.follows("Log in by a code in a mail")
    person.fills(email=f"{person.name}@example.org")
    person.presses("Send the code")
    types_the_code(person, server)


def goes_through_an_evening(owner: Newcomer, scorer: Newcomer, player: Newcomer) -> None:
    """Plan, answer, draw, play, confirm, read and leave."""
    plans_an_evening(owner)
    answers(player)
    draws_the_seats(owner)
    enters_a_result(scorer)
    confirms(player)
    reads_about_themselves(player)
    ends(player)


@pytest.mark.long
@pytest.mark.parametrize("language", ["ja"])
def test_by_invitations_that_name_the_player_on_a_host_without_mail(
    people: tuple[Newcomer, Newcomer, Newcomer], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, scorer, player = people
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    run("createsuperuser", "--noinput", username=owner.name, email="")
    owner.follows("Log in")
    owner.fills(username=owner.name, password=PASSWORD)
    owner.presses("Log in")
    starts_a_league(owner)
    for person, wanted in ((scorer, {"role": owner.say("Scorer")}), (player, {"player": "上野"})):
        person.opens(invites(owner, **wanted))
        person.follows("Make an account")
        signs_up(person)
        person.presses("Join")
    player.reads("上野")
    goes_through_an_evening(owner, scorer, player)


@pytest.mark.long
@pytest.mark.parametrize("language", ["en"])
def test_by_their_own_word_on_an_open_host_with_mail(
    people: tuple[Newcomer, Newcomer, Newcomer], server: MailServer, settings: Any
) -> None:
    owner, scorer, player = people
    settings.SIGNUP = True
    owner.follows("Log in")
    owner.follows("Make an account")
    signs_up(owner, server)
    starts_a_league(owner)
    for person, wanted in ((scorer, {"role": owner.say("Scorer")}), (player, {"label": "whoever sat South"})):
        person.opens(invites(owner, **wanted))
        person.follows("Make an account")
        signs_up(person, server)
        person.presses("Join")
    says_who_they_are(player, owner)
    logs_in_by_mail(player, server)
    goes_through_an_evening(owner, scorer, player)
