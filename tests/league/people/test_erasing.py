import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import time_machine
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection, models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Claim, Invitation, Notice, NoticeMail
from accounts.services import deletion
from accounts.services.deletion import close_account, end_account
from league.models import (
    Attendance,
    Confirmation,
    HeldPhoto,
    ImportBatch,
    Job,
    League,
    Photo,
    Player,
    Revision,
    SentForm,
)
from league.selectors.former import FORMER
from league.services.confirming import NewStatement, say
from league.services.erasing.history import sweep_late_names
from league.services.erasing.person import Erasure, erase_player
from league.services.history import SYSTEM, Actor
from league.services.people import PeopleError, PlayerFacts, add_player, change_player, link_user
from league.services.photos import add_photo
from league.tasks import sweep_stale_periods
from league.views.erasing import BORNE
from tests.league.entry_contexts import url
from tests.league.factories import log_in, make_league, make_players, make_session, make_user, play, run, settle
from tests.league.imports.files import file_of, game
from tests.league.imports.test_run import imported
from tests.league.made_rows import make_row
from tests.league.people.erasing import NAME, NAMES, SECRETS, found_in, make_named_league, whole_database
from tests.league.results.test_photos import picture
from tests.tournaments.factories import draw_and_plan, make_tournament
from tournaments.models import Decision, Registration, RegistrationTerms
from tournaments.services.events import revoke_decision

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
    assert not any((her.kana, her.number, her.club, her.user, her.is_active))
    assert her.visibility == "public"
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
    other = add_player(league=make_league("friday"), facts=PlayerFacts(her.name), by=SYSTEM)
    before = list(league.players.exclude(pk=her.pk).filter(merged_into=None).order_by("pk").values())
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    assert list(league.players.exclude(pk=her.pk).filter(merged_into=None).order_by("pk").values()) == before
    assert Player.objects.get(pk=other.pk).name == "青木 ひなた"
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
def test_importing_an_older_file_restores_no_erased_player(named: tuple[League, Player], tmp_path: Path) -> None:
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
def test_name_in_a_later_result_is_erased_by_the_sweep(named: tuple[League, Player]) -> None:
    league, her = named
    before = Player.objects.get(pk=her.pk)
    others = list(league.players.active().exclude(pk=her.pk).order_by("pk")[:3])
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    play(make_session(league), players=[before, *others])
    assert found_in(whole_database(), ["青木 ひなた"])
    sweep_stale_periods()
    assert found_in(whole_database()) == []
    assert sweep_late_names(timezone.now()) == 0


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


APPS = ("league", "tournaments", "accounts", "stats", "admin")


NOT_WRITTEN = {
    "league.Player": "has columns of its own for the name",
    "league.PlayerAlias": "as well",
    "league.Board": "sums, found by the key of a period",
    "league.Standing": "as well",
    "league.Attempts": "digests",
    "league.SignOfLife": "names of workers",
    "stats.KeptSums": "sums",
    "stats.Award": "the key of a title",
    "league.FormerAddress": "an address",
    "accounts.Preferences": "what an account is called",
}
"""Tables without text about people, with the reason."""


OF_THINGS = {
    "object_id",
    "name",
    "name_en",
    "key",
    "slug",
    "time_zone",
    "file",
    "digest",
    "message_id",
    "to",
    "stage",
    "texts",
    "format_key",
}
"""Columns that hold names of leagues, rules and tournaments, or identifiers."""


GUARDED = {"league.Revision"}
"""Append-only tables: the services that make_named_league calls write the names there."""


def written_in(model: type[models.Model]) -> Iterator[str]:
    for field in model._meta.concrete_fields:
        is_text = isinstance(field, models.CharField | models.TextField | models.JSONField)
        is_code = getattr(field, "choices", None) or field.name in OF_THINGS or field.name.endswith(("_hash", "_mark"))
        if is_text and not is_code and (getattr(field, "max_length", None) or 999) >= len(NAME) * 4:
            yield field.name


def plant() -> set[str]:
    """Write the name into every such column of all rows; return the columns as "app.Model.column"."""
    planted = set()
    for model in apps.get_models():
        label = model._meta.label
        if model._meta.app_label not in APPS or label in NOT_WRITTEN or label in GUARDED:
            continue
        for column in written_in(model):
            is_json = isinstance(model._meta.get_field(column), models.JSONField)
            value: Any = {"of": [f"{NAME}さん"]} if is_json else f"{NAME}さん"
            if model._base_manager.update(**{column: value}):
                planted.add(f"{label}.{column}")
    return planted


