import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from league.models import HeldPhoto, ImportBatch, Job, League, Photo, Player, Revision
from league.services.erasing.history import sweep_late_names
from league.services.erasing.person import Erasure, erase_player
from league.services.history import SYSTEM, Actor
from league.services.people import PeopleError, PlayerFacts, add_player, change_player
from league.tasks import sweep_stale_periods
from tests.league.factories import make_league, make_session, make_user, play, run
from tests.league.people.erasing import NAMES, SECRETS, found_in, make_named_league, whole_database

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ASKED = Erasure("Hinata Aoki asked for it", also=("ひなた先輩",))


@pytest.fixture
def named() -> tuple[League, Player]:
    return make_named_league()


WRITTEN = {
    *("name", "kana", "romanised", "number", "club", "aliases", "visibility", "is_active", "active"),
    *("note", "reason", "title", "venue", "yakuman", "revoked"),
}


def figures(value: object) -> object:
    """Return a league's file without free text: all numbers, days and keys."""
    if isinstance(value, dict):
        return {key: figures(each) for key, each in sorted(value.items()) if key not in WRITTEN}
    return [figures(each) for each in value] if isinstance(value, list) else value


@pytest.mark.merge
def test_erasing_removes_the_name_everywhere_and_nothing_else(named: tuple[League, Player]) -> None:
    league, her = named
    commands = (("standings", "--month", "2025-11"), ("standings", "--year", "2025"), ("export_league",))
    before = [run(name, league.slug, *options) for name, *options in commands]
    history = set(Revision.objects.filter(league=league).values_list("pk", "action", "at", "subject_id"))
    assert set(found_in(whole_database())) == set(SECRETS)
    went = erase_player(player=her, asked=ASKED, by=Actor(make_user("owner-san"), "web"))
    assert min(went.facts, went.rows, went.files, went.photos) > 0
    database = whole_database()
    assert found_in(database) == []

    her.refresh_from_db()
    assert (her.name, her.romanised) == (f"選手 #{her.pk}", f"Player #{her.pk}")
    assert (her.kana, her.number, her.club, her.user, her.is_active, her.visibility) == (
        "",
        "",
        "",
        None,
        False,
        "public",
    )
    assert her.erased_at is not None
    assert not her.aliases.exists()
    assert her.seats.exists()

    *standings, file = (text.replace("hinata-of-file", her.key).replace("青木 ひなた", her.name) for text in before)
    after = [run(name, league.slug, *options) for name, *options in commands]
    assert after[:2] == standings
    assert figures(json.loads(after[2])) == figures(json.loads(file))
    run("verify", league.slug, "--quiet")

    assert history <= set(Revision.objects.filter(league=league).values_list("pk", "action", "at", "subject_id"))
    erased = Revision.objects.get(action="erased")
    assert (erased.subject_id, erased.by_name, erased.reason) == (her.pk, "owner-san", f"選手 #{her.pk} asked for it")
    assert Revision.objects.exclude(redacted_at=None).exists()

    assert not Photo.objects.filter(hanchan__league=league).exists()
    assert not HeldPhoto.objects.exists()
    files = {batch.file_name: bool(batch.data) for batch in ImportBatch.objects.all()}
    assert files == {"results.csv": False, "others.csv": True}

    assert erase_player(player=her, asked=ASKED, by=SYSTEM).facts == 0
    assert whole_database() == database


@pytest.mark.merge
def test_player_is_not_erased_while_merged_or_during_a_job(named: tuple[League, Player]) -> None:
    league, her = named
    with pytest.raises(PeopleError, match="merged"):
        erase_player(player=her.merged.get(), asked=ASKED, by=SYSTEM)
    Job.objects.create(league=league, kind=Job.Kind.IMPORT, state=Job.State.RUNNING)
    with pytest.raises(PeopleError, match="busy"):
        erase_player(player=her, asked=ASKED, by=SYSTEM)
    assert Player.objects.get(pk=her.pk).name in NAMES


