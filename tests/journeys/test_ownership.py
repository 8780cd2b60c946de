import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.interchange.problems import InterchangeError
from league.interchange.storing.league import store_league
from league.interchange.writing import write_league
from league.management.arguments import find_league
from league.models import Hanchan, League, Player, Revision
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
from league.services.ownership import change_address, set_league_state
from tests.journeys.crawl import crawl
from tests.journeys.pages import Visitor
from tests.league.factories import as_text, make_league, make_session, make_user, play
from tournaments.interchange.reading import read_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    return make_league("friday", name="金曜会")


@pytest.fixture
def hanchan(league: League) -> Hanchan:
    return play(make_session(league))


@pytest.fixture
def user(league: League) -> User:
    return make_user("aoki", league=league, role="owner")


@pytest.fixture
def owner(client: Client, user: User, hanchan: Hanchan) -> Visitor:
    client.force_login(user)
    return Visitor(client)


def managed(owner: Visitor, name: str = "金曜会") -> Visitor:
    return owner.opens("/").follows(name, to=r"^/l/[a-z0-9-]+/$").follows("運営")


@pytest.mark.long
def test_old_league_address_redirects_every_page(owner: Visitor, league: League, hanchan: Hanchan) -> None:
    managed(owner).follows("設定").follows("アドレス").submits("アドレスを変える", slug="saturday")
    owner.reads("/l/friday/").follows(to=r"^/l/saturday/$")
    stranger = Client()
    for rest in (
        "",
        "standings/2025-11/",
        f"g/{hanchan.pk}/",
        "standings/2025-11/csv/",
        "t/none/",
        "manage/export/?a=b",
    ):
        answer = stranger.get(f"/en/l/friday/{rest}")
        assert (answer.status_code, answer["Location"]) == (307, f"/en/l/saturday/{rest}")
    assert Revision.objects.filter(subject="league", before={"slug": "friday"}, after={"slug": "saturday"}).exists()
    owner.opens("/").follows("金曜会").follows("運営").follows("履歴").reads("friday", "saturday")


def test_post_to_the_old_address_is_processed(owner: Visitor, league: League, hanchan: Hanchan, user: User) -> None:
    change_address(league=league, slug="saturday", by=SYSTEM)
    answer = owner.client.post(f"/l/friday/g/{hanchan.pk}/void/", {"reason": "typed twice"}, follow=True)
    assert answer.redirect_chain[0] == (f"/l/saturday/g/{hanchan.pk}/void/", 307)
    hanchan.refresh_from_db()
    assert hanchan.is_voided


def test_former_address_is_reserved_and_can_be_reclaimed(owner: Visitor, league: League) -> None:
    change_address(league=league, slug="saturday", by=SYSTEM)
    change_address(league=league, slug="sunday", by=SYSTEM)
    for taken in ("friday", "Saturday", "sunday"):
        owner.opens("/").follows("リーグを作る").submits("リーグを作る", name="別の会", slug=taken)
        owner.reads("このアドレスは")
    change_address(league=league, slug="friday", by=SYSTEM)
    assert Client().get("/l/sunday/")["Location"] == Client().get("/l/saturday/")["Location"] == "/l/friday/"
    assert Client().get("/l/friday/").status_code == 200
    assert set(league.former_addresses.values_list("slug", flat=True)) == {"saturday", "sunday"}


def test_table_link_survives_a_changed_league_address(owner: Visitor, league: League) -> None:
    link = issue_link(session=make_session(league, league.day_of(timezone.now())), table=1, by=SYSTEM)
    change_address(league=league, slug="saturday", by=SYSTEM)
    assert Client().get(f"/e/{code_of(link)}/").status_code == 200


def test_copied_league_has_rules_settings_and_chosen_players(owner: Visitor, league: League) -> None:
    League.objects.filter(pk=league.pk).update(minimum_year=8, first_month=4)
    make_user("ishida", league=league, role="organiser")
    kept = [str(player.pk) for player in Player.objects.filter(league=league)[:3]]
    managed(owner).follows("設定").follows("リーグを複製する")
    owner.submits("複製する", name="金曜会 二期", slug="friday-2", players=kept).reads("金曜会 二期ができました")
    copy = League.objects.get(slug="friday-2")
    assert (copy.minimum_year, copy.first_month, copy.players.count()) == (8, 4, 3)
    assert (copy.hanchan.count(), copy.sessions.count()) == (0, 0)
    assert list(copy.members.values_list("user__username", "role")) == [("aoki", "owner")]
    assert copy.current_version
    assert league.current_version
    assert copy.current_version.parameters == league.current_version.parameters
    assert copy.current_version.pk != league.current_version.pk


