from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts.services.calendars import renew_calendar_address
from league.http import for_others, pdf
from league.http.for_others import address_for_others, own_address_advice
from league.models import Session
from league.services.history import SYSTEM
from league.services.links import issue_link
from league.services.secret_links import renew_attendance_link
from tests.accounts.factories import make_invitation
from tests.conftest import ROOT
from tests.league.factories import logged_in, make_session, make_user, play
from tests.tournaments.registering import offered

HERE, ELSEWHERE = "127.0.0.1:8000", "tenbo.example"
WARNED = "work only on this computer"


@pytest.fixture(autouse=True)
def _network(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    monkeypatch.setattr(for_others, "_in_the_network", lambda: "192.168.1.5")


LOOPBACK = ("127.0.0.1:8000", "localhost:8000", "[::1]:8000", "127.0.1.1", "tenbo.localhost", "0.0.0.0")
NETWORK = ("tenbo.example", "192.168.1.5:8000", "[2001:db8::1]", "10.0.0.7", "localhost.example")


@pytest.mark.parametrize("host", [*LOOPBACK, *NETWORK])
def test_only_a_loopback_address_gets_advice(host: str) -> None:
    request = RequestFactory().get("/", headers={"Host": host})
    assert address_for_others(request, "/e/code/") == f"http://{host}/e/code/"
    assert bool(own_address_advice(request)) is (host in LOOPBACK)


def test_advice_names_the_network_address_of_make_run(settings: Any) -> None:
    request = RequestFactory().get("/", headers={"Host": HERE})
    settings.EMBEDDED = True
    advice = own_address_advice(request)
    assert "make run HOST=0.0.0.0" in advice
    assert "http://192.168.1.5:8000/" in advice
    settings.EMBEDDED = False
    assert "make run" not in own_address_advice(request)


def test_advice_names_no_address_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with patch("socket.socket") as opened:
        opened.return_value.__exit__.return_value = False
        own = opened.return_value.__enter__.return_value
        for found, shown in (("192.168.7.7", "192.168.7.7"), ("127.0.0.1", "…")):
            own.getsockname.return_value = (found, 5)
            assert for_others._in_the_network() == shown
        own.connect.side_effect = OSError("no network")
        assert for_others._in_the_network() == "…"


@pytest.fixture
def evening() -> Session:
    session = make_session(offered(format_key="cinderella").league, timezone.localdate())
    play(session)
    issue_link(session=session, table=1, by=SYSTEM)
    renew_attendance_link(session=session, by=SYSTEM, player=None)
    return session


PAGES = {
    "cards": ("league:print_cards", "session"),
    "table links": ("league:table_links", "session"),
    "attendance": ("league:attendance", "session"),
    "live addresses": ("league:live", ""),
    "registrations": ("tournaments:registrations", "tournament"),
    "posters": ("tournaments:registration_posters", "tournament"),
    "calendars": ("accounts:notices", None),
    "share": ("league:session", "session"),
    "invitation": ("accounts:invitation", "invitation"),
}


@pytest.mark.django_db
@pytest.mark.parametrize("kind", PAGES)
def test_pages_with_links_for_others_warn_at_a_loopback_address(evening: Session, kind: str) -> None:
    client, owner = Client(), make_user("owner", league=evening.league, role="owner")
    client.force_login(owner)
    renew_calendar_address(owner)
    name, of = PAGES[kind]
    args: dict[str | None, list[object]] = {"session": [evening.pk], "tournament": ["t1"]}
    args["invitation"] = [make_invitation(evening.league, "scorer", by=owner).pk]
    path = "/en" + reverse(name, args=[] if of is None else [evening.league.slug, *args.get(of, [])])
    for host, is_warned in ((HERE, True), (ELSEWHERE, False)):
        page = client.get(path, headers={"Host": host})
        assert page.status_code == 200
        # On paper a long URL may be broken between its parts.
        shown = page.content.decode().replace("<wbr>", "")
        assert f"{host}/" in shown
        *before, warning = shown.partition(WARNED)[:2]
        assert warning == WARNED * is_warned, host
        assert shown.count(WARNED) == is_warned or kind == "share"
        assert not is_warned or "</h1>" in before[0]


@pytest.mark.django_db
def test_pdf_of_table_cards_has_only_cards(evening: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_drawn", lambda markup: markup.encode())
    client = logged_in(evening.league, "owner", "owner")
    path = reverse("league:print_cards", args=[evening.league.slug, evening.pk])
    drawn = client.get(f"/en{path}?format=pdf", headers={"Host": HERE}).content.decode()
    assert (drawn.count("own-address"), drawn.count(WARNED)) == (0, 0)
    assert HERE in drawn


def test_absolute_urls_are_built_in_one_module() -> None:
    files = (path for app in ("league", "accounts", "stats", "tournaments") for path in (ROOT / app).rglob("*.py"))
    found = {path.relative_to(ROOT).as_posix() for path in files if "build_absolute_uri" in path.read_text("utf-8")}
    # Cached pages depend on the host, which previews need in each page's head; reminders carry their own warning.
    others = {"league/http/attendance.py", "league/http/caching.py", "stats/templatetags/share.py"}
    assert found == {"league/http/for_others.py", *others}