@pytest.mark.merge
def test_other_players_keep_their_names(named: tuple[League, Player]) -> None:
    league, her = named
    namesake = add_player(league=league, facts=PlayerFacts(her.name, "よそ", aliases=("青木 ひなたろう",)), by=SYSTEM)
    seats = [namesake, *league.players.active().exclude(pk__in=[her.pk, namesake.pk]).order_by("pk")[:3]]
    play(make_session(league), players=seats, note="青木 ひなたろうが満貫")
    before = list(league.players.exclude(pk=her.pk).filter(merged_into=None).order_by("pk").values())
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    assert list(league.players.exclude(pk=her.pk).filter(merged_into=None).order_by("pk").values()) == before
    recorded: Any = Revision.objects.filter(subject="hanchan", action="recorded").latest("pk").after
    assert [seat["name"] for seat in recorded["seats"]] == [player.name for player in seats]
    assert recorded["note"] == "青木 ひなたろうが満貫"
    created: Any = Revision.objects.get(subject="player", subject_id=namesake.pk, action="created").after
    assert created["name"] == "青木 ひなた"


@pytest.mark.merge
def test_name_written_after_erasing_can_be_erased_again(named: tuple[League, Player]) -> None:
    _league, aoki = named
    erase_player(player=aoki, asked=Erasure("wish"), by=SYSTEM)
    aoki.refresh_from_db()
    change_player(player=aoki, facts=PlayerFacts("ゾウヤマ太郎"), by=SYSTEM)
    erase_player(player=Player.objects.get(pk=aoki.pk), asked=Erasure("wish"), by=SYSTEM)
    assert not found_in(whole_database(), ["ゾウヤマ太郎"])
    assert Player.objects.get(pk=aoki.pk).name == f"選手 #{aoki.pk}"


@pytest.mark.merge
def test_importing_an_older_file_does_not_restore_the_erased_player(
    named: tuple[League, Player], tmp_path: Path
) -> None:
    league, her = named
    old = run("export_league", league.slug)
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    for number, document in enumerate((run("export_league", league.slug), old)):
        file = tmp_path / f"{number}.json"
        file.write_text(document)
        run("import_league", str(file), slug=f"copy-{number}")
    fresh = Player.objects.get(league__slug="copy-1", name="青木 ひなた")
    her.refresh_from_db()
    assert fresh.pk != her.pk
    assert (fresh.user, fresh.merged_into, her.name) == (None, None, f"選手 #{her.pk}")
    assert Player.objects.filter(league__slug="copy-0", name=her.name).exists()


@pytest.mark.merge
def test_name_in_a_later_result_is_erased_by_the_sweep(
    named: tuple[League, Player],
) -> None:
    league, her = named
    before = Player.objects.get(pk=her.pk)
    others = list(league.players.active().exclude(pk=her.pk).order_by("pk")[:3])
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    play(make_session(league), players=[before, *others])
    assert found_in(whole_database(), ["青木 ひなた"])
    sweep_stale_periods()
    assert found_in(whole_database()) == []
    assert sweep_late_names(timezone.now()) == 0


@pytest.mark.merge
def test_player_of_another_league_keeps_their_name(named: tuple[League, Player]) -> None:
    _league, her = named
    other = add_player(league=make_league("friday"), facts=PlayerFacts(her.name), by=SYSTEM)
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    assert Player.objects.get(pk=other.pk).name == "青木 ひなた"


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite keeps what it has freed in its file")
def test_database_file_has_no_erased_name() -> None:
    _, her = make_named_league()
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    with connection.cursor() as cursor:
        cursor.execute("SELECT file FROM pragma_database_list WHERE name = 'main'")
        (file,) = cursor.fetchone()
    there = b"".join(path.read_bytes() for path in (Path(file), Path(f"{file}-wal")) if path.exists())
    assert len(there) > 100_000
    assert found_in(there) == []