@pytest.mark.long
def test_archived_league_is_read_only_until_reopened(owner: Visitor, league: League, hanchan: Hanchan) -> None:
    session, host = make_session(league, league.day_of(timezone.now())), Client()
    host.force_login(make_user("host", is_superuser=True))
    link = issue_link(session=session, table=1, by=SYSTEM)
    managed(owner).follows("設定").follows("終了・取り下げ").submits("リーグを終了する", reason="一年が終わった")
    owner.reads("このリーグは終了しています").misses("結果を入力")
    owner.opens("/").reads("終了したリーグ").follows("金曜会").follows("対局")
    for path in (f"sessions/{session.pk}/enter/", "enter/", f"g/{hanchan.pk}/correct/", "manage/settings/"):
        for client in (owner.client, host):
            answer = client.get(f"/l/friday/{path}")
            assert (answer.status_code, "終了しています" in answer.content.decode()) == (403, True)
    for answer in (Client().get(f"/e/{code_of(link)}/"), Client().post(f"/e/{code_of(link)}/", {"raw_0": "1"})):
        assert "終了しています" in answer.content.decode()
    sent = Client().post(f"/e/{code_of(link)}/", {"raw_0": "1"}, headers={"accept": "application/json"})
    assert (sent.status_code, sent.json()["state"]) == (410, "ended")
    assert league.hanchan.count() == 1
    managed(owner).follows("終了・取り下げ").submits("リーグを再開する", reason="続ける").reads("再開しました")
    owner.follows("結果を入力")


@pytest.mark.long
@pytest.mark.parametrize("role", ["", "player", "scorer", "organiser", "owner"])
def test_archived_league_offers_no_refused_actions(role: str, league: League, hanchan: Hanchan, client: Client) -> None:
    set_league_state(league=league, state=League.State.ARCHIVED, reason="over", by=SYSTEM)
    if role:
        client.force_login(make_user("ishida", league=league, role=role))
    assert crawl(client).refused == []


@pytest.mark.long
def test_league_taken_down_is_visible_to_its_owner_only(owner: Visitor, league: League, hanchan: Hanchan) -> None:
    managed(owner).follows("設定").follows("終了・取り下げ").submits("リーグを取り下げる", reason="試しただけ")
    other = Client()
    assert "金曜会" not in other.get("/").content.decode()
    assert other.get("/l/friday/").status_code == 302
    for role in ("player", "organiser"):
        other.force_login(make_user(role, league=league, role=role))
        assert "金曜会" not in other.get("/").content.decode()
        assert other.get("/l/friday/").status_code == other.get(f"/l/friday/g/{hanchan.pk}/").status_code == 404
    assert Hanchan.objects.filter(pk=hanchan.pk).exists()
    managed(owner).reads("オーナーだけ").follows("終了・取り下げ").submits("リーグを再開する", reason="やはり続ける")
    assert Client().get("/l/friday/").status_code == 200


def test_archived_league_is_imported_as_archived(league: League, hanchan: Hanchan) -> None:
    set_league_state(league=league, state=League.State.ARCHIVED, reason="over", by=SYSTEM)
    document = write_league(league)
    assert document["league"]["state"] == "archived"
    copy = store_league(read_file(as_text(document).encode()), by=SYSTEM, slug="elsewhere")
    assert copy.state == League.State.ARCHIVED


def test_import_under_a_former_address_is_refused(league: League, hanchan: Hanchan) -> None:
    change_address(league=league, slug="saturday", by=SYSTEM)
    with pytest.raises(InterchangeError, match="friday"):
        store_league(read_file(as_text(write_league(league)).encode()), by=SYSTEM, slug="friday")
    assert find_league("friday") == league
