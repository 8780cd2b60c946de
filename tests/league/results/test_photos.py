import io
import struct
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageDraw
from PIL.PngImagePlugin import PngInfo

from config.uploads import MAX_UPLOAD_BYTES
from league.core.photos import (
    MAX_PER_HANCHAN,
    MAX_PHOTO_BYTES,
    below_league,
    digest_in,
    fitting_size,
    is_legible,
    key_of,
    scans_in,
)
from league.core.signed_addresses import SigningKey, signed_address
from league.messages.photos import photo_sentence
from league.models import Hanchan, HeldPhoto, HeldResult, League, Photo, Revision, Session
from league.services.history import SYSTEM
from league.services.photos import CleanedPhoto, PhotoError, add_photo, clean_photo, take_over_photo, withdraw_photo
from tests.budget import budget
from tests.league.entry_contexts import JSON, at, link_of, typed, url
from tests.league.factories import logged_in, make_league, make_session, play

needs_database = pytest.mark.django_db


def sheet(width: int = 400, height: int = 300, mode: str = "RGB") -> Image.Image:
    """Return a picture with a dark upper left corner, which shows its orientation."""
    picture = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(picture).rectangle((0, 0, width // 2, height // 2), fill="black")
    return picture.convert(mode)


def saved(picture: Image.Image, kind: str = "JPEG", **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def opened(cleaned: CleanedPhoto) -> Image.Image:
    picture = Image.open(io.BytesIO(cleaned.jpeg))
    picture.load()
    assert picture.format == "JPEG"
    assert picture.size == (cleaned.width, cleaned.height)
    return picture


def refusal(data: bytes) -> str:
    with pytest.raises(PhotoError) as caught:
        clean_photo(data)
    assert photo_sentence(caught.value.code)
    return caught.value.code


def upload(data: bytes | None = None, name: str = "IMG_0001.JPG", kind: str = "image/jpeg") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, saved(sheet()) if data is None else data, kind)


@pytest.mark.parametrize(
    ("width", "height", "kept"),
    [
        pytest.param(400, 300, (400, 300), id="a small one stays"),
        pytest.param(4000, 3000, (1600, 1200), id="a large one becomes smaller"),
        pytest.param(3000, 4000, (1200, 1600), id="upright"),
        pytest.param(1601, 1600, (1600, 1599), id="hardly too large"),
        pytest.param(100_000, 1, (1600, 1), id="a line"),
    ],
)
def test_large_photo_is_scaled_down(width: int, height: int, kept: tuple[int, int]) -> None:
    assert fitting_size(width, height) == kept
    assert is_legible(width, height) == (min(kept) >= 64)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_every_pixel_mode_is_read(mode: str) -> None:
    if mode.startswith("I"):
        picture = Image.new("I", (400, 300), 65535)
        picture.paste(0, (0, 0, 200, 150))
        picture = picture.convert(mode)
    else:
        picture = sheet(mode=mode)
    kept = opened(clean_photo(saved(picture, "PNG")))
    assert kept.convert("L").getpixel((20, 20)) < 60  # type: ignore[operator]
    assert kept.convert("L").getpixel((390, 290)) > 200  # type: ignore[operator]


def test_transparency_becomes_white() -> None:
    picture = Image.new("RGBA", (400, 300), (0, 0, 0, 0))
    assert opened(clean_photo(saved(picture, "PNG"))).getpixel((200, 150)) == (255, 255, 255)
    palette = Image.new("P", (400, 300), 0)
    assert opened(clean_photo(saved(palette, "PNG", transparency=0))).getpixel((200, 150)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("orientation", "corner"),
    [
        (1, (5, 5)), (2, (395, 5)), (3, (395, 295)), (4, (5, 295)),
        (5, (5, 5)), (6, (295, 5)), (7, (295, 395)), (8, (5, 395)),
    ],
)  # fmt: skip
def test_photo_is_turned_upright(orientation: int, corner: tuple[int, int]) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    kept = opened(clean_photo(saved(sheet(), exif=exif)))
    assert kept.size == ((300, 400) if orientation > 4 else (400, 300))
    assert kept.convert("L").getpixel(corner) < 60  # type: ignore[operator]
    assert 0x0112 not in kept.getexif()


def test_metadata_and_appended_data_of_a_jpeg_are_removed() -> None:
    exif = Image.Exif()
    exif[0x010F] = "SECRETCAMERA"
    exif[0x9003] = "2025:11:21 21:34:00"
    exif.get_ifd(0x8825).update({1: "N", 2: (35.0, 41.0, 0.0), 3: "E", 4: (139.0, 37.0, 0.0)})
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/">SECRETXMP</x:xmpmeta>'
    data = saved(sheet(), exif=exif, icc_profile=profile, comment=b"SECRETREMARK", xmp=xmp, dpi=(300, 300))
    for secret in (b"SECRETCAMERA", b"SECRETREMARK", b"SECRETXMP", b"acsp"):
        assert secret in data
    cleaned = clean_photo(data + b"<html><script>alert(1)</script></html>PK\x03\x04")
    assert cleaned.jpeg.endswith(b"\xff\xd9")
    for trace in (b"script", b"PK\x03\x04", b"SECRET", b"Exif", b"acsp", b"ICC_PROFILE", b"http://", b"adobe"):
        assert trace not in cleaned.jpeg
    picture = opened(cleaned)
    assert dict(picture.getexif()) == {}
    assert set(picture.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_metadata_of_a_png_and_a_webp_is_removed() -> None:
    remarks = PngInfo()
    remarks.add_text("Comment", "SECRETREMARK")
    remarks.add_itxt("XML:com.adobe.xmp", "SECRETXMP")
    exif = Image.Exif()
    exif[0x010F] = "SECRETCAMERA"
    for data in (
        saved(sheet(), "PNG", pnginfo=remarks, exif=exif),
        saved(sheet(), "WEBP", exif=exif, xmp=b"SECRETXMP"),
    ):
        assert b"SECRET" in data
        assert b"SECRET" not in clean_photo(data).jpeg


def png_of_size(width: int, height: int) -> bytes:
    """Return a PNG header that claims a size, with hardly any data."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def png_with_a_swelling_remark() -> bytes:
    """Return a PNG with a compressed comment that expands to a hundred megabytes."""
    remark = b"Comment\0\0" + zlib.compress(b"\0" * 100_000_000)
    chunk = struct.pack(">I", len(remark)) + b"zTXt" + remark + struct.pack(">I", zlib.crc32(b"zTXt" + remark))
    data = saved(sheet(), "PNG")
    return data[:33] + chunk + data[33:]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"", "empty", id="nothing"),
        pytest.param(b"%PDF-1.7 ...", "unknown", id="a document"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "unknown", id="a drawing"),
        pytest.param(saved(sheet(), "GIF"), "unknown", id="GIF"),
        pytest.param(saved(sheet())[:-100], "broken", id="half a JPEG"),
        pytest.param(saved(sheet(), "PNG")[:-40], "broken", id="a PNG without its end"),
        pytest.param(saved(sheet(), "WEBP")[:-40], "unknown", id="a WebP without its end"),
        pytest.param(png_of_size(400, 300), "broken", id="a PNG without pixels"),
        pytest.param(png_with_a_swelling_remark(), "unknown", id="a remark that swells"),
        pytest.param(png_of_size(4000, 4001), "too_many_pixels_whole", id="16 million pixels unpacked whole"),
        pytest.param(png_of_size(60_000, 60_000), "too_many_pixels", id="a bomb"),
        pytest.param(png_of_size(2**31 - 1, 2**31 - 1), "too_many_pixels", id="as large as can be written"),
        pytest.param(saved(sheet()) + b"\0" * MAX_PHOTO_BYTES, "too_large", id="more than eight megabytes"),
        pytest.param(saved(Image.new("RGB", (1, 1))), "too_narrow", id="one pixel"),
        pytest.param(saved(Image.new("RGB", (60_000, 20))), "too_narrow", id="a line"),
    ],
)
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_invalid_photo_is_refused(data: bytes, code: str) -> None:
    assert refusal(data) == code


def test_photo_with_thousands_of_scans_is_refused() -> None:
    whole = saved(Image.new("L", (2000, 1500), "white"), progressive=True)
    again = whole[whole.rindex(b"\xff\xda") : -2]
    assert refusal(whole[:-2] + again * 3000 + whole[-2:]) == "too_many_scans"
    assert clean_photo(whole[:-2] + again * 3 + whole[-2:]).width == 1600


@pytest.mark.parametrize(
    ("data", "scans"),
    [
        pytest.param(saved(sheet(64, 48)), 1, id="usual"),
        pytest.param(saved(sheet(64, 48), progressive=True), 10, id="progressive"),
        pytest.param(saved(sheet(64, 48), restart_marker_blocks=1), 1, id="pieces that begin anew"),
        pytest.param(
            saved(sheet(64, 48), comment=saved(sheet(64, 48), progressive=True)) + b"\xff\xda" * 500,
            1,
            id="a picture in a remark, a film behind the end",
        ),
        pytest.param(b"\xff\xd8\xff\xe0\0\0" * 9, 0, id="no photo"),
    ],
)
def test_scans_of_a_photo_are_counted(data: bytes, scans: int) -> None:
    assert scans_in(data) == scans


GOOD = {kind: saved(sheet(120, 90), kind) for kind in ("JPEG", "PNG", "WEBP")}


@settings(max_examples=budget(150, least=20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(GOOD)), st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=8))
@pytest.mark.filterwarnings("ignore")
def test_damaged_file_gives_a_photo_or_an_error(kind: str, damages: list[tuple[int, int]]) -> None:
    data = bytearray(GOOD[kind])
    for place, byte in damages:
        data[place % len(data)] = byte
    with suppress(PhotoError):
        assert max(opened(clean_photo(bytes(data))).size) <= 1600


@pytest.fixture
def hanchan() -> Hanchan:
    return play(make_session(make_league()))


def picture(shade: int = 0) -> CleanedPhoto:
    return clean_photo(saved(Image.new("RGB", (200, 200), (shade, shade, shade)), "PNG"))


@needs_database
def test_picture_sent_again_is_stored_once_and_restored(hanchan: Hanchan) -> None:
    photo = add_photo(hanchan=hanchan, picture=picture(), by=SYSTEM)
    assert add_photo(hanchan=hanchan, picture=picture(), by=SYSTEM).pk == photo.pk
    withdraw_photo(photo=photo, reason="wrong table", by=SYSTEM)
    withdraw_photo(photo=photo, reason="again", by=SYSTEM)
    again = add_photo(hanchan=hanchan, picture=picture(), by=SYSTEM)
    assert (again.pk, again.withdrawn) == (photo.pk, False)
    told = Revision.objects.filter(subject="photo", subject_id=photo.pk).order_by("pk").values_list("action", "reason")
    assert list(told) == [("created", ""), ("withdrawn", "wrong table"), ("restored", "")]


@pytest.fixture
def league(hanchan: Hanchan) -> League:
    return hanchan.league


@pytest.fixture
def session(hanchan: Hanchan) -> Session:
    return hanchan.session


@needs_database
def test_scorer_adds_a_photo_and_the_page_shows_it(league: League, hanchan: Hanchan) -> None:
    scorer = logged_in(league, "scorer")
    answer = scorer.post(url("photo_add", league, hanchan.pk), {"photo": upload()})
    assert answer["Location"] == url("hanchan", league, hanchan.pk) + "#photos"
    photo = Photo.objects.get()
    for page in ("hanchan", "receipt"):
        assert url("photo", league, photo.pk) in scorer.get(url(page, league, hanchan.pk)).content.decode()
    picture = scorer.get(url("photo", league, photo.pk))
    assert picture["Content-Type"] == "image/jpeg"
    assert picture["X-Content-Type-Options"] == "nosniff"
    assert picture["Cache-Control"] == "private, no-cache"
    assert picture["Content-Disposition"].startswith("inline")
    assert picture.content == bytes(photo.data)


@needs_database
def test_only_members_see_photos(league: League, session: Session, hanchan: Hanchan) -> None:
    photo = add_photo(hanchan=hanchan, picture=picture(), by=SYSTEM)
    shown, add = url("photo", league, photo.pk), url("photo_add", league, hanchan.pk)
    pages = [url(page, league, hanchan.pk) for page in ("hanchan", "receipt")]
    page = logged_in(league, "player").get(pages[0]).content.decode()
    assert '<section class="photos"' in page
    assert add not in page
    other = make_league("other")
    for visitor in (Client(), logged_in(other, "owner", "other")):
        assert visitor.get(shown).status_code in {302, 403}
        assert visitor.get(url("photo", other, photo.pk)).status_code in {302, 404}
    for address in (*pages, url("session", league, session.pk)):
        page = Client().get(address).content.decode()
        assert 'class="photos"' not in page
        assert shown not in page


@needs_database
@pytest.mark.parametrize(
    ("file", "words"),
    [
        pytest.param(upload(b"%PDF-1.7"), "JPEG", id="no photo"),
        pytest.param(upload(b""), "空", id="empty"),
        pytest.param("just text", "必須", id="no file"),
        pytest.param(upload(saved(sheet())[:-100]), "壊れて", id="broken"),
    ],
)
def test_invalid_photo_shows_an_error(league: League, hanchan: Hanchan, file: Any, words: str) -> None:
    answer = logged_in(league, "scorer").post(url("photo_add", league, hanchan.pk), {"photo": file})
    assert answer.status_code == 200
    assert words in answer.content.decode()
    assert not Photo.objects.exists()


@needs_database
def test_photo_sent_after_its_result_is_added_once(session: Session) -> None:
    link = link_of(session, 2)
    sent = typed(session.league, "400", "300", "200", "")
    sends: list[dict[str, Any]] = [{}, {"photo": upload()}, {"photo": upload(), "unsent": "1"}]
    answers = [Client().post(at(link), sent | more, headers=JSON).json() for more in sends]
    assert {said["state"] for said in answers} == {"saved"}
    photo = Photo.objects.get()
    assert (photo.hanchan_id, photo.source) == (answers[0]["hanchan"], "table link 2")
    more, shown = at(link, "table_photo_add", photo.hanchan_id), at(link, "table_photo", photo.pk)
    phone = Client(enforce_csrf_checks=True)
    assert phone.get(more).status_code == 200
    receipt = at(link, "table_receipt", photo.hanchan_id)
    assert phone.post(more, {"photo": upload()})["Location"] == f"{receipt}#photos"
    assert shown in phone.get(receipt).content.decode()
    assert phone.get(shown).content == bytes(photo.data)
    other = sent | {"raw_0": "300", "raw_1": "400", "photo": upload(saved(sheet(300, 400)))}
    assert Client().post(at(link), other, headers=JSON).json()["differs"] is True
    Client().post(at(link_of(session, 3)), sent | {"photo": upload(saved(sheet(300, 400)))}, headers=JSON)
    assert Photo.objects.count() == 1


@needs_database
def test_withdrawing_a_photo_needs_a_reason_and_hides_it(league: League, hanchan: Hanchan) -> None:
    photo = add_photo(hanchan=hanchan, picture=picture(), by=SYSTEM)
    scorer = logged_in(league, "scorer")
    away = url("photo_withdraw", league, photo.pk)
    assert scorer.get(away).status_code == 200
    scorer.post(away, {"reason": " "})
    assert Photo.objects.filter(withdrawn=False).exists()
    scorer.post(away, {"reason": "shows a stranger"})
    assert not Photo.objects.filter(withdrawn=False).exists()
    assert scorer.get(url("photo", league, photo.pk)).status_code == 404
    assert scorer.get(away).status_code == 302
    assert "shows a stranger" in logged_in(league, "organiser", "ishida").get(url("history", league)).content.decode()


@needs_database
def test_result_and_photo_are_stored_together_or_not_at_all(league: League, session: Session) -> None:
    scorer = logged_in(league, "scorer")
    fields = typed(league, "417", "203", "265", "115", photo=upload())
    invalid = fields | {"photo": upload(b"no picture")}
    page = scorer.post(url("enter_session", league, session.pk), invalid).content.decode()
    assert "JPEG" in page
    assert 'value="417"' in page
    assert (Hanchan.objects.count(), Photo.objects.count(), HeldResult.objects.count()) == (1, 0, 0)
    scorer.post(url("enter_session", league, session.pk), fields)
    assert Photo.objects.get().hanchan == Hanchan.objects.latest("pk")
    scorer.post(url("enter_session", league, session.pk), fields | {"photo": upload()})
    assert (Photo.objects.count(), Hanchan.objects.count()) == (1, 2)


def held_photo(league: League, session: Session, **more: Any) -> HeldResult:
    fields = typed(league, "447", "203", "265", "115", unsent="1", photo=upload()) | more
    answer = Client().post(at(link_of(session)), fields, headers=JSON)
    assert (answer.status_code, answer.json()["state"]) == (422, "held")
    return HeldResult.objects.get()


@needs_database
def test_photo_of_a_held_result_moves_to_its_hanchan(league: League, session: Session) -> None:
    before = Hanchan.objects.count()
    held = held_photo(league, session)
    organiser = logged_in(league, "organiser")
    address = url("held_photo", league, held.pk)
    assert address in organiser.get(url("held", league, held.pk)).content.decode()
    shown = organiser.get(address)
    assert (shown["Content-Type"], shown["Cache-Control"]) == ("image/jpeg", "private, no-store")
    assert Image.open(io.BytesIO(shown.content)).size == (400, 300)
    assert logged_in(league, "scorer", "eguchi").get(address).status_code == 403
    # The hanchan created from it keeps the photo.
    completed = typed(league, "417", "203", "265", "115", client_key=str(held.client_key))
    organiser.post(url("enter_session", league, session.pk), completed)
    assert Hanchan.objects.count() == before + 1
    photo = Photo.objects.get()
    assert (photo.hanchan.client_key, photo.width) == (held.client_key, 400)
    assert not HeldPhoto.objects.exists()
    assert organiser.get(address).status_code == 404
    held.refresh_from_db()
    assert (held.hanchan, held.settled_at is not None) == (photo.hanchan, True)


@needs_database
def test_held_result_keeps_one_valid_photo(league: League, session: Session) -> None:
    held = held_photo(league, session)
    key = {"client_key": str(held.client_key)}
    held_photo(league, session, **key, photo=upload(saved(sheet(600, 300))))
    held_photo(league, session, **key, photo=upload(b"no picture"))
    kept = HeldPhoto.objects.get()
    assert (kept.held, kept.width) == (held, 600)


@needs_database
def test_held_photo_stays_if_the_hanchan_has_six_already(league: League, session: Session) -> None:
    held = held_photo(league, session)
    hanchan = play(session)
    for shade in range(MAX_PER_HANCHAN):
        add_photo(hanchan=hanchan, picture=picture(shade), by=SYSTEM)
    take_over_photo(held, hanchan, SYSTEM)
    assert HeldPhoto.objects.get().held == held


@needs_database
def test_hanchan_has_at_most_six_photos_and_more_are_held(league: League, session: Session, hanchan: Hanchan) -> None:
    photos = [add_photo(hanchan=hanchan, picture=picture(shade), by=SYSTEM) for shade in range(0, 240, 40)]
    assert len(photos) == MAX_PER_HANCHAN
    with pytest.raises(PhotoError) as caught:
        add_photo(hanchan=hanchan, picture=picture(255), by=SYSTEM)
    assert caught.value.code == "enough"
    held = held_photo(league, session)
    take_over_photo(held, hanchan, SYSTEM)
    assert HeldPhoto.objects.get().held == held
    withdraw_photo(photo=photos[0], reason="blurred", by=SYSTEM)
    add_photo(hanchan=hanchan, picture=picture(255), by=SYSTEM)


@needs_database
def test_oversized_upload_is_cut_off_on_disk(league: League, hanchan: Hanchan) -> None:
    huge = upload(b"\xff" * (MAX_UPLOAD_BYTES + 5_000_000))
    request = logged_in(league, "scorer").post(url("photo_add", league, hanchan.pk), {"photo": huge})
    assert "8MB" in request.content.decode()
    file: Any = request.wsgi_request.FILES["photo"]
    assert MAX_UPLOAD_BYTES <= file.size < MAX_UPLOAD_BYTES + 100_000


@needs_database
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("../../../etc/passwd", "text/html", id="a path for a name"),
        pytest.param("写真\u202egpj.exe", "application/x-msdownload", id="a reversed name"),
        pytest.param("x" * 3000 + ".jpg", "image/svg+xml", id="a long name"),
    ],
)
def test_claimed_file_name_and_type_are_ignored(league: League, hanchan: Hanchan, name: str, kind: str) -> None:
    sent = {"photo": upload(name=name, kind=kind)}
    assert logged_in(league, "scorer").post(url("photo_add", league, hanchan.pk), sent).status_code in {200, 302}
    assert all(bytes(photo.data).startswith(b"\xff\xd8\xff") for photo in Photo.objects.all())


KEY = SigningKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1")
"""The key of the example in the AWS documentation."""


AT = datetime(2013, 5, 24, tzinfo=UTC)


def test_signature_of_the_aws_example_is_reproduced() -> None:
    assert signed_address("https://examplebucket.s3.amazonaws.com/test.txt", "GET", KEY, AT, seconds=86400) == (
        "https://examplebucket.s3.amazonaws.com/test.txt"
        "?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    )


def test_extra_query_parameters_are_signed() -> None:
    asked = {"response-content-disposition": 'inline; filename="a b.jpg"', "prefix": "photos/1/"}
    address = signed_address("http://127.0.0.1:9000/bucket/a b", "GET", KEY, AT, seconds=60, query=asked)
    parts = urlsplit(address)
    assert parts.path == "/bucket/a%20b"
    assert {name: values[0] for name, values in parse_qs(parts.query).items()}.items() >= asked.items()
    assert address[-64:] != signed_address("http://127.0.0.1:9000/bucket/a b", "GET", KEY, AT, seconds=60)[-64:]


def test_repr_of_a_key_hides_the_secret() -> None:
    assert KEY.secret not in repr(KEY)


def test_object_key_has_the_league_and_the_digest() -> None:
    digest = "0123456789abcdef" * 4
    key = key_of(12, digest)
    assert key == f"photos/12/{digest}.jpg"
    assert key.startswith(below_league(12))
    assert digest_in(key) == digest


@pytest.mark.parametrize("key", ["", "photos/1/a.jpg", f"photos/x/{'0' * 64}.jpg", f"photos/1/{'0' * 64}.jpg.bak"])
def test_other_object_keys_have_no_digest(key: str) -> None:
    assert digest_in(key) == ""
