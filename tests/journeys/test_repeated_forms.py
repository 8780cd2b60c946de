from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import models
from django.urls import reverse
from django.utils import timezone

from league.models import Adjustment, ImportBatch, Job, League, Player, SentForm, Session
from league.services.history import SYSTEM
from league.services.job_requests import start_job
from league.services.planning import TablePlan, plan_tables
from league.services.sent_forms import KEPT_FOR, forget_sent_forms
from tests.journeys.pages import Visitor, pressing
from tests.league.factories import client_of, logged_in, make_league, make_players, make_session, make_user, play
from tests.league.races import at_once
from tests.tournaments.factories import drawn_blocks, make_tournament
from tournaments.models import Decision, Tournament
from tournaments.services.drawing import draw

EDITED: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "player": ("manage/players/{player}/", {"number": "912"}, {"kana": "あおき"}),
    "session": ("sessions/{session}/edit/", {"venue": "集会所"}, {"title": "秋の会"}),
    "settings": ("manage/settings/", {"minimum_year": "8"}, {"description": "金曜の夜"}),
    "tournament": ("t/{tournament}/settings/", {"name": "春の会"}, {"note": "持ち物は無し"}),
}
"""By kind: the form's URL, and what each of two organisers changes in it."""


@pytest.fixture
def league() -> League:
    league = make_league(players=5)
    play(make_session(league))
    return league


@pytest.fixture
def addresses(league: League) -> dict[str, str]:
    facts = {
        "player": league.players.order_by("pk")[0].pk,
        "session": league.sessions.get().pk,
        "tournament": make_tournament(league).key,
    }
    return {kind: f"/l/{league.slug}/{address.format(**facts)}" for kind, (address, _, _) in EDITED.items()}


@pytest.fixture
def organiser(league: League) -> Visitor:
    return Visitor(logged_in(league, "organiser", "ishida"))


def standing(visitor: Visitor, address: str) -> dict[str, list[str]]:
    form, _ = visitor.scans(address).button("保存", within=address)
    return {name: control.values for name, control in form.controls.items()}


@pytest.mark.merge
@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", EDITED)
def test_changes_to_different_fields_are_both_stored(organiser: Visitor, addresses: dict[str, str], kind: str) -> None:
    address, (_, mine, theirs) = addresses[kind], EDITED[kind]
    first = organiser.scans(address)
    second = copy(first)
    first.submits("保存", within=address, **mine)
    second.submits("保存", within=address, **theirs)
    now = standing(second, address)
    assert {name: now[name] for name in mine | theirs} == {name: [value] for name, value in (mine | theirs).items()}


@pytest.mark.merge
@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", EDITED)
def test_field_changed_by_two_people_shows_both(organiser: Visitor, addresses: dict[str, str], kind: str) -> None:
    address, (_, written, _) = addresses[kind], EDITED[kind]
    ((name, value),) = written.items()
    other = f"{value}1" if value.isdecimal() else f"{value}ほか"
    first = organiser.scans(address)
    second = copy(first)
    first.submits("保存", within=address, **{name: value})
    second.submits("保存", within=address, **{name: other})
    second.reads("ほかの人が", f"「{value}」")
    form, _ = second.button("保存", within=address)
    assert form.controls[name].values == [other]
    # Nothing was overwritten, and the later user may submit again.
    assert standing(copy(second), address)[name] == [value]
    second.submits("保存", within=address)
    assert standing(second, address)[name] == [other]


@pytest.mark.merge
@pytest.mark.django_db
def test_checkboxes_and_lists_are_merged(organiser: Visitor, addresses: dict[str, str], league: League) -> None:
    address = addresses["player"]
    player = league.players.order_by("pk")[0]
    Player.objects.filter(pk=player.pk).update(is_guest=True)
    first = organiser.scans(address)
    second, third = copy(first), copy(first)
    first.submits("保存", within=address, is_guest=None, visibility="members", aliases="ユイ\nゆいちゃん")
    second.submits("保存", within=address, number="907")
    third.submits("保存", within=address, visibility="members")
    player.refresh_from_db()
    assert (player.is_guest, player.visibility, player.number) == (False, "members", "907")
    assert sorted(player.aliases.values_list("name", flat=True)) == ["ゆいちゃん", "ユイ"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "seen", ["", "x", "[]", '{"name": {}}', '{"nobody": "x"}', "[" * 5000, "9" * 5000, '{"name": "\\ud800"}']
)
def test_bad_hidden_field_is_ignored(organiser: Visitor, addresses: dict[str, str], league: League, seen: str) -> None:
    fields = {"name": "青木", "visibility": "public", "number": "912", "seen": seen}
    assert organiser.client.post(addresses["player"], fields).status_code == 302
    assert league.players.order_by("pk")[0].number == "912"