@pytest.mark.merge
def test_erased_name_is_in_no_column_of_any_table(named: tuple[League, Player]) -> None:
    _league, her = named
    make_user("ueno")
    for model in (Invitation, Claim, NoticeMail, Notice, SentForm, Attendance, RegistrationTerms, Registration):
        make_row(model)
    planted = plant()
    assert {
        "accounts.Invitation.label",
        "accounts.Claim.note",
        "accounts.NoticeMail.error",
        "league.SentForm.answer",
    } <= planted
    assert len(planted) > 30
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    for place in sorted(planted):
        label, column = place.rsplit(".", 1)
        values = apps.get_model(label)._base_manager.values_list(column, flat=True)
        assert not any(found_in(str(value).encode()) for value in values), place


@pytest.mark.merge
def test_erased_name_is_in_no_login_session_or_stored_redirect(named: tuple[League, Player]) -> None:
    _league, her = named
    SentForm.objects.create(digest="2", answer=f"/l/friday/people/?q={quote(NAME)}")
    SentForm.objects.create(digest="3", answer="/l/friday/people/?q=1")
    waiting, other = SessionStore(), SessionStore()
    waiting["suspended"], other["suspended"] = {"POST": f"reason={NAME}"}, {"POST": "reason=石田"}
    waiting["theme"] = "dark"
    waiting.save()
    other.save()
    erase_player(player=her, asked=Erasure("asked"), by=SYSTEM)
    assert dict(SessionStore(waiting.session_key).items()) == {"theme": "dark"}
    assert SessionStore(other.session_key)["suspended"] == {"POST": "reason=石田"}
    assert list(SentForm.objects.filter(digest__in=("2", "3")).values_list("digest", flat=True)) == ["3"]


def test_name_of_a_deleted_user_is_removed_from_histories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "LATE", timedelta(0))
    tournament = make_tournament()
    draw_and_plan(tournament, "qualifying")
    first, second = tournament.league, make_league("friday")
    make_players(second)
    user = make_user("kuroda-mitsuru", league=first, role="organiser")
    by = Actor(user, "web")
    say(hanchan=play(make_session(first), by=by), statement=NewStatement(Confirmation.Verdict.AGREES, 1, None), by=by)
    link_user(player=first.players.earliest("pk"), user=user, by=by)
    revoke_decision(Decision.objects.earliest("pk"), by, "drawn anew")
    play(make_session(second), by=by)
    facts = set(Revision.objects.values_list("pk", "at", "action"))
    close_account(user=user, source="web")
    assert end_account(user.pk)
    assert found_in(whole_database(), ["kuroda-mitsuru"]) == []
    assert facts <= set(Revision.objects.values_list("pk", "at", "action"))
    assert Confirmation.objects.get().by_name == FORMER


REASON = "asked for it"


@pytest.fixture
def league_with_photo() -> League:
    league = make_league()
    aoki = make_players(league)[0]
    add_photo(hanchan=play(make_session(league)), picture=picture(), by=SYSTEM)
    with time_machine.travel(timezone.now() - BORNE):
        link_user(player=aoki, user=make_user("a-san", league=league, role="player"), by=SYSTEM)
    for role in ("scorer", "organiser", "owner"):
        make_user(role, league=league, role=role)
    settle()
    return league


def page_of(player: Player) -> str:
    return url("player_erase", player.league, player.pk)


def aoki_of(league: League) -> Player:
    return league.players.get(key="p1")


@pytest.mark.merge
def test_player_erases_their_own_name(league_with_photo: League) -> None:
    aoki, phone = aoki_of(league_with_photo), log_in("a-san")
    shown = reverse("stats:player", args=[league_with_photo.slug, aoki.pk])
    name_page = url("player_name", league_with_photo, aoki.pk)
    assert name_page in phone.get(shown).content.decode()
    assert page_of(aoki) in phone.get(name_page).content.decode()
    page = phone.get(page_of(aoki)).content.decode()
    assert f"選手 #{aoki.pk}" in page
    assert "写真1枚" in page
    assert 'name="keep"' not in page
    assert "青木" in Client().get(url("standings", league_with_photo, "2025-11")).content.decode()
    said = phone.post(page_of(aoki), {"reason": REASON, "confirm": "青 木"}, follow=True).content.decode()
    assert f"選手 #{aoki.pk}" in said
    for address in (shown, url("standings", league_with_photo, "2025-11")):
        assert "青木" not in Client().get(address).content.decode()
        assert f"選手 #{aoki.pk}" in Client().get(address).content.decode()
    assert not Photo.objects.exists()
    assert Player.objects.get(pk=aoki.pk).user is None


