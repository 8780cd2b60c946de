import io
import os
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.error import HTTPError

import pytest
import urllib3
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from PIL import Image

from league import tasks
from league.models import Hanchan, HeldResult, Photo, SignOfLife
from league.services.erasing.person import Erasure, erase_player
from league.services.history import SYSTEM
from league.services.photo_moves import ask_for_moves, bring_back, move_photos, remove_unused, sweep_pictures
from league.services.photo_store import ObjectRefusedError, StoreError, list_objects, put_object, read_object
from league.services.photos import add_photo, clean_photo, withdraw_photo
from tests.league.entry_contexts import JSON, at, link_of, typed, url
from tests.league.factories import make_league, make_session, make_user, play
from tests.league.results.test_photos import picture, upload
from tests.photo_store import PhotoStore, start_photo_store

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NOWHERE = "http://127.0.0.1:9/tenbo-photos"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhotoStore]:
    store = start_photo_store(tmp_path_factory.mktemp("store"))
    yield store
    store.process.kill()
    store.process.wait()


@pytest.fixture
def store(running: PhotoStore, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[PhotoStore]:
    settings.PHOTO_STORE = running.settings
    set_timeout(monkeypatch, 60)
    yield running
    for key in running.keys:
        running.file(key).unlink()
    running.notice()


def set_timeout(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Set the store's timeout: long on a busy machine, short where it never answers."""
    monkeypatch.setattr("league.services.photo_store._http", urllib3.PoolManager(timeout=seconds, retries=False))


@pytest.fixture
def hanchan(db: None) -> Hanchan:
    del db
    league = make_league()
    make_user("aoki", league=league, role="player")
    return play(make_session(league))


def added(hanchan: Hanchan, shade: int = 0) -> Photo:
    photo = add_photo(hanchan=hanchan, picture=picture(shade), by=SYSTEM)
    Photo.objects.filter(pk=photo.pk).update(added_at=timezone.now() - timedelta(hours=1))
    return photo


def moved(hanchan: Hanchan, shade: int = 0) -> Photo:
    photo = added(hanchan, shade)
    assert move_photos(timezone.now(), None) == 1
    photo.refresh_from_db()
    return photo


def reader(name: str = "aoki") -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name), backend="django.contrib.auth.backends.ModelBackend")
    return client


def address_of(photo: Photo) -> str:
    return url("photo", photo.hanchan.league, photo.pk)


def fetched(address: str) -> tuple[int, bytes, str]:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status, answer.read(), answer.headers["Content-Type"]
    except HTTPError as error:
        return error.code, b"", ""


def test_photo_moves_to_the_store_after_a_minute(store: PhotoStore, hanchan: Hanchan) -> None:
    photo = add_photo(hanchan=hanchan, picture=picture(), by=SYSTEM)
    assert move_photos(timezone.now(), None) == 0
    assert store.keys == []
    assert move_photos(timezone.now() + timedelta(minutes=2), None) == 1
    kept = Photo.objects.get()
    assert (kept.key, bytes(kept.data)) == (f"photos/{hanchan.league_id}/{photo.digest}.jpg", b"")
    assert store.keys == [kept.key]
    assert store.file(kept.key).read_bytes() == bytes(photo.data)
    assert kept.size == len(bytes(photo.data))
    assert move_photos(timezone.now() + timedelta(minutes=2), None) == 0


def test_object_is_removed_with_its_last_photo(store: PhotoStore, hanchan: Hanchan) -> None:
    first, second = moved(hanchan), moved(play(hanchan.session, table=2))
    assert store.keys == [first.key] == [second.key]
    first.delete()
    assert remove_unused([first.key]) == 0
    second.delete()
    assert remove_unused([first.key]) == 1
    assert store.keys == []


def test_move_photos_resumes_and_leaves_damaged_photos(store: PhotoStore, hanchan: Hanchan, settings: Any) -> None:
    photos = [added(hanchan, shade) for shade in (10, 20, 30)]
    settings.PHOTO_STORE = store.settings | {"address": NOWHERE}
    with pytest.raises(CommandError, match=r"0 of 3 photos moved\. The photo store does not respond"):
        call_command("move_photos", "--quiet")
    settings.PHOTO_STORE = store.settings
    Photo.objects.filter(pk=photos[0].pk).update(data=b"spoilt")
    told = io.StringIO()
    call_command("move_photos", "--quiet", stdout=told)
    assert "2 photos moved to the store." in told.getvalue()
    # Unknown objects are left for an administrator to look at.
    assert Photo.objects.get(key="").pk == photos[0].pk


def test_photos_are_brought_back_into_the_database(store: PhotoStore, hanchan: Hanchan) -> None:
    first, second = added(hanchan, 10), added(hanchan, 20)
    move_photos(timezone.now(), None)
    second.refresh_from_db()
    store.file(second.key).write_bytes(b"another")
    store.notice()
    assert bring_back() == (1, 1)
    back = Photo.objects.get(key="")
    assert (back.pk, bytes(back.data)) == (first.pk, bytes(first.data))


