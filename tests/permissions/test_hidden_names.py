import io
import zipfile
from collections.abc import Iterable, Iterator

import pytest
from django.test import Client
from django.urls import reverse

from league.exports.table import FORMATS
from league.models import Player
from league.models.editions import raise_edition
from league.services.history import SYSTEM
from league.services.links import code_of
from league.services.people import PlayerFacts, change_player
from league.services.planning import TablePlan, plan_tables
from stats.services.following import follow
from tests.conftest import built_once
from tests.league.entry_contexts import link_of
from tests.league.factories import settle
from tests.permissions.table import ROUTES, RULES
from tests.permissions.world import World

pytestmark = [pytest.mark.django_db]

HIDDEN_FROM_ALL = ("青木", "あおき", "Aoki", "AOKI", "アオキ", "アオちゃん", "M-4711", "aoki-of-file", "北区雀友会")
"""All values that reveal a hidden name: kanji, reading, romanised, number, key, club."""

HIDDEN_FROM_VISITORS = ("石田", "いしだ", "Ishida", "イシちゃん", "M-4712", "ishida-of-file")


def hide(world: World) -> None:
    """Give two of the four who played full details and hide their names, one from non-members and one from all."""
    league = world.league
    wanted = (
        (
            "p1",
            PlayerFacts("青木", "あおき", "Aoki", "M-4711", "北区雀友会", visibility="nobody", aliases=("アオちゃん",)),
        ),
        ("p2", PlayerFacts("石田", "いしだ", "Ishida", "M-4712", visibility="members", aliases=("イシちゃん",))),
    )
    for key, facts in wanted:
        player = change_player(player=league.players.get(key=key), facts=facts, by=SYSTEM)
        Player.objects.filter(pk=player.pk).update(key=f"{facts.romanised.lower()}-of-file")
    plan_tables(session=world.tonight, plans=[TablePlan(2, tuple(league.players.order_by("pk")[:4]))], by=SYSTEM)


def keep(world: World) -> None:
    settle()
    follow(world.league.pk)


@built_once()
def world() -> World:
    made = World("public", is_public=True)
    hide(made)
    keep(made)
    return made


def contents(client: Client, address: str, *, method: str = "get") -> Iterator[str]:
    answer = getattr(client, method)(address, follow=True)
    body = answer.getvalue() if answer.streaming else answer.content
    yield from (f"{name}: {value}" for name, value in answer.headers.items())
    if body[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(body)) as packed:
            for name in packed.namelist():
                yield packed.read(name).decode()
    else:
        yield body.decode(errors="replace")
        if "json" in answer.headers.get("Content-Type", ""):
            yield str(answer.json())


def told(client: Client, addresses: Iterable[str], names: Iterable[str]) -> list[tuple[str, str]]:
    found = []
    for address in addresses:
        for text in contents(client, address):
            found += [(address, name) for name in names if name in text]
    return found


def pages(world: World, *kinds: str, language: str = "") -> list[str]:
    names = [name for name, rule in RULES.items() if rule.who in kinds and "GET" in rule.methods]
    plain = [world.address(ROUTES[name]) for name in names if name not in {"metrics", "league:host"}]
    if "readers" in kinds:
        plain += _asked(world)
    return [f"{language}{address}" for address in plain if not (language and address.startswith("/healthz"))]


def _told_of(world: World) -> list[Player]:
    """Return the two hidden players, those who sat with them, one who played others, and one who has not played."""
    players = world.league.players.order_by("pk")
    return [*players.filter(seats__isnull=False).distinct()[:5], *players.filter(seats__isnull=True)[:1]]


