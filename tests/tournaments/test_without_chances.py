import re
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.models import Player, Revision
from league.services.history import SYSTEM
from league.services.links import code_of
from tests.conftest import built_once
from tests.league.entry_contexts import link_of
from tests.league.factories import make_user
from tests.tournaments.factories import by_entry, director, make_tournament, play_table, play_to_the_final
from tests.tournaments.test_pages import PAGE, plain, text
from tests.tournaments.test_what_if import keys
from tournaments.http.pages import kept_hindsights
from tournaments.models import StageSession, Tournament
from tournaments.selectors.state import tournament_at
from tournaments.services.setup import change_tournament

EDIT = f"{PAGE}settings/"
ODDS = f"{PAGE}odds/"
FINAL = f"{PAGE}stage/final/"
WHAT_IF = f"{PAGE}what-if/final/"
VIEWS = ("standings", "tables", "conditions", "bracket", "seating", "champion")

TELLING = {
    PAGE,
    ODDS,
    FINAL,
    f"{PAGE}stage/po1/",
    WHAT_IF,
    f"{PAGE}wall/?view=conditions",
    f"{PAGE}wall/state/?view=tables",
    f"{PAGE}overlay/",
}
"""Pages that show chances before the final's last hanchan, unless the organisers turn them off."""

SHOWN = re.compile(r"\d(\.\d)?%|確率|起こりにくか|[Cc]hances?\b(?! of)|[Ll]ikely")
"""Signs of chances on a page: a percentage or its words."""


@built_once()
def stored() -> None:
    final = play_to_the_final(start=timezone.localdate())
    for number in (1, 2, 3):
        play_table(final, 1, number, by_entry(final.tournament))


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stored")]


def switch(*, shows_chances: bool) -> Tournament:
    tournament = Tournament.objects.select_related("league").get(key="t1")
    return change_tournament(tournament=tournament, facts={"shows_chances": shows_chances}, by=SYSTEM)


def addresses() -> set[str]:
    """Return the tournament's URLs: those linked for readers, those scripts and screens request, and the director's."""
    client = Client()
    found, waiting = {PAGE}, [PAGE]
    while waiting:
        page = waiting.pop()
        answer = client.get(page)
        html = answer.content.decode() if "text/html" in answer.headers["Content-Type"] else ""
        links = {urlsplit(urljoin(page, link)).path for link in re.findall(r'<a [^>]*href="([^"]+)"', html)}
        new = {link for link in links if link.startswith(PAGE) and not link.endswith(".png")} - found
        found |= new
        waiting += new
    final = StageSession.objects.select_related("session__league").get(stage="final").session
    table = f"/e/{code_of(link_of(final, 1))}/"
    supposed = "&".join(f"{key}p0=1" for key in keys(text(client.get(WHAT_IF))))
    asked = {f"{WHAT_IF}?{supposed}", f"{PAGE}needs.json", f"{PAGE}results/?stage=final&as=text", f"{PAGE}overlay/"}
    asked |= {f"{PAGE}wall/{state}?view={view}" for state in ("", "state/") for view in VIEWS}
    asked |= {f"/l/cinderella/{page}" for page in ("", "tournaments/", f"sessions/{final.pk}/")}
    asked |= {table, f"{table}ticker/"}
    asked |= {f"{PAGE}{page}/" for page in ("inbox", "remote", "entries", "settings", "approve/final")}
    return found | asked


def telling(client: Client, pages: set[str]) -> set[str]:
    found = set()
    for page in {*pages, *(f"/en{page}" for page in pages)}:
        answer = client.get(page)
        assert answer.status_code in {200, 302}, page
        html = answer.content.decode()
        if SHOWN.search(plain(html)) or f'{ODDS}"' in html:
            found.add(page)
    return found


@pytest.mark.long
def test_switched_off_chances_are_on_no_page(client: Client) -> None:
    client.force_login(director(Tournament.objects.get().league))
    pages = addresses()
    assert pages >= TELLING
    assert telling(client, TELLING) == {*TELLING, *(f"/en{page}" for page in TELLING)}
    switch(shows_chances=False)
    # The settings mention the switch, and the page of chances says that there are none.
    assert telling(client, pages) == {page for each in (EDIT, ODDS) for page in (each, f"/en{each}")}


def test_guest_badge_stays_beside_the_name_left_of_the_bar(client: Client) -> None:
    Player.objects.update(is_guest=True)
    lines = re.findall(r"<li>(.*?)</li>", text(client.get(ODDS)).partition("t-contenders")[2], re.DOTALL)
    assert lines
    assert all(re.match(r"\s*<span>.*ゲスト</span>\s*</span>\s*<svg", line, re.DOTALL) for line in lines)


@pytest.mark.long
def test_needs_remain_without_chances(client: Client) -> None:
    before = client.get(f"{PAGE}needs.json").json()
    switch(shows_chances=False)
    assert client.get(f"{PAGE}needs.json").json() == before
    html = plain(text(client.get(FINAL)))
    assert "優勝に必要なこと" in html
    assert "なら優勝。" in html
    supposed = f"{WHAT_IF}?{'&'.join(f'{key}p0=1' for key in keys(text(client.get(WHAT_IF))))}"
    assert "→ 優勝 " in plain(text(client.get(supposed)))
    assert "なら優勝。" in plain(text(client.get(f"{PAGE}wall/?view=conditions")))


def test_chances_page_explains_that_chances_are_switched_off(client: Client) -> None:
    tournament = switch(shows_chances=False)
    assert "この大会では、幹事の方針により確率を表示していません。" in text(client.get(ODDS))
    assert "The organisers have switched off chances for this tournament." in text(client.get(f"/en{ODDS}"))
    # Stages without published chances do not count towards the calibration.
    other = make_tournament(tournament.league, key="t2")
    here = tournament_at(tournament.league, "t2")
    assert here is not None
    assert len(kept_hindsights(here)) == 1
    switch(shows_chances=True)
    assert len(kept_hindsights(here)) == 2
    assert other.shows_chances


def test_organiser_switches_chances_in_the_settings(client: Client) -> None:
    tournament = Tournament.objects.select_related("league").get()
    client.force_login(make_user("aoki", league=tournament.league, role="organiser"))
    assert EDIT in text(client.get(f"{PAGE}inbox/"))
    written = {"name": tournament.name, "ruleset_version": tournament.ruleset_version_id, "strict_entry": "on"}
    assert client.get(EDIT).context["form"]["shows_chances"].value() is True
    assert client.post(EDIT, written).status_code == 302
    assert not Tournament.objects.get().shows_chances
    revision = Revision.objects.filter(subject="tournament").latest("pk")
    assert revision.before is not None
    assert revision.after is not None
    assert (revision.before["shows_chances"], revision.after["shows_chances"]) == (True, False)
    assert "確率を表示" in plain(text(client.get(reverse("league:history", args=["cinderella"]))))
    assert client.post(EDIT, {**written, "shows_chances": "on"}).status_code == 302
    assert Tournament.objects.get().shows_chances