def test_photo_survives_a_crash_between_store_and_row(store: PhotoStore, hanchan: Hanchan) -> None:
    photo = added(hanchan)
    with patch("league.services.photo_store.read_object", side_effect=KeyboardInterrupt), suppress(KeyboardInterrupt):
        move_photos(timezone.now(), None)
    assert len(store.keys) == 1
    answer = reader().get(address_of(photo))
    assert (answer.status_code, answer.content) == (200, bytes(photo.data))
    assert move_photos(timezone.now(), None) == 1
    assert fetched(reader().get(address_of(photo))["Location"])[1] == bytes(photo.data)
    assert len(store.keys) == 1


def test_permitted_user_is_redirected_to_the_store_for_a_minute(store: PhotoStore, hanchan: Hanchan) -> None:
    photo, other = moved(hanchan), moved(hanchan, 80)
    answer = reader().get(address_of(photo))
    assert answer.status_code == 302
    assert "no-store" in answer["Cache-Control"]
    assert "X-Amz-Expires=60&" in answer["Location"]
    assert fetched(answer["Location"]) == (200, store.file(photo.key).read_bytes(), "image/jpeg")
    assert fetched(answer["Location"].replace(photo.digest, other.digest))[0] == 403
    assert fetched(answer["Location"].partition("?")[0])[0] in {400, 403}
    make_user("stranger")
    assert reader("stranger").get(address_of(photo)).status_code in {403, 404}
    assert Client().get(address_of(photo)).status_code != 200
    assert Client().get(at(link_of(hanchan.session), "table_photo", photo.pk)).status_code == 302
    withdraw_photo(photo=photo, reason="another table's", by=SYSTEM)
    assert reader().get(address_of(photo)).status_code == 404


def test_photo_is_reported_as_kept_without_the_store(store: PhotoStore, hanchan: Hanchan, settings: Any) -> None:
    del store
    photo = moved(hanchan)
    settings.PHOTO_STORE = {}
    assert reader().get(address_of(photo)).status_code == 404
    page = reader().get(url("hanchan", hanchan.league, hanchan.pk)).content.decode()
    assert "この写真は保存されていますが" in page
    assert address_of(photo) not in page


