from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import reverse

from league.models import League, Player
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from tests.journeys.pages import Visitor
from tests.league.factories import make_league, make_players, make_session, make_user
from tests.tournaments.factories import drawn_blocks, make_tournament
from tournaments.models import Decision, Tournament
from tournaments.services.drawing import draw


@dataclass(frozen=True)
class Page:
    """A page that replaces a value: its button, two users' choices, the current value, its name."""

    address: str
    button: str
    theirs: dict[str, str]
    mine: dict[str, str]
    stands: Callable[[], object]
    says: str


def role_page(league: League) -> Page:
    member = make_user("hayashi", league=league, role="scorer")
    page = reverse("league:members", args=[league.slug])
    return Page(page, "変更", {"role": "organiser"}, {"role": "player"}, lambda: member.leagues.get().role, "幹事")


def rules_page(league: League) -> Page:
    version = league.current_version
    assert version is not None
    return Page(
        reverse("league:rules_edit", args=[league.slug, version.pk]),
        "次の版として保存",
        {"start_points": "26000"},
        {"start_points": "27000"},
        lambda: version.ruleset.versions.order_by("-number")[0].parameters["start_points"],
        "26,000",
    )


def seats_page(league: League) -> Page:
    players = make_players(league, 4)
    session = make_session(league)
    plan_tables(session=session, plans=[TablePlan(1, tuple(players))], by=SYSTEM)
    return Page(
        reverse("league:session_seats", args=[league.slug, session.pk]),
        "この席に決める",
        seats([*players[1:], players[0]]),
        seats(players[::-1]),
        lambda: [seat.player_id for seat in session.planned_seats.order_by("seat")],
        "・".join(player.name for player in [*players[1:], players[0]]),
    )


def seats(players: Sequence[Player]) -> dict[str, str]:
    return {f"seat_1_{place}": str(player.pk) for place, player in enumerate(players)}


def draw_page(league: League) -> Page:
    tournament = make_tournament(league)
    stage = tournament.format.stages[0].key
    draw(tournament=tournament, stage=stage, drawn=drawn_blocks(tournament, stage), by=SYSTEM)
    entries = [entry.pk for entry in tournament.entries.order_by("pk")]
    return Page(
        reverse("tournaments:draw", args=[league.slug, tournament.key, stage]),
        "このブロックで保存",
        blocks(entries),
        blocks(entries[::-1]),
        lambda: drawn(tournament),
        "ishida",
    )


def blocks(entries: Sequence[int]) -> dict[str, str]:
    return {f"block_{entry}": "AB"[place // 8] for place, entry in enumerate(entries)} | {"reason": "引き直し"}


def drawn(tournament: Tournament) -> list[int]:
    (decision,) = Decision.objects.filter(tournament=tournament, kind="draw", revoked_at=None)
    return sorted(decision.body["blocks"]["A"])


PAGES = {"role": role_page, "rules": rules_page, "seats": seats_page, "draw": draw_page}


@pytest.fixture
def organiser(db: None) -> Visitor:
    del db
    client = Client()
    client.force_login(make_user("ishida", league=make_league(card="cinderella"), role="owner"))
    return Visitor(client)


@pytest.mark.merge
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", PAGES)
def test_concurrent_replacement_is_shown_first(organiser: Visitor, kind: str) -> None:
    page = PAGES[kind](League.objects.get())
    first = organiser.scans(page.address)
    second = copy(first)
    before = page.stands()
    first.submits(page.button, within=page.address, **page.theirs)
    theirs = page.stands()
    assert theirs != before
    second.submits(page.button, within=page.address, **page.mine)
    second.reads("その間に" if kind != "role" else "いま", page.says)
    assert page.stands() == theirs
    resend(second, page)
    assert page.stands() not in (before, theirs)


def resend(visitor: Visitor, page: Page) -> None:
    button = "役割を付ける" if page.button == "変更" else page.button
    visitor.submits(button, within=page.address)


@pytest.mark.django_db
def test_identical_simultaneous_changes_both_succeed(organiser: Visitor) -> None:
    page = role_page(League.objects.get())
    first = organiser.scans(page.address)
    second = copy(first)
    first.submits(page.button, within=page.address, **page.theirs)
    second.submits(page.button, within=page.address, **page.theirs).reads("幹事")
    assert page.stands() == "organiser"


@pytest.mark.django_db
def test_role_removed_by_another_owner_is_restored_only_after_confirmation(organiser: Visitor) -> None:
    page = role_page(League.objects.get())
    first = organiser.scans(page.address)
    second = copy(first)
    first.submits("外す", within="/remove/")
    second.submits(page.button, within=page.address, **page.mine).reads("その間になくなりました")
    assert not League.objects.get().members.filter(user__username="hayashi").exists()
    resend(second, page)
    assert page.stands() == "player"


@pytest.mark.django_db
def test_seeds_set_by_two_directors_are_both_stored(organiser: Visitor) -> None:
    tournament = make_tournament(League.objects.get())
    one, other = tournament.entries.order_by("pk")[:2]
    address = reverse("tournaments:entries", args=[tournament.league.slug, tournament.key])
    first = organiser.scans(address)
    second = copy(first)
    first.submits("シードを保存", within=address, **{f"seed_{one.pk}": "1"})
    second.submits("シードを保存", within=address, **{f"seed_{other.pk}": "2"})
    assert [entry.seed for entry in tournament.entries.order_by("pk")[:2]] == [1, 2]
