import os
import re
import signal
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Notice, NoticeMail, Preferences
from accounts.services.notice_mails import LOST_AFTER, send_ready, tell
from accounts.services.notices import stop_code
from league.models import League, Membership
from tests.accounts.mail_server import STEPS, MailServer
from tests.accounts.telling import EVENING, TONIGHT, make_members, minutes_after, sweep, sweep_at, want_mails
from tests.conftest import needs_postgresql
from tests.league.factories import make_session, make_user

pytestmark = pytest.mark.django_db

NEXT = TONIGHT + timedelta(days=7)
READY, SENT, GIVEN_UP, UNKNOWN = (NoticeMail.State(state) for state in ("ready", "sent", "given_up", "unknown"))


def announced(**settings: str) -> User:
    with time_machine.travel(EVENING, tick=False):
        league, players = make_members(**settings)
        want_mails(players[0].user, language="en")
        make_session(league, NEXT, title="例会")
    return User.objects.get(username="aoki")


def due(server: MailServer) -> NoticeMail:
    announced()
    port, server.port = server.port, 0
    sweep(EVENING)
    with time_machine.travel(minutes_after(EVENING, 10), tick=False):
        tell(timezone.now())
    server.port = port
    return NoticeMail.objects.get()


def send(minutes: int = 10) -> NoticeMail:
    with time_machine.travel(minutes_after(EVENING, minutes), tick=False):
        send_ready()
    return NoticeMail.objects.get()


def test_mail_has_notices_and_an_unsubscribe_link(server: MailServer) -> None:
    user = announced()
    sweep_at(0, 10)
    (mail,) = server.mails
    number = Notice.objects.filter(user=user).values_list("subject", flat=True)[0]
    stop = f"https://tenbo.example/en/account/notices/stop/{stop_code(user)}/"
    assert (mail["From"], mail["To"]) == ("tenbo@localhost", "aoki@example.org")
    assert str(mail["List-Unsubscribe"]).strip() == f"<{stop}>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert re.fullmatch(r"<[a-z0-9]{32}@tenbo\.example>", str(mail["Message-ID"]).strip())
    assert mail.get_content().replace("\r\n", "\n") == (
        "Hello aoki,\n"
        "\n"
        "■ Camarade League\n"
        "\n"
        "Coming up: 例会 on Fri 12 Jun 2026.\n"
        f"https://tenbo.example/en/l/camarade/sessions/{number}/\n"
        "\n"
        "-- \n"
        "You receive this e-mail because you turned on notices.\n"
        "All notices and preferences: https://tenbo.example/en/account/notices/\n"
        f"Turn off e-mail: {stop}\n"
    )


@pytest.mark.parametrize(
    "evil", ["x\r\nBcc: all@example.org", "x\nBcc: all@example.org", "x\u2028Bcc: all@example.org\x0b", "%(count)s %s"]
)
def test_names_cannot_inject_mail_headers(evil: str, server: MailServer) -> None:
    with time_machine.travel(EVENING, tick=False):
        league, players = make_members(name=evil, name_en=evil)
        want_mails(players[0].user, language="en")
        for title in (evil, "2"):
            make_session(league, NEXT, title=title)
    sweep_at(0, 10)
    (mail,) = server.mails
    assert mail["Bcc"] is None
    assert not [line for line in mail.get_content().splitlines() if line.startswith("Bcc")]
    assert len(server.recipients) == 1
    assert str(mail["Subject"]).strip().endswith("2 notices")


def test_mails_are_sent_only_to_a_verified_address(server: MailServer) -> None:
    user = announced()
    user.emailaddress_set.update(verified=False)  # type: ignore[attr-defined]
    sweep_at(0, 10)
    assert server.taken == []
    assert Notice.objects.filter(user=user, waits=False).count() == 1


def test_accepted_mail_is_never_sent_again(server: MailServer) -> None:
    due(server)
    assert send().state == SENT
    for minutes in (11, 60, 6000):
        send(minutes)
    assert len(server.taken) == 1


@pytest.mark.parametrize("step", ["connect", "mail", "rcpt", "data"])
@pytest.mark.parametrize("answer", ["451 later", ""])
def test_undelivered_mail_is_retried(step: str, answer: str, server: MailServer) -> None:
    due(server)
    server.steps[step] = lambda: answer
    mail = send()
    if (step, answer) == ("data", ""):
        # The connection broke before the reply, so it is unknown whether the mail was delivered.
        assert mail.state == UNKNOWN
        return
    assert (mail.state, mail.tries) == (READY, 1)
    assert mail.error
    del server.steps[step]
    assert send(12).state == READY, "not before five minutes have passed"
    assert send(16).state == SENT
    assert len(server.taken) == 1


@pytest.mark.parametrize(("answer", "state"), [("451 later", READY), ("554 no spam", GIVEN_UP), ("", UNKNOWN)])
def test_delivered_mail_is_retried_only_if_refused(answer: str, state: NoticeMail.State, server: MailServer) -> None:
    due(server)
    server.steps["body"] = lambda: answer
    assert send().state == state
    del server.steps["body"]
    send(6000)
    assert len(server.taken) == (2 if state == READY else 1)
    numbers = {str(each["Message-ID"]) for each in server.mails}
    assert len(numbers) == 1, "however often it is written, it is the same mail"