@pytest.mark.merge
@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(3))
def test_parallel_changes_of_fields_are_both_kept(organiser: Visitor, addresses: dict[str, str], attempt: int) -> None:
    address, (_, mine, theirs) = addresses["player"], EDITED["player"]
    page = organiser.scans(address)
    outcomes = at_once(*(pressing(page, "保存", address, written) for written in (mine, theirs)))
    assert all(isinstance(outcome, Visitor) for outcome in outcomes), (attempt, outcomes)
    now = standing(organiser, address)
    assert (now["number"], now["kana"]) == (["912"], ["あおき"])


@pytest.mark.merge
@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(3))
def test_parallel_requests_give_a_number_to_only_one_player(organiser: Visitor, league: League, attempt: int) -> None:
    addresses = [f"/l/{league.slug}/manage/players/{player.pk}/" for player in league.players.order_by("pk")[:2]]
    outcomes = at_once(
        *(pressing(organiser.scans(address), "保存", address, {"number": "912"}) for address in addresses)
    )
    assert all(isinstance(outcome, Visitor) for outcome in outcomes), (attempt, outcomes)
    assert league.players.filter(number="912").count() == 1
    texts = [outcome.page.text for outcome in outcomes]
    assert sum("番号912は" in text for text in texts) == 1, texts


FORMS: dict[str, tuple[type[models.Model], str, dict[str, Any]]] = {
    "adjustments": (
        Adjustment,
        "/l/camarade/manage/adjustments/",
        {"player": "青木", "points": "▲20", "reason": "遅刻"},
    ),
    "sessions": (Session, "/l/camarade/sessions/new/", {"date": "2025-12-05"}),
    "players": (Player, "/l/camarade/manage/players/new/", {"name": "大能"}),
    "tournaments": (Tournament, "/l/camarade/tournaments/new/", {"name": "秋の会", "format": "cinderella"}),
    "leagues": (League, "/leagues/new/", {"name": "土曜会", "slug": "saturday", "card": "camarade"}),
}

TWICE = "二度送信されました"


@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", FORMS)
def test_form_sent_twice_takes_effect_once(organiser: Visitor, kind: str) -> None:
    model, address, fields = FORMS[kind]
    before = model._base_manager.count()
    first = organiser.scans(address)
    again = copy(first)
    first.submits(within=address, **fields).misses(TWICE)
    assert model._base_manager.count() == before + 1
    again.submits(within=address, **fields).reads(TWICE)
    assert model._base_manager.count() == before + 1
    assert again.address == first.address


@pytest.mark.merge
@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", FORMS)
def test_form_sent_simultaneously_takes_effect_once(organiser: Visitor, kind: str) -> None:
    model, address, fields = FORMS[kind]
    before = model._base_manager.count()
    first = organiser.scans(address)
    outcomes = at_once(*(pressing(first, "", address, fields) for _ in range(3)))
    assert all(isinstance(outcome, Visitor) for outcome in outcomes), outcomes
    assert len({outcome.address for outcome in outcomes}) == 1
    assert model._base_manager.count() == before + 1


@pytest.mark.django_db
def test_form_with_other_input_or_from_a_new_page_takes_effect_again(organiser: Visitor) -> None:
    _model, address, fields = FORMS["adjustments"]
    first = organiser.scans(address)
    other = copy(first)
    first.submits(within=address, **fields)
    # Back in the browser, with other input.
    other.submits(within=address, **fields | {"reason": "また遅刻"}).misses(TWICE)
    # The same input once more, on purpose, from a new page.
    organiser.scans(address).submits(within=address, **fields).misses(TWICE)
    assert Adjustment.objects.count() == 3