def _asked(world: World) -> list[str]:
    """Request pages as readers do: all columns, orders, periods and files, and the players' pages."""
    slug, others = world.slug, []
    board, files = reverse("league:standings", args=[slug, "2025-11"]), reverse("league:export_file", args=[slug])
    others += [f"{board}?sort={sort}&columns=all" for sort in ("name", "-name", "rank", "points", "hanchan")]
    others.append(f"{board}?on={world.session.date}")
    others += [reverse("league:standings", args=[slug, scope]) for scope in ("2025", "all", "2025-11-01..2025-11-30")]
    for what in ("board", "hanchan"):
        for form in FORMATS:
            others.append(f"{files}?what={what}&scope=2025-11&format={form}&form=wide&headers=both&columns=shown")
    others += [reverse("stats:player", args=[slug, player.pk]) for player in _told_of(world)]
    people = "&".join(f"p={pk}" for pk in world.league.players.values_list("pk", flat=True)[:4])
    others += [f"{reverse(f'stats:{page}', args=[slug])}?period=all&{people}" for page in ("compare", "matrix", "race")]
    others += _numbers(world)
    of_stages = [world.tournament.sessions.all()[0], world.other_tournament.sessions.all()[0]]
    sessions = [world.tonight.pk, *(each.session_id for each in of_stages)]
    others += [reverse("league:session", args=[slug, pk]) for pk in sessions]
    shown = reverse("league:session", args=[slug, world.session.pk])
    others += [f"{shown}?view=sheet", f"{shown}?view=sheet&by=table", f"{shown}?ledger=settlement"]
    return [
        *others,
        *(
            f"{reverse(page, args=[slug])}?q={name}"
            for page in ("league:players", "stats:search")
            for name in ("木", "石", "M-", "ao", "aok", "アオ")
        ),
    ]


def _numbers(world: World) -> list[str]:
    """Request ratings, records, titles and stories, by every order, player and kind of period."""
    slug = world.slug
    ratings, kinds = reverse("stats:ratings", args=[slug]), ("2025-11", "2025", "all", "2025-11-01..2025-11-30")
    return [
        f"{ratings}?sort=tenhou",
        f"{ratings}?sort=skill",
        *(reverse("stats:rating_changes", args=[slug, player.pk]) for player in _told_of(world)),
        *(f"{reverse('stats:records', args=[slug])}?period={kind}" for kind in kinds),
        *(f"{reverse('stats:titles', args=[slug])}?period={kind}" for kind in kinds[:3]),
        *(reverse("stats:story", args=[slug, kind]) for kind in kinds[:2]),
    ]


def as_one(world: World, person: str) -> Client:
    world.be(person)
    return world.client


@pytest.mark.merge
@pytest.mark.parametrize(
    ("person", "language"),
    [
        ("anonymous", ""),
        ("stranger", "/en"),
        pytest.param("anonymous", "/en", marks=pytest.mark.variant),
        pytest.param("stranger", "", marks=pytest.mark.variant),
    ],
)
def test_visitors_see_no_hidden_names_on_any_page_or_file(world: World, person: str, language: str) -> None:
    readable = pages(world, "everybody", "readers", "secret", language=language)
    assert len(readable) > 100
    assert told(as_one(world, person), readable, (*HIDDEN_FROM_ALL, *HIDDEN_FROM_VISITORS)) == []


@pytest.mark.merge
@pytest.mark.parametrize(
    ("person", "language"),
    [
        ("player", "/en"),
        ("scorer", ""),
        ("organiser", "/en"),
        ("superuser", ""),
        pytest.param("player", "", marks=pytest.mark.variant),
        pytest.param("organiser", "", marks=pytest.mark.variant),
    ],
)
def test_members_see_only_names_for_members(world: World, person: str, language: str) -> None:
    Player.objects.filter(league=world.league, user=world.users["player"]).update(user=None)
    # An organiser's export contains all names and says so.
    whole = reverse("league:export_file", args=[world.slug])
    kinds = ("readers", "player") if person == "player" else ("readers",)
    readable = [address for address in pages(world, *kinds, language=language) if not address.endswith(whole)]
    client = as_one(world, person)
    assert told(client, readable, HIDDEN_FROM_ALL) == []
    assert told(client, [reverse("league:players", args=[world.slug])], ("石田",)) != []