def test_erasing_a_player_removes_their_pictures(
    store: PhotoStore, hanchan: Hanchan, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(hanchan)
    sent: list[tuple[str, Any]] = []
    monkeypatch.setattr("league.background._dispatch", lambda message: sent.append((message.task, message.args)))
    player = hanchan.seats.order_by("pk")[0].player
    with django_capture_on_commit_callbacks(execute=True):
        erase_player(player=player, asked=Erasure("asked"), by=SYSTEM)
        assert len(store.keys) == 1
        assert not sent
    [keys] = [args[0] for task, args in sent if task == "league.remove_pictures"]
    tasks.remove_pictures(keys)
    assert store.keys == []


def test_sweep_removes_old_unused_objects(store: PhotoStore, hanchan: Hanchan, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, waiting = moved(hanchan), added(hanchan, 50)
    left, fresh = (f"photos/{hanchan.league_id}/{letter * 64}.jpg" for letter in "ab")
    again = f"photos/{hanchan.league_id}/{waiting.digest}.jpg"
    for key in (left, fresh, again, "photos/1/notes.txt", "else/a.jpg"):
        put_object(key, b"x")
    two_days_ago = time.time() - 2 * 86_400
    for key in (kept.key, left, again, "photos/1/notes.txt"):
        os.utime(store.file(key), (two_days_ago, two_days_ago))
    store.notice()
    monkeypatch.setattr("league.services.photo_store.LISTED_AT_ONCE", 2)
    last, pages = sweep_pictures("", timezone.now()), 1
    while last:
        last, pages = sweep_pictures(last, timezone.now()), pages + 1
    assert pages > 2
    assert set(store.keys) == {kept.key, fresh, again, "photos/1/notes.txt", "else/a.jpg"}


def test_moves_and_sweeps_are_requested_when_due(
    store: PhotoStore, hanchan: Hanchan, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    del store
    sent: list[str] = []
    monkeypatch.setattr("league.services.photo_moves.background.send", lambda task, *_: sent.append(task))
    ask_for_moves()
    added(hanchan)
    tasks.sweep_pictures("")
    ask_for_moves()
    assert sent == ["league.sweep_pictures", "league.move_photos"]
    SignOfLife.objects.update(seen_at=timezone.now() - timedelta(days=2))
    ask_for_moves()
    assert sent[2:] == ["league.move_photos", "league.sweep_pictures"]
    settings.PHOTO_STORE = {}
    ask_for_moves()
    assert len(sent) == 4


@pytest.fixture
def hanging(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    set_timeout(monkeypatch, 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/tenbo-photos"
        settings.PHOTO_STORE = {"address": address, "public": address, "region": "a", "id": "b", "secret": "c"}
        yield


@pytest.mark.timing
def test_hanging_store_does_not_delay_a_result(
    hanging: None, running: PhotoStore, settings: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    del hanging
    league = make_league(players=4)
    link = link_of(make_session(league))
    begun = time.monotonic()
    assert Client().post(at(link), typed(league, photo=upload()), headers=JSON).status_code in {200, 201, 302}
    photo = Photo.objects.get()
    assert not HeldResult.objects.exists()
    assert photo.data
    Photo.objects.update(added_at=timezone.now() - timedelta(hours=1))
    tasks.move_photos()
    assert time.monotonic() - begun < 20
    assert "Photos stay in the database for now. The photo store does not respond" in caplog.text
    assert "X-Amz" not in caplog.text
    settings.PHOTO_STORE = running.settings
    set_timeout(monkeypatch, 60)
    tasks.move_photos()
    assert Photo.objects.get().key in running.keys


def test_unreachable_store_is_logged_by_tasks(hanging: None, caplog: pytest.LogCaptureFixture) -> None:
    del hanging
    tasks.remove_pictures(["photos/1/" + "0" * 64 + ".jpg"])
    tasks.sweep_pictures("")
    assert caplog.text.count("does not respond") == 2


def test_refused_photo_blocks_no_others(store: PhotoStore, hanchan: Hanchan, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = added(hanchan, 1), added(hanchan, 2)

    def put(key: str, data: bytes) -> None:
        if first.digest in key:
            raise ObjectRefusedError("no")
        put_object(key, data)

    monkeypatch.setattr("league.services.photo_store.put_object", put)
    assert move_photos(timezone.now(), None) == 1
    assert [photo.pk for photo in Photo.objects.filter(key="")] == [first.pk]
    assert any(second.digest in key for key in store.keys)
    with pytest.raises(ObjectRefusedError):
        move_photos(timezone.now(), None)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        pytest.param({"secret": "another"}, "refuses GET: 403", id="another key"),
        pytest.param({"address": NOWHERE}, "does not respond", id="nobody there"),
    ],
)
def test_store_error_shows_no_key(store: PhotoStore, settings: Any, wrong: dict[str, str], sentence: str) -> None:
    settings.PHOTO_STORE = store.settings | wrong
    with pytest.raises(StoreError, match=sentence) as caught:
        read_object("photos/1/a.jpg")
    assert "Signature=" not in str(caught.value)
    with pytest.raises(StoreError):
        list_objects()


def verify_output() -> str:
    told = io.StringIO()
    try:
        call_command("verify", "--quiet", stdout=told)
    except CommandError as error:
        told.write(str(error))
    return told.getvalue()


@pytest.mark.long
def test_verify_finds_missing_and_changed_photos(store: PhotoStore, hanchan: Hanchan, settings: Any) -> None:
    whole, gone, other, short, here = (added(hanchan, shade) for shade in (10, 20, 30, 40, 50))
    assert ", ok" in next(line for line in verify_output().splitlines() if "photos: 5 photos" in line)
    Photo.objects.filter(pk=here.pk).update(added_at=timezone.now())
    move_photos(timezone.now(), None)
    assert "photos: 5 photos" in verify_output()
    assert "differences" not in verify_output()
    for photo in (whole, gone, other, short):
        photo.refresh_from_db()
    store.file(gone.key).unlink()
    store.file(other.key).write_bytes(b"x" * other.size)
    store.file(short.key).write_bytes(b"x")
    store.notice()
    Photo.objects.filter(pk=here.pk).update(data=b"spoilt")
    told = verify_output()
    assert f"photo {gone.pk}: {gone.key} is not in the store" in told
    assert f"photo {other.pk}: {other.key} is not the picture that was added" in told
    assert f"photo {short.pk}: {short.key} has 1 bytes in the store, not {short.size}" in told
    assert f"photo {here.pk}: its picture differs from the one that was added" in told
    assert f"photo {whole.pk}:" not in told
    settings.PHOTO_STORE = store.settings | {"address": NOWHERE}
    assert "The photo store does not respond" in verify_output()
    settings.PHOTO_STORE = {}
    assert "4 pictures are in a store that PHOTOS_URL does not name" in verify_output()


@pytest.mark.long
def test_backup_omits_store_photos(transactional_db: None, store: PhotoStore, hanchan: Hanchan, tmp_path: Path) -> None:
    del transactional_db, store
    noise = io.BytesIO()
    Image.effect_noise((800, 600), 90).convert("RGB").save(noise, "JPEG")
    add_photo(hanchan=hanchan, picture=clean_photo(noise.getvalue()), by=SYSTEM)
    call_command("backup", str(tmp_path / "before.zip"), stdout=io.StringIO())
    Photo.objects.update(added_at=timezone.now() - timedelta(hours=1))
    move_photos(timezone.now(), None)
    call_command("backup", str(tmp_path / "after.zip"), stdout=io.StringIO())
    size = Photo.objects.get().size
    saved = (tmp_path / "before.zip").stat().st_size - (tmp_path / "after.zip").stat().st_size
    assert saved > 0.9 * size
    told = io.StringIO()
    call_command("restore", str(tmp_path / "after.zip"), "--replace", stdout=told)
    assert "1 photos are in a store, not in the backup" in told.getvalue()