@pytest.mark.merge
def test_owner_erases_a_name_and_keeps_a_photo(league_with_photo: League) -> None:
    aoki, owner, photo = aoki_of(league_with_photo), log_in("owner"), Photo.objects.get()
    assert page_of(aoki) in owner.get(url("player_edit", league_with_photo, aoki.pk)).content.decode()
    sent = {"reason": REASON, "confirm": "Aoki", "keep": [str(photo.pk)], "also": "アオちゃん"}
    assert f"Player #{aoki.pk}" in owner.post(f"/en{page_of(aoki)}", sent, follow=True).content.decode()
    assert Photo.objects.get() == photo
    assert "すでに消去されています" in owner.post(page_of(aoki), sent, follow=True).content.decode()


def test_player_may_erase_no_other_name(league_with_photo: League) -> None:
    ishida, client = league_with_photo.players.get(key="p2"), log_in("a-san")
    sent = {"reason": REASON, "confirm": ishida.name}
    for answer in (client.get(page_of(ishida)), client.post(page_of(ishida), sent)):
        assert answer.status_code == 403
    assert Player.objects.get(pk=ishida.pk).name == ishida.name


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        pytest.param({"reason": "", "confirm": "青木"}, "reason", id="no reason"),
        pytest.param({"reason": "x", "confirm": ""}, "confirm", id="no name"),
        pytest.param({"reason": "x", "confirm": "石田"}, "confirm", id="another name"),
        pytest.param({"reason": "x", "confirm": "青木", "also": "青"}, "also", id="one letter"),
        pytest.param(
            {"reason": "x", "confirm": "青木", "also": "\n".join("abcdefghijklmnopqrstuvwxyz")}, "also", id="many"
        ),
        pytest.param({"reason": "x", "confirm": "青木", "keep": "999999"}, "keep", id="a photo of others"),
        pytest.param({"reason": "x" * 5000, "confirm": "青木\x00"}, "reason", id="too long"),
    ],
)
def test_invalid_request_erases_nothing(league_with_photo: League, sent: dict[str, str], field: str) -> None:
    aoki = aoki_of(league_with_photo)
    answer = log_in("owner").post(page_of(aoki), sent)
    assert answer.status_code == 200
    assert answer.context["form"].errors[field]
    assert Player.objects.get(pk=aoki.pk).name == "青木"


@pytest.mark.merge
def test_import_pages_open_after_their_file_was_erased(league_with_photo: League) -> None:
    names = [player.name for player in league_with_photo.players.order_by("pk")]
    batch = imported(league_with_photo, file_of(game("2025-11-22", names=names)))
    owner, aoki = log_in("owner"), aoki_of(league_with_photo)
    assert batch.file_name in owner.get(page_of(aoki)).content.decode()
    owner.post(page_of(aoki), {"reason": REASON, "confirm": "青木"})
    assert bytes(ImportBatch.objects.get().data) == b""
    for name in ("import_result", "import_review"):
        answer = owner.get(url(name, league_with_photo, batch.pk), follow=True)
        assert answer.status_code in {200, 404}, name
        assert "青木" not in answer.content.decode()
    assert owner.get(url("imports", league_with_photo)).status_code == 200


def test_organiser_cannot_erase_a_player_by_linking_themselves(league_with_photo: League) -> None:
    ishida = league_with_photo.players.get(key="p2")
    organiser = log_in("organiser")
    link_user(player=ishida, user=User.objects.get(username="organiser"), by=SYSTEM)
    assert "オーナー" in organiser.get(page_of(ishida)).content.decode()
    assert "オーナー" in organiser.post(page_of(ishida), {"reason": REASON, "confirm": "石田"}).content.decode()
    assert Player.objects.get(pk=ishida.pk).name == "石田"
    log_in("owner").post(page_of(ishida), {"reason": REASON, "confirm": "石田"})
    assert Player.objects.get(pk=ishida.pk).name == f"選手 #{ishida.pk}"


def test_hidden_player_can_erase_their_name(league_with_photo: League) -> None:
    aoki = aoki_of(league_with_photo)
    change_player(player=aoki, facts=PlayerFacts("青木", visibility="nobody"), by=SYSTEM)
    log_in("a-san").post(page_of(aoki), {"reason": REASON, "confirm": "青木"})
    assert Player.objects.get(pk=aoki.pk).name == f"選手 #{aoki.pk}"