@pytest.mark.merge
def test_statistics_pages_show_hidden_players_by_number(world: World) -> None:
    client = as_one(world, "anonymous")
    hidden = f"選手{world.league.players.get(key='aoki-of-file').pk:03d}"
    for address in _numbers(world):
        assert client.get(address).status_code == 200, address
    for page in ("ratings", "records?period=2025-11", "titles?period=2025-11", "story/2025-11"):
        path, _, query = page.partition("?")
        assert hidden in client.get(f"/l/{world.slug}/{path}/?{query}").content.decode(), page


@pytest.mark.merge
def test_search_does_not_find_hidden_names(world: World) -> None:
    search = reverse("stats:search", args=[world.slug])

    def found(person: str, name: str) -> set[str]:
        answer = as_one(world, person).get(search, {"q": name}).content.decode()
        players = world.league.players.filter(key__in=("aoki-of-file", "ishida-of-file"))
        return {player.key for player in players if f"/l/{world.slug}/p/{player.pk}/" in answer}

    Player.objects.filter(league=world.league, user=world.users["player"]).update(user=None)
    for name in (*HIDDEN_FROM_ALL, *HIDDEN_FROM_VISITORS):
        for person in ("anonymous", "stranger"):
            assert found(person, name) == set(), (person, name)
    for name in HIDDEN_FROM_ALL:
        assert found("player", name) == set(), name
    assert found("player", "石田") == found("player", "イシちゃん") == {"ishida-of-file"}


@pytest.mark.merge
def test_table_link_shows_no_hidden_names(world: World) -> None:
    second = link_of(world.tonight, 2)
    tables = [reverse(f"league:{name}", args=[code_of(second)]) for name in ("table", "table_state")]
    for address in (
        *pages(world, "table"),
        *pages(world, "table", language="/en"),
        *tables,
        *map("/en{}".format, tables),
    ):
        assert told(as_one(world, "link holder"), [address], (*HIDDEN_FROM_ALL, *HIDDEN_FROM_VISITORS)) == []


def test_printed_pages_have_no_hidden_names(world: World) -> None:
    names = ("print_sheets", "print_posters", "print_cards")
    printed = [reverse(f"league:{name}", args=[world.slug, world.tonight.pk]) for name in names]
    assert told(as_one(world, "organiser"), printed, HIDDEN_FROM_ALL) == []
    assert told(as_one(world, "organiser"), printed[:2], ("石田",)) != []


@pytest.mark.merge
def test_hidden_player_sees_their_name_and_others_do_not(world: World) -> None:
    league, user = world.league, world.users["player"]
    Player.objects.filter(key="aoki-of-file", league=league).update(user=user)
    addresses = [
        reverse("stats:player", args=[league.slug, league.players.get(key="aoki-of-file").pk]),
        reverse("league:standings", args=[league.slug, "2025-11"]),
        f"{reverse('league:standings', args=[league.slug, '2025-11'])}?on={world.session.date}",
        reverse("league:hanchan", args=[league.slug, world.hanchan.pk]),
    ]
    for address in addresses:
        assert told(as_one(world, "player"), [address], ("青木",)) == [(address, "青木")]
        for person in ("scorer", "organiser", "anonymous"):
            assert told(as_one(world, person), [address], HIDDEN_FROM_ALL) == []


@pytest.mark.long
def test_pages_cached_for_a_hidden_player_reveal_nothing_to_others(world: World) -> None:
    league, user = world.league, world.users["player"]
    Player.objects.filter(key="aoki-of-file", league=league).update(user=user)
    raise_edition(league.pk)
    read = []
    for address in (*pages(world, "everybody", "readers"), *pages(world, "everybody", "readers", language="/en")):
        read += told(as_one(world, "player"), [address], ("青木",))
        for other in ("scorer", "anonymous"):
            assert told(as_one(world, other), [address], HIDDEN_FROM_ALL) == []
    assert len(read) > 10


def test_hidden_name_in_the_directory_is_not_sorted_by_reading(world: World) -> None:
    page = "".join(contents(as_one(world, "anonymous"), reverse("league:players", args=[world.slug])))
    assert page.index(f"選手{world.league.players.get(key='aoki-of-file').pk:03d}") > page.index("上野")