@pytest.mark.django_db
def test_changed_file_of_equal_name_and_size_is_accepted(organiser: Visitor) -> None:
    client, address = organiser.client, "/l/camarade/manage/import/new/"
    token = client.get(address).context["csrf_token"]
    for scores in ("317", "318", "318"):
        file = SimpleUploadedFile("results.csv", f"日付,選手,素点\n2025-11-21,青木,{scores}\n".encode())
        client.post(address, {"csrfmiddlewaretoken": str(token), "file": file})
    stored = [bytes(data).decode()[-4:-1] for data in ImportBatch.objects.order_by("pk").values_list("data", flat=True)]
    assert stored == ["317", "318"]


@pytest.mark.django_db
def test_refused_form_can_be_sent_again(organiser: Visitor) -> None:
    _model, address, fields = FORMS["adjustments"]
    first = organiser.scans(address)
    again = copy(first)
    wrong = fields | {"points": "x"}
    for visitor in (first, again):
        visitor.submits(within=address, **wrong).misses(TWICE)
    assert not SentForm.objects.exists()
    first.submits(within=address, **fields)
    assert Adjustment.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.both_databases
def test_form_refused_by_a_running_job_can_be_sent_again(organiser: Visitor) -> None:
    under_way = start_job(league=League.objects.get(slug="camarade"), kind=Job.Kind.REBUILD, by=SYSTEM)
    first = organiser.scans("/l/camarade/manage/")
    again = copy(first)
    first.submits(within="/rebuild/").reads("すでに実行中です")
    Job.objects.filter(pk=under_way.pk).update(state=Job.State.DONE)
    again.submits(within="/rebuild/").misses(TWICE)
    assert Job.objects.filter(kind=Job.Kind.REBUILD).count() == 2


@pytest.mark.django_db
@pytest.mark.both_databases
def test_old_sent_forms_are_deleted(organiser: Visitor) -> None:
    _model, address, fields = FORMS["adjustments"]
    for _ in range(2):
        organiser.scans(address).submits(within=address, **fields)
    old = SentForm.objects.order_by("pk").first()
    assert old is not None
    SentForm.objects.filter(pk=old.pk).update(sent_at=timezone.now() - KEPT_FOR - timedelta(minutes=1))
    assert forget_sent_forms() == 1
    assert SentForm.objects.count() == 1


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
        "新しい版として保存",
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
        "この組分けで保存",
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
def owner(db: None) -> Visitor:
    del db
    return Visitor(client_of(make_user("ishida", league=make_league(card="cinderella"), role="owner")))


@pytest.mark.merge
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", PAGES)
def test_concurrent_replacement_is_shown_first(owner: Visitor, kind: str) -> None:
    page = PAGES[kind](League.objects.get())
    first = owner.scans(page.address)
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
    visitor.submits("役割を付ける" if page.button == "変更" else page.button, within=page.address)


@pytest.mark.django_db
def test_identical_simultaneous_changes_both_succeed(owner: Visitor) -> None:
    page = role_page(League.objects.get())
    first = owner.scans(page.address)
    second = copy(first)
    first.submits(page.button, within=page.address, **page.theirs)
    second.submits(page.button, within=page.address, **page.theirs).reads("幹事")
    assert page.stands() == "organiser"


@pytest.mark.django_db
def test_role_removed_by_another_owner_is_restored_only_after_confirmation(owner: Visitor) -> None:
    page = role_page(League.objects.get())
    first = owner.scans(page.address)
    second = copy(first)
    first.submits("外す", within="/remove/")
    second.submits(page.button, within=page.address, **page.mine).reads("その間になくなりました")
    assert not League.objects.get().members.filter(user__username="hayashi").exists()
    resend(second, page)
    assert page.stands() == "player"


@pytest.mark.django_db
def test_seeds_set_by_two_directors_are_both_stored(owner: Visitor) -> None:
    tournament = make_tournament(League.objects.get())
    one, other = tournament.entries.order_by("pk")[:2]
    address = reverse("tournaments:entries", args=[tournament.league.slug, tournament.key])
    first = owner.scans(address)
    second = copy(first)
    first.submits("シードを保存", within=address, **{f"seed_{one.pk}": "1"})
    second.submits("シードを保存", within=address, **{f"seed_{other.pk}": "2"})
    assert [entry.seed for entry in tournament.entries.order_by("pk")[:2]] == [1, 2]
