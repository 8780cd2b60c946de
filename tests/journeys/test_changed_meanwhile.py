from copy import copy

import pytest
from django.test import Client

from league.models import League, Player
from tests.journeys.pages import Visitor, pressing
from tests.league.factories import make_league, make_players, make_session, make_user, play
from tests.league.races import at_once
from tests.tournaments.factories import make_tournament

EDITED: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "player": ("manage/players/{player}/", {"number": "912"}, {"kana": "あおき"}),
    "session": ("sessions/{session}/edit/", {"venue": "集会所"}, {"title": "秋の会"}),
    "settings": ("manage/settings/", {"minimum_year": "8"}, {"description": "金曜の夜"}),
    "tournament": ("t/{tournament}/settings/", {"name": "春の会"}, {"note": "持ち物は無し"}),
}
"""By kind: the form's URL, and what each of two organisers changes in it."""


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league, 5)
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
    client = Client()
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return Visitor(client)


def standing(visitor: Visitor, address: str) -> dict[str, list[str]]:
    form, _ = visitor.scans(address).button("保存", within=address)
    return {name: control.values for name, control in form.controls.items()}


@pytest.mark.merge
@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", EDITED)
def test_simultaneous_changes_to_different_fields_are_both_stored(
    organiser: Visitor, addresses: dict[str, str], kind: str
) -> None:
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
def test_field_changed_by_two_organisers_shows_both_values(
    organiser: Visitor, addresses: dict[str, str], kind: str
) -> None:
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
def test_concurrent_changes_merge_checkboxes_and_lists(
    organiser: Visitor, addresses: dict[str, str], league: League
) -> None:
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
def test_invalid_hidden_field_does_not_prevent_a_change(
    organiser: Visitor, addresses: dict[str, str], league: League, seen: str
) -> None:
    fields = {"name": "青木", "visibility": "public", "number": "912", "seen": seen}
    assert organiser.client.post(addresses["player"], fields).status_code == 302
    assert league.players.order_by("pk")[0].number == "912"


@pytest.mark.merge
@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(3))
def test_parallel_changes_to_different_fields_are_both_stored(
    organiser: Visitor, addresses: dict[str, str], attempt: int
) -> None:
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