def test_mail_to_an_unknown_mailbox_is_given_up_and_shown_to_the_host(server: MailServer, client: Client) -> None:
    due(server)
    server.steps["rcpt"] = lambda: "550 no such mailbox"
    assert send().state == GIVEN_UP
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    with time_machine.travel(minutes_after(EVENING, 20), tick=False):
        page = client.get("/en/host/").content.decode()
    assert "550 no such mailbox" in page
    assert '<span class="tag bad">lost</span>' in page


def test_mail_is_given_up_after_some_days(server: MailServer) -> None:
    due(server)
    server.steps["connect"] = lambda: "421 closed"
    tries, minutes = 0, 10
    while send(minutes).state == READY:
        tries, minutes = tries + 1, minutes + 12 * 60
    assert 4 <= tries <= 8
    assert NoticeMail.objects.get().state == GIVEN_UP


def test_unreachable_mail_server_is_tried_once_a_minute(server: MailServer) -> None:
    with time_machine.travel(EVENING, tick=False):
        league, players = make_members()
        for player in players:
            want_mails(player.user)
        make_session(league, NEXT)
    asked = []

    def hang_up() -> str:
        asked.append(1)
        return ""

    server.steps["connect"] = hang_up
    sweep_at(0, 10)
    assert len(asked) == 1
    assert NoticeMail.objects.filter(state=READY).count() == 4


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_send_a_mail_once(server: MailServer) -> None:
    mail = due(server)

    def another() -> None:
        server.steps.clear()
        send_ready()
        connection.close()

    server.steps["rcpt"] = another
    send()
    mail.refresh_from_db()
    assert (mail.state, len(server.taken)) == (SENT, 1)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("step", STEPS)
def test_killed_worker_neither_repeats_nor_loses_a_mail(step: str, server: MailServer) -> None:
    due(server)
    killed: list[int] = []

    def kill() -> None:
        os.kill(killed[0], signal.SIGKILL)
        os.waitpid(killed[0], 0)

    server.steps[step] = kill
    _run_in_a_child_process(send, killed)
    handed_over = len(server.taken)
    server.steps.clear()
    with time_machine.travel(minutes_after(EVENING, 11) + LOST_AFTER, tick=False):
        send_ready()
        send_ready()
    mail = NoticeMail.objects.get()
    assert len(server.taken) <= 1, "none is sent twice"
    if not server.taken:
        assert mail.state == UNKNOWN, "what may be lost is said to be"
    assert mail.state == {0: SENT if server.taken else UNKNOWN, 1: SENT if step == "quit" else UNKNOWN}[handed_over]
    assert Notice.objects.filter(user=mail.user, waits=False).count() == 1, "it stands on their own page in any case"


def _run_in_a_child_process(work: Callable[[], object], numbers: list[int]) -> None:
    """Run the function in a child process, with its own database connection, until it is killed."""
    connection.close()
    reading, writing = os.pipe()
    number = os.fork()
    if number == 0:
        os.read(reading, 1)
        work()
        os._exit(0)
    numbers.append(number)
    os.write(writing, b"!")
    while True:
        try:
            if os.waitpid(number, 0):
                return
        except ChildProcessError:
            return


def test_abandoned_mail_is_sent_by_the_next_worker(server: MailServer) -> None:
    mail = due(server)
    NoticeMail.objects.update(state=NoticeMail.State.CLAIMED, moved_at=minutes_after(EVENING, 10))
    assert send(20).state == NoticeMail.State.CLAIMED
    assert send(26).state == SENT
    assert mail.tries == 0


def test_pending_mail_is_dropped_when_its_user_leaves(server: MailServer) -> None:
    mail = due(server)
    League.objects.update(is_public=False)
    Membership.objects.filter(user=mail.user).delete()
    assert send().state == NoticeMail.State.DROPPED
    assert server.taken == []


def test_one_click_unsubscribes_without_log_in(server: MailServer, client: Client) -> None:
    user = announced()
    sweep_at(0, 10)
    address = str(server.mails[0]["List-Unsubscribe"]).strip(" <>").removeprefix("https://tenbo.example")
    strict = Client(enforce_csrf_checks=True)
    assert "Turn off e-mail" in strict.get(address).content.decode()
    assert Preferences.objects.get(user=user).by_mail, "whatever looks at the address first stops nothing"
    for _ in range(2):
        answer = strict.post(address, {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert not Preferences.objects.get(user=user).by_mail
    assert client.get("/en/account/notices/").status_code == 302


def test_users_cannot_unsubscribe_others(client: Client) -> None:
    user, other = announced(), User.objects.get(username="ishida")
    want_mails(other)
    code = stop_code(user)
    for forged in (code.replace(str(user.pk), str(other.pk), 1), str(other.pk), f"{other.pk}-x", "x", "-", code[:-1]):
        assert client.post(f"/account/notices/stop/{forged}/").status_code == 404, forged
    client.post(f"/account/notices/stop/{code}/")
    assert dict(Preferences.objects.values_list("user__username", "by_mail")) == {"aoki": False, "ishida": True}
